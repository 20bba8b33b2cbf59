"""Sealed-bid auctions in words: a View, told; the reasons of refusals; replies. The sentences are in `wording`."""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np

from aucenv.core import reply as replies
from aucenv.core.money import format_dollars, money
from aucenv.envs.sealed_bid.rules import OVER_CAP
from aucenv.envs.sealed_bid.scenario import Scenario
from aucenv.envs.sealed_bid.view import Round, ScenarioText, View
from aucenv.envs.single_item import text as single_item
from aucenv.envs.single_item.wording import rules, words


def refusal(state: np.ndarray, seat: int, amount: int, code: int, scenario_text: ScenarioText) -> str:
    """Why the rules refuse a bid of `amount` cents by `seat`: the code that `rules.check` gave, in words."""
    row, sign, said = state[0], scenario_text.sign, words(scenario_text.scenario.language)
    bid = format_dollars(amount, sign)
    if code == OVER_CAP:
        return said.over_cap.format(bid=bid, cap=format_dollars(int(row["cap"]), sign))
    return said.off_step.format(bid=bid, step=format_dollars(int(row["step"]), sign))


def read(reply: str, rivals: Collection[str], scenario_text: ScenarioText, state: np.ndarray) -> int:
    """A reply's decision: cents, or WITHDRAW; raises Unreadable."""
    return replies.read(reply, rivals, scenario_text.scenario.currency)


def write_reply(amount: int) -> str:
    """The plainest reply for an amount in cents, or WITHDRAW; in any currency."""
    return "I abstain." if amount < 0 else f"I bid {format_dollars(amount, '')}!"


def reply_writer(scenario: Scenario) -> Callable[[int], str]:
    return write_reply


def waiting_text(scenario_text: ScenarioText) -> str:
    """What a seat is told in a round that waits for others only."""
    return words(scenario_text.scenario.language).answered


def describe(view: View, since: tuple[int, int] | None = None) -> str:
    """A view in words: what has happened since, and what is asked now.

    Args:
        since: (length of the history, number of the round) at the seat's last decision; None = tell everything.
    """
    parts = [rules(view.scenario, view.name)] if since is None else []
    parts += [closed_round(view, j) for j in range(0 if since is None else since[1], view.item_number)]
    parts.append(call(view))
    return "\n\n".join(parts)


def closed_round(view: View, j: int) -> str:
    """What the seat knows of closed round `j`."""
    played, bids = view.round_at(j), words(view.scenario.language).all_bids
    own = _own(view, played)
    seen = single_item.seen(view, played.value)
    return "\n".join(
        [*single_item.heading(view, j), seen, own, *single_item.last_round(view, played, bids, view.preferred_bid(j))]
    )


def _own(view: View, played: Round) -> str:
    said, sign = words(view.scenario.language), view.scenario_text.sign
    if played.bid is None:
        return said.abstained
    bid, profit = money(played.bid, sign), money(played.profit, sign)
    if played.won:
        return said.won.format(bid=bid, price=money(played.paid, sign), profit=profit)
    return said.lost.format(bid=bid, profit=profit)


def call(view: View) -> str:
    """Which round is open, what its prize is worth to the seat, why its last answer was refused, what is asked."""
    lines = single_item.call(view)
    if view.must_decide:
        ask = words(view.scenario.language).ask.format(example=example(view.scenario))
        lines += [*single_item.refused(view), ask]
    return "\n".join(lines)


def example(scenario: Scenario) -> str:
    """A legal bid to show what an answer looks like, far from telling what to bid: about a third of the highest."""
    steps = round(scenario.highest_bid / 3 / scenario.bid_step)
    return format_dollars(round(steps * scenario.bid_step * 100), "")
