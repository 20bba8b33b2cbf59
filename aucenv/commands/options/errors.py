"""The one line that explains an error to the user of a command, in terms of the options that were typed."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from aucenv.core.policy import ModelFailure
from aucenv.core.words.bidder_name import public_name
from aucenv.core.words.outside_text import with_short_words
from aucenv.registration import FAMILIES
from aucenv.runs.model_calls.journal import RunStopped

STOPPING = (ModelFailure, RunStopped)
"""The errors that are no fault of the user's and stop a command."""
OPTIONS = {
    "bidder": "--bidder",
    "bidders": "--bidder",
    "max_cost": "--max-cost",
    "on_model_failure": "--on-model-failure",
    "number": "--states",
    "model": "--model",
    "models": "--model",
    "models, MODEL": "--model",
    "judge": "--judge",
    **{
        name: f"--{name}"
        for name in (
            "cluster", "concurrency", "format", "game", "games", "memories", "out", "preset", "resume", "rivals",
            "roles", "scenario", "seed", "shard", "states", "workers",
        )
    },
}  # fmt: skip
"""Names of arguments in errors of the package -> the options that set them."""

SEATED = {"leaderboard": "--set", "watch": "--set", "train": "--env", "exploit": "--env"}
"""Commands that choose the number of seats -> the option that does."""

FLAGS = (
    *("--wide", "--quick", "--resume", "--by-table", "--dry-run", "--meta", "--isolate", "--allow-cheats", "--yes"),
    *("--offline", "--rubrics", "--exit-when-over", "--population", "--dark", "--redact", "--help", "--help-all"),
)
"""Options without a value."""
PATHS = (
    "--certificate",
    "--config",
    "--csv",
    "--deals",
    "--exploit",
    "--figures",
    "--from-records",
    "--json",
    "--key",
    "--memories",
    "--out",
    "--plot",
    "--prices",
    "--replies",
    "--save-config",
    "--suite",
    "--training",
)
"""Options whose values are files and folders."""


def check_surroundings(arguments: Sequence[str]) -> None:
    """Check what would otherwise become an error in a place that knows no option.

    Args:
        arguments: The arguments of the command, as they were typed.

    Raises:
        FileNotFoundError: The current folder does not exist.
        ValueError: An argument is empty, which as a path would be the current folder.
    """
    try:
        Path.cwd()
    except OSError:
        raise FileNotFoundError("the current folder has been deleted or moved: change to another one") from None
    for option, value in _typed_values([*arguments, "end"]):
        if not value:
            raise ValueError(f"{option}: expected {'a path' if option in PATHS else 'a value'}, got ''")
    if "" in arguments:
        raise ValueError(f"argument {arguments.index('') + 1}: expected a name or a path, got ''")


def explain(error: Exception, arguments: Sequence[str]) -> str:
    """Return the line for an error.

    Args:
        error: The error; its message has the form `argument: expected ..., got ...`.
        arguments: The arguments of the command, as they were typed.
    """
    return with_short_words(_explained(error, arguments))


def _explained(error: Exception, arguments: Sequence[str]) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        path = str(error.filename)
        reason = (error.strerror or type(error).__name__).lower()
        return f"{_option_of(path, arguments)}cannot use {public_name(path)!r}: {reason}"
    if isinstance(error, shutil.Error) and isinstance(error.args[0], list):  # of the files of a folder
        source, _, why = error.args[0][0]
        return f"cannot copy {public_name(str(source))!r}: {re.sub(r'^.Errno [0-9]+. |: .*', '', str(why)).lower()}"
    message = public_name(str(error)).replace("\n", "\\n")  # names of files may have line breaks
    name, colon, rest = message.partition(":")
    typed = re.match(r"bidder ('[^']*')", message)
    if colon and name in OPTIONS:
        message = f"{OPTIONS[name]}:{rest}"
    elif typed and any(repr(public_name(text)) == typed[1] for text in arguments):
        message = f"--bidder {message.removeprefix('bidder ')}"
    elif colon and (option := _option_of(name, arguments)):
        message = f"{option}{message}"
    way_out = repair_of(str(error))
    return f"{message}; {way_out}" if way_out else _with_other_games(_with_seats(message, arguments))


DAMAGED = re.compile(r"(?:(.*)/)?(?:games|\w*calls)\.jsonl:\d+: (?!(?:version|env_version|game): )")
"""The beginning of an error about a line of a run which is not only one of another version or game."""


def repair_of(message: str) -> str:
    """Return, for an error about a line of a run, what keeps the other lines; "" for other errors."""
    match = DAMAGED.match(message)
    folder = Path(match[1] or ".") if match else None
    if folder is None or not (folder / "run.json").is_file():
        return ""
    return f"to keep all games that are whole, run: aucenv records repair {shlex.quote(str(folder))} --out NEW"


def _option_of(path: str, arguments: Sequence[str]) -> str:
    """Return the option whose value is this path or leads to it, followed by a colon; empty for an argument.

    Of several options with this value, it is one for paths: a folder may have the name of a preset.
    """
    options = []
    for option, value in _typed_values(arguments):
        if option == "--set":  # of a study, such as logs=DIR
            name, _, value = value.partition("=")
            option = f"--set {name}"
        if value and (path == value or path.startswith(value.rstrip("/") + "/")):
            options.append(option)
    return f"{min(options, key=lambda option: option not in PATHS)}: " if options else ""


def _typed_values(arguments: Sequence[str]) -> Iterator[tuple[str, str]]:
    for word, following in zip(arguments, [*arguments[1:], ""], strict=True):
        option, equals, value = word.partition("=")
        if option.startswith("--") and option not in FLAGS:
            yield option, value if equals else following


def _with_seats(message: str, arguments: Sequence[str]) -> str:
    """Add, to an error about a bidder for another number of seats, the option of the command that sets it."""
    match = re.search(r"num_bidders (\d+) instead of \d+", message)
    option = SEATED.get("".join(arguments[:1]))
    if match is None or option is None:
        return message
    return f"{message[: match.end()]} ({option} num_bidders={match[1]}){message[match.end() :]}"


def _with_other_games(message: str) -> str:
    """Add, to an error about an unknown bidder or scenario, the games that have one of this name."""
    match = re.search(r"(kind|scenario): expected one of .*, got '([^']+)'", message)
    if match is None:
        return message
    what = "bidder" if match[1] == "kind" else "scenario"
    games = [name for name in FAMILIES if match[2] in _names(name, what)]
    if not games:
        return message
    hint = f"{match[2]} is a {what} of {', '.join(games)}: {' or '.join(f'--game {game}' for game in games)}"
    return f"{message[: match.end()]} ({hint})"


def _names(game: str, what: str) -> Sequence[str]:
    """Return the names of a game's rule bidders or scenarios; none if the game cannot be loaded."""
    from aucenv.core.game import GameError
    from aucenv.policy.registry import rule_bidders

    try:
        return list(rule_bidders(game) if what == "bidder" else FAMILIES[game].game.scenarios)
    except GameError:
        return []
