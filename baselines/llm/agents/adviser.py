"""Any bidder as an adviser: what it would do, in words."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from aucenv.core.actions import FailedReply, amount_cents, some_words, vector_number
from aucenv.core.bidder_name import inner_name
from aucenv.core.files import JsonObject
from aucenv.core.money import MAX_DOLLARS
from aucenv.core.policy import ModelFailure, PolicyError, check_policy
from aucenv.core.seat_view import GameView
from aucenv.envs.english.env import LADDER
from aucenv.policy.registry import make_policy
from aucenv.registration import find_family
from aucenv.runs.journal import RunStopped, SeatCalls

NUM_ACTIONS = LADDER + 1


class Adviser:
    """A bidder who is asked, at each decision of another, what it would do.

    Args:
        name: of a bidder of the game; `;` stands for the commas between its parameters.

    Raises:
        ValueError: there is no such bidder of this game.
    """

    def __init__(self, game: str, name: str) -> None:
        self.name = inner_name(name)
        self.policy: Any = check_policy(make_policy(game, self.name), f"adviser {self.name!r}")
        self._game = find_family(game).game
        self._since: tuple[int, int] | None = None

    def use_calls(self, calls: SeatCalls) -> None:
        if hasattr(self.policy, "use_calls"):
            self.policy.use_calls(dataclasses.replace(calls, prefix=f"{calls.prefix}adviser "))

    def reset(self, seat: str, seed: int) -> None:
        self._since = None
        self.policy.reset(seat, int(np.random.SeedSequence([seed, 1]).generate_state(1, np.uint64)[0]) >> 1)

    def advise(self, view: GameView) -> str:
        """What it would answer to this view, in words; "" where it is a model whose reply was cut off or refused.

        Raises:
            PolicyError: it failed, or answered with something that is no action of its interface.
        """
        try:
            action = self.policy.act(view, self._observation(view))
            self._since = len(view.history), view.item_number
            return self._in_words(action, view)
        except (ModelFailure, RunStopped):
            raise
        except Exception as error:  # whatever a bidder of the user's does
            raise PolicyError(f"adviser {self.name!r}: {error}") from error

    def _in_words(self, action: Any, view: GameView) -> str:
        if self.policy.interface == "text":
            return "" if isinstance(action, FailedReply) else some_words(action)
        if self.policy.interface == "vector":
            number = vector_number(action, NUM_ACTIONS)
            amount = int(self._game.vector.amount(view.row, 0, view.seat_number, number))
        else:
            amount = amount_cents(action)
        return self._game.text.reply_writer(None)(min(amount, MAX_DOLLARS * 100))

    def _observation(self, view: GameView) -> JsonObject:
        """What its interface's env would observe."""
        if not getattr(self.policy, "observes", True):
            return {}
        vector, seats = self._game.vector, len(view.scenario_text.seats)
        features = np.zeros((seats, vector.num_features(seats, len(view.items))), np.float32)
        vector.features(view.row, 0, features)
        observation: JsonObject = {"observation": features[view.seat_number]}
        if self.policy.interface == "vector":
            mask = np.zeros((seats, NUM_ACTIONS), np.int8)
            vector.mask(view.row, 0, mask)
            observation["action_mask"] = mask[view.seat_number]
        elif self.policy.interface == "text":
            observation["text"] = self._game.text.describe(view, self._since)
        return observation
