"""Proxy auctions with many days, as on eBay: one prize per round, a hidden maximum for each bidder.

| fact | value |
|---|---|
| Agents | `bidder_0` ... `bidder_9`; 2 to 10, 3 by default |
| Actions | `vector`: Discrete(highest maximum / step + 2), 101 by default; `amount`: Box((1,), float64) in dollars, or Box((1,), float32) with `amount_scale="share"`; `text`: free text |
| Parallel API | yes; one bidder moves in each step, the others have a single action |
| Action masks | `vector`: int8, never all zero |
| Observations | Box(-10, 10), float32, 1-D: 17 + 5 * bidders features (32 by default) |
| State | Box(-10, 10), float32, 1-D: every bidder's features, the round's common part (apv) or common value (cv), and the reserve (98 by default) |
| Rewards | change in profit / highest possible value of a prize |

**The auction** (Synthetic Labs, arXiv 2507.09083). Each round sells one prize, in an auction of `days` days. On each day the
bidders move one after another, in an order that is drawn for the day and announced when the day begins; on the last day it is
not announced. A move raises the bidder's own maximum, or holds. A proxy bids for each bidder up to its maximum: with a single
maximum the price is the start price, otherwise it is the lower of the highest maximum and the second-highest one plus the
increment. The highest maximum leads; of equal ones, the one that was set first. After every move all bidders see who moved,
whether its maximum was raised, the price, and who leads. Nobody sees the maxima of others.

With the `hard` close the round ends after the announced number of days. With the `soft` close, each time the last day is about to
begin, a day is added if anybody has raised a maximum since the last addition (at first, since the start), up to 20 days. The
leader then wins and pays the price. A hidden reserve decides only whether the prize is sold: the highest maximum has to reach it.
With `lift_to_reserve` the winner also pays at least the reserve, as in textbooks.

With `ipv` values are independent private values. With `apv` a value is the sum of a common and a private part. With `cv` all
bidders have the same value, and each observes an estimate with an error. `reveal` determines what every bidder learns after a
round besides the price and the leader: "all" reveals the final maxima without names, the winner's profit and, with `cv`, the
value.

**Observations.** An observation is a dictionary with `observation`, the features. The `vector` interface adds `action_mask`.
The `text` interface adds `text`: before the first decision it contains the rules and all moves, later only the news since the
seat's last move; `env.text(agent)` returns the full text. The table lists the indices of `observation` for N bidders. Amounts are
divided by the highest possible value of a prize, and all features are clipped to [-10, 10]. Features that are not revealed
are 0. `feature_names(N)` of the module `aucenv.envs.ebay.vector` returns their names:

| index | feature |
|---|---|
| 0 | round, from 1, divided by the number of rounds; 1 at the end |
| 1 | the seat's value of this round's prize; with cv, its signal |
| 2 | the seat's profit so far |
| 3 | share of the closed rounds that the seat has won |
| 4 | the seat's value, or signal, in the last round |
| 5 | the seat's final maximum in the last round; 0 if there is none |
| 6 | 1 if the seat set a maximum in the last round |
| 7 | 1 if the seat won the last round |
| 8 | the seat's profit in the last round |
| 9 | the last winner's payment |
| 10 | the last winner's profit, if revealed |
| 11 | with cv, the last prize's value, if revealed; its winner can infer it in any case |
| 12 | the price |
| 13 | the seat's maximum; 0 before its first bid |
| 14 | 1 if the seat leads |
| 15 | 1 if any seat leads |
| 16 | day, from 1, divided by 20 |
| 17 | the number of days after this one, divided by 20 |
| 18 | 1 on the last day, on which no order is announced |
| 19 | 1 if anybody has bid since the last day was added, or since the start |
| 20 | 1 if the seat moves now |
| 21 + k ... | for k = 0 ... N-1: the last round's final maximum of this rank, the highest first, if revealed; 0 if there is none |
| 21 + N + 4 k ... | for k = 0 ... N-2, the rivals from the next seat on: 1 if the rival leads; 1 if it has bid in this round; the day on which it set its maximum, from 1, divided by 20, or 0; 1 if it moves later on this day, if the order is announced |

**Actions.** `vector`: 0 holds, and action a >= 1 sets the maximum to a - 1 steps. `amount`: the maximum; a negative amount, or the
seat's earlier maximum, holds. `text`: the same decisions in words, read by `aucenv.envs.ebay.reply`: "I hold", "I raise my maximum
to $45", "I bid $45". A maximum takes effect at once, so that a reply with a condition ("I go to $50 if I am outbid") is refused.

An action is refused, with the reason, if its text is unreadable, or if its maximum is below the seat's earlier maximum or below the
price, above the highest possible maximum, or between two steps. The bidder may then try again up to `max_retries` times; after that
it holds.

With `amount_scale="share"`, an amount is a share from 0 to 1 of the seat's value (with `cv`, of its signal). The product,
rounded to the nearest step, is the maximum; if it does not raise the seat's maximum, the seat holds.

**Rewards** are the change in profit when a round closes, divided by the highest possible value of a prize.

**Infos** are numbers, with amounts in dollars: `price` (0 at the end), `leads` (whether the seat leads, 0 or 1), `leader` (the number of
the seat that leads; -1 if none does), `day` (from 0), `days_left`, `maximum` (the seat's; -1 if none), `round`, `value`, `last_won` (0 or 1), `last_paid`,
`last_price`, `last_profit`, `profit`, `prizes_won`, and `refused` (1 if the last reply was refused, else 0). With
`infos="full"`, None replaces missing values, `leader` is the name of the seat, and `refused` is the reason for the refusal, which text
observations and `env.text(agent)` also contain.

**End.** All agents terminate together after the last round. They are truncated after `max_cycles` moves.

**Arguments**

| argument | default | meaning |
|---|---|---|
| scenario | "hard" | a name (`aucenv envs` lists them), a `.json` path or a `Scenario` |
| closing | the scenario's | "hard" or "soft" |
| days | the scenario's | 1 to 20, the announced number of days |
| reserve | the scenario's | a hidden reserve in dollars; 0: none |
| lift_to_reserve | the scenario's | whether the winner pays at least the reserve |
| values | the scenario's | "ipv", "apv", "cv"; another value model also brings its published value range, number of rounds and highest maximum |
| num_bidders | the scenario's | 2 to 10 |
| num_rounds | the scenario's | 1 to 10,000 |
| value_range | the scenario's | the (least, highest) value in dollars: with apv that of each part, with cv that of the prize |
| signal_error | the scenario's | with cv, the largest error of a signal, in dollars |
| value_step | the scenario's | the step between values |
| start_price | the scenario's | the price before there are two maxima |
| increment | the scenario's | how far the price exceeds the second-highest maximum |
| highest_maximum | the scenario's | the highest maximum that a bidder may set |
| bid_step | the scenario's | the step between maxima |
| reveal | the scenario's | "all", "price" |
| interface | "vector" | "vector", "amount" or "text", or a mapping from every agent to one of them |
| amount_scale | "dollars" | "share": an `amount` is a number from 0 to 1, a share of the seat's value, or signal |
| observation | "dict" | "flat": the features alone, as one Box, with the mask in `info["action_mask"]` |
| infos | "numbers" | "numbers": numbers alone; "full": also names, None and the reason for a refusal; "none": empty dicts |
| illegal | "refuse" | "refuse", "clip" to the nearest legal amount, or "raise" IllegalBid |
| max_retries | 3 | how often a bidder may try again after a refusal |
| max_cycles | None | truncate after this many moves |
| idle_turns | False | AEC only: give every bidder a turn at every move, even without a decision |
| mask_in_info | False | also put the mask into `info["action_mask"]` |
| render_mode | None | "ansi", "human" (prints it) or "rgb_array" (needs the extra `render`) |
| rivals | None | the bidders of the seats that the environment plays: a mapping by seat, such as `{"bidder_1": "truthful"}`, or a list for all seats after the learner's |

**Differences from the paper and its program** (github.com/KeHang-Zhu/llm-auction).

- Of equal maxima the one that was set first leads; in the program it is that of the earlier name. On about half of the moves
  with equal maxima in its logs, this is another bidder.
- Before the first bid there is no leader; the program's logs may name one.
- A maximum below the price is refused; the program accepts it, and a few logged bids are below the price.
- The program's prompts give the price, the bidder's last bid and the moves so far without amounts. Texts here also state the bidder's
  value, day and order, as the paper's rules do.
- Reserves that lift the price, several rounds, and `apv` and `cv` values are not in the paper.

**Batch.** `aucenv.ebay_v0.batch_env(num_envs, num_threads)` plays many games in arrays; `help()` of the returned environment
describes it. In a batch nobody may try again: by default, an illegal action holds; `illegal` can also clip it or raise an error.
The step after the end of a row's game ignores the row's actions and starts its next game.

**Versions.** v0 is the first version and has not been released yet.

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
from aucenv.core.money import to_cents
from aucenv.envs.ebay.scenario import DEFAULT_SCENARIO, EbayScenario
from aucenv.envs.ebay.scenario_files import load_scenario
from aucenv.envs.forms import env_forms


def scenario_of(
    scenario: str | EbayScenario = DEFAULT_SCENARIO,
    *,
    closing: str | None = None,
    days: int | None = None,
    reserve: float | None = None,
    lift_to_reserve: bool | None = None,
    values: str | None = None,
    num_bidders: int | None = None,
    num_rounds: int | None = None,
    value_range: tuple[float, float] | None = None,
    signal_error: float | None = None,
    value_step: float | None = None,
    start_price: float | None = None,
    increment: float | None = None,
    highest_maximum: float | None = None,
    bid_step: float | None = None,
    reveal: str | None = None,
) -> EbayScenario:
    """Return the scenario that an environment's arguments select."""
    changes = {
        "closing": closing, "days": days, "reserve": reserve, "lift_to_reserve": lift_to_reserve, "values": values,
        "num_bidders": num_bidders, "num_rounds": num_rounds, "value_range": value_range,
        "signal_error": signal_error, "value_step": value_step, "start_price": start_price, "increment": increment,
        "highest_maximum": highest_maximum, "bid_step": bid_step, "reveal": reveal,
    }  # fmt: skip
    return load_scenario(scenario).changed(**changes)


def num_actions(scenario: EbayScenario) -> int:
    """Return the number of vector actions: a hold, and each maximum."""
    return to_cents(scenario.highest_maximum) // to_cents(scenario.bid_step) + 2


GAME = Game(
    "ebay",
    0,
    "aucenv.envs.ebay",
    scenario_of,
    num_actions,
    bidders="aucenv.baselines.scripted.ebay",
    agents=("plan-bid-reflect",),
)
raw_env, parallel_env, batch_env, seat_env, vector_env, env = env_forms(GAME)
