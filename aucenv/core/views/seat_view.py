"""The common base of all games' Views: one seat, and a copy of the state as the seat may see it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic, Never, Self, TypeVar

import numpy as np

from aucenv.core.fields import FieldsError, GameState, places_of
from aucenv.core.state import STATUS_NAMES, seat_names
from aucenv.core.views.history import Entry
from aucenv.core.views.projections import Public
from aucenv.core.views.visible_copies import VisibleCopies


class PublicTexts:
    """Texts of a scenario that all seats may read."""

    def for_seat(self, seat: int) -> Self:
        """Return the texts that a seat may read."""
        return self


@dataclasses.dataclass(frozen=True)
class ScenarioText(PublicTexts):
    """The texts of a scenario that all seats may read, for games in which the whole scenario is public.

    Attributes:
        seats: The names of the seats: `bidder_0`, ...
        names: The names of the bidders in texts, by seat.
        scenario: The scenario.
    """

    seats: tuple[str, ...]
    names: tuple[str, ...]
    scenario: Any

    @classmethod
    def of(cls: type[TextT], scenario: Any) -> TextT:
        """Return the texts of a scenario whose `bidders` are names."""
        return cls(tuple(seat_names(len(scenario.bidders))), tuple(scenario.bidders), scenario)


TextT = TypeVar("TextT", bound=ScenarioText)
ViewT = TypeVar("ViewT", bound="SeatView")


class SeatView:
    """The current information of a seat. Amounts are dollars; seats are named `bidder_0`, ... A View cannot be changed.

    Properties that are declared by fields read `words`, `places`, `seat_number` and `scenario_text`: a View is a
    `core.views.projections.SeatRow`.

    Attributes:
        row: (1,) array of the state's dtype, without what the seat may not know.
        seat_number: The seat, from 0.
        scenario_text: The texts of the scenario that the seat may read, with `seats` and `names`.
        refused: The reason why the seat's last action was refused, if it must act again; otherwise None.
        reveals: Whether nothing is hidden.
        words, places: The row as integers, and where each field starts in it.

    Class Attributes:
        KEEPS_HISTORY: Whether a View gets the decisions of closed rounds as `_history`.
    """

    __slots__ = ("_history", "places", "refused", "reveals", "row", "scenario_text", "seat_number", "words")
    KEEPS_HISTORY: ClassVar[bool] = False
    row: np.ndarray
    seat_number: int
    scenario_text: Any
    refused: str | None
    reveals: bool
    words: memoryview
    places: Mapping[str, int]
    _history: tuple[Entry, ...]

    def __init__(
        self,
        row: np.ndarray,
        seat_number: int,
        scenario_text: Any,
        refused: str | None = None,
        reveals: bool = False,
        history: tuple[Entry, ...] = (),
    ) -> None:
        put = super().__setattr__
        put("row", row)
        put("seat_number", seat_number)
        put("scenario_text", scenario_text)
        put("refused", refused)
        put("reveals", reveals)
        put("_history", history)
        put("words", row.view(np.int64).data)
        put("places", places_of(row.dtype))

    def __init_subclass__(cls) -> None:
        for name, public in vars(cls).items():
            if isinstance(public, Public) and not public.__doc__:
                raise FieldsError(f"{cls.__module__}: {cls.__name__}.{name}: expected a docstring, got none")

    def __setattr__(self, name: str, value: Never) -> None:
        raise AttributeError(f"{name}: a View cannot be changed")

    def __reduce__(self) -> tuple:
        return type(self), tuple(self._parts().values())

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}={value!r}" for name, value in self._parts().items())
        return f"{type(self).__name__}({parts})"

    def replace(self, **changes: Any) -> Self:
        """Return a View with other `row`, `scenario_text`, `refused`, `reveals` or `history`."""
        return type(self)(**(self._parts() | changes))

    def _parts(self) -> dict[str, Any]:
        names = ("row", "seat_number", "scenario_text", "refused", "reveals")
        return {**{name: getattr(self, name) for name in names}, "history": self._history}

    def _get(self, field: str) -> int:
        return self.words[self.places[field]]

    def _get_seat_value(self, field: str) -> int:
        return self.words[self.places[field] + self.seat_number]

    @property
    def seat(self) -> str:
        """The name of the seat."""
        return self.scenario_text.seats[self.seat_number]

    @property
    def name(self) -> str:
        """The name of the bidder in texts."""
        return self.scenario_text.names[self.seat_number]

    def name_of(self, seat: str) -> str:
        """Return the name in texts of a seat such as "bidder_0"."""
        return self.scenario_text.names[self.scenario_text.seats.index(seat)]

    @property
    def status(self) -> str:
        """One of "running", "terminated", "truncated"."""
        return STATUS_NAMES[self._get("status")]

    @property
    def item_number(self) -> int:
        """The number of the current item or round in the game, from 0; once all are closed, how many there are."""
        return self._get("item")

    @property
    def must_decide(self) -> bool:
        """Whether the seat has a decision now."""
        return bool(self._get_seat_value("acting"))


GameView = Any
"""The View of a game: a SeatView with further names, which only the code of the game uses."""


class ViewMaker(Generic[ViewT]):
    """Creates the Views of a game from one-row states.

    Args:
        view: The class of the Views.
        state: The game's State.
        hide: The kernel that hides fields seen by BY_HIDE; None if there are none.
    """

    def __init__(self, view: type[ViewT], state: type[GameState], hide: Callable[..., None] | None = None) -> None:
        self.view = view
        self.copies = VisibleCopies(state, view.__module__.split(".")[-2:][0], hide)

    def __call__(
        self,
        state: np.ndarray,
        seat: int,
        scenario_text: Any,
        history: tuple[Entry, ...],
        refused: str | None = None,
        reveal: bool = False,
    ) -> ViewT:
        """Return the View of a seat; with `reveal` nothing is hidden, and the texts are those of all seats."""
        row = self.copies.row(state, seat, reveal)
        shown = history if self.view.KEEPS_HISTORY else ()
        texts = scenario_text if reveal else scenario_text.for_seat(seat)
        return self.view(row, seat, texts, refused, reveal, shown)
