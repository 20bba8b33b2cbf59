"""Views: what one seat may know, and the infos. `rules.State` says who sees what; personas are private texts."""

from __future__ import annotations

import dataclasses

from aucenv.core.adapters.infos import Infos
from aucenv.core.fields import PREVIOUS, running
from aucenv.core.records.record_parts import values_of
from aucenv.core.state import IDLE, seat_names
from aucenv.core.views.seat_view import SeatView, ViewMaker
from aucenv.core.words.money import to_dollars
from aucenv.envs.water_allocation.game import WaterScenario
from aucenv.envs.water_allocation.rules import State
from aucenv.envs.water_allocation.wording import WATER, Wording, wording_of


@dataclasses.dataclass(frozen=True)
class ScenarioText:
    """The texts of a scenario.

    Attributes:
        wording: the words that depend on the frame.
        personas: the persona of each seat; "" = none, or that another seat may not read it.
        by_seat: what each seat may read.
    """

    seats: tuple[str, ...]
    names: tuple[str, ...]
    wording: Wording = WATER
    personas: tuple[str, ...] = ()
    by_seat: tuple[ScenarioText, ...] = ()

    @classmethod
    def of(cls, scenario: WaterScenario) -> ScenarioText:
        """Return the texts of a scenario."""
        wording = wording_of(scenario.reframe)
        names = wording.names or tuple(resident.name for resident in scenario.residents)
        seats = tuple(seat_names(len(scenario.residents)))
        personas = tuple(resident.persona for resident in scenario.residents)
        text = cls(seats, names[: len(seats)], wording, personas)
        by_seat = [tuple(each if k == seat else "" for k, each in enumerate(personas)) for seat in range(len(seats))]
        return dataclasses.replace(text, by_seat=tuple(dataclasses.replace(text, personas=each) for each in by_seat))

    def for_seat(self, seat: int) -> ScenarioText:
        """Return the texts that a seat may read."""
        return self.by_seat[seat]


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


class View(SeatView):
    """The view of a seat; see SeatView. `item_number` is the number of closed days."""

    days = State.num_items.now("The number of days of the game.")
    supply = State.supply.now("Today's supply of water, in units; None once the game is over.").where(running)
    health_cap = State.health_cap.now("The maximum health.")
    voids = (~State.refuses.now()).documented("Whether a bid over the balance is void; otherwise it is refused.")
    balance = State.balance.of_seat("The seat's balance, in dollars.")

    @property
    def wording(self) -> Wording:
        """The words that depend on the frame, such as the name of the resource."""
        return self.scenario_text.wording

    @property
    def persona(self) -> str:
        """The seat's persona; "" = none."""
        return self.scenario_text.personas[self.seat_number]

    @property
    def day(self) -> int:
        """Today, from 1; the last day once the game is over."""
        return min(self.item_number + 1, self.days)

    @property
    def supply_range(self) -> tuple[int, int]:
        """The least and the highest supply of a day, in units."""
        return self._get("low"), self._get("high")

    @property
    def residents(self) -> list[ResidentView]:
        """All residents, by seat."""
        fields = State.need, State.salary, State.gone, State.health, State.thirst, State.balance
        columns = (self.scenario_text.seats, self.scenario_text.names, *(values_of(each, self) for each in fields))
        return [
            ResidentView(seat, name, need, salary, not gone, health, thirst, balance)
            for seat, name, need, salary, gone, health, thirst, balance in zip(*columns, strict=True)
        ]

    @property
    def resident(self) -> ResidentView:
        """The resident of this seat."""
        return self.residents[self.seat_number]

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


make_view = ViewMaker(View, State)

is_later = State.item.now().at_least(1)
last_bid = State.bid.of_seat(at=PREVIOUS)
INFOS = Infos(
    day=State.item.now().plus(1).where(running),
    supply=View.supply,
    balance=View.balance,
    health=State.health.of_seat(),
    no_water_days=State.thirst.of_seat(),
    alive=~State.gone.of_seat(),
    days_lived=State.lived.of_seat(),
    days_with_water=State.won.of_seat(),
    last_bid=last_bid.where(is_later & last_bid.at_least(0)),
    last_won=State.place.of_seat(at=PREVIOUS).at_least(1).where(is_later),
)
