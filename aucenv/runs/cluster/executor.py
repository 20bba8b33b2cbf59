"""Play the games of a run on a Ray cluster; only this process writes results."""

from __future__ import annotations

import atexit
import dataclasses
import multiprocessing
import os
import pickle
import secrets
import time
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

from aucenv.core.extras import missing_extra
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import parse_bidder, public_name
from aucenv.policy.user_code import files_of
from aucenv.registration import registered_games
from aucenv.runs.child_processes import GRACE
from aucenv.runs.cluster.connection import CLIENT, serve
from aucenv.runs.cluster.job import (
    ClusterFailure,
    Computation,
    Fingerprint,
    ModelCalls,
    NodesDiffer,
    Play,
    Setup,
    WaitingGames,
)
from aucenv.runs.kernel_calls import match_kernels
from aucenv.runs.model_calls.calls import Call
from aucenv.runs.model_calls.journal import CallJournal, RunStopped
from aucenv.runs.play import Match

IMPORT_SECONDS = 60.0
"""Seconds that the import of Ray may take."""
CONNECT_SECONDS = 6.0
"""Seconds that a cluster has to answer."""
CLIENT_SECONDS = 60.0
"""The same for a Ray Client server, which first starts a process of its own for each client."""


class Link:
    """The process that is connected to a cluster.

    Args:
        address: "auto", or the address of a head, or of a Ray Client server.

    Raises:
        ValueError: there is no cluster at the address.
    """

    def __init__(self, address: str) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs, address), daemon=True)
        self._process.start()
        theirs.close()
        self.address = address
        try:
            patience = CLIENT_SECONDS if address.startswith(CLIENT) else CONNECT_SECONDS
            for seconds in (IMPORT_SECONDS, patience):
                name, *values = self.connection.recv() if self.connection.poll(seconds) else ("refused", "no answer")
                if name == "refused":
                    raise self._refusal(str(values[0]))
        except EOFError:
            raise self._refusal("no answer") from None
        except BaseException:
            self.close()
            raise

    def _refusal(self, why: str) -> ValueError:
        return ValueError(
            f"cluster: expected the address of a running Ray cluster, got {self.address!r}: {why}; `ray start --head` "
            "starts one on this machine"
        )

    @property
    def is_alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.is_alive()

    def close(self) -> None:
        """End the process, and with it what it runs on the cluster."""
        self._process.kill()
        self._process.join()
        self.connection.close()


_LINKS: dict[str, Link] = {}
"""The links of this process, by address."""


def _link_to(address: str) -> Link:
    if find_spec("ray") is None:
        raise missing_extra("--cluster", "ray")
    link = _LINKS.get(address)
    if link is None or not link.is_alive:
        if not _LINKS:
            atexit.register(_close_links)
        link = _LINKS[address] = Link(address)
    return link


def _close_links() -> None:
    for link in _LINKS.values():
        link.close()


@dataclasses.dataclass
class Cluster:
    """An executor that plays on the nodes of a Ray cluster.

    Attributes:
        address: "auto" for the cluster of this machine or of the environment variable RAY_ADDRESS; HOST:PORT of a head;
            or ray://HOST:PORT of a Ray Client server.
        concurrency: number of games played at the same time over all nodes, for bidders that wait for models; None
            plays as many as there are processors.
        forfeit: as in `play`.
        policies: one policy for each bidder, whose models' keys travel with the run.
        status: the nodes, or what they do before the first game.
    """

    address: str
    concurrency: int | None = None
    forfeit: bool = False
    policies: Sequence[Any] = ()
    compiles_here: ClassVar[bool] = False
    status: str = dataclasses.field(default="", init=False)

    def play(self, matches: Iterable[Match], journal: CallJournal) -> Iterator[GameRecord]:
        """Play games as in `Executor.play`.

        Raises:
            ValueError: there is no cluster at the address; a bidder cannot be sent to other machines; or a node has
                another version of aucenv or Python.
        """
        schedule = list(matches)
        if not schedule:
            return
        check_matches(schedule)
        setup = make_setup((), schedule)
        job: Computation | WaitingGames
        if self.concurrency is None:
            job = Computation(setup, partial(play_matches, forfeit=self.forfeit), schedule)
        else:
            models = self._model_calls(schedule, journal)
            job = WaitingGames(setup, schedule, self.concurrency, self.forfeit, models)
        for _, record in self._run(job, journal):
            yield record

    def map(
        self,
        play: Play,
        inputs: Sequence[Any],
        bidders: Iterable[str] = (),
        journal: CallJournal | None = None,
    ) -> Iterator[Any]:
        """Yield the result of a function for each input, in the order of the inputs.

        Args:
            play: a function of a module that returns a result for each of several inputs, in order.
            inputs: the inputs.
            bidders: names of bidders that the function creates.
            journal: its `on_call` is called when the status of the run changes.

        Raises:
            ValueError: as in `play`.
            RunStopped: the cluster cannot finish the run.
            Exception: that of the function.
        """
        waiting: dict[int, Any] = {}
        following = 0
        for number, result in self._run(Computation(make_setup(bidders), play, inputs), journal or CallJournal()):
            waiting[number] = result
            while following in waiting:
                yield waiting.pop(following)
                following += 1

    def _model_calls(self, schedule: Sequence[Match], journal: CallJournal) -> ModelCalls:
        missing = {match.index for match in schedule}
        calls: defaultdict[int, list[Call]] = defaultdict(list)
        for call in journal.calls:
            if call.game in missing:
                calls[call.game].append(call)
        file = None if journal.file is None else journal.file.resolve()
        return ModelCalls(journal.prices, journal.limit.state(), file, dict(calls), environment(self.policies))

    def _run(self, job: Computation | WaitingGames, journal: CallJournal) -> Iterator[tuple[int, Any]]:
        """Run a job, record its calls, and yield the number and the result of each input."""
        link = _link_to(self.address)
        done = False
        try:
            link.connection.send(("job", job))
            written = 0
            while not done:
                name, *values = link.connection.recv()
                if name == "results":
                    first, results = values
                    for number, result in enumerate(results, first):
                        yield number, pickle.loads(zlib.decompress(result))  # noqa: S301  # from the process that this one started
                elif name == "done":
                    done = True
                    link.connection.send(("end",))
                    _raise(*values)
                elif name == "lost":
                    raise EOFError
                else:
                    written += self._note(name, values[0], journal)
                    if name == "call":
                        link.connection.send(("written", written))
        except (EOFError, OSError):
            link.close()
            raise RunStopped(f"the head of the cluster at {self.address} is lost") from None
        finally:
            if not done:
                self._interrupt(link, journal)

    def _note(self, name: str, value: Any, journal: CallJournal) -> bool:
        """Record what a message says; return whether it is a call."""
        if name == "nodes" and value != self.status:
            self.status = value
            journal.on_call()
        elif name == "waits":
            journal.show(value)
        elif name == "call":
            journal.append(value)
            journal.on_call()
        return name == "call"

    def _interrupt(self, link: Link, journal: CallJournal) -> None:
        """Let calls in flight finish for some seconds, record them, and end the process and its tasks."""
        try:
            link.connection.send(("stop", "the run was interrupted", ""))
            deadline = time.monotonic() + GRACE
            while link.connection.poll(max(0.0, deadline - time.monotonic())):
                name, *values = link.connection.recv()
                if name == "call":
                    journal.append(values[0])
                elif name in ("done", "lost"):
                    break
        except (EOFError, OSError):
            pass
        finally:
            link.close()


