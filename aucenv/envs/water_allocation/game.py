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
cap, and all features are clipped to [-10, 10]. `feature_names(N)` of the module `aucenv.envs.water_allocation.features` returns
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
read by `aucenv.core.words.reply`, such as "I bid $80!" or "I'm out!". A bid above the balance is void: it is
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

The environment warns of each resident whose need exceeds the highest possible supply.

**Differences from the paper's program** (github.com/microsoft/Alympics). No resident is served twice on a day, and no balance
falls below 0 (both are possible in the program if bids tie). Days without water are counted from 0, as in the paper (the
program displays them from 1). The supply may be the highest of its range, as in the paper and in its published games; the
program draws 10 to 19 units where the paper says 10 to 20, which `supply_endpoint=False` does, too. Residents may have equal needs (in the paper, all needs differ); if their bids tie, too, the
tie is broken at random.

**Batch.** `aucenv.water_allocation_v0.batch_env(num_envs, num_threads)` plays many games in arrays; `help()` of the returned
environment describes it. In a batch, dead residents keep their seats. The step after the end of a row's game ignores the row's
actions and starts its next game.

**Versions.** v0 is the first version.

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

import dataclasses
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import numpy as np

from aucenv.core.checks import whole_number
from aucenv.core.declared import (
    BidderName,
    Declared,
    Description,
    Flag,
    Money,
    Numbers,
    OneOf,
    OrNone,
    Parts,
    Range,
    Whole,
)
from aucenv.core.files import JsonObject
from aucenv.core.game import Game
from aucenv.core.scenarios import Scenario
from aucenv.core.words.money import to_cents, to_dollars
from aucenv.core.words.names import check_distinct
from aucenv.envs.forms import env_forms
from aucenv.envs.water_allocation.personas import NEUTRAL_PERSONAS, PERSONAS
from aucenv.envs.water_allocation.rules import MAX_BIDDERS, MAX_DAYS, MAX_HEALTH, MAX_WATER, MIN_BIDDERS, State

SHARES = 10
"""The number of equal shares of the balance that vector actions bid, besides none."""
OVER_BALANCE = ("void", "refuse")


@dataclasses.dataclass(frozen=True)
class Resident(Declared):
    """A resident: its need of water, salary and persona."""

    KIND: ClassVar[str] = "resident"

    name: Annotated[str, BidderName(), "The displayed name, unlike those of other residents."]
    need: Annotated[int, Whole(1, MAX_WATER), "Units of water per day; each bid is for all of them."]
    salary: Annotated[float, Money(0, exact=True), "Dollars per day."]
    persona: Annotated[
        str, Description(), 'A description in the second person, shown to this seat only; "" for none.'
    ] = ""


