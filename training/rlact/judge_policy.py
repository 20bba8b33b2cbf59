"""The simulator judge as a bidder: at each decision what it values most; the bound on what RLAct can learn."""

from __future__ import annotations

import dataclasses
import re
from functools import lru_cache
from typing import Literal

import numpy as np
from aucenv.baselines.scripted.rollout import weigh_actions
from aucenv.training.rlact.audit import rule_of
from aucenv.training.rlact.games import has_personas, learning_of
from aucenv.training.rlact.simulator import RECORDED, Lineups, Simulator, legal_ladder

from aucenv.core.bidder_name import BidderSpec
from aucenv.core.checks import one_of
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.game_modules import Scenario
from aucenv.core.money import to_dollars
from aucenv.core.policy import check_fits
from aucenv.core.seat_view import SeatView
from aucenv.core.state import WITHDRAW
from aucenv.policy.registry import make_policy

DEFAULTS = Simulator(samples=64, ladder=1)
ABOUT = (
    "plays each legal action on in many compiled games, with what it cannot know drawn anew, and takes the one that "
    "earns most; own plays on in its seat, any of rivals, who err with the chance noise, in the others'; usual: expact "
    "and expact+persona; english: pace and value+pace"
)


class JudgeGreedy:
    """See the module.

    Args:
        simulator: how games are played on; whom rivals are taken for is its `rivals`.
    """

    interface: Literal["amount"] = "amount"
    observes = False

    def __init__(self, game: str, simulator: Simulator) -> None:
        simulator.check(game)
        self.game = game
        self.simulator = simulator
        self.notes: JsonObject = {}

    def why_unplayable(self, scenario: Scenario) -> str | None:
        """Why it cannot play: another objective than profit, or one of those who play on cannot."""
        if any(getattr(bidder, "objective", "profit") != "profit" for bidder in scenario.bidders):
            return "judge-greedy wants profit, and somebody here has another objective"
        for name in self.simulator.bidders(self.game):
            try:
                check_fits(make_policy(self.game, name), name, scenario)
            except ValueError as error:
                return str(error)
        return None

    def reset(self, seat: str, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def act(self, view: SeatView, observation: JsonMapping) -> float:
        actions = legal_ladder(view.row, view.seat_number, self.simulator.ladder)
        read = _lineups(self.game, self.simulator, view.seat_number, len(view.scenario_text.seats))
        keys = self._rng.integers(0, 2**63 - 1, (1, self.simulator.samples))
        every = np.arange(len(read[0]))[None]
        profits = weigh_actions(
            self.game,
            view.row,
            np.array([view.seat_number]),
            np.array([actions]),
            read,
            every,
            keys,
            self.simulator.noise,
        )[0]
        means = profits.mean(1) / 100
        chosen = actions[int(means.argmax())]
        told = ["withdraw" if amount == WITHDRAW else f"{to_dollars(amount):g}" for amount in actions]
        self.notes = {"worth": dict(zip(told, means.round(2).tolist(), strict=True))}
        if has_personas(view):
            self.notes["rule"] = rule_of(view, chosen)
        return -1.0 if chosen == WITHDRAW else to_dollars(chosen)

    def close_game(self, view: SeatView) -> None:
        """It keeps nothing."""


@lru_cache(maxsize=256)
def _lineups(game: str, simulator: Simulator, seat: int, seats: int) -> Lineups:
    return simulator.read(game, simulator.lineups(game, seat, [""] * seats))


def make(game: str, spec: BidderSpec) -> JudgeGreedy:
    """`judge-greedy[,samples=N][,own=BIDDER][,rivals=BIDDER+BIDDER][,noise=X][,ladder=N]`.

    `;` stands for the commas in a BIDDER.

    Raises:
        ValueError: another game, an unknown parameter, or a value out of range.
    """
    where = f"bidder {spec.label!r}"
    learning_of(f"{where}, game", game)
    if spec.arg is not None:
        raise ValueError(f"{where}: judge-greedy takes no :ARG, got {spec.arg!r}")
    chosen: JsonObject = {}
    for key, text in spec.params.items():
        read = one_of(f"{where}, parameter", key, OPTIONS)
        chosen[key] = OPTIONS[read](f"{where}, {key}", text)
    if chosen.get("rivals") == RECORDED:
        raise ValueError(f"{where}, rivals: expected rule bidders with + between, got {RECORDED!r}")
    try:
        return JudgeGreedy(game, dataclasses.replace(DEFAULTS, **chosen))
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _whole(what: str, text: str) -> int:
    if not re.fullmatch("[0-9]{1,9}", text):
        raise ValueError(f"{what}: expected a whole number, got {text!r:.40}")
    return int(text)


def _share(what: str, text: str) -> float:
    if not re.fullmatch("[0-9]{0,9}[.]?[0-9]{0,9}", text) or text in ("", "."):
        raise ValueError(f"{what}: expected a number, got {text!r:.40}")
    return float(text)


def _name(what: str, text: str) -> str:
    return text


OPTIONS = {"samples": _whole, "own": _name, "rivals": _name, "noise": _share, "ladder": _whole}
