"""How well boosted trees tell decisions from the View's numbers: what a learner that sees the View can be held to."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from aucenv.baselines.scripted.harbor import EXPACT, decide
from aucenv.baselines.scripted.harbor_rules_followed import PARAMETERS
from aucenv.training.rlact.games import has_personas
from aucenv.training.rlact.messages import rival_profile
from aucenv.training.rlact.state_features import price_ahead, shares
from aucenv.training.rlact.states import DecisionState, check_disjoint

from aucenv.core.checks import MissingExtra
from aucenv.envs.harbor.rules import LIKING

RIVALS = 3
"""Told of one by one, those with the highest budgets first."""


@dataclasses.dataclass(frozen=True)
class Probed:
    """What a probe found, on states that are no ties.

    Attributes:
        accuracy: of the probe on held-out states: how often it says, bid or withdraw, what earns more.
        chance: of saying always what is right more often.
        learnt, held_out: states.
    """

    accuracy: float
    chance: float
    learnt: int
    held_out: int


def probe(learnt: Sequence[DecisionState], held_out: Sequence[DecisionState], seed: int = 0) -> Probed:
    """Learn decisions from judged states, and say how often they are right on others.

    Raises:
        ValueError: games differ; a split is not judged, has not both decisions, or overlaps with the other.
        MissingExtra: scikit-learn is not installed.
    """
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
    except ImportError:
        raise MissingExtra("the probe needs scikit-learn: pip install 'aucenv[rlact]'") from None
    games = {state.game for state in (*learnt, *held_out)}
    if len(games) > 1:
        raise ValueError(f"probe: expected states of one game, got {', '.join(sorted(games))}")
    check_disjoint(learnt, held_out)
    (numbers, decisions), (others, right) = (
        _told(split, name) for split, name in ((learnt, "learnt"), (held_out, "held out"))
    )
    trees = HistGradientBoostingClassifier(max_iter=300, learning_rate=0.05, l2_regularization=1.0, random_state=seed)
    said = trees.fit(numbers, decisions).predict(others)
    return Probed(float((said == right).mean()), float(max(right.mean(), 1 - right.mean())), len(decisions), len(right))


def _told(states: Sequence[DecisionState], name: str) -> tuple[np.ndarray, np.ndarray]:
    """What is seen in states that are no ties, and whether to bid there."""
    unjudged = sum(state.worth is None for state in states)
    if unjudged:
        raise ValueError(f"{name} states: expected judged ones (`aucenv rlact judge`), got {unjudged} that are not")
    clear = [
        (state, state.worth.bid_or_withdraw > 0) for state in states if state.worth and state.worth.bid_or_withdraw
    ]
    if not clear:
        raise ValueError(f"{name} states: expected some that are no ties, got none of {len(states)}")
    decisions = np.array([bids for _, bids in clear])
    if decisions.all() or not decisions.any():
        raise ValueError(f"{name} states: expected decisions of both kinds, got {len(clear)} alike")
    return np.array([seen(state) for state, _ in clear]), decisions


def seen(state: DecisionState) -> list[float]:
    """Numbers of a state's View, in an order that does not depend on how many rivals and items there are."""
    view = state.view()
    g, j = view.row[0], view.item_number
    start, ahead = price_ahead(view)
    numbers = [*shares(view).values()]
    if has_personas(view):
        numbers.append(float(decide(EXPACT, PARAMETERS, view.row, 0, state.seat) >= 0))
    rivals = [s for s in range(len(state.bidders)) if s != state.seat]
    rivals.sort(key=lambda s: (-int(g["active"][s]), -int(g["budget"][s])))
    for s in rivals[:RIVALS]:
        numbers += [float(g["active"][s]), float(g["leader"] == s), float(g["budget"][s]) / ahead]
        numbers += [float(g["bids"][s]), float(g["won"][s]), float(g["budget"][s]) / start]
        if has_personas(view):
            profile = rival_profile(view, s)
            liking = g["liking"][g["lot"][j]] / LIKING
            numbers += [float(np.dot(profile, liking)), max(profile)]
    width = 21 + RIVALS * 8 if has_personas(view) else 17 + RIVALS * 6
    return numbers + [np.nan] * (width - len(numbers))
