"""Transcripts of English auctions, bid by bid."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, zip_longest
from operator import attrgetter, itemgetter

from aucenv.core.files import JsonObject
from aucenv.core.records.record import GameRecord
from aucenv.core.words.money import money
from aucenv.core.words.phrases import count, ended
from aucenv.core.words.transcript import describe_decision
from aucenv.envs.english.notes import plans
from aucenv.envs.english.stated_beliefs import belief_history


def transcript(record: GameRecord) -> Iterator[str]:
    """Yield the lines of a record's transcript: deal, bids, refused replies, sales, budgets and profits."""
    yield from bid_by_bid(record, [""] * len(record.seats), [""] * len(record.deal["items"]))


def bid_by_bid(record: GameRecord, about_seats: Sequence[str], about_items: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a record's transcript.

    Args:
        about_seats, about_items: text to append to each bidder and each item where they are introduced.
    """
    names = {player["seat"]: f"{player['name']} ({player['bidder']})" for player in record.seats}
    short = {player["seat"]: player["name"] for player in record.seats}
    budgets = {seat: dealt["budget"] for seat, dealt in zip(names, record.deal["seats"], strict=True)}
    for player, dealt, about in zip(record.seats, record.deal["seats"], about_seats, strict=True):
        who, wants = names[player["seat"]], _objective(player, dealt)
        yield f"{player['seat']}: {who}{about}, budget {money(dealt['budget'])}, wants {wants}."
    truncated = record.outcome["status"] == "truncated"
    decided = 1 + max((decision["item"] for decision in record.decisions), default=-1)
    for j, sold in enumerate(record.outcome["items"][: decided if truncated else None]):
        yield ""
        yield _describe_item(record, j, about_items[j], short)
        item_decisions = [decision for decision in record.decisions if decision["item"] == j]
        yield from _describe_bids(item_decisions, short, sold["winner"])
        if sold["winner"] is None:
            last_bids = [d["amount"] for d in item_decisions if d["round"] == item_decisions[-1]["round"]]
            if truncated and j == decided - 1 and any(bid is not None for bid in last_bids):
                yield "  not decided when the auction was truncated"
            else:
                yield "  not sold" + ("" if item_decisions else ": nobody could pay")
            continue
        budgets[sold["winner"]] -= sold["price"]
        value = money(record.deal["items"][j]["true_value"])
        yield f"  SOLD to {short[sold['winner']]} for {money(sold['price'])}; true value {value}"
        yield "  left: " + ", ".join(f"{short[seat]} {money(budgets[seat])}" for seat in names)
    yield ""
    yield f"The auction {ended(record.outcome['status'])} after {count(record.outcome['rounds'], 'round')}."
    for seat, result in zip(names, record.outcome["seats"], strict=True):
        won = count(len(result["won"]), "item")
        yield f"{names[seat]}: profit {money(result['profit'])}, {won}, {money(result['budget_left'])} left."
    for seat in names:
        yield from _thoughts(record, seat, short[seat])


def _objective(player: JsonObject, dealt: JsonObject) -> str:
    """Return what a bidder wants: what its notes state, or in older records its name, and otherwise the deal."""
    notes = player.get("notes", {})
    named = re.search(r",objective=(?:item:)?([^,]+)", player["bidder"])
    stated = notes.get("target") or notes.get("objective") or (named and named[1])
    return str(stated or dealt["target"] or dealt["objective"])


def _describe_item(record: GameRecord, j: int, about: str, names: Mapping[str, str]) -> str:
    """Return an item in words, with its starting price and the estimates of all bidders."""
    item = record.deal["items"][j]
    estimates = ", ".join(
        f"{name} {money(dealt['estimates'][j])}"
        for name, dealt in zip(names.values(), record.deal["seats"], strict=True)
    )
    return f"{j + 1}. {item['name']}{about}: starting price {money(item['starting_price'])}. Estimates: {estimates}."


def _describe_bids(decisions: Sequence[JsonObject], names: Mapping[str, str], winner: str | None) -> Iterator[str]:
    """Yield a line for each round of an item that `winner` bought."""
    rounds = [list(in_round) for _, in_round in groupby(decisions, key=itemgetter("round"))]
    for bids, leads in zip(rounds, tie_winners(rounds, winner), strict=True):
        parts = [describe_decision(decision, names) for decision in bids]
        if leads is not None:
            parts.append(f"tie: {names[leads]} leads")
        yield f"  round {bids[0]['round'] + 1}: {'; '.join(parts)}"


def tied_seats(bids: Sequence[JsonObject]) -> set[str]:
    """Return the seats with the highest bid of a round; none if nobody bids."""
    amounts = {one["seat"]: one["amount"] for one in bids if one["amount"] is not None}
    return {seat for seat, amount in amounts.items() if amount == max(amounts.values())}


def tie_winners(rounds: Sequence[Sequence[JsonObject]], winner: str | None) -> list[str | None]:
    """Return which seat leads after each round because of the random choice among equal highest bids.

    The leader is not asked in the next round. After the last round, the leader is the winner.

    Args:
        rounds: The decisions of each round of one item.
        winner: The seat that bought the item.

    Returns:
        A seat for each round; None without a tie, or if the decisions do not show it.
    """
    leaders: list[str | None] = []
    for bids, following in zip_longest(rounds, rounds[1:]):
        tied = tied_seats(bids)
        left = tied & {winner} if following is None else tied - {one["seat"] for one in following}
        leaders.append(left.pop() if len(tied) > 1 and len(left) == 1 else None)
    return leaders


def _thoughts(record: GameRecord, seat: str, name: str) -> Iterator[str]:
    """Yield the lines about a bidder's changed plans and stated beliefs."""
    planned = plans(record, seat)
    for before, changes in groupby(planned.changes if planned is not None else (), key=attrgetter("before_item")):
        changed = ", ".join(f"{change.item} {change.old} to {change.new}" for change in changes)
        yield f"{name}, new priorities before item {before + 1}: {changed}."
    for belief in belief_history(record, seat):
        place = f"{name}, beliefs after item {belief.item}, revision {belief.revision}"
        if belief.status is None:
            yield f"{place}: unreadable."
            continue
        budgets = [status["remaining_budget"] for status in (belief.status, belief.true)]
        profits = [status["total_profits"][name] for status in (belief.status, belief.true)]
        stated = f"budget {money(budgets[0])} of {money(budgets[1])}, profit {money(profits[0])} of {money(profits[1])}"
        wrong = "; ".join(check.wrong for check in belief.checks if check.wrong)
        yield f"{place}: {stated}{'. Wrong: ' if wrong else ''}{wrong}."
