"""The words that distinguish groups of texts: log-odds ratios with an informative Dirichlet prior.

Source: Monroe, Colaresi and Quinn, "Fightin' Words", Political Analysis 16(4), 2008, sections 3.3 and 3.4.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping

import numpy as np

PRIOR_WORDS = 500.0
"""The weight of the prior, as a number of words."""


@dataclasses.dataclass(frozen=True)
class WordOdds:
    """How much more often one group uses a word than all other groups together.

    Attributes:
        count: how often the group uses the word.
        log_odds: the difference of the two log odds, after the prior.
        z: `log_odds` divided by its standard deviation.
    """

    word: str
    count: int
    log_odds: float
    z: float


def distinguishing_words(
    groups: Mapping[str, Mapping[str, int]], prior_words: float = PRIOR_WORDS
) -> dict[str, list[WordOdds]]:
    """Return the words of each group with their log-odds ratios, from the highest z-score; equal ones by the alphabet.

    The prior of a word is its share of all words, times `prior_words`: it draws the odds of rare words to those of all
    groups together. The variance of a log-odds ratio is about the sum of the reciprocals of both counts with the prior.

    Args:
        groups: the count of each word, by group.
        prior_words: the weight of the prior, as a number of words.

    Returns:
        The words that each group uses; a single group is compared with no other, and has none.
    """
    total: Counter[str] = Counter()
    for counts in groups.values():
        total.update(counts)
    words = sorted(word for word, count in total.items() if count > 0)
    if len(groups) < 2 or len(words) < 2:
        return {group: [] for group in groups}
    all_counts = np.array([total[word] for word in words], float)
    prior = prior_words * all_counts / all_counts.sum()
    result = {}
    for group, counts in groups.items():
        used = np.array([counts.get(word, 0) for word in words], float)
        odds = [_log_odds(part, prior) for part in (used, all_counts - used)]
        difference = odds[0] - odds[1]
        z = difference / np.sqrt(1 / (used + prior) + 1 / (all_counts - used + prior))
        rows = [
            WordOdds(word, int(used[i]), float(difference[i]), float(z[i])) for i, word in enumerate(words) if used[i]
        ]
        result[group] = sorted(rows, key=lambda row: (-round(row.z, 9), row.word))
    return result


def _log_odds(counts: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """Return the log odds of each word in one group, after the prior."""
    weights = counts + prior
    return np.log(weights / (weights.sum() - weights))
