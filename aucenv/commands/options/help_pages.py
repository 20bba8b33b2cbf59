"""The pages of `--help` and `--help-all`, and the error about an option that a command does not have.

The help of an option begins with a line of its own, which `--help` prints; `--help-all` prints the rest, too.
"""

from __future__ import annotations

import contextlib
import inspect
import re
import shlex
from collections.abc import Iterator, Sequence
from typing import Any

from typer.core import TyperCommand, TyperGroup

from aucenv.core.words.outside_text import with_short_words

RUN, OUTPUT, ADVANCED = "Run options", "Output options", "Advanced options"
"""The groups of options besides "Options"; only --help-all prints the last one."""
HELP, HELP_ALL = ("-h", "--help"), "--help-all"
WIDEST = 32
"""The width of the column of names, in characters; the text of a longer name begins on the next line."""


class Command(TyperCommand):
    """A command whose options are in groups, and whose help has a short and a long form."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; an option that another form has replaced is an error that names this form."""
        ctx.meta[HELP_ALL] = HELP_ALL in args
        with _explaining(ctx, args):
            return super().parse_args(ctx, args)

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """Write what the command does: its first paragraph, or all of them."""
        _write_about(self, ctx, formatter)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments and the groups of options."""
        _write_groups(self, ctx, formatter)


class Group(TyperGroup):
    """A group of commands, whose help prints each command in one line."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments as a command does."""
        ctx.meta[HELP_ALL] = HELP_ALL in args
        with _explaining(ctx, args):
            return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the arguments name."""
        with _explaining(ctx, args):
            return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write each command with the beginning of its help that fits into the line."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        room = formatter.width - max(map(len, commands)) - 4
        with formatter.section("Commands"):
            formatter.write_dl([(name, _beginning(command, room)) for name, command in commands.items()])

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """Write what the commands do."""
        _write_about(self, ctx, formatter)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, and then the groups of options."""
        self.format_commands(ctx, formatter)
        _write_groups(self, ctx, formatter)


@contextlib.contextmanager
def _explaining(ctx: Any, args: Sequence[str]) -> Iterator[None]:
    """Explain an unknown option by the form that replaces it, and shorten long words in errors."""
    typed = list(args)
    try:
        yield
    except Exception as error:
        option = getattr(error, "option_name", None)
        form = None if option is None else replacement(ctx.command_path.partition(" ")[2], option, typed)
        if form is not None:
            raise ValueError(f"no such option {option}: use {form}") from None
        if isinstance(getattr(error, "message", None), str):
            error.message = with_short_words(error.message)  # type: ignore[attr-defined]
        raise


def _beginning(command: Any, room: int) -> str:
    """Return the first sentence of a command's help, or its first part if it is too long."""
    sentence = " ".join(inspect.cleandoc(command.help or "").split("\n\n")[0].split()).partition(". ")[0].rstrip(".")
    if len(sentence) > room:
        sentence = re.split(r"[:;]| \(", sentence, maxsplit=1)[0]
    while len(sentence) > room and ", " in sentence:
        sentence = sentence.rpartition(", ")[0]
    return sentence


def _write_about(command: Any, ctx: Any, formatter: Any) -> None:
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    formatter.write_paragraph()
    with formatter.indentation():
        formatter.write_text("\n\n".join(paragraphs if ctx.meta.get(HELP_ALL) else paragraphs[:1]))


def _write_groups(command: Any, ctx: Any, formatter: Any) -> None:
    """Write the groups of a command, and how to see what is left out."""
    is_long = bool(ctx.meta.get(HELP_ALL))
    groups: dict[str, list[tuple[str, str]]] = {}
    left_out = not is_long and "\n\n" in inspect.cleandoc(command.help or "")
    for param in command.get_params(ctx):
        record = _record(param, ctx)
        if record is None:
            continue
        group, name, first, more, note = record
        left_out |= not is_long and (bool(more) or group == ADVANCED)
        if is_long or group != ADVANCED:
            parts = (first, more, note) if is_long else (first, note)
            groups.setdefault(group, []).append((name, " ".join(part for part in parts if part)))
    for title in ("Arguments", "Options", RUN, OUTPUT, ADVANCED):
        if rows := groups.get(title):
            with formatter.section(title):
                formatter.write_dl(rows, col_max=WIDEST)
    if left_out:
        formatter.write_paragraph()
        formatter.write_text(f"Use `{ctx.command_path} {HELP_ALL}` for all options with details.")


