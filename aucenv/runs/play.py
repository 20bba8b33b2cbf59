"""Play one game."""

from __future__ import annotations

import dataclasses
import functools
import json
import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from aucenv.core.checks import whole_number
from aucenv.core.files import JsonObject, parse_object
from aucenv.core.formats.json_parser import parse_json
from aucenv.core.kernel import Seed, read_seed
from aucenv.core.play.table import Table
from aucenv.core.policy import ModelFailure, Policy, PolicyError, check_fits, check_policy
from aucenv.core.records.record import NOTES, GameRecord
from aucenv.core.views.seat_view import SeatView
from aucenv.core.words.bidder_name import public_name
from aucenv.core.words.outside_text import shorten
from aucenv.policy.guests import IN_PROCESS, Guest, Guests
from aucenv.registration import EnvFamily, find_family
from aucenv.runs.model_calls.journal import CallJournal, RunStopped
from aucenv.runs.records import make_record


def play(
    game: str | EnvFamily,
    scenario: Any,
    bidders: Mapping[str, str | Policy] | Sequence[str | Policy],
    seed: Seed = 0,
    *,
    index: int = 0,
    max_retries: int = 3,
    max_rounds: int = 0,
    journal: CallJournal | None = None,
    forfeit: bool = False,
    on_round: Callable[[Table], None] | None = None,
    guests: Guests = IN_PROCESS,
) -> GameRecord:
    """Play one game.

    Args:
        game: the name of the game ("english", "sealed_bid", ...), or its environments (`aucenv.english_v0`).
        scenario: a name, a path or a scenario of that game.
        bidders: a policy, or the name of a policy, for each seat: a dict by seat ("bidder_0") or a list in seat order.
        seed: seeds the game; each policy gets its own derived seed.
        index: the game's number in its run, for its record.
        max_retries: how many further replies a bidder may give after a refused one.
        max_rounds: truncate the game after this many rounds; 0 = never.
        journal: the journal of model calls, including those of an interrupted run; None keeps them in memory.
        forfeit: whether a bidder whose model cannot be called withdraws for the rest of the game, with the reason in
            the notes of its seat; otherwise PolicyError is raised.
        on_round: called with the table at the beginning of each round, and at the end.
        guests: how the bidders of users play that are given by name.

    Raises:
        ValueError: there is not one bidder for each seat, or a bidder cannot play this scenario; or as in
            `make_policy` and `load_scenario`.
        PolicyError: a bidder failed. A model that cannot be called raises this error only if `forfeit` is false; the
            cause of the error is then a ModelFailure.
        RunStopped: `journal` has stopped the run.

    Example:
        >>> import aucenv
        >>> lineup = ["rule", "pace", "drain"]
        >>> record = aucenv.play("english", "standard-10k-random", lineup, seed=0)
        >>> [seat["profit"] for seat in record.outcome["seats"]]
        [10000, 8500, 6000]
    """
    family = find_family(game)
    chosen = family.game.load_scenario(scenario)
    seats = family.game.view.ScenarioText.of(chosen).seats
    if isinstance(bidders, Mapping):
        if set(bidders) != set(seats):
            raise ValueError(f"bidders: expected one for each of {', '.join(seats)}, got {', '.join(bidders)}")
        bidders = [bidders[seat] for seat in seats]
    if len(bidders) != len(seats):
        raise ValueError(f"bidders: expected one for each of {len(seats)} seats, got {len(bidders)}")
    object_ids = [id(bidder) for bidder in bidders if not isinstance(bidder, str)]
    if len(set(object_ids)) < len(object_ids):
        raise ValueError("bidders: expected a different policy object for each seat, got the same object twice")
    entropy = read_seed(seed)
    index = whole_number("index", index, 0)
    whole_number("max_rounds", max_rounds, 0, 2**31)
    names = [public_name(bidder) if isinstance(bidder, str) else type(bidder).__name__ for bidder in bidders]
    policies = [
        guests.policy(family.name, bidder, tuple(entropy))
        if isinstance(bidder, str)
        else check_policy(bidder, f"bidder at {seat}")
        for seat, bidder in zip(seats, bidders, strict=True)
    ]
    for name, policy in zip(names, policies, strict=True):
        check_fits(policy, name, chosen)
    table = Table(family.game, chosen, [policy.interface for policy in policies], max_retries=max_retries)
    table.reset(entropy, max_rounds)
    seeds = [
        guests.seed(bidder, entropy, number) if isinstance(bidder, str) else None
        for number, bidder in enumerate(bidders)
    ]
    running = RunningGame(table, policies, names, index, forfeit, seeds)
    running.reset_policies(journal)
    while not table.over:
        if on_round is not None:
            on_round(table)
        running.play_round()
    if on_round is not None:
        on_round(table)
    objectives = [objective_notes(policy, chosen, seat) for seat, policy in enumerate(policies)]
    closing = [{**stated, **notes} for stated, notes in zip(objectives, running.close(), strict=True)]
    return make_record(table, entropy, index, names, closing)


