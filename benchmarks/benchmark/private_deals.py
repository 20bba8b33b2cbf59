"""Private deals: deals of the user's that replace those of the suite, at its tables and against its rivals."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from aucenv.benchmarks.benchmark.references import SECONDS, References, TableReference, compute, suite_references
from aucenv.benchmarks.benchmark.suite import Deal, Suite, SuiteTable, digest_of

from aucenv.core.checks import one_of
from aucenv.core.files import JsonObject, parse_object, read_lines, read_object, write_atomically
from aucenv.core.kernel import read_seed
from aucenv.core.policy import check_fits
from aucenv.core.schema import NONEMPTY_TEXT, AnyOf, ListOf, Object, whole
from aucenv.core.scenarios import is_file
from aucenv.policy.registry import make_policy
from aucenv.runs.deals import deal_digest

FORMAT = ("game", "table", "scenario", "seed")
REFERENCES_FILE = "references.json"
"""The file of a results folder with the references of private deals."""


@dataclasses.dataclass(frozen=True)
class PrivateDeals:
    """Private deals and their references.

    Attributes:
        where: The file that they are from.
        data: The deals as data, which a results folder keeps.
        deals: The deals of each table, by its key.
        references: Their references.
    """

    where: str
    data: tuple[JsonObject, ...]
    deals: Mapping[str, tuple[Deal, ...]]
    references: References

    def of_game(self, game: str) -> bool:
        """Return whether there are deals of a game."""
        return any(dealt[0].table.game == game for dealt in self.deals.values())
