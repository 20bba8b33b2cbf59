"""The plan of a run, from the settings in its `run.json`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

from aucenv.benchmarks.benchmark.plan import ISOLATED, Plan, plays_any_game, why_not
from aucenv.benchmarks.benchmark.private_deals import REFERENCES_FILE, cached_references, deals_by_table
from aucenv.benchmarks.benchmark.references import References, suite_references
from aucenv.benchmarks.benchmark.suite import Deal, Suite, load_suite
from aucenv.benchmarks.benchmark.user_suites import user_suite

from aucenv.core.checks import excerpt, one_of
from aucenv.core.files import JsonObject
from aucenv.core.formats.schema import ANY_JSON, BOOLEAN, NONEMPTY_TEXT, TEXT, ListOf, MapOf, Object, Optional, whole
from aucenv.core.words.bidder_name import label_of, parse_bidder
from aucenv.policy.guests import Guests

DEAL = Object({"game": TEXT, "table": TEXT, "scenario": ANY_JSON, "seed": ListOf(whole(0, 2**63))})
SETTINGS = Object(
    {
        "suite": TEXT,
        "suite_version": whole(1),
        "suite_hash": TEXT,
        "suite_games": ListOf(TEXT, 1),
        "bidders": ListOf(NONEMPTY_TEXT, 1),
        "bidder_files": MapOf(TEXT),
        "left_out": MapOf(MapOf(TEXT)),
        "deals": Optional(ListOf(DEAL, 1)),
        "games": whole(1),
    },
    {
        "suite_data": ANY_JSON,
        "guests": Object({"salt": TEXT, "isolated": BOOLEAN}),
        "allow_cheats": BOOLEAN,
        "in_sizes": BOOLEAN,
    },
)
"""The settings of a run of the benchmark in its `run.json`."""


def is_benchmark(settings: JsonObject) -> bool:
    """Return whether these are the settings of a run of the benchmark."""
    return "suite" in settings


def read_plan(run: JsonObject, folder: Path) -> tuple[Plan, list[str]]:
    """Return the plan of a run, and the problems of its settings.

    Args:
        run: The contents of `run.json`.
        folder: The results folder.

    Raises:
        ValueError: The run is not one of this suite and version, so that there is no plan.
    """
    where = f"{folder / 'run.json'}: settings"
    settings = run["settings"]
    if not is_benchmark(settings):
        raise ValueError(f"{where}: expected those of `aucenv benchmark`, got those of another run")
    SETTINGS.check(settings, where)
    suite = user_suite(settings["suite_data"], f"{where}.suite_data") if "suite_data" in settings else load_suite()
    for name, value in (("suite", suite.name), ("suite_version", suite.version)):
        if settings[name] != value:
            source = "the suite of this version of aucenv" if suite.is_included else f"as in {where}.suite_data"
            hint = "; verify it with the version of aucenv that has this suite" if suite.is_included else ""
            raise ValueError(f"{where}.{name}: expected {value!r}, {source}, got {excerpt(settings[name])}{hint}")
    for game in settings["suite_games"]:
        one_of(f"{where}.suite_games", game, suite.games)
    problems = _left_out_problems(settings, suite, where)
    private = settings["deals"]
    references = _references(private, suite, folder)
    bidders, games = tuple(settings["bidders"]), tuple(settings["suite_games"])
    guests = Guests(**settings["guests"]) if "guests" in settings else ISOLATED
    allow_cheats = settings.get("allow_cheats", False)
    in_sizes = private is None and settings.get("in_sizes", True)
    plan = Plan(suite, bidders, settings["left_out"], games, {}, references, private, guests, allow_cheats, in_sizes)
    if private is not None:
        plan = dataclasses.replace(plan, deals=deals_by_table(private, suite))
    elif in_sizes:
        plan = _plan_of_size(plan, settings["games"], where)
    else:
        plan = dataclasses.replace(plan, deals=suite.deals(games, _rounds(plan, settings["games"], where)))
    _check_references(references, plan.deals, folder)
    return plan, problems


def _references(private: Sequence[JsonObject] | None, suite: Suite, folder: Path) -> References:
    if private is None and suite.is_included:
        return suite_references()
    references = cached_references(private, suite, folder)
    if references is None:
        raise ValueError(f"{folder / REFERENCES_FILE}: expected the references of the deals of the run, got none")
    return references


def _check_references(references: References, deals: Mapping[str, Sequence[Deal]], folder: Path) -> None:
    """Raise ValueError if references lack those of a deal."""
    for key, dealt in deals.items():
        table = references.tables.get(key)
        if table is None or len(table.zero) < len(dealt):
            got = 0 if table is None else len(table.zero)
            place = f"{folder / REFERENCES_FILE}: tables.{key}"
            raise ValueError(f"{place}: expected the scores of {len(dealt)} deals, got {got}")


def _plan_of_size(plan: Plan, games: int, where: str) -> Plan:
    """Return the plan with the deals of the size that has this number of games."""
    sizes = {}
    for size in plan.suite.size_names:
        sized = dataclasses.replace(plan, deals=plan.suite.deals_of_size(plan.games, size))
        sizes[size] = len(sized.entries())
        if sizes[size] == games:
            return sized
    known = ", ".join(f"{number} ({size})" for size, number in sizes.items())
    raise ValueError(f"{where}.games: expected the number of games of a size, one of {known}, got {games}")


def _rounds(plan: Plan, games: int, where: str) -> int:
    """Return the number of rounds of deals of a run with this number of games."""
    sizes = {game: len(tables) * plan.suite.deals_per_round[game] for game, tables in plan.suite.tables.items()}
    in_round = sum(plan.plays(name, game) * sizes[game] for name in plan.bidders for game in plan.games)
    most = max(plan.suite.sizes.values())
    if not in_round or games % in_round or games // in_round > most:
        raise ValueError(
            f"{where}.games: expected a multiple of {in_round}, the games of one round of deals, up to "
            f"{in_round * most}, got {games}"
        )
    return games // in_round


def _left_out_problems(settings: JsonObject, suite: Suite, where: str) -> list[str]:
    """Return the games that bidders are wrongly said not to play, or to play."""
    problems = []
    labels = [label_of(name) for name in settings["bidders"]]
    if len(set(labels)) < len(labels):
        raise ValueError(f"{where}.bidders: expected different labels, got {excerpt(labels)}")
    for name, label in zip(settings["bidders"], labels, strict=True):
        said = settings["left_out"].get(label, {})
        if set(said) >= set(settings["suite_games"]):
            raise ValueError(f"{where}.left_out: expected a game that {label} plays, got none")
        if plays_any_game(parse_bidder(name).kind):
            continue  # models, files and packages that the bidder needs may not be here
        for game in settings["suite_games"]:
            reason = why_not(name, game, suite)
            if said.get(game) != reason:
                place = f"{where}.left_out, {label}, {game}"
                problems.append(f"{place}: expected {excerpt(reason)}, got {excerpt(said.get(game))}")
    return problems
