"""HARBOR's rules A to F, one of which ExpAct and agents choose before each bid. Source: HARBOR, arXiv 2502.12149."""

from __future__ import annotations

from collections.abc import Mapping

LETTERS = "ABCDEF"

ASKS_TO_BID: Mapping[str, bool] = {"A": True, "B": True, "C": True, "D": False, "E": False, "F": False, "decoy": True}
"""Whether each rule asks to bid; the others ask to leave.

A: the house has a high priority. B: a rival should spend its budget on it. C: the budget allows it. D: the budget is
saved for houses of higher priority. E: the margin is too thin. F: a rival will not give in. The decoy, which
second-order reasoning adds, is a bid that hides the bidder's persona.
"""
