"""Write the chat messages of a decision point, for a model that learns to advise or to bid, and read its replies.

Source: HARBOR, arXiv 2502.12149, section on RLAct: messages contain the seat's persona and budget, the call, profits
and winning bids, priorities, the rivals' profiles, and the task. The wording is not from the paper, nor
are the ratios of the least bid to the item's expected value and of budgets to the upcoming starting prices.
"""

from __future__ import annotations

import functools
import re
from typing import Any

import numpy as np
from aucenv.baselines.llm.json_replies import without_thinking
from aucenv.baselines.scripted.english import OVERESTIMATE, value_per_estimate
from aucenv.baselines.scripted.harbor_personas import priority
from aucenv.training.rlact.judges.rival_features import ranked_rivals, rival_features
from aucenv.training.rlact.sealed.shares import TASK, is_sealed, read_share, share_message, share_reply
from aucenv.training.rlact.states.games import has_personas
from aucenv.training.rlact.states.message_numbers import TERSE_FEATURES, TERSE_RIVAL_FEATURES, in_words
from aucenv.training.rlact.states.row_messages import SHORT, TERSE_2, TERSE_DETAILS, row_messages, terse_question
from aucenv.training.rlact.states.state_features import state_features
from aucenv.training.rlact.states.states import DecisionState, bounds

from aucenv.core.state import WITHDRAW
from aucenv.core.views.seat_view import GameView
from aucenv.core.words.money import money
from aucenv.core.words.reply import Unreadable
from aucenv.core.words.reply import read as read_bid
from aucenv.envs.english import words as english
from aucenv.envs.english.view import Bid
from aucenv.envs.harbor.profile import profile
from aucenv.envs.harbor.rules import NUM_PERSONAS
from aucenv.runs.model_calls.calls import Message

RECOMMENDATION, BID = PHASES = ("recommendation", "bid")
"""The model's two tasks: an analysis that ends with a recommendation to bid or to withdraw, and a bid."""
PROFILES = ("sentence", "numbers")
"""Styles of the rivals' profiles: a sentence with the two most and least likely personas, or all ten weights."""
DETAILS = ("full", "brief", SHORT, *TERSE_DETAILS)
"""Levels of detail.

"full" has descriptions of the house and the seat's persona, "brief" only their names, "short" only ratings, in at most
120 tokens of SmolLM2, and "terse" only numbers, for models from scratch; "terse-2" adds features
of each active rival, and "terse-3" the name of the game.
"""
MAX_REPLY_CHARS = 20_000
"""Only this many characters at the end of a reply are read."""

TASKS = {
    RECOMMENDATION: (
        "Should you bid now or withdraw? Weigh what the item is worth to you, what your budget is needed for later and "
        "what the others will do. End with a line that says Recommendation, a colon, and bid or withdraw."
    ),
    BID: "Answer with 'I bid $X!' or 'I'm out!'.",
}


def state_messages(view: GameView, phase: str, profiles: str = "sentence", detail: str = "full") -> list[Message]:
    """Return the chat messages that ask a model for a decision of the view's seat.

    Args:
        view: view of a seat that has to decide, in an English or a housing auction.
        phase: one of PHASES.
        profiles: one of PROFILES.
        detail: one of DETAILS.
    """
    if is_sealed(view):
        return [{"role": "user", "content": share_message(view, detail in TERSE_DETAILS)}]
    if detail in (*TERSE_DETAILS, SHORT):
        return _of_row(view, phase, detail)
    full = detail == "full"
    system = [english.introduction(view), *_identity(view, full), *([english.mechanism(view)] if full else [])]
    user = [
        *_item(view, full),
        *_expected_value(view),
        *_budget(view),
        *_rivals(view, profiles),
        *_priorities(view),
        TASKS[phase],
    ]
    return [{"role": "system", "content": "\n".join(system)}, {"role": "user", "content": "\n".join(user)}]


