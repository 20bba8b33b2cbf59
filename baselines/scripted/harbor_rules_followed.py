"""Classify any bidder's decision by the ExpAct rule that it follows."""

from __future__ import annotations

import numpy as np
from aucenv.baselines.scripted.harbor import (
    COSTLY,
    DRAIN,
    EXPACT,
    EXPACT_PARAMETERS,
    RAISE,
    RAISE_TOP,
    RULES,
    SAVE,
    choose_rule,
    priority,
    rival_wants_item,
)
from aucenv.baselines.scripted.harbor_memory import empty_memory, update_memory

from aucenv.core.kernel import kernel

PARAMETERS = np.array([*(parameter.default for parameter in EXPACT_PARAMETERS), 0.0])


def rule_followed(row: np.ndarray, seat: int, bids: bool) -> str:
    """Return the letter of the HARBOR rule that a decision follows; see `choose_rule_followed`.

    Args:
        row: (1,) state as the acting seat sees it.
        bids: whether the seat bids; otherwise it withdraws.
    """
    return RULES[choose_rule_followed(PARAMETERS, row, 0, seat, bids)]


@kernel
def choose_rule_followed(params, state, b, seat, bids):
    """Return the rule that a decision follows.

    If ExpAct would make the same choice, to bid or to withdraw, it is ExpAct's rule. Otherwise a bid follows rule A if
    the house matches the seat's persona, and else rule C. A withdrawal follows rule F if the seat has already bid for
    the house or an active rival is expected to want it, and else rule D.

    Args:
        params: ExpAct's parameters.
    """
    g = state[b]
    memory = empty_memory(g)
    rule = choose_rule(EXPACT, params, state, b, seat, memory)
    if bids == (rule in (RAISE_TOP, DRAIN, RAISE)):
        return rule
    if bids:
        return RAISE_TOP if priority(g, seat, g["item"]) == 3 else RAISE
    interest = update_memory(g, memory)[3]
    return COSTLY if g["bids"][seat] > 0 or rival_wants_item(g, seat, interest) else SAVE
