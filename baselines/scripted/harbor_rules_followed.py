"""Which of ExpAct's rules a decision follows, whoever made it."""

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
    is_wanted,
    priority,
)
from aucenv.baselines.scripted.harbor_memory import fresh_memory, recall

from aucenv.core.kernel import kernel

PARAMETERS = np.array([*(parameter.default for parameter in EXPACT_PARAMETERS), 0.0])


def followed(row: np.ndarray, seat: int, bids: bool) -> str:
    """The letter of the rule of HARBOR's that a decision follows; see `follow`.

    Args:
        row: (1,) what the seat sees, where it has a decision.
        bids: whether it bids; otherwise it leaves.
    """
    return RULES[follow(PARAMETERS, row, 0, seat, bids)]


@kernel
def follow(params, state, b, seat, bids):
    """The rule that a decision follows.

    Where ExpAct itself would bid, or leave, too: its reason. Otherwise a bid on a match: A; another: C. Leaving a house
    that it has bid for, or that a rival who is in is expected to value: F; otherwise: D.

    Args:
        params: of ExpAct.
    """
    g = state[b]
    memory = fresh_memory(g)
    own = choose_rule(EXPACT, params, state, b, seat, memory)
    if bids == (own in (RAISE_TOP, DRAIN, RAISE)):
        return own
    if bids:
        return RAISE_TOP if priority(g, seat, g["item"]) == 3 else RAISE
    keen = recall(g, memory)[3]
    return COSTLY if g["bids"][seat] > 0 or is_wanted(g, seat, keen) else SAVE
