"""The sentences of proxy auctions, in English; those about prizes, values and profits are in `single_item.wording`."""

from __future__ import annotations

from aucenv.core.words.phrases import count
from aucenv.envs.ebay.game import EbayScenario
from aucenv.envs.ebay.rules import MAX_DAYS
from aucenv.envs.single_item.wording import format_rules

RULES = {
    "days": (
        "A round lasts {days}. On each day every bidder moves once, one after another. The order of moves is drawn "
        "again for each day, and announced when the day begins, except on the last day."
    ),
    "proxy": (
        "A proxy bids for each bidder, up to a maximum that only this bidder knows. In a move you set your maximum, or "
        "hold. A maximum is at most {cap}, in steps of {bid_step}; it is at least the price, and you can only raise it."
    ),
    "pays": (
        "The highest maximum leads; of equal ones, the one that was set first. With a single maximum the price is "
        "{start}; otherwise it is the second-highest maximum plus {increment}, but at most the highest maximum."
    ),
    "public": "After every move all bidders see who moved, whether its maximum was raised, the price, and who leads.",
    "prices": "After every move all bidders see the price.",
    "hard": "The round ends after the last day. The leader wins and pays the price; nobody else pays.",
    "soft": (
        "Each time the last day is about to begin, a day is added if anybody has raised a maximum since the last "
        "addition (at first, since the start), up to {most_days} days in all. The round ends after the last day. The "
        "leader wins and pays the price; nobody else pays."
    ),
    "no_bid": "If nobody has set a maximum, the prize is not sold.",
    "reserve": "There is a reserve that nobody sees: if the highest maximum is below it, the prize is not sold.",
    "lifted": (
        "There is a reserve that nobody sees: if the highest maximum is below it, the prize is not sold; otherwise the "
        "winner pays at least the reserve."
    ),
    "maxima": "all final maxima (without names)",
}
"""Rules and phrases with fields for `str.format`: texts of amounts, and of numbers of days."""
DAY = "Day {day} of {days}: {left}."
DAY_LAST = "Day {day}, the last day: no order of moves is announced."
DAYS_LEFT = "{left} after this one"
MAY_BE_ADDED = "{left} after this one, more if days are added"
ORDER = "Order of moves today: {names}."
MOVES = "All moves so far:"
NEW_MOVES = "Moves since yours:"
MOVE = "Day {day}: {name} {did}; price {price}, {leader}."
RAISED, HELD = "raises its maximum", "holds"
LEADS, NOBODY_LEADS = "{name} leads", "nobody leads"
PRICE = "The price is {price}; {leader}."
MAXIMUM = "Your maximum is {maximum}."
NO_MAXIMUM = "You have not set a maximum."
ASK = (
    "Answer 'I hold', or set your maximum, at least {least} and at most {cap}, for example: "
    "'I raise my maximum to {example}'."
)
ASK_HOLD = "Your maximum cannot be raised any more: answer 'I hold'."
WAITING = "It is not your move yet."
ENDED = "The round ended after {days}; {leader}."
WON = "Your maximum was {maximum}. You won and paid {price}; profit {profit}."
LOST = "Your maximum was {maximum}. You did not win; profit {profit}."
NEVER_BID = "You set no maximum; profit {profit}."
ALL_MAXIMA = "All final maxima, highest first: {bids}."
BELOW_EARLIER = "{amount} is below your earlier maximum of {earlier}, which you can only raise"
BELOW_PRICE = "{amount} is below the price of {price}"
ABOVE_RANGE = "{amount} is above the highest possible maximum of {cap}"
OFF_STEP = "{amount} is not a multiple of {step}"
HINT = "say 'I raise my maximum to {sign}X' with an amount in digits, or 'I hold'"
CONDITION = (
    "the maximum depends on a condition, but it takes effect at once, and the proxy bids up to it only as far as "
    "needed: {hint}"
)


def proxy_rules(scenario: EbayScenario, has_reserve: bool, name: str, only_prices: bool = False) -> str:
    """Return the rules of a proxy auction, one rule per line.

    Args:
        scenario: the scenario as seats know it, without the amount of the reserve.
        has_reserve: whether there is a hidden reserve.
        name: the name of the seat that reads the rules.
        only_prices: whether the reader learns of others' moves only the price after each.
    """
    amounts = {
        "cap": scenario.highest_maximum,
        "bid_step": scenario.bid_step,
        "start": scenario.start_price,
        "increment": scenario.increment,
    }
    reserve = [] if not has_reserve else ["lifted" if scenario.lift_to_reserve else "reserve"]
    public = "prices" if only_prices else "public"
    lines = ["days", "proxy", "pays", public, scenario.closing, "no_bid", *reserve, "told", "goal"]
    more = {
        **RULES,
        "days": RULES["days"].format(days=count(scenario.days, "day")),
        "soft": RULES["soft"].format(most_days=MAX_DAYS),
    }
    all_ = ["maxima", "winner_result", *(["worth"] if scenario.values == "cv" else [])]
    revealed = ["own_result", "the_price", *(all_ if scenario.reveal == "all" else [])]
    return format_rules(scenario, name, lines, amounts, revealed, more)
