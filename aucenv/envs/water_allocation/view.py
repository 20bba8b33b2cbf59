"""Everything that one seat may know, and nothing more.

Public: the rules, needs, salaries and the supply's range; every closed day with all bids, who got water and what
became of everybody; today's supply. Private: the own persona. Hidden from all: the supply of the days to come.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from aucenv.core.kernel import kernel
from aucenv.core.money import to_dollars
from aucenv.core.seat_view import SeatView, visible_row
from aucenv.core.state import IDLE, NOBODY, RUNNING, seat_names
from aucenv.envs.water_allocation.scenario import Scenario


@kernel
def copy_visible(state, b, seat, out):
    """Copy row `b` into the one row of `out`, without what `seat` may not know."""
    out[0] = state[b]
    g = out[0]
    g["key"] = 0
    g["forced_tie"] = NOBODY
    g["scheduled"] = 0
    for j in range(g["item"] + 1, g["num_items"]):
        g["supplies"][j] = 0
    for s in range(g["num_seats"]):
        if s != seat:
            g["seat_key"][s] = 0


@dataclasses.dataclass(frozen=True)
class ScenarioText:
    """The words of a scenario by seat; `public` are those that everybody may read."""

    seats: tuple[str, ...]
    names: tuple[str, ...]
    personas: tuple[str, ...] = ()
    public: ScenarioText | None = None

    @classmethod
    def of(cls, scenario: Scenario) -> ScenarioText:
        public = cls(
            seats=tuple(seat_names(len(scenario.residents))),
            names=tuple(resident.name for resident in scenario.residents),
        )
        personas = tuple(resident.persona for resident in scenario.residents)
        return dataclasses.replace(public, personas=personas, public=public)


@dataclasses.dataclass(frozen=True)
class ResidentView:
    """A resident as everybody sees it; dollars. The dead have no money, and a health of at most 0."""

    seat: str
    name: str
    need: int
    salary: float
    alive: bool
    health: int
    no_water_days: int
    balance: float


@dataclasses.dataclass(frozen=True)
class After:
    """How a resident stood at the end of a day; dollars."""

    balance: float
    health: int
    no_water_days: int


@dataclasses.dataclass(frozen=True)
class Day:
    """A closed day. By seat, without those who were dead.

    Attributes:
        number: from 1.
        bids: dollars; None = none.
        void: whose bids were over their balance.
        winners: who got water, in order.
        died: on this day.
    """

    number: int
    supply: int
    bids: dict[str, float | None]
    void: tuple[str, ...]
    winners: tuple[str, ...]
    after: dict[str, After]

    @property
    def died(self) -> tuple[str, ...]:
        return tuple(seat for seat, after in self.after.items() if after.health <= 0)


@dataclasses.dataclass(frozen=True, slots=True)
class View(SeatView):
    """What `seat` knows now; see SeatView. `item_number` counts the days from 0.

    Attributes:
        persona: who the seat is told to be; "" = nobody in particular.
    """

    persona: str

    @property
    def day(self) -> int:
        """Today, from 1; the last day once the game is over."""
        return min(self.item_number + 1, self.days)

    @property
    def days(self) -> int:
        return self._get("num_items")

    @property
    def supply(self) -> int | None:
        """Today's water; None once the game is over."""
        return self._get("supply") if self._get("status") == RUNNING else None

    @property
    def supply_range(self) -> tuple[int, int]:
        return self._get("low"), self._get("high")

    @property
    def health_cap(self) -> int:
        return self._get("health_cap")

    @property
    def voids(self) -> bool:
        """Whether a bid over the balance is void; otherwise it is refused."""
        return not self._get("refuses")

    @property
    def residents(self) -> list[ResidentView]:
        """All, by seat."""
        return [self._resident(seat) for seat in range(len(self.scenario_text.seats))]

    @property
    def own(self) -> ResidentView:
        return self._resident(self.seat_number)

    @property
    def balance(self) -> float:
        return to_dollars(self._own("balance"))

    @property
    def history(self) -> list[Day]:
        """Every closed day, in order."""
        return [self.day_at(j) for j in range(self.item_number)]

    def day_at(self, j: int) -> Day:
        """Closed day `j`, from 0."""
        row, seats = self.row[0], self.scenario_text.seats
        there = [seat for seat in range(len(seats)) if row["bid"][seat, j] != IDLE]
        bids = {seat: int(row["bid"][seat, j]) for seat in there}
        places = {int(row["place"][seat, j]): seat for seat in there}
        after = {
            seats[seat]: After(
                to_dollars(int(row["balance_after"][seat, j])),
                int(row["health_after"][seat, j]),
                int(row["thirst_after"][seat, j]),
            )
            for seat in there
        }
        return Day(
            number=j + 1,
            supply=int(row["supplies"][j]),
            bids={seats[seat]: to_dollars(bid) if bid >= 0 else None for seat, bid in bids.items()},
            void=tuple(seats[seat] for seat in there if bids[seat] > self._had(seat, j)),
            winners=tuple(seats[places[place]] for place in sorted(places) if place),
            after=after,
        )

    def _had(self, seat: int, j: int) -> int:
        """The balance before the bids of closed day `j`, cents."""
        row = self.row[0]
        paid = row["bid"][seat, j] if row["place"][seat, j] else 0
        return int(row["balance_after"][seat, j] + paid)

    def _resident(self, seat: int) -> ResidentView:
        row = self.row[0]
        return ResidentView(
            seat=self.scenario_text.seats[seat],
            name=self.scenario_text.names[seat],
            need=int(row["need"][seat]),
            salary=to_dollars(int(row["salary"][seat])),
            alive=not row["gone"][seat],
            health=int(row["health"][seat]),
            no_water_days=int(row["thirst"][seat]),
            balance=to_dollars(int(row["balance"][seat])),
        )


def make_view(
    state: np.ndarray,
    seat: int,
    scenario_text: ScenarioText,
    history: tuple[tuple[int, int, int, int], ...],
    refused: str | None = None,
    reveal: bool = False,
) -> View:
    """The view of `seat` on a one-row state; with `reveal` nothing is hidden from it. Bids stand in the state."""
    row = visible_row(state, seat, copy_visible, reveal)
    return View(row, seat, scenario_text.public, refused, reveal, scenario_text.personas[seat])
