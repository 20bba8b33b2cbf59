"""How good a model is while it learns: decisions on states that it never saw, and profit in games."""

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
"""Fresh houses of evaluation games; neither training states nor the study `harbor/rlact` have them."""


def decisions(speaker: ReplyGenerator, states: Sequence[DecisionState], phase: str) -> dict[str, float]:
    """How often replies to judged states are right, on those that are no ties, and legal; what cannot be read is wrong.

    Returns:
        greedy and sampled: of right decisions; readable: of legal replies that were sampled; bids: of those, of bids.
    """
    found: dict[str, float] = {}
    for name, seed in (("greedy", None), ("sampled", 0)):
        replies = speaker.replies(states, phase, seed)
        meant = [read_legal(reply, phase, state) for reply, state in zip(replies, states, strict=True)]
        right = [
            amount is not None and (amount != WITHDRAW) == (state.worth.bid_or_withdraw > 0)
            for amount, state in zip(meant, states, strict=True)
            if state.worth and state.worth.bid_or_withdraw
        ]
        legal = [amount for amount in meant if amount is not None]
        found[name] = sum(right) / len(right)
        found["readable"] = len(legal) / len(meant)
        found["bids"] = sum(amount != WITHDRAW for amount in legal) / max(1, len(legal))
    return {name: round(value, 6) for name, value in found.items()}


def evaluate(speaker: ReplyGenerator, states: Sequence[DecisionState], phase: str, deals: int) -> JsonObject:
    """Decisions in both phases, and the profit ratio in games."""
    return {
        **{each: decisions(speaker, states, each) for each in PHASES},
        "profit_ratio": profit_ratio(RLActBidder("harbor", speaker, phase), deals) if deals else None,
    }


def profit_ratio(bidder: Policy, deals: int, rivals: Sequence[str] = RIVALS) -> float | None:
    """A bidder's in housing auctions on the personas' evaluation descriptions, each deal in all seats; percent."""
    sums = [0.0, 0.0]
    for deal in range(deals):
        scenario = drawn_scenario("rlact evaluation", f"fresh-{FIRST_HOUSES + 2 * deal}", "single")
        for seat in range(len(rivals) + 1):
            record = play("harbor", scenario, [*rivals[:seat], bidder, *rivals[seat:]], seed=(deal,))
            parts = FIGURES["profit_ratio"](seat_figures(record)[seat])
            sums = [total + part for total, part in zip(sums, parts, strict=True)]
    return round(100 * sums[0] / sums[1], 6) if sums[1] > 0 else None


def ceiling(learnt: Sequence[DecisionState], held_out: Sequence[DecisionState]) -> Mapping[str, float]:
    """What always deciding alike gets right, and what boosted trees do."""
    found = probe(learnt, held_out)
    return {"chance": found.chance, "probe": found.accuracy}
