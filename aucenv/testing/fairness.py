"""The check that seats which act alike have equal chances."""

from __future__ import annotations

from typing import Any

import numpy as np

from aucenv.core.fields import SEAT
from aucenv.core.records.figures import is_amount
from aucenv.core.words.money import money
from aucenv.testing.contract import Case, ContractError

ROWS = 3000
"""Number of games of each action."""
MOST_STEPS = 400
MOST_ERRORS = 5.0
"""The number of standard errors by which a seat's mean score may differ from that of all seats."""


def check_ties(case: Case) -> None:
    """Let all seats act alike in many games, and compare their mean scores; only if the scenario treats them alike."""
    if not _is_symmetric(case):
        return
    batch = case.family.batch_env(ROWS, 2, scenario=case.scenario)
    for action in sorted({1, batch.num_actions // 2}):
        scores = _scores(batch, action, case.seed)
        differences = scores - scores.mean(axis=1, keepdims=True)
        errors = differences.std(axis=0) / np.sqrt(len(scores))
        away = np.abs(differences.mean(axis=0)) / np.maximum(errors, 1e-12)
        if (away > MOST_ERRORS).any():
            seat = int(np.argmax(away))
            score, of_all = _score(case, scores[:, seat]), _score(case, scores)
            certain = "in every game" if errors[seat] < 1e-9 else f"{away[seat]:.0f} standard errors"
            raise ContractError(
                case.subject,
                f"if all seats choose action {action}, bidder_{seat} scores {score} on average, "
                f"and all seats {of_all} ({certain}, {len(scores)} games)",
                "seats that act alike have equal chances: no rule depends on the number of a seat, every draw depends "
                "on the game's key, and ties are broken uniformly, for example by core.state.break_tie",
            )
    batch.close()


def _score(case: Case, scores: np.ndarray) -> str:
    """Return a mean score in words."""
    mean = float(scores.mean())
    return money(round(mean) / 100) if is_amount(case.game.rules.RESULT[0]) else f"{mean:.4g}"


def _is_symmetric(case: Case) -> bool:
    template = case.scenario.template()[0]
    per_seat = [template[name] for name, field in case.game.rules.State.FIELDS.items() if field.per[:1] == (SEAT,)]
    return all((values[: case.num_seats] == values[0]).all() for values in per_seat)


def _scores(batch: Any, action: int, seed: int) -> np.ndarray:
    """Return the scores of the first game of each row if all seats choose one action where it is legal."""
    batch.reset(seed)
    masks, over = batch.masks, np.zeros(ROWS, bool)
    scores = np.zeros(masks.shape[:2])
    for _ in range(MOST_STEPS):
        batch.step(np.where(masks[:, :, action] > 0, action, 0))
        ended = (batch.terminated | batch.truncated) & ~over
        scores[ended] = batch.results[ended, :, 0]
        over |= ended
        if over.all():
            break
    return scores[over]