def _of_row(view: GameView, phase: str, detail: str) -> list[Message]:
    """Return messages that need only the view's row, and with "terse-2" also what its rivals' bids reveal."""
    if detail != TERSE_2:
        game = "harbor" if has_personas(view) else "english"
        return row_messages(game, view.row, np.array([0]), np.array([view.seat_number]), phase, detail)[0]
    features, revealed = state_features(view), rival_features(view)
    rivals = [revealed[s] for s in ranked_rivals(view) if view.row[0]["active"][s]]
    words = [in_words(name, features[name]) for name in TERSE_FEATURES]
    words += [in_words(name, rival[name]) for rival in rivals for name in TERSE_RIVAL_FEATURES]
    return [{"role": "user", "content": terse_question(words, phase, int(view.row["least"][0]))}]


def plain_reply(amount: int, phase: str) -> str:
    """Return the plainest reply that means an amount in cents, or WITHDRAW."""
    if phase == RECOMMENDATION:
        return f"Recommendation: {'withdraw' if amount == WITHDRAW else 'bid'}"
    return english.reply_writer(None)(amount)  # type: ignore[arg-type]  # as for any scenario


def reply_for(amount: int, phase: str, source: DecisionState | GameView) -> str:
    """Return the plainest reply to a state or a View that means an amount in cents, or WITHDRAW."""
    return share_reply(amount, source) if is_sealed(source) else plain_reply(amount, phase)


def best_reply(state: DecisionState, phase: str) -> str:
    """Return the plainest reply that means the action of a judged state with the highest value."""
    values = state.action_values
    assert values is not None
    action = values.actions[values.best]
    return reply_for(WITHDRAW if action is None else round(100 * action), phase, state)


_RECOMMENDED = re.compile(
    r"(?:^|[.!?:])\W{0,8}(?:(?:my|final|the) )?recommendation\W{0,8}(bid|withdraw)\W{0,20}\Z", re.I | re.M
)
"""Pattern of a recommendation at the end of a reply."""


def read_reply(reply: Any, phase: str, source: DecisionState | GameView) -> int | None:
    """Return the amount in cents, or WITHDRAW, that a reply means; a recommendation to bid means the least legal bid.

    Args:
        source: the state that the model was asked about, or the seat's View.

    Returns:
        None if the reply cannot be read. The amount may be illegal.
    """
    if is_sealed(source):
        words = without_thinking(reply)[-MAX_REPLY_CHARS:].replace(TASK, "") if isinstance(reply, str) else ""
        return read_share(words, source)
    names = source.names if isinstance(source, DecisionState) else source.scenario_text.names
    rivals = tuple(name for seat, name in enumerate(names) if seat != source.seat_number)
    return read_row_reply(reply, phase, int(_row(source)["least"][0]), rivals)


def read_row_reply(reply: Any, phase: str, least: int, rivals: tuple[str, ...] = ()) -> int | None:
    """Return the same as `read_reply`, for a reply to a message without names.

    Args:
        least: the least legal bid, in cents.
        rivals: the names of the other bidders, which the reply may mention.
    """
    if not isinstance(reply, str):
        return None
    words = without_thinking(reply)[-MAX_REPLY_CHARS:].replace(TASKS[phase], "")  # repeating the task is no answer
    if phase == RECOMMENDATION:
        match = _RECOMMENDED.search(words.rstrip()[-200:])
        return None if match is None else WITHDRAW if match[1].lower() == "withdraw" else least
    return _read_bid(words, rivals)


def _row(source: DecisionState | GameView) -> np.ndarray:
    row: np.ndarray = source.full_row if isinstance(source, DecisionState) else source.row
    return row


@functools.lru_cache(maxsize=4096)
def _read_bid(words: str, rivals: tuple[str, ...]) -> int | None:
    try:
        return read_bid(words, rivals)
    except Unreadable:
        return None


def read_legal(reply: Any, phase: str, source: DecisionState | GameView) -> int | None:
    """Return the same as `read_reply`, but None for an illegal bid too."""
    amount = read_reply(reply, phase, source)
    least, most, _ = bounds(_row(source), source.seat_number)
    return amount if amount is None or amount == WITHDRAW or least <= amount <= most else None


