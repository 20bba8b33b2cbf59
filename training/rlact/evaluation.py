"""Evaluate a model during training: its decisions on held-out states, and its profit in games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aucenv.training.rlact.generation import ReplyGenerator
from aucenv.training.rlact.messages import PHASES, read_legal
from aucenv.training.rlact.policy import RLActBidder
from aucenv.training.rlact.probe import probe
from aucenv.training.rlact.states import DecisionState

from aucenv.core.files import JsonObject
from aucenv.core.policy import Policy
from aucenv.core.state import WITHDRAW
from aucenv.envs.harbor.figures import FIGURES, seat_figures
from aucenv.envs.harbor.named_scenarios import drawn_scenario
from aucenv.runs.play import play

RIVALS = ("expact", "persona")
FIRST_HOUSES = 50_001
"""Number of the first evaluation game's fresh houses; training and the study `harbor/rlact` use other houses."""


def decision_rates(generator: ReplyGenerator, states: Sequence[DecisionState], phase: str) -> dict[str, float]:
    """Return which shares of a model's replies to judged states are right, are legal, and are bids.

    States whose decision is a tie do not count as right or wrong; unreadable and illegal replies are wrong.

    Returns:
        "greedy" and "sampled", the shares of right decisions with greedy and with sampled replies; "readable", the
        share of legal replies among sampled ones; "bids", the share of bids among those.
    """
    rates: dict[str, float] = {}
    for name, seed in (("greedy", None), ("sampled", 0)):
        replies = generator.replies(states, phase, seed)
        amounts = [read_legal(reply, phase, state) for reply, state in zip(replies, states, strict=True)]
        right = [
            amount is not None and (amount != WITHDRAW) == (state.action_values.bid_or_withdraw > 0)
            for amount, state in zip(amounts, states, strict=True)
            if state.action_values and state.action_values.bid_or_withdraw
        ]
        legal = [amount for amount in amounts if amount is not None]
        rates[name] = sum(right) / len(right)
        rates["readable"] = len(legal) / len(amounts)
        rates["bids"] = sum(amount != WITHDRAW for amount in legal) / max(1, len(legal))
    return {name: round(value, 6) for name, value in rates.items()}


def evaluate(generator: ReplyGenerator, states: Sequence[DecisionState], phase: str, deals: int) -> JsonObject:
    """Return a model's decision rates in both phases, and its profit ratio in games that it plays in `phase`."""
    return {
        **{each: decision_rates(generator, states, each) for each in PHASES},
        "profit_ratio": profit_ratio(RLActBidder("harbor", generator, phase), deals) if deals else None,
    }


def profit_ratio(bidder: Policy, deals: int, rivals: Sequence[str] = RIVALS) -> float | None:
    """Return a bidder's mean profit ratio in housing auctions, in percent, or None if no game has one.

    Every deal is played in all seats, with the evaluation descriptions of personas.
    """
    sums = [0.0, 0.0]
    for deal in range(deals):
        scenario = drawn_scenario("rlact evaluation", f"fresh-{FIRST_HOUSES + 2 * deal}", "single")
        for seat in range(len(rivals) + 1):
            record = play("harbor", scenario, [*rivals[:seat], bidder, *rivals[seat:]], seed=(deal,))
            parts = FIGURES["profit_ratio"](seat_figures(record)[seat])
            sums = [total + part for total, part in zip(sums, parts, strict=True)]
    return round(100 * sums[0] / sums[1], 6) if sums[1] > 0 else None


def baseline_accuracies(train: Sequence[DecisionState], held_out: Sequence[DecisionState]) -> Mapping[str, float]:
    """Return the accuracies of always making the more frequent decision ("chance") and of boosted trees ("probe")."""
    result = probe(train, held_out)
    return {"chance": result.chance, "probe": result.accuracy}
