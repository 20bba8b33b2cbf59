"""Networks trained by PPO as bidders, without torch: in compiled code, or in numpy if they are recurrent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal

import numpy as np
from aucenv.training.ppo.checkpoint import Checkpoint, layout_of, read_checkpoint

from aucenv.core.checks import one_of
from aucenv.core.compiled.cold_start import KernelCall
from aucenv.core.compiled.networks import NETWORK, encode, outputs_of
from aucenv.core.files import JsonMapping
from aucenv.core.formats.user_files import USER_FILES
from aucenv.core.game import Game
from aucenv.core.scenarios import Scenario
from aucenv.core.views.seat_view import SeatView
from aucenv.core.words.bidder_name import BidderSpec
from aucenv.core.words.money import to_dollars
from aucenv.registration import find_family

MODELS = Path(__file__).parent / "models"
ABOUT = (
    "A neural network trained by `aucenv train ppo`: the one in the file PATH, or without PATH the one for the "
    "scenario that is part of aucenv. sample: whether it draws its actions; otherwise it takes the most likely one"
)


class NetworkBidder:
    """A bidder that bids as a network decides in compiled code.

    Args:
        game: The game.
        checkpoints: The networks, of which it uses the first one that is trained for the scenario.
        samples: Whether it draws its actions.
    """

    interface: Literal["amount"] = "amount"
    observes = False
    is_compiled = True

    def __init__(self, game: Game, checkpoints: Sequence[Checkpoint], samples: bool) -> None:
        self.game = game
        self.checkpoints = checkpoints
        self.samples = samples
        self._params: dict[tuple[int, ...], np.ndarray] = {}

    def why_unplayable(self, scenario: Scenario) -> str | None:
        """Return why none of the networks can play a scenario, or None if one can."""
        return self._why_unplayable(scenario.template()[0])

    def reset(self, seat: str, seed: int) -> None:
        """Do nothing; random numbers come from the key of the seat."""

    def act(self, view: SeatView, observation: JsonMapping) -> float:
        return _dollars(self.game.networks.network_amount(self._encoded(view.row), view.row, 0, view.seat_number))

    def close_game(self, view: SeatView) -> None:
        """Do nothing; the bidder keeps no state between games."""

    def numbers(self, scenario: Scenario) -> tuple[int, np.ndarray]:
        """Return the kind and the parameters of the bidder in compiled code, for a scenario that it can play.

        Raises:
            ValueError: The network is recurrent.
        """
        return NETWORK, self._encoded(scenario.template())

    def kernel_calls(self, row: np.ndarray) -> tuple[KernelCall, ...]:
        """Return the kernels that it calls in games whose state has the type of `row`."""
        path = f"{self.game.module}:GAME.networks.network_amount"
        return (KernelCall(path, (np.zeros(1), row, 0, 0)),)

    def _encoded(self, state: np.ndarray) -> np.ndarray:
        key = tuple(layout_of(self.game, state[0]).values())
        if key not in self._params:
            self._params[key] = self._chosen(state).encoded(self.samples)
        return self._params[key]

    def _why_unplayable(self, row: np.void) -> str | None:
        reasons = [each.why_unplayable(self.game, row) for each in self.checkpoints]
        return None if None in reasons else "; ".join(reason for reason in reasons if reason)

    def _chosen(self, state: np.ndarray) -> Checkpoint:
        for each in self.checkpoints:
            if each.why_unplayable(self.game, state[0]) is None:
                return each
        raise ValueError(self._why_unplayable(state[0]))


class RecurrentBidder(NetworkBidder):
    """A bidder with a recurrent network (LSTM), whose state lasts from its first decision in a game to its last."""

    is_compiled = False

    def kernel_calls(self, row: np.ndarray) -> tuple[KernelCall, ...]:
        """Return no kernel; it plays in numpy."""
        return ()

    def reset(self, seat: str, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._memory: tuple[np.ndarray, np.ndarray] | None = None

    def act(self, view: SeatView, observation: JsonMapping) -> float:
        network, vector, seat = self._chosen(view.row), self.game.features, view.seat_number
        seats = int(view.row["num_seats"][0])
        observed = np.zeros((seats, network.num_features), np.float32)
        vector.features(view.row, 0, observed)
        inputs = self._remember(network, observed[seat].astype(np.float64))
        outputs = outputs_of(encode(network.weights, network.biases, network.is_share, False), inputs)
        if network.is_share:
            error = math.exp(network.log_std) * self._rng.standard_normal() if self.samples else 0.0
            share = min(max(float(outputs[0]) + error, 0.0), 1.0)
            return _dollars(vector.amount_of_share(view.row, 0, seat, share))
        legal = np.zeros((seats, len(outputs)), np.int8)
        vector.mask(view.row, 0, legal)
        noise = self._rng.gumbel(size=len(outputs)) if self.samples else 0.0
        action = int(np.where(legal[seat], outputs + noise, -np.inf).argmax())
        return _dollars(vector.amount(view.row, 0, seat, action))

    def _remember(self, network: Checkpoint, inputs: np.ndarray) -> np.ndarray:
        """Feed the features of a decision to the recurrent layer, and return its outputs."""
        into, across, bias = network.lstm
        size = across.shape[1]
        hidden, cell = self._memory or (np.zeros(size), np.zeros(size))
        enter, forget, change, leave = np.split(into @ inputs + across @ hidden + bias, 4)
        cell = _sigmoid(forget) * cell + _sigmoid(enter) * np.tanh(change)
        hidden = _sigmoid(leave) * np.tanh(cell)
        self._memory = hidden, cell
        return hidden


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 0.5 * (1.0 + np.tanh(0.5 * x))


def _dollars(amount: int) -> float:
    return to_dollars(int(amount)) if amount >= 0 else -1.0


@lru_cache
def bundled_checkpoints(game: str) -> tuple[Checkpoint, ...]:
    """Return the networks for a game that are part of aucenv."""
    return tuple(read_checkpoint(path) for path in sorted(MODELS.glob(f"{game}-*.safetensors")))


def has_network(game: str, scenario: Scenario) -> bool:
    """Return whether a network that is part of aucenv can play a scenario."""
    checkpoints = bundled_checkpoints(game)
    return any(each.why_unplayable(find_family(game).game, scenario.template()[0]) is None for each in checkpoints)


def make(game: str, spec: BidderSpec) -> NetworkBidder:
    """Create the bidder `ppo[:PATH][,sample=true]`, without PATH with the networks that are part of aucenv.

    Raises:
        ValueError: There is no such file, it is not a checkpoint of this game, or a parameter is unknown.
    """
    where = f"bidder {spec.label!r}"
    for key in spec.params:
        one_of(f"{where}, parameter", key, ("sample",))
    samples = one_of(f"{where}, sample", spec.params.get("sample", "false"), ("true", "false")) == "true"
    try:
        checkpoints = bundled_checkpoints(game) if spec.arg is None else (read_checkpoint(USER_FILES.find(spec.arg)),)
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise ValueError(f"{where}: cannot use {str(error.filename or spec.arg)!r}: {reason}") from None
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    if not checkpoints:
        raise ValueError(f"{where}: no network for {game} is part of aucenv; expected ppo:PATH")
    declared = find_family(game).game
    [*others] = {f"{each.game}_v{each.version}" for each in checkpoints} - {f"{declared.name}_v{declared.version}"}
    if others:
        raise ValueError(f"{where}: trained for {others[0]}, which is not {declared.name}_v{declared.version}")
    kind = RecurrentBidder if any(len(each.lstm) for each in checkpoints) else NetworkBidder
    return kind(declared, checkpoints, samples)
