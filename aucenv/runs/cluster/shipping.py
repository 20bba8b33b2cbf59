"""The data that a run sends to the nodes: bidders, the user's files and the keys of endpoints."""

from __future__ import annotations

import os
import pickle
import secrets
from collections.abc import Iterable
from pathlib import Path

from aucenv.core.bidder_name import parse_bidder, public_name
from aucenv.policy.user_code import files_of
from aucenv.registration import registered_games
from aucenv.runs.cluster.job import Fingerprint, Setup
from aucenv.runs.kernel_calls import match_kernels
from aucenv.runs.play import Match

MOST_BYTES = 16 << 20
"""The maximum size of the user's files that travel with a run; larger ones have to be on all nodes."""


def check_matches(matches: Iterable[Match]) -> None:
    """Raise unless all games and bidders can be sent to other machines.

    Raises:
        ValueError: one cannot; the message names it.
    """
    checked: set[int] = set()
    for match in matches:
        for what, each in (("scenario", match.scenario), *(("bidder", bidder) for bidder in match.bidders)):
            if isinstance(each, str) or id(each) in checked:
                continue
            checked.add(id(each))
            name, way_out = type(each).__name__, "; name a bidder as py:FILE.py:CLASS"
            if type(each).__module__ == "__main__":
                raise ValueError(
                    f"cluster: expected {what}s of a module, got {name} of the program itself, which other machines "
                    f"do not have{way_out}"
                )
            try:
                pickle.dumps(each)
            except Exception as error:
                raise ValueError(
                    f"cluster: expected {what}s that can be sent to other machines, got {name}: {error}{way_out}"
                ) from None


def make_setup(bidders: Iterable[str], matches: Iterable[Match] = ()) -> Setup:
    """Return what the nodes need for functions that create these bidders, or for these games.

    Raises:
        ValueError: a file cannot be read.
    """
    matches = list(matches)
    seated = {(match.game, each) for match in matches for each in match.bidders if isinstance(each, str)}
    files = read_files(sorted({*bidders, *(bidder for _, bidder in seated)}))
    work = tuple(match_kernels(matches))
    return Setup(secrets.token_hex(8), Fingerprint.here(), work, files, Path.cwd(), registered_games(), sorted(seated))


def read_files(bidders: Iterable[str]) -> dict[str, bytes]:
    """Return the content of the user's files of bidders, by their paths; without those that are too large.

    Raises:
        ValueError: a file cannot be read.
    """
    files: dict[str, bytes] = {}
    room = MOST_BYTES
    for name in dict.fromkeys(bidders):
        try:
            paths = files_of(parse_bidder(name))
            size = sum(path.stat().st_size for path in paths)
            if size <= room:
                files.update((str(path), path.read_bytes()) for path in paths)
                room -= size
        except OSError as error:
            raise ValueError(f"bidder {public_name(name)!r}: {error}") from None
    return files


def environment(policies: Iterable[object]) -> dict[str, str]:
    """Return the environment variables with the keys of the models of bidders."""
    models = [model for policy in policies for model in getattr(policy, "models", ())]
    names = {name for model in models for name in getattr(model, "variables", ())}
    return {name: os.environ[name] for name in sorted(names) if name in os.environ}
