"""Sealed-bid auctions: one prize per round, one bid per seat; first-price, second-price, third-price or all-pay.

| fact | value |
|---|---|
| Agents | `bidder_0` ... `bidder_9`; 2 to 10, 3 by default |
| Actions | `vector`: Discrete(highest bid / bid_step + 2); `amount`: Box((1,), float64) in dollars, or Box((1,), float32) with `amount_scale="share"`; `text`: free text |
| Parallel API | yes, native |
| Action masks | `vector`: int8, never all zero |
| Observations | Box(-10, 10), float32, 1-D: 12 + bidders features (15 by default) |
| State | Box(-10, 10), float32, 1-D: every bidder's features and the round's common part (apv) or common value (cv) (46 by default) |
| Rewards | change in profit / highest possible value of a prize |

**The auction** (Synthetic Labs, arXiv 2507.09083). The same bidders play several rounds, each of which sells one prize. In
each round every bidder observes its value of the prize (with `cv`, an estimate of it), and all bid once, simultaneously. The
highest bid wins if it is at least the reserve; ties are broken uniformly at random. The winner pays its bid (`first`), the
second-highest (`second`) or the third-highest (`third`) bid, but at least the reserve; with `all_pay`, every bidder pays its
bid. A bid of 0 counts as a bid. A seat that abstains or bids below the reserve cannot win; with `all_pay`, a bid below the
reserve is paid all the same.

Values are uniform on a grid. With `ipv` they are independent private values. With `apv` a value is the sum of a common and a
private part. With `cv` all bidders have the same value, and each observes an estimate with an error. `reveal` determines what
every bidder learns after a round: "all", as in the paper, reveals all bids without names, the winner's profit and, with `cv`,
the value; "price" reveals the price; "none" reveals nothing. The winner's name and other bidders' values are never revealed.

**Observations.** An observation is a dictionary with `observation`, the features. The `vector` interface adds `action_mask`.
The `text` interface adds `text`: before the first decision it contains the rules, later only the news since the seat's last
decision; `env.text(agent)` returns the full text. The table lists the indices of `observation` for N bidders. Amounts are
divided by the highest possible value of a prize, and all features are clipped to [-10, 10]. Features that are not revealed
are 0. `feature_names(N)` of the module `aucenv.envs.sealed_bid.vector` returns their names:

| index | feature |
|---|---|
| 0 | round, from 1, divided by the number of rounds; 1 at the end |
| 1 | the seat's value of this round's prize; with cv, its signal |
| 2 | the seat's profit so far |
| 3 | share of the closed rounds that the seat has won |
| 4 | the seat's value, or signal, in the last round |
| 5 | the seat's bid in the last round; 0 if there is none |
| 6 | 1 if the seat bid in the last round |
| 7 | 1 if the seat won the last round |
| 8 | the seat's profit in the last round |
| 9 | the last winner's payment, if revealed |
| 10 | the last winner's profit, if revealed |
| 11 | with cv, the last prize's value, if revealed; its winner can infer it in any case |
| 12 + k ... | for k = 0 ... N-1: the last round's bid of this rank, the highest first, if revealed; 0 if there is none |

**Actions.** `vector`: 0 abstains, and a >= 1 bids (a - 1) * `bid_step`, up to the cap; without a cap, up to twice the highest
signal. `amount`: dollars, rounded to cents; a negative amount abstains. `text`: a free-text reply, read by
`aucenv.core.reply`, such as "I bid $36" or "I abstain", in the scenario's currency. The text shows the format of a reply by a
bid that is drawn in every round and differs from the seat's value, so that it suggests no bid. A bid above the cap or between
steps, or an unreadable reply, is refused with the reason, and the bidder may try again up to `max_retries` times; after that
it abstains.
With `amount_scale="share"`, an amount is a share from 0 to 1 of the seat's value (with `cv`, of its signal). The product is
rounded to the nearest step and limited to the cap. Such an amount is always legal and never abstains.

**Rewards** are the change in profit when a round closes, divided by the highest possible value of a prize.

**Infos** are numbers, with amounts in dollars: `round`, `value` (0 at the end), `last_won` (0 or 1), `last_paid`, `last_price`
(0 if it is not revealed) and `last_profit` of the last round, `profit`, `prizes_won`, and `refused` (1 if the last reply was
refused, else 0). With `infos="full"`, None replaces missing values, and `refused` is the reason for the refusal, which text
observations and `env.text(agent)` also contain.

**End.** All agents terminate together after the last round. After `max_cycles` rounds they are truncated.

**Arguments**

| argument | default | meaning |
|---|---|---|
| scenario | "first-ipv" | a name (`aucenv envs` lists them), a `.json` path or a `Scenario` |
| pricing | the scenario's | "first", "second", "third" (at least 3 bidders), "all_pay" |
| values | the scenario's | "ipv", "apv", "cv"; another value model also brings its published value range, number of rounds and cap |
| num_bidders | the scenario's | 2 to 10 |
| num_rounds | the scenario's | 1 to 10,000 |
| value_range | the scenario's | the (least, highest) value in dollars: with apv that of each part, with cv that of the prize |
| signal_error | the scenario's | with cv, the largest error of a signal, in dollars |
| value_step | the scenario's | the step between values |
| bid_cap | "scenario" | the highest legal bid; None = no limit |
| bid_step | the scenario's | the step between bids |
| reserve | the scenario's | the least bid that wins, and the least price |
| reveal | the scenario's | "all", "price", "none" |
| interface | "vector" | "vector", "amount" or "text", or a mapping from every agent to one of them |
| amount_scale | "dollars" | "share": an `amount` is a number from 0 to 1, a share of the seat's value, or signal |
| observation | "dict" | "flat": the features alone, as one Box, with the mask in `info["action_mask"]` |
| infos | "numbers" | "numbers": numbers alone; "full": also names, None and the reason for a refusal; "none": empty dicts |
| illegal | "refuse" | "refuse", "clip" to the nearest legal amount, or "raise" IllegalBid |
| max_retries | 3 | how often a bidder may try again after a refusal |
| max_cycles | None | truncate after this many rounds |
| idle_turns | False | AEC only: give every bidder a turn in every round; this game does so in any case |
| mask_in_info | False | also put the mask into `info["action_mask"]` |
| render_mode | None | "ansi", "human" (prints it) or "rgb_array" (needs the extra `render`) |
| rivals | None | the bidders of the seats that the environment plays: a mapping by seat, such as `{"bidder_1": "rule"}`, or a list for all seats after the learner's |

The environment warns if the cap is below the highest bid of the equilibrium. For example, with three bidders and values up to
$99, equilibrium bids in the third-price auction reach $198, but the published cap is $99.

**Differences from the paper's program** (github.com/KeHang-Zhu/llm-auction). An amount is read from the sentence that states
it; the program takes the first whole number of a reply. A bidder may try again 3 times after its first try. With `all_pay`,
losers pay their bids in every game (in the program's logs, only in half of the games). A seat may abstain. With `third` and
fewer than three bids, the highest bid wins and pays the reserve (in the program, nobody wins). Steps, reserves, caps and the
revealed results can be configured.

The published cap of $99 was announced to bidders but not enforced: outside common values, 54 logged bids are above it, up to
$136. `bid_cap=99` refuses them. The paper's appendix prints a bid of $36.50, which `bid_step=1` refuses and `bid_step=0.5`
accepts.

**Batch.** `aucenv.sealed_bid_v0.batch_env(num_envs, num_threads)` plays many games in arrays; `help()` of the returned
environment describes it. In a batch nobody may try again: by default, an illegal bid abstains at once; `illegal` can also
clip it or raise an error. The step after the end of a row's game ignores the row's actions and starts its next game.

**Versions.** v0 is the first version and has not been released yet. During development, the default of `infos` changed to
"numbers".

```bibtex
@article{zhu2025syntheticlabs,
  title   = {Learning from Synthetic Labs: Language Models as Auction Participants},
  author  = {Shah, Anand and Zhu, Kehang and Jiang, Yanchen and Wang, Jeffrey G. and Dayi, Arif K. and Horton, John J. and Parkes, David C.},
  journal = {arXiv:2507.09083},
  year    = {2025}
}
```
"""  # noqa: E501  (table rows and titles cannot be broken)