@dataclasses.dataclass(frozen=True)
class WaterScenario(Scenario):
    """A water allocation challenge before its first day. Source: Alympics, arXiv 2311.03220, section 4."""

    ITEMS: ClassVar[str] = "days"
    NO_BUDGET: ClassVar[str] = "residents have a daily salary instead"

    residents: Annotated[tuple[Resident, ...], Parts(Resident), "The residents by seat; 2 to 16."]
    days: Annotated[int, Whole(1, MAX_DAYS), "Number of days."] = 20
    supply_range: Annotated[
        tuple[int, int],
        Range(Whole(0, MAX_WATER)),
        "The (least, highest) supply of a day, in units of water, public; supplies are uniform in this range.",
    ] = (10, 20)
    supply_schedule: Annotated[
        tuple[int, ...] | None,
        OrNone(Numbers(Whole(0, MAX_WATER))),
        "The supply of each day, within the range and hidden until that day; None draws them at random.",
    ] = None
    start_health: Annotated[
        int,
        Whole(1, MAX_HEALTH),
        "Health at the start, at most `health_cap`; a resident whose health is 0 or less dies.",
    ] = 8
    health_cap: Annotated[int, Whole(1, MAX_HEALTH), "The highest health."] = 10
    over_balance: Annotated[
        str,
        OneOf(OVER_BALANCE),
        "What happens to a bid above the balance: it is void and counts as no bid, as in the paper; or it is refused, "
        "so that the bidder may try again.",
    ] = "void"
    supply_endpoint: Annotated[
        bool,
        Flag(),
        "Whether the highest supply of the range is possible; False excludes it, as the paper's program does.",
    ] = True
    reframe: Annotated[
        bool,
        Flag(),
        "Whether texts speak of firewood in a frost, and of residents with other names, because models may have learnt "
        "the published games by heart; the results are the same. Personas keep their texts.",
    ] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        whole_number(f"{self._where}, number of residents", len(self.residents), MIN_BIDDERS, MAX_BIDDERS)
        check_distinct(self._where, "residents", [resident.name for resident in self.residents])
        low, high = self.possible_supply
        if low > high:
            got = f"{self.supply_range} with supply_endpoint=False"
            raise ValueError(f"{self._at('supply_range')}: expected at least one possible supply, got {got}")
        if self.supply_schedule is not None:
            where, days = self._at("supply_schedule"), len(self.supply_schedule)
            if days < self.days:
                raise ValueError(f"{where}: expected the supply of each of {self.days} days, got {days}")
            for day, supply in enumerate(self.supply_schedule[: self.days], start=1):
                whole_number(f"{where}, day {day}", supply, low, high)
            self._put("supply_schedule", self.supply_schedule[: self.days])
        whole_number(self._at("start_health"), self.start_health, 1, self.health_cap)

    @property
    def bidders(self) -> tuple[Resident, ...]:
        """The residents, under the name that all games share."""
        return self.residents

    @property
    def possible_supply(self) -> tuple[int, int]:
        """The least and the highest possible supply of a day, in units."""
        low, high = self.supply_range
        return low, high if self.supply_endpoint else high - 1

    @property
    def num_items(self) -> int:
        """The number of days."""
        return self.days

    @property
    def highest_bid(self) -> float:
        """The highest possible balance of any resident, in dollars."""
        return to_dollars(max(to_cents(resident.salary) for resident in self.residents) * self.days)

    @property
    def profit_scale(self) -> float:
        """The divisor of days lived in rewards: the number of days."""
        return self.days

    @property
    def warnings(self) -> list[str]:
        """Which residents need more water than any possible supply."""
        limit = self.possible_supply[1] if self.supply_schedule is None else max(self.supply_schedule)
        return [
            f"scenario {self.name!r}: the need of {resident.name} is {resident.need}, and the supply at most {limit}: "
            "it can never get water"
            for resident in self.residents
            if resident.need > limit
        ]

    def adapt(
        self,
        num_bidders: Annotated[int | None, Whole(2), "How many residents to keep, from the first."] = None,
        **fields: Any,
    ) -> JsonObject:
        if num_bidders is None:
            return fields
        residents = fields.get("residents", self.residents)
        kept = residents[: whole_number("num_bidders", num_bidders, 2, len(residents))]
        return {**fields, "residents": kept}

    def template(self) -> np.ndarray:
        """Return one row of the state with this scenario's constants, from which `rules.deal` starts every game."""
        template = self.template_of(State)
        row = template[0]
        row["low"], row["high"] = self.possible_supply
        row["refuses"] = self.over_balance == "refuse"
        row["health_cap"] = self.health_cap
        if self.supply_schedule is not None:
            row["scheduled"] = 1
            row["supplies"][: self.days] = self.supply_schedule
        for seat, resident in enumerate(self.residents):
            row["need"][seat] = resident.need
            row["salary"][seat] = to_cents(resident.salary)
            row["health"][seat] = self.start_health
        return template


WaterScenario = WaterScenario
"""The scenario class, under the name that all games share."""

PUBLISHED = (("Alex", 8, 70), ("Bob", 9, 75), ("Cindy", 10, 100), ("David", 11, 120), ("Eric", 12, 120))
"""Alympics' residents: name, daily need in units, daily salary in dollars."""
SUPPLIES = {"low": (10, 20), "medium": (15, 25), "high": (20, 30)}
"""Alympics' ranges of the supply, in units."""


def _settings(ending: str, personas: Mapping[str, str]) -> dict[str, WaterScenario]:
    residents = tuple(Resident(*row, personas.get(row[0], "")) for row in PUBLISHED)
    return {
        f"{name}{ending}": WaterScenario(f"{name}{ending}", residents, supply_range=supply)
        for name, supply in SUPPLIES.items()
    }


SETTINGS = {**_settings("", {}), **_settings("-personas", PERSONAS)}
"""The paper's settings 1 to 6 by name, in order."""
SCENARIOS = {**SETTINGS, **_settings("-neutral-personas", NEUTRAL_PERSONAS)}
DEFAULT_SCENARIO = "low"


def num_actions(scenario: WaterScenario) -> int:
    """Return the number of vector actions: no bid, and bids of 0 to 10 tenths of the balance."""
    return SHARES + 2


GAME = Game(
    "water_allocation",
    0,
    "aucenv.envs.water_allocation",
    WaterScenario,
    SCENARIOS,
    DEFAULT_SCENARIO,
    num_actions,
    bidders="aucenv.baselines.scripted.water_allocation",
    population="aucenv.baselines.population.water_allocation",
    agents=("resident",),
    seats_die=True,
)
raw_env, parallel_env, batch_env, seat_env, vector_env, env = env_forms(GAME)
