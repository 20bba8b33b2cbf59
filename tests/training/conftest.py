"""States and a model for training runs that take seconds."""

from __future__ import annotations

import pytest
from aucenv.training.rlact.models.base_model import make_tiny
from tiny_training import small_run, write_small_states


@pytest.fixture(scope="session")
def states(tmp_path_factory):
    """The folder of judged states, which tests copy before they change a file."""
    return write_small_states(tmp_path_factory.mktemp("states"))


@pytest.fixture(scope="session")
def base(states, tmp_path_factory):
    """The folder of a base model that writes legal replies."""
    run = small_run(tmp_path_factory.mktemp("base"), states, warm_up_steps=250)
    run.open()
    make_tiny(run.out / "base", run.config, run.states()[0])
    return run.out / "base"
