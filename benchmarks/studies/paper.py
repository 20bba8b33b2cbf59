"""The value `Paper`: one run of games, from which all tables and figures of a paper are drawn."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from aucenv.benchmarks.studies.study import Study

from aucenv.analysis.agents.transcript import transcript
from aucenv.core.checks import no_duplicates
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import label_of, parse_bidder
from aucenv.runs.play import Match


@dataclasses.dataclass(frozen=True)
class PaperRun:
    """The games of a paper.

    Attributes:
        bidders: The names of the bidders.
        parts: The games of each part of the run, by its name.
        notes: Sentences on who plays.
        logs: The logs of Synthetic Labs' program, whose games stand beside those of the run; None: none do.
    """

    bidders: tuple[str, ...]
    parts: Mapping[str, Sequence[Match]]
    notes: tuple[str, ...]
    logs: Path | None = None

    @cached_property
    def matches(self) -> list[Match]:
        """All games, numbered in the order of the parts."""
        every = [match for matches in self.parts.values() for match in matches]
        return [dataclasses.replace(match, index=number) for number, match in enumerate(every)]

    def records_of(self, parts: Sequence[str], records: Sequence[GameRecord]) -> list[GameRecord]:
        """Return the games of some parts."""
        names = [name for name, matches in self.parts.items() for _ in matches]
        return [record for record in records if names[record.index] in parts]


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


def first_log(records: Sequence[GameRecord]) -> str:
    """Return the log of the first game."""
    return listed_game(records[0])


@dataclasses.dataclass(frozen=True, kw_only=True)
class Paper:
    """A paper, all of whose tables and figures one run of games shows.

    Attributes:
        name: The name, such as "labs".
        studies: The studies that draw the paper's tables and figures, in its order -> the names of the parts of the run
            that they show.
        plan: Returns the games for the named bidders, the number of games (None: that of the paper) and the seed.
        has_ask_broke: Whether `plan` has a fourth argument, whether a bidder that cannot pay the least legal bid is
            asked.
        listing: Returns a text about the games, for `listing.md`.
    """

    name: str
    studies: Mapping[Study, Sequence[str]]
    plan: Callable[..., PaperRun]
    has_ask_broke: bool = False
    listing: Callable[[Sequence[GameRecord]], str] = first_log

    def run_of(self, bidders: Sequence[str], games: int | None, seed: int, ask_broke: bool) -> PaperRun:
        """Return the games of the paper with these bidders.

        Raises:
            ValueError: As in `plan`, or the paper has no choice of who is asked.
        """
        if self.has_ask_broke:
            return self.plan(bidders, games, seed, ask_broke)
        if not ask_broke:
            raise ValueError(f"study {self.name}: expected no --set ask_broke=false, which only aucarena has")
        return self.plan(bidders, games, seed)
