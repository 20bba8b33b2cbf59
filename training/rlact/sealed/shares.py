"""Sealed-bid auctions in RLAct: bids as shares of the seat's value, their messages, and their exact expected profits.

The paper's RLAct plays housing auctions only (HARBOR, arXiv 2502.12149). Here a model is asked for bids alone, since
there is nothing to recommend.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from aucenv.training.rlact.sealed.belief import Belief
from aucenv.training.rlact.states.message_numbers import MAX_COUNT, PERCENT_STEP

from aucenv.core.state import WITHDRAW
from aucenv.core.words.money import money, to_cents, to_dollars
from aucenv.envs.sealed_bid.words import describe
from aucenv.theory import bid_grid

GAME = "sealed_bid"
SHARES = tuple(range(PERCENT_STEP, 126, PERCENT_STEP))
"""The bids that are compared, in percent of the seat's value."""
ABSTENTION = "I'm out!"
TOLERANCE = 0.02
"""A bid is right if it earns less than the best one by at most this share of the highest possible value."""
TASK = "Answer with 'I bid N%!', where N% is the share of your value that you bid, or with 'I'm out!'."
NUMBERS = ("value/top", "rounds/left", "others", "mean/top", "best/top", "won")
"""The numbers in terse messages: value, rounds left and rivals; mean and highest rival bid so far, and rounds won."""
COUNTS = ("rounds/left", "others", "won")
_SHARE = re.compile(r"\bbid\s{1,3}(?:of )?(\d{1,3}(?:\.\d{1,4})?)\s?%", re.I)
_ABSTAINS = re.compile(r"\b(?:i'?m out|i abstain|i withdraw|i do not bid)\b", re.I)


def is_sealed(source: Any) -> bool:
    """Return whether a state or a View is of a sealed-bid auction."""
    return "pricing" in (_row(source).dtype.names or ())


def share_message(view: Any, terse: bool) -> str:
    """Return the message that asks for a share of the seat's value.

    Args:
        terse: whether it has only the pricing, the value model and NUMBERS, and not a description of the game.
    """
    if not terse:
        return f"{describe(view)}\n{TASK}"
    scenario, value = view.scenario_text.scenario, _value(view)
    highest = to_cents(scenario.highest_value)
    revealed = _rival_bids(view)
    numbers = {
        "value/top": value / highest,
        "rounds/left": scenario.num_rounds - view.item_number - 1,
        "others": scenario.num_bidders - 1,
        "mean/top": np.mean([np.mean(bids) for bids in revealed]) / highest if revealed else None,
        "best/top": np.mean([max(bids) for bids in revealed]) / highest if revealed else None,
        "won": view.prizes_won,
    }
    words = [f"{name} {_in_words(name, number)}" for name, number in numbers.items()]
    return f"sealed {scenario.pricing} {scenario.values} {' '.join(words)} Bid a share of {money(to_dollars(value))}?"


def _in_words(name: str, number: float | None) -> str:
    if number is None:
        return "unknown"
    if name in COUNTS:
        return str(min(MAX_COUNT, int(number)))
    return f"{PERCENT_STEP * round(100 / PERCENT_STEP * min(2.0, number))}%"


def share_tokens() -> list[list[str]]:
    """Return the tokens of each number in terse messages, and of the shares in replies, in order."""
    percents = [f"{n}%" for n in range(0, 201, PERCENT_STEP)]
    counts = [f"{n}" for n in range(MAX_COUNT + 1)]
    numbers = [[f" {name} {n}" for n in (counts if name in COUNTS else percents)] for name in NUMBERS]
    return [*numbers, [f" bid {share}%" for share in range(0, 201, PERCENT_STEP)]]


def share_reply(amount: int, source: Any) -> str:
    """Return the plainest reply that means an amount in cents, or WITHDRAW, as a share of the seat's value.

    Args:
        source: the state, or the seat's View.
    """
    value = _value(source)
    if amount == WITHDRAW:
        return ABSTENTION
    share = 100 * amount / value if value else 0.0
    nearest = PERCENT_STEP * round(share / PERCENT_STEP)
    return f"I bid {nearest if amount_of(nearest, source) == amount else round(share, 2):g}%!"