class RunningGame:
    """A table and the policies in its seats."""

    def __init__(
        self,
        table: Table,
        policies: Sequence[Policy],
        names: Sequence[str],
        index: int,
        forfeit: bool,
        seeds: Sequence[int | None] = (),
    ) -> None:
        self.table = table
        self.policies = policies
        self.names = names
        self.index = index
        self.forfeit = forfeit
        self.seeds = {number: seed for number, seed in enumerate(seeds) if seed is not None}
        self.forfeited: dict[int, str] = {}
        self.num_refused: dict[int, int] = {}  # by seat, in the open round
        self.waiting = [getattr(policy, "waits", False) for policy in policies]
        self.posting = [hasattr(policy, "post") for policy in policies]
        self.watching = [number for number, policy in enumerate(policies) if hasattr(policy, "watch")]
        self.any_waits = any((*self.waiting, *self.posting, self.watching))
        self.journal: CallJournal | None = None
        self.lock = threading.Lock()  # guards the table

    def reset_policies(self, journal: CallJournal | None) -> None:
        """Reset every policy with its seat and seed, and give it its model calls if it wants them."""
        self.journal = journal
        for number, policy in enumerate(self.policies):
            seat = self.table.scenario_text.seats[number]
            try:
                use_calls = getattr(policy, "use_calls", None)
                if use_calls is not None:
                    journal = journal or CallJournal()
                    use_calls(journal.at(self.index, seat))
                policy.reset(seat, self.seeds.get(number, int(self.table.state["seat_key"][0, number])))
            except Exception as error:
                self._handle_failure(number, "before the first round", error)

    def play_round(self) -> None:
        """Get a decision from every pending seat; bidders that wait for models or people decide at the same time."""
        pending = self.table.pending
        if not self.any_waits:
            for number in pending:
                self.decide(number)
            return
        for number in self.watching:
            self.policies[number].watch(self._view(number))  # type: ignore[attr-defined]
        posted = [number for number in pending if self.posting[number] and number not in self.forfeited]
        others = [number for number in pending if number not in posted]
        waiting = [number for number in others if self.waiting[number]]
        in_threads = waiting if posted else waiting[1:]  # this thread waits for one seat, or for all that are posted
        errors: list[Exception] = []

        def decide(number: int) -> None:
            try:
                self.decide(number)
            except Exception as error:
                errors.append(error)

        threads = [threading.Thread(target=decide, args=(number,), daemon=True) for number in in_threads]
        for thread in threads:
            thread.start()
        for number in others:
            if number not in in_threads:
                decide(number)
        if posted:
            try:
                PostedSeats(self, posted).collect(errors)
            except Exception as error:
                errors.append(error)
        for thread in threads:
            thread.join()
        if errors:
            raise min(errors, key=lambda error: isinstance(error, RunStopped))

    def decide(self, number: int) -> None:
        """Ask one seat until the table accepts its action, or forfeit for it."""
        policy = self.policies[number]
        while number not in self.forfeited:
            try:
                view, observation = self.ask(number)
                if self.submit(number, view, policy.act(view, observation)) is None:
                    return
            except RunStopped:
                raise
            except Exception as error:
                self.fail(number, error)
        self.give_up(number)

    def ask(self, number: int) -> tuple[Any, JsonObject]:
        """Return the view and the observation of a seat that has to decide."""
        with self.lock:
            observation = self.table.observe(number) if getattr(self.policies[number], "observes", True) else {}
            if self.posting[number]:
                observation["retries_left"] = self.table.max_retries - self.num_refused.get(number, 0)
            return self._view(number), observation

    def submit(self, number: int, view: Any, action: Any) -> str | None:
        """Submit an action with the policy's notes; return why it is refused, or None."""
        notes = _checked_notes(self.table.game.record_format, view, getattr(self.policies[number], "notes", None))
        with self.lock:
            if action is None and self.posting[number]:
                self.table.forfeit(number, notes)
                return None
            refused = self.table.submit(number, action, notes)
            self.num_refused[number] = 0 if refused is None else self.num_refused.get(number, 0) + 1
            return refused

    def give_up(self, number: int) -> None:
        """Withdraw for a seat that has forfeited."""
        with self.lock:
            self.table.forfeit(number)

    def fail(self, number: int, error: Exception) -> None:
        """Forfeit for a seat that failed to decide, or raise the error; see `_handle_failure`."""
        self._handle_failure(number, f"item {self.table.item}, round {self.table.round}", error)

    def close(self) -> list[JsonObject]:
        """Show every policy the end of the game.

        Returns:
            The notes of each seat.
        """
        closing = []
        for number, policy in enumerate(self.policies):
            view = self._view(number)
            try:
                notes = {} if number in self.forfeited else policy.close_game(view)
                checked = _checked_notes(self.table.game.record_format, view, notes)
            except RunStopped:
                raise
            except Exception as error:
                self._handle_failure(number, "at the end", error)
                checked = _checked_notes(self.table.game.record_format, view, getattr(policy, "notes", None))
            forfeited = {"forfeited": self.forfeited[number]} if number in self.forfeited else {}
            cheats = {"cheats": True} if getattr(policy, "cheats", False) else {}
            closing.append(checked | forfeited | cheats)
        return closing

    def _view(self, number: int) -> Any:
        view = self.table.view(number, reveal=getattr(self.policies[number], "cheats", False))
        if number in self.seeds:
            view.row["seat_key"][0, number] = self.seeds[number]
        return view

    def _handle_failure(self, number: int, place: str, error: Exception) -> None:
        """Forfeit for a guest, or for a bidder whose model failed, if that is allowed; else raise a PolicyError."""
        policy, reason = self.policies[number], str(error)
        if isinstance(policy, Guest):
            policy.release()
            reason = shorten(reason, LONGEST_REASON)
        elif not (self.forfeit and isinstance(error, ModelFailure)):
            seat = self.table.scenario_text.seats[number]
            raise PolicyError(f"{self.names[number]} failed at {seat}, game {self.index}, {place}: {error}") from error
        self.forfeited[number] = f"{place}: {reason}"


