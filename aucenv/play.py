"""Play one game, or many at once."""

from __future__ import annotations

import dataclasses
import json
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import islice
from multiprocessing.connection import wait as wait_for
from typing import Any

from aucenv.core.checks import whole_number
from aucenv.core.kernel import Seed, read_seed
from aucenv.core.table import Table
from aucenv.policy import Policy, PolicyError, check_fits, check_policy, make_policy
from aucenv.records import GameRecord, make_record
from aucenv.registration import EnvFamily, find_family

GAMES_PER_TASK = 8
"""Games that a worker plays before it reports: few enough to lose little, enough to make messages cheap."""


def play(
    game: str | EnvFamily,
    scenario: Any,
    bidders: Mapping[str, str | Policy] | Sequence[str | Policy],
    seed: Seed = 0,
    *,
    index: int = 0,
    max_retries: int = 3,
    max_rounds: int = 0,
) -> GameRecord:
    """Play one game.

    Args:
        game: its name, "english", "sealed_bid", ..., or its family.
        scenario: a name, a path or a scenario of that game.
        bidders: a policy, or the name of one, for each seat: by seat ("bidder_0") or in order.
        seed: all of the game's chance follows from it; so does the policies', who are given one each.
        index: the game's number in its run, for its record.
        max_retries: how often a bidder whose answer was refused is asked again.
        max_rounds: truncate the game after so many rounds; 0 = never.

    Raises:
        ValueError: not one bidder per seat, or one that cannot play this scenario; or as `make_policy` and
            `load_scenario`.
        PolicyError: a bidder failed.
    """
    family = find_family(game)
    chosen = family.game.load_scenario(scenario)
    seats = family.game.view.Catalogue.of(chosen).seats
    if isinstance(bidders, Mapping):
        if set(bidders) != set(seats):
            raise ValueError(f"bidders: expected one for each of {', '.join(seats)}, got {', '.join(bidders)}")
        bidders = [bidders[seat] for seat in seats]
    if len(bidders) != len(seats):
        raise ValueError(f"bidders: expected one for each of {len(seats)} seats, got {len(bidders)}")
    own = [id(bidder) for bidder in bidders if not isinstance(bidder, str)]
    if len(set(own)) < len(own):
        raise ValueError("bidders: expected a policy of its own for each seat, got the same object twice")
    entropy = read_seed(seed)
    index = whole_number("index", index, 0)
    whole_number("max_rounds", max_rounds, 0, 2**31)
    names = [bidder if isinstance(bidder, str) else type(bidder).__name__ for bidder in bidders]
    policies = [
        make_policy(family.name, bidder) if isinstance(bidder, str) else check_policy(bidder, f"bidder at {seat}")
        for seat, bidder in zip(seats, bidders, strict=True)
    ]
    for name, policy in zip(names, policies, strict=True):
        check_fits(policy, name, chosen)
    table = Table(family.game, chosen, [policy.interface for policy in policies], max_retries=max_retries)
    table.reset(entropy, max_rounds)
    place = "before the first round"
    number = 0
    try:
        for number, policy in enumerate(policies):
            policy.reset(seats[number], int(table.state["seat_key"][0, number]))
        while not table.over:
            place = f"item {table.item}, round {table.round}"
            for number in table.owing:
                _decide(table, number, policies[number])
        place = "at the end"
        closing = []
        for number, policy in enumerate(policies):
            view = _view(table, number, policy)
            closing.append(_checked(table, view, policy.close_game(view)))
    except Exception as error:
        raise PolicyError(f"{names[number]} failed at {seats[number]}, game {index}, {place}: {error}") from error
    return make_record(table, entropy, index, names, closing)


def _view(table: Table, seat: int, policy: Policy) -> Any:
    return table.view(seat, reveal=getattr(policy, "cheats", False))


def _decide(table: Table, seat: int, policy: Policy) -> None:
    while True:
        observation = table.observe(seat) if getattr(policy, "observes", True) else {}
        view = _view(table, seat, policy)
        action = policy.act(view, observation)
        if table.submit(seat, action, _checked(table, view, getattr(policy, "notes", None))) is None:
            return


def _checked(table: Table, view: Any, notes: Any) -> dict[str, Any]:
    """A copy of notes; an early error where a record could not hold them, or figures not read them."""
    if not notes:
        return {}
    if not isinstance(notes, dict):
        raise TypeError(f"notes: expected a dict, got {notes!r:.80}")
    plain: dict[str, Any] = json.loads(json.dumps(notes, allow_nan=False))
    check = getattr(table.game.report, "check_notes", None)
    if check is not None:
        check(plain, view)
    return plain


@dataclasses.dataclass(frozen=True)
class Match:
    """A game to be played: `play`'s arguments."""

    game: str
    scenario: Any
    bidders: tuple[str | Policy, ...]
    seed: tuple[int, ...]
    index: int = 0

    def play(self) -> GameRecord:
        return play(self.game, self.scenario, self.bidders, self.seed, index=self.index)


def play_many(matches: Iterable[Match], workers: int = 1) -> Iterator[GameRecord]:
    """Play games, in this process or in several; yields each record as soon as its game has ended.

    What is played does not depend on `workers`, but the order of the records does. Workers end when this
    process does, however it ends. They import the main module: a script guards with `__name__ == "__main__"`.

    Raises:
        ValueError: `workers` is not a whole number of at least 1.
    """
    if whole_number("workers", workers, 1) == 1:
        yield from (match.play() for match in matches)
        return
    queue = iter(matches)
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_end_with_parent)
    try:
        running: set[Future[list[GameRecord]]] = set()
        while True:
            while len(running) < 2 * workers and (task := list(islice(queue, GAMES_PER_TASK))):
                running.add(pool.submit(_play_task, task))
            if not running:
                return
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield from future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _play_task(task: list[Match]) -> list[GameRecord]:
    return [match.play() for match in task]


def _end_with_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        wait_for([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
