"""Submissions: results folders of the benchmark that can be verified.

`submission.json` names the suite and its hash, and has a digest of each game and of each decision of the tested bidder.
The digests find a change of a file; they are no proof against somebody who computes them again after a change that the
rules and the rivals' policies allow.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

from aucenv.benchmarks.benchmark.plan import Entry, Plan

from aucenv.core.files import JsonObject, to_pretty_json, write_atomically
from aucenv.core.formats.schema import ANY_JSON, TEXT, MapOf, Object, whole
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import parse_bidder
from aucenv.runs.records import read_records
from aucenv.runs.results import read_run, versions

SUBMISSION_FILE = "submission.json"
FORMAT = Object(
    {
        "suite": TEXT,
        "suite_version": whole(1),
        "suite_hash": TEXT,
        "run": Object({"settings": ANY_JSON, "versions": ANY_JSON}),
        "files": MapOf(TEXT),
        "games": MapOf(Object({"table": TEXT, "record": TEXT, "decisions": TEXT})),
    }
)
"""The contents of `submission.json`; "decisions" has DIGITS digits for each decision of the tested bidder."""
DIGITS = 6
"""The hexadecimal digits of the digest of a decision."""
DIGESTED = ("table.json", "table.md", "calls.jsonl")
"""The files of every results folder, besides the games, of which a submission has digests."""
PROMPTS = "prompts"
"""The folder of a submission with the templates of its bidders, by label, and the option that names them."""


def write_submission(folder: Path, plan: Plan) -> None:
    """Write the `submission.json` of a finished results folder, and copy the templates of its bidders into it."""
    _keep_prompts(folder, plan)
    entries = {entry.index: entry for entry in plan.entries()}
    games = {}
    for record in read_records(folder):
        entry = entries[record.index]
        decisions = "".join(map(decision_digest, tested_decisions(record, entry)))
        games[str(record.index)] = {
            "table": entry.deal.table.key,
            "record": digest_of_text(record.to_json()),
            "decisions": decisions,
        }
    data = {
        "suite": plan.suite.name,
        "suite_version": plan.suite.version,
        "suite_hash": plan.hash,
        "run": run_of(read_run(folder)),
        "files": {name: digest for name in _digested(folder) if (digest := file_digest(folder / name)) is not None},
        "games": games,
    }
    write_atomically(folder / SUBMISSION_FILE, to_pretty_json(data))


def _keep_prompts(folder: Path, plan: Plan) -> None:
    """Copy the templates that bidders have of their own, which are needed to verify their calls."""
    for name in plan.bidders:
        spec = parse_bidder(name)
        source = Path(spec.params.get(PROMPTS, ""))
        if PROMPTS in spec.params and source.is_dir():
            shutil.copytree(source, folder / PROMPTS / spec.label, dirs_exist_ok=True)


def _digested(folder: Path) -> list[str]:
    """Return the names of the files of a results folder, besides the games, of which a submission has digests."""
    prompts = sorted(file for file in (folder / PROMPTS).rglob("*") if file.is_file())
    return [*DIGESTED, *(str(file.relative_to(folder)) for file in prompts)]


def check_version(run: JsonObject, folder: Path) -> None:
    """Raise ValueError if another version has played the games, because bidders and prompts may differ in it."""
    expected, got = versions()["aucenv"], run["versions"]["aucenv"]
    if got != expected:
        place = f"{folder / 'run.json'}: versions.aucenv"
        raise ValueError(
            f"{place}: expected {expected}, the version of this aucenv, got {got}; verify it with aucenv {got}"
        )


def run_of(run: JsonObject) -> JsonObject:
    """Return the settings and versions of a run, by its `run.json`."""
    return {name: run[name] for name in ("settings", "versions")}


def tested_decisions(record: GameRecord, entry: Entry) -> list[JsonObject]:
    """Return the decisions of the tested bidder."""
    seat = record.seats[entry.deal.seat]["seat"]
    return [decision for decision in record.decisions if decision["seat"] == seat]


def decision_digest(decision: JsonObject) -> str:
    """Return the digest of a decision, DIGITS hexadecimal digits."""
    return digest_of_text(json.dumps(decision, ensure_ascii=False, sort_keys=True))[:DIGITS]


def digest_of_text(text: str) -> str:
    """Return the SHA-256 digest of a text, as 64 hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def file_digest(path: Path) -> str | None:
    """Return the digest of the lines of a file; None if there is no such file."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else None
