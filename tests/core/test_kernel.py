"""Random numbers, keys, money and the limits of kernels."""

from __future__ import annotations

import itertools

import numba
import numpy as np
import pytest
from numba.core.errors import TypingError
from scipy import stats

from aucenv.core.kernel import allocating, draw, draw_below, game_key, inlined, subkey
from aucenv.core.words import money
from aucenv.registration import FAMILIES


def test_draws_are_uniform_in_every_argument():
    for vary in range(5):
        arguments = [game_key(3), 1, 0, 0, 0]
        numbers = []
        for i in range(20_000):
            arguments[vary] = game_key([7, i]) if vary == 0 else i
            numbers.append(draw(*arguments))
        assert stats.kstest(np.array(numbers) / 2**32, "uniform").pvalue > 0.001, vary
        successive = np.corrcoef(numbers[:-1], numbers[1:])[0, 1]
        assert abs(successive) < 0.03, vary


def test_draws_depend_on_every_bit_of_the_key():
    key = game_key(5)
    assert len({draw(key ^ (1 << bit), 1, 2, 3, 4) for bit in range(63)} | {draw(key, 1, 2, 3, 4)}) == 64


def test_subkeys_are_uniform_and_independent_of_the_key():
    keys = [game_key([1, i]) for i in range(20_000)]
    for seat in (0, 15):
        subs = [subkey(key, 2, seat) for key in keys]
        assert len(set(subs)) == len(subs)
        assert stats.kstest(np.array(subs) / 2**63, "uniform").pvalue > 0.001
        for part in (lambda k: k & 0xFFFFFFFF, lambda k: k >> 32):
            assert abs(np.corrcoef([part(k) for k in keys], [part(k) for k in subs])[0, 1]) < 0.03
        flips = [bin(subkey(keys[0], 2, seat) ^ subkey(keys[0] ^ (1 << bit), 2, seat)).count("1") for bit in range(63)]
        assert 28 < np.mean(flips) < 35  # each bit of the key changes half of all bits


def test_draw_below_is_uniform_on_its_range():
    counts = np.bincount([draw_below(7, game_key(0), 1, i, 0, 0) for i in range(21_000)], minlength=7)
    assert len(counts) == 7
    assert stats.chisquare(counts).pvalue > 0.001


def test_keys_depend_on_the_whole_seed_and_fit_63_bits():
    keys = {game_key([run, i]) for run in range(20) for i in range(20)}
    assert len(keys) == 400
    assert all(0 <= key < 2**63 for key in keys | {subkey(game_key(0), 1, seat) for seat in range(16)})


@pytest.mark.parametrize(
    ("dollars", "cents"), [(1, 100), (1.005, 101), (0.125, 13), (2.675, 268), (-20.5, -2050), (1e9, 10**11), (0, 0)]
)
def test_half_cents_of_the_decimal_form_are_rounded_up(dollars, cents):
    assert money.to_cents(dollars) == cents


def test_conversion_to_dollars_and_back_keeps_all_cents():
    for cents in (0, 1, 99, 100, 123_456, -5, 10**11):
        assert money.to_cents(money.to_dollars(cents)) == cents
    assert [money.format_dollars(c) for c in (150_000, 5, -2050, 0)] == ["$1,500", "$0.05", "-$20.50", "$0"]


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_infinite_amounts_are_refused(bad):
    with pytest.raises(ValueError, match="finite"):
        money.to_cents(bad)


def zeros(n):
    return np.zeros(n)


def test_inlined_kernels_cannot_allocate():
    with pytest.raises(TypingError, match=r"No implementation of function .*zeros"):
        inlined(zeros)(3)


@allocating
def sum_of_ones(n):
    return np.ones(n).sum()


@inlined
def twice_the_sum_of_ones(n):
    return 2 * sum_of_ones(n)


def test_inlined_kernels_may_call_allocating_ones():
    assert twice_the_sum_of_ones(3) == 6


def test_the_states_of_different_games_are_not_convertible():
    """numba would convert between states if the fields of one started with all fields of the other."""
    rows = [
        family.game.load_scenario(family.game.default_scenario).changed(num_bidders=seats).template()[0]
        for family in FAMILIES.values()
        for seats in range(2, 6)
    ]
    for one, other in itertools.permutations(map(numba.typeof, rows), 2):
        assert one == other or one.can_convert_to(None, other) is None
