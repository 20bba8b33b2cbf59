"""What the modules of a game's folder must have; all games share their names.

`state` is an array of the game's structured dtype, `b` a row of it, money int64 cents. What is marked "kernel" is
compiled by `core.kernel.kernel` or `inlined`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np

from aucenv.core.files import JsonObject
from aucenv.core.history import Entry
from aucenv.core.record import GameRecord
from aucenv.core.replay_result import ReplayResult

S = TypeVar("S", bound="Scenario")


class Scenario(Protocol):
    """A game before the deal: a frozen dataclass."""

    @property
    def name(self) -> str: ...
    @property
    def bidders(self) -> Sequence[Any]:
        """One entry for each seat."""
        ...

    @property
    def num_items(self) -> int:
        """Items, rounds or days."""
        ...

    @property
    def highest_bid(self) -> float:
        """The most that anybody can bid, dollars."""
        ...

    @property
    def profit_scale(self) -> float:
        """What rewards are shares of: dollars, or days."""
        ...

    def changed(self: S, **changes: Any) -> S:
        """This scenario with other fields; of all games `num_bidders`, `num_items` and `budget`."""
        ...

    def template(self) -> np.ndarray:
        """One row of the state with this scenario's constants."""
        ...

    def to_dict(self) -> JsonObject:
        """Plain data, from which `load_scenario` makes it again."""
        ...


class ScenarioText(Protocol):
    """The words of a scenario that everybody may read."""

    @property
    def seats(self) -> tuple[str, ...]:
        """`bidder_0`, ..."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """The names that people see, by seat."""
        ...


class ScenarioTextClass(Protocol):
    """The game's Catalogue class."""

    def of(self, scenario: Any, /) -> Any:
        """The catalogue of a scenario."""
        ...


class RulesModule(Protocol):
    """`rules.py`: who wins and who pays."""

    @property
    def REFUSALS(self) -> Sequence[str]:  # noqa: N802  (a constant)
        """Names of the codes of `check`; code 0 is legal."""
        ...

    @property
    def RESULT(self) -> Sequence[str]:  # noqa: N802  (a constant)
        """Names of the numbers of `result`; the first is what bidders rank by."""
        ...

    def deal(self, state: np.ndarray, b: int, template: np.ndarray, key: int, /) -> None:
        """Kernel: start the game of this key."""

    def step(self, state: np.ndarray, b: int, amounts: np.ndarray, /) -> None:
        """Kernel: close a round with the acting seats' amounts."""

    def check(self, state: np.ndarray, b: int, seat: int, amount: int, /) -> int:
        """Kernel: 0 if the amount is legal, else a code of REFUSALS."""
        ...

    def clip(self, state: np.ndarray, b: int, seat: int, amount: int, /) -> int:
        """Kernel: the nearest legal amount."""
        ...

    def payoff(self, state: np.ndarray, b: int, out: np.ndarray, /) -> None:
        """Kernel: write every seat's score so far."""

    def result(self, state: np.ndarray, b: int, out: np.ndarray, /) -> None:
        """Kernel: write (seats, RESULT) of a game that is over."""


class ViewModule(Protocol):
    """`view.py`: what a seat may know."""

    @property
    def ScenarioText(self) -> Any:  # noqa: N802  (a class)
        """The words of a scenario, made by `ScenarioText.of(scenario)`."""
        ...

    def make_view(
        self,
        state: np.ndarray,
        seat: int,
        scenario_text: Any,
        history: Sequence[Entry],
        refused: str | None = None,
        reveal: bool = False,
        /,
    ) -> Any:
        """The View of a seat, a `core.seat_view.SeatView`; with `reveal` nothing is hidden."""
        ...


class ReportModule(Protocol):
    """`report.py`: what infos and records say. It may have `check_notes(notes, view)`, which refuses notes."""

    def write_info_values(self, state: np.ndarray, b: int, out: np.ndarray, /) -> None:
        """Kernel: write the numbers from which `full_info` makes infos."""

    def num_info_values(self, num_seats: int, /) -> int: ...

    def numeric_info(self, info_values: list[int], seat: int, /) -> dict[str, float]:
        """The info of a seat in numbers: no words, and the same fields in every round."""
        ...

    def full_info(self, info_values: list[int], seat: int, scenario_text: Any, /) -> dict[str, Any]:
        """The same fields with names in place of numbers, and None where there is nothing."""
        ...

    def deal_data(self, view: Any, /) -> JsonObject:
        """A record's `deal`, from a view that reveals all."""
        ...

    def outcome(self, view: Any, /) -> JsonObject:
        """A record's `outcome`; its `seats` have the SCORE of `figures.py`."""
        ...


class BeliefModule(Protocol):
    """`belief.py`: what a seat cannot know, resampled."""

    def resample(self, state: np.ndarray, b: int, seat: int, key: int, /) -> None:
        """Kernel: draw everything that is hidden from the seat, given what it knows."""


