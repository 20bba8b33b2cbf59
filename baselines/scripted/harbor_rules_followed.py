"""Classify any bidder's decision by the ExpAct rule that it follows."""

from __future__ import annotations

import numpy as np
from aucenv.baselines.scripted.harbor import (
    COSTLY,
    EXPACT,
    EXPACT_PARAMETERS,
    RAISE,
    RAISE_TOP,
    RULES,
    SAVE,
    reasons,
)

from aucenv.envs.harbor.expact import ASKS_TO_BID

PARAMETERS = np.array([*(parameter.default for parameter in EXPACT_PARAMETERS), 0.0])


def rule_followed(row: np.ndarray, seat: int, bids: bool) -> str:
    """Return the letter of the HARBOR rule that a decision follows.

    If ExpAct would make the same choice, to bid or to withdraw, it is ExpAct's rule. Otherwise a bid follows rule A if
    the house matches the seat's persona, and else rule C. A withdrawal follows rule F if the seat has already bid for
    the house or an active rival is expected to want it, and else rule D.

    Args:
        row: (1,) state as the acting seat sees it.
        bids: whether the seat bids; otherwise it withdraws.
    """
    rule, priority, rival_wants_item = reasons(EXPACT, PARAMETERS, row, seat)
    if bids != ASKS_TO_BID[RULES[rule]]:
        if bids:
            rule = RAISE_TOP if priority == 3 else RAISE
        else:
            rule = COSTLY if row["bids"][0, seat] > 0 or rival_wants_item else SAVE
    return RULES[rule]
