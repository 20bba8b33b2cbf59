"""The data that a run and the nodes of a cluster exchange."""

from __future__ import annotations

import dataclasses
import hashlib
import platform
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import aucenv
from aucenv.core.compiled.cold_start import Work
from aucenv.runs.model_calls.calls import Call
from aucenv.runs.model_calls.cost_limit import LimitState
from aucenv.runs.model_calls.token_prices import TokenPrices
from aucenv.runs.play import Match

PACKAGES = ("aucenv", "aucenv.baselines", "aucenv.training")
"""The packages whose source determines games and what bidders do."""


class NodesDiffer(Exception):
    """A node cannot take part in a run, for example because it has another version of aucenv."""


class ClusterFailure(Exception):
    """The cluster cannot finish a run now."""


@dataclasses.dataclass(frozen=True)
class Fingerprint:
    """The versions that have to be equal on all nodes of a run.

    Attributes:
        python: the version of Python, without the patch.
        aucenv: the version of aucenv; "none" if it is not installed.
        source: a hash of the source of its kernels and bidders.
    """

    python: str
    aucenv: str
    source: str

    @classmethod
    def here(cls) -> Fingerprint:
        """Return the fingerprint of this process."""
        return cls(platform.python_version().rpartition(".")[0], aucenv.__version__, source_hash())

    def __str__(self) -> str:
        return f"aucenv {self.aucenv} (source {self.source}) with Python {self.python}"


def source_hash() -> str:
    """Return a hash of the source files of aucenv, wherever it is installed."""
    digests = {}
    for package in PACKAGES:
        for folder in map(Path, resolve_name(package).__path__):
            for file in folder.rglob("*.py"):
                name = f"{package}/{file.relative_to(folder).as_posix()}"
                digests[name] = hashlib.sha256(file.read_bytes()).hexdigest()
    listed = "\n".join(f"{name} {digests[name]}" for name in sorted(digests))
    return hashlib.sha256(listed.encode()).hexdigest()[:12]


@dataclasses.dataclass(frozen=True)
class Setup:
    """The data that a node needs before it works for a run.

    Attributes:
        run: text that identifies the run.
        fingerprint: what the node has to have.
        work: the kernels to compile.
        files: the user's files by their paths on the machine of the run.
        start: the working directory there.
        games: games that the process of the run has added; see `registration.registered_games`.
        bidders: pairs of the name of a game and of a bidder, whose modules are loaded at once.
    """

    run: str
    fingerprint: Fingerprint
    work: Sequence[Work] = ()
    files: dict[str, bytes] = dataclasses.field(default_factory=dict, repr=False)
    start: Path = Path()
    games: Sequence[tuple[str, str]] = ()
    bidders: Sequence[tuple[str, str]] = ()


Play = Callable[[list[Any]], Iterable[Any]]
"""A function that returns a result for each of some inputs, in order."""


@dataclasses.dataclass(frozen=True)
class Computation:
    """Inputs of a function, which wait for nothing.

    Attributes:
        setup: what the nodes need.
        play: the function.
        inputs: its inputs.
    """

    setup: Setup
    play: Play
    inputs: Sequence[Any]


@dataclasses.dataclass(frozen=True)
class ModelCalls:
    """The data that the nodes need to call models.

    Attributes:
        prices: token prices.
        limit: the cost limit.
        file: the file in which the run keeps its calls, if any.
        calls: the earlier calls of the games to play.
        secrets: environment variables with the keys of endpoints.
    """

    prices: TokenPrices
    limit: LimitState
    file: Path | None
    calls: dict[int, list[Call]]
    secrets: dict[str, str] = dataclasses.field(repr=False)


@dataclasses.dataclass(frozen=True)
class WaitingGames:
    """Games whose bidders wait for models.

    Attributes:
        setup: what the nodes need.
        matches: the games.
        concurrency: how many are played at the same time.
        forfeit: as in `aucenv.play`.
        models: what the nodes need to call models.
    """

    setup: Setup
    matches: Sequence[Match]
    concurrency: int
    forfeit: bool
    models: ModelCalls


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The result of a task.

    Attributes:
        results: the results as compressed pickles, one for each input, up to the one that failed.
        error: what ended the task early.
        cause: the cause of `error`, which pickles do not keep.
        seconds: how long the inputs took, without preparations.
        is_first: whether the process had played none before, so that some of the time was spent on loading code.
    """

    results: list[bytes] = dataclasses.field(repr=False)
    error: Exception | None = None
    cause: BaseException | None = None
    seconds: float = 0.0
    is_first: bool = False

    def check(self) -> None:
        """Raise the error, if there is one."""
        if self.error is not None:
            raise self.error from self.cause
