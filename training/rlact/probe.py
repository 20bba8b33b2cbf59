"""A probe: how well boosted trees predict decisions from a View's features, as a reference for trained models."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from aucenv.baselines.scripted.harbor import EXPACT, decide
from aucenv.baselines.scripted.harbor_rules_followed import PARAMETERS
from aucenv.training.rlact.games import has_personas
from aucenv.training.rlact.messages import rival_profile
from aucenv.training.rlact.state_features import price_ahead, state_features
from aucenv.training.rlact.states import DecisionState, check_disjoint

from aucenv.core.extras import missing_extra
from aucenv.envs.harbor.rules import LIKING

NUM_RIVALS = 3
"""Number of rivals that have features; active rivals come first, and among them those with the highest budgets."""


@dataclasses.dataclass(frozen=True)
class ProbeResult:
    """The accuracy of a probe. States whose decision is a tie do not count.

    Attributes:
        accuracy: share of held-out states for which the probe predicts the better decision, bid or withdraw.
        chance: accuracy of always predicting the more frequent decision.
        num_train, num_held_out: numbers of states.
    """

    accuracy: float
    chance: float
    num_train: int
    num_held_out: int


def probe(train: Sequence[DecisionState], held_out: Sequence[DecisionState], seed: int = 0) -> ProbeResult:
    """Fit boosted trees to the decisions of judged states, and measure their accuracy on held-out states.

    Raises:
        ValueError: The states are of several games; or a split is not judged, does not have both decisions, or
            overlaps with the other.
        MissingExtra: scikit-learn is not installed.
    """
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
    except ImportError:
        raise missing_extra("rlact probe", "rlact") from None
    games = {state.game for state in (*train, *held_out)}
    if len(games) > 1:
        raise ValueError(f"probe: expected states of one game, got {', '.join(sorted(games))}")
    check_disjoint(train, held_out)
    (features, decisions), (held_out_features, best) = (
        _dataset(split, name) for split, name in ((train, "training"), (held_out, "held-out"))
    )
    trees = HistGradientBoostingClassifier(max_iter=300, learning_rate=0.05, l2_regularization=1.0, random_state=seed)
    predicted = trees.fit(features, decisions).predict(held_out_features)
    return ProbeResult(
        float((predicted == best).mean()), float(max(best.mean(), 1 - best.mean())), len(decisions), len(best)
    )


def _dataset(states: Sequence[DecisionState], name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the features of the states that are not ties, and whether bidding is better than withdrawing."""
    unjudged = sum(state.action_values is None for state in states)
    if unjudged:
        raise ValueError(f"{name} states: expected judged ones (`aucenv rlact judge`), got {unjudged} unjudged")
    clear = [
        (state, state.action_values.bid_or_withdraw > 0)
        for state in states
        if state.action_values and state.action_values.bid_or_withdraw
    ]
    if not clear:
        raise ValueError(f"{name} states: expected some that are not ties, got none of {len(states)}")
    decisions = np.array([bids for _, bids in clear])
    if decisions.all() or not decisions.any():
        raise ValueError(f"{name} states: expected both decisions, got the same one in all {len(clear)}")
    return np.array([probe_features(state) for state, _ in clear]), decisions


def probe_features(state: DecisionState) -> list[float]:
    """Return features of a state's View; their number does not depend on the numbers of rivals and items."""
    view = state.view()
    g, j = view.row[0], view.item_number
    start, ahead = price_ahead(view)
    features = [*state_features(view).values()]
    if has_personas(view):
        features.append(float(decide(EXPACT, PARAMETERS, view.row, 0, state.seat) >= 0))
    rivals = [s for s in range(len(state.bidders)) if s != state.seat]
    rivals.sort(key=lambda s: (-int(g["active"][s]), -int(g["budget"][s])))
    for s in rivals[:NUM_RIVALS]:
        features += [float(g["active"][s]), float(g["leader"] == s), float(g["budget"][s]) / ahead]
        features += [float(g["bids"][s]), float(g["won"][s]), float(g["budget"][s]) / start]
        if has_personas(view):
            profile = rival_profile(view, s)
            liking = g["liking"][g["lot"][j]] / LIKING
            features += [float(np.dot(profile, liking)), max(profile)]
    width = 21 + NUM_RIVALS * 8 if has_personas(view) else 17 + NUM_RIVALS * 6
    return features + [np.nan] * (width - len(features))