def play_matches(matches: list[Match], forfeit: bool) -> Iterator[GameRecord]:
    """Play games whose bidders wait for nothing."""
    return (match.play(forfeit=forfeit) for match in matches)


def _raise(error: Exception | None, cause: BaseException | None) -> None:
    """Raise what has ended a job, if something has."""
    if isinstance(error, NodesDiffer):
        raise ValueError(f"cluster: {error}")
    if isinstance(error, ClusterFailure):
        raise RunStopped(f"the cluster cannot finish the run: {error}")
    if error is not None:
        raise error from cause


MOST_BYTES = 16 << 20
"""The maximum size of the user's files that travel with a run; larger ones have to be on all nodes."""


def check_matches(matches: Iterable[Match]) -> None:
    """Raise unless all games and bidders can be sent to other machines.

    Raises:
        ValueError: one cannot; the message names it.
    """
    checked: set[int] = set()
    for match in matches:
        for what, each in (("scenario", match.scenario), *(("bidder", bidder) for bidder in match.bidders)):
            if isinstance(each, str) or id(each) in checked:
                continue
            checked.add(id(each))
            name, way_out = type(each).__name__, "; name a bidder as py:FILE.py:CLASS"
            if type(each).__module__ == "__main__":
                raise ValueError(
                    f"cluster: expected {what}s of a module, got {name} of the program itself, which other machines "
                    f"do not have{way_out}"
                )
            try:
                pickle.dumps(each)
            except Exception as error:
                raise ValueError(
                    f"cluster: expected {what}s that can be sent to other machines, got {name}: {error}{way_out}"
                ) from None


def make_setup(bidders: Iterable[str], matches: Iterable[Match] = ()) -> Setup:
    """Return what the nodes need for functions that create these bidders, or for these games.

    Raises:
        ValueError: a file cannot be read.
    """
    matches = list(matches)
    seated = {(match.game, each) for match in matches for each in match.bidders if isinstance(each, str)}
    files = read_files(sorted({*bidders, *(bidder for _, bidder in seated)}))
    work = tuple(match_kernels(matches))
    return Setup(secrets.token_hex(8), Fingerprint.here(), work, files, Path.cwd(), registered_games(), sorted(seated))


def read_files(bidders: Iterable[str]) -> dict[str, bytes]:
    """Return the content of the user's files of bidders, by their paths; without those that are too large.

    Raises:
        ValueError: a file cannot be read.
    """
    files: dict[str, bytes] = {}
    room = MOST_BYTES
    for name in dict.fromkeys(bidders):
        try:
            paths = files_of(parse_bidder(name))
            size = sum(path.stat().st_size for path in paths)
            if size <= room:
                files.update((str(path), path.read_bytes()) for path in paths)
                room -= size
        except OSError as error:
            raise ValueError(f"bidder {public_name(name)!r}: {error}") from None
    return files


def environment(policies: Iterable[object]) -> dict[str, str]:
    """Return the environment variables with the keys of the models of bidders."""
    models = [model for policy in policies for model in getattr(policy, "models", ())]
    names = {name for model in models for name in getattr(model, "variables", ())}
    return {name: os.environ[name] for name in sorted(names) if name in os.environ}
