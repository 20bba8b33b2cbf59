"""Views: everything that one seat may know, and nothing more.

A View holds a copy of the state without the values that are hidden from the seat (`copy_visible`). Public: the rules,
needs, salaries, the range of the supply, today's supply, and every closed day with its supply, bids, winners, balances,
health and days without water. Private: personas. Hidden from all seats: the supply of future days.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from aucenv.core.kernel import kernel
from aucenv.core.money import to_dollars
from aucenv.core.seat_view import SeatView, visible_row
from aucenv.core.state import IDLE, NOBODY, RUNNING, seat_names
from aucenv.envs.water_allocation.scenario import Scenario
from aucenv.envs.water_allocation.wording import WATER, Wording, wording_of


@kernel
def copy_visible(state, b, seat, out):
    """Copy row `b` into the one row of `out`, without the values that are hidden from `seat`.

    These are the supplies of future days, and all keys of random numbers except the seat's. Personas are texts, which
    a state does not contain.
    """
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
    """The texts of a scenario by seat.

    Attributes:
        wording: the words that depend on the frame.
        public: the texts without the personas, which all seats may read.
    """

    seats: tuple[str, ...]
    names: tuple[str, ...]
    personas: tuple[str, ...] = ()
    wording: Wording = WATER
    public: ScenarioText | None = None

    @classmethod
    def of(cls, scenario: Scenario) -> ScenarioText:
        """Return the texts of a scenario."""
        wording = wording_of(scenario.reframe)
        names = wording.names or tuple(resident.name for resident in scenario.residents)
        seats = tuple(seat_names(len(scenario.residents)))
        public = cls(seats, names[: len(seats)], wording=wording)
        personas = tuple(resident.persona for resident in scenario.residents)
        return dataclasses.replace(public, personas=personas, public=public)


@dataclasses.dataclass(frozen=True)
class ResidentView:
    """A resident as all seats see it; amounts in dollars. The dead have no money and a health of at most 0."""

    seat: str
    name: str
    need: int
    salary: float
    alive: bool
    health: int
    no_water_days: int
    balance: float


@dataclasses.dataclass(frozen=True)
class EndOfDay:
    """The state of a resident at the end of a day; the balance in dollars."""

    balance: float
    health: int
    no_water_days: int


@dataclasses.dataclass(frozen=True)
class Day:
    """A closed day. Dictionaries and tuples contain only the seats that were alive when it began.

    Attributes:
        number: the number of the day, from 1.
        supply: the supply of water, in units.
        bids: each seat's bid in dollars; None = no bid.
        void: the seats that bid more than their balance.
        winners: the seats that got water, in the order in which they were served.
        after: each seat's state at the end of the day.
    """

    number: int
    supply: int
    bids: dict[str, float | None]
    void: tuple[str, ...]
    winners: tuple[str, ...]
    after: dict[str, EndOfDay]

    @property
    def died(self) -> tuple[str, ...]:
        """The seats that died on this day."""
        return tuple(seat for seat, after in self.after.items() if after.health <= 0)


@dataclasses.dataclass(frozen=True, slots=True)
class View(SeatView):
    """The view of a seat; see SeatView. `item_number` is the number of closed days.

    Attributes:
        persona: the seat's persona; "" = none.
    """

    persona: str

    @property
    def wording(self) -> Wording:
        """The words that depend on the frame, such as the name of the resource."""
        return self.scenario_text.wording

    @property
    def day(self) -> int:
        """Today, from 1; the last day once the game is over."""
        return min(self.item_number + 1, self.days)

    @property
    def days(self) -> int:
        """The number of days of the game."""
        return self._get("num_items")

    @property
    def supply(self) -> int | None:
        """Today's supply of water, in units; None once the game is over."""
        return self._get("supply") if self._get("status") == RUNNING else None

    @property
    def supply_range(self) -> tuple[int, int]:
        """The least and the highest supply of a day, in units."""
        return self._get("low"), self._get("high")

    @property
    def health_cap(self) -> int:
        """The maximum health."""
        return self._get("health_cap")

    @property
    def voids(self) -> bool:
        """Whether a bid over the balance is void; otherwise it is refused."""
        return not self._get("refuses")

    @property
    def residents(self) -> list[ResidentView]:
        """All residents, by seat."""
        return [self._resident(seat) for seat in range(len(self.scenario_text.seats))]

    @property
    def resident(self) -> ResidentView:
        """The resident of this seat."""
        return self._resident(self.seat_number)

    @property
    def balance(self) -> float:
        """The seat's balance, in dollars."""
        return to_dollars(self._get_seat_value("balance"))

    @property
    def history(self) -> list[Day]:
        """Every closed day, in order."""
        return [self.day_at(j) for j in range(self.item_number)]

    def day_at(self, j: int) -> Day:
        """Return closed day `j`, from 0."""
        row, seats = self.row[0], self.scenario_text.seats
        living = [seat for seat in range(len(seats)) if row["bid"][seat, j] != IDLE]
        bids = {seat: int(row["bid"][seat, j]) for seat in living}
        places = {int(row["place"][seat, j]): seat for seat in living}
        after = {
            seats[seat]: EndOfDay(
                to_dollars(int(row["balance_after"][seat, j])),
                int(row["health_after"][seat, j]),
                int(row["thirst_after"][seat, j]),
            )
            for seat in living
        }
        return Day(
            number=j + 1,
            supply=int(row["supplies"][j]),
            bids={seats[seat]: to_dollars(bid) if bid >= 0 else None for seat, bid in bids.items()},
            void=tuple(seats[seat] for seat in living if bids[seat] > self._balance_before(seat, j)),
            winners=tuple(seats[places[place]] for place in sorted(places) if place),
            after=after,
        )

    def _balance_before(self, seat: int, j: int) -> int:
        """Return the seat's balance before the bids of closed day `j`, in cents."""
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
    """Return the view of `seat` on a one-row state; with `reveal` nothing is hidden. The state contains all bids."""
    row = visible_row(state, seat, copy_visible, reveal)
    return View(row, seat, scenario_text.public, refused, reveal, scenario_text.personas[seat])
