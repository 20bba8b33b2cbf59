"""Text interface of English auctions: views as text, reasons for refusals, and replies."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np

from aucenv.core.words.money import format_dollars, money
from aucenv.core.words.reply import read as read_bid
from aucenv.core.words.reply import write_reply
from aucenv.core.words.structured_reply import BID_OR_WITHDRAW, ReplyForm
from aucenv.envs.english.game import EnglishScenario
from aucenv.envs.english.rules import TOO_LOW
from aucenv.envs.english.view import Bid, ItemView, ScenarioText, View


def refusal(state: np.ndarray, seat: int, amount: int, code: int, scenario_text: ScenarioText) -> str:
    """Return the reason why the rules refuse a bid of `amount` cents by `seat`, for a code of `rules.check`."""
    bid = format_dollars(amount)
    if code == TOO_LOW:
        return f"{bid} is below the least legal bid of {format_dollars(int(state['least'][0]))}"
    return f"{bid} is above the remaining budget of {format_dollars(int(state['budget'][0, seat]))}"


def read(reply: str, rivals: Collection[str], scenario_text: ScenarioText, state: np.ndarray) -> int:
    """Return the decision in a reply: cents, or WITHDRAW.

    Raises:
        Unreadable: the reply contains no clear decision.
    """
    lot = int(state["lot"][0, state["item"][0]])
    return read_bid(reply, rivals, item=scenario_text.item_names[lot])


def reply_writer(scenario: EnglishScenario) -> Callable[[int], str]:
    """Return the function that writes the simplest reply for an amount in cents, or WITHDRAW."""
    return write_reply


def reply_form(scenario_text: ScenarioText) -> ReplyForm:
    """Return the form of structured replies."""
    return BID_OR_WITHDRAW


def how_to_answer(view: View) -> str:
    """Return the line that says how to answer in words."""
    return "Answer with 'I bid $X!' or 'I'm out!'."


def waiting_text(scenario_text: ScenarioText) -> str:
    """Return the text for a seat that has replied in this round while other seats have not."""
    return "You have answered; others are still deciding."


def describe(view: View, since: tuple[int, int] | None = None, about_me: Sequence[str] = ()) -> str:
    """Return a view as text: what has happened since the last decision, and what the seat has to decide.

    Args:
        since: (length of the history, number of the item) at the seat's last decision; None describes everything.
        about_me: additional lines about the seat, shown with the rules.
    """
    history = view.history
    first_item = 0 if since is None else since[1]
    parts = [_rules(view, about_me)] if since is None else []
    by_item: dict[int, list[Bid]] = {}
    for bid in history if since is None else history[since[0] :]:
        by_item.setdefault(bid.item, []).append(bid)
    items = view.items
    for j in range(first_item, min(view.item_number + 1, len(items))):
        lines = rounds(view, by_item.get(j, []))
        if j < view.item_number:
            lines.append(hammer(view, items[j]))
        if lines:
            parts.append("\n".join([f"{items[j].name}:", *lines]))
    parts.append(_call(view))
    return "\n\n".join(parts)


def _rules(view: View, about_me: Sequence[str]) -> str:
    wanted = goal(view.objectives[view.seat], view.targets[view.seat])
    budget = f"Your budget: {money(view.budgets[view.seat])}. What you do not spend brings nothing."
    lines = [introduction(view), f"You want {wanted}. {budget}", *about_me, mechanism(view), "The items, in order:"]
    for j, item in enumerate(view.items):
        words = f" {item.description}" if item.description else ""
        prices = f"starting price {money(item.starting_price)}, your estimate {money(item.estimate)}"
        lines.append(f"{j + 1}. {item.name}: {prices}.{words}")
    return "\n".join(lines)


def introduction(view: View) -> str:
    """Return the sentence that names the seat and all bidders."""
    names = ", ".join(view.scenario_text.names)
    return f"You are {view.name}, at an auction with {len(view.scenario_text.names)} bidders: {names}."


def goal(objective: str, target: str | None = None, relative: bool = False) -> str:
    """Return the text of an objective.

    Args:
        objective: one of scenario.OBJECTIVES.
        target: the name of the target item, for "item".
        relative: whether profits or items are compared with those of the other bidders.
    """
    texts = {
        "profit": "as much profit as possible: true values less prices",
        "items": "as many items as possible",
        "item": f"one item above all: {target}",
    }
    compared = {
        "profit": "more profit (true values less prices) than any other bidder when the auction ends",
        "items": "more items than any other bidder when the auction ends",
    }
    return compared.get(objective, texts[objective]) if relative else texts[objective]


def mechanism(view: View) -> str:
    """Return the rules of the auction."""
    rules = (
        "Items are sold one after another. In each round everybody who is still in and does not hold the standing bid "
        "either bids or leaves this item for good; all answer at once. A first bid is at least the starting price; a "
        f"later one is at least the standing bid plus {100 * view.increment:g}% of the current starting price. Nobody "
        "may bid more than is left of the budget. The highest bid stands; a draw decides among equals. A single first "
        "bid wins at once; otherwise the item is sold when a round brings no bid. The winner pays its bid and gets the "
        "true value, which all are told; it may be less than the price, and your estimates may be too high or low."
    )
    halved = "A starting price that brings no bid is halved, up to three times."
    return f"{rules}\n{halved}" if view.discounts_possible else rules


def rounds(view: View, bids: Sequence[Bid], second_person: bool = True) -> list[str]:
    """Return a line for each closed round of an item.

    Args:
        second_person: whether the seat is addressed as "you"; if false, it is named like the others.
    """
    names = {seat: name_of(view, seat) for seat in view.scenario_text.seats}
    if second_person:
        names[view.seat] = "you"
    lines = []
    for number in dict.fromkeys(bid.round for bid in bids):
        actions = [
            f"{names[bid.seat]} {'left' if bid.amount is None else 'bid ' + money(bid.amount)}"
            for bid in bids
            if bid.round == number
        ]
        lines.append(f"Round {number + 1}: {'; '.join(actions)}.")
    return lines


def hammer(view: View, item: ItemView) -> str:
    """Return the result of a closed item: its winner, price and true value."""
    if item.winner is None or item.hammer_price is None or item.true_value is None:
        return "Not sold."
    winner = "you" if item.winner == view.seat else name_of(view, item.winner)
    return f"Sold to {winner} for {money(item.hammer_price)}. Its true value is {money(item.true_value)}."


def standing(view: View) -> list[str]:
    """Return a line about the standing bid and its holder; an empty list if there is no bid."""
    if view.standing_bid is None or view.leader is None:
        return []
    leader = "You hold" if view.leader == view.seat else f"{name_of(view, view.leader)} holds"
    return [f"{leader} the standing bid of {money(view.standing_bid)}."]


def refused(view: View) -> list[str]:
    """Return a line with the reason why the last reply was refused; an empty list if it was not refused."""
    return [] if view.refused is None else [f"Your answer was not accepted: {view.refused}."]


def name_of(view: View, seat: str) -> str:
    """Return the display name of a seat."""
    return view.scenario_text.names[view.scenario_text.seats.index(seat)]


def _call(view: View) -> str:
    """Return the current item and bids, and what the seat has to decide; or its profit once the auction is over."""
    if view.item is None or view.least_bid is None:
        return f"The auction is over. Your profit: {money(view.profits[view.seat])}."
    item = view.item
    place = f"Item {view.item_number + 1} of {len(view.items)}, {item.name}, round {view.round + 1}"
    lines = [f"{place}. Starting price: {money(view.starting_price)}."]
    lines += standing(view)
    lines.append(f"Still in: {', '.join(name_of(view, seat) for seat, active in view.active.items() if active)}.")
    if not view.must_decide:
        lines.append("There is nothing for you to decide in this round.")
        return "\n".join(lines)
    lines.append(f"Least bid: {money(view.least_bid)}. Left of your budget: {money(view.budget)}.")
    lines.append(f"Your estimate of it: {money(item.estimate)}.")
    lines += refused(view)
    lines.append(how_to_answer(view))
    return "\n".join(lines)
