"""The file of a probe: boosted trees that decide, with what they were fitted to."""

from __future__ import annotations

import functools
import json
from pathlib import Path

from aucenv.training.rlact.probes.features import ALL, FEATURES_VERSION, MESSAGES, feature_names
from aucenv.training.rlact.probes.trees import TREE, Trees, read_trees
from aucenv.training.rlact.states.games import learning_module

from aucenv.core.checks import check_list, excerpt, one_of
from aucenv.core.files import JsonMapping, read_object, write_atomically
from aucenv.core.formats.schema import NONEMPTY_TEXT, ListOf, Object, number, whole
from aucenv.core.records.record import expect
from aucenv.registration import find_family

FORMAT, VERSION = "aucenv-probe", 1
PROBE = Object(
    {
        "format": NONEMPTY_TEXT,
        "version": whole(),
        "game": NONEMPTY_TEXT,
        "env_version": whole(),
        "features_version": whole(),
        "features": ListOf(NONEMPTY_TEXT, 1),
        "train_states": whole(),
        "held_out_states": whole(),
        "accuracy": number(0, 1),
        "chance": number(0, 1),
        "seed": whole(0, 2**32 - 1),
        "deals": ListOf(NONEMPTY_TEXT),
        "baseline": number(-1e9, 1e9),
        "trees": ListOf(TREE, 1),
    }
)
"""The format: `deals` are the digests of the deals of the training states; see `runs.deals`."""


def write_probe(path: Path, data: JsonMapping) -> None:
    """Write a probe, whose data fit PROBE, to a file, atomically."""
    write_atomically(path, json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n")


def read_probe(path: Path, game: str) -> tuple[Trees, str]:
    """Read the trees of a probe that plays a game, and what they know, one of `features.FEATURE_SETS`.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is not a probe, is one of another game or another version, or its trees are damaged.
    """
    if not path.is_file():
        raise ValueError(f"{path}: expected a file of `aucenv rlact probe ... --out FILE`, but there is none")
    stat = path.stat()
    played, trees, features = _read(path.resolve(), str(path), stat.st_mtime_ns, stat.st_size)
    if played != game:
        raise ValueError(f"{path}: game: expected a probe of {game}, got one of {played}")
    return trees, features


@functools.lru_cache(maxsize=8)
def _read(path: Path, where: str, modified: int, size: int) -> tuple[str, Trees, str]:
    """Return the game of a probe, its trees and what they know; once for each content, for many bidders."""
    data = read_object(path, where)
    one_of(f"{where}: format", data.get("format"), (FORMAT,))
    _check_version(where, "version", data.get("version"), VERSION)
    PROBE.check(data, where)
    learning_module(f"{where}: game", data["game"])
    game = find_family(data["game"]).game
    _check_version(where, "env_version", data["env_version"], game.version)
    _check_version(where, "features_version", data["features_version"], FEATURES_VERSION)
    view = game.view.View  # type: ignore[attr-defined]  # both games that RLAct can play have it
    features = MESSAGES if len(data["features"]) == len(feature_names(view, MESSAGES)) else ALL
    names = feature_names(view, features)
    check_list(f"{where}: features", data["features"], len(names))
    for place, name in enumerate(names):
        expect(data["features"][place], name, where, f"features[{place}]")
    return game.name, read_trees(data["baseline"], data["trees"], len(names), where), features


def _check_version(where: str, name: str, value: object, expected: int) -> None:
    if value != expected:
        raise ValueError(
            f"{where}: {name}: expected {expected}, got {excerpt(value)}; save the probe again with "
            "`aucenv rlact probe ... --out FILE`"
        )
