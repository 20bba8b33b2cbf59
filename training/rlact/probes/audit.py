"""Count which of HARBOR's rules A to F decisions follow, for comparison with the published shares of RLAct's replies.

Source: HARBOR, arXiv 2502.12149: an audit of 273 replies in seven classes, the six rules and "other".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from aucenv.baselines.llm.json_replies import Malformed, read_choice
from aucenv.baselines.scripted.harbor import rule_followed
from aucenv.training.rlact.judges.judges import JudgeFailure
from aucenv.training.rlact.judges.model_judge import ModelClient, shortened
from aucenv.training.rlact.states.games import has_personas
from aucenv.training.rlact.states.messages import read_legal
from aucenv.training.rlact.states.states import DecisionState

from aucenv.core.checks import field
from aucenv.core.policy import ModelFailure
from aucenv.core.records.record import GameRecord
from aucenv.core.state import WITHDRAW
from aucenv.core.views.seat_view import SeatView
from aucenv.core.words.bidder_name import label_of
from aucenv.envs.harbor.notes import LETTERS
from aucenv.runs.records import retrace

OTHER = "other"
CLASSES = (*LETTERS, OTHER)
PUBLISHED: Mapping[str, float] = {"A": 0.46, "B": 0.0, "C": 0.08, "D": 0.05, "E": 0.0, "F": 0.31, OTHER: 0.10}
"""Published shares of 273 replies of RLAct; "other" is the rest."""
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


def followed_rule(view: SeatView, amount: int) -> str:
    """Return the rule that a decision in a housing auction follows.

    Args:
        amount: the bid in cents, or WITHDRAW.
    """
    return rule_followed(view.row, view.seat_number, amount != WITHDRAW)


def audit_replies(states: Sequence[DecisionState], replies: Sequence[str], phase: str) -> Counter[str]:
    """Count the classes of the decisions in replies; an unreadable or illegal reply counts as "other"."""
    counts: Counter[str] = Counter()
    for state, reply in zip(states, replies, strict=True):
        view = state.view()
        if not has_personas(view):
            raise ValueError(f"state {state.id}: rules A to F are for housing auctions, not for {state.game}")
        amount = read_legal(reply, phase, view)
        counts[OTHER if amount is None else followed_rule(view, amount)] += 1
    return counts


def audit_words(client: ModelClient, replies: Sequence[str]) -> Counter[str]:
    """Count the classes that a language model assigns to replies; replies that it does not classify are left out.

    Raises:
        JudgeFailure: The model answered for none of the replies.
    """

    def ask(reply: str) -> str | None:
        try:
            answer = client.ask([{"role": "user", "content": QUESTION.format(reply=shortened(reply))}])
            rule, _ = read_choice(answer, "rule", (*LETTERS, OTHER.upper()))
            return OTHER if rule == OTHER.upper() else rule
        except (ModelFailure, Malformed) as failure:
            client.last_error = str(failure)
            return None

    counts = Counter(rule for rule in client.map(ask, replies) if rule is not None)
    if replies and not counts:
        raise JudgeFailure(
            f"audit by {client.model.name}: no rule for any of {len(replies)} replies: {client.last_error}"
        )
    return counts


def audit_records(records: Sequence[GameRecord]) -> dict[str, Counter[str]]:
    """Count the rules that decisions in housing auctions follow, by the bidder's label.

    A decision without a legal reply, which counts as withdrawn in the game, counts as "other".
    """
    counts: dict[str, Counter[str]] = {}
    for record in records:
        for bidder, rule in _decision_rules(record):
            counts.setdefault(label_of(bidder), Counter())[rule] += 1
    return counts


def _decision_rules(record: GameRecord) -> Iterator[tuple[str, str]]:
    for table, decision in retrace(record):
        if not has_personas(table.view(0)):
            raise ValueError(f"game {record.index}: rules A to F are for housing auctions, not for {record.game}")
        if decision is not None:
            seat = table.scenario_text.seats.index(decision["seat"])
            bids = decision["amount"] is not None
            bidder = field(record.seats[seat], "bidder", str, f"game {record.index}, seats")
            none = decision["action"] is None
            yield bidder, OTHER if none else rule_followed(table.view(seat).row, seat, bids)


def shares(counts: Counter[str]) -> dict[str, float]:
    """Return the share of each of CLASSES; all 0 if there are no counts."""
    return {rule: counts[rule] / max(1, counts.total()) for rule in CLASSES}
