"""Replies of a script in English and housing auctions: plans, bids, beliefs, rules and profiles."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping

from aucenv.baselines.llm.script.tasks import Task, amounts, first_match, json_after

from aucenv.core.files import JsonObject

ITEM = r"^- (.+?): starting price \$([0-9,]+), your estimate of its true value \$([0-9,]+)"
TOP, BOTTOM = 3, 1
"""The highest and the lowest priority."""
MOST_SPENT = 1 / 3
"""The share of its budget up to which the script considers a starting price as affordable."""
MINOR = 1 / 3
"""An item is minor if its estimate is below this share of the highest one among items that the script can afford."""


@dataclasses.dataclass(frozen=True)
class Bidding:
    """How a script bids in English and housing auctions.

    Attributes:
        limit: The share of its estimate up to which it bids, if it seeks profit.
        minor: The same for minor items; see MINOR.
    """

    limit: float
    minor: float

    def plan(self, task: Task) -> str:
        """Return priorities of the items: thirds of them by estimates, or by starting prices if it seeks items."""
        items = re.findall(ITEM, task.text, re.MULTILINE)
        prices = {name: _dollars(price) for name, price, _ in items}
        if seeks_items(task):
            ranked = sorted(prices, key=lambda name: prices[name])
        else:
            estimates = {name: _dollars(value) for name, _, value in items}
            most = MOST_SPENT * whole_budget(task) if self.minor < self.limit else float("inf")
            ranked = sorted(estimates, key=lambda name: (prices[name] > most, -estimates[name]))
        third = -(-len(ranked) // 3)
        chosen = {name: TOP - ranked.index(name) // third for name in prices}
        return f"I want what is worth most to me.\n```json\n{json.dumps(chosen)}\n```"

    def bid(self, task: Task) -> str:
        """Return a bid of the least amount, or a withdrawal above the limit."""
        call = bid_call(task)
        least = least_bid(call)
        advised = re.search(r"Your adviser wants you to (bid|leave)", call)
        if advised:
            return "As advised, I'm out!" if advised[1] == "leave" else f"As advised, I bid ${least:,.0f}!"
        if least > self.limit_of(task, call) or least > budget_left(task):
            return "Too dear for me. I'm out!"
        return f"Still cheap. I bid ${least:,.0f}!"

    def plain_bid(self, task: Task) -> str:
        """Return the same, for the observations of the text interface."""
        least, left = (_stated(name, task.text) for name in ("Least bid", "Left of your budget"))
        limit = self.limit * _stated("Your estimate of it", task.text)
        return f"I bid ${least:,.0f}!" if least <= min(limit, left) else "I'm out!"

    def rule(self, task: Task) -> str:
        """Return the choice of a rule of ExpAct."""
        chosen = "C" if least_bid(task.text) <= self.limit_of(task, task.text) else "E"
        return json.dumps({"rule": chosen, "reason": "The price says so."})

    def limit_of(self, task: Task, call: str) -> float:
        """Return the highest price that the script bids for the item of a call."""
        estimate = estimate_in(call, task)
        if estimate is None:
            return float("inf")
        left = items_left(task)
        if seeks_items(task):
            return min(estimate, budget_left(task) / max(1.0, len(left) / 2))
        if self.minor < self.limit:
            most = MOST_SPENT * whole_budget(task)
            best = max((value for price, value in left.values() if price <= most), default=estimate)
            if estimate < MINOR * best:
                return self.minor * estimate
        return self.limit * estimate


def _stated(name: str, text: str) -> float:
    return amounts(text[text.index(f"{name}: $") :])[0]


def _dollars(text: str) -> float:
    return float(text.replace(",", ""))


def seeks_items(task: Task) -> bool:
    """Return whether the goal is a number of items, not profit."""
    return "many items" in task.system or "more items" in task.system


def items_left(task: Task) -> Mapping[str, tuple[float, float]]:
    """Return the starting prices and estimates of the items in the last list that the script has read, by name."""
    for message in reversed(task.messages):
        if message["role"] != "assistant" and (items := re.findall(ITEM, message["content"], re.MULTILINE)):
            return {name: (_dollars(price), _dollars(value)) for name, price, value in items}
    return {}


def bid_call(task: Task) -> str:
    """Return the last message that asks for a bid and is not only the refusal of one."""
    signs = ("true value at", "The auctioneer says:")
    texts = [message["content"] for message in task.messages if message["role"] == "user"]
    return next((text for text in reversed(texts) if any(sign in text for sign in signs)), task.text)


def least_bid(call: str) -> float:
    """Return the least legal bid that a call states."""
    standing_bid = re.search(
        r"the standing bid of (\$[0-9,.]+)\. A (?:bid must be higher by at least|higher bid for .+ by) (\$[0-9,.]+)",
        call,
    )
    if standing_bid:
        return sum(amounts(" ".join(standing_bid.groups())))
    start = re.search(r"(?:starting price (?:of .+ )?is|^Now .+, from) (\$[0-9,]+(?:\.[0-9]+)?)", call, re.MULTILINE)
    return amounts(start[1])[0] if start else float("inf")


def estimate_in(call: str, task: Task) -> float | None:
    """Return the estimate of the item of a call: from the call, or else from the last list of items; None: unknown."""
    stated = re.search(r"you estimate (?:its|the) true value at (\$[0-9,.]+)", call)
    if stated:
        return amounts(stated[1])[0]
    sold = re.findall(r"^Now (.+?), from \$", task.asked, re.MULTILINE)
    listed = items_left(task)
    return listed[sold[-1]][1] if sold and sold[-1] in listed else None


def whole_budget(task: Task) -> float:
    """Return the budget for the whole auction."""
    stated = re.search(r"have (\$[0-9,]+) to spend|whole auction is (\$[0-9,]+)", task.asked)
    return amounts(stated[0])[0] if stated else float("inf")


def budget_left(task: Task) -> float:
    """Return the budget that is left as far as the conversation says."""
    left = re.findall(r'(?:"remaining_budget"|Budget left): ([0-9.]+)', task.asked)
    return float(left[-1]) if left else whole_budget(task)


def belief(task: Task) -> str:
    """Return correct beliefs after the sale of an item."""
    return f"They bid with care.\n{json.dumps(true_status(task))}"


def true_status(task: Task) -> JsonObject:
    """Return the beliefs before the sale of an item, corrected by its result."""
    name = bidder_name(task)
    match = first_match([r"The sale of (?P<item>.+) is over\.", r"the bidding for (?P<item>.+) went:"], task.text)
    status = earlier_status(task)
    sold = re.search(r"Sold to (\w+) for \$([0-9,.]+?)\. Its true value is \$([0-9,.]+?)\.", task.text)
    if sold and match:
        winner = name if sold[1] == "you" else sold[1]
        price, value = map(_dollars, sold.groups()[1:])
        status["total_profits"][winner] += value - price
        status["winning_bids"][winner][match["item"]] = price
        status["remaining_budget"] -= price if winner == name else 0
    return status


def earlier_status(task: Task) -> JsonObject:
    """Return the earlier beliefs, which the task of a belief update has as JSON or as a list."""
    text = task.text
    if "* Budget left:" not in text:
        return json_after(text, "What you believed before:")
    profits = re.findall(r"^  \* (\w+): (-?[0-9.]+)$", text, re.MULTILINE)
    won = re.findall(r"^  \* (\w+): (none|.+ at [0-9.]+)$", text, re.MULTILINE)
    items = {name: re.findall(r"([^,]+?) at ([0-9.]+)(?:, )?", listed) for name, listed in won}
    left = re.search(r"Budget left: ([0-9.]+)", text)
    return {
        "remaining_budget": float(left[1]) if left else 0.0,
        "total_profits": {name: float(profit) for name, profit in profits},
        "winning_bids": {name: {item.strip(): float(price) for item, price in pairs} for name, pairs in items.items()},
    }


def bidder_name(task: Task) -> str:
    """Return the name of the script's seat."""
    match = re.search(r"You are (\w+),", task.system)
    return match[1] if match else ""


def profile(task: Task) -> str:
    """Return the previous profile of a rival, with a higher weight of its first persona."""
    weights = json_after(task.text, "Your profile of")
    first = next(iter(weights))
    weights[first] = round(min(1.0, weights[first] + 0.25), 2)
    return json.dumps(weights)


def rivals(task: Task) -> str:
    """Return a sentence on each rival."""
    names = re.findall(r"^- (\w+) bid on:", task.text, re.MULTILINE)
    return json.dumps({name: f"{name} goes far." for name in names})
