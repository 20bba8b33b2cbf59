"""Rollouts."""

from __future__ import annotations

from aucenv.baselines.scripted.clock import decide

from aucenv.core.rollouts import Rollouts
from aucenv.envs.clock import belief, rules

FAMILIES = ()
ROLLOUTS = Rollouts("clock", rules, belief, decide)
