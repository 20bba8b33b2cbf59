"""The contract of the modules in a game's folder, which have the same names in all games.

`state` is an array of the game's structured dtype, `b` is the number of a row, and money is int64 cents. Functions
marked "Kernel" are compiled by `core.kernel.kernel` or `inlined`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from aucenv.core.adapters.infos import Infos
from aucenv.core.boards.board import Board, Said
from aucenv.core.fields import GameState
from aucenv.core.records.record import GameRecord
from aucenv.core.records.record_parts import RecordPart
from aucenv.core.records.replay_result import ReplayResult
from aucenv.core.views.seat_view import ViewMaker


class ScenarioText(Protocol):
    """The texts of a scenario that all seats may read."""

    @property
    def seats(self) -> tuple[str, ...]:
        """The names of the seats: `bidder_0`, ..."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the bidders in texts, by seat."""
        ...


class RulesModule(Protocol):
    """The module `rules.py`: the state, who wins and who pays."""

    @property
    def State(self) -> type[GameState]:  # noqa: N802  (a class)
        """The fields of the state."""
        ...

    @property
    def REFUSALS(self) -> Sequence[str]:  # noqa: N802  (a constant)
        """The names of the codes of `check`; code 0 is legal."""
        ...

    @property
    def RESULT(self) -> Sequence[str]:  # noqa: N802  (a constant)
        """The names of the numbers of `result`; bidders are ranked by the first."""
        ...

    def deal(self, state: np.ndarray, b: int, template: np.ndarray, key: int, /) -> None:
        """Kernel: start the game with this key."""

    def step(self, state: np.ndarray, b: int, amounts: np.ndarray, /) -> None:
        """Kernel: close a round with the amounts of the acting seats."""

    def check(self, state: np.ndarray, b: int, seat: int, amount: int, /) -> int:
        """Kernel: return 0 if the amount is legal, otherwise a code of REFUSALS."""
        ...

    def clip(self, state: np.ndarray, b: int, seat: int, amount: int, /) -> int:
        """Kernel: return the nearest legal amount."""
        ...

    def payoff(self, state: np.ndarray, b: int, out: np.ndarray, /) -> None:
        """Kernel: write the current score of every seat."""

    def result(self, state: np.ndarray, b: int, out: np.ndarray, /) -> None:
        """Kernel: write the results of a game that is over, (seats, RESULT)."""


class ViewModule(Protocol):
    """The module `view.py`: the information of a seat."""

    @property
    def ScenarioText(self) -> Any:  # noqa: N802  (a class)
        """The class of the scenario's texts.

        `ScenarioText.of(scenario)` creates an instance, whose `for_seat(seat)` returns the texts that a seat may read.
        """
        ...

    make_view: ViewMaker[Any]
    """Creates the View of a seat."""
    INFOS: Infos
    """What environments return as infos."""


class BeliefModule(Protocol):
    """The module `belief.py`: resampling of what a seat cannot know."""

    def resample(self, state: np.ndarray, b: int, seat: int, key: int, /) -> None:
        """Kernel: resample everything that is hidden from the seat, given its information."""


class FeaturesModule(Protocol):
    """The module `features.py`: features, masks and vector actions."""

    def features(self, state: np.ndarray, b: int, out: np.ndarray, /) -> None:
        """Kernel: write (seats, features) float32."""

    def update_features(self, state: np.ndarray, b: int, item: int, out: np.ndarray, /) -> None:
        """Kernel: update the features that were written when `item` was the current item."""

    def mask(self, state: np.ndarray, b: int, out: np.ndarray, /) -> None:
        """Kernel: write (seats, actions) int8; only action 0 is legal for a seat without a decision."""

    def amount(self, state: np.ndarray, b: int, seat: int, action: int, /) -> int:
        """Kernel: return the cents of a vector action."""
        ...

    def amount_of_share(self, state: np.ndarray, b: int, seat: int, share: float, /) -> int:
        """Kernel: return the cents of a share, from 0 to 1, of the most that a seat would bid; always legal."""
        ...

    def hidden_features(self, state: np.ndarray, b: int, out: np.ndarray, /) -> None:
        """Kernel: write the hidden values that no seat's features contain, float32, for a centralized critic."""

    def num_features(self, num_bidders: int, num_items: int, /) -> int:
        """Return the number of features of a seat."""
        ...

    def num_hidden_features(self, num_items: int, /) -> int:
        """Return the number of hidden features."""
        ...


