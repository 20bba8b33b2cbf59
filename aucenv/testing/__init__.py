"""Checks for games and bidders of your own; a failure says what is wrong, where, and which rule it breaks."""

from aucenv.testing.contract import ContractError
from aucenv.testing.games import check_game
from aucenv.testing.policies import check_policy

__all__ = ["ContractError", "check_game", "check_policy"]
