"""The raters of a study whose results are ratings: models as judges, and people who fill in forms."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from aucenv.runs.model_calls.calls import Call
from aucenv.runs.run_options import RunOptions

if TYPE_CHECKING:
    from aucenv.benchmarks.model_prices import Price

CALLS = "rating_calls.jsonl"
"""The file in a results folder with the calls of raters; a repeated run does not repeat these calls."""


@dataclasses.dataclass(frozen=True)
class Raters:
    """Who rates, and where the calls of models are kept.

    Attributes:
        judges: models that rate, such as "llm:openai:gpt-4.1-mini".
        ratings: filled forms.
        form: the file to which an empty form is written; None: none is.
        bidders: the bidders of the run by their full names, which records mask.
        folder: the results folder; None keeps calls in memory.
        run_options: prices, the cost limit and the number of simultaneous calls.
        played: the calls of the games.
        approve: called before the first missing call with the estimated price of each model at an endpoint; it may
            raise an error.
    """

    judges: tuple[str, ...] = ()
    ratings: tuple[Path, ...] = ()
    form: Path | None = None
    bidders: tuple[str, ...] = ()
    folder: Path | None = None
    run_options: RunOptions = dataclasses.field(default_factory=RunOptions)
    played: tuple[Call, ...] = ()
    approve: Callable[[Sequence[Price]], None] = lambda prices: None

    @property
    def given(self) -> bool:
        """Whether the user named any."""
        return bool(self.judges or self.ratings or self.form)

    def of_run(
        self, where: str, is_rated: bool, bidders: Sequence[str], run_options: RunOptions, folder: Path | None
    ) -> Raters:
        """Return these raters with what follows from a run.

        Args:
            where: the study, for errors.
            is_rated: whether its results are ratings.

        Raises:
            ValueError: there are raters, but nothing to rate.
            FileExistsError: as in `files_of_form`.
        """
        if self.given and not is_rated:
            raise ValueError(f"{where}: expected no --set judge, form and ratings, because its results are no ratings")
        if self.form is not None:
            files_of_form(self.form)
        return dataclasses.replace(self, bidders=tuple(bidders), run_options=run_options, folder=folder)


def files_of_form(form: Path) -> list[Path]:
    """Return the files of a new form in CSV: the form; the scales, NAME-scales.md beside it; and the key, NAME-key.csv.

    Raises:
        FileExistsError: one of the files exists: it may be filled in.
    """
    paths = [form, form.with_name(f"{form.stem}-scales.md"), form.with_name(f"{form.stem}-key.csv")]
    for file in paths:
        if file.exists():
            raise FileExistsError(f"--set form: expected a new file, but {file} exists")
    return paths


NOBODY = Raters()
"""The raters if the user names none."""


@dataclasses.dataclass(frozen=True)
class Rating:
    """The ratings of one subject by one rater.

    Attributes:
        subject: the subject's id.
        rater: the rater's name in tables.
        scores: the score of each scale; scales without a score are missing.
        unreadable: the number of scales without a score because no reply could be read.
    """

    subject: str
    rater: str
    scores: dict[str, int]
    unreadable: int = 0
