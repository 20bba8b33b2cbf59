"""Small neural networks as bidders in compiled code.

A network is a row of numbers, as the parameters of a rule bidder are: HEADER numbers that describe it, and then for
each layer its biases and its weights, (inputs, outputs) in row-major order. Hidden layers end with tanh. The functions
are templates: `NetworkKernels` binds them to the kernels of one game.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from aucenv.core.game_modules import FeaturesModule
from aucenv.core.kernel import allocating, bind, draw, kernel, template, unbound
from aucenv.core.state import seats_of

features = mask = amount = amount_of_share = decide = decide_network = unbound

NETWORK = 1000
"""The kind of every network among a game's rule bidders."""
FEATURES, IS_SHARE, SAMPLES, LOG_STD, LAYERS, SIZES = range(6)
"""Places in the header: the number of features; whether the output is a share of the seat's value,
or a logit for each vector action; whether the action is drawn, or the most likely one; the logarithm of the standard
deviation of drawn shares; the number of layers; and the numbers of their outputs from SIZES on."""
MAX_LAYERS = 4
HEADER = SIZES + MAX_LAYERS


def encode(
    weights: Sequence[np.ndarray], biases: Sequence[np.ndarray], is_share: bool, samples: bool, log_std: float = 0.0
) -> np.ndarray:
    """Return a network as a row of numbers.

    Args:
        weights: (inputs, outputs) for each layer.
        biases: (outputs,) for each layer.
        is_share, samples, log_std: See IS_SHARE.
    """
    header = np.zeros(HEADER)
    header[:SIZES] = len(weights[0]), is_share, samples, log_std, len(weights)
    header[SIZES : SIZES + len(weights)] = [len(bias) for bias in biases]
    layers = [np.concatenate([bias, weight.ravel()]) for weight, bias in zip(weights, biases, strict=True)]
    return np.concatenate([header, *layers]).astype(np.float64)


@kernel
def outputs_of(params, inputs):
    """Return the outputs of a network.

    Args:
        params: (any,) float64, the network.
        inputs: (features,) float64.
    """
    at = HEADER
    values = inputs
    num_layers = int(params[LAYERS])
    for layer in range(num_layers):
        size = int(params[SIZES + layer])
        outputs = params[at : at + size].copy()
        at += size
        for i in range(len(values)):
            if values[i] != 0.0:
                for k in range(size):
                    outputs[k] += values[i] * params[at + k]
            at += size
        if layer < num_layers - 1:
            for k in range(size):
                outputs[k] = math.tanh(outputs[k])
        values = outputs
    return values


@kernel
def uniform(g, seat, purpose):
    """Return a random number in (0, 1) for a decision of a seat, a function of the seat's key and the purpose."""
    return (draw(g["seat_key"][seat], purpose, g["item"], g["round"], 0) + 0.5) / 4294967296.0


@kernel
def share_of(params, state, b, seat, output):
    """Return the share of the seat's value for a network's output: the nearest number in [0, 1]."""
    share = output
    if params[SAMPLES] != 0.0:  # Box and Muller's transform
        g = state[b]
        radius = math.sqrt(-2.0 * math.log(uniform(g, seat, 1)))
        share += math.exp(params[LOG_STD]) * radius * math.cos(2.0 * math.pi * uniform(g, seat, 2))
    return min(max(share, 0.0), 1.0)


@template
def network_amount(params, state, b, seat):
    """Return the amount in cents that a network bids in an acting seat, or WITHDRAW.

    Args:
        params: (any,) float64, the network.
    """
    g = state[b]
    seats = seats_of(g)
    observed = np.zeros((seats, int(params[FEATURES])), np.float32)
    features(state, b, observed)
    outputs = outputs_of(params, observed[seat].astype(np.float64))
    if params[IS_SHARE] != 0.0:
        return amount_of_share(state, b, seat, share_of(params, state, b, seat, outputs[0]))
    legal = np.zeros((seats, len(outputs)), np.int8)
    mask(state, b, legal)
    best = 0
    highest = -np.inf
    for action in range(len(outputs)):
        if legal[seat, action] != 0:
            score = outputs[action]
            if params[SAMPLES] != 0.0:  # the highest sum of a logit and Gumbel noise is a draw from the softmax
                score -= math.log(-math.log(uniform(g, seat, 1 + action)))
            if score > highest:
                best = action
                highest = score
    return amount(state, b, seat, best)


@template
def decide_with_networks(kind, params, state, b, seat, memory):
    """Return the amount of a rule bidder or of a network."""
    if kind == NETWORK:
        return decide_network(params, state, b, seat)
    return decide(kind, params, state, b, seat, memory)


class NetworkKernels:
    """The templates of this module, bound to one game.

    Args:
        name: A unique prefix for the names of the compiled functions.
        vector: The game's module `features`.
    """

    def __init__(self, name: str, vector: FeaturesModule) -> None:
        self._name = name
        numbers = {name: getattr(vector, name) for name in ("features", "mask", "amount", "amount_of_share")}
        self.network_amount = bind(network_amount, name, allocating, **numbers)

    def decide(self, decide_rule: Callable) -> Callable:
        """Return a kernel that decides for rule bidders, by `decide_rule`, and for networks."""
        return bind(decide_with_networks, self._name, decide_network=self.network_amount, decide=decide_rule)
