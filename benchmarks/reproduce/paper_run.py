"""The games of a paper, and who plays them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from aucenv.analysis.transcript import transcript
from aucenv.core.bidder_name import label_of, parse_bidder
from aucenv.core.checks import no_duplicates
from aucenv.core.record import GameRecord
from aucenv.runs.play import Match


@dataclasses.dataclass(frozen=True)
class PaperRun:
    """The games of a paper.

    Attributes:
        paper: The name of the paper.
        bidders: The names of the bidders.
        parts: The games of each part of the run, by its name.
        studies: The studies that draw the paper's tables and figures -> the names of the parts that they show.
        notes: Sentences on who plays.
        logs: The logs of Synthetic Labs' program, whose games stand beside those of the run; None: none do.
    """

    paper: str
    bidders: tuple[str, ...]
    parts: Mapping[str, Sequence[Match]]
    studies: Mapping[str, Sequence[str]]
    notes: tuple[str, ...]
    logs: Path | None = None

    @cached_property
    def matches(self) -> list[Match]:
        """All games, numbered in the order of the parts."""
        every = [match for matches in self.parts.values() for match in matches]
        return [dataclasses.replace(match, index=number) for number, match in enumerate(every)]

    def records_of(self, study: str, records: Sequence[GameRecord]) -> list[GameRecord]:
        """Return the games of the parts that a study shows."""
        names = [name for name, matches in self.parts.items() for _ in matches]
        return [record for record in records if names[record.index] in self.studies[study]]


def named_bidders(paper: str, bidders: Sequence[str], agent: str) -> list[str]:
    """Return the names of a paper's bidders, of which models play as the paper's agent unless they name another one.

    Raises:
        ValueError: There is no bidder, or two have the same label.
    """
    if not bidders:
        example = "--bidder gpt=llm:openai:gpt-4.1-mini"
        raise ValueError(f"study {paper}: expected --bidder NAME=MODEL, for example {example}")
    specs = {name: parse_bidder(name) for name in bidders}
    no_duplicates("bidders", [label_of(name) for name in bidders])
    return [
        f"{name},agent={agent}" if spec.kind == "llm" and "agent" not in spec.params else name
        for name, spec in specs.items()
    ]


def listed_game(record: GameRecord) -> str:
    """Return the log of a game in Markdown."""
    return "\n".join([f"# The log of game {record.index}", "", "```text", *transcript(record), "```", ""])
