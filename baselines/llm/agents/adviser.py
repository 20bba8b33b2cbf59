"""Advisers: bidders that are asked what they would do in another bidder's place."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from aucenv.core.actions import FailedReply, read_dollar_action, read_text_action, read_vector_action
from aucenv.core.bidder_name import inner_name, public_name
from aucenv.core.files import JsonObject
from aucenv.core.money import MAX_DOLLARS
from aucenv.core.policy import ModelFailure, PolicyError, check_policy
from aucenv.core.seat_view import GameView
from aucenv.envs.english.game import LADDER
from aucenv.policy.registry import make_policy
from aucenv.registration import find_family
from aucenv.runs.journal import RunStopped, SeatCalls

NUM_ACTIONS = LADDER + 1


class Adviser:
    """A bidder that is asked for advice at each decision of another bidder.

    Args:
        name: the name of a bidder of the game, with `;` in place of the commas between its parameters.

    Raises:
        ValueError: if the game has no such bidder.
    """

    def __init__(self, game: str, name: str) -> None:
        self.name = public_name(inner_name(name))
        self.policy: Any = check_policy(make_policy(game, inner_name(name)), f"adviser {self.name!r}")
        self._game = find_family(game).game
        self._since: tuple[int, int] | None = None

    def use_calls(self, calls: SeatCalls) -> None:
        if hasattr(self.policy, "use_calls"):
            self.policy.use_calls(dataclasses.replace(calls, prefix=f"{calls.prefix}adviser "))

    def reset(self, seat: str, seed: int) -> None:
        self._since = None
        self.policy.reset(seat, int(np.random.SeedSequence([seed, 1]).generate_state(1, np.uint64)[0]) >> 1)

    def advise(self, view: GameView) -> str:
        """Return the adviser's reply to this view as text; "" if it is a model whose reply was cut off or is a refusal.

        Raises:
            PolicyError: if the adviser raises, or returns an invalid action.
        """
        try:
            advise = getattr(self.policy, "advise", None)
            action = advise(view) if advise else self.policy.act(view, self._observation(view))
            self._since = len(view.history), view.item_number
            return self._reply_text(action, view)
        except (ModelFailure, RunStopped):
            raise
        except Exception as error:  # a user-defined bidder may raise anything
            raise PolicyError(f"adviser {self.name!r}: {error}") from error

    def _reply_text(self, action: Any, view: GameView) -> str:
        if self.policy.interface == "text":
            return "" if isinstance(action, FailedReply) else read_text_action(action)
        if self.policy.interface == "vector":
            number = read_vector_action(action, NUM_ACTIONS)
            amount = int(self._game.features.amount(view.row, 0, view.seat_number, number))
        else:
            amount = read_dollar_action(action)
        return self._game.words.reply_writer(None)(min(amount, MAX_DOLLARS * 100))

    def _observation(self, view: GameView) -> JsonObject:
        """Return the observation that an environment with the adviser's interface returns."""
        if not getattr(self.policy, "observes", True):
            return {}
        vector, seats = self._game.features, len(view.scenario_text.seats)
        features = np.zeros((seats, vector.num_features(seats, len(view.items))), np.float32)
        vector.features(view.row, 0, features)
        observation: JsonObject = {"observation": features[view.seat_number]}
        if self.policy.interface == "vector":
            mask = np.zeros((seats, NUM_ACTIONS), np.int8)
            vector.mask(view.row, 0, mask)
            observation["action_mask"] = mask[view.seat_number]
        elif self.policy.interface == "text":
            observation["text"] = self._game.words.describe(view, self._since)
        return observation
