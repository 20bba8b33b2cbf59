"""The files of settings of a training run, and the names of all settings, without importing torch."""

from __future__ import annotations

import ast
import contextlib
import io
from collections.abc import Collection, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from aucenv.core.checks import field, one_of, suggestion
from aucenv.core.files import read_object, to_pretty_json, write_atomically
from aucenv.core.formats.folders import check_command
from aucenv.core.formats.yaml_parser import read_yaml

COMMAND = "train rlact"
"""The command whose runs have these settings."""
PRESETS_FOLDER = Path(__file__).parent / "presets"
ORIGIN_FILE = "command.json"
"""The file in the folder of a run with the origin of its settings."""
CONFIG = Path(__file__).with_name("config.py")
"""The file that defines RLAct's settings."""
DEFINITIONS = (
    ("trl", "trainer/base_config.py"),
    ("trl", "trainer/grpo_config.py"),
    ("trl", "trainer/model_config.py"),
    ("trl", "trainer/utils.py"),
    ("transformers", "training_args.py"),
)
"""The files, each in a package, that define TRL's settings."""


def presets() -> list[str]:
    """Return the names of the presets."""
    return sorted(path.stem for path in PRESETS_FOLDER.glob("*.yaml"))


def preset_or_file(name: str | None) -> tuple[str | None, Path | None]:
    """Return the name of a preset and None, or None and the path of a YAML file, for the value of --preset."""
    is_file = name is not None and name.lower().endswith((".yaml", ".yml"))
    return (None, Path(str(name))) if is_file else (name, None)


def settings_file(preset: str | None, file: Path | None) -> Path:
    """Return the YAML file of a preset, or the file itself.

    Raises:
        ValueError: There is no such preset, or there is not exactly one of preset and file.
    """
    if (preset is None) == (file is None):
        raise ValueError(
            "--preset: expected the name of a preset or a YAML file, such as --preset tiny; --resume needs none"
        )
    return file or PRESETS_FOLDER / f"{one_of('preset', preset, presets())}.yaml"


def save_origin(out: Path, source: str, changes: Mapping[str, str]) -> None:
    """Save the origin of a run's settings in its folder, from which `read_origin` reads it when the run is resumed.

    Args:
        out: The folder of the run.
        source: "--preset NAME" or "--preset FILE".
        changes: The values that replace those of the preset or file, by name.
    """
    write_atomically(out / ORIGIN_FILE, to_pretty_json({"source": source, "changes": dict(changes)}))


def read_origin(
    out: Path, preset: str | None, file: Path | None, changes: Mapping[str, str]
) -> tuple[str | None, Path | None, dict[str, str]]:
    """Return the preset, the file and the changed settings of the run in a folder, with `changes` in place of its own.

    A folder without an origin, of a run that began in an earlier version, has the arguments.

    Raises:
        FileExistsError: The folder belongs to another command.
        ValueError: The run has another preset or file.
    """
    check_command(out, COMMAND)
    path = out / ORIGIN_FILE
    if not path.is_file():
        return preset, file, dict(changes)
    origin = read_object(path, str(path))
    name = field(origin, "source", str, str(path)).partition(" ")[2]
    saved = preset_or_file(name)
    if (preset, file) not in ((None, None), saved):
        expected = f"--preset {name}, with which the run in {out} began, or none"
        raise ValueError(f"--resume: expected {expected}, got --preset {preset or file}")
    return *saved, {**field(origin, "changes", dict, str(path)), **changes}


def check_spelling(preset: str | None, file: Path | None, changes: Mapping[str, str]) -> None:
    """Check the names of all settings against the source files that define them, which takes no time.

    Args:
        preset: The name of a preset, or None.
        file: The path of a YAML file, or None.
        changes: The values that replace those of the preset or file, by name.

    Raises:
        ValueError: As in `settings_file` and `read_yaml`, or a name is unknown.
        OSError: The file cannot be read.
    """
    path = settings_file(preset, file)
    _, lines = read_yaml(path)
    known = _defined_names()
    if not known:
        return
    check_all_names(changes, lines, known, path)


def check_all_names(changes: Collection[str], lines: Mapping[str, int], known: Collection[str], path: Path) -> None:
    """Check the names of changed settings, and those of a file with their lines; see `check_names`."""
    check_names(changes, known, "--set")
    for name, line in lines.items():
        check_names([name], known, f"{path}:{line}")


def check_names(names: Collection[str], known: Collection[str], where: str) -> None:
    """Raise unless all names are those of settings.

    Raises:
        ValueError: A name is not; the message suggests a similar one, or lists those of RLAct.
    """
    for name in names:
        if name not in known:
            hint = suggestion(name, known) or f"; those of RLAct are {', '.join(rlact_names())}"
            raise ValueError(f"{where}: expected settings of RLAct or of TRL's GRPOConfig, got {str(name)!r:.80}{hint}")


def parse_settings(parser: Any, arguments: Sequence[str], path: Path, places: Mapping[str, str]) -> tuple[Any, ...]:
    """Return the settings that TRL's parser reads.

    Args:
        parser: The parser, which has the settings of the file as defaults.
        arguments: The command's arguments for it.
        path: The file.
        places: The places of settings, for errors, by name.

    Raises:
        ValueError: A setting has a value of another type, or one out of range.
    """
    errors = io.StringIO()
    try:
        with contextlib.redirect_stderr(errors):
            return parser.parse_args_into_dataclasses(arguments)
    except SystemExit:
        argument, _, reason = errors.getvalue().strip().rpartition("error: ")[2].partition(": ")
        words = argument.replace("/", " ").split()
        named = [place for name, place in places.items() if f"--{name}" in words]
        raise ValueError(f"{named[0] if named else f'{path}: {argument}'}: {reason}") from None
    except TypeError as error:
        raise ValueError(f"{path}: {' '.join(str(error).split())}") from None
    except ValueError as error:
        name, _, reason = str(error).partition(": ")
        raise ValueError(f"{places[name]}: {reason}" if name in places else str(error)) from None


def check_type(place: str, written: Any, value: Any) -> None:
    """Raise if a number, or true or false, was read from a text of a file, such as yes or 010.

    Raises:
        ValueError: It was.
    """
    if isinstance(written, str) and isinstance(value, (bool, int, float)):
        expected = "true or false" if isinstance(value, bool) else "a number"
        raise ValueError(f"{place}: expected {expected}, got {written!r}")


def rlact_names() -> list[str]:
    """Return the names of RLAct's settings, in the order of their definitions."""
    tree = ast.parse(CONFIG.read_text(encoding="utf-8"))
    lines = [line for node in tree.body if isinstance(node, ast.ClassDef) for line in node.body]
    return [line.target.id for line in lines if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)]


def _defined_names() -> set[str]:
    """Return the names of the fields of all classes in the files that define settings; empty if a file is missing."""
    files = [CONFIG]
    for package, path in DEFINITIONS:
        spec = find_spec(package)
        folders = (spec.submodule_search_locations if spec else None) or []
        existing = [file for folder in folders if (file := Path(folder) / path).is_file()]
        if not existing:
            return set()
        files += existing
    trees = (ast.parse(file.read_text(encoding="utf-8")) for file in files)
    nodes = (node for tree in trees for node in ast.walk(tree))
    return {node.target.id for node in nodes if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)}
