"""Rollouts."""

from __future__ import annotations

from aucenv.baselines.scripted.sealed_bid import decide

from aucenv.core.rollouts import Rollouts
from aucenv.envs.sealed_bid import belief, rules

FAMILIES = ()
ROLLOUTS = Rollouts("sealed_bid", rules, belief, decide)
