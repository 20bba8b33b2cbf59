"""Text of sealed-bid auctions: views and reasons for refusals as text, and replies.

The sentences are in `single_item.wording`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np

from aucenv.core.reader.wording import acts_in_words
from aucenv.core.words import reply as replies
from aucenv.core.words.money import format_dollars, money, to_cents
from aucenv.core.words.structured_reply import ReplyForm
from aucenv.envs.sealed_bid.game import SealedBidScenario
from aucenv.envs.sealed_bid.rules import OVER_CAP
from aucenv.envs.sealed_bid.view import Round, ScenarioText, View
from aucenv.envs.single_item import words as single_item
from aucenv.envs.single_item.wording import rules, words


def refusal(state: np.ndarray, seat: int, amount: int, code: int, scenario_text: ScenarioText) -> str:
    """Return the reason why the rules refuse a bid of `amount` cents by `seat`; `code` is that of `rules.check`."""
    row, sign, phrases = state[0], scenario_text.sign, words(scenario_text.scenario.language)
    bid = format_dollars(amount, sign)
    if code == OVER_CAP:
        return phrases.over_cap.format(bid=bid, cap=format_dollars(int(row["cap"]), sign))
    return phrases.off_step.format(bid=bid, step=format_dollars(int(row["step"]), sign))


def read(reply: str, rivals: Collection[str], scenario_text: ScenarioText, state: np.ndarray) -> int:
    """Return a reply's decision, cents or WITHDRAW; raise Unreadable if it has none."""
    scenario = scenario_text.scenario
    return replies.read(reply, rivals, scenario.currency, scenario.language, leave="abstain")


def write_reply(amount: int) -> str:
    """Return the simplest reply for an amount in cents, or WITHDRAW; it is valid in any currency."""
    return "I abstain." if amount < 0 else f"I bid {format_dollars(amount, '')}!"


def reply_writer(scenario: SealedBidScenario) -> Callable[[int], str]:
    """Return the function that writes the simplest reply for an amount."""
    return write_reply


def reply_form(scenario_text: ScenarioText) -> ReplyForm:
    """Return the form of structured replies, with the English action that the text names in every language."""
    return ReplyForm((("bid", "number"), ("abstain", "null")))


def waiting_text(scenario_text: ScenarioText) -> str:
    """Return the text for a seat that has replied while others have not."""
    return words(scenario_text.scenario.language).answered


def describe(view: View, since: tuple[int, int] | None = None) -> str:
    """Return a view as text: what has happened since the last decision, and what the seat has to decide.

    Args:
        since: (length of the history, number of the round) at the seat's last decision; None describes everything.
    """
    parts = [rules(view.scenario, view.name)] if since is None else []
    parts += [closed_round(view, j) for j in range(0 if since is None else since[1], view.item_number)]
    parts.append(call(view))
    return "\n\n".join(parts)


def closed_round(view: View, j: int) -> str:
    """Return what the seat knows about closed round `j`."""
    played, bids = view.round_at(j), words(view.scenario.language).all_bids
    result = _result(view, played)
    value = single_item.value_line(view, played.value, closed=True)
    return "\n".join(
        [
            *single_item.heading(view, j),
            value,
            result,
            *single_item.last_round(view, played, bids, view.preferred_bid(j)),
        ]
    )


def _result(view: View, played: Round) -> str:
    phrases, sign = words(view.scenario.language), view.scenario_text.sign
    if played.bid is None:
        return phrases.abstained
    bid, profit = money(played.bid, sign), money(played.profit, sign)
    if played.won:
        return phrases.won.format(bid=bid, price=money(played.paid, sign), profit=profit)
    return phrases.lost.format(bid=bid, profit=profit)


def call(view: View) -> str:
    """Return the text about the current round: the prize's value, the reason for a refusal, and how to reply."""
    lines = single_item.call(view)
    if view.must_decide:
        lines += [*single_item.refused(view), how_to_answer(view)]
    return "\n".join(lines)


def how_to_answer(view: View) -> str:
    """Return the line that says how to answer in words, with an example."""
    language = view.scenario.language
    example = single_item.example(view, example_bids(view.scenario))
    return words(language).ask.format(example=example, **acts_in_words(language))


def example_bids(scenario: SealedBidScenario) -> range:
    """Return the bids in cents that can show the format of a reply: those up to the highest signal, but 0."""
    step = to_cents(scenario.bid_step)
    highest = to_cents(min(scenario.highest_bid, scenario.highest_signal))
    return range(step, max(step, highest) + 1, step)
