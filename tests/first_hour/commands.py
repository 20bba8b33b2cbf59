"""All commands, with their options for paths, so that tests over them find new ones."""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterable, Iterator

from typer import Typer

from aucenv.cli import app


def commands(group: Typer = app, words: tuple[str, ...] = ()) -> Iterator[tuple[str, Callable]]:
    """Yield (words, function) for each command, such as ("records table", table); groups that are commands, too."""
    if words and group.registered_callback is not None:
        yield " ".join(words), group.registered_callback.callback
    for each in group.registered_commands:
        yield " ".join((*words, each.name or each.callback.__name__.replace("_", "-"))), each.callback
    for inner in group.registered_groups:
        yield from commands(inner.typer_instance, (*words, inner.name or inner.typer_instance.info.name))


def _paths(function: Callable, kind: str) -> Iterator[tuple[str, typing.Any]]:
    for name, hint in typing.get_type_hints(function, include_extras=True).items():
        declared = [each for each in getattr(hint, "__metadata__", ()) if type(each).__name__ == kind]
        if declared and "Path" in str(hint.__origin__):
            yield name, declared[0]


def options_for_paths(function: Callable) -> Iterator[str]:
    """Yield the options of a command whose values are files and folders."""
    for name, option in _paths(function, "OptionInfo"):
        words = (option.default, *(option.param_decls or ()))
        names = [each for each in words if isinstance(each, str) and each.startswith("--")]
        yield names[0] if names else f"--{name.replace('_', '-')}"


def option_for_fields(function: Callable) -> str | None:
    """Return the option of a command that changes fields of its scenario; None if it has none."""
    for hint in typing.get_type_hints(function, include_extras=True).values():
        for each in getattr(hint, "__metadata__", ()):
            if (each.help or "").startswith("Change a field of the scenario"):
                return next(name for name in (each.default, *each.param_decls) if name in ("--set", "--env"))
    return None


def takes_paths(function: Callable) -> bool:
    """Return whether a command has arguments that are files and folders."""
    return any(_paths(function, "ArgumentInfo"))


COMMANDS = dict(commands())


def line_of(words: str, lines: Iterable[str]) -> str | None:
    """Return the shortest of the lines with a command, other than its help; None: there is none."""
    named = [line for line in lines if f"{line} ".startswith(f"{words} ") and not line.endswith(" -h")]
    return min(named, key=len, default=None)
