"""Networks with random weights, for tests."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from aucenv.training.ppo.checkpoint import Checkpoint, layout_of, write_checkpoint

from aucenv.registration import find_family


def random_network(game, scenario, is_share, scale=1.0, log_std=-1.0, lstm=0, seed=0, actions=None):
    """Return a network with two hidden layers of 16; with `scale` 0 its outputs do not depend on its inputs."""
    declared, rng = find_family(game).game, np.random.default_rng(seed)
    features = declared.features.num_features(len(scenario.bidders), scenario.num_items)
    sizes = [lstm or features, 16, 16, 1 if is_share else actions or declared.num_actions(scenario)]
    weights = [
        (scale * rng.normal(size=(before, after)) / before**0.5).astype(np.float32) for before, after in pairwise(sizes)
    ]
    biases = [(scale * rng.normal(size=size) / 10).astype(np.float32) for size in sizes[1:]]
    if is_share:
        biases[-1] += np.float32(0.5)
    shapes = ((4 * lstm, features), (4 * lstm, lstm), (4 * lstm,)) if lstm else ()
    recurrent = [rng.normal(size=shape).astype(np.float32) / 4 for shape in shapes]
    layout = layout_of(declared, scenario.template()[0])
    return Checkpoint(game, declared.version, scenario.name, layout, is_share, log_std, weights, biases, recurrent)


def save_network(path, game, scenario, is_share, **options):
    """Write a random network to a file, and return its path."""
    write_checkpoint(path, random_network(game, scenario, is_share, **options))
    return path
