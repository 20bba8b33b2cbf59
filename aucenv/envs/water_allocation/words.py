"""Text interface of the water allocation challenge: views as text, reasons for refusals, and replies."""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np

from aucenv.core.words.money import format_dollars, money
from aucenv.core.words.phrases import count
from aucenv.core.words.reply import read as read_bid
from aucenv.core.words.reply import write_reply
from aucenv.core.words.structured_reply import BID_OR_WITHDRAW, ReplyForm
from aucenv.envs.water_allocation.game import WaterScenario
from aucenv.envs.water_allocation.rules import HEALTH_GAIN
from aucenv.envs.water_allocation.view import Day, ResidentView, ScenarioText, View


def refusal(state: np.ndarray, seat: int, amount: int, code: int, scenario_text: ScenarioText) -> str:
    """Return the reason why the rules refuse a bid of `amount` cents by `seat`, for a code of `rules.check`."""
    return f"{format_dollars(amount)} is above the balance of {format_dollars(int(state['balance'][0, seat]))}"


def read(reply: str, rivals: Collection[str], scenario_text: ScenarioText, state: np.ndarray) -> int:
    """Return the decision in a reply: cents, or WITHDRAW.

    Raises:
        Unreadable: the reply contains no clear decision.
    """
    return read_bid(reply, rivals)


def reply_writer(scenario: WaterScenario) -> Callable[[int], str]:
    """Return the function that writes the simplest reply for an amount in cents, or WITHDRAW."""
    return write_reply


def reply_form(scenario_text: ScenarioText) -> ReplyForm:
    """Return the form of structured replies; a resident who withdraws bids nothing."""
    return BID_OR_WITHDRAW


def how_to_answer(view: View) -> str:
    """Return the line that says how to answer in words."""
    return "Answer with 'I bid $X!', or with 'I'm out!' to bid nothing."


def waiting_text(scenario_text: ScenarioText) -> str:
    """Return the text for a seat that has replied in this round while other seats have not."""
    return "You have answered; others are still deciding."


def describe(view: View, since: tuple[int, int] | None = None) -> str:
    """Return a view as text: what has happened since the last decision, and what the seat has to decide.

    Args:
        since: (length of the history, number of the day) at the seat's last decision; None describes everything.
    """
    parts = [rules(view)] if since is None else []
    parts += results(view, 0 if since is None else since[1])
    parts.append(_call(view))
    return "\n\n".join(parts)


def results(view: View, since: int) -> list[str]:
    """Return the events of each closed day from day index `since`, which starts at 0."""
    return [_day(view, view.day_at(j)) for j in range(since, view.item_number)]


def status(view: View) -> str:
    """Return the seat's own balance, health, and days without water."""
    bidder = view.resident
    return _standing(view, bidder.balance, bidder.health, bidder.no_water_days)


def rules(view: View, with_persona: bool = True) -> str:
    """Return the rules of the game and the list of residents.

    Args:
        with_persona: whether to include the seat's persona.
    """
    bidder, (low, high) = view.resident, view.supply_range
    resource = view.wording.resource
    void = "is void" if view.voids else "is not accepted"
    lines = [
        f"You are {view.name}, one of {len(view.scenario_text.names)} residents of a town that has run short of "
        f"{resource}. The {view.wording.shortage} lasts {view.days} days. You want to be alive when it ends.",
        f"Every morning each resident is paid its salary, and the town announces how much {resource} there is: {low} "
        f"to {high} units, each number as likely. Then all bid for {resource}, unseen by each other, each for the "
        f"whole of its daily need. The highest bid is served first, then the next whose need the remaining {resource} "
        "covers, until nobody's is covered; of equal bids the lower need goes first, and of equal needs too, a draw "
        f"decides. Whoever gets {resource} pays its own bid, others pay nothing. A bid of $0 counts and can win; a bid "
        f"above your balance {void}. Money that is not spent stays yours while you live.",
        f"With {resource} your health rises by {HEALTH_GAIN}, to {view.health_cap} at most. On the first day without "
        f"{resource} it falls by 1, on the second in a row by 2, and so on; a day with {resource} starts the count "
        f"again. At a health of 0 or less you die, and are out. Every evening all bids, who got {resource}, and "
        f"everybody's balance, health and days without {resource} are announced to all.",
    ]
    if view.persona and with_persona:
        lines.insert(1, view.persona)
    lines.append("The residents:")
    lines += [
        f"- {resident.name}{' (you)' if resident.seat == bidder.seat else ''}: needs {resident.need} units a day, "
        f"earns {money(resident.salary)} a day."
        for resident in view.residents
    ]
    return "\n".join(lines)


