"""The rules, the closed rounds and the question in words, and the form of replies."""

from __future__ import annotations

from aucenv.core.defaults.bid_forms import BidOrNothing
from aucenv.core.views.seat_view import GameView
from aucenv.core.words.money import money
from aucenv.core.words.phrases import count

REPLY = BidOrNothing(step="step", highest="highest_value", of="value")


def rules(view: GameView) -> str:
    scenario = view.scenario
    return (
        f"You are {view.name}, one of {len(view.scenario_text.names)} bidders in an auction of "
        f"{count(scenario.num_units, 'equal unit')} in each of {count(scenario.num_rounds, 'round')}. Each bidder wants "
        f"one unit, and all bid once, unseen by each other. The {count(scenario.num_units, 'highest bid')} win, a draw "
        "decides between equal bids, and every winner pays the highest bid that does not win. After a round, its price "
        f"is announced. Your value of a unit is drawn from $0 to {money(scenario.highest_value)}, each multiple of "
        f"{money(scenario.step)} as likely; a bid is such an amount, too, and $0 counts. Your profit in a round is your "
        "value minus the price if you win, and $0 if you do not."
    )


def closed(view: GameView, j: int) -> str:
    past = view.history[j]
    bid = "made no bid" if past.bid is None else f"bid {money(past.bid)}"
    got = f"won a unit for {money(past.price)}" if past.gets else f"won nothing; the price was {money(past.price)}"
    return f"Round {j + 1}: your value was {money(past.value)}. You {bid} and {got}."


def question(view: GameView) -> str:
    return f"Round {view.item_number + 1}: a unit is worth {money(view.value)} to you. What do you bid?"
