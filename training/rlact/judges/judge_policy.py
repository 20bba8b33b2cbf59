"""The simulator judge as a bidder, which takes the action with the highest estimated value.

Its profit is an upper bound for what RLAct can learn from this judge.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from aucenv.training.rlact.judges.simulator import RECORDED, Simulator, legal_ladder
from aucenv.training.rlact.probes.audit import followed_rule
from aucenv.training.rlact.sealed import judge as sealed_judge
from aucenv.training.rlact.sealed.members import GAME as SEALED_BID
from aucenv.training.rlact.states.decision_points import Decisions
from aucenv.training.rlact.states.games import has_personas, other_objective, trained_games

from aucenv.core.checks import one_of
from aucenv.core.extras import missing_extra
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.kernel import COMPILES
from aucenv.core.policy import check_fits
from aucenv.core.scenarios import Scenario
from aucenv.core.state import WITHDRAW
from aucenv.core.views.seat_view import SeatView
from aucenv.core.words.bidder_name import BidderSpec
from aucenv.core.words.money import to_dollars
from aucenv.envs.english.view import View
from aucenv.policy.registry import make_policy

DEFAULTS = Simulator(samples=64, ladder=1)
ABOUT = (
    "Rolls out withdrawing and up to `ladder` bids, each `samples` times with hidden information resampled, and takes "
    "the action with the highest mean profit. In rollouts, the bidder `own` makes this seat's later decisions (of "
    "several, joined by +, the best for each action), and the bidders `rivals` play the other seats, in all "
    "combinations, and make a mistake with probability `noise`. usual is own=expact, rivals=expact+persona; in english "
    "own=pace, rivals=value+pace. With rivals=inferred, it draws rivals from the population's families to train on and "
    "from strangers, by how well these explain the bids so far, and usual is own=expact+rule;k=3; in english "
    "own=pace+rule;k=3+rule;k=6"
)


class JudgeGreedy:
    """A bidder that rolls out the actions of `legal_ladder` and takes the one with the highest mean profit.

    Args:
        game: name of the game.
        simulator: settings of the rollouts, including the bidders that are assumed to play the rivals' seats.
        table: the bidders of all seats, for a judge that knows its rivals: one with `rivals` "recorded".
    """

    interface: Literal["amount"] = "amount"
    observes = False

    def __init__(self, game: str, simulator: Simulator, table: Sequence[str] = ()) -> None:
        simulator.check(game)
        self.game = game
        self.table = table
        self.simulator = simulator
        self.notes: JsonObject = {}

    def why_unplayable(self, scenario: Scenario) -> str | None:
        """Return why the bidder cannot play a scenario, or None.

        It maximizes profit alone, and the bidders of its rollouts have to be able to play the scenario.
        """
        reason = other_objective("judge-greedy", scenario)
        if reason is not None:
            return reason
        for name in (*self.simulator.later_bidders(self.game), *self.simulator.rival_bidders(self.game)):
            try:
                check_fits(make_policy(self.game, name), name, scenario)
            except ValueError as error:
                return str(error)
        return None

    def reset(self, seat: str, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def act(self, view: View, observation: JsonMapping) -> float:
        actions = legal_ladder(view.row, view.seat_number, self.simulator.ladder)
        keys = self._rng.integers(0, 2**63 - 1, (1, self.simulator.samples))
        text, seats = view.scenario_text, np.array([view.seat_number])
        decisions = Decisions(self.game, view.row, seats, [text], [view._history], [self.table or text.seats])
        profits, rivals = self.simulator.roll_out(decisions, np.array([actions]), keys)
        means = profits[0].mean(1) / 100
        chosen = actions[int(means.argmax())]
        names = ["withdraw" if amount == WITHDRAW else f"{to_dollars(amount):g}" for amount in actions]
        self.notes = {"worth": dict(zip(names, means.round(2).tolist(), strict=True))}
        for inferred in rivals:
            self.notes |= inferred.notes(text.seats)
        if has_personas(view):
            self.notes["rule"] = followed_rule(view, chosen)
        return -1.0 if chosen == WITHDRAW else to_dollars(chosen)

    def close_game(self, view: SeatView) -> None:
        """Do nothing; the bidder keeps no state between games."""


def known_rivals_judge(game: str, bidders: Sequence[str], samples: int) -> JudgeGreedy:
    """Return the judge that knows its rivals: in its rollouts, exactly the bidders of the table play their seats.

    Args:
        game: "english" or "harbor".
        bidders: the bidders of all seats; the one of the judge's seat is not used.
        samples: the number of rollouts of each action.
    """
    return JudgeGreedy(game, dataclasses.replace(DEFAULTS, samples=samples, rivals=RECORDED), bidders)


def make(game: str, spec: BidderSpec) -> JudgeGreedy | sealed_judge.SealedJudge:
    """Create the bidder `judge-greedy[,samples=N][,own=BIDDER][,rivals=BIDDER+BIDDER][,noise=X][,ladder=N]`.

    In BIDDER, `;` stands for commas.

    Raises:
        ValueError: RLAct cannot play the game, a parameter is unknown, or a value is out of range.
        MissingExtra: Its rollouts would run uncompiled.
    """
    where = f"bidder {spec.label!r}"
    if spec.arg is not None:
        raise ValueError(f"{where}: judge-greedy takes no :ARG, got {spec.arg!r}")
    if game == SEALED_BID:
        return sealed_judge.make(where, spec, OPTIONS)
    one_of(f"{where}, game", game, (*trained_games(), SEALED_BID))
    settings = read_settings(where, spec.params)
    if settings.get("rivals") == RECORDED:
        raise ValueError(f"{where}, rivals: expected rule bidders, separated by +, got {RECORDED!r}")
    if not COMPILES:
        raise missing_extra(f"{where}, which plays hundreds of games for a decision,", "fast")
    try:
        return JudgeGreedy(game, dataclasses.replace(DEFAULTS, **settings))
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def read_settings(where: str, params: Mapping[str, str]) -> JsonObject:
    """Return the settings of a simulator that parameters, such as samples=64, set.

    Args:
        where: What has the parameters, for errors.
        params: The texts by name.

    Raises:
        ValueError: A parameter is unknown, or its text is no number.
    """
    return {
        name: OPTIONS[one_of(f"{where}, parameter", name, OPTIONS)](f"{where}, {name}", text)
        for name, text in params.items()
    }


def _read_integer(where: str, text: str) -> int:
    if not re.fullmatch("[0-9]{1,9}", text):
        raise ValueError(f"{where}: expected a whole number, got {text!r:.40}")
    return int(text)


def _read_number(where: str, text: str) -> float:
    if not re.fullmatch("[0-9]{0,9}[.]?[0-9]{0,9}", text) or text in ("", "."):
        raise ValueError(f"{where}: expected a number, got {text!r:.40}")
    return float(text)


def _read_text(where: str, text: str) -> str:
    return text


OPTIONS = {
    "samples": _read_integer,
    "own": _read_text,
    "rivals": _read_text,
    "noise": _read_number,
    "ladder": _read_integer,
}
