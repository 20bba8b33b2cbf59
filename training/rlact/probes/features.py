"""The features of a probe: the numbers of a View from which boosted trees predict a decision."""

from __future__ import annotations

import numpy as np
from aucenv.baselines.scripted.harbor import EXPACT, PARAMETERS, decide
from aucenv.training.rlact.judges.rival_features import RIVAL_FEATURES, ranked_rivals, rival_features
from aucenv.training.rlact.states.games import has_personas
from aucenv.training.rlact.states.message_numbers import TERSE_FEATURES, message_numbers
from aucenv.training.rlact.states.messages import rival_profile
from aucenv.training.rlact.states.state_features import PERSONA_FEATURES, STATE_FEATURES, price_ahead, state_features

from aucenv.core.views.seat_view import GameView
from aucenv.envs.english.view import View
from aucenv.envs.harbor.rules import LIKING

ALL, MESSAGES = FEATURE_SETS = ("all", "messages")
"""All features, or only the numbers in terse messages, which a policy finds in the states of many games at once."""
FEATURES_VERSION = 2
"""The version of the features; since version 2, `RIVAL_FEATURES` are among all of them."""
NUM_RIVALS = 3
"""Number of rivals that have features: the first of `ranked_rivals`."""


def feature_names(view: GameView, features: str = ALL) -> list[str]:
    """Return the names of the features in a game, in their order.

    Args:
        view: a View of the game, or the class of its Views.
        features: one of FEATURE_SETS.
    """
    if features == MESSAGES:
        return list(TERSE_FEATURES)
    personas = has_personas(view)
    names = [*STATE_FEATURES, *((*PERSONA_FEATURES, "expact bids") if personas else ())]
    of_rival = ["active", "leads", "budget/ahead", "bids", "won", "budget/start", *RIVAL_FEATURES]
    of_rival += ["liking", "clearest persona"] if personas else []
    return [*names, *(f"rival {number + 1}, {name}" for number in range(NUM_RIVALS) for name in of_rival)]


def probe_features(view: View, features: str = ALL) -> list[float]:
    """Return the features of a View, as `feature_names` names them; those of rivals that do not exist are NaN."""
    if features == MESSAGES:
        numbers: list[float] = message_numbers(view.row, np.array([0]), np.array([view.seat_number]))[0].tolist()
        return numbers
    g, personas = view.row[0], has_personas(view)
    start, ahead = price_ahead(view)
    values = [*state_features(view).values()]
    if personas:
        values.append(float(decide(EXPACT, PARAMETERS, view.row, 0, view.seat_number) >= 0))
    revealed = rival_features(view)
    for s in ranked_rivals(view)[:NUM_RIVALS]:
        values += [float(g["active"][s]), float(g["leader"] == s), float(g["budget"][s]) / ahead]
        values += [float(g["bids"][s]), float(g["won"][s]), float(g["budget"][s]) / start, *revealed[s].values()]
        if personas:
            profile = rival_profile(view, s)
            liking = g["liking"][g["lot"][view.item_number]] / LIKING
            values += [float(np.dot(profile, liking)), max(profile)]
    return values + [np.nan] * (len(feature_names(view)) - len(values))
