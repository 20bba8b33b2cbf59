"""Folders that commands write: by which files each is recognized, and what may be written where."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Collection, Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

from aucenv.core.checks import excerpt
from aucenv.core.files import JsonObject, read_object, to_pretty_json, write_atomically


@contextlib.contextmanager
def only_writer(folder: Path) -> Iterator[None]:
    """Lock a folder against other processes in this context, if the file system has locks.

    Raises:
        BlockingIOError: Another process has locked it.
    """
    if fcntl is None:
        yield
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(opened)
        raise BlockingIOError(f"{folder}: another process is writing to this folder") from None
    except OSError:
        pass  # no locks
    try:
        yield
    finally:
        os.close(opened)


def write_or_compare(path: Path, content: JsonObject, description: str) -> None:
    """Write a JSON file in the folder of a run.

    Args:
        path: the file.
        content: its content.
        description: what another content would be, such as "other settings".

    Raises:
        ValueError: The file exists with other content.
    """
    content = json.loads(json.dumps(content, default=str))
    if not path.exists():
        write_atomically(path, to_pretty_json(content))
        return
    saved = read_object(path)
    changed = [
        f"{name} is {excerpt(saved.get(name))} in the folder and {excerpt(content.get(name))} in this command"
        for name in sorted({*content, *saved})
        if content.get(name) != saved.get(name)
    ]
    if changed:
        raise ValueError(
            f"{path.parent}: holds {description}: {'; '.join(changed)}. A run is resumed with its settings, and "
            "cannot be extended; for others, choose another --out"
        )


RESULTS = ("run.json", "games.jsonl")
"""The files by which a results folder is recognized."""

TRAINING = "settings.json"
"""The file with the settings of a training run, and with its command, such as "train ppo"."""
MARKS = {
    **dict.fromkeys(RESULTS, "a results folder"),
    TRAINING: "the folder of a training run",
    "league.json": "the folder of a league",
    "ablation.json": "the folder of an ablation",
    "studies.json": "the folder of all studies",
}
"""The files by which commands recognize their folders."""


def check_folder(folder: Path, *own: str) -> None:
    """Check that a folder into which a command writes does not belong to another command.

    Args:
        folder: The folder, which may not exist yet.
        own: The names of the files by which the command recognizes its folder, if it has any.

    Raises:
        FileExistsError: The folder has the file of another command.
    """
    for name, kind in MARKS.items():
        if name not in own and (folder / name).exists():
            raise FileExistsError(f"{folder}: expected a new folder, got {kind}, with its {name}; choose another one")


def check_command(folder: Path, command: str) -> None:
    """Check that the training run in a folder, if there is one, is one of this command.

    Raises:
        FileExistsError: The folder belongs to another command.
        ValueError: The file of its settings is damaged.
    """
    check_folder(folder, TRAINING)
    path = folder / TRAINING
    other = read_object(path).get("command") if path.exists() else command
    if other != command:
        raise FileExistsError(
            f"{folder}: expected a new folder or one of `aucenv {command}`, got one of "
            f"{f'`aucenv {other}`' if isinstance(other, str) else 'an unknown command'}, with its {TRAINING}; choose "
            "another one"
        )


def check_training(folder: Path, settings: JsonObject, resume: bool, writes: Collection[str] = ()) -> None:
    """Check that a training run may start or resume in a folder; called before anything is loaded.

    Args:
        folder: The folder, which may not exist yet.
        settings: The settings of the run, with its "command".
        resume: Whether to resume the run in the folder.
        writes: The files that the training writes.

    Raises:
        FileExistsError: As in `check_command` and `check_unused`.
        ValueError: The folder holds another run, or none to resume, or the settings differ.
    """
    check_command(folder, settings["command"])
    check_unused(folder, (TRAINING,), writes)
    path = folder / TRAINING
    if resume and not path.is_file():
        raise ValueError(f"{folder}: expected a run to resume, with its {TRAINING}")
    if not resume and path.exists():
        raise ValueError(f"{folder}: holds a run; resume it with --resume, or choose another folder")
    if resume:
        write_or_compare(path, settings, "other settings")


def check_unused(folder: Path, own: Collection[str], writes: Collection[str]) -> None:
    """Check that a command replaces no file that it has not written.

    Args:
        folder: The folder, which may not exist yet.
        own: The files that a folder of the command has, all of them.
        writes: The files that the command writes.

    Raises:
        FileExistsError: The folder is none of the command, and has one of the files.
    """
    if own and all((folder / name).exists() for name in own):
        return
    if existing := [name for name in writes if (folder / name).exists()]:
        raise FileExistsError(
            f"{folder}: expected a new folder or one of this command, but there is {', '.join(existing)}"
        )


def check_new_folder(folder: Path) -> None:
    """Raise FileExistsError unless a folder that a command creates is new, or empty."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise FileExistsError(f"{folder}: expected a new folder, but it exists")
