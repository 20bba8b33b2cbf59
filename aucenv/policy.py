"""Bidders: what they are, and how they are found by name."""

from __future__ import annotations

import dataclasses
import hashlib
import importlib.util
import re
import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, Protocol

from aucenv.core.checks import one_of


class Policy(Protocol):
    """Something that bids. Whatever has these four is one; nothing need be inherited.

    Attributes:
        interface: what `act` returns: "vector", an int; "amount", dollars, negative = withdraw; "text", a reply.

    A policy that has a dict `notes` after `act` finds it kept in the record's decision (some names have a form, see the
    game's `check_notes`). One whose `cheats`
    is true gets views that hide nothing, and is never among the defaults. One whose `observes` is false gets an
    empty observation, sooner. One with `unfit(scenario)` says there why it cannot play a scenario; None where it can.
    One whose `waits` is true waits for a model or a person: the seats of a round that wait are asked at the same time,
    and games run in threads. One with `use_calls(calls)` is given, before `reset`, the
    `aucenv.journal.SeatCalls` through which it asks models; its `models` are those that it may ask. One whose
    `in_order` is true learns from a game for the next: a run's games are then played one by one.
    """

    interface: Literal["vector", "amount", "text"]

    def reset(self, seat: str, seed: int) -> None:
        """A game begins: forget the last one; draw all randomness from `seed`."""

    def act(self, view: Any, observation: Mapping[str, Any]) -> int | float | str:
        """Decide. `view` is the game's View, `observation` what the interface's env observes.

        After a refusal it is asked again, and `view.refused` says why.
        """
        ...

    def close_game(self, view: Any) -> dict | None:
        """The game is over: the last news. What it returns, if anything, are notes that the record keeps by seat."""


class PolicyError(RuntimeError):
    """A bidder failed: it raised, or answered with something that is no action of its interface."""


class ModelFailure(RuntimeError):
    """A model cannot be asked: its endpoint says so, or has not answered for too long. Says where and why."""


@dataclasses.dataclass(frozen=True)
class BidderSpec:
    """A bidder's name, `[LABEL=]KIND[:ARG][,key=value...]`, taken apart.

    Attributes:
        label: what tables call it; the name without its label where none is given.
    """

    label: str
    kind: str
    arg: str | None
    params: Mapping[str, str]


_SPEC = re.compile(
    r"(?:(?P<label>[A-Za-z0-9_-]+)=)?(?P<kind>[A-Za-z0-9_-]+)(?::(?P<arg>[^,]+))?(?P<params>(?:,[A-Za-z0-9_]+=[^,]*)*)"
)


def parse_bidder(name: str) -> BidderSpec:
    """Take a bidder's name apart.

    Raises:
        ValueError: it does not have the form.
    """
    match = _SPEC.fullmatch(name)
    if match is None:
        raise ValueError(f"bidder: expected [LABEL=]KIND[:ARG][,key=value...], LABEL of A-Za-z0-9_-, got {name!r}")
    label = match["label"]
    pairs = [pair.split("=", 1) for pair in match["params"].split(",") if pair]
    params = dict(pairs)
    if len(params) < len(pairs):
        raise ValueError(f"bidder {name!r}: expected each parameter once")
    return BidderSpec(label or name, match["kind"], match["arg"], params)


def label_of(name: str) -> str:
    """What tables call a bidder: the label in its name; the name itself where it is a class's, not a spec."""
    match = _SPEC.fullmatch(name)
    return (match and match["label"]) or name


SCRIPTED = {
    "clock": "aucenv.baselines.scripted.clock",
    "english": "aucenv.baselines.scripted.english",
    "harbor": "aucenv.baselines.scripted.harbor",
    "sealed_bid": "aucenv.baselines.scripted.sealed_bid",
    "water_allocation": "aucenv.baselines.scripted.water_allocation",
}
"""The module of each game's rule bidders: `BIDDERS` and their `ROLLOUTS`."""

MAKERS = {
    "llm": "aucenv.baselines.llm.bidder:make",
    "judge-greedy": "aucenv.training.rlact.greedy:make",
    "rlact": "aucenv.training.rlact.policy:make",
    "py": "aucenv.policy:load_own",
}
"""Where the other kinds are: KIND -> a function from (game name, spec) to a policy."""


def scripted_bidders(game: str) -> Mapping[str, Any]:
    """A game's rule bidders by name; see `aucenv.baselines.scripted.policy.Scripted`."""
    return {bidder.name: bidder for bidder in import_module(SCRIPTED[game]).BIDDERS}


def make_policy(game: str, name: str) -> Policy:
    """A bidder for a game, by name.

    Raises:
        ValueError: unknown kind or parameter, or a parameter out of range.
    """
    spec = parse_bidder(name)
    scripted = scripted_bidders(game)
    if spec.kind in scripted:
        return scripted[spec.kind].make(spec)
    one_of(f"bidder {name!r}, kind", spec.kind, [*scripted, *MAKERS])
    module, _, function = MAKERS[spec.kind].partition(":")
    maker: Callable[[str, BidderSpec], Policy] = getattr(import_module(module), function)
    return maker(game, spec)


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


def inner_name(name: str) -> str:
    """The name of a bidder that stands inside another's: there, `;` stands for its commas."""
    return name.replace(";", ",")


_END = 1 << 20


@lru_cache
def _load_file(path: str) -> Any:
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


def check_policy(policy: Any, where: str) -> Policy:
    """`policy`, if it has what a Policy has.

    Raises:
        ValueError: it has not; says what is missing.
    """
    missing = [name for name in ("interface", "reset", "act", "close_game") if not hasattr(policy, name)]
    if missing:
        raise ValueError(f"{where}: expected a Policy; {type(policy).__name__} has no {', '.join(missing)}")
    one_of(f"{where}, interface", policy.interface, ("vector", "amount", "text"))
    return policy


def check_fits(policy: Any, name: str, scenario: Any) -> None:
    """Nothing, if the policy can play the scenario.

    Raises:
        ValueError: it cannot; says why.
    """
    unfit = getattr(policy, "unfit", None)
    reason = unfit(scenario) if unfit is not None else None
    if reason is not None:
        raise ValueError(f"bidder {label_of(name)!r}, scenario {scenario.name!r}: {reason}")
