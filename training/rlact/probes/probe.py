"""A probe: how well boosted trees predict decisions from a View's features, as a reference for trained models."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from aucenv.training.rlact.probes.features import ALL, FEATURES_VERSION, feature_names, probe_features
from aucenv.training.rlact.probes.file import FORMAT, VERSION, write_probe
from aucenv.training.rlact.probes.trees import trees_of
from aucenv.training.rlact.sealed.shares import GAME as SEALED_BID
from aucenv.training.rlact.states.states import DecisionState, check_disjoint

from aucenv.core.extras import missing_extra
from aucenv.runs.deals import deal_digest


@dataclasses.dataclass(frozen=True)
class ProbeResult:
    """A probe and its accuracy. States whose decision is a tie do not count.

    Attributes:
        accuracy: share of held-out states for which the probe predicts the better decision, bid or withdraw.
        chance: accuracy of always predicting the more frequent decision.
        num_train, num_held_out: numbers of states.
        classifier: the fitted HistGradientBoostingClassifier.
        features: what it knows, one of `features.FEATURE_SETS`.
    """

    accuracy: float
    chance: float
    num_train: int
    num_held_out: int
    classifier: Any
    features: str = ALL


def probe(
    train: Sequence[DecisionState], held_out: Sequence[DecisionState], seed: int = 0, features: str = ALL
) -> ProbeResult:
    """Fit boosted trees to the decisions of judged states, and measure their accuracy on held-out states.

    Args:
        train, held_out: judged states of one game.
        seed: the seed of the trees.
        features: what the trees know, one of `features.FEATURE_SETS`.

    Raises:
        ValueError: The states are of several games; or a split is not judged, does not have both decisions, or
            overlaps with the other.
        MissingExtra: scikit-learn is not installed.
    """
    games = {state.game for state in (*train, *held_out)}
    if len(games) > 1:
        raise ValueError(f"probe: expected states of one game, got {', '.join(sorted(games))}")
    if SEALED_BID in games:
        raise ValueError(
            f"probe: expected states of english or harbor, where a seat bids or withdraws, got {SEALED_BID}"
        )
    check_disjoint(train, held_out)
    (values, decisions), (held_out_values, best) = (
        _dataset(split, name, features) for split, name in ((train, "training"), (held_out, "held-out"))
    )
    trees = fit_trees(values, decisions, seed)
    predicted = trees.predict(held_out_values)
    accuracy, chance = (predicted == best).mean(), max(best.mean(), 1 - best.mean())
    return ProbeResult(float(accuracy), float(chance), len(decisions), len(best), trees, features)


def fit_trees(values: np.ndarray, decisions: np.ndarray, seed: int) -> Any:
    """Return scikit-learn's boosted trees, fitted to decisions.

    Args:
        values: (states, features).
        decisions: (states,) bool.
        seed: the seed of the trees.

    Raises:
        MissingExtra: scikit-learn is not installed.
    """
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
    except ImportError:
        raise missing_extra("rlact probe", "rlact") from None
    trees = HistGradientBoostingClassifier(max_iter=300, learning_rate=0.05, l2_regularization=1.0, random_state=seed)
    values = values.copy()
    for column in values.T:
        known = column[~np.isnan(column)]
        if not len(known):
            column[:2] = 0.0, 1.0  # scikit-learn fails if a feature has fewer than two values; no leaf is this small
        elif (known == known[0]).all():
            column[0] = known[0] + 1.0
    return trees.fit(values, decisions)


def save_probe(path: Path, result: ProbeResult, train: Sequence[DecisionState], seed: int) -> None:
    """Write the file of a probe, for the bidder `probe:FILE`.

    Args:
        train: its training states.
        seed: the seed that it was fitted with.
    """
    first = train[0]
    data = {
        "format": FORMAT,
        "version": VERSION,
        "game": first.game,
        "env_version": first.env_version,
        "features_version": FEATURES_VERSION,
        "features": feature_names(first.view(), result.features),
        "train_states": result.num_train,
        "held_out_states": result.num_held_out,
        "accuracy": result.accuracy,
        "chance": result.chance,
        "seed": seed,
        "deals": sorted({deal_digest(state.game, state.scenario, state.seed) for state in train}),
        **trees_of(result.classifier),
    }
    write_probe(path, data)


def _dataset(states: Sequence[DecisionState], name: str, features: str) -> tuple[np.ndarray, np.ndarray]:
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
    return np.array([probe_features(state.view(), features) for state, _ in clear]), decisions
