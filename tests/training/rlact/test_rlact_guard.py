"""The collapse guard: when it warns, and when it ends a run."""

from __future__ import annotations

import logging
from types import SimpleNamespace

import pytest
from aucenv.training.rlact.learning.callbacks import CollapseGuard

WELL = {"readable": 1.0, "bid": 0.4, "used": 0.3}
ALL_TIES = {"readable": 1.0, "bid": 0.4, "used": 0.0}
ALL_BIDS = {"readable": 1.0, "bid": 1.0, "used": 0.3}
UNREADABLE = {"readable": 0.1, "bid": 0.4, "used": 0.3}
PHASE_CHANGE = 1000
NOTHING = {"readable": None, "bid": None, "used": None}


def run_steps(make_guard, metrics):
    """Return the step at which a run ended, or None, and the guard's reason."""
    last = {}
    guard = make_guard(lambda: last)
    control = SimpleNamespace(should_training_stop=False, should_save=False)
    for step, values in enumerate(metrics, 1):
        last.clear()
        last.update(values)
        guard.on_step_end(None, SimpleNamespace(global_step=step), control)
        if control.should_training_stop:
            assert control.should_save
            return step, guard.ended
    return None, guard.ended


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (ALL_TIES, "only 0.0% of pairs have a better reply"),
        (ALL_BIDS, "100.0% of replies bid"),
        (UNREADABLE, "fell from 100% to"),
        (NOTHING, "fell from 100% to"),
    ],
)
def test_a_window_of_bad_steps_warns_and_two_end_the_run(caplog, bad, why):
    with caplog.at_level(logging.WARNING):
        step, ended = run_steps(lambda last: CollapseGuard(last, 10, True, PHASE_CHANGE), [WELL] * 30 + [bad] * 40)
    assert step is not None
    assert 45 <= step <= 52
    assert why in ended
    assert len(caplog.records) == 1
    assert caplog.records[0].getMessage().startswith("step ")


def test_a_guard_can_only_warn(caplog):
    with caplog.at_level(logging.WARNING):
        assert run_steps(lambda last: CollapseGuard(last, 10, False, PHASE_CHANGE), [WELL] * 20 + [ALL_TIES] * 60) == (
            None,
            None,
        )
    assert len(caplog.records) == 1


def test_a_run_that_recovers_continues(caplog):
    metrics = ([WELL] * 15 + [ALL_TIES] * 12) * 4
    assert run_steps(lambda last: CollapseGuard(last, 10, True, PHASE_CHANGE), metrics) == (None, None)


def test_unreadable_replies_at_the_start_are_no_collapse_if_pairs_differ():
    assert run_steps(
        lambda last: CollapseGuard(last, 10, True, PHASE_CHANGE), [{"readable": 0.05, "bid": 0.5, "used": 0.1}] * 60
    ) == (
        None,
        None,
    )


def test_the_guard_starts_again_after_the_phase_change():
    metrics = [WELL] * 40 + [UNREADABLE | {"used": 0.3}] * 60
    assert run_steps(lambda last: CollapseGuard(last, 10, True, 40), metrics) == (None, None)
    assert run_steps(lambda last: CollapseGuard(last, 10, True, 60), metrics)[0] is not None


@pytest.mark.parametrize(("phase_change", "ends"), [(100, True), (30, False)])
def test_a_resumed_run_knows_its_best_share_of_readable_replies(phase_change, ends):
    last = dict(UNREADABLE)
    guard = CollapseGuard(lambda: last, 10, True, phase_change)
    logged = [{"step": 20, "replies/readable": 0.9}, {"step": 40, "replies/readable": 0.1}, {"step": 50, "loss": 1.0}]
    guard.on_train_begin(None, SimpleNamespace(global_step=50, log_history=logged), None)
    control = SimpleNamespace(should_training_stop=False)
    for step in range(51, 90):
        guard.on_step_end(None, SimpleNamespace(global_step=step), control)
    assert control.should_training_stop == ends
