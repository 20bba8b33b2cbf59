"""The image of the table, and how it changes during a game."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import aucenv
from aucenv.core.drawing import LEADS, ROW, TOP, WIDTH


@pytest.mark.parametrize("bidders", [2, 16])
def test_the_image_has_a_row_for_every_bidder(bidders):
    env = aucenv.english_v0.raw_env(num_bidders=bidders, render_mode="rgb_array")
    env.reset(seed=0)
    assert env.render().shape == (TOP + ROW * bidders + 20, WIDTH, 3)


def test_the_image_shows_the_leader_and_the_standing_bid():
    env = aucenv.english_v0.raw_env(render_mode="rgb_array", interface="amount")
    env.reset(seed=0)
    before = env.render()
    least = env.infos["bidder_0"]["least_bid"]
    for bid in (least, 2 * least, least):
        env.step(bid)
    after = env.render()
    ladder = (after[112:130] == LEADS).all(axis=2).sum()
    assert not (before[112:130] == LEADS).all(axis=2).any()
    assert ladder > 1000
    dots = [(after[TOP + ROW * seat + 23, 36] == LEADS).all() for seat in range(3)]
    assert dots == [False, True, False]


def test_the_image_shows_the_end_and_is_deterministic():
    env = aucenv.english_v0.raw_env(render_mode="rgb_array", num_items=1)
    env.reset(seed=0)
    first = env.render()
    for _ in env.agent_iter():
        env.step(None if any(env.terminations.values()) else 0)
    assert not np.array_equal(env.render(), first)
    env.reset(seed=0)
    assert np.array_equal(env.render(), first)


def test_without_pillow_the_error_explains_how_to_install_it():
    code = (
        "import sys; sys.modules['PIL'] = None; import aucenv; e = aucenv.english_v0(render_mode='rgb_array'); "
        "e.reset(seed=0); e.render()"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "MissingExtra: render_mode='rgb_array' needs the extra render: " in process.stderr
