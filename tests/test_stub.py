"""The stub file, from which type checkers read the package, agrees with the package."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
from stub import stub

import aucenv
from aucenv.registration import FAMILIES

STUB = Path(aucenv.__file__).with_name("__init__.pyi")


def test_the_stub_is_up_to_date(request):
    if request.config.getoption("--write-golden"):
        STUB.write_text(stub())
    assert STUB.read_text() == stub(), "pytest tests/test_stub.py --write-golden writes it"


def test_dir_lists_the_public_names_and_nothing_else():
    assert dir(aucenv) == aucenv.__all__
    assert all(getattr(aucenv, name) is not None for name in aucenv.__all__)


@pytest.mark.parametrize("family", FAMILIES.values(), ids=str)
def test_signatures_are_complete(family):
    parallel, batch = inspect.signature(family.parallel_env), inspect.signature(family.batch_env)
    assert inspect.signature(family).parameters == parallel.parameters
    not_in_batch = {"max_retries", "idle_turns", "mask_in_info", "render_mode", "on_death", "infos", "observation"}
    shared = set(parallel.parameters) - not_in_batch
    assert set(batch.parameters) == shared | {"num_envs", "num_threads", "seat"}
    assert all(parameter.annotation is not inspect.Parameter.empty for parameter in parallel.parameters.values())
    env = family.parallel_env()
    assert env.metadata["name"] == family.label
    assert f"{family.label}(scenario: " in family.__doc__
    for array in ("observations", "masks", "acting", "rewards", "results"):
        assert f"{array}: (num_envs" in family.batch_env.__doc__


@pytest.mark.parametrize("family", FAMILIES.values(), ids=str)
@pytest.mark.parametrize("form", ["__call__", "env", "raw_env", "parallel_env", "batch_env"])
def test_an_unknown_argument_is_refused_with_the_nearest_name(family, form):
    needed = (2,) if form == "batch_env" else ()
    with pytest.raises(TypeError, match=r"_v0.*: unexpected argument 'num_biders'; did you mean 'num_bidders'\?"):
        getattr(family, form)(*needed, num_biders=3)
    with pytest.raises(TypeError, match=r"unexpected argument 'zzz'; expected some of .*scenario, .*interface"):
        getattr(family, form)(*needed, zzz=3)
