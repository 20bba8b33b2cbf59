"""Boosted trees as data: they predict with numpy alone, to the bit what scikit-learn predicts."""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from aucenv.core.checks import FieldError
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.formats.schema import ListOf, Object, number, whole
from aucenv.core.kernel import kernel

LEAF = -1
"""The feature of a leaf."""
_FINITE = number(-sys.float_info.max, sys.float_info.max)
_COLUMN = ListOf(whole(), 1)
TREE = Object(
    {
        "feature": ListOf(whole(LEAF), 1),
        "number": ListOf(_FINITE, 1),
        "left": _COLUMN,
        "right": _COLUMN,
        "missing_left": ListOf(whole(0, 1), 1),
    }
)
"""The format of a tree: a list for each property of its nodes, of which the first is the root.

`feature` is the number of the feature that a node splits by, and `number` its threshold: values up to it go to the node
`left`, others to `right`, and NaN to `left` if `missing_left` is 1. Both come after the node. In a leaf, `feature` is
LEAF, and `number` is the leaf's value.
"""


@dataclasses.dataclass(frozen=True)
class Trees:
    """Boosted trees for two classes, whose nodes stand in arrays one tree after the other.

    Attributes:
        baseline: the score before the first tree.
        roots: (trees,) the number of each tree's first node.
        feature, number, left, right, missing_left: (nodes,) as in TREE, with nodes numbered over all trees. Leaves are
            their own successors, and their feature is 0.
    """

    baseline: float
    roots: np.ndarray
    feature: np.ndarray
    number: np.ndarray
    left: np.ndarray
    right: np.ndarray
    missing_left: np.ndarray

    def score(self, values: Sequence[float]) -> float:
        """Return the log odds of the second class for the values of the features, which are finite or NaN."""
        features, nodes, parents = np.asarray(values, np.float64), self.roots, None
        while parents is None or (nodes != parents).any():
            parents, value = nodes, features[self.feature[nodes]]
            goes_left = np.where(np.isnan(value), self.missing_left[nodes], value <= self.number[nodes])
            nodes = np.where(goes_left, self.left[nodes], self.right[nodes])
        score = self.baseline
        for value in self.number[nodes].tolist():  # in the order of scikit-learn, as rounding depends on it
            score += value
        return score

    def scores(self, values: np.ndarray) -> np.ndarray:
        """Return `score` of each row of values, (rows,)."""
        scores = np.empty(len(values))
        score_rows(
            values,
            self.baseline,
            self.roots,
            self.feature,
            self.number,
            self.left,
            self.right,
            self.missing_left,
            scores,
        )
        return scores


@kernel
def score_rows(values, baseline, roots, feature, number, left, right, missing_left, scores):
    """Write the score of each row; see `Trees`.

    Args:
        values: (rows, features) float64.
        scores: (rows,) float64, written.
    """
    for i in range(len(values)):
        score = baseline
        for root in roots:
            node = root
            while left[node] != node:
                value = values[i, feature[node]]
                goes_left = missing_left[node] if np.isnan(value) else value <= number[node]
                node = left[node] if goes_left else right[node]
            score += number[node]
        scores[i] = score


def probability(score: float) -> float:
    """Return the probability of the second class from its log odds."""
    return 0.5 * (1.0 + math.tanh(0.5 * score))


def trees_of(classifier: Any) -> JsonObject:
    """Return a fitted HistGradientBoostingClassifier of two classes as data, for `read_trees`."""
    return {
        "baseline": float(classifier._baseline_prediction[0, 0]),
        "trees": [_tree_of(predictor.nodes) for (predictor,) in classifier._predictors],
    }


def _tree_of(nodes: np.ndarray) -> JsonObject:
    is_leaf = nodes["is_leaf"].astype(bool)
    # The threshold of a split of numbers from NaN is infinite, which JSON cannot hold.
    thresholds = np.minimum(nodes["num_threshold"], sys.float_info.max)
    return {
        "feature": np.where(is_leaf, LEAF, nodes["feature_idx"]).tolist(),
        "number": np.where(is_leaf, nodes["value"], thresholds).tolist(),
        "left": np.where(is_leaf, 0, nodes["left"]).tolist(),
        "right": np.where(is_leaf, 0, nodes["right"]).tolist(),
        "missing_left": np.where(is_leaf, 0, nodes["missing_go_to_left"]).tolist(),
    }


def read_trees(baseline: float, trees: Sequence[JsonMapping], num_features: int, where: str) -> Trees:
    """Return trees from data that fit TREE.

    Raises:
        ValueError: A feature or a node does not exist, or a node comes before its parent.
    """
    parts, roots, size = [], [], 0
    for index, data in enumerate(trees):
        parts.append(_read_tree(data, num_features, size, where, ("trees", index)))
        roots.append(size)
        size += len(data["feature"])
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return Trees(float(baseline), np.array(roots), *columns)


def _read_tree(
    data: JsonMapping, num_features: int, offset: int, where: str, path: tuple[str | int, ...]
) -> list[np.ndarray]:
    """Return the columns of a tree, with nodes numbered from `offset` on."""
    size = len(data["feature"])
    for name, column in data.items():
        if len(column) != size:
            raise FieldError(where, f"expected {size}, as feature has, got {len(column)}", (*path, name))
    feature, left, right = (np.array(data[name]) for name in ("feature", "left", "right"))
    is_leaf, nodes = feature == LEAF, np.arange(size)
    for name, column, wrong, expected in (
        ("feature", feature, feature >= num_features, f"a feature below {num_features}"),
        ("left", left, ~is_leaf & ((left <= nodes) | (left >= size)), f"a later node below {size}"),
        ("right", right, ~is_leaf & ((right <= nodes) | (right >= size)), f"a later node below {size}"),
    ):
        if wrong.any():
            node = int(wrong.argmax())
            raise FieldError(where, f"expected {expected}, got {column[node]}", (*path, name, node))
    return [
        np.where(is_leaf, 0, feature),
        np.array(data["number"], np.float64),
        np.where(is_leaf, nodes, left) + offset,
        np.where(is_leaf, nodes, right) + offset,
        np.array(data["missing_left"], bool),
    ]
