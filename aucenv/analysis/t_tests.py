"""Student's t-tests, with scipy."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np


def pooled_t_test(first: Sequence[float], second: Sequence[float]) -> float | None:
    """The two-sided p-value of a difference in means, variances pooled; None where it is not defined.

    It takes two values of each, and some that differ. Source: Alympics, arXiv 2311.03220, section 4.

    Raises:
        ImportError: scipy is not installed.
    """
    try:
        from scipy.stats import ttest_ind
    except ImportError as error:
        raise ImportError("p-values need scipy: pip install 'aucenv[stats]'") from error
    if min(len(first), len(second)) < 2:
        return None
    if max(np.std(first), np.std(second)) < 1e-9 * max(1.0, abs(np.mean(first)), abs(np.mean(second))):
        return None
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Precision loss", RuntimeWarning)  # one of them may be constant
        return float(ttest_ind(first, second, equal_var=True).pvalue)
