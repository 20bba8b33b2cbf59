"""The deals that a bidder was trained on, and the check that no deal of a run is among them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from aucenv.benchmarks.benchmark.suite import Deal

from aucenv.core.checks import excerpt
from aucenv.core.files import JsonObject, parse_object, read_lines, read_text
from aucenv.core.formats.json_parser import parse_json
from aucenv.core.words.bidder_name import joined_names, parse_bidder
from aucenv.runs.deals import deal_digest

DEALS = "deals"
"""The field of the metadata of a checkpoint that lists the digests of the deals that it learnt from."""
TRAINED = ("rlact", "probe")
"""Kinds of bidders whose argument is a checkpoint."""


def training_digests(paths: Sequence[Path]) -> dict[str, str]:
    """Return the digests of the deals of files of states and of checkpoints, each with its place.

    Args:
        paths: Files of states, files of checkpoints with a list of digests, or folders of checkpoints.

    Raises:
        OSError: A file cannot be read.
        ValueError: A file holds neither states nor digests; the message names file and line.
    """
    digests: dict[str, str] = {}
    for path in paths:
        if not path.exists():
            raise FileNotFoundError(f"{path}: expected states or a checkpoint, but there is no such file")
        listed = dict(_digests(path))
        if not listed:
            raise ValueError(
                f"{path}: expected states of `aucenv rlact states`, or a checkpoint whose metadata has a list "
                f"{DEALS!r} of digests of deals, got neither"
            )
        digests = {**listed, **digests}
    return digests


def checkpoint_digests(bidders: Sequence[str]) -> dict[str, str]:
    """Return the digests of deals that the checkpoints of trained bidders list, each with its place."""
    specs = [parse_bidder(name) for name in bidders]
    specs += [parse_bidder(name) for spec in specs for name in joined_names(spec.params.get("own", "")) if name]
    paths = [Path(spec.arg) for spec in specs if spec.kind in TRAINED and spec.arg]
    return {digest: place for path in paths if path.exists() for digest, place in _digests(path)}


def check_no_overlap(deals: Mapping[str, Sequence[Deal]], digests: Mapping[str, str]) -> None:
    """Raise unless no deal of a run is one of training.

    Args:
        deals: the deals of each table.
        digests: the digests of the deals of training, each with its place.

    Raises:
        ValueError: A deal is; the message names the first one and how many there are.
    """
    shared = []
    for dealt in deals.values() if digests else ():
        for deal in dealt:
            place = digests.get(deal_digest(deal.table.game, deal.loaded.to_dict(), deal.seed))
            if place is not None:
                shared.append(f"{deal} (scenario {deal.loaded.name}, seed {list(deal.seed)}) is that of {place}")
    if shared:
        more = f", and {len(shared) - 1:,} more" if len(shared) > 1 else ""
        raise ValueError(f"deals: expected deals that no training has used, but {shared[0]}{more}; use other seeds")


def _digests(path: Path) -> Iterable[tuple[str, str]]:
    """Yield the digests of the deals of a path, each with its place."""
    if path.is_dir():
        for file in sorted(path.glob("*.json")):
            yield from _digests(file)
    elif path.suffix == ".json":
        yield from _listed_digests(parse_json(read_text(path, str(path)), str(path)), str(path))
    elif path.suffix == ".jsonl":
        for where, line in read_lines(path):
            data = parse_object(line, where)
            if {"game", "scenario", "seed"} <= set(data):
                yield _state_digest(data, where), where
            else:
                yield from _listed_digests(data, where)


def _listed_digests(data: object, where: str) -> Iterable[tuple[str, str]]:
    listed = data.get(DEALS, []) if isinstance(data, dict) else []
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        raise ValueError(f"{where}: {DEALS}: expected a list of digests, got {excerpt(listed)}")
    yield from ((digest, where) for digest in listed)


def _state_digest(data: JsonObject, where: str) -> str:
    try:
        scenario = data["scenario"] if isinstance(data["scenario"], dict) else json.loads(data["scenario"])
        return deal_digest(data["game"], scenario, data["seed"])
    except (TypeError, ValueError) as error:
        raise ValueError(f"{where}: expected a state with a game, a scenario and a seed: {error}") from None
