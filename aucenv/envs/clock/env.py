"""Clock auctions: one prize a round, a price that climbs or falls, and bidders that leave or take.

| fact | value |
|---|---|
| Agents | `bidder_0` ... `bidder_9`; 2 to 10, 3 by default |
| Actions | `vector`: Discrete(2); `amount`: Box((1,), float64), dollars, or Box((1,), float32), shares; `text`: any words |
| Parallel API | yes, native |
| Action masks | `vector`: int8, never all zero |
| Observations | Box(-10, 10), float32, 1-D: 16 + bidders features (19 by default) |
| State | Box(-10, 10), float32, 1-D: every bidder's features and the common part or value (58 by default) |
| Rewards | change of profit over the top of the value range |

**The auction** (Synthetic Labs, arXiv 2507.09083). The same bidders meet in every round; each sees what the round's prize is
worth to it (in cv, an estimate). `ascending`: the price climbs by ticks; at each price all who are in stay, or leave for good.
The last one wins at the price at which the last rival left; if the last ones leave together, each of them is as likely to
win, at that price (but if all leave at a first price above $0, nobody buys); if several are in at the clock's end, likewise, at the last price. `open` feedback tells at each tick how
many are in, `blind` does not. `descending`, the Dutch auction: the price falls by ticks; who takes the prize first pays the
price; among several each is as likely to; if nobody does, it is not sold. Values: `ipv` independent private values; `apv` a
common and a private part, added; `cv` one common value, of which each bidder sees an estimate with an error. After a round
`reveal` says what all are told: leaving prices without names, the winner's profit and, in cv, the value ("all"); the
winner's price, as published; or nothing. Nobody is told who won, or another's value.

**Observations.** A dictionary with `observation`; for `vector` also `action_mask`; for `text` also `text`: the rules before the
first decision, then what is new since the last one; `env.text(agent)` tells everything again. Indices of `observation`, with
N bidders; amounts are shares of the most that a prize can be worth, all clipped to [-10, 10]; what is not told is 0;
`feature_names(N)` of the module `aucenv.envs.clock.vector` lists them:

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
| 12 | the clock's price |
| 13 | how many are still in, as a share of all, if it is told |
| 14 | 1 while the seat is in |
| 15 | the price that it has named, 0 if none |
| 16 + k ... | for k = 0 ... N-1: the last round's bid of this rank, the highest first, if bids are told; 0 if none |

A bid is here the price at which a seat left, or took the prize.

**Actions.** `vector`: ascending, 0 leaves and 1 stays; descending, 0 waits and 1 takes the prize. `amount`: ascending, negative
leaves now, 0 stays at this tick, and a price above the clock's stays until it is reached; descending, negative waits at this
tick, a price of at least the clock's takes the prize at the clock's, and a lower one takes it there. `text`: the same in words, read by a strict
auctioneer (`aucenv.core.clock_reply`): "I stay", "I leave", "I leave at $36"; "I wait", "I take it", "I take it at $36". Who has named
a price is not asked again in the round. A price that the clock has passed, between ticks or beyond its end, or an unreadable
answer, is refused with the reason and asked again, `max_retries` times; then the bidder leaves, or waits.
With `amount_scale="share"` an amount is a share from 0 to 1 of the own value, or signal, rounded to the nearest tick: the price
at which to leave, or to take the prize; at once, where the clock has passed it.

**Rewards**: the change of profit over the highest value that a prize can have, when a round closes.

**Infos** are numbers: price (dollars, as all money; 0 at the end), tick, still_in (-1 where it is not told), in (0 or 1), named
(-1 = none), round, value, last_won (0 or 1), last_paid, last_price (0 where it is not told), last_profit, profit, prizes_won,
and whether the last answer was refused (refused, 0 or 1). With `infos="full"` None stands for what there is not, and refused
is the reason, which text observations and `env.text(agent)` have as well.

**End.** All agents terminate together after the last round, and are truncated after `max_cycles` ticks that asked somebody.

**Arguments**

| argument | default | meaning |
|---|---|---|
| scenario | "ascending-apv" | a name (`aucenv envs` lists them), a `.json` path or a `Scenario` |
| direction | the scenario's | "ascending", "descending" |
| feedback | the scenario's | "open", "blind"; ascending |
| values | the scenario's | "ipv", "apv", "cv"; another one brings its published range, rounds and highest price |
| num_bidders | the scenario's | 2 to 10 |
| num_rounds | the scenario's | 1 to 10,000 |
| value_range | the scenario's | (least, highest) value, dollars; apv: of either part; cv: of the prize |
| signal_error | the scenario's | how far signals may be off, in cv |
| value_step | the scenario's | between values |
| lowest_price | the scenario's | from where, or to where, the clock runs |
| highest_price | the scenario's | to where, or from where |
| tick | the scenario's | between prices |
| reveal | the scenario's | "all", "price", "none" |
| interface | "vector" | "vector", "amount" or "text", or a mapping from every agent to one |
| amount_scale | "dollars" | "share": an `amount` is a number from 0 to 1, a share of the own value, or signal |
| observation | "dict" | "flat": the features alone, as one Box, and the mask in `info["action_mask"]` |
| infos | "numbers" | "full": names, dollars, None and the reason of a refusal; "none": empty |
| illegal | "refuse" | "refuse", "clip" to the nearest legal answer, or "raise" IllegalBid |
| max_retries | 3 | how often a refused bidder is asked again |
| max_cycles | None | truncate after so many ticks that asked somebody |
| idle_turns | False | AEC: every bidder gets a turn at every tick |
| mask_in_info | False | put the mask into `info["action_mask"]`, too |
| render_mode | None | "ansi", "human" (prints it) or "rgb_array" (needs the extra `render`) |
| rivals | None | who plays the other seats: by seat, `{"bidder_1": "rule"}`, or a list for those after the one learner's |

**Differences from the paper's program** (github.com/KeHang-Zhu/llm-auction). A seat may name a price. The number of those
still in is told at each price, not the number that left. 3 retries follow the first try. The Dutch auction and clocks on ipv and
cv are not the paper's.

**Batch.** `aucenv.clock_v0.batch_env(num_envs, num_threads)` holds many games in arrays; `help()` of what it returns tells
all. There an illegal answer leaves, or waits (or is clipped, or raises): nobody is asked again.
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
from aucenv.envs.clock.scenario import DEFAULT_SCENARIO, ClockScenario
from aucenv.envs.clock.scenario_files import load_scenario


def scenario_of(
    scenario: str | ClockScenario = DEFAULT_SCENARIO,
    *,
    direction: str | None = None,
    feedback: str | None = None,
    values: str | None = None,
    num_bidders: int | None = None,
    num_rounds: int | None = None,
    value_range: tuple[float, float] | None = None,
    signal_error: float | None = None,
    value_step: float | None = None,
    lowest_price: float | None = None,
    highest_price: float | None = None,
    tick: float | None = None,
    reveal: str | None = None,
) -> ClockScenario:
    """The scenario that an environment's arguments choose."""
    changes = {
        "direction": direction, "feedback": feedback, "values": values, "num_bidders": num_bidders,
        "num_rounds": num_rounds, "value_range": value_range, "signal_error": signal_error,
        "value_step": value_step, "lowest_price": lowest_price, "highest_price": highest_price, "tick": tick,
        "reveal": reveal,
    }  # fmt: skip
    return load_scenario(scenario).changed(**changes)


def num_actions(scenario: ClockScenario) -> int:
    """Of the vector interface: leave or stay, wait or take the prize."""
    return 2


GAME = Game(
    "clock",
    0,
    "aucenv.envs.clock",
    scenario_of,
    num_actions,
    bidders="aucenv.baselines.scripted.clock",
    agents=("plan-bid-reflect",),
)
raw_env, parallel_env, batch_env, seat_env, vector_env, env = env_forms(GAME)
