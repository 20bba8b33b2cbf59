"""Rollouts."""

from __future__ import annotations

from aucenv.baselines.scripted.water_allocation import decide

from aucenv.core.rollouts import Rollouts
from aucenv.envs.water_allocation import belief, rules

FAMILIES = ()
ROLLOUTS = Rollouts("water_allocation", rules, belief, decide, allocates=True)
