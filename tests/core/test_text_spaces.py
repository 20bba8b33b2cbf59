"""Text observations in the wrappers and vector environments of Gymnasium."""

from __future__ import annotations

import gymnasium
import pytest
from gymnasium import spaces
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv
from gymnasium.wrappers import FlattenObservation

from aucenv.registration import FAMILIES


@pytest.mark.parametrize("family", FAMILIES.values(), ids=str)
def test_flattening_flattens_the_features_and_keeps_the_text(family):
    rivals = ["random"] * (len(family.parallel_env().possible_agents) - 1)
    env = family.seat_env(rivals=rivals, interface="text")
    flat = FlattenObservation(family.seat_env(rivals=rivals, interface="text"))
    for observed, flattened in ((env.reset(seed=1)[0], flat.reset(seed=1)[0]), (env.step("?")[0], flat.step("?")[0])):
        assert flat.observation_space.contains(flattened)
        assert flattened["text"] == observed["text"]
        assert (flattened["observation"] == observed["observation"]).all()
        assert spaces.unflatten(env.observation_space, flattened)["text"] == observed["text"]


def make():
    return gymnasium.make("aucenv/English-v0", rivals=["rule", "value"], interface="text")


def test_vector_environments_in_processes_need_no_shared_memory():
    with pytest.raises(ValueError, match=r"you can disable this feature with `shared_memory=False`"):
        AsyncVectorEnv([make])
    there, here = AsyncVectorEnv([make] * 2, shared_memory=False), SyncVectorEnv([make] * 2)
    try:
        texts = [env.reset(seed=3)[0]["text"] for env in (there, here)]
        assert texts[0] == texts[1]
        stepped = [env.step(("I bid $1!", "I pass!"))[0]["text"] for env in (there, here)]
        assert stepped[0] == stepped[1] != texts[0]
        assert there.observation_space.contains(there.reset(seed=3)[0])
    finally:
        there.close()