from __future__ import annotations

from aucenv.core.game import Game
from aucenv.envs.forms import env_forms
from aucenv.envs.sealed_bid.scenario import DEFAULT_SCENARIO, SealedBidScenario
from aucenv.envs.sealed_bid.scenario_files import load_scenario, warn_about_cap


def scenario_of(
    scenario: str | SealedBidScenario = DEFAULT_SCENARIO,
    *,
    pricing: str | None = None,
    values: str | None = None,
    num_bidders: int | None = None,
    num_rounds: int | None = None,
    value_range: tuple[float, float] | None = None,
    signal_error: float | None = None,
    value_step: float | None = None,
    bid_cap: float | str | None = "scenario",
    bid_step: float | None = None,
    reserve: float | None = None,
    reveal: str | None = None,
) -> SealedBidScenario:
    """Return the scenario that an environment's arguments select."""
    changes = {
        "pricing": pricing, "values": values, "num_bidders": num_bidders, "num_rounds": num_rounds,
        "value_range": value_range, "signal_error": signal_error, "value_step": value_step, "bid_cap": bid_cap,
        "bid_step": bid_step, "reserve": reserve, "reveal": reveal,
    }  # fmt: skip
    return warn_about_cap(load_scenario(scenario).changed(**changes))


def num_actions(scenario: SealedBidScenario) -> int:
    """Return the number of vector actions: abstaining and every bid of the grid."""
    return scenario.num_bids + 1


GAME = Game(
    "sealed_bid",
    0,
    "aucenv.envs.sealed_bid",
    scenario_of,
    num_actions,
    bidders="aucenv.baselines.scripted.sealed_bid",
    population="aucenv.baselines.population.sealed_bid",
    agents=("plan-bid-reflect",),
)
raw_env, parallel_env, batch_env, seat_env, vector_env, env = env_forms(GAME)
