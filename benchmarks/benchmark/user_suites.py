"""Suites of users: a JSON file with tables, and beside it the references of all their deals."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from aucenv.benchmarks.benchmark.references import (
    ZERO,
    References,
    TableReference,
    compute,
    reference_policy,
    seconds_of,
    spread_of,
    to_text,
)
from aucenv.benchmarks.benchmark.suite import (
    FRESH_PER_TABLE,
    SIZES,
    XS,
    Deal,
    Suite,
    SuiteTable,
    digest_of,
    load_suite,
    read_suite,
)
from aucenv.benchmarks.rankings.leaderboard import honest_bidders

from aucenv.core.checks import excerpt, no_duplicates, one_of
from aucenv.core.files import JsonMapping, JsonObject, read_object, write_atomically
from aucenv.core.formats.schema import ANY_JSON, NONEMPTY_TEXT, ListOf, MapOf, Object, choice, whole
from aucenv.core.policy import check_fits
from aucenv.core.scenarios import is_file
from aucenv.core.words.bidder_name import parse_bidder
from aucenv.policy.registry import make_policy, rule_bidders
from aucenv.registration import FAMILIES, find_family

BEST_BIDDER = "best bidder"
MOST_DEALS = FRESH_PER_TABLE
"""The most deals of a table."""
LEAST_ERRORS = 2.0
"""The number of standard errors by which the reference of a table must score more than `random`."""
CHECKED_DEALS = 2
"""The number of deals of each table that are played again before saved references are used."""

TABLE = Object(
    {"name": NONEMPTY_TEXT, "scenario": ANY_JSON, "rivals": ListOf(NONEMPTY_TEXT, 1), "seed": whole(0, 2**40)},
    {"seats": ListOf(whole(0), 1)},
)
GAME = Object(
    {"tables": ListOf(TABLE, 1)},
    {"deals": whole(1, MOST_DEALS), "reference": choice(BEST_BIDDER, "judge", "best response")},
)
SECONDS_OF_BEST_BIDDER = 0.005
"""About how many seconds the references of one deal take if they are those of a rule bidder."""
COUNT = whole(1, MOST_DEALS)
SUITE = Object(
    {"name": NONEMPTY_TEXT, "version": whole(1), "games": MapOf(GAME)},
    {
        "sizes": Object(dict.fromkeys(SIZES, COUNT)),
        XS: Object({"deals": COUNT}, {"tables": MapOf(ListOf(NONEMPTY_TEXT, 1))}),
    },
)
"""The contents of the file of a suite."""


def read_user_suite(path: Path) -> Suite:
    """Return the suite of a file.

    Raises:
        OSError: The file cannot be read.
        ValueError: It does not describe a suite; the message names the file and the field.
    """
    return user_suite(read_object(path), str(path), path.parent)


def user_suite(data: JsonObject, where: str, folder: Path | None = None) -> Suite:
    """Return the suite that this data describes, with the values of fields that are left out.

    Args:
        where: The place of the data, for errors.
        folder: The folder of the files of scenarios; None does not allow files.

    Raises:
        OSError: The file of a scenario cannot be read.
        ValueError: The data does not describe a suite.
    """
    SUITE.check(data, where)
    name, included = data["name"], load_suite()
    if re.fullmatch(r"[a-z0-9][a-z0-9_.-]{0,60}", name) is None or name.startswith("aucenv"):
        raise ValueError(
            f"{where}: name: expected up to 61 lower-case letters, digits, '-', '_' and '.', without 'aucenv' at the "
            f"start, got {excerpt(name)}"
        )
    sizes = data.get("sizes", included.sizes)
    if sorted(sizes[size] for size in SIZES) != [sizes[size] for size in SIZES]:
        raise ValueError(f"{where}: sizes: expected S, M and L in ascending order, got {excerpt(sizes)}")
    if not data["games"]:
        raise ValueError(f"{where}: games: expected at least one, got none")
    games = {}
    for game, described in data["games"].items():
        one_of(f"{where}: game", game, FAMILIES)
        place = f"{where}: games.{game}"
        deals = described.get("deals", 1)
        if deals * sizes[SIZES[-1]] > MOST_DEALS:
            raise ValueError(f"{place}.deals: expected at most {MOST_DEALS:,} deals in size L, got {deals}")
        tables = [
            _table(game, table, f"{place}.tables.{number}", folder) for number, table in enumerate(described["tables"])
        ]
        names = [table["name"] for table in tables]
        if len(set(names)) < len(names):
            raise ValueError(f"{place}.tables: expected different names, got {excerpt(names)}")
        games[game] = {"reference": described.get("reference", BEST_BIDDER), "deals": deals, "tables": tables}
    small = {XS: data[XS]} if XS in data else {}
    suite = read_suite({"name": name, "version": data["version"], "sizes": dict(sizes), **small, "games": games})
    if small:
        _check_xs(suite, f"{where}: {XS}")
    for game, tables_of_game in suite.tables.items():
        for number, table in enumerate(tables_of_game):
            _check_table(table, suite.kinds[game], f"{where}: games.{game}.tables.{number}")
    return suite


def _check_xs(suite: Suite, where: str) -> None:
    """Raise ValueError if the deals of size XS are not among those of the next size."""
    small = suite.data[XS]
    most = suite.sizes[SIZES[0]] * min(suite.deals_per_round.values())
    if small["deals"] > most:
        raise ValueError(f"{where}.deals: expected at most the {most} deals of size {SIZES[0]}, got {small['deals']}")
    for game, names in small.get("tables", {}).items():
        one_of(f"{where}.tables, game", game, suite.games)
        no_duplicates(f"{where}.tables.{game}", names)
        for name in names:
            one_of(f"{where}.tables.{game}", name, [table.name for table in suite.tables[game]])


def _table(game: str, data: JsonMapping, where: str, folder: Path | None) -> JsonObject:
    """Return the data of a table with its seats, and with the data of a scenario that is a file."""
    scenario, num_seats = data["scenario"], len(data["rivals"]) + 1
    if is_file(scenario):
        if folder is None:
            raise ValueError(f"{where}.scenario: expected a name or the data of a scenario, got {excerpt(scenario)}")
        scenario = find_family(game).game.load_scenario(str(folder / scenario)).to_dict()
    elif not isinstance(scenario, (str, dict)):
        raise ValueError(f"{where}.scenario: expected a name, a file or the data of one, got {excerpt(scenario)}")
    seats = data.get("seats", list(range(num_seats)))
    if len(set(seats)) < len(seats) or max(seats) >= num_seats:
        raise ValueError(f"{where}.seats: expected different numbers from 0 to {num_seats - 1}, got {excerpt(seats)}")
    return {**data, "scenario": scenario, "seats": seats}


def _check_table(table: SuiteTable, kind: str, where: str) -> None:
    """Raise ValueError if a table cannot be played, or has no reference."""
    try:
        deal = table.deal(0)
        scenario = deal.loaded
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    seats = len(scenario.bidders)
    if seats != len(table.rivals) + 1:
        raise ValueError(
            f"{where}.rivals: expected {seats - 1}, one for each other seat of the scenario, got {len(table.rivals)}"
        )
    rules = rule_bidders(table.game)
    for name in table.rivals:
        try:
            one_of(f"rule bidder of {table.game}", parse_bidder(name).kind, rules)
            check_fits(make_policy(table.game, name), name, scenario)
        except ValueError as error:
            raise ValueError(f"{where}.rivals: {error}") from None
    honest = honest_bidders(table.game, scenario)
    if ZERO not in honest or len(honest) < 2:
        raise ValueError(
            f"{where}: expected a game with a rule bidder {ZERO!r}, which scores 0, and another one that seeks profit, "
            f"got the bidders {', '.join(honest) or 'none'}"
        )
    try:
        reference_policy(deal, kind)
    except ValueError as error:
        raise ValueError(f"{where}: reference {kind!r}: {error}; leave it out for the best built-in bidder") from None


def references_file(path: Path) -> Path:
    """Return the file of the references of the suite in this file."""
    return path.with_name(f"{path.stem}.references.json")


def saved_references(suite: Suite, path: Path) -> References | None:
    """Return the references that are beside the file of a suite.

    None if there are none, or those of another suite, or if a game now plays differently: two deals of each table are
    played again.

    Raises:
        OSError: The file of references cannot be read.
        ValueError: It does not hold references.
    """
    file = references_file(path)
    if not file.exists():
        return None
    references = References.of(read_object(file), str(file))
    if references.data["suite"] != digest_of(suite.fixed):
        return None
    deals = [table.deal(number) for table in all_tables(suite) for number in range(CHECKED_DEALS)]
    bidders = {key: table.bidder for key, table in references.tables.items()}
    for key, computed in compute(deals, suite, 1, bidders).items():
        saved, number = references.tables[key], len(computed.zero)
        if (saved.zero[:number], saved.one[:number]) != (computed.zero, computed.one):
            return None
    return references


def compute_user_references(suite: Suite, path: Path, workers: int = 1) -> References:
    """Compute the references of all deals of a suite, and write them beside its file.

    Raises:
        OSError: The file of references cannot be written.
        ValueError: At a table, the reference does not clearly score more than `random`.
    """
    tables = compute(all_deals(suite), suite, workers)
    for key, table in tables.items():
        _check_scale(suite, key, table, str(path))
    data = {
        "suite": digest_of(suite.fixed),
        "spread": {game: spread_of(suite, game, tables, workers) for game in suite.games},
        "tables": {key: table.to_dict() for key, table in tables.items()},
    }
    write_atomically(references_file(path), to_text(data))
    return References.of(data, str(references_file(path)))


def _check_scale(suite: Suite, key: str, references: TableReference, where: str) -> None:
    """Raise ValueError if the reference of a table does not clearly score more than `random` in the deals of a size."""
    for size, rounds in suite.sizes.items():
        number = rounds * suite.deals_per_round[suite.table(key).game]
        zero, one = np.array(references.zero[:number]), np.array(references.one[:number])
        error = np.std(one - zero) / np.sqrt(number)
        if (one - zero).mean() <= LEAST_ERRORS * error:
            raise ValueError(
                f"{where}: table {key}: expected a reference that scores clearly more than {ZERO!r}, but in the "
                f"{number} deals of size {size} {references.bidder!r} scores {one.mean():.4g} and {ZERO!r} "
                f"{zero.mean():.4g}, with a standard error of {error:.2g}, so that scores have no scale; choose other "
                "rivals, another scenario, or more deals"
            )


def all_tables(suite: Suite) -> list[SuiteTable]:
    """Return the tables of all games of a suite."""
    return [table for tables in suite.tables.values() for table in tables]


def all_deals(suite: Suite) -> list[Deal]:
    """Return the deals of the largest size of a suite."""
    most = max(suite.sizes.values())
    return [deal for dealt in suite.deals(suite.games, most).values() for deal in dealt]


def seconds_needed(suite: Suite, workers: int = 1) -> float:
    """Return about how many seconds it takes to compute the references of a suite."""
    games = [deal.table.game for deal in all_deals(suite)]
    slow = [game for game in games if suite.kinds[game] != BEST_BIDDER]
    return seconds_of(slow, workers) + (len(games) - len(slow)) * SECONDS_OF_BEST_BIDDER / workers
