"""The suite: for each game its tables, with the scenario, the rivals and the seeds of the deals."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from aucenv.core.checks import one_of
from aucenv.core.files import JsonMapping, JsonObject, read_object
from aucenv.registration import find_family

SIZES = ("S", "M", "L")
"""The sizes of the benchmark; the deals of a smaller one are the first ones of a larger one."""
XS = "XS"
"""The smallest size, which a suite may have: a few deals of some tables, the first ones of all other sizes."""
FRESH = "*"
"""In the name of a table's scenario, this stands for the number of the deal, so that each deal has other houses."""
FRESH_PER_TABLE = 10_000
"""The most deals of a table with fresh houses, which are numbered from FRESH_PER_TABLE times the seed of the table."""


@dataclasses.dataclass(frozen=True)
class SuiteTable:
    """A table of the suite, at which a tested bidder meets fixed rivals.

    Attributes:
        game: The name of the game.
        name: The name of the table, which is unique in its game.
        scenario: The name of the scenario, in which FRESH stands for the number of the deal, or its data.
        rivals: The names of the rivals, in order around the table after the tested bidder.
        seats: The seats of the tested bidder, one after another from deal to deal.
        seed: The seed of the deals.
    """

    game: str
    name: str
    scenario: str | JsonMapping
    rivals: tuple[str, ...]
    seats: tuple[int, ...]
    seed: int

    @property
    def key(self) -> str:
        """The name of the game and the table."""
        return f"{self.game}/{self.name}"

    def deal(self, number: int) -> Deal:
        """Return the public deal with this number, from 0."""
        scenario = self.scenario
        if isinstance(scenario, str):
            scenario = scenario.replace(FRESH, str(self.seed * FRESH_PER_TABLE + number))
        return Deal(self, number, scenario, (self.seed, number))

    def seat(self, number: int) -> int:
        """Return the seat of the tested bidder in the deal with this number."""
        return self.seats[number % len(self.seats)]

    def lineup(self, bidder: Any, seat: int) -> tuple[Any, ...]:
        """Return the bidders of all seats if the tested bidder has this one."""
        around = (bidder, *self.rivals)
        return tuple(around[(position - seat) % len(around)] for position in range(len(around)))


@dataclasses.dataclass(frozen=True)
class Deal:
    """A deal at a table.

    Attributes:
        number: The number of the deal at its table, from 0.
        scenario: The name of the scenario, or its data.
        seed: The seed of the game.
    """

    table: SuiteTable
    number: int
    scenario: str | JsonMapping
    seed: tuple[int, ...]

    @property
    def seat(self) -> int:
        """The seat of the tested bidder."""
        return self.table.seat(self.number)

    @property
    def loaded(self) -> Any:
        """The scenario of the deal."""
        if isinstance(self.scenario, str):
            return _scenario(self.table.game, self.scenario)
        return find_family(self.table.game).game.load_scenario(self.scenario)

    def lineup(self, bidder: Any) -> tuple[Any, ...]:
        """Return the bidders of all seats if this one is tested."""
        return self.table.lineup(bidder, self.seat)

    def __str__(self) -> str:
        return f"{self.table.key}, deal {self.number}"


@lru_cache(maxsize=4096)
def _scenario(game: str, name: str) -> Any:
    return find_family(game).game.load_scenario(name)


@dataclasses.dataclass(frozen=True)
class Suite:
    """The benchmark's suite.

    Attributes:
        data: The contents of `suite.json`.
        tables: The tables of each game.
        sizes: The number of rounds of deals, by size.
        deals_per_round: The number of deals of each table in each of these rounds, by game.
        kinds: The kind of reference of each game: "judge", "best response" or "best bidder".
    """

    data: JsonObject
    tables: Mapping[str, tuple[SuiteTable, ...]]
    sizes: Mapping[str, int]
    deals_per_round: Mapping[str, int]
    kinds: Mapping[str, str]

    @property
    def name(self) -> str:
        """The name of the suite, such as "aucenv-1"."""
        return self.data["name"]

    @property
    def is_included(self) -> bool:
        """Whether this is the suite that aucenv includes."""
        return self.name == load_suite().name

    @property
    def version(self) -> int:
        """The version of the suite."""
        return self.data["version"]

    @property
    def fixed(self) -> JsonObject:
        """The data of which hashes are computed: without the size XS, which changes neither tables nor references."""
        return {name: value for name, value in self.data.items() if name != XS}

    @property
    def size_names(self) -> tuple[str, ...]:
        """The names of the sizes in ascending order."""
        return ((XS,) if XS in self.data else ()) + tuple(self.sizes)

    @property
    def games(self) -> tuple[str, ...]:
        """The games of the suite."""
        return tuple(self.tables)

    def deals(self, games: Iterable[str], rounds: int) -> dict[str, tuple[Deal, ...]]:
        """Return the deals of each table of these games in this number of rounds, by the key of the table."""
        return {
            table.key: tuple(map(table.deal, range(rounds * self.deals_per_round[game])))
            for game in games
            for table in self.tables[game]
        }

    def deals_of_size(self, games: Iterable[str], size: str) -> dict[str, tuple[Deal, ...]]:
        """Return the deals of each table of these games in a size, by the key of the table.

        Raises:
            ValueError: The suite has no such size.
        """
        one_of("size", size, self.size_names)
        return self.deals_of_xs(games) if size == XS else self.deals(games, self.sizes[size])

    def deals_of_xs(self, games: Iterable[str]) -> dict[str, tuple[Deal, ...]]:
        """Return the deals of size XS of a suite that has it, by the key of the table; at its tables of these games."""
        chosen, number = self.data[XS].get("tables", {}), self.data[XS]["deals"]
        return {
            table.key: tuple(map(table.deal, range(number)))
            for game in games
            for table in self.tables[game]
            if table.name in chosen.get(game, (table.name,))
        }

    def table(self, key: str) -> SuiteTable:
        """Return the table with this key, such as "english/late-and-grudge".

        Raises:
            ValueError: There is no such table.
        """
        by_key = {table.key: table for tables in self.tables.values() for table in tables}
        return by_key[one_of("table", key, by_key)]


@lru_cache
def load_suite() -> Suite:
    """Return the suite that aucenv includes."""
    return read_suite(read_object(Path(__file__).with_name("suite.json"), "suite.json"))


def read_suite(data: JsonObject) -> Suite:
    """Return the suite with this data."""
    tables = {
        game: tuple(
            SuiteTable(game, one["name"], one["scenario"], tuple(one["rivals"]), tuple(one["seats"]), one["seed"])
            for one in described["tables"]
        )
        for game, described in data["games"].items()
    }
    kinds = {game: described["reference"] for game, described in data["games"].items()}
    deals_per_round = {game: described["deals"] for game, described in data["games"].items()}
    return Suite(data, tables, data["sizes"], deals_per_round, kinds)


def digest_of(*parts: Any) -> str:
    """Return the SHA-256 digest of data, as 64 hexadecimal digits; it does not depend on the order of fields."""
    text = json.dumps(list(parts), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
