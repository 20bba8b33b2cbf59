"""Transcripts of English auctions, bid by bid."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter

from aucenv.core.money import money
from aucenv.core.record import GameRecord
from aucenv.core.transcript import describe_decision
from aucenv.envs.english.plans import plans
from aucenv.envs.english.stated_beliefs import belief_history


def transcript(record: GameRecord) -> Iterator[str]:
    """Yield the lines of a record's transcript: deal, bids, refused replies, sales, budgets and profits."""
    names = {player["seat"]: f"{player['name']} ({player['bidder']})" for player in record.seats}
    short = {player["seat"]: player["name"] for player in record.seats}
    budgets = {seat: dealt["budget"] for seat, dealt in zip(names, record.deal["seats"], strict=True)}
    profit = dict.fromkeys(names, 0.0)
    for seat, dealt in zip(names, record.deal["seats"], strict=True):
        wants = dealt["target"] or dealt["objective"]
        yield f"{seat}: {names[seat]}, budget {money(dealt['budget'])}, wants {wants}."
    for j, (item, sold) in enumerate(zip(record.deal["items"], record.outcome["items"], strict=True)):
        item_decisions = [decision for decision in record.decisions if decision["item"] == j]
        if not item_decisions and record.outcome["status"] == "truncated":
            break
        estimates = ", ".join(
            f"{short[seat]} {money(dealt['estimates'][j])}"
            for seat, dealt in zip(names, record.deal["seats"], strict=True)
        )
        yield ""
        yield f"{j + 1}. {item['name']}: starting price {money(item['starting_price'])}. Estimates: {estimates}."
        for number, decisions in groupby(item_decisions, key=lambda decision: decision["round"]):
            yield f"  round {number + 1}: {'; '.join(describe_decision(decision, short) for decision in decisions)}"
        if sold["winner"] is None:
            yield "  not sold" + ("" if item_decisions else ": nobody could pay")
            continue
        budgets[sold["winner"]] -= sold["price"]
        profit[sold["winner"]] += item["true_value"] - sold["price"]
        yield f"  SOLD to {short[sold['winner']]} for {money(sold['price'])}; true value {money(item['true_value'])}"
        yield "  left: " + ", ".join(f"{short[seat]} {money(budgets[seat])}" for seat in names)
    yield ""
    yield f"The auction {record.outcome['status']} after {record.outcome['rounds']} rounds."
    for seat, result in zip(names, record.outcome["seats"], strict=True):
        yield (
            f"{names[seat]}: profit {money(result['profit'])}, {len(result['won'])} items, "
            f"{money(result['budget_left'])} left."
        )
    for seat in names:
        yield from _thoughts(record, seat, short[seat])


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
