"""The settings that only some studies have, as `aucenv study NAME --set NAME=VALUE`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from aucenv.commands.options.parsers import text_option
from aucenv.core.checks import excerpt, one_of
from aucenv.core.words.bidder_name import public_name


@dataclasses.dataclass(frozen=True)
class StudySettings:
    """The settings that only some studies have.

    Attributes:
        rivals: harbor/5: the bidder that plays both rivals.
        logs: labs and its studies: the folder of the logs of Synthetic Labs' program.
        ask_broke: aucarena: whether a bidder that cannot pay the least legal bid is asked.
        templates: prompts: the folders of templates with which the one bidder plays.
        judge: alympics/rubrics: the models that rate residents.
        form: alympics/rubrics and alympics/self-ratings: the file of the form to write.
        ratings: the same: the filled forms.
        full: all: whether the studies that train models are among them.
    """

    rivals: str | None = None
    logs: Path | None = None
    ask_broke: bool = True
    templates: tuple[Path, ...] = ()
    judge: tuple[str, ...] = ()
    form: Path | None = None
    ratings: tuple[Path, ...] = ()
    full: bool = False

    @classmethod
    def read(cls, texts: Sequence[str]) -> StudySettings:
        """Return the settings of the option.

        Raises:
            ValueError: A text is no assignment, a setting is unknown or stands twice, or its value is wrong.
        """
        values: dict[str, Any] = {}
        for text in texts:
            name, equals, value = text.partition("=")
            if not equals or not value:
                raise ValueError(f"--set: expected NAME=VALUE, got {excerpt(public_name(text))}")
            kind = KINDS[one_of("--set", name, KINDS)]
            if kind is bool:
                values[name] = one_of(f"--set {name}", value, ("true", "false")) == "true"
            elif name in LISTS:
                values[name] = (*values.get(name, ()), kind(value))
            elif name in values:
                raise ValueError(f"--set {name}: expected one value, got {values[name]} and {public_name(value)}")
            else:
                values[name] = kind(value)
        return cls(**values)

    def values(self) -> tuple[Any, ...]:
        """Return the values of all settings, in the order of the attributes."""
        return tuple(getattr(self, each.name) for each in dataclasses.fields(self))


KINDS: dict[str, Any] = {
    "rivals": str, "logs": Path, "ask_broke": bool, "templates": Path, "judge": str, "form": Path, "ratings": Path,
    "full": bool,
}  # fmt: skip
"""The type of each setting, or of an entry of it."""
LISTS = ("templates", "judge", "ratings")
"""The settings that may be repeated."""


def _complete(context: typer.Context, incomplete: str) -> list[str]:
    return [f"{name}=" for name in KINDS if f"{name}=".startswith(incomplete)]


StudySetOption = Annotated[
    list[str] | None,
    text_option(
        "Change what only some studies have; repeatable.\n\nharbor/5: rivals=BIDDER plays both rivals; by default, a "
        "model's rivals are the model without profiles and strategy, if it plays as the agent harbor. aucarena: "
        "ask_broke=false does not ask a bidder that cannot pay the least legal bid. labs and its studies: logs=DIR has "
        "the logs of Synthetic Labs' program, whose models stand beside the bidders. prompts: templates=DIR, repeated "
        "for each, has templates with which the one --bidder plays. alympics/rubrics: judge=llm:openai:MODEL,..., "
        "repeated for several, rates residents. alympics/rubrics and alympics/self-ratings: form=FILE writes a form in "
        "CSV, in which people rate residents without knowing bidders, with the scales and a key beside it; "
        "ratings=FILE, repeated for several people, is a filled one. all: full=true also trains models.",
        "NAME=VALUE",
        "--set",
        autocompletion=_complete,
    ),
]
