"""Scenarios of the water allocation challenge: frozen dataclasses. Source: Alympics, arXiv 2311.03220, section 4."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from aucenv.core.checks import boolean, build, excerpt, field, one_of, whole_number
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.money import checked_dollars, to_cents, to_dollars, whole_cents
from aucenv.core.names import check_distinct, checked_bidder_name, checked_description, checked_name
from aucenv.core.state import NOBODY
from aucenv.envs.water_allocation.rules import MAX_BIDDERS, MAX_DAYS, MAX_HEALTH, MAX_WATER, MIN_BIDDERS, State

OVER_BALANCE = ("void", "refuse")


@dataclasses.dataclass(frozen=True)
class Resident:
    """A resident: its need of water, salary and persona.

    Attributes:
        name: the displayed name, one line of at most 60 characters; not like "you" or the name of another resident.
        need: units of water per day; each bid is for all of them.
        salary: dollars per day.
        persona: a description of the resident in the second person, shown to this seat only, at most 2,000 characters;
            "" for none.
    """

    name: str
    need: int
    salary: float
    persona: str = ""

    def __post_init__(self) -> None:
        where = f"resident {excerpt(self.name)}"
        checked_bidder_name(f"{where}, name", self.name)
        put = object.__setattr__  # replaces numpy numbers by Python numbers, which JSON can encode
        put(self, "need", whole_number(f"{where}, need", self.need, 1, MAX_WATER))
        whole_cents(f"{where}, salary", self.salary, 0)
        put(self, "salary", checked_dollars(self.salary, f"{where}, salary", least=0))
        if self.persona != "":
            checked_description(f"{where}, persona", self.persona)


@dataclasses.dataclass(frozen=True)
class WaterScenario:
    """A water allocation challenge before its first day.

    Attributes:
        name: the scenario's name in records, tables and errors.
        residents: the residents by seat; 2 to 16.
        days: number of days, 1 to 1,000.
        supply_range: (least, highest) units of water per day, public; supplies are uniform whole numbers in this range.
        supply_schedule: the supply of each day, in this range and not announced in advance; None draws them at random.
        start_health: health at the start; a resident whose health falls to 0 or less dies.
        health_cap: the highest health.
        over_balance: "void" makes a bid above the balance void, as in the paper; "refuse" refuses it, so that the
            bidder may try again.
        supply_endpoint: whether the highest supply of `supply_range` is possible; False excludes it, as the paper's
            program does.
        reframe: whether texts speak of firewood in a frost, and of residents with other names, because models may have
            learnt the published games by heart; the results are the same. Personas keep their texts.
    """

    name: str
    residents: tuple[Resident, ...]
    days: int = 20
    supply_range: tuple[int, int] = (10, 20)
    supply_schedule: tuple[int, ...] | None = None
    start_health: int = 8
    health_cap: int = 10
    over_balance: str = "void"
    supply_endpoint: bool = True
    reframe: bool = False

    def __post_init__(self) -> None:
        where = f"scenario {checked_name('scenario, name', self.name)!r}"
        put = object.__setattr__
        put(self, "residents", tuple(self.residents))
        for resident in self.residents:
            if not isinstance(resident, Resident):
                raise ValueError(f"{where}, residents: expected Residents, got {excerpt(resident)}")
        whole_number(f"{where}, number of residents", len(self.residents), MIN_BIDDERS, MAX_BIDDERS)
        check_distinct(where, "residents", [resident.name for resident in self.residents])
        put(self, "days", whole_number(f"{where}, days", self.days, 1, MAX_DAYS))
        put(self, "supply_range", _range(f"{where}, supply_range", self.supply_range))
        for name in ("supply_endpoint", "reframe"):
            put(self, name, boolean(f"{where}, {name}", getattr(self, name)))
        if self.possible_supply[0] > self.possible_supply[1]:
            got = f"{self.supply_range} with supply_endpoint=False"
            raise ValueError(f"{where}, supply_range: expected at least one possible supply, got {got}")
        if self.supply_schedule is not None:
            put(self, "supply_schedule", self._checked_schedule(f"{where}, supply_schedule"))
        put(self, "health_cap", whole_number(f"{where}, health_cap", self.health_cap, 1, MAX_HEALTH))
        put(self, "start_health", whole_number(f"{where}, start_health", self.start_health, 1, self.health_cap))
        one_of(f"{where}, over_balance", self.over_balance, OVER_BALANCE)

    def _checked_schedule(self, where: str) -> tuple[int, ...]:
        schedule = _checked_list(where, self.supply_schedule)
        if len(schedule) < self.days:
            raise ValueError(f"{where}: expected the supply of each of {self.days} days, got {len(schedule)}")
        low, high = self.possible_supply
        return tuple(
            whole_number(f"{where}, day {day}", supply, low, high)
            for day, supply in enumerate(schedule[: self.days], start=1)
        )

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

    def changed(
        self,
        *,
        num_bidders: int | None = None,
        num_items: int | None = None,
        budget: float | None = None,
        **changes: Any,
    ) -> WaterScenario:
        """Return this scenario with other fields; None keeps a field.

        Args:
            num_bidders: number of residents to keep, from the first.
            num_items: number of days; a schedule is cut to this length.
            changes: new values by field.

        Raises:
            ValueError: a value is out of range, or there is no such field.
        """
        chosen = {name: value for name, value in changes.items() if value is not None}
        names = [part.name for part in dataclasses.fields(self)]
        for name in chosen:
            one_of(f"scenario {self.name!r}, field", name, names)
        if budget is not None:
            raise ValueError(f"budget: residents have a daily salary instead, got {budget}")
        if num_items is not None:
            chosen["days"] = whole_number("num_items", num_items, 1)
        if num_bidders is not None:
            residents = chosen.get("residents", self.residents)
            chosen["residents"] = residents[: whole_number("num_bidders", num_bidders, 2, len(residents))]
        return dataclasses.replace(self, **chosen)

    def template(self) -> np.ndarray:
        """Return one row of the state with this scenario's constants, from which `rules.deal` starts every game."""
        template = np.zeros(1, State.dtype(seat=len(self.residents), item=self.days))
        row = template[0]
        row["num_seats"], row["num_items"] = len(self.residents), self.days
        row["forced_tie"] = NOBODY
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

    def to_dict(self) -> JsonObject:
        """Return plain data from which `from_dict` restores this scenario."""
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
        """Return the scenario that `data` describes.

        Raises:
            ValueError: a key is missing or unknown, or a value is out of range; the message names `where`.
        """
        residents = field(data, "residents", list, where)
        built = [build(Resident, resident, where, ("residents", seat)) for seat, resident in enumerate(residents)]
        return build(cls, {**data, "residents": tuple(built)}, where)


Scenario = WaterScenario
"""The scenario class, under the name that all games share."""


def _checked_list(where: str, numbers: Any) -> Sequence[Any]:
    if isinstance(numbers, np.ndarray):
        numbers = numbers.tolist()
    if not isinstance(numbers, (list, tuple)):
        raise ValueError(f"{where}: expected a list of whole numbers, got {excerpt(numbers)}")
    return numbers


def _range(where: str, ends: Any) -> tuple[int, int]:
    pair = _checked_list(where, ends)
    if len(pair) != 2:
        raise ValueError(f"{where}: expected (least, highest), got {excerpt(ends)}")
    low = whole_number(f"{where}, least", pair[0], 0, MAX_WATER)
    return low, whole_number(f"{where}, most", pair[1], low, MAX_WATER)


def need_warnings(scenario: WaterScenario) -> list[str]:
    """Return a warning for each resident that needs more water than any possible supply."""
    limit = scenario.possible_supply[1] if scenario.supply_schedule is None else max(scenario.supply_schedule)
    return [
        f"scenario {scenario.name!r}: the need of {resident.name} is {resident.need}, and the supply at most {limit}: "
        "it can never get water"
        for resident in scenario.residents
        if resident.need > limit
    ]
