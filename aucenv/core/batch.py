"""Whole games inside compiled code, over the same rules as Table.

`play_out` is a template: `kernel.bind` compiles it once a game, with that game's kernels for the names
below.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from aucenv.core.state import RUNNING, WITHDRAW


def _unbound(*args: Any) -> Any:
    raise TypeError("a template must be bound to a game's kernels first: see aucenv.core.kernel.bind")


deal = step = check = result = decide = _unbound


def play_out(state, template, kinds, params, keys, results):
    """Play one game per key with scripted bidders.

    An illegal bid withdraws, as a rule that repeats itself would do after its last try at the table.

    Args:
        state: one row to play in.
        template: one row, the scenario's constants.
        kinds: (seats,) int64, the bidder of each seat.
        params: (seats, any) float64, its parameters.
        keys: (games,) int64.
        results: (games, seats, RESULT) int64, written.
    """
    amounts = np.full(len(kinds), WITHDRAW, np.int64)
    for i in range(len(keys)):
        deal(state, 0, template, keys[i])
        while state[0]["status"] == RUNNING:
            for seat in range(len(kinds)):
                if state[0]["acting"][seat] != 0:
                    amount = decide(kinds[seat], params[seat], state, 0, seat)
                    amounts[seat] = amount if check(state, 0, seat, amount) == 0 else WITHDRAW
            step(state, 0, amounts)
        result(state, 0, results[i])
