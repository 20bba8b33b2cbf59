"""Who needs how much water, and how much there is: frozen scenarios, the published ones by name.

Source: Alympics, arXiv 2311.03220, section 4: its residents and six settings, three supplies without and with personas.
The personas' facts are the paper's, their wording ours.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from aucenv.core.checks import build, field, no_duplicates, one_of, some_text, whole_number
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.money import checked_dollars, to_cents, to_dollars, whole_cents
from aucenv.core.state import NOBODY
from aucenv.envs.water_allocation.rules import MAX_BIDDERS, MIN_BIDDERS, state_dtype

OVER_BALANCE = ("void", "refuse")
MOST_DAYS, MOST_WATER, MOST_HEALTH = 1000, 1_000_000, 1000


@dataclasses.dataclass(frozen=True)
class Resident:
    """One who lives there.

    Attributes:
        name: what people see; unique in its scenario.
        need: units of water a day; bids are for all of it.
        salary: dollars a day.
        persona: who it is, in the second person; told to it alone. "": nobody in particular.
    """

    name: str
    need: int
    salary: float
    persona: str = ""

    def __post_init__(self) -> None:
        where = f"resident {self.name!r}"
        some_text(f"{where}, name", self.name)
        put = object.__setattr__  # numpy's numbers become Python's, which JSON can hold
        put(self, "need", whole_number(f"{where}, need", self.need, 1, MOST_WATER))
        whole_cents(f"{where}, salary", self.salary, 0)
        put(self, "salary", checked_dollars(self.salary, f"{where}, salary", least=0))
        if self.persona != "":
            some_text(f"{where}, persona", self.persona)


@dataclasses.dataclass(frozen=True)
class WaterScenario:
    """A drought before its first day.

    Attributes:
        name: what records, tables and errors call it.
        residents: who needs water, by seat; each bids for its own.
        days: how many the game lasts, 1 to 1,000.
        supply_range: the least and most units of water of a day, each whole number between as likely; told to all.
        supply_schedule: the units of water of each day, within the range and not told in advance; None = drawn.
        start_health: points of health at the start; who has none left dies.
        health_cap: the most points of health.
        over_balance: what becomes of a bid over the balance: it is "void", as published, or "refuse"d and asked again.
    """

    name: str
    residents: tuple[Resident, ...]
    days: int = 20
    supply_range: tuple[int, int] = (10, 20)
    supply_schedule: tuple[int, ...] | None = None
    start_health: int = 8
    health_cap: int = 10
    over_balance: str = "void"

    def __post_init__(self) -> None:
        where = f"scenario {self.name!r}"
        some_text("scenario, name", self.name)
        put = object.__setattr__
        put(self, "residents", tuple(self.residents))
        for resident in self.residents:
            if not isinstance(resident, Resident):
                raise ValueError(f"{where}, residents: expected Residents, got {resident!r:.80}")
        whole_number(f"{where}, number of residents", len(self.residents), MIN_BIDDERS, MAX_BIDDERS)
        no_duplicates(f"{where}, names of residents", [resident.name for resident in self.residents])
        put(self, "days", whole_number(f"{where}, days", self.days, 1, MOST_DAYS))
        put(self, "supply_range", _range(f"{where}, supply_range", self.supply_range))
        if self.supply_schedule is not None:
            put(self, "supply_schedule", self._checked_schedule(f"{where}, supply_schedule"))
        put(self, "health_cap", whole_number(f"{where}, health_cap", self.health_cap, 1, MOST_HEALTH))
        put(self, "start_health", whole_number(f"{where}, start_health", self.start_health, 1, self.health_cap))
        one_of(f"{where}, over_balance", self.over_balance, OVER_BALANCE)

    def _checked_schedule(self, where: str) -> tuple[int, ...]:
        schedule = _each(where, self.supply_schedule)
        if len(schedule) < self.days:
            raise ValueError(f"{where}: expected the supply of each of {self.days} days, got {len(schedule)}")
        low, high = self.supply_range
        return tuple(
            whole_number(f"{where}, day {day}", supply, low, high)
            for day, supply in enumerate(schedule[: self.days], start=1)
        )

    @property
    def bidders(self) -> tuple[Resident, ...]:
        return self.residents

    @property
    def num_items(self) -> int:
        """Days."""
        return self.days

    @property
    def highest_bid(self) -> float:
        """The most that anybody can have, dollars."""
        return to_dollars(max(to_cents(resident.salary) for resident in self.residents) * self.days)

    @property
    def profit_scale(self) -> float:
        """What rewards are shares of: days."""
        return self.days

    def changed(
        self,
        *,
        num_bidders: int | None = None,
        num_items: int | None = None,
        budget: float | None = None,
        **changes: Any,
    ) -> WaterScenario:
        """This scenario with other fields; None changes nothing.

        Args:
            num_bidders: the first so many residents.
            num_items: days; a schedule loses those beyond.

        Raises:
            ValueError: out of range, or there is no such field.
        """
        chosen = {name: value for name, value in changes.items() if value is not None}
        known = [part.name for part in dataclasses.fields(self)]
        for name in chosen:
            one_of(f"scenario {self.name!r}, field", name, known)
        if budget is not None:
            raise ValueError(f"budget: residents have a daily salary instead, got {budget}")
        if num_items is not None:
            chosen["days"] = whole_number("num_items", num_items, 1)
        if num_bidders is not None:
            invited = chosen.get("residents", self.residents)
            chosen["residents"] = invited[: whole_number("num_bidders", num_bidders, 2, len(invited))]
        return dataclasses.replace(self, **chosen)

    def template(self) -> np.ndarray:
        """One row of the state with this scenario's constants, from which `rules.deal` starts every game."""
        template = np.zeros(1, state_dtype(len(self.residents), self.days))
        row = template[0]
        row["num_seats"], row["num_items"] = len(self.residents), self.days
        row["forced_tie"] = NOBODY
        row["low"], row["high"] = self.supply_range
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

    def to_dict(self) -> JsonObject:
        """Plain data from which `from_dict` makes this scenario again."""
        data = {part.name: getattr(self, part.name) for part in dataclasses.fields(self)}
        schedule = self.supply_schedule
        return {
            **data,
            "residents": [dict(vars(resident)) for resident in self.residents],
            "supply_range": list(self.supply_range),
            "supply_schedule": None if schedule is None else list(schedule),
        }

    @classmethod
    def from_dict(cls, data: JsonMapping, where: str = "scenario") -> WaterScenario:
        """The scenario that `data` describes.

        Raises:
            ValueError: a key is missing or unknown, or a value out of range; names `where`.
        """
        residents = field(data, "residents", list, where)
        built = [build(Resident, resident, f"{where}: residents[{seat}]") for seat, resident in enumerate(residents)]
        return build(cls, {**data, "residents": tuple(built)}, where)


