"""Recorded housing auctions, fed to our rules: the mechanism and the form are those of English auctions."""

from __future__ import annotations

from aucenv.envs.english.replay import replay_game

__all__ = ["replay_game"]