def _identity(view: GameView, full: bool) -> list[str]:
    """Return lines about the seat's goal and personas."""
    goal = english.goal(view.objectives[view.seat], view.targets[view.seat])
    lines = [f"You want {goal}. What you do not spend brings nothing."]
    personas = getattr(view, "personas", ())
    if personas and full:
        lines.append(f"Who you are: {' '.join(view.about_me)}")
    if personas:
        lines.append(f"You are drawn to what suits: {', '.join(persona.name for persona in personas)}.")
    return lines


def _item(view: GameView, full: bool) -> list[str]:
    """Return lines about the item that is for sale: the call, the last round and the least bid."""
    item = view.item
    heading = f"Item {view.item_number + 1} of {len(view.items)}: {item.name}"
    suits = [f"It suits best: {persona_name(view, item.suits)}."] if hasattr(item, "suits") else []
    return [
        " ".join([f"{heading}. Starting price {money(view.starting_price)}. Round {view.round + 1}.", *suits]),
        *([item.description] if full and item.description else []),
        *[f"Last round: {line.partition(': ')[2]}" for line in english.rounds(view, _last_round(view), False)],
        *english.standing(view),
        f"Least bid: {money(view.least_bid)}. Least raise: {money(view.least_raise)}.",
    ]


def _last_round(view: GameView) -> list[Bid]:
    return [bid for bid in view.history if bid.item == view.item_number and bid.round == view.round - 1]


def persona_name(view: GameView, persona: str) -> str:
    """Return the name of the persona with an id."""
    return next(each.name for each in view.scenario_text.personas if each.id == persona)


def _expected_value(view: GameView) -> list[str]:
    """Return a line about the item's expected value, given the true values revealed so far."""
    share = value_per_estimate(view.row[0], view.seat_number, OVERESTIMATE)
    likely = share * view.item.estimate
    over = round(100 * view.least_bid / likely) if likely else 1000
    return [
        f"Your estimate: {money(view.item.estimate)}; true values are about {round(100 * share)}% of your estimates. "
        f"The least bid is {over}% of what the item is likely worth."
    ]


def _budget(view: GameView) -> list[str]:
    """Return lines about the seat's budget and the starting prices of the later items."""
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
    """Return a line about each seat: its status, bids, budget, profit and items, and a rival's inferred profile."""
    row, price = view.row[0], sum(item.starting_price for item in view.items[view.item_number :])
    bids = row["bids"]
    lines = []
    for number, seat in enumerate(view.scenario_text.seats):
        won = [f"{item.name} for {money(item.hammer_price)}" for item in view.items if item.winner == seat]
        status = "still in" if view.active[seat] else "out"
        is_self = seat == view.seat
        profile_text = "" if is_self or not hasattr(view, "personas") else f" {_profile(view, number, profiles)}"
        lines.append(
            f"{'You' if is_self else view.scenario_text.names[number]}: {status}, {bids[number]} bids for it, budget "
            f"{money(view.budgets[seat])} ({round(100 * view.budgets[seat] / price)}% of all starting prices from here "
            f"on), profit {money(view.profits[seat])}, won {', '.join(won) or 'nothing'}.{profile_text}"
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
    parts = [f"{label}: {', '.join(group)}" for label, group in (("most", most), ("least", least)) if group]
    return f"It seems to want {'; '.join(parts)}." if parts else "Nothing tells what it wants."


def rival_profile(view: GameView, seat: int) -> list[float]:
    """Return a rival's profile, inferred from its bids: ten weights in [-1, 1], to four decimals.

    See `envs.harbor.profile`.
    """
    weights = np.empty(NUM_PERSONAS)
    profile(view.row[0], seat, view.item_number, weights)
    return weights.round(4).tolist()


def _priorities(view: GameView) -> list[str]:
    """Return a line with the seat's priorities for the unsold items, which follow from its persona."""
    if not getattr(view, "personas", ()):
        return []
    by_priority: dict[int, list[str]] = {3: [], 2: [], 1: []}
    for j in range(view.item_number, len(view.items)):
        by_priority[priority(view.row[0], view.seat_number, j)].append(view.items[j].name)
    ranked = "; ".join([f"{rank}: {', '.join(names)}" for rank, names in by_priority.items() if names])
    return [f"Your priorities, 3 the highest: {ranked}."]
