"""An English auction's record, told bid by bid."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import attrgetter

from aucenv.core.money import money
from aucenv.core.record import GameRecord
from aucenv.core.transcript import answer
from aucenv.envs.english.plans import plans
from aucenv.envs.english.stated_beliefs import belief_history


def transcript(record: GameRecord) -> Iterator[str]:
    """An English auction, bid by bid: who knew what, refused answers, hammers, budgets and profits."""
    names = {who["seat"]: f"{who['name']} ({who['bidder']})" for who in record.seats}
    short = {who["seat"]: who["name"] for who in record.seats}
    purse = {seat: dealt["budget"] for seat, dealt in zip(names, record.deal["seats"], strict=True)}
    profit = dict.fromkeys(names, 0.0)
    for seat, dealt in zip(names, record.deal["seats"], strict=True):
        wants = dealt["target"] or dealt["objective"]
        yield f"{seat}: {names[seat]}, budget {money(dealt['budget'])}, wants {wants}."
    for j, (item, sold) in enumerate(zip(record.deal["items"], record.outcome["items"], strict=True)):
        told = [decision for decision in record.decisions if decision["item"] == j]
        if not told and record.outcome["status"] == "truncated":
            break
        worth = ", ".join(
            f"{short[seat]} {money(dealt['estimates'][j])}"
            for seat, dealt in zip(names, record.deal["seats"], strict=True)
        )
        yield ""
        yield f"{j + 1}. {item['name']}: starting price {money(item['starting_price'])}. Estimates: {worth}."
        for number, decisions in groupby(told, key=lambda decision: decision["round"]):
            yield f"  round {number + 1}: {'; '.join(answer(decision, short) for decision in decisions)}"
        if sold["winner"] is None:
            yield "  not sold" + ("" if told else ": nobody could pay")
            continue
        purse[sold["winner"]] -= sold["price"]
        profit[sold["winner"]] += item["true_value"] - sold["price"]
        yield f"  SOLD to {short[sold['winner']]} for {money(sold['price'])}; true value {money(item['true_value'])}"
        yield "  left: " + ", ".join(f"{short[seat]} {money(purse[seat])}" for seat in names)
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
    """What a bidder that plans and believes has changed in its plans, and had wrong."""
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
        told = f"budget {money(budgets[0])} of {money(budgets[1])}, profit {money(profits[0])} of {money(profits[1])}"
        wrong = "; ".join(check.wrong for check in belief.checks if check.wrong)
        yield f"{place}: {told}{'. Wrong: ' if wrong else ''}{wrong}."
