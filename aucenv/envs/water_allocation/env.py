"""The water allocation challenge: residents bid for scarce water every day and try to survive until the last day.

| fact | value |
|---|---|
| Agents | `bidder_0` ... `bidder_15`; 2 to 16, 5 by default: Alex, Bob, Cindy, David, Eric |
| Actions | `vector`: Discrete(12); `amount`: Box((1,), float64) in dollars, or Box((1,), float32) with `amount_scale="share"`; `text`: free text |
| Parallel API | yes, native |
| Action masks | `vector`: int8, never all zero |
| Observations | Box(-10, 10), float32, 1-D: 5 + 10 * residents features (55 by default) |
| State | Box(-10, 10), float32, 1-D: every resident's features and the supply of all days (295 by default) |
| Rewards | 1 / number of days for each day survived |

**The drought** (Alympics, arXiv 2311.03220, section 4). Residents of a town bid for water on 20 days; each has a daily need
of water and a daily salary. Every morning each resident receives its salary, and the day's supply is announced: a whole
number, uniform in a public range. Then all residents bid once, simultaneously, each for the whole of its need. The highest
bid whose need still fits the remaining supply is served first, then the next, until no need fits. If bids tie, the lower need
is served first; if needs tie, too, the tie is broken uniformly at random. A winner pays its bid. A bid of 0 counts as a bid
and can win; a bid above the balance is void. Health starts at 8. A day with water adds 2, up to a cap of 10; the k-th
consecutive day without water subtracts k. A resident whose health is 0 or less dies: it makes no more bids and loses its
money. Every evening all bids, the winners, and every resident's balance, health and days without water are revealed to all.

**Personas.** In the scenarios `low-personas`, `medium-personas` and `high-personas`, each resident has a persona of 50 to 75
words, which only its seat sees: a profession, a personality and a background with the paper's facts, in aucenv's words. The
paper's set joins poverty to a low IQ (Alex), and a higher salary to a higher IQ, so that their
effects cannot be separated. `low-neutral-personas`, `medium-neutral-personas` and `high-neutral-personas` have other personas, which
state neither intelligence nor wealth. Rule bidders ignore personas.

**Another frame.** The published games and their texts may be part of what a model has learnt. With `reframe=True`, the
residents bid for firewood in a frost under other names, in all texts, pictures and transcripts; rules, numbers and results
stay the same. A persona keeps its text, which mentions neither water nor names in the built-in sets.

**Observations.** An observation is a dictionary with `observation`, the features. The `vector` interface adds `action_mask`.
The `text` interface adds `text`: before the first decision it contains the rules and the seat's persona, later only the news
since the seat's last decision; `env.text(agent)` returns the full text. The table lists the indices of `observation` for N
residents. Money is divided by ten times the highest salary, water by the highest possible supply of a day and health by its
cap, and all features are clipped to [-10, 10]. `feature_names(N)` of the module `aucenv.envs.water_allocation.vector` returns
their names:

| index | feature |
|---|---|
| 0 | number of the day, from 1, divided by the number of days |
| 1 | today's supply; 0 at the end |
| 2 | least possible supply |
| 3 | share of the residents that are alive |
| 4 | total need of the living residents, divided by today's supply |
| 5 + 10k ... | for k = 0 ... N-1, the resident k seats further: alive, health, consecutive days without water / 10, balance, need, salary, last bid, 1 if it bid, 1 if it got water, days with water / number of days |

**Actions.** `vector`: 0 makes no bid, and a in 1 ... 11 bids (a - 1) tenths of the balance, rounded to the nearest whole
dollar within the balance. `amount`: dollars, rounded to cents; a negative amount makes no bid. `text`: a free-text reply,
read by `aucenv.core.reply`, such as "I bid $80!" or "I'm out!". A bid above the balance is void: it is
legal and counts as no bid, but all seats see it, and infos and records contain it. With `over_balance="refuse"` it is refused
instead. An unreadable reply is always refused. After a refusal, the bidder reads the reason and may try again up to
`max_retries` times; after that it makes no bid. Dead residents have one legal action, 0, and get no turns; with
`on_death="terminate"` their agents terminate.
With `amount_scale="share"`, an amount is a share from 0 to 1 of the seat's balance, rounded to cents.

**Rewards** are paid at the end of each day: a resident that is alive receives 1 / number of days, so the rewards of a
resident that survives the game add up to 1. Money and health give no reward, but help to survive.

**Infos** are numbers: `day` and `supply` (0 at the end), `balance` (dollars), `health`, `no_water_days`, `alive` (0 or 1),
`days_lived`, `days_with_water`, `last_bid` (0 if there is none), `last_won` (0 or 1), and `refused` (1 if the last reply was
refused, else 0). With `infos="full"`, None replaces missing values, `alive` and `last_won` are booleans, and `refused` is the
reason for the refusal, which text observations and `env.text(agent)` also contain.

**End.** All agents terminate together after the last day, or when no resident is alive. After `max_cycles` days they are
truncated.

**Arguments**

| argument | default | meaning |
|---|---|---|
| scenario | "low" | a name (`aucenv envs` lists them), a `.json` path or a `Scenario` |
| num_bidders | the scenario's | how many residents to keep, from the first; 2 or more |
| days | the scenario's | the number of days, 1 to 1,000 |
| residents | the scenario's | a tuple of `Resident(name, need, salary, persona="")` |
| supply_range | the scenario's | the (least, highest) supply of a day, in units of water |
| supply_schedule | the scenario's | the supply of each day, within the range and hidden until that day |
| start_health | the scenario's | the health at the start, 1 to health_cap |
| health_cap | the scenario's | the maximum health |
| over_balance | the scenario's | "void": a bid above the balance counts as no bid, as in the paper; "refuse": it is refused |
| supply_endpoint | the scenario's | whether the highest supply of the range is possible; False excludes it, as the paper's program does |
| reframe | the scenario's | True: texts speak of firewood in a frost, and the residents have other names; results are the same |
| on_death | "stay" | "stay": dead residents keep their seats, without decisions; "terminate": their agents terminate |
| interface | "vector" | "vector", "amount" or "text", or a mapping from every agent to one of them |
| amount_scale | "dollars" | "share": an `amount` is a number from 0 to 1, a share of the seat's balance |
| observation | "dict" | "flat": the features alone, as one Box, with the mask in `info["action_mask"]` |
| infos | "numbers" | "numbers": numbers alone; "full": also names, None and the reason for a refusal; "none": empty dicts |
| illegal | "refuse" | "refuse", "clip" to the nearest legal amount, or "raise" IllegalBid; void bids are legal |
| max_retries | 3 | how often a bidder may try again after a refusal |
| max_cycles | None | truncate after this many days |
| idle_turns | False | AEC only: give every bidder a turn on every day, even dead residents |
| mask_in_info | False | also put the mask into `info["action_mask"]` |
| render_mode | None | "ansi", "human" (prints it) or "rgb_array" (needs the extra `render`) |
| rivals | None | the bidders of the seats that the environment plays: a mapping by seat, such as `{"bidder_1": "rule"}`, or a list for all seats after the learner's |

The environment warns of each resident whose need exceeds the highest possible supply.

**Differences from the paper's program** (github.com/microsoft/Alympics). No resident is served twice on a day, and no balance
falls below 0 (both are possible in the program if bids tie). Days without water are counted from 0, as in the paper (the
program displays them from 1). The supply may be the highest of its range, as in the paper and in its published games; the
program draws 10 to 19 units where the paper says 10 to 20, which `supply_endpoint=False` does, too. Residents may have equal needs (in the paper, all needs differ); if their bids tie, too, the
tie is broken at random.

**Batch.** `aucenv.water_allocation_v0.batch_env(num_envs, num_threads)` plays many games in arrays; `help()` of the returned
environment describes it. In a batch, dead residents keep their seats. The step after the end of a row's game ignores the row's
actions and starts its next game.

**Versions.** v0 is the first version and has not been released yet. During development, the default of `infos` changed to
"numbers".

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

from aucenv.core.files import JsonObject
from aucenv.core.game import Game
from aucenv.core.scenarios import find_scenario
from aucenv.envs.forms import env_forms
from aucenv.envs.water_allocation.named_scenarios import DEFAULT_SCENARIO, SCENARIOS
from aucenv.envs.water_allocation.scenario import Resident, WaterScenario
from aucenv.envs.water_allocation.scenario_files import warn_about_needs
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
    supply_endpoint: bool | None = None,
    reframe: bool | None = None,
) -> WaterScenario:
    """Return the scenario that an environment's arguments select."""
    changes: JsonObject = {
        "num_bidders": num_bidders, "days": days, "residents": residents, "supply_range": supply_range,
        "supply_schedule": supply_schedule, "start_health": start_health, "health_cap": health_cap,
        "over_balance": over_balance, "supply_endpoint": supply_endpoint, "reframe": reframe,
    }  # fmt: skip
    return warn_about_needs(find_scenario(scenario, WaterScenario, SCENARIOS).changed(**changes))


def num_actions(scenario: WaterScenario) -> int:
    """Return the number of vector actions: no bid, and bids of 0 to 10 tenths of the balance."""
    return NUM_ACTIONS


GAME = Game(
    "water_allocation",
    0,
    "aucenv.envs.water_allocation",
    scenario_of,
    num_actions,
    bidders="aucenv.baselines.scripted.water_allocation",
    population="aucenv.baselines.population.water_allocation",
    agents=("resident",),
    seats_die=True,
)
raw_env, parallel_env, batch_env, seat_env, vector_env, env = env_forms(GAME)
