"""One running game: whose turn it is, what is refused and asked again, and when a round closes.

Rounds are simultaneous: bids are collected unseen, and the round closes itself on the last one. Until
then nothing that any seat can observe changes, except that a refused seat is told so.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from aucenv.core.actions import NoAction, amount_cents, plain, reply_cents, vector_number
from aucenv.core.checks import one_of, whole_number
from aucenv.core.game import Game
from aucenv.core.kernel import Seed, game_key
from aucenv.core.reply import Unreadable
from aucenv.core.state import HEADER_NAMES, RUNNING, TERMINATED, WITHDRAW

ILLEGAL = ("refuse", "clip", "raise")
_ITEM, _ROUND, _ROUNDS, _STATUS = (HEADER_NAMES.index(name) for name in ("item", "round", "rounds", "status"))


class IllegalBid(ValueError):
    """A bid that the rules refuse, where `illegal="raise"`."""


@dataclasses.dataclass(frozen=True, slots=True)
class Attempt:
    """An answer that was refused.

    Attributes:
        refused: why.
        kind: "unreadable", no bid at all, or which of the game's REFUSALS.
    """

    action: Any
    refused: str
    kind: str


@dataclasses.dataclass(slots=True)
class Decision:
    """How one seat decided in one round.

    Attributes:
        action: what it answered in its interface; None where it ran out of tries.
        amount: cents, or WITHDRAW.
        attempts: its refused answers before.
        notes: what its policy wants kept.
    """

    item: int
    round: int
    seat: int
    action: Any
    amount: int
    attempts: list[Attempt]
    notes: dict


class Table:
    """One game, from deal to outcome.

    Args:
        game: whose rules.
        scenario: a scenario of that game.
        interfaces: "vector", "amount" or "text", for each seat.
        num_actions: the number of vector actions.
        illegal: what happens to an illegal bid: "refuse" it and ask again, "clip" it to the nearest legal
            one, or "raise" IllegalBid.
        max_retries: how often a seat is asked again in one round; then it withdraws.
        hold_open: leave the round open on its last answer, until `close_round` is called.
    """

    def __init__(
        self,
        game: Game,
        scenario: Any,
        interfaces: Sequence[str],
        *,
        num_actions: int = 11,
        illegal: str = "refuse",
        max_retries: int = 3,
        hold_open: bool = False,
    ) -> None:
        self.game = game
        self.scenario = scenario
        self.catalogue = game.view.Catalogue.of(scenario)
        self.interfaces = tuple(interfaces)
        self.num_actions = num_actions
        self.illegal = one_of("illegal", illegal, ILLEGAL)
        self.hold_open = hold_open
        self.max_retries = whole_number("max_retries", max_retries, 0)
        self.num_seats = len(scenario.bidders)
        self._num_features = game.vector.num_features(self.num_seats, len(scenario.items))
        self._template = scenario.template()
        self.state = self._template.copy()
        self._amounts = np.full(self.state["acting"].shape[1], WITHDRAW, np.int64)
        self.item = self.round = self.rounds = self.status = self._num_asked = 0
        self._asked = self._owes = [0] * self.num_seats
        self.dealt = False
        self._told: list[tuple[int, int] | None]  # by seat, what `tell` need not tell again
        self._told_next: list[tuple[int, int] | None]
        self._reset_records()
        self._bind()

    def reset(self, seed: Seed, max_rounds: int = 0) -> None:
        """Deal a game.

        Args:
            seed: all of its chance follows from it; a number, or several as `numpy.random.SeedSequence` takes them.
            max_rounds: truncate it after so many rounds; 0 = never.
        """
        self._reset_records()
        self._template["max_rounds"] = max_rounds
        self.game.rules.deal(self.state, 0, self._template, game_key(seed))
        self.dealt = True
        self._open_round()

    @property
    def over(self) -> bool:
        return self.status != RUNNING

    @property
    def terminated(self) -> bool:
        """Whether the game came to its end; otherwise, if it is over, it was truncated."""
        return self.status == TERMINATED

    @property
    def owing(self) -> list[int]:
        """The seats that still owe a decision in this round, in seat order."""
        return [seat for seat in range(self.num_seats) if self._owes[seat]]

    @property
    def asked(self) -> list[int]:
        """The seats that have a decision in this round, whether or not they have answered."""
        return [seat for seat in range(self.num_seats) if self._asked[seat]]

    def owes(self, seat: int) -> bool:
        """Whether `seat` still owes a decision in this round."""
        return bool(self._owes[seat])

    def refused(self, seat: int) -> str | None:
        """Why the last answer of `seat` was refused, if it is being asked again."""
        return self._refused[seat]

    def submit(self, seat: int, action: Any, notes: dict | None = None) -> str | None:
        """Take a seat's answer; the last one closes the round.

        Returns:
            Why the answer was refused, if it was and the seat is asked again; else None.

        Raises:
            RuntimeError: the seat does not owe a decision.
            ValueError: the action is not one of the interface's (type, shape, vector range); the message
                names it. IllegalBid where `illegal="raise"`.
        """
        return self._take(seat, action, *self._judge(seat, action), notes)

    def submit_all(self, actions: Mapping[int, Any]) -> None:
        """Take the answers of several seats at once: all of them, or none if one raises as in `submit`."""
        judged = {seat: self._judge(seat, action) for seat, action in actions.items()}
        for seat, (amount, refused) in judged.items():
            self._take(seat, actions[seat], amount, refused, None)

    def close_round(self) -> None:
        """Close a round that every seat has answered; called by `submit` itself unless `hold_open`."""
        closing = [self._collected[seat] for seat in sorted(self._collected)]
        self.decisions += closing
        self._history += tuple((d.item, d.round, d.seat, d.amount) for d in closing)
        self.game.rules.step(self.state, 0, self._amounts)
        self._told = list(self._told_next)
        self._clear_round()
        self._open_round()

    def force_tie(self, seat: int) -> None:
        """Let `seat` win this round's tie, if it is among the tied: for replaying recorded chance."""
        self.state["forced_tie"] = seat

    def view(self, seat: int, reveal: bool = False) -> Any:
        """What `seat` may know: its game's View; with `reveal` nothing is hidden, for records and cheats."""
        return self.game.view.look(self.state, seat, self.catalogue, self._history, self._refused[seat], reveal)

    def observe(self, seat: int) -> dict[str, Any]:
        """What `seat` observes in its interface: `observation`, and `action_mask` or `text`."""
        features = np.empty(self._num_features, np.float32)
        self.game.vector.features(self.state, 0, seat, features)
        observation: dict[str, Any] = {"observation": features}
        if self.interfaces[seat] == "vector":
            mask = observation["action_mask"] = np.empty(self.num_actions, np.int8)
            self.game.vector.mask(self.state, 0, seat, mask)
        elif self.interfaces[seat] == "text":
            observation["text"] = self.tell(seat)
        return observation

    def tell(self, seat: int) -> str:
        """What `seat` has not been told since its last decision, in words; everything before its first."""
        return self.game.text.describe(self.view(seat), self._told[seat])

    def _reset_records(self) -> None:
        self.decisions: list[Decision] = []
        self._history: tuple[tuple[int, int, int, int], ...] = ()
        self._told = [None] * self.num_seats
        self._told_next = [None] * self.num_seats
        self._clear_round()

    def _clear_round(self) -> None:
        self._collected: dict[int, Decision] = {}
        self._attempts: dict[int, list[Attempt]] = {}
        self._refused: list[str | None] = [None] * self.num_seats

    def _bind(self) -> None:
        # Views into the one state array, which is written in place for the table's whole life.
        self._header = self.state.view(np.int64)[: len(HEADER_NAMES)]
        self._acting = self.state["acting"][0, : self.num_seats]

    def _open_round(self) -> None:
        header = self._header.tolist()
        self.item, self.round = header[_ITEM], header[_ROUND]
        self.rounds, self.status = header[_ROUNDS], header[_STATUS]
        self._asked = self._acting.tolist()
        self._owes = self._asked.copy()
        self._num_asked = sum(self._asked)

    def _judge(self, seat: int, action: Any) -> tuple[int, Attempt | None]:
        if not self._owes[seat]:
            raise RuntimeError(f"{self.catalogue.seats[seat]} has nothing to decide now; to decide: {self.owing}")
        refused = None
        try:
            amount = self._read(seat, action)
        except Unreadable as error:
            amount, refused = WITHDRAW, Attempt(plain(action), str(error), "unreadable")
        except NoAction as error:
            raise ValueError(f"{self.catalogue.seats[seat]}: {error}") from None
        if amount >= 0:
            code = self.game.rules.check(self.state, 0, seat, amount)
            if code:
                reason = self.game.text.refusal(self.state, seat, amount, code)
                refused = Attempt(plain(action), reason, self.game.rules.REFUSALS[code])
        if refused is None or self.illegal == "refuse":
            return amount, refused
        if self.illegal == "raise":
            raise IllegalBid(f"{self.catalogue.seats[seat]}: {refused.refused}")
        return self.game.rules.clip(self.state, 0, seat, amount), None

    def _take(self, seat: int, action: Any, amount: int, refused: Attempt | None, notes: dict | None) -> str | None:
        attempts = self._attempts.get(seat, [])
        if refused is not None:
            self._attempts[seat] = attempts
            attempts.append(refused)
            if len(attempts) <= self.max_retries:
                self._refused[seat] = refused.refused
                return refused.refused
            action, amount = None, WITHDRAW
        self._refused[seat] = None
        self._told_next[seat] = (len(self._history), self.item)
        self._owes[seat] = 0
        self._amounts[seat] = amount
        self._collected[seat] = Decision(self.item, self.round, seat, plain(action), int(amount), attempts, notes or {})
        if len(self._collected) == self._num_asked and not self.hold_open:
            self.close_round()
        return None

    def _read(self, seat: int, action: Any) -> int:
        if self.interfaces[seat] == "vector":
            number = vector_number(action, self.num_actions)
            return self.game.vector.amount(self.state, 0, seat, number)
        if self.interfaces[seat] == "amount":
            return amount_cents(action)
        return reply_cents(action, [name for rival, name in enumerate(self.catalogue.names) if rival != seat])

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key not in ("_header", "_acting")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._bind()