LONGEST_REASON = 1000
"""The most characters of the reason for which a guest forfeits."""
NOTES_DEPTH = 4
"""Number of lists and objects of a record that contain a note."""


def _checked_notes(record_format: Any, view: SeatView, notes: Any) -> JsonObject:
    """Validate notes now, so that recording cannot fail later, and return a copy."""
    if not notes:
        return {}
    if not isinstance(notes, dict):
        raise TypeError(f"notes: expected a dict, got {notes!r:.80}")
    text = json.dumps(notes, allow_nan=False)
    plain = parse_object(text, "notes")
    parse_json(f"{'[' * NOTES_DEPTH}{text}{']' * NOTES_DEPTH}", "notes in their record")
    NOTES.check(plain, "", "notes")
    check = getattr(record_format, "check_notes", None)
    if check is not None:
        check(plain, view)
    return plain


@dataclasses.dataclass(frozen=True)
class Match:
    """A game to play: the arguments of `play`."""

    game: str
    scenario: Any
    bidders: tuple[str | Policy, ...]
    seed: tuple[int, ...]
    index: int = 0
    guests: Guests = IN_PROCESS

    def play(
        self,
        journal: CallJournal | None = None,
        forfeit: bool = False,
        on_round: Callable[[Table], None] | None = None,
    ) -> GameRecord:
        """Play the game as in `play`, and return its record."""
        arguments = self.game, self.scenario, self.bidders, self.seed
        return play(
            *arguments, index=self.index, journal=journal, forfeit=forfeit, on_round=on_round, guests=self.guests
        )


