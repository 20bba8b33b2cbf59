"""Completion in the shell: games, scenarios, fields, bidders, studies and presets.

Each function takes the context of the command and the text that is typed so far. What cannot be loaded completes to
nothing: an error would stand in the middle of the line that is typed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import typer

from aucenv.registration import FAMILIES, find_family

Complete = Callable[[typer.Context, str], list[str]]


def _completing(names: Callable[[str], Iterable[str]]) -> Complete:
    """Return the function that completes names, which may depend on the game."""

    def complete(context: typer.Context, incomplete: str) -> list[str]:
        game = context.params.get("game") or "english"
        try:
            return [name for name in names(game[0] if isinstance(game, list) else game) if name.startswith(incomplete)]
        except Exception:  # a package of a user may raise anything
            return []

    return complete


def _fields(game: str) -> Iterable[str]:
    from aucenv.core.scenarios import arguments

    return (f"{name}=" for name in arguments(find_family(game).game.Scenario))


def _bidders(game: str) -> Iterable[str]:
    from aucenv.policy.registry import bidder_kinds

    return bidder_kinds(game)


def _studies(_: str) -> Iterable[str]:
    from aucenv.benchmarks.studies.registry import PAPERS, STUDIES

    return ("all", *PAPERS, *STUDIES)


def _presets(_: str) -> Iterable[str]:
    from aucenv.training.rlact.settings_files import presets

    return presets()


games = _completing(lambda _: FAMILIES)
scenarios = _completing(lambda game: find_family(game).game.scenarios)
fields = _completing(_fields)
bidders = _completing(_bidders)
studies = _completing(_studies)
presets = _completing(_presets)
