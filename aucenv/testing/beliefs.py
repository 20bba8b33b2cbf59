"""The check that a game resamples hidden information to states that its rules can continue."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from aucenv.core.defaults import NoBelief
from aucenv.core.fields import ALL, GameState
from aucenv.core.table import Table
from aucenv.testing.contract import Case, ContractError
from aucenv.testing.forms import check_table, random_action, vector_table

GAMES = 12
MORE_ROUNDS = 0.8
"""The probability that one more round is played before hidden information is resampled."""
DEALS = 200
"""Number of deals whose hidden values are compared with resampled ones."""
KEYS = ("key", "seat_key")
"""Fields with keys of random numbers, which have no meaning apart from that."""
PUBLIC = tuple(name for name, field in GameState.FIELDS.items() if field.visible_to is ALL)
Range = tuple[int, int]


def check_beliefs(case: Case) -> None:
    """Resample what is hidden from each seat, compare it with deals, and play on; only if the game has belief.py."""
    if isinstance(case.game.belief, NoBelief):
        return
    _check_ranges(case)
    for seed in range(case.seed, case.seed + GAMES):
        for table, seat in _tables(case, seed):
            _check_resampled(case, table, seat, seed)


def _check_ranges(case: Case) -> None:
    """Compare the fields of many deals with the same fields after what is hidden from a seat has been resampled."""
    tables = [vector_table(case, seed) for seed in range(case.seed, case.seed + DEALS)]
    dealt = np.concatenate([table.state for table in tables])
    template = case.scenario.template()
    resampled = dealt.copy()
    for row in range(DEALS):
        case.game.belief.resample(resampled, row, row % case.num_seats, row + 1)
    for name in dealt.dtype.names or ():
        expected, got = _range(dealt[name]), _range(resampled[name])
        if name in KEYS or expected[0] == expected[1] or (dealt[name] == template[name]).all():
            continue  # a constant of the scenario, which a seat may not know exactly
        width = expected[1] - expected[0]
        if got[0] < expected[0] - width or got[1] > expected[1] + width:
            raise ContractError(
                case.subject,
                f"belief.resample writes {name!r} from {got[0]} to {got[1]}, and rules.deal from {expected[0]} to "
                f"{expected[1]}",
                "resampled values are those of possible deals, or near them",
            )
        for seat in range(case.num_seats):
            of_seat = slice(seat, None, case.num_seats)
            if (_varies(dealt[name][of_seat]) & ~_varies(resampled[name][of_seat])).any():
                raise ContractError(
                    case.subject,
                    f"belief.resample for bidder_{seat} writes the same {name!r} in all deals, which differ",
                    "what is hidden from a seat is drawn again, and what it knows stays",
                )


def _varies(values: np.ndarray) -> np.ndarray:
    """Return for each entry of a field, (rows, any), whether rows differ."""
    varies: np.ndarray = (values != values[0]).reshape(len(values), -1).any(0)
    return varies


def _range(values: np.ndarray) -> Range:
    return int(values.min()), int(values.max())


def _tables(case: Case, seed: int) -> Iterator[tuple[Table, int]]:
    """Yield the table of a random game after a random number of rounds, with each of its seats."""
    rng = np.random.default_rng(seed)
    table = vector_table(case, seed)
    while rng.random() < MORE_ROUNDS:
        before = table.snapshot()
        for seat in table.pending:
            table.submit(seat, random_action(table.observe(seat), rng))
        if table.over:
            table.restore(before)
            break
    for seat in range(case.num_seats):
        yield table, seat


def _check_resampled(case: Case, table: Table, seat: int, seed: int) -> None:
    """Resample what is hidden from a seat, and play the game on."""
    where = f"bidder_{seat}, item {table.item}, round {table.round}, seed {seed}"
    states = [table.state.copy() for _ in range(2)]
    for state in states:
        case.game.belief.resample(state, 0, seat, seed + 1)
    if states[0].tobytes() != states[1].tobytes():
        raise ContractError(
            case.subject, f"belief.resample writes two states for one key ({where})", "the key seeds all that is drawn"
        )
    changed = [name for name in PUBLIC if (states[0][name] != table.state[name]).any()]
    if changed:
        raise ContractError(
            case.subject,
            f"belief.resample changes {changed[0]!r} from {table.state[changed[0]][0]} to {states[0][changed[0]][0]} "
            f"({where})",
            "the turn, the numbers of seats and items, and the status are public",
        )
    other = vector_table(case, seed)
    other.restore(table.snapshot())
    other.state[:] = states[0]
    other.restore(other.snapshot())  # writes the observations again
    if other.is_pending(seat) != table.is_pending(seat):
        raise ContractError(
            case.subject,
            f"belief.resample changes whether the seat has a decision ({where})",
            "a seat knows whether it has one",
        )
    _play_on(case, other, where)


def _play_on(case: Case, table: Table, where: str) -> None:
    """Play a game from a resampled state to its end, with the checks of masks."""
    rng = np.random.default_rng(0)
    try:
        while not table.over:
            check_table(case, table)
            rounds = table.rounds
            for seat in table.pending:
                table.submit(seat, random_action(table.observe(seat), rng))
            if table.rounds == rounds:
                raise ContractError(case.subject, "no round ends", "the rules continue a resampled state")
        check_table(case, table)
    except ContractError as error:
        raise ContractError(case.subject, f"after belief.resample ({where}): {error.what}", error.rule) from error