Scenario = WaterScenario
"""By the name that all games share."""


def _each(where: str, numbers: Any) -> Sequence[Any]:
    if isinstance(numbers, np.ndarray):
        numbers = numbers.tolist()
    if not isinstance(numbers, (list, tuple)):
        raise ValueError(f"{where}: expected a list of whole numbers, got {numbers!r:.80}")
    return numbers


def _range(where: str, ends: Any) -> tuple[int, int]:
    both = _each(where, ends)
    if len(both) != 2:
        raise ValueError(f"{where}: expected the least and the most, got {ends!r:.80}")
    low = whole_number(f"{where}, least", both[0], 0, MOST_WATER)
    return low, whole_number(f"{where}, most", both[1], low, MOST_WATER)


PUBLISHED = (("Alex", 8, 70), ("Bob", 9, 75), ("Cindy", 10, 100), ("David", 11, 120), ("Eric", 12, 120))
"""Alympics' residents: name, daily need, daily salary."""

PERSONAS = {
    "Alex": "You have no job, and grew up poor. You are neither clever nor good with people, and easily annoyed.",
    "Bob": "You teach at a high school and come from a close family. You read people very well; your wits are average.",
    "Cindy": "You are a psychologist who began on a crisis line. You are very bright, and very good with people.",
    "David": "You are a mathematician from a small town, brilliant with numbers and shy of people.",
    "Eric": "You are a marketing executive with charm. Both your wits and your feeling for people are above average.",
}

SUPPLIES = {"low": (10, 20), "medium": (15, 25), "high": (20, 30)}


def _setting(name: str, supply: tuple[int, int], personas: Mapping[str, str]) -> WaterScenario:
    residents = tuple(Resident(*who, personas.get(who[0], "")) for who in PUBLISHED)
    return WaterScenario(name, residents, supply_range=supply)


SCENARIOS = {
    scenario.name: scenario
    for scenario in (
        *(_setting(name, supply, {}) for name, supply in SUPPLIES.items()),
        *(_setting(f"{name}-personas", supply, PERSONAS) for name, supply in SUPPLIES.items()),
    )
}
"""Settings 1 to 6, in order."""
DEFAULT_SCENARIO = "low"


def need_warnings(scenario: WaterScenario) -> list[str]:
    """Residents that no possible supply can serve."""
    most = scenario.supply_range[1] if scenario.supply_schedule is None else max(scenario.supply_schedule)
    return [
        f"scenario {scenario.name!r}: the need of {resident.name} is {resident.need}, and the supply at most {most}: "
        "it can never get water"
        for resident in scenario.residents
        if resident.need > most
    ]
