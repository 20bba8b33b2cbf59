"""JSON Schema of the files of a results folder."""

from __future__ import annotations

from aucenv.core.files import JsonObject
from aucenv.core.formats.json_schema import DIALECT, to_json_schema
from aucenv.core.records.record import RECORD, VERSION
from aucenv.registration import find_family
from aucenv.runs.model_calls.calls import CALL
from aucenv.runs.results import RUN

GAMES, CALLS, RUN_FILE = "games", "calls", "run"
SCHEMA_FILES = (GAMES, CALLS, RUN_FILE)
"""The files that have a schema: games.jsonl and calls.jsonl, of which it describes a line, and run.json."""


def file_schema(file: str = GAMES, game: str | None = None) -> JsonObject:
    """Return the JSON Schema of a file of a results folder.

    Args:
        file: One of SCHEMA_FILES.
        game: A game, whose deals and outcomes the schema of a record describes; None: what all games have in common.

    Raises:
        ValueError: There is no such file or game.

    Example:
        >>> from aucenv.records import file_schema
        >>> sorted(file_schema("games", "english")["properties"])[:3]
        ['deal', 'decisions', 'env_version']
    """
    if file not in SCHEMA_FILES:
        raise ValueError(f"file: expected one of {', '.join(SCHEMA_FILES)}, got {file!r}")
    title, described = {
        GAMES: ("A line of games.jsonl", RECORD),
        CALLS: ("A line of calls.jsonl", CALL),
        RUN_FILE: ("run.json", RUN),
    }[file]
    title += f", record format {VERSION}"
    schema = to_json_schema(described)
    if file == GAMES and game is not None:
        family = find_family(game)
        title += f", {family.name}"
        parts, record_format = schema["properties"], family.game.record_format
        parts["game"], parts["env_version"] = {"const": family.name}, {"const": family.game.version}
        for part, form in (("deal", record_format.DEAL), ("outcome", record_format.OUTCOME)):
            parts[part] = {"allOf": [parts[part], to_json_schema(form)]}
    return {"$schema": DIALECT, "title": title, **schema}
