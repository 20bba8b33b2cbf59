"""A decision in words, for a model that learns to advise or to bid: View -> chat messages; and its replies, read.

Source: HARBOR, arXiv 2502.12149, section on RLAct: a state tells the own persona, the call, the own budget, profits and
winning bids, priorities, profiles of rivals, and the task. The words are ours, and so are the shares: what the least
bid is of what the item is likely worth, and what a budget is of the starting prices to come.
"""

from __future__ import annotations

import functools
import re
from typing import Any

import numpy as np
from aucenv.baselines.llm.json_replies import without_thinking
from aucenv.baselines.scripted.english import value_per_estimate
from aucenv.baselines.scripted.harbor import OVERESTIMATE, priority
from aucenv.training.rlact.state_features import COUNTS, shares
from aucenv.training.rlact.states import DecisionState, bounds

from aucenv.core.money import money
from aucenv.core.reply import Unreadable
from aucenv.core.reply import read as read_bid
from aucenv.core.seat_view import GameView
from aucenv.core.state import WITHDRAW
from aucenv.envs.english import text as english
from aucenv.envs.english.view import Bid
from aucenv.envs.harbor.profile import profile
from aucenv.envs.harbor.rules import NUM_PERSONAS
from aucenv.runs.calls import Message

RECOMMENDATION, BID = PHASES = ("recommendation", "bid")
"""What is asked for: analysis that ends in a recommendation to bid or to withdraw; or the answer itself."""
PROFILES = ("sentence", "numbers")
"""How profiles of rivals are told: the two kinds of buyers that fit most and least, or all ten weights."""
TERSE = "terse"
DETAILS = ("full", "brief", TERSE)
"""Whether the house and the own persona are described, or only named; terse: the shares alone, for small models."""
LONGEST = 20_000
"""Characters of a reply that are read, from the end."""

TASKS = {
    RECOMMENDATION: (
        "Should you bid now or withdraw? Weigh what the item is worth to you, what your budget is needed for later and "
        "what the others will do. End with a line that says Recommendation, a colon, and bid or withdraw."
    ),
    BID: "Answer with 'I bid $X!' or 'I'm out!'.",
}

TERSE_TASKS = {RECOMMENDATION: "Recommend", BID: "Bid"}


def state_messages(view: GameView, phase: str, profiles: str = "sentence", detail: str = "full") -> list[Message]:
    """What a model is told before a decision of the view's seat.

    Args:
        view: of an English or a housing auction, where the seat has a decision.
        phase: one of PHASES; profiles: one of PROFILES; detail: one of DETAILS.
    """
    if detail == TERSE:
        return [{"role": "user", "content": _terse(view, phase)}]
    full = detail == "full"
    system = [english.introduction(view), *_who(view, full), *([english.mechanism(view)] if full else [])]
    told = [
        *_item(view, full),
        *_worth(view),
        *_means(view),
        *_rivals(view, profiles),
        *_priorities(view),
        TASKS[phase],
    ]
    return [{"role": "system", "content": "\n".join(system)}, {"role": "user", "content": "\n".join(told)}]


PERCENT, MOST_PERCENT, MOST_COUNT = 5, 500, 20
"""Shares are told in such steps, up to a most; counts up to another: what trees tell from them is no worse."""
TOLD = (
    *("least/worth", "worth/start", "after/start", "budget/ahead", "rivals/ahead", "mean/later", "later/start"),
    *("later", "bids", "rivals/in", "rivals"),
)
"""Of `shares`, in terse messages: with these, trees tell decisions as well as with all."""


def _terse(view: GameView, phase: str) -> str:
    """Shares in percent and counts, up to a most; the least bid at the very end, where it is easily repeated."""
    known = shares(view)
    told = [
        f"{name} {min(MOST_COUNT, round(known[name]))}"
        if name in COUNTS
        else f"{name} {min(MOST_PERCENT, PERCENT * round(100 / PERCENT * known[name]))}%"
        for name in TOLD
    ]
    return f"{' '.join(told)} {TERSE_TASKS[phase]} at {money(view.least_bid)}?"


def reply_of(amount: int, phase: str) -> str:
    """The plainest reply that means this amount in cents, or WITHDRAW."""
    if phase == RECOMMENDATION:
        return f"Recommendation: {'withdraw' if amount == WITHDRAW else 'bid'}"
    return english.reply_writer(None)(amount)  # type: ignore[arg-type]  # as for any scenario


_RECOMMENDED = re.compile(
    r"(?:^|[.!?:])\W{0,8}(?:(?:my|final|the) )?recommendation\W{0,8}(bid|withdraw)\W{0,20}\Z", re.I | re.M
)
"""As the last words of a reply."""


def read_reply(reply: Any, phase: str, asked: GameView) -> int | None:
    """The amount that a reply means: cents, or WITHDRAW; a recommendation to bid means the least legal bid.

    Args:
        asked: what was replied to, a state or the seat's View.

    Returns:
        None where it cannot be read; whether it is legal is not looked at.
    """
    if not isinstance(reply, str):
        return None
    words = without_thinking(reply)[-LONGEST:].replace(TASKS[phase], "")  # the task, repeated, is no answer
    if phase == RECOMMENDATION:
        found = _RECOMMENDED.search(words.rstrip()[-200:])
        return None if found is None else WITHDRAW if found[1].lower() == "withdraw" else int(asked.row["least"][0])
    names = asked.names if isinstance(asked, DecisionState) else asked.scenario_text.names
    return _read_bid(words, tuple(name for seat, name in enumerate(names) if seat != asked.seat_number))


@functools.lru_cache(maxsize=4096)
def _read_bid(words: str, rivals: tuple[str, ...]) -> int | None:
    try:
        return read_bid(words, rivals)
    except Unreadable:
        return None


