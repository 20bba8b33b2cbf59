"""Replay recorded housing auctions under our rules; the mechanism and the format are those of English auctions."""

from __future__ import annotations

from aucenv.envs.english.replay import replay_game

__all__ = ["replay_game"]