class VectorModule(Protocol):
    """`vector.py`: numbers for a network."""

    def features(self, state: np.ndarray, b: int, out: np.ndarray, /) -> None:
        """Kernel: write (seats, features) float32."""

    def update_features(self, state: np.ndarray, b: int, item: int, out: np.ndarray, /) -> None:
        """Kernel: bring up to date what `features` wrote, rounds ago, while `item` was the current one."""

    def mask(self, state: np.ndarray, b: int, out: np.ndarray, /) -> None:
        """Kernel: write (seats, actions) int8; action 0 alone where a seat has no decision."""

    def amount(self, state: np.ndarray, b: int, seat: int, action: int, /) -> int:
        """Kernel: the cents of a vector action."""
        ...

    def amount_of_share(self, state: np.ndarray, b: int, seat: int, share: float, /) -> int:
        """Kernel: the cents of a share from 0 to 1 of what a seat bids at most; always legal."""
        ...

    def hidden_features(self, state: np.ndarray, b: int, out: np.ndarray, /) -> None:
        """Kernel: write float32 what seats' features do not tell, for a centralised critic."""

    def num_features(self, num_bidders: int, num_items: int, /) -> int: ...

    def num_hidden_features(self, num_items: int, /) -> int: ...


class TextModule(Protocol):
    """`text.py`: words for a model or a person, and their replies read."""

    def describe(self, view: Any, since: tuple[int, int] | None = None, /) -> str:
        """A view in words; `since`: what the seat knew at its last decision, which is not repeated."""
        ...

    def refusal(self, state: np.ndarray, seat: int, amount: int, code: int, scenario_text: Any, /) -> str:
        """Why `rules.check` refuses an amount."""
        ...

    def read(self, reply: str, rivals: Collection[str], scenario_text: Any, state: np.ndarray, /) -> int:
        """The cents that a reply means; raises `core.reply.Unreadable`."""
        ...

    def reply_writer(self, scenario: Any, /) -> Callable[[int], str]:
        """The function that makes the plainest reply of cents."""
        ...

    def waiting_text(self, scenario_text: Any, /) -> str:
        """What a seat reads that has answered while others have not."""
        ...


class RenderModule(Protocol):
    """`render.py`: the table as text."""

    def ansi(self, view: Any, /) -> str: ...


class PictureModule(Protocol):
    """`picture.py`: the table as an image."""

    def rgb(self, view: Any, /) -> np.ndarray:
        """(height, width, 3) uint8."""
        ...


class ScenarioFilesModule(Protocol):
    """`scenario_files.py`: scenarios by name and from files."""

    SCENARIOS: Mapping[str, Any]
    DEFAULT_SCENARIO: str

    def load_scenario(self, scenario: Any, /) -> Any:
        """A scenario by name, from a file, from what `to_dict` makes, or as it is."""
        ...


class TranscriptModule(Protocol):
    """`transcript.py`: a record in words."""

    def transcript(self, record: GameRecord, /) -> Iterator[str]: ...


class ReplayModule(Protocol):
    """`replay.py`: games recorded elsewhere, through our rules."""

    def replay_game(self, data: Mapping[str, Any], where: str, /) -> ReplayResult: ...


class LearningModule(Protocol):
    """`learning.py`: what `aucenv.training.rlact` trains on."""

    TABLE: tuple[str, ...]
    """Rule bidders at the tables where decision states are met, each as likely as it stands there often."""
    ADVISERS: tuple[str, ...]
    """Rule bidders whose decisions a warm-up repeats."""
    JUDGE: tuple[str, str]
    """Who plays a seat's later decisions in the simulator judge, and who its rivals may be, with + between."""
    TRAINED: tuple[str, ...]
    """Finetuned bidders that are in the default leaderboard."""

    def scenario(self, split: str, rng: np.random.Generator, /) -> Any:
        """A scenario of a split."""
        ...


REQUIRED = {
    "rules": "kernels deal, step, check, clip, payoff, result; REFUSALS, RESULT",
    "view": "make_view, ScenarioText",
    "report": "kernel write_info_values; num_info_values, numeric_info, full_info, deal_data, outcome",
    "vector": (
        "kernels features, update_features, mask, amount, amount_of_share, hidden_features; "
        "num_features, num_hidden_features"
    ),
    "text": "describe, refusal, read, reply_writer, waiting_text",
    "render": "ansi",
    "scenario_files": "load_scenario, SCENARIOS, DEFAULT_SCENARIO",
}
"""The modules without a default, with what each must have."""
OPTIONAL = {
    "belief": "kernel resample",
    "picture": "rgb",
    "figures": "seat_figures, SCORE, FIGURES, SHOWN",
    "transcript": "transcript",
    "replay": "replay_game",
    "learning": "TABLE, ADVISERS, JUDGE, TRAINED, scenario",
}
"""The modules that a game may leave out; `core.defaults` has what stands in for them."""
