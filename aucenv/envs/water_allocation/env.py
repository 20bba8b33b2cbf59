"""The water allocation challenge: bid for scarce water every day, and live to see the last one.

| fact | value |
|---|---|
| Agents | `bidder_0` ... `bidder_15`; 2 to 16, 5 by default: Alex, Bob, Cindy, David, Eric |
| Actions | `vector`: Discrete(12); `amount`: Box((1,), float64), dollars, or Box((1,), float32), shares; `text`: any words |
| Parallel API | yes, native |
| Action masks | `vector`: int8, never all zero |
| Observations | Box(-10, 10), float32, 1-D: 5 + 10 * residents features (55 by default) |
| State | Box(-10, 10), float32, 1-D: every resident's features and the supply of all days (295 by default) |
| Rewards | one over the number of days for each day survived |

**The drought** (Alympics, arXiv 2311.03220, section 4). For 20 days, residents with different needs of water and daily salaries
bid for what there is. Every morning each is paid its salary, and the day's supply is announced: a whole number, uniform
in a range that all know. All bid once, unseen, each for the whole of its need. The highest bid is served first among those whose
need still fits what is left, until nobody's does; equal bids: the lower need, and if that is equal too, a draw. A winner pays its
own bid; 0 is a bid and can win; a bid over the balance is void. Water adds 2 to the health, which starts at 8 and is 10 at
most; on the k-th day in a row without water it falls by k. At 0 or less a resident dies: it is out, and its money is gone. Every
evening all bids, the winners and everybody's balance, health and days without water are told to all.

**Observations.** A dictionary with `observation`; for `vector` also `action_mask`; for `text` also `text`: the rules (and the seat's
persona) before the first decision, then what is new since the last one; `env.text(agent)` tells everything again. Indices
of `observation`, with N residents; money is in shares of ten of the highest salary, water of the most that a day can bring, health of
its cap, all clipped to [-10, 10]; `feature_names(N)` of the module `aucenv.envs.water_allocation.vector` lists them:

| index | feature |
|---|---|
| 0 | today, from 1, as a share of all days |
| 1 | today's water, 0 at the end |
| 2 | the least supply |
| 3 | residents alive, as a share of all |
| 4 | the need of all who live, over today's supply |
| 5 + 10k ... | for k = 0 ... N-1, the resident k seats further: alive, health, days without water (tens), balance, need, salary, last bid, 1 if it bid, 1 if it got water, days with water |

**Actions.** `vector`: 0 bids nothing, a in 1 ... 11 bids (a - 1) tenths of the balance, to the nearest whole dollar that it has. `amount`:
dollars, rounded to cents; negative bids nothing. `text`: a reply in words, read by a strict auctioneer (`aucenv.core.reply`): "I bid $80!"
or "I'm out!". A bid over the balance counts as none; all see it, and infos and records tell. With `over_balance="refuse"` it is
refused as an unreadable answer is: with the reason, and asked again, `max_retries` times; then there is no
bid. The dead have one action, 0, and get no turns; with `on_death="terminate"` they terminate.
With `amount_scale="share"` an amount is a share from 0 to 1 of the own balance, rounded to cents.

**Rewards**: one over the number of days for each day at whose end the resident is alive: they add up to 1 for who survives.
Money and health are worth what they do for survival.

**Infos** are raw quantities: day and supply (0 at the end), balance (dollars), health, no_water_days, alive (0 or 1), days_lived,
days_with_water, last_bid (0 = none), last_won (0 or 1), and whether the last answer was refused (refused, 0 or 1). With
`infos="full"` None stands for what there is not, and refused is the reason, which text observations and `env.text(agent)` have
as well.

**End.** All agents terminate together after the last day, or when nobody lives any more; they are truncated after `max_cycles` days.

**Arguments**

| argument | default | meaning |
|---|---|---|
| scenario | "low" | a name (`aucenv envs` lists them), a `.json` path or a `Scenario` |
| num_bidders | the scenario's | the first so many residents; 2 or more |
| days | the scenario's | 1 to 1,000 |
| residents | the scenario's | a tuple of `Resident(name, need, salary, persona="")` |
| supply_range | the scenario's | (least, most) water of a day |
| supply_schedule | the scenario's | the supply of each day, in the range, not told in advance |
| start_health | the scenario's | at most health_cap |
| health_cap | the scenario's | the most health |
| over_balance | the scenario's | "void": a bid over the balance is none, as published; "refuse" |
| on_death | "stay" | "stay": the dead keep a seat without decisions; "terminate": they leave the game |
| interface | "vector" | "vector", "amount" or "text", or a mapping from every agent to one |
| amount_scale | "dollars" | "share": an `amount` is a number from 0 to 1, a share of the own balance |
| observation | "dict" | "flat": the features alone, as one Box, and the mask in `info["action_mask"]` |
| infos | "numbers" | "full": names, dollars, None and the reason of a refusal; "none": empty |
| illegal | "refuse" | "refuse", "clip" to the nearest legal amount, or "raise" IllegalBid; void bids are legal |
| max_retries | 3 | how often a refused bidder is asked again |
| max_cycles | None | truncate after so many days |
| idle_turns | False | AEC: every bidder gets a turn every day, the dead too |
| mask_in_info | False | put the mask into `info["action_mask"]`, too |
| render_mode | None | "ansi", "human" (prints it) or "rgb_array" (needs the extra `render`) |
| rivals | None | who plays the other seats: by seat, `{"bidder_1": "rule"}`, or a list for those after the one learner's |

A resident whose need is above any possible supply is warned of.

**Differences from the paper's program** (github.com/microsoft/Alympics). Nobody is served twice on a day, and no balance falls below 0
(there: possible in ties). Days without water are counted from 0, as in the paper (its display starts at 1). Residents with equal
bids and needs, which the paper does not have, draw.

**Batch.** `aucenv.water_allocation_v0.batch_env(num_envs, num_threads)` holds many games in arrays; `help()` of what it returns
tells all. There the dead stay.
A row whose game is over starts the next one with the next step, whose actions are ignored.

**Versions.** v0 is the first version, and not released yet. Before its release, infos became numbers by default.

```bibtex
@inproceedings{mao2025alympics,
  title     = {Alympics: LLM Agents Meet Game Theory},
  author    = {Mao, Shaoguang and Cai, Yuzhe and Xia, Yan and Wu, Wenshan and Wang, Xun and Wang, Fengyi and Ge, Tao and Wei, Furu},
  booktitle = {COLING},
  year      = {2025},
  note      = {arXiv:2311.03220}
}
```
"""  # noqa: E501  (table rows and titles cannot be broken)

