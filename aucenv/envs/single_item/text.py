"""Rounds of games that sell one prize each, in words; the sentences are in `wording`."""

from __future__ import annotations

from aucenv.core.money import money
from aucenv.envs.single_item.view import Round, SingleItemView
from aucenv.envs.single_item.wording import words


def heading(view: SingleItemView, j: int) -> list[str]:
    """Which round it is; what its prize is worth to the seat follows in `seen`."""
    return [words(view.scenario.language).round_heading.format(number=j + 1, rounds=view.num_rounds)]


def seen(view: SingleItemView, value: float) -> str:
    """What the seat sees of a prize's worth."""
    said = words(view.scenario.language)
    return (said.signal if view.values == "cv" else said.value).format(value=money(value, view.scenario_text.sign))


def last_round(view: SingleItemView, played: Round, bids: str, preferred: float | None = None) -> list[str]:
    """What a closed round told all, as far as the view holds it.

    Args:
        bids: the sentence for all bids, with a field `bids`, the highest first, or `prices`, the lowest first; "": they
            are not told.
        preferred: what the winner would rather have bid.
    """
    said, sign = words(view.scenario.language), view.scenario_text.sign
    lines = []
    if played.bids is not None and bids:
        ranked = [money(bid, sign) for bid in played.bids] or ["-"]
        lines.append(bids.format(bids=said.comma.join(ranked), prices=said.comma.join(reversed(ranked))))
    if played.price is not None:
        lines.append(said.price.format(price=money(played.price, sign)))
    elif view.reveal != "none":
        lines.append(said.not_sold)
    if preferred is not None:
        lines.append(said.preferred.format(bid=money(preferred, sign)))
    if played.winner_profit is not None and not played.won:
        lines.append(said.winner_profit.format(profit=money(played.winner_profit, sign)))
    if played.prize_value is not None:
        lines.append(said.prize_value.format(value=money(played.prize_value, sign)))
    return lines


def call(view: SingleItemView) -> list[str]:
    """Which round is open, the seat's profit and what the prize is worth to it; or that the game is over."""
    said, sign = words(view.scenario.language), view.scenario_text.sign
    if view.value is None:
        return [said.over.format(profit=money(view.profit, sign))]
    return [*heading(view, view.item_number), total(view), seen(view, view.value)]


def total(view: SingleItemView) -> str:
    """The seat's profit so far."""
    return words(view.scenario.language).total.format(profit=money(view.profit, view.scenario_text.sign))


def refused(view: SingleItemView) -> list[str]:
    """Why the last answer was refused, if it was."""
    return [] if view.refused is None else [words(view.scenario.language).refused.format(reason=view.refused)]
