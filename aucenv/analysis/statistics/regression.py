"""Linear regression by least squares, with standard errors that allow for dependent observations in clusters."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from aucenv.analysis.statistics.intervals import MIN_DEALS, student_point


@dataclasses.dataclass(frozen=True)
class Coefficient:
    """A coefficient of a regression.

    Attributes:
        value: the change of the outcome per unit; None if the variable is constant, or follows from the others.
        error: the standard error; None with fewer than MIN_DEALS clusters.
        low, high: the ends of the 95% interval; None like the error.
    """

    value: float | None
    error: float | None = None
    low: float | None = None
    high: float | None = None


@dataclasses.dataclass(frozen=True)
class Regression:
    """A fitted regression.

    Attributes:
        coefficients: of the constant, then of each variable.
        r_squared: the share of the outcome's variance that the fit explains; None if the outcome is constant.
        fitted: (observations,), the fitted outcomes.
    """

    coefficients: tuple[Coefficient, ...]
    r_squared: float | None
    fitted: np.ndarray


def fit_linear(outcome: np.ndarray, variables: np.ndarray, clusters: Sequence[int]) -> Regression | None:
    """Fit a regression with a constant by least squares.

    Observations of one cluster may depend on each other in any way. The errors are those of Liang and Zeger (1986),
    with the correction G / (G - 1) x (N - 1) / (N - K) for G clusters, N observations and K coefficients; the interval
    is that of Student's t with G - 1 degrees of freedom (Cameron and Miller, "A Practitioner's Guide to Cluster-Robust
    Inference", 2015, sections II.B and VI.D).

    Args:
        outcome: (observations,).
        variables: (observations, variables), without the constant.
        clusters: the number of each observation's cluster.

    Returns:
        The regression; None if there are not more observations than coefficients.
    """
    design = np.column_stack([np.ones(len(outcome)), variables])
    kept = _independent(design)
    used = design[:, kept]
    if len(outcome) <= used.shape[1]:
        return None
    values = np.linalg.lstsq(used, outcome, rcond=None)[0]
    fitted = used @ values
    errors = _clustered_errors(used, outcome - fitted, np.asarray(clusters))
    spread = ((outcome - outcome.mean()) ** 2).sum()
    number = len(np.unique(clusters))
    coefficients = [Coefficient(None)] * design.shape[1]
    for place, value, error in zip(kept, values, errors, strict=True):
        if number < MIN_DEALS:
            coefficients[place] = Coefficient(float(value))
        else:
            half = student_point(number - 1) * float(error)
            coefficients[place] = Coefficient(float(value), float(error), float(value) - half, float(value) + half)
    r_squared = None if spread < 1e-9 else float(1 - ((outcome - fitted) ** 2).sum() / spread)
    return Regression(tuple(coefficients), r_squared, fitted)


def _independent(design: np.ndarray) -> list[int]:
    """Return the columns that do not follow from earlier ones."""
    kept: list[int] = []
    basis = np.empty((len(design), 0))
    for place, column in enumerate(design.T):
        rest = column - basis @ (basis.T @ column)
        rest -= basis @ (basis.T @ rest)  # again, because the first projection is rounded
        length = float(np.linalg.norm(rest))
        if length > 1e-8 * max(1.0, float(np.linalg.norm(column))):
            kept.append(place)
            basis = np.column_stack([basis, rest / length])
    return kept


def _clustered_errors(design: np.ndarray, residuals: np.ndarray, clusters: np.ndarray) -> np.ndarray:
    """Return the standard errors of the coefficients, (coefficients,); NaN with a single cluster."""
    observations, number = design.shape
    groups = np.unique(clusters)
    if len(groups) < 2:
        return np.full(number, np.nan)
    inverse = np.linalg.inv(design.T @ design)
    scores = np.array([residuals[clusters == group] @ design[clusters == group] for group in groups])
    correction = len(groups) / (len(groups) - 1) * (observations - 1) / (observations - number)
    return np.sqrt(np.maximum(np.diag(correction * inverse @ scores.T @ scores @ inverse), 0))
