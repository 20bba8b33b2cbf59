"""Views: what one seat may know, and the infos.

Views are those of English auctions, with private personas. The features and descriptions of the houses, and how well
each house suits each persona, are public. No seat sees which houses the deal chose because they match a bidder.
"""

from __future__ import annotations

import dataclasses

from aucenv.core.state import NOBODY, seat_names
from aucenv.core.views.seat_view import ViewMaker
from aucenv.envs.english import view as english
from aucenv.envs.harbor.game import HarborScenario
from aucenv.envs.harbor.houses.house import House
from aucenv.envs.harbor.houses.personas import Persona
from aucenv.envs.harbor.rules import LIKING, State


@dataclasses.dataclass(frozen=True)
class ScenarioText(english.ScenarioText):
    """The public texts of a scenario: houses by `lot`, the ten personas, and the split of their descriptions."""

    houses: tuple[House, ...]
    personas: tuple[Persona, ...]
    split: str

    @classmethod
    def of(cls, scenario: HarborScenario) -> ScenarioText:  # type: ignore[override]  # the class of this game
        """Return the texts of a scenario."""
        listings = scenario.items
        return cls(
            seats=tuple(seat_names(len(scenario.bidders))),
            names=tuple(bidder.name for bidder in scenario.bidders),
            item_ids=tuple(listing.id for listing in listings),
            item_names=tuple(listing.name for listing in listings),
            descriptions=tuple(listing.description for listing in listings),
            houses=tuple(listing.house for listing in listings),
            personas=scenario.personas,
            split=scenario.split,
        )


@dataclasses.dataclass(frozen=True)
class HouseView(english.ItemView):
    """A house as a seat sees it; amounts in dollars.

    Attributes:
        house: the features of the house.
        likings: how well it suits each persona, from 0 to 1, by id.
        suits: the id of the persona that it suits best.
    """

    house: House
    likings: dict[str, float]
    suits: str


class View(english.View):
    """The view of a seat; see SeatView, and the view of English auctions."""

    @property
    def items(self) -> list[HouseView]:  # type: ignore[override]  # the class of this game
        """All items in the auction's order."""
        return [self._item(j) for j in range(self._get("num_items"))]

    @property
    def personas(self) -> tuple[Persona, ...]:
        """The seat's personas, of which there are none, one or two."""
        return self.personas_of(self.seat_number)

    @property
    def about_me(self) -> list[str]:
        """A description of the seat in the second person, with a paragraph for each of its personas."""
        wording = self._get_seat_value("wording")
        descriptions = [persona.descriptions[self.scenario_text.split] for persona in self.personas]
        return [texts[wording % len(texts)] for texts in descriptions]

    def personas_of(self, seat: int) -> tuple[Persona, ...]:
        """Return the personas of a seat by its number; those of rivals only in a view that reveals everything."""
        numbers = (int(self.row["persona"][0, seat]), int(self.row["second"][0, seat]))
        return tuple(self.scenario_text.personas[number] for number in numbers if number != NOBODY)

    def _item(self, j: int) -> HouseView:
        row, lot = self.row[0], int(self.row["lot"][0, j])
        ids = [persona.id for persona in self.scenario_text.personas]
        likings = dict(zip(ids, (row["liking"][lot] / LIKING).tolist(), strict=True))
        item = vars(english.View._item(self, j))
        return HouseView(
            **item, house=self.scenario_text.houses[lot], likings=likings, suits=ids[int(row["house_kind"][lot])]
        )


make_view = ViewMaker(View, State)
INFOS = english.INFOS
