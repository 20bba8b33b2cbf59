"""The format of a record's deal and outcome: see `single_item.record_format`."""

from __future__ import annotations

from aucenv.envs.single_item.record_format import DEAL, OUTCOME, check

__all__ = ["DEAL", "OUTCOME", "check"]