from __future__ import annotations

from collections.abc import Sequence

from aucenv.core.env_classes import env_forms
from aucenv.core.files import JsonObject
from aucenv.core.game import Game
from aucenv.core.scenarios import find_scenario
from aucenv.envs.water_allocation.scenario import DEFAULT_SCENARIO, SCENARIOS, Resident, WaterScenario
from aucenv.envs.water_allocation.scenario_files import warn_of_needs
from aucenv.envs.water_allocation.vector import NUM_ACTIONS


def scenario_of(
    scenario: str | WaterScenario = DEFAULT_SCENARIO,
    *,
    num_bidders: int | None = None,
    days: int | None = None,
    residents: Sequence[Resident] | None = None,
    supply_range: tuple[int, int] | None = None,
    supply_schedule: Sequence[int] | None = None,
    start_health: int | None = None,
    health_cap: int | None = None,
    over_balance: str | None = None,
) -> WaterScenario:
    """The scenario that an environment's arguments choose."""
    changes: JsonObject = {
        "num_bidders": num_bidders, "days": days, "residents": residents, "supply_range": supply_range,
        "supply_schedule": supply_schedule, "start_health": start_health, "health_cap": health_cap,
        "over_balance": over_balance,
    }  # fmt: skip
    return warn_of_needs(find_scenario(scenario, WaterScenario, SCENARIOS).changed(**changes))


def num_actions(scenario: WaterScenario) -> int:
    """Of the vector interface."""
    return NUM_ACTIONS


GAME = Game(
    "water_allocation",
    0,
    "aucenv.envs.water_allocation",
    scenario_of,
    num_actions,
    bidders="aucenv.baselines.scripted.water_allocation",
    agents=("resident",),
    seats_die=True,
)
raw_env, parallel_env, batch_env, seat_env, vector_env, env = env_forms(GAME)
