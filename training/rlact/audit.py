"""Which of HARBOR's rules A to F decisions follow, beside the published shares of RLAct's replies.

Source: HARBOR, arXiv 2502.12149: an audit of 273 replies in seven classes, the six rules and the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from aucenv.baselines.llm.json_replies import Malformed, read_choice
from aucenv.baselines.scripted.harbor_rules_followed import followed
from aucenv.training.rlact.games import has_personas
from aucenv.training.rlact.judges import JudgeFailure
from aucenv.training.rlact.messages import read_legal
from aucenv.training.rlact.model_judge import Asked, shortened
from aucenv.training.rlact.states import DecisionState

from aucenv.core.bidder_name import label_of
from aucenv.core.checks import field
from aucenv.core.policy import ModelFailure
from aucenv.core.record import GameRecord
from aucenv.core.seat_view import SeatView
from aucenv.core.state import WITHDRAW
from aucenv.runs.records import retrace

OTHER = "other"
CLASSES = (*"ABCDEF", OTHER)
PUBLISHED: Mapping[str, float] = {"A": 0.46, "B": 0.0, "C": 0.08, "D": 0.05, "E": 0.0, "F": 0.31, OTHER: 0.10}
"""Of 273 replies of RLAct; what the six rules leave is "other"."""
QUESTION = """A bidder in an auction was advised as follows. Which rule does the advice follow?
A. Raise: the item is among the bidder's top priorities.
B. Raise, though the bidder wants the item less than a rival, so that the rival spends its budget.
C. Raise: the budget allows it without harm to later plans.
D. Leave: save the budget for items of higher priority.
E. Leave: the margin between price and worth is too thin.
F. Leave: a rival will not give in, and going on would only make the item dearer.
other. None of these.

<<<
{reply}
>>>

End with a JSON object: {{"rule": "A", "reason": "a short sentence"}}"""


def rule_of(view: SeatView, amount: int) -> str:
    """The rule that a decision follows in a housing auction: cents, or WITHDRAW."""
    return followed(view.row, view.seat_number, amount != WITHDRAW)


def audit_replies(states: Sequence[DecisionState], replies: Sequence[str], phase: str) -> Counter[str]:
    """How often each of CLASSES is what a reply does; "other": it cannot be read, or is illegal."""
    found: Counter[str] = Counter()
    for state, reply in zip(states, replies, strict=True):
        view = state.view()
        if not has_personas(view):
            raise ValueError(f"state {state.id}: rules A to F are of housing auctions, this one is of {state.game}")
        amount = read_legal(reply, phase, view)
        found[OTHER if amount is None else rule_of(view, amount)] += 1
    return found


def audit_words(asked: Asked, replies: Sequence[str]) -> Counter[str]:
    """How often each of CLASSES is what a model reads in a reply's words; what it cannot say is left out.

    Raises:
        JudgeFailure: it said nothing of any reply.
    """

    def ask(reply: str) -> str | None:
        try:
            said = asked.ask([{"role": "user", "content": QUESTION.format(reply=shortened(reply))}])
            rule, _ = read_choice(said, "rule", (*"ABCDEF", OTHER.upper()))
            return OTHER if rule == OTHER.upper() else rule
        except (ModelFailure, Malformed) as failure:
            asked.why = str(failure)
            return None

    found = Counter(rule for rule in asked.all(ask, replies) if rule is not None)
    if replies and not found:
        raise JudgeFailure(f"audit by {asked.model.name}: no rule for any of {len(replies)} replies: {asked.why}")
    return found


def audit_records(records: Sequence[GameRecord]) -> dict[str, Counter[str]]:
    """By bidder's label how often each rule is what its decisions follow, in housing auctions."""
    found: dict[str, Counter[str]] = {}
    for record in records:
        for bidder, rule in _rules(record):
            found.setdefault(label_of(bidder), Counter())[rule] += 1
    return found


def _rules(record: GameRecord) -> Iterator[tuple[str, str]]:
    for table, decision in retrace(record):
        if not has_personas(table.view(0)):
            raise ValueError(f"game {record.index}: rules A to F are of housing auctions, this one is of {record.game}")
        if decision is not None:
            seat = table.scenario_text.seats.index(decision["seat"])
            bids = decision["amount"] is not None
            bidder = field(record.seats[seat], "bidder", str, f"game {record.index}, seats")
            yield bidder, followed(table.view(seat).row, seat, bids)


def shares(found: Counter[str]) -> dict[str, float]:
    """What share each of CLASSES has; all 0 where there is nothing."""
    return {rule: found[rule] / max(1, found.total()) for rule in CLASSES}
