"""The line that a command prints about the cost of its run's model calls."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from aucenv.commands.console.terminal import print_safely
from aucenv.core.words.phrases import count
from aucenv.runs.model_calls.calls import Call

if TYPE_CHECKING:
    from aucenv.runs.model_calls.journal import CallJournal
    from aucenv.runs.run_options import RunOptions


def print_cost(calls: Sequence[Call], finished: Collection[int] | None = None) -> None:
    """Print, on standard error, the cost of a run's calls, if they cost something, and which models have changed.

    The arguments are those of `cost_of_run`.
    """
    from aucenv.analysis.agents.call_costs import cost_of_run
    from aucenv.analysis.agents.model_figures import answered_by, notes_on_answers

    for note in notes_on_answers(answered_by(calls)):
        print_safely(note, err=True)
    line = cost_of_run(calls, finished)
    if line is not None:
        print_safely(line, err=True)


class RunCosts:
    """The costs of a run that a command plays."""

    def __init__(self) -> None:
        self._journals: list[CallJournal] = []

    def followed(self, run_options: RunOptions) -> RunOptions:
        """Return options of a run with which its costs are known here."""
        return dataclasses.replace(run_options, on_journal=self._follow)

    def _follow(self, journal: CallJournal) -> None:
        self._journals.append(journal)

    def print(self) -> None:
        """Print the cost of all calls, including those of an interrupted run that is resumed."""
        print_cost([call for journal in self._journals for call in journal.calls])

    def kept(self) -> list[str]:
        """Return how many calls of models, and answers of people, the run has kept; empty if it has none."""
        answers = [call.is_answer for journal in self._journals for call in journal.calls]
        numbers = {"call": answers.count(False), "answer": answers.count(True)}
        return [count(number, noun) for noun, number in numbers.items() if number]

    @contextlib.contextmanager
    def printed_if_stopped(self) -> Iterator[None]:
        """Print the cost if an error leaves this context."""
        try:
            yield
        except BaseException:
            self.print()
            raise