def objective_notes(policy: Policy, scenario: Any, seat: int) -> JsonObject:
    """Return the notes that state what a policy pursues, if it is not what the scenario says.

    Returns:
        `objective`, and `target` if it is one item; or nothing.
    """
    state = getattr(policy, "stated_objective", None)
    stated = state(scenario, seat) if state is not None else None
    bidders = getattr(scenario, "bidders", ())
    entry = bidders[seat] if len(bidders) > seat else None
    if stated is None or stated == (getattr(entry, "objective", "profit"), getattr(entry, "target", None)):
        return {}
    return {"objective": stated[0]} | ({} if stated[1] is None else {"target": stated[1]})


PAUSE = 0.25
"""Seconds after which a waiting table checks whether the run is stopped and whether somebody is out of time."""


class RoundOfGame(Protocol):
    """The open round of a running game; see `play.RunningGame`."""

    policies: Sequence[Any]
    journal: Any

    def ask(self, number: int) -> tuple[Any, Any]: ...

    def submit(self, number: int, view: Any, action: Any) -> str | None: ...

    def fail(self, number: int, error: Exception) -> None: ...

    def give_up(self, number: int) -> None: ...


class PostedSeats:
    """The seats of a round that are asked by `Policy.post`.

    Args:
        game: the running game.
        seats: the numbers of the seats.
    """

    def __init__(self, game: RoundOfGame, seats: Sequence[int]) -> None:
        self._game = game
        self._views: dict[int, Any] = {}
        self._delivered: queue.SimpleQueue[tuple[int, Any, Any]] = queue.SimpleQueue()
        for number in seats:
            self._post(number)

    def _post(self, number: int) -> None:
        view, observation = self._game.ask(number)
        self._views[number] = view
        try:
            deliver = functools.partial(self._deliver, number, view)
            self._game.policies[number].post(view, observation, deliver)
        except Exception as error:
            self._deliver(number, view, error)

    def _deliver(self, number: int, view: Any, action: Any) -> None:
        self._delivered.put((number, view, action))

    def collect(self, errors: Sequence[Exception]) -> None:
        """Submit the actions as they are delivered, until each seat has one that is accepted.

        Args:
            errors: the errors of seats that decide in other threads; with the first one, the game has failed.

        Raises:
            RunStopped: the run is stopped.
            PolicyError: a policy has failed.
        """
        try:
            while self._views and not errors:
                try:
                    number, view, action = self._delivered.get(timeout=PAUSE)
                except queue.Empty:
                    self._check()
                    continue
                if self._views.get(number) is view:  # otherwise it is delivered again
                    self._submit(number, view, action)
        finally:
            for number in self._views:
                self._call(number, "cancel")

    def _check(self) -> None:
        if self._game.journal is not None:
            self._game.journal.pause(0)
        for number in self._views:
            self._call(number, "check_time")

    def _call(self, number: int, name: str) -> None:
        """Call an optional method of a seat's policy."""
        method = getattr(self._game.policies[number], name, None)
        if method is not None:
            method()

    def _submit(self, number: int, view: Any, action: Any) -> None:
        try:
            if isinstance(action, Exception):
                raise action
            refused = self._game.submit(number, view, action)
        except Exception as error:
            self._game.fail(number, error)
            self._game.give_up(number)
            refused = None
        if refused is None:
            del self._views[number]
        else:
            self._post(number)
