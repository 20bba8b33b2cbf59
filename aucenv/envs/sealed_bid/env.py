"""Sealed-bid auctions: one prize a round, one bid a seat, first, second, third price or all-pay.

| fact | value |
|---|---|
| Agents | `bidder_0` ... `bidder_9`; 2 to 10, 3 by default |
| Actions | `vector`: Discrete(highest bid / bid_step + 2); `amount`: Box((1,), float64), dollars, or Box((1,), float32), shares; `text`: any words |
| Parallel API | yes, native |
| Action masks | `vector`: int8, never all zero |
| Observations | Box(-10, 10), float32, 1-D: 12 + bidders features (15 by default) |
| State | Box(-10, 10), float32, 1-D: every bidder's features and the common part or value (46 by default) |
| Rewards | change of profit over the top of the value range |

**The auction** (Synthetic Labs, arXiv 2507.09083). The same bidders meet in every round; each sees what the round's prize
is worth to it (in cv, an estimate), and all bid once, unseen. The highest bid of at least the reserve wins; among equals
each is as likely to. The winner pays its own bid (`first`), the second-highest (`second`) or third-highest (`third`) bid, at
least the reserve; with `all_pay` everybody pays the own bid. 0 is a bid; abstaining, and bids below the reserve, win nothing
(with `all_pay` such a bid is paid all the same). Values, uniform on a grid: `ipv` independent private values; `apv` a common
and a private part, added; `cv` one common value, of which each bidder sees an estimate with an error. After a round `reveal`
says what all are told: the bids without names, the winner's profit and, in cv, the value ("all", as published); the winner's
price; or nothing. Nobody is told who won, or another's value.

**Observations.** A dictionary with `observation`; for `vector` also `action_mask`; for `text` also `text`: the rules before the
first decision, then what is new since the last one; `env.text(agent)` tells everything again. Indices of `observation`, with
N bidders; amounts are shares of the most that a prize can be worth, all clipped to [-10, 10]; what is not told is 0;
`feature_names(N)` of the module `aucenv.envs.sealed_bid.vector` lists them:

| index | feature |
|---|---|
| 0 | the round, from 1, as a share of all; 1 at the end |
| 1 | what this round's prize is worth to the seat; in cv, its signal |
| 2 | own profit so far |
| 3 | prizes won, as a share of the rounds that are through |
| 4 | own value, or signal, in the last round |
| 5 | own bid in the last round, 0 if none |
| 6 | 1 if the seat bid in the last round |
| 7 | 1 if the seat won the last round |
| 8 | own profit in the last round |
| 9 | what the last round's winner paid, if it is told |
| 10 | the last winner's profit, if it is told |
| 11 | what the last prize was worth, in cv, if it is told; who has won it can tell |
| 12 + k ... | for k = 0 ... N-1: the last round's bid of this rank, the highest first, if bids are told; 0 if none |

**Actions.** `vector`: 0 abstains, a bids (a - 1) steps, up to the cap; without a cap, up to twice the most a seat can see.
`amount`: dollars, rounded to cents; negative abstains. `text`: a reply in words, read by a strict auctioneer
(`aucenv.core.reply`): "I bid $36" or "I abstain", in the scenario's currency. A bid above the cap or between steps, or an
unreadable answer, is refused with the reason and asked again, `max_retries` times; then the bidder
abstains.
With `amount_scale="share"` an amount is a share from 0 to 1 of the own value, or signal, rounded to the nearest step and at
most the cap: never illegal, never abstaining.

**Rewards**: the change of profit over the highest value that a prize can have, when a round closes.

**Infos** are numbers: round, value (dollars, as all money; 0 at the end), last_won (0 or 1), last_paid, last_price (0 where it
is not told) and last_profit of the last round, profit, prizes_won, and whether the last answer was refused (refused, 0 or 1).
With `infos="full"` None stands for what there is not, and refused is the reason, which text observations and `env.text(agent)`
have as well.

**End.** All agents terminate together after the last round, and are truncated after `max_cycles` rounds.

**Arguments**

| argument | default | meaning |
|---|---|---|
| scenario | "first-ipv" | a name (`aucenv envs` lists them), a `.json` path or a `Scenario` |
| pricing | the scenario's | "first", "second", "third" (3 bidders or more), "all_pay" |
| values | the scenario's | "ipv", "apv", "cv"; another one brings its published range, rounds and cap |
| num_bidders | the scenario's | 2 to 10 |
| num_rounds | the scenario's | 1 to 10,000 |
| value_range | the scenario's | (least, highest) value, dollars; apv: of either part; cv: of the prize |
| signal_error | the scenario's | how far signals may be off, in cv |
| value_step | the scenario's | between values |
| bid_cap | "scenario" | the most that may be bid; None = any amount |
| bid_step | the scenario's | between bids |
| reserve | the scenario's | the least bid that wins, and the least price |
| reveal | the scenario's | "all", "price", "none" |
| interface | "vector" | "vector", "amount" or "text", or a mapping from every agent to one |
| amount_scale | "dollars" | "share": an `amount` is a number from 0 to 1, a share of the own value, or signal |
| observation | "dict" | "flat": the features alone, as one Box, and the mask in `info["action_mask"]` |
| infos | "numbers" | "full": names, dollars, None and the reason of a refusal; "none": empty |
| illegal | "refuse" | "refuse", "clip" to the nearest legal amount, or "raise" IllegalBid |
| max_retries | 3 | how often a refused bidder is asked again |
| max_cycles | None | truncate after so many rounds |
| idle_turns | False | AEC: every bidder gets a turn in every round; here all have one anyway |
| mask_in_info | False | put the mask into `info["action_mask"]`, too |
| render_mode | None | "ansi", "human" (prints it) or "rgb_array" (needs the extra `render`) |
| rivals | None | who plays the other seats: by seat, `{"bidder_1": "rule"}`, or a list for those after the one learner's |

A cap below the equilibrium's highest bid is warned of: with three bidders and values up to $99 the third-price equilibrium
bids up to $198, which the published cap of $99 cuts off.

**Differences from the paper's program** (github.com/KeHang-Zhu/llm-auction). An amount is read as it is meant, not as the first
whole number of a reply; 3 retries follow the first try. With `all_pay` losers pay their bids in every game (there: in half of the
logs). A seat may abstain. Steps, reserves, caps and what is revealed can be chosen.

**Batch.** `aucenv.sealed_bid_v0.batch_env(num_envs, num_threads)` holds many games in arrays; `help()` of what it returns
tells all. There an illegal bid abstains (or is clipped, or raises): nobody is asked again.
A row whose game is over starts the next one with the next step, whose actions are ignored.

**Versions.** v0 is the first version, and not released yet. Before its release, infos became numbers by default.

```bibtex
@article{zhu2025syntheticlabs,
  title   = {Evidence from the Synthetic Laboratory: Language Models as Auction Participants},
  author  = {Shah, Anand and Zhu, Kehang and Jiang, Yanchen and Wang, Jeffrey G. and Dayi, Arif K. and Horton, John J. and Parkes, David C.},
  journal = {arXiv:2507.09083},
  year    = {2025}
}
```
"""  # noqa: E501  (table rows and titles cannot be broken)

from __future__ import annotations

from aucenv.core.env_classes import env_forms
from aucenv.core.game import Game
from aucenv.envs.sealed_bid.scenario import DEFAULT_SCENARIO, SealedBidScenario
from aucenv.envs.sealed_bid.scenario_files import load_scenario, warn_of_cap


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
    """The scenario that an environment's arguments choose."""
    changes = {
        "pricing": pricing, "values": values, "num_bidders": num_bidders, "num_rounds": num_rounds,
        "value_range": value_range, "signal_error": signal_error, "value_step": value_step, "bid_cap": bid_cap,
        "bid_step": bid_step, "reserve": reserve, "reveal": reveal,
    }  # fmt: skip
    return warn_of_cap(load_scenario(scenario).changed(**changes))


def num_actions(scenario: SealedBidScenario) -> int:
    """Of the vector interface: abstaining and every bid of the grid."""
    return scenario.num_bids + 1


GAME = Game(
    "sealed_bid",
    0,
    "aucenv.envs.sealed_bid",
    scenario_of,
    num_actions,
    bidders="aucenv.baselines.scripted.sealed_bid",
    agents=("plan-bid-reflect",),
)
raw_env, parallel_env, batch_env, seat_env, vector_env, env = env_forms(GAME)
