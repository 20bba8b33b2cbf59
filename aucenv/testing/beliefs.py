"""The check that a game resamples hidden information to states that its rules can continue."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from aucenv.core.defaults.drawn_fields import DrawnBelief, hidden_fields
from aucenv.core.defaults.modules import NoBelief
from aucenv.core.fields import ALL, ITEM, SEAT, Field, GameState
from aucenv.core.play.table import Table
from aucenv.testing.contract import Case, ContractError
from aucenv.testing.forms import check_table, random_action, vector_table

GAMES = 12
MORE_ROUNDS = 0.8
"""The probability that one more round is played before hidden information is resampled."""
DEALS = 200
"""Number of deals whose hidden values are compared with resampled ones."""
MOST_ERRORS = 6.0
"""The number of standard errors by which drawn values may differ from independent, uniform ones."""
KEYS = ("key", "seat_key")
"""Fields with keys of random numbers, which have no meaning apart from that."""
PUBLIC = tuple(name for name, field in GameState.FIELDS.items() if field.visible_to is ALL)
Range = tuple[int, int]


def check_beliefs(case: Case) -> None:
    """Resample what is hidden from each seat, compare it with deals, and play on; only if the game has a belief."""
    if isinstance(case.game.belief, NoBelief):
        return
    if isinstance(case.game.belief, DrawnBelief):
        _check_declared(case)
    _check_ranges(case)
    for seed in range(case.seed, case.seed + GAMES):
        for table, seat in _tables(case, seed):
            _check_resampled(case, table, seat, seed)


def _check_declared(case: Case) -> None:
    """Compare the hidden fields of many deals with their declarations, from which the belief by default follows."""
    template = case.scenario.template()
    dealt = np.repeat(template, DEALS)
    for row in range(DEALS):
        case.game.rules.deal(dealt, row, template, int(np.random.SeedSequence([case.seed, row]).generate_state(1)[0]))
    columns: list[tuple[Field[Any], np.ndarray]] = []
    for field in hidden_fields(case.game.rules.State):
        values = used_values(field, dealt)
        if field.drawn is not None:
            columns += [(field, column) for column in _check_uniform(case, field, values, template).T]
        elif (values != field.hidden_as).any():
            raise ContractError(
                case.subject,
                f"State.{field.name} is hidden from some seats, and not declared as drawn, but after the deal it is "
                f"not {field.hidden_as}, which stands for hidden values",
                "a belief by default knows what the deal draws; other games have a module belief",
            )
    _check_independent(case, [column for column in columns if column[1].std() > 0])


def used_values(field: Field[Any], dealt: np.ndarray) -> np.ndarray:
    """Return the values of a field that a game uses, (deals, any)."""
    used = {SEAT: int(dealt["num_seats"][0]), ITEM: int(dealt["num_items"][0])}
    values: np.ndarray = dealt[field.name][(slice(None), *(slice(used[each]) for each in field.per))]
    return values.reshape(len(dealt), -1)


def _check_uniform(case: Case, field: Field[Any], values: np.ndarray, template: np.ndarray) -> np.ndarray:
    """Check the range, the step, the mean and the variance of drawn values; return the values in steps."""
    most, step = (
        int(template[bound][0]) if isinstance(bound, str) else field.in_state(bound or 0)
        for bound in (field.most, field.drawn)
    )
    steps = most // step
    errors = np.sqrt(np.array([steps * (steps + 2) / 12, (steps * (steps + 2) / 12) ** 2 * 0.8]) / len(values))
    means, variances = (values / step).mean(axis=0), (values / step).var(axis=0)
    away = np.array([abs(means - steps / 2).max(), abs(variances - steps * (steps + 2) / 12).max()])
    if (values % step).any() or values.min() < 0 or values.max() > most or (away > MOST_ERRORS * errors + 1e-9).any():
        raise ContractError(
            case.subject,
            f"deals draw State.{field.name} from {values.min()} to {values.max()}, {means.mean() * step:.4g} on "
            f"average, and it is declared as uniform from 0 to {most} in steps of {step}",
            "a field that is declared as drawn is uniform; other games have a module belief",
        )
    return values / step


def _check_independent(case: Case, columns: list[tuple[Field[Any], np.ndarray]]) -> None:
    """Check that drawn values are not correlated with each other."""
    if len(columns) < 2:
        return
    correlations = np.corrcoef(np.array([values for _, values in columns]))
    np.fill_diagonal(correlations, 0.0)
    first, second = np.unravel_index(np.argmax(np.abs(correlations)), correlations.shape)
    if abs(correlations[first, second]) > MOST_ERRORS / np.sqrt(DEALS):
        names = sorted({f"State.{columns[place][0].name}" for place in (first, second)})
        raise ContractError(
            case.subject,
            f"values of {' and '.join(names)} in a deal depend on each other (correlation "
            f"{correlations[first, second]:.2f})",
            "fields that are declared as drawn are drawn independently; other games have a module belief",
        )


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
