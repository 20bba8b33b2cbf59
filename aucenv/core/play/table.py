"""Tables: running games, with pending decisions, refusals and retries, and the closing of rounds.

Rounds are simultaneous: bids stay secret until the last one closes the round. Until then observations do not change,
except that a refused seat sees the reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from aucenv.core.adapters.actions import NoAction, action_cents, read_vector_action, to_json_value
from aucenv.core.checks import one_of, whole_number
from aucenv.core.files import JsonObject
from aucenv.core.game import Game
from aucenv.core.kernel import Seed, game_key
from aucenv.core.play.engine import SUMMARY_SIZE
from aucenv.core.play.snapshot import Snapshot
from aucenv.core.records.decisions import Accepted, Attempt, Decision, IllegalBid, seats_in
from aucenv.core.state import RUNNING, TERMINATED, WITHDRAW
from aucenv.core.views.history import History
from aucenv.core.words.reply import Unreadable

ILLEGAL = ("refuse", "clip", "raise")


class Table:
    """One running game, from deal to outcome.

    Args:
        game: The game.
        scenario: A scenario of the game.
        interfaces: The interface of each seat: "vector", "amount", "share" (see `vector.amount_of_share`) or "text".
        num_actions: The number of vector actions.
        illegal: "refuse" illegal bids and let seats retry, "clip" them to the nearest legal one, or "raise" IllegalBid.
        max_retries: The number of retries of a seat in one round, after which it withdraws.
        hold_open: Whether a round stays open after its last action until `close_round` is called.
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
        self._amounts = np.full((2, seats), WITHDRAW, np.int64)  # amounts; and vector actions, or -1 if there is none
        self.observations = np.zeros((1, seats, game.features.num_features(seats, scenario.num_items)), np.float32)
        self._masks = np.zeros((1, seats, num_actions), np.int8)
        self._scores = np.zeros((2, seats))
        self._summary = np.zeros(SUMMARY_SIZE, np.int64)
        self._share_buffers()
        self._accepted: dict[int, Accepted]
        self._attempts: dict[int, list[Attempt]]
        self.refusals: dict[int, str]  # by seat that must act again: the reason for its last refusal
        self.dealt = False
        self._clear_records()
        self._open_round()

    @property
    def _buffers(self) -> tuple[np.ndarray, ...]:
        return self.observations, self._masks, self._scores, self._summary

    def __setstate__(self, state: JsonObject) -> None:
        self.__dict__.update(state)
        self._share_buffers()  # copies of views share no memory

    def __getstate__(self) -> JsonObject:
        return {name: value for name, value in self.__dict__.items() if name not in ("_observed", "_words", "_infos")}

    def _share_buffers(self) -> None:
        """Create what shares memory with the observations, the masks and the state, and reads them."""
        self._observed = list(zip(self.observations[0], self._masks[0], strict=True))
        self._words = self.state.view(np.int64).data
        self._infos = [self.game.view.INFOS.readers(self.state.dtype, seat) for seat in range(self.num_seats)]

    def reset(self, seed: Seed, max_rounds: int = 0) -> None:
        """Deal a game.

        Args:
            seed: Seeds all randomness: a number, or a list of numbers as `numpy.random.SeedSequence` takes it.
            max_rounds: Truncate the game after this number of rounds; 0 = never.
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
        """Whether the game has terminated or was truncated."""
        return self.status != RUNNING

    @property
    def terminated(self) -> bool:
        """Whether the game has ended by its rules; a game that is over but not terminated was truncated."""
        return self.status == TERMINATED

    def has_died(self, seat: int) -> bool:
        """Return whether `seat` has left the game permanently, in games where seats can."""
        return bool(self.state["gone"][0, seat])

    @property
    def pending(self) -> list[int]:
        """The seats that still have to act in this round, in order."""
        return [seat for seat in self.acting if self._pending >> seat & 1]

    @property
    def decisions(self) -> list[Decision]:
        """All decisions of the closed rounds, in order."""
        return self._history.decisions()

    def is_pending(self, seat: int) -> bool:
        """Return whether `seat` still has to act in this round."""
        return bool(self._pending >> seat & 1)

    def has_acted(self, seat: int) -> bool:
        """Return whether `seat` has acted in the open round, which waits for other seats."""
        return seat in self._accepted

    def submit(self, seat: int, action: Any, notes: dict | None = None) -> str | None:
        """Submit a seat's action; the last action of a round closes the round.

        Returns:
            The reason for a refusal if the seat must act again; otherwise None.

        Raises:
            RuntimeError: The seat has no decision.
            ValueError: The type, shape or range of the action is wrong; or IllegalBid, if `illegal="raise"`.
        """
        action, amount, attempt = self._check_action(seat, action)
        return self._accept(seat, action, amount, attempt, notes)

    def submit_all(self, actions: Mapping[int, Any]) -> None:
        """Submit the actions of several seats; if one of them raises as in `submit`, none is submitted."""
        checked = {seat: self._check_action(seat, action) for seat, action in actions.items()}
        for seat, (action, amount, attempt) in checked.items():
            self._accept(seat, action, amount, attempt, None)

    def forfeit(self, seat: int, notes: dict | None = None) -> None:
        """Withdraw on behalf of a seat whose policy does not act, in this round or any more."""
        assert self.is_pending(seat)
        self._record_action(seat, None, WITHDRAW, notes)

    def close_round(self) -> None:
        """Close the round after all seats have acted; `submit` calls this itself unless `hold_open`."""
        self._kernels.close_table_round(self.state, 0, self._amounts, *self._buffers)
        self._history.closed.append((self.item, self.round, self.acting, self._accepted, self._amounts[0].tolist()))
        self._open_round()

    def snapshot(self) -> Snapshot:
        """Return a snapshot of the game, which can be taken between any two actions.

        Raises:
            RuntimeError: The game is not dealt, or its round is held open after all seats have acted.
        """
        if not self.dealt:
            raise RuntimeError("no game has been dealt yet: call reset() first")
        if self.acting and not self._pending:
            raise RuntimeError("every seat has acted: close the round first")
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
        """Resume the game of a snapshot, taken at this table or at another one of the same scenario.

        Do not restore to the table of an AEC or Parallel env, whose attributes would not be updated.

        Raises:
            ValueError: The snapshot has another game, version or scenario.
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
        """Let `seat` win this round's tie if it is among the tied seats, for replays of recorded games."""
        self.state["forced_tie"] = seat

    def view(self, seat: int, reveal: bool = False) -> Any:
        """Return the View of `seat`; with `reveal` nothing is hidden, for records and policies that cheat."""
        return self.game.view.make_view(
            self.state, seat, self.scenario_text, self._history.entries(), self.refusals.get(seat), reveal
        )

    def observe(self, seat: int) -> JsonObject:
        """Return the observation of `seat` in its interface: `observation`, and `action_mask` or `text`."""
        features, mask = self._observed[seat]
        interface = self.interfaces[seat]
        if interface == "vector":
            return {"observation": features.copy(), "action_mask": mask.copy()}
        if interface == "text":
            return {"observation": features.copy(), "text": self.text(seat)}
        return {"observation": features.copy()}

    def rewards(self) -> list[float]:
        """Return each seat's reward for the last closed round."""
        return self._scores[1].tolist()

    def scores(self) -> list[float]:
        """Return each seat's current score."""
        return self._scores[0].tolist()

    def numeric_info(self, seat: int) -> dict[str, float]:
        """Return the info of `seat` in numbers; `refused` is 1 if its last action was refused."""
        numbers = self._infos[seat][0](self._words)
        numbers["refused"] = int(seat in self.refusals)
        return numbers

    def full_info(self, seat: int) -> JsonObject:
        """Return the info of `seat` in names and dollars; `refused` is the reason for its last refusal, or None."""
        return {**self._infos[seat][1](self._words, self.scenario_text), "refused": self.refusals.get(seat)}

    def text(self, seat: int) -> str:
        """Return the text of `seat`: the news since its last decision; before its first decision, everything."""
        return self.game.words.describe(self.view(seat), self._history.last_decision(seat))

    def _amount_of(self, seat: int) -> int:
        """Return the amount that `seat` has submitted in the open round."""
        action = self._amounts.item(1, seat)
        return self.game.features.amount(self.state, 0, seat, action) if action >= 0 else self._amounts.item(0, seat)

    def _clear_records(self) -> None:
        self._amounts[:] = WITHDRAW
        self._history = History()

    def _open_round(self) -> None:
        summary = self._summary.tolist()
        self.item, self.round, self.rounds, self.status, self.score_changed, acting_bits = summary
        self._pending = acting_bits
        self.acting = seats_in(acting_bits)
        self._accepted = {}
        self._attempts = {}
        self.refusals = {}

    def _check_action(self, seat: int, action: Any) -> tuple[Any, int | None, Attempt | None]:
        """Return an action, its amount, and the refused attempt or None; a legal vector action, an int, has neither."""
        if not self._pending >> seat & 1:
            raise RuntimeError(f"{self.scenario_text.seats[seat]} has nothing to decide now; pending: {self.pending}")
        interface = self.interfaces[seat]
        try:
            if interface == "vector":
                is_read = type(action) is int and 0 <= action < self.num_actions
                number = action if is_read else read_vector_action(action, self.num_actions)
                if self._observed[seat][1].item(number):
                    return number, None, None
                amount = self.game.features.amount(self.state, 0, seat, number)
            else:
                amount = action_cents(action, interface, seat, self.state, self.game, self.scenario_text)
        except Unreadable as error:
            return action, *self._refuse(seat, WITHDRAW, Attempt(to_json_value(action), str(error), "unreadable"))
        except NoAction as error:
            raise ValueError(f"{self.scenario_text.seats[seat]}: {error}") from None
        code = self.game.rules.check(self.state, 0, seat, amount)
        if code == 0:
            return action, amount, None
        reason = self.game.words.refusal(self.state, seat, amount, code, self.scenario_text)
        attempt = Attempt(to_json_value(action), reason, self.game.rules.REFUSALS[code])
        return action, *self._refuse(seat, amount, attempt)

    def _refuse(self, seat: int, amount: int, attempt: Attempt) -> tuple[int, Attempt | None]:
        if self.illegal == "refuse":
            return amount, attempt
        if self.illegal == "raise":
            raise IllegalBid(f"{self.scenario_text.seats[seat]}: {attempt.refused}")
        return int(self.game.rules.clip(self.state, 0, seat, amount)), None

    def _accept(
        self, seat: int, action: Any, amount: int | None, attempt: Attempt | None, notes: dict | None
    ) -> str | None:
        if attempt is not None:
            attempts = self._attempts.setdefault(seat, [])
            attempts.append(attempt)
            if len(attempts) <= self.max_retries:
                self.refusals[seat] = attempt.refused
                return attempt.refused
            action, amount = None, WITHDRAW
        self._record_action(seat, action, amount, notes)
        return None

    def _record_action(self, seat: int, action: Any, amount: int | None, notes: dict | None) -> None:
        if self.refusals:
            self.refusals.pop(seat, None)
        self._pending ^= 1 << seat
        if amount is None:
            self._amounts[1, seat] = action
        else:
            self._amounts[0, seat] = amount
        self._accepted[seat] = (to_json_value(action), self._attempts.get(seat, []), notes or {})
        if not self._pending and not self.hold_open:
            self.close_round()
