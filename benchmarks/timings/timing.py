"""Comparative timings. Subjects alternate round by round, so that drifts of the machine's speed affect all of them."""

from __future__ import annotations

import dataclasses
import os
import platform
import statistics
from collections.abc import Callable, Mapping, Sequence

from aucenv.core.extras import install_command
from aucenv.core.files import JsonObject
from aucenv.runs.results import versions

FEW = 20
"""Figures below it have decimal places in tables."""


@dataclasses.dataclass
class Timings:
    """The measurements of one benchmark.

    Attributes:
        title: the name of the benchmark.
        unit: the unit of the figures.
        figures: subject -> its figure in each round.
        ratios: pairs of subjects, compared round by round.
        notes: sentences that a reader needs to understand the figures.
    """

    title: str
    unit: str
    figures: dict[str, list[float]]
    ratios: Sequence[tuple[str, str]] = ()
    notes: Sequence[str] = ()

    def to_dict(self) -> JsonObject:
        return {
            "title": self.title,
            "unit": self.unit,
            "figures": {name: spread(values) for name, values in self.figures.items()},
            "ratios": {f"{a} / {b}": self.ratio(a, b) for a, b in self.ratios},
            "notes": list(self.notes),
            "machine": machine(),
        }

    def ratio(self, above: str, below: str) -> dict[str, float]:
        pairs = zip(self.figures[above], self.figures[below], strict=True)
        return spread([a / b for a, b in pairs])

    def to_markdown(self) -> str:
        data = self.to_dict()
        lines = [f"## {self.title}", "", f"| subject | median, {self.unit} | range |", "|---|---:|---:|"]
        for name, each in data["figures"].items():
            lines.append(f"| {name} | {_row(each, ',.0f' if each['median'] >= FEW else '.2f')} |")
        if self.ratios:
            lines += ["", "| ratio | median | range |", "|---|---:|---:|"]
            lines += [f"| {name} | {_row(each, '.2f')} |" for name, each in data["ratios"].items()]
        return "\n".join([*lines, "", *(f"{note}\n" for note in self.notes)])


def _row(figure: dict[str, float], digits: str) -> str:
    return f"{figure['median']:{digits}} | {figure['min']:{digits}} to {figure['max']:{digits}}"


def spread(values: Sequence[float]) -> dict[str, float]:
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def machine() -> JsonObject:
    return {"cpus": os.cpu_count(), "platform": platform.platform(), **versions()}


def alternate(subjects: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, list[float]]:
    """Return each subject's figure in each round; an additional first round is only a warm-up."""
    figures: dict[str, list[float]] = {name: [] for name in subjects}
    for number in range(rounds + 1):
        for name, measure in subjects.items():
            figure = measure()
            if number:
                figures[name].append(figure)
    return figures


def absent(peer: str, error: ImportError) -> str:
    """Return a note that a peer is not measured."""
    return f"Absent: {peer} ({error}); {install_command('bench')}."
