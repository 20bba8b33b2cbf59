"""The guard against collapse: when it warns, and when it ends a run."""

from __future__ import annotations

import logging
from types import SimpleNamespace

import pytest
from aucenv.training.rlact.callbacks import CollapseGuard

WELL = {"readable": 1.0, "bid": 0.4, "used": 0.3}
AGREED = {"readable": 1.0, "bid": 0.4, "used": 0.0}
ALWAYS = {"readable": 1.0, "bid": 1.0, "used": 0.3}
SILENT = {"readable": 0.1, "bid": 0.4, "used": 0.3}
TURN = 1000
NOTHING = {"readable": None, "bid": None, "used": None}


def steps(guard_of, told):
    """The step at which a run ended, None where it did not."""
    last = {}
    guard = guard_of(lambda: last)
    control = SimpleNamespace(should_training_stop=False, should_save=False)
    for step, figures in enumerate(told, 1):
        last.clear()
        last.update(figures)
        guard.on_step_end(None, SimpleNamespace(global_step=step), control)
        if control.should_training_stop:
            assert control.should_save
            return step, guard.ended
    return None, guard.ended


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (AGREED, "only 0.0% of pairs have a better reply"),
        (ALWAYS, "100.0% of replies bid"),
        (SILENT, "fell from 100% to"),
        (NOTHING, "fell from 100% to"),
    ],
)
def test_a_window_of_bad_steps_warns_and_two_end_the_run(caplog, bad, why):
    with caplog.at_level(logging.WARNING):
        step, ended = steps(lambda last: CollapseGuard(last, 10, True, TURN), [WELL] * 30 + [bad] * 40)
    assert step is not None
    assert 45 <= step <= 52
    assert why in ended
    assert len(caplog.records) == 1
    assert caplog.records[0].getMessage().startswith("step ")


def test_it_may_only_warn(caplog):
    with caplog.at_level(logging.WARNING):
        assert steps(lambda last: CollapseGuard(last, 10, False, TURN), [WELL] * 20 + [AGREED] * 60) == (None, None)
    assert len(caplog.records) == 1


def test_what_recovers_goes_on(caplog):
    told = ([WELL] * 15 + [AGREED] * 12) * 4
    assert steps(lambda last: CollapseGuard(last, 10, True, TURN), told) == (None, None)


def test_a_model_that_cannot_speak_yet_is_given_time_if_pairs_differ():
    assert steps(
        lambda last: CollapseGuard(last, 10, True, TURN), [{"readable": 0.05, "bid": 0.5, "used": 0.1}] * 60
    ) == (
        None,
        None,
    )


def test_other_replies_begin_anew():
    told = [WELL] * 40 + [SILENT | {"used": 0.3}] * 60
    assert steps(lambda last: CollapseGuard(last, 10, True, 40), told) == (None, None)
    assert steps(lambda last: CollapseGuard(last, 10, True, 60), told)[0] is not None


@pytest.mark.parametrize(("turn", "ends"), [(100, True), (30, False)])
def test_a_run_that_goes_on_knows_how_well_it_could_be_read(turn, ends):
    last = dict(SILENT)
    guard = CollapseGuard(lambda: last, 10, True, turn)
    logged = [{"step": 20, "replies/readable": 0.9}, {"step": 40, "replies/readable": 0.1}, {"step": 50, "loss": 1.0}]
    guard.on_train_begin(None, SimpleNamespace(global_step=50, log_history=logged), None)
    control = SimpleNamespace(should_training_stop=False)
    for step in range(51, 90):
        guard.on_step_end(None, SimpleNamespace(global_step=step), control)
    assert control.should_training_stop == ends
