"""A probe as a bidder: boosted trees that decide from the numbers of a View."""

from __future__ import annotations

from typing import Literal

import numpy as np
from aucenv.training.rlact.probes.audit import followed_rule
from aucenv.training.rlact.probes.features import ALL, probe_features
from aucenv.training.rlact.probes.file import read_probe
from aucenv.training.rlact.probes.trees import Trees, probability
from aucenv.training.rlact.states.games import has_personas, learning_module, other_objective
from aucenv.training.rlact.states.message_numbers import message_numbers

from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.formats.user_files import USER_FILES
from aucenv.core.scenarios import Scenario
from aucenv.core.state import WITHDRAW
from aucenv.core.words.bidder_name import BidderSpec
from aucenv.core.words.money import to_dollars
from aucenv.envs.english.view import View

ABOUT = (
    "Boosted trees that `aucenv rlact probe ... --out FILE` fitted to the judge's decisions: bids the least legal "
    "amount if bidding is more likely than not to be better than withdrawing"
)


class ProbeBidder:
    """A bidder that bids the least legal amount if its trees' score is above 0, and otherwise withdraws.

    Args:
        game: name of the game.
        trees: trees of the features `probe_features`, whose second class is to bid.
        features: what the trees know, one of `features.FEATURE_SETS`.
    """

    interface: Literal["amount"] = "amount"
    observes = False

    def __init__(self, game: str, trees: Trees, features: str) -> None:
        self.game = game
        self.features = features
        self.notes: JsonObject = {}
        self._trees = trees

    def why_unplayable(self, scenario: Scenario) -> str | None:
        """Return why the bidder cannot play a scenario, or None; its trees predict which decision earns more."""
        return other_objective("probe", scenario)

    def reset(self, seat: str, seed: int) -> None:
        """Do nothing; the bidder is deterministic."""

    def act(self, view: View, observation: JsonMapping) -> float:
        g = view.row[0]
        score = self._trees.score(probe_features(view, self.features))
        bids = score > 0 and g["budget"][view.seat_number] >= g["least"]
        self.notes = {"probability": round(probability(score), 4)}
        if has_personas(view):
            self.notes["rule"] = followed_rule(view, int(g["least"]) if bids else WITHDRAW)
        return to_dollars(int(g["least"])) if bids else -1.0

    def close_game(self, view: View) -> None:
        """Do nothing; the bidder keeps no state between games."""


class MessageProbe(ProbeBidder):
    """A probe that knows only the numbers in terse messages, and so can decide in many games at once."""

    def act_rows(self, rows: np.ndarray, numbers: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Return amounts in cents, or WITHDRAW; see `row_rollouts.RowPolicy`."""
        bids = self._trees.scores(message_numbers(rows, numbers, seats)) > 0
        least = rows["least"][numbers]
        return np.where(bids & (rows["budget"][numbers, seats] >= least), least, WITHDRAW)


def make(game: str, spec: BidderSpec) -> ProbeBidder:
    """Create the bidder `probe:FILE`.

    Raises:
        ValueError: RLAct cannot play the game, there is a parameter, or FILE is not a probe of this game.
    """
    where = f"bidder {spec.label!r}"
    learning_module(f"{where}, game", game)
    if spec.params:
        raise ValueError(f"{where}: probe takes no parameters, got {', '.join(spec.params)}")
    if spec.arg is None:
        raise ValueError(f"{where}: expected probe:FILE, got no file; `aucenv rlact probe ... --out FILE` writes one")
    try:
        trees, features = read_probe(USER_FILES.find(spec.arg), game)
        return (ProbeBidder if features == ALL else MessageProbe)(game, trees, features)
    except (OSError, ValueError) as error:
        raise ValueError(f"{where}: {error}") from None