def _name(view: View, seat: str) -> str:
    """Return the display name of a seat."""
    return view.scenario_text.names[view.scenario_text.seats.index(seat)]


def _day(view: View, day: Day) -> str:
    """Return the events of a closed day: its bids, its winners and the state of each resident."""
    bids = "; ".join(
        f"{_name(view, seat)} {'none' if bid is None else money(bid)}{' (void)' if seat in day.void else ''}"
        for seat, bid in day.bids.items()
    )
    served, resource = ", ".join(_name(view, seat) for seat in day.winners) or "nobody", view.wording.resource
    lines = [f"Day {day.number}, {day.supply} units of {resource}.", f"Bids: {bids}."]
    lines.append(f"{resource.capitalize()} went to: {served}.")
    for seat, after in day.after.items():
        if seat in day.died:
            lines.append(f"{_name(view, seat)} has died.")
        else:
            standing = _standing(view, after.balance, after.health, after.no_water_days)
            lines.append(f"{_name(view, seat)}: {standing}.")
    return "\n".join(lines)


def _standing(view: View, balance: float, health: int, no_water_days: int) -> str:
    """Return the state of a living resident."""
    without = f", {count(no_water_days, 'day')} without {view.wording.resource}" if no_water_days else ""
    return f"balance {money(balance)}, health {health}{without}"


def _call(view: View) -> str:
    """Return what the seat has to decide, or the result of the game."""
    bidder = view.resident
    if view.supply is None:
        alive = ", ".join(resident.name for resident in view.residents if resident.alive) or "nobody"
        over = f"The {view.wording.shortage} is over" if view.status == "terminated" else "The game has been stopped"
        return f"{over}. Alive: {alive}. You {'are alive' if bidder.alive else 'are dead'}."
    lines = [situation(view)]
    if not bidder.alive:
        lines.append("You have died: there is nothing for you to decide any more.")
        return "\n".join(lines)
    if not view.must_decide:
        lines.append("There is nothing for you to decide now.")
        return "\n".join(lines)
    if view.refused is not None:
        lines.append(f"Your answer was not accepted: {view.refused}.")
    lines.append(how_to_answer(view))
    return "\n".join(lines)


def situation(view: View) -> str:
    """Return the day and its supply, and the seat's state if it is alive, without the question for a bid."""
    bidder, resource = view.resident, view.wording.resource
    lines = [f"Day {view.day} of {view.days}. There are {view.supply} units of {resource} today."]
    if bidder.alive:
        lines.append(f"You need {bidder.need} units. Your {status(view)}.")
        lines.append(f"Without {resource} today your health falls to {_health_without_water(bidder)}.")
    return "\n".join(lines)


def day_summary(view: View, day: Day) -> str:
    """Return the winners of a closed day with their payments, the seat's bid, and who died, in one line."""
    served = ", ".join(f"{_name(view, seat)} ({money(day.bids[seat] or 0)})" for seat in day.winners) or "nobody"
    bid = day.bids.get(view.seat)
    parts = [f"Day {day.number}, {day.supply} units of {view.wording.resource}: served {served}"]
    parts.append(f"you bid {'nothing' if bid is None else money(bid)}")
    parts += [f"{_name(view, seat)} died" for seat in day.died]
    return f"{'; '.join(parts)}."


def _health_without_water(resident: ResidentView) -> str:
    """Return the resident's health after another day without water."""
    health = resident.health - resident.no_water_days - 1
    return str(health) if health > 0 else f"{health}: you die"
