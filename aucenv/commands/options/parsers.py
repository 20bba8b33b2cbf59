"""Parsers of options, whose errors name the text that was typed and what was expected."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import typer

from aucenv.core.checks import suggestion

E = TypeVar("E", bound=enum.Enum)


def whole(least: int, most: int) -> Callable[[Any], int]:
    """Return the parser of a whole number from `least` to `most`."""

    def parse(text: Any) -> int:
        try:
            value = int(str(text))
        except ValueError:
            value = least - 1
        if not least <= value <= most:
            raise typer.BadParameter(f"expected a whole number from {least:,} to {most:,}, got {str(text)!r:.80}")
        return value

    return parse


def real(least: float, most: float, unit: str = "a number") -> Callable[[Any], float]:
    """Return the parser of a number from `least` to `most`."""

    def parse(text: Any) -> float:
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not least <= value <= most:
            raise typer.BadParameter(f"expected {unit} from {least:,.10g} to {most:,.10g}, got {str(text)!r:.80}")
        return value

    return parse


def choice(options: type[E]) -> Callable[[Any], E]:
    """Return the parser of a member of an enumeration of texts."""

    def parse(text: Any) -> E:
        names = [option.value for option in options]
        value = text.value if isinstance(text, options) else text
        if value not in names:
            hint = suggestion(value, names)
            raise typer.BadParameter(f"expected one of {', '.join(names)}, got {str(value)!r:.80}{hint}")
        return options(value)

    return parse


def whole_option(about: str, least: int, most: int, *names: str, group: str | None = None) -> Any:
    """Return an option whose value is a whole number; `about` is its help text."""
    return typer.Option(*names, parser=whole(least, most), metavar="N", help=about, rich_help_panel=group)


def dollars_option(about: str, least: float, *names: str, group: str | None = None) -> Any:
    """Return an option whose value is an amount of money; `about` is its help text."""
    return typer.Option(
        *names, parser=real(least, 1e9, "dollars"), metavar="DOLLARS", help=about, rich_help_panel=group
    )


def number_option(about: str, least: float, most: float, metavar: str, *names: str, group: str | None = None) -> Any:
    """Return an option whose value is a number; `about` is its help text."""
    return typer.Option(*names, parser=real(least, most), metavar=metavar, help=about, rich_help_panel=group)


def choice_option(about: str, options: type[E], *names: str, group: str | None = None) -> Any:
    """Return an option whose value is a member of an enumeration of texts; `about` is its help text."""
    metavar = "|".join(option.value for option in options)
    return typer.Option(*names, parser=choice(options), metavar=metavar, help=about, rich_help_panel=group)


def text_option(about: str, metavar: str, *names: str, group: str | None = None, **more: Any) -> Any:
    """Return an option whose value is a text or a path, such as FILE; `about` is its help text."""
    return typer.Option(*names, metavar=metavar, help=about, rich_help_panel=group, **more)


def flag(about: str, name: str, group: str | None = None) -> Any:
    """Return an option without a value; `about` is its help text."""
    return typer.Option(name, help=about, rich_help_panel=group)


def assignments(option: str, texts: Sequence[str] | None) -> dict[str, str]:
    """Return the values of a repeated option NAME=VALUE by name.

    Raises:
        ValueError: A text has no "=".
    """
    values = {}
    for text in texts or []:
        name, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"{option}: expected NAME=VALUE, got {text!r}")
        values[name] = value
    return values
