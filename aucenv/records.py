"""Public names for records; `aucenv.core.records.record` and `aucenv.runs.records` hold the code."""

from aucenv.core.files import to_pretty_json, write_atomically
from aucenv.core.records.record import VERSION, GameRecord
from aucenv.runs.file_schemas import file_schema
from aucenv.runs.records import make_record, read_records, replay, retrace

__all__ = [
    "VERSION",
    "GameRecord",
    "file_schema",
    "make_record",
    "read_records",
    "replay",
    "retrace",
    "to_pretty_json",
    "write_atomically",
]