def _record(param: Any, ctx: Any) -> tuple[str, str, str, str, str] | None:
    """Return the group of a parameter, its name, the first line of its help, the rest, and its default."""
    if HELP_ALL in param.opts:
        return "Options", ", ".join(HELP), "Show this help.", "", ""
    record = param.get_help_record(ctx)
    if record is None:
        return None
    is_argument = param.param_type_name == "argument"
    name = (param.metavar or record[0]) if is_argument else record[0]
    first, _, more = (param.help or "").partition("\n\n")
    note = "" if is_argument and param.required else record[1][len(param.help or "") :].strip()
    group = "Arguments" if is_argument else param.rich_help_panel or "Options"
    return group, name, first, " ".join(more.split()), note


GAMES = ("leaderboard", "watch", "play", "host")
PEOPLE = ("play", "host")
PPO = ("train ppo", "exploit")
TRAIN = ("train rlact", "train league")
WITHOUT_WIDE = ("exploit", "models check", "train", "rlact")
"""Commands, and groups of them, whose tables are narrow."""

REPLACED: tuple[tuple[Sequence[str], str, str], ...] = (
    (GAMES, "--items", "--set num_items={}"),
    (GAMES, "--budget", "--set budget={}"),
    (GAMES, "--order", "--set item_order={}"),
    (GAMES, "--shuffle", "--set item_order=random"),
    (GAMES, "--overestimate", "--set overestimate={}"),
    (GAMES, "--increment", "--set increment={}"),
    (GAMES, "--discount", "--set discount=true"),
    (GAMES, "--no-discount", "--set discount=false"),
    (GAMES, "--ask-broke", "--set ask_broke=true"),
    (GAMES, "--no-ask-broke", "--set ask_broke=false"),
    (GAMES, "--seats", "--set num_bidders={}"),
    (GAMES, "--env", "--set {}"),
    (PEOPLE, "--seconds-per-bid", "--bidder human,seconds={}"),
    (PEOPLE, "--on-timeout", "--bidder human,seconds=SECONDS,asks=0"),
    (PEOPLE, "--resume", "the same command, which resumes the run in --out"),
    (PPO, "--seats", "--env num_bidders={}"),
    (("train ppo",), "--eval-games", "--set eval_games={}"),
    (("exploit",), "--bidder", "aucenv exploit {}"),
    (TRAIN, "--config", "--preset {}"),
    (("train league",), "--rounds", "--set rounds={}"),
    (("train league",), "--updates", "--set updates={}"),
    (("train league",), "--deals", "--set deals={}"),
    (("rlact judge",), "--samples", "--judge simulator,samples={}"),
    (("rlact judge",), "--own", "--judge simulator,own={}"),
    (("rlact judge",), "--rivals", "--judge simulator,rivals={}"),
    (("rlact judge",), "--noise", "--judge simulator,noise={}"),
    (("rlact judge",), "--ladder", "--judge simulator,ladder={}"),
    (("rlact audit",), "--model", "--judge {}"),
    (("study",), "--rivals", "--set rivals={}"),
    (("study",), "--logs", "--set logs={}"),
    (("study",), "--ask-broke", "--set ask_broke=true"),
    (("study",), "--no-ask-broke", "--set ask_broke=false"),
    (("study",), "--folder", "--set templates={}"),
    (("study",), "--judge", "--set judge={}"),
    (("study",), "--form", "--set form={}"),
    (("study",), "--ratings", "--set ratings={}"),
    (("study",), "--full", "--set full=true"),
    (("benchmark draw-deals",), "--number", "--games {}"),
    (("new houses",), "--number", "--houses {}"),
    (("new game", "new bidder"), "--in", "a path, such as {}/posted_price"),
    (("records picture",), "--game", "aucenv records picture DIR {}"),
    (("records picture",), "--seconds", "--animate {}"),
    (("records export",), "--model", "--include {}"),
    (WITHOUT_WIDE, "--wide", "a pipe, such as `| cat`, which gets all columns"),
)
"""(commands or groups, option, the form that replaces it, with {} for the value)."""


def replacement(command: str, option: str, typed: Sequence[str]) -> str | None:
    """Return the form that replaces an option of a command, with the value that was typed; None: there is none."""
    named = {command, command.partition(" ")[0]}
    form = next((form for commands, old, form in REPLACED if old == option and named & {*commands}), None)
    return None if form is None else form.format(_value(option, typed))


def _value(option: str, typed: Sequence[str]) -> str:
    """Return the value of an option as it was typed; "VALUE" if there is none."""
    for word, following in zip(typed, [*typed[1:], ""], strict=True):
        name, equals, value = word.partition("=")
        if name == option and (value if equals else following):
            return shlex.quote(value if equals else following)
    return "VALUE"