def read_legal(reply: Any, phase: str, asked: GameView) -> int | None:
    """As `read_reply`; None, too, where it is an illegal bid."""
    amount = read_reply(reply, phase, asked)
    least, most, _ = bounds(asked.row, asked.seat_number)
    return amount if amount is None or amount == WITHDRAW or least <= amount <= most else None


def _who(view: GameView, full: bool) -> list[str]:
    wanted = english.goal(view.objectives[view.seat], view.targets[view.seat])
    lines = [f"You want {wanted}. What you do not spend brings nothing."]
    personas = getattr(view, "personas", ())
    if personas and full:
        lines.append(f"Who you are: {' '.join(view.about_me)}")
    if personas:
        lines.append(f"You are drawn to what suits: {', '.join(persona.name for persona in personas)}.")
    return lines


def _item(view: GameView, full: bool) -> list[str]:
    """The call."""
    item = view.item
    place = f"Item {view.item_number + 1} of {len(view.items)}: {item.name}"
    suits = [f"It suits best: {named(view, item.suits)}."] if hasattr(item, "suits") else []
    return [
        " ".join([f"{place}. Starting price {money(view.starting_price)}. Round {view.round + 1}.", *suits]),
        *([item.description] if full and item.description else []),
        *[f"Last round: {line.partition(': ')[2]}" for line in english.rounds(view, _last_round(view))],
        *english.standing(view),
        f"Least bid: {money(view.least_bid)}. Least raise: {money(view.least_raise)}.",
    ]


def _last_round(view: GameView) -> list[Bid]:
    return [bid for bid in view.history if bid.item == view.item_number and bid.round == view.round - 1]


def named(view: GameView, persona: str) -> str:
    """A persona's name, by its id."""
    return next(each.name for each in view.scenario_text.personas if each.id == persona)


def _worth(view: GameView) -> list[str]:
    """What the item is likely worth, in view of the true values told so far."""
    share = value_per_estimate(view.row[0], view.seat_number, OVERESTIMATE)
    likely = share * view.item.estimate
    over = round(100 * view.least_bid / likely) if likely else 1000
    return [
        f"Your estimate: {money(view.item.estimate)}; true values are about {round(100 * share)}% of your estimates. "
        f"The least bid is {over}% of what the item is likely worth."
    ]


def _means(view: GameView) -> list[str]:
    """The own budget, and what it is needed for."""
    later = view.items[view.item_number + 1 :]
    price = sum(item.starting_price for item in later)
    left = view.budget - view.least_bid
    lines = [f"Your budget: {money(view.budget)}; after the least bid {money(left)}."]
    if later:
        lines.append(
            f"Still to come: {len(later)}, starting at {money(price)} in all, {round(100 * view.budget / price)}% of "
            f"which is your budget and {round(100 * left / price)}% what the least bid would leave."
        )
    else:
        lines.append("Nothing is to come after it.")
    return lines


def _rivals(view: GameView, profiles: str) -> list[str]:
    """Everybody's budget, profit and items; who is still in; what rivals' bids tell."""
    row, price = view.row[0], sum(item.starting_price for item in view.items[view.item_number :])
    bids = row["bids"]
    lines = []
    for number, seat in enumerate(view.scenario_text.seats):
        won = [f"{item.name} for {money(item.hammer_price)}" for item in view.items if item.winner == seat]
        state = "still in" if view.active[seat] else "out"
        own = seat == view.seat
        about = "" if own or not hasattr(view, "personas") else f" {_profile(view, number, profiles)}"
        lines.append(
            f"{'You' if own else view.scenario_text.names[number]}: {state}, {bids[number]} bids for it, budget "
            f"{money(view.budgets[seat])} ({round(100 * view.budgets[seat] / price)}% of all starting prices from here "
            f"on), profit {money(view.profits[seat])}, won {', '.join(won) or 'nothing'}.{about}"
        )
    return lines


def _profile(view: GameView, seat: int, profiles: str) -> str:
    weights = rival_profile(view, seat)
    names = [persona.name for persona in view.scenario_text.personas]
    if not any(weights):
        return "Nothing tells what it wants."
    if profiles == "numbers":
        return f"Profile: {', '.join(f'{name} {weight:.2f}' for name, weight in zip(names, weights, strict=True))}."
    ranked = sorted(zip(weights, names, strict=True), key=lambda pair: -pair[0])
    most = [name for weight, name in ranked[:2] if weight > ranked[2][0]]
    least = [name for weight, name in ranked[-2:] if weight < ranked[-3][0]]
    told = [f"{what}: {', '.join(who)}" for what, who in (("most", most), ("least", least)) if who]
    return f"It seems to want {'; '.join(told)}." if told else "Nothing tells what it wants."


def rival_profile(view: GameView, seat: int) -> list[float]:
    """Ten weights in [-1, 1]: what the bids of a rival tell of its persona, `envs.harbor.profile`; four decimals."""
    weights = np.empty(NUM_PERSONAS)
    profile(view.row[0], seat, view.item_number, weights)
    return weights.round(4).tolist()


def _priorities(view: GameView) -> list[str]:
    """How much the seat wants what is left, by its persona."""
    if not getattr(view, "personas", ()):
        return []
    wanted: dict[int, list[str]] = {3: [], 2: [], 1: []}
    for j in range(view.item_number, len(view.items)):
        wanted[priority(view.row[0], view.seat_number, j)].append(view.items[j].name)
    ranked = "; ".join([f"{rank}: {', '.join(names)}" for rank, names in wanted.items() if names])
    return [f"Your priorities, 3 the highest: {ranked}."]
