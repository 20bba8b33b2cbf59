"""One running game: whose turn it is, what is refused and asked again, and when a round closes.

Rounds are simultaneous: bids stay secret until the last one closes the round. Until then observations do not change,
except that a refused seat sees the reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from aucenv.core.actions import NoAction, amount_of, plain, vector_number
from aucenv.core.checks import one_of, whole_number
from aucenv.core.decisions import Accepted, Attempt, Decision, IllegalBid, seats_in
from aucenv.core.deprecation import renamed
from aucenv.core.files import JsonObject
from aucenv.core.game import Game
from aucenv.core.history import History
from aucenv.core.kernel import Seed, game_key
from aucenv.core.reply import Unreadable
from aucenv.core.round_kernels import SUMMARY_SIZE
from aucenv.core.snapshot import Snapshot
from aucenv.core.state import RUNNING, TERMINATED, WITHDRAW

ILLEGAL = ("refuse", "clip", "raise")


@renamed(tell="text", facts="full_info", owing="pending", owes="is_pending", catalogue="scenario_text")
class Table:
    """One game, from deal to outcome.

    Args:
        game: whose rules.
        scenario: a scenario of that game.
        interfaces: "vector", "amount", "share" (amounts as shares, `vector.amount_of_share`) or "text", for each seat.
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
        self.scenario_text = game.view.ScenarioText.of(scenario)
        self.interfaces = tuple(interfaces)
        self.num_actions = num_actions
        self.illegal = one_of("illegal", illegal, ILLEGAL)
        self.hold_open = hold_open
        self.max_retries = whole_number("max_retries", max_retries, 0)
        self.num_seats = len(scenario.bidders)
        self._template = scenario.template()
        self.state = self._template.copy()
        self._kernels = game.kernels
        seats = self.num_seats
        self._amounts = np.full((2, seats), WITHDRAW, np.int64)  # amounts, and vector actions in their place
        self.observations = np.zeros((1, seats, game.vector.num_features(seats, scenario.num_items)), np.float32)
        self._masks = np.zeros((1, seats, num_actions), np.int8)
        self._scores = np.zeros((2, seats))
        self._summary = np.zeros(SUMMARY_SIZE + game.report.num_info_values(seats), np.int64)
        self._observed = list(zip(self.observations[0], self._masks[0], strict=True))
        self._accepted: dict[int, Accepted]
        self._attempts: dict[int, list[Attempt]]
        self.refusals: dict[int, str]  # why the last answer of a seat was refused that is being asked again
        self.dealt = False
        self._clear_records()
        self._open_round()

    @property
    def _buffers(self) -> tuple[np.ndarray, ...]:
        return self.observations, self._masks, self._scores, self._summary

    def __setstate__(self, state: JsonObject) -> None:
        self.__dict__.update(state)
        self._observed = list(zip(self.observations[0], self._masks[0], strict=True))  # copies share no memory

    def reset(self, seed: Seed, max_rounds: int = 0) -> None:
        """Deal a game.

        Args:
            seed: all of its chance follows from it; a number, or several as `numpy.random.SeedSequence` takes them.
            max_rounds: truncate it after so many rounds; 0 = never.
        """
        self.reset_key(game_key(seed), max_rounds)

    def reset_key(self, key: int, max_rounds: int = 0) -> None:
        """Deal the game with this key."""
        self._clear_records()
        self._template["max_rounds"] = max_rounds
        self._kernels.deal_table(self.state, 0, self._template, key, *self._buffers)
        self.dealt = True
        self._open_round()

    @property
    def over(self) -> bool:
        return self.status != RUNNING

    @property
    def terminated(self) -> bool:
        """Whether the game came to its end; otherwise, if it is over, it was truncated."""
        return self.status == TERMINATED

    def has_died(self, seat: int) -> bool:
        """Whether `seat` has left the game for good, in games where one can."""
        return bool(self.state["gone"][0, seat])

    @property
    def pending(self) -> list[int]:
        """The seats that still owe a decision in this round, in seat order."""
        return [seat for seat in self.acting if self._pending >> seat & 1]

    @property
    def decisions(self) -> list[Decision]:
        """Every decision of the closed rounds, in order."""
        return self._history.decisions()

    def is_pending(self, seat: int) -> bool:
        """Whether `seat` still owes a decision in this round."""
        return bool(self._pending >> seat & 1)

    def has_answered(self, seat: int) -> bool:
        """Whether `seat` has answered in this round, which waits for others."""
        return seat in self._accepted

    def submit(self, seat: int, action: Any, notes: dict | None = None) -> str | None:
        """Take a seat's answer; the last one closes the round.

        Returns:
            Why the answer was refused, if it was and the seat is asked again; else None.

        Raises:
            RuntimeError: the seat does not owe a decision.
            ValueError: the action is not one of the interface's (type, shape, vector range); the message
                names it. IllegalBid where `illegal="raise"`.
        """
        amount, refused = self._check_action(seat, action)
        return self._accept(seat, action, amount, refused, notes)

    def submit_all(self, actions: Mapping[int, Any]) -> None:
        """Take the answers of several seats at once: all of them, or none if one raises as in `submit`."""
        checked = {seat: self._check_action(seat, action) for seat, action in actions.items()}
        for seat, (amount, refused) in checked.items():
            self._accept(seat, actions[seat], amount, refused, None)

    def forfeit(self, seat: int) -> None:
        """Withdraw for a seat that owes a decision and gives no answer any more."""
        assert self.is_pending(seat)
        self._record_answer(seat, None, WITHDRAW, None)

    def close_round(self) -> None:
        """Close a round that every seat has answered; called by `submit` itself unless `hold_open`."""
        self._kernels.close_table_round(self.state, 0, self._amounts, *self._buffers)
        self._history.closed.append((self.item, self.round, self.acting, self._accepted, self._amounts[0].tolist()))
        self._open_round()

    def snapshot(self) -> Snapshot:
        """The game as it stands, between any two answers.

        Raises:
            RuntimeError: nothing is dealt yet, or a round is held open that all have answered.
        """
        if not self.dealt:
            raise RuntimeError("nothing is dealt yet: call reset() first")
        if self.acting and not self._pending:
            raise RuntimeError("every seat has answered: close the round first")
        return Snapshot(
            self.game,
            self.scenario,
            self.state.copy(),
            closed=tuple(self._history.closed),
            answered={seat: (self._amount_of(seat), accepted) for seat, accepted in self._accepted.items()},
            attempts={seat: list(attempts) for seat, attempts in self._attempts.items()},
            refused=dict(self.refusals),
        )

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a game that was taken down here or at another table of the same scenario.

        An AEC or Parallel env does not notice what is done to its table: restore to a table of your own.

        Raises:
            ValueError: a snapshot of another game, version or scenario.
        """
        snapshot.check(self.game, self.scenario)
        self.state[0] = snapshot.state[0]
        self._clear_records()
        self._history = History(snapshot.closed)
        self._kernels.write_table(self.state, 0, *self._buffers)
        self.dealt = True
        self._open_round()
        self._attempts = {seat: list(attempts) for seat, attempts in snapshot.attempts.items()}
        self.refusals = dict(snapshot.refused)
        for seat, (amount, accepted) in snapshot.answered.items():
            self._amounts[0, seat] = amount
            self._accepted[seat] = accepted
            self._pending &= ~(1 << seat)

    def force_tie(self, seat: int) -> None:
        """Let `seat` win this round's tie, if it is among the tied: for replaying recorded chance."""
        self.state["forced_tie"] = seat

    def view(self, seat: int, reveal: bool = False) -> Any:
        """What `seat` may know: its game's View; with `reveal` nothing is hidden, for records and cheats."""
        return self.game.view.make_view(
            self.state, seat, self.scenario_text, self._history.entries(), self.refusals.get(seat), reveal
        )

    def observe(self, seat: int) -> JsonObject:
        """What `seat` observes in its interface: `observation`, and `action_mask` or `text`."""
        features, mask = self._observed[seat]
        interface = self.interfaces[seat]
        if interface == "vector":
            return {"observation": features.copy(), "action_mask": mask.copy()}
        if interface == "text":
            return {"observation": features.copy(), "text": self.text(seat)}
        return {"observation": features.copy()}

    def rewards(self) -> list[float]:
        """What each seat's score gained in the round that closed last."""
        return self._scores[1].tolist()

    def scores(self) -> list[float]:
        """Each seat's score so far."""
        return self._scores[0].tolist()

    def full_info(self, seat: int) -> JsonObject:
        """What the info of `seat` says in this round, in names and dollars; `refused`: why its last answer was."""
        full_info = self.game.report.full_info(self.info_values, seat, self.scenario_text)
        return {**full_info, "refused": self.refusals.get(seat)}

    def text(self, seat: int) -> str:
        """What `seat` has not been told since its last decision, in words; everything before its first."""
        return self.game.text.describe(self.view(seat), self._history.last_decision(seat))

    def _amount_of(self, seat: int) -> int:
        """What `seat` has answered in the open round."""
        action = self._amounts.item(1, seat)
        return self.game.vector.amount(self.state, 0, seat, action) if action >= 0 else self._amounts.item(0, seat)

    def _clear_records(self) -> None:
        self._amounts[:] = WITHDRAW
        self._history = History()

    def _open_round(self) -> None:
        summary = self._summary.tolist()
        self.item, self.round, self.rounds, self.status, self.score_changed, acting_bits, *self.info_values = summary
        self._pending = acting_bits  # bit s: seat s
        self.acting = seats_in(acting_bits)
        self._accepted = {}
        self._attempts = {}
        self.refusals = {}

    def _check_action(self, seat: int, action: Any) -> tuple[int | None, Attempt | None]:
        """The amount that an answer stands for, None for that of a vector action, and, if it is refused, why."""
        if not self._pending >> seat & 1:
            raise RuntimeError(f"{self.scenario_text.seats[seat]} has nothing to decide now; to decide: {self.pending}")
        interface = self.interfaces[seat]
        try:
            if interface == "vector":
                number = action
                if type(action) is not int or not 0 <= action < self.num_actions:
                    number = vector_number(action, self.num_actions)
                if self._observed[seat][1].item(number):
                    return None, None
                amount = self.game.vector.amount(self.state, 0, seat, number)
            else:
                amount = amount_of(action, interface, seat, self.state, self.game, self.scenario_text)
        except Unreadable as error:
            return self._refuse(seat, WITHDRAW, Attempt(plain(action), str(error), "unreadable"))
        except NoAction as error:
            raise ValueError(f"{self.scenario_text.seats[seat]}: {error}") from None
        code = self.game.rules.check(self.state, 0, seat, amount)
        if code == 0:
            return amount, None
        reason = self.game.text.refusal(self.state, seat, amount, code, self.scenario_text)
        return self._refuse(seat, amount, Attempt(plain(action), reason, self.game.rules.REFUSALS[code]))

    def _refuse(self, seat: int, amount: int, attempt: Attempt) -> tuple[int, Attempt | None]:
        if self.illegal == "refuse":
            return amount, attempt
        if self.illegal == "raise":
            raise IllegalBid(f"{self.scenario_text.seats[seat]}: {attempt.refused}")
        return int(self.game.rules.clip(self.state, 0, seat, amount)), None

    def _accept(
        self, seat: int, action: Any, amount: int | None, refused: Attempt | None, notes: dict | None
    ) -> str | None:
        if refused is not None:
            attempts = self._attempts.setdefault(seat, [])
            attempts.append(refused)
            if len(attempts) <= self.max_retries:
                self.refusals[seat] = refused.refused
                return refused.refused
            action, amount = None, WITHDRAW
        self._record_answer(seat, action, amount, notes)
        return None

    def _record_answer(self, seat: int, action: Any, amount: int | None, notes: dict | None) -> None:
        if self.refusals:
            self.refusals.pop(seat, None)
        self._pending ^= 1 << seat
        if amount is None:
            self._amounts[1, seat] = action
        else:
            self._amounts[0, seat] = amount
        self._accepted[seat] = (plain(action), self._attempts.get(seat, []), notes or {})
        if not self._pending and not self.hold_open:
            self.close_round()
