"""Which of HARBOR's rules A to F decisions follow, beside the published shares of RLAct's replies.

Source: HARBOR, arXiv 2502.12149: an audit of 273 replies in seven classes, the six rules and the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from aucenv.baselines.llm.json_replies import Malformed, last_object
from aucenv.baselines.scripted.harbor_followed import followed
from aucenv.training.rlact.judges import JudgeFailure
from aucenv.training.rlact.messages import read_reply
from aucenv.training.rlact.states import DecisionState

from aucenv.calls import Model, Request
from aucenv.core.money import to_cents
from aucenv.core.state import WITHDRAW
from aucenv.core.table import Table
from aucenv.policy import ModelFailure, label_of
from aucenv.records import GameRecord
from aucenv.registration import find_family

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


def rule_of(view: Any, amount: int) -> str:
    """The rule that a decision follows in a housing auction: cents, or WITHDRAW."""
    return followed(view.row, view.seat_number, amount != WITHDRAW)


def audit_replies(states: Sequence[DecisionState], replies: Sequence[str], phase: str) -> Counter[str]:
    """How often each of CLASSES is what a reply does; "other": it cannot be read."""
    found: Counter[str] = Counter()
    for state, reply in zip(states, replies, strict=True):
        if state.game != "harbor":
            raise ValueError(f"state {state.id}: rules A to F are of housing auctions, this one is of {state.game}")
        view = state.view()
        amount = read_reply(reply, phase, view)
        found[OTHER if amount is None else rule_of(view, amount)] += 1
    return found


def audit_words(model: Model, replies: Sequence[str], concurrency: int = 8) -> Counter[str]:
    """How often each of CLASSES is what a model reads in a reply's words; what it cannot say is left out.

    Raises:
        JudgeFailure: it said nothing of any reply.
    """

    def ask(reply: str) -> str | None:
        message = {"role": "user", "content": QUESTION.format(reply=reply[-4000:])}
        try:
            said = model.complete(Request((message,), 0.0, 256, 0), lambda seconds, why="": None).text
            rule = str(last_object(said, lambda data: "rule" in data).get("rule"))
        except (ModelFailure, Malformed):
            return None
        return rule if rule in CLASSES else None

    with ThreadPoolExecutor(concurrency) as pool:
        found = Counter(rule for rule in pool.map(ask, replies) if rule is not None)
    if replies and not found:
        raise JudgeFailure(f"audit by {model.name}: no rule for any of {len(replies)} replies")
    return found


def audit_records(records: Sequence[GameRecord]) -> dict[str, Counter[str]]:
    """By bidder's label how often each rule is what its decisions follow, in housing auctions."""
    found: dict[str, Counter[str]] = {}
    for record in records:
        for bidder, rule in _rules(record):
            found.setdefault(label_of(bidder), Counter())[rule] += 1
    return found


def _rules(record: GameRecord) -> Iterator[tuple[str, str]]:
    if record.game != "harbor":
        raise ValueError(f"game {record.index}: rules A to F are of harbor, this one is of {record.game}")
    game = find_family(record.game).game
    table = Table(game, game.load_scenario(record.scenario), ["amount"] * len(record.seats))
    table.reset(record.seed)
    for decision in record.decisions:
        seat = table.catalogue.seats.index(decision["seat"])
        amount = WITHDRAW if decision["amount"] is None else to_cents(decision["amount"])
        yield record.seats[seat]["bidder"], rule_of(table.view(seat), amount)
        table.submit(seat, -1 if decision["amount"] is None else decision["amount"])


def shares(found: Counter[str]) -> dict[str, float]:
    """What share each of CLASSES has; all 0 where there is nothing."""
    return {rule: found[rule] / max(1, found.total()) for rule in CLASSES}