class WordsModule(Protocol):
    """The module `words.py`: texts for a model or a person, and the reading of their replies.

    A module with REPLY, a form of `core.defaults.bid_forms`, needs only two functions: `rules(view)` and
    `question(view)`, the rules and the decision in words. `closed(view, j)` may describe a closed item;
    `core.defaults.words` has the rest.

    The module may have `reply_form(scenario_text)`, which returns the `core.words.structured_reply.ReplyForm` of the
    structured replies that `read` understands; without it, models cannot play the game with `reply=json`. It may also
    have `how_to_answer(view)`, which returns the line of `describe` that says how to answer in words: people do not get
    it, because they have buttons and fields, and because the amount of an example may suggest a bid.
    """

    def describe(self, view: Any, since: tuple[int, int] | None = None, /) -> str:
        """Return a view in words.

        Args:
            since: The result of `History.last_decision`; information that the seat had then is not repeated.
        """
        ...

    def refusal(self, state: np.ndarray, seat: int, amount: int, code: int, scenario_text: Any, /) -> str:
        """Return the reason why `rules.check` refuses an amount."""
        ...

    def read(self, reply: str, rivals: Collection[str], scenario_text: Any, state: np.ndarray, /) -> int:
        """Return the cents that a reply means, or raise `core.words.reply.Unreadable`."""
        ...

    def reply_writer(self, scenario: Any, /) -> Callable[[int], str]:
        """Return the function that writes the simplest reply for an amount in cents."""
        ...

    def waiting_text(self, scenario_text: Any, /) -> str:
        """Return the text for a seat that has acted, while other seats have not."""
        ...


class BoardModule(Protocol):
    """The module `board.py`: what one looks at; see `core.boards.board`.

    The module may have `choices(view)`, the choices of a person (`core.boards.choices`), and `beliefs(record)`, what
    each seat states about all bidders beside the truth.
    """

    def board(self, view: Any, /) -> Board:
        """Return the board of a View."""
        ...

    def said(self, scenario_text: Any, /) -> Said:
        """Return how decisions are said."""
        ...

    def events(self, before: Any, after: Any, /) -> list[str]:
        """Return what happened between two Views of a game, as sentences."""
        ...


class TranscriptModule(Protocol):
    """The module `transcript.py`: a record in words."""

    def transcript(self, record: GameRecord, /) -> Iterator[str]:
        """Yield the lines of a game's transcript."""
        ...


class RecordFormatModule(Protocol):
    """The module `record_format.py`: the parts of a record that depend on the game.

    The module may have three functions, which raise ValueError:

    - `check(record, scenario, where)`, if the deal or the outcome contradicts other fields;
    - `check_decisions(record, scenario, where)`, if decisions or notes contradict other fields or each other; both name
      `where` and the field;
    - `check_notes(notes, view)`, if a note of a policy has a wrong format.
    """

    DEAL: RecordPart
    """A record's deal; its `seats` has an entry for each seat."""
    OUTCOME: RecordPart
    """A record's outcome: `status`, the number of `rounds` that were played, and `seats`.

    The entries of `seats` have the score: the field that `SCORE` of `figures.py` names, or in a game without this
    module, the first name of RESULT.
    """


class FilesModule(Protocol):
    """The module `files.py`: games that were recorded elsewhere, and scenarios from foreign files, under our rules.

    The module may have LISTS, the `core.formats.scenario_forms.ScenarioLists` of the lists from which it makes
    scenarios, and `read_logs(path)`, which yields the place and the recorded game of each log of another program.
    """

    def replay_game(self, data: Mapping[str, Any], where: str, /) -> ReplayResult:
        """Replay a recorded game with our rules; `where` names it in errors."""
        ...


class LearningModule(Protocol):
    """The module `learning.py`: the training setup for `aucenv.training.rlact`."""

    ADVISERS: tuple[str, ...]
    """Rule bidders whose decisions are imitated in the warm-up."""
    JUDGE: tuple[str, str]
    """The simulator judge's bidder for the later decisions of a seat, and its possible rivals, joined by +."""
    LATER_BIDDERS: str
    """The simulator judge's bidders for the later decisions of a seat whose rivals are inferred, joined by +."""
    TRAINED: tuple[str, ...]
    """Finetuned bidders of the default leaderboard."""

    def scenario(self, split: str, rng: np.random.Generator, /) -> Any:
        """Return a random scenario of a split."""
        ...