def nearest_share_reply(amount: int, source: Any) -> str:
    """Return the reply of the bid on the ladder of SHARES that is nearest to an amount in cents, or WITHDRAW."""
    row = _row(source)
    ladder = share_ladder(row, source.seat_number)
    nearest = WITHDRAW if amount < 0 else min(ladder[1:], key=lambda bid: abs(bid - amount), default=WITHDRAW)
    return share_reply(nearest, source)


def read_share(reply: str, source: Any) -> int | None:
    """Return the amount in cents, or WITHDRAW, that a reply means; None if it cannot be read. It may be illegal.

    Args:
        source: the state, or the seat's View.
    """
    shares = _SHARE.findall(reply)
    abstains = _ABSTAINS.search(reply) is not None
    if abstains == bool(shares) or len(set(shares)) > 1:
        return None
    return WITHDRAW if abstains else amount_of(float(shares[0]), source)


def amount_of(share: float, source: Any) -> int:
    """Return the legal bid nearest to a share of the seat's value in percent, in cents; it may be above the cap."""
    step = int(_row(source)["step"][0])
    return round(_value(source) * share / 100 / step) * step


def share_ladder(row: np.ndarray, seat: int) -> list[int]:
    """Return WITHDRAW and the different legal bids at SHARES of the seat's value, in cents."""
    value, step, cap = int(row["value"][0, seat, row["item"][0]]), int(row["step"][0]), int(row["cap"][0])
    bids = (round(value * share / 100 / step) * step for share in SHARES)
    return [WITHDRAW, *dict.fromkeys(bid for bid in bids if 0 <= bid <= cap)]


def share_profits(state: Any, amounts: list[int]) -> np.ndarray:
    """Return the expected profit of each amount in the round, in cents, (amounts,); exact for the inferred rivals.

    Later rounds do not count; see `sealed_judge`.

    Args:
        state: a state of a sealed-bid auction.
        amounts: legal bids in cents, or WITHDRAW.
    """
    scenario, row = state.scenario_text.scenario, state.view().row[0]
    belief = Belief(scenario)
    belief.observe(row, state.seat)
    grid, profits = bid_grid(scenario), belief.profits(_value(state))
    places = np.minimum(np.searchsorted(grid, amounts), len(grid) - 1)
    return np.where(np.array(amounts) == WITHDRAW, 0.0, profits[places])


def highest_value(state: Any) -> int:
    """Return the highest possible value, in cents, by which regrets in sealed-bid auctions are measured."""
    return to_cents(state.scenario_text.scenario.highest_value)


def share_stratum(view: Any) -> str:
    """Return the kind of a decision point: the pricing, the stage of the game, and the height of the value."""
    scenario = view.scenario_text.scenario
    third = ("early", "middle", "late")[3 * view.item_number // scenario.num_rounds]
    height = ("low", "middle", "high")[min(2, int(3 * _value(view) / to_cents(scenario.highest_value)))]
    return f"{scenario.pricing}, {third}, {height} value"


def _rival_bids(view: Any) -> list[list[int]]:
    """Return the revealed bids of the rivals in each closed round, in cents."""
    rounds = []
    for closed in view.history:
        if closed.bids is not None:
            bids = [to_cents(bid) for bid in closed.bids]
            if closed.bid is not None:
                bids.remove(to_cents(closed.bid))
            rounds.append(bids or [0])
    return rounds


def _row(source: Any) -> np.ndarray:
    row: np.ndarray = source.full_row if hasattr(source, "full_row") else source.row
    return row


def _value(source: Any) -> int:
    """Return the seat's value, with common values its signal, in cents."""
    row = _row(source)
    return int(row["value"][0, source.seat_number, row["item"][0]])
