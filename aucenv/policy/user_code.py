"""Load user-defined bidders from a module or a file, and detect when the files of a bidder have changed."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import inspect
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from aucenv.core.checks import one_of, suggestion
from aucenv.core.formats.user_files import USER_FILES
from aucenv.core.policy import Policy, check_policy
from aucenv.core.words.bidder_name import BidderSpec, inner_name, joined_names, parse_bidder


def load_user_policy(game: str, spec: BidderSpec) -> Policy:
    """Create a user-defined bidder: `py:package.module:Class` or `py:path/to/file.py:Class`.

    The parameters of the spec are passed to the class.

    Raises:
        ValueError: the bidder cannot be loaded, or is not a policy.
    """
    where = f"bidder {spec.label!r}"
    return check_policy(_create(spec.arg or "", spec.params, where), where)


def load_packaged_policy(spec: BidderSpec, declaration: str, where: str) -> Policy:
    """Create a bidder of another package, of which an entry point names the class as "MODULE:CLASS".

    Raises:
        ValueError: the bidder cannot be created, or is not a policy.
    """
    if spec.arg is not None:
        raise ValueError(f"{where}: expected no :ARG, got {spec.arg!r}")
    module, _, name = declaration.partition(":")
    try:
        created = getattr(import_module(module), name)(**spec.params)
    except Exception as error:  # the package may raise anything
        raise ValueError(f"{where}: cannot create {name} of {module}: {type(error).__name__}: {error}") from error
    return check_policy(created, where)


def load_user_object(text: str, where: str, methods: Sequence[str]) -> Any:
    """Create an object of a user-defined class: `package.module:Class` or `path/to/file.py:Class`.

    Args:
        text: the class.
        where: the place for errors.
        methods: the names of the methods that the object must have.

    Raises:
        ValueError: it cannot be created, or lacks a method.
    """
    created = _create(text, {}, where)
    for method in methods:
        if not callable(getattr(created, method, None)):
            raise ValueError(f"{where}: expected a class with the method {method}, got py:{text}")
    return created


def _create(text: str, params: Mapping[str, str], where: str) -> Any:
    source, _, name = text.rpartition(":")
    if not source or not name:
        raise ValueError(f"{where}: expected py:MODULE:CLASS or py:FILE.py:CLASS, got {f'py:{text}' if text else 'py'}")
    with _explained(f"{where}: cannot create {name} of {source}"):
        module = _load(source)
        if not hasattr(module, name):
            classes = _classes(module)
            raise LookupError(f"no such class; it defines {', '.join(classes) or 'none'}{suggestion(name, classes)}")
        created = getattr(module, name)
    for parameter in params:
        one_of(f"{where}, parameter", parameter, _parameters(created) or [parameter])
    with _explained(f"{where}: cannot create {name} of {source}"):
        return created(**params)


@contextlib.contextmanager
def _explained(problem: str) -> Iterator[None]:
    """Raise any error of the user's code as a ValueError that begins with the problem."""
    try:
        yield
    except Exception as error:  # user code may raise anything
        raise ValueError(f"{problem}: {type(error).__name__}: {error}") from error


def _load(source: str) -> ModuleType:
    """Return the module `package.module`, preferably of the working directory, or that of `FILE.py`."""
    if source.endswith(".py"):
        return _load_once(USER_FILES.find(source).resolve())
    file = USER_FILES.find(f"{source.replace('.', '/')}.py")
    return _load_once(file.resolve()) if file.is_file() else import_module(source)


def _classes(module: ModuleType) -> list[str]:
    """Return the names of the classes that a module defines."""
    return [
        name for name, value in vars(module).items() if isinstance(value, type) and value.__module__ == module.__name__
    ]


def _parameters(created: Any) -> list[str]:
    """Return the names of the parameters of a class; none if it takes any, or if they are unknown."""
    try:
        parameters = inspect.signature(created).parameters.values()
    except (TypeError, ValueError):  # no class, or one without a signature
        return []
    return [] if any(each.kind is each.VAR_KEYWORD for each in parameters) else [each.name for each in parameters]


def file_digest(name: str) -> str | None:
    """Return a hash of the user's files from which a bidder is loaded; None if there are none.

    Such bidders are `py:FILE.py:CLASS`, `rlact:DIR`, `probe:FILE`, `ppo:FILE`, `llm:local:DIR`, and `llm:` with
    `prompts=DIR`, with `adapter=DIR` (local models), with a `memory` or `reasoner` from a file, or with an adviser of
    these kinds. Only the name, the size and both ends of each file are hashed, so that large files such as weights are
    not read completely.
    """
    files = files_of(parse_bidder(name))
    return digest_of(files) if files else None


def digest_of(files: Sequence[Path]) -> str:
    """Return a hash of files, as in `file_digest`."""
    digest = hashlib.sha256()
    for file in files:
        size = file.stat().st_size
        digest.update(f"{file.name} {size}\n".encode())
        with file.open("rb") as content:
            digest.update(content.read(_END))
            content.seek(max(0, size - _END))
            digest.update(content.read(_END))
    return digest.hexdigest()


def files_of(spec: BidderSpec) -> list[Path]:
    """Return the user's files from which a bidder is loaded."""
    if spec.kind == "py":
        return _file_of(spec.arg or "")
    if spec.kind in ("probe", "ppo"):
        return [Path(spec.arg)] if spec.arg and Path(spec.arg).is_file() else []
    if spec.kind == "rlact":
        return _content([spec.arg or "", spec.params.get("base", "")])
    if spec.kind == "judge-greedy":
        names = joined_names(spec.params["own"]) if "own" in spec.params else []
        return [file for name in names for file in files_of(parse_bidder(name))]
    if spec.kind != "llm":
        return []
    provider, _, model = (spec.arg or "").partition(":")
    paths = [spec.params.get("prompts", ""), *((model, spec.params.get("adapter", "")) if provider == "local" else ())]
    files = _content(paths)
    for option in ("memory", "reasoner"):
        kind, _, source = spec.params.get(option, "").partition(":")
        files += _file_of(source) if kind == "py" else []
    kind, _, adviser = spec.params.get("strategy", "").partition(":")
    return files + (files_of(parse_bidder(inner_name(adviser))) if kind == "adviser" and adviser else [])


def _file_of(source: str) -> list[Path]:
    """Return the file of `FILE.py:CLASS`, or of `MODULE:CLASS` if it is in the working directory."""
    if ".py:" in source:
        return [Path(source.rpartition(":")[0])]
    file = Path(f"{source.rpartition(':')[0].replace('.', '/')}.py")
    return [file] if file.is_file() else []


def _content(paths: list[str]) -> list[Path]:
    """Return all files in the paths that are folders; other paths are ignored."""
    folders = [Path(path) for path in paths if path and Path(path).is_dir()]
    return [file for folder in folders for file in sorted(folder.rglob("*")) if file.is_file()]


_END = 1 << 20
"""Bytes at each end of a file that are hashed."""


@lru_cache
def _load_once(path: Path) -> ModuleType:
    return load_file(path)


def load_file(path: Path) -> ModuleType:
    """Run a user's Python file, and return its module.

    Raises:
        FileNotFoundError: There is no such file; or what the file raises.
    """
    if not path.is_file():
        raise FileNotFoundError("no such file")
    name = f"aucenv_user_{path.stem}"
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
