"""The error of a check, and the case that is checked."""

from __future__ import annotations

import contextlib
import dataclasses
import re
import traceback
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from aucenv.core.game import Game
from aucenv.registration import EnvFamily

Hide = Callable[[Any, int, np.random.Generator], None]
"""hide(row, seat, rng): overwrites everything that a seat may not know, in a row of the state, with random numbers."""

PLACE = r'(?:File "|\bat )([^"\s]+\.py)(?:", line | \()(\d+)'
"""A place in an error of numba."""


class ContractError(AssertionError):
    """A game or a bidder breaks a rule of its contract.

    Args:
        subject: the game or the bidder.
        what: what is wrong, and where.
        rule: the rule.
    """

    def __init__(self, subject: str, what: str, rule: str) -> None:
        super().__init__(f"{subject}: {what}. Expected: {rule}.")
        self.subject, self.what, self.rule = subject, what, rule


@dataclasses.dataclass(frozen=True)
class Case:
    """A game and what it is checked with.

    Attributes:
        family: the environments of the game.
        scenario: the scenario that is played.
        hide: see `Hide`; None uses the game's `belief.resample`.
        seed: of the first game.
    """

    family: EnvFamily
    scenario: Any
    hide: Hide | None
    seed: int

    @property
    def game(self) -> Game:
        """The game."""
        return self.family.game

    @property
    def num_seats(self) -> int:
        """The number of seats."""
        return len(self.scenario.bidders)

    @property
    def subject(self) -> str:
        """The name of the game in errors."""
        return f"game {self.family.label}"


@contextlib.contextmanager
def rule(subject: str, text: str) -> Iterator[None]:
    """Raise a ContractError with this rule for every error in this context."""
    try:
        yield
    except ContractError:
        raise
    except Exception as error:
        raise ContractError(subject, f"{type(error).__name__}: {_reason(error)} ({_place(error)})", text) from error


def draws_pictures() -> bool:
    """Return whether the extra `render` is installed, without which games have no images to check."""
    return find_spec("PIL") is not None


def _reason(error: Exception) -> str:
    """Return the first line of a message; of an error of numba, which has many lines, the cause and its place."""
    lines = [line.strip() for line in str(error).strip().splitlines() if line.strip()]
    if len(lines) > 1 and lines[0].startswith("Failed in"):
        places = [Path(match[1]) / match[2] for match in re.finditer(PLACE, str(error))]
        of_game = [place for place in places if "numba" not in place.parts and place.parts[-4:-2] != ("aucenv", "core")]
        causes = [
            line for line in lines[1:] if not line.startswith(("File ", "During", "def ", "<source", "Failed in"))
        ]
        return f"a kernel cannot be compiled: {causes[0] if causes else lines[1]} at {_short(of_game or places)}"
    return lines[0] if lines else ""


def _short(places: Sequence[Path]) -> str:
    """Return the first place, a path with the line as its last part, without its folders."""
    return f"{places[0].parent.name}:{places[0].name}" if places else "?"


def _place(error: Exception) -> str:
    """Return the place in the code from which an error comes: the last one outside of libraries, if there is one."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "site-packages" not in frame.filename and frame.filename.endswith(".py")]
    frame = (own or frames)[-1]
    return f"{Path(frame.filename).parent.name}/{Path(frame.filename).name}:{frame.lineno}"
