"""Bidders of the user's own: from a module or a file; and what tells a changed file from the one before."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

from aucenv.core.bidder_name import BidderSpec, inner_name, parse_bidder
from aucenv.core.policy import Policy, check_policy


def load_own(game: str, spec: BidderSpec) -> Policy:
    """A bidder of the user's own: `py:package.module:Class` or `py:path/to/file.py:Class`; parameters go to Class.

    Raises:
        ValueError: it cannot be loaded, or is not a policy.
    """
    place, _, name = (spec.arg or "").rpartition(":")
    where = f"bidder {spec.label!r}"
    if not place or not name:
        raise ValueError(f"{where}: expected py:MODULE:CLASS or py:FILE.py:CLASS, got py:{spec.arg}")
    here = f"{place.replace('.', '/')}.py"
    try:
        if place.endswith(".py"):
            module = _load_file(place)
        else:
            module = _load_file(here) if Path(here).is_file() else import_module(place)
        policy = getattr(module, name)(**spec.params)
    except Exception as error:  # whatever the user's own code does
        raise ValueError(f"{where}: cannot make {name} of {place}: {type(error).__name__}: {error}") from error
    return check_policy(policy, where)


def file_digest(name: str) -> str | None:
    """What tells a bidder of a file or folder of the user's from one of the same name whose content has changed.

    Those are `py:FILE.py:CLASS`, and `llm:` with `prompts=DIR`, such an adviser, or local, of a DIR or with
    `adapter=DIR`, and `rlact:DIR`; None for others. Of large files, as weights are, the size and both ends count.
    """
    files = _files_of(parse_bidder(name))
    if not files:
        return None
    digest = hashlib.sha256()
    for file in files:
        size = file.stat().st_size
        digest.update(f"{file.name} {size}\n".encode())
        with file.open("rb") as content:
            digest.update(content.read(_END))
            content.seek(max(0, size - _END))
            digest.update(content.read(_END))
    return digest.hexdigest()


def _files_of(spec: BidderSpec) -> list[Path]:
    if spec.kind == "py":
        return [Path(spec.arg.rpartition(":")[0])] if spec.arg and ".py:" in spec.arg else []
    if spec.kind == "rlact":
        return _content([spec.arg or "", spec.params.get("base", "")])
    if spec.kind != "llm":
        return []
    place, _, model = (spec.arg or "").partition(":")
    named = [spec.params.get("prompts", ""), *((model, spec.params.get("adapter", "")) if place == "local" else ())]
    files = _content(named)
    kind, _, adviser = spec.params.get("strategy", "").partition(":")
    return files + (_files_of(parse_bidder(inner_name(adviser))) if kind == "adviser" and adviser else [])


def _content(names: list[str]) -> list[Path]:
    folders = [Path(name) for name in names if name and Path(name).is_dir()]
    return [file for folder in folders for file in sorted(folder.rglob("*")) if file.is_file()]


_END = 1 << 20


@lru_cache
def _load_file(path: str) -> ModuleType:
    if not Path(path).is_file():
        raise FileNotFoundError("no such file")
    name = f"aucenv_bidder_{Path(path).stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickle look it up there
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
