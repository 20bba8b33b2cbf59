"""Create policies by name, importing the module of a bidder when it is first used."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib import import_module

import numpy as np

from aucenv.core.checks import one_of
from aucenv.core.extras import explain_missing_package
from aucenv.core.files import JsonMapping
from aucenv.core.policy import Policy, compiled_numbers
from aucenv.core.scenarios import Scenario
from aucenv.core.words.bidder_name import BidderSpec, parse_bidder, public_name
from aucenv.core.words.outside_text import MASK
from aucenv.policy.user_code import load_packaged_policy
from aucenv.registration import FAMILIES, find_family, plug_ins

NETWORK_KIND = "ppo"
"""The kind of bidders whose networks play in compiled code, as rule bidders do."""

HUMAN_KIND = "human"
"""The kind of bidders that are people."""

MAKERS = {
    "llm": "aucenv.baselines.llm.bidder:make",
    HUMAN_KIND: "aucenv.baselines.human.bidder:make",
    "judge-greedy": "aucenv.training.rlact.judges.judge_policy:make",
    "rlact": "aucenv.training.rlact.policy:make",
    "rlact-smollm2": "aucenv.training.rlact.policy:make",
    "probe": "aucenv.training.rlact.probes.policy:make",
    NETWORK_KIND: "aucenv.training.ppo.bidder:make",
    "py": "aucenv.policy.user_code:load_user_policy",
}
"""Bidders that are not rule bidders: KIND -> "module:function"; the function returns a policy for (game name, spec)."""


BIDDERS_GROUP = "aucenv.bidders"
"""The group of entry points `NAME = "MODULE:CLASS"`, by which other packages add bidders."""
EXTRAS = {"llm": "llm", "judge-greedy": "fast", "rlact": "rlact", "rlact-smollm2": "rlact", "probe": "fast"}
"""Kinds of bidders -> the extra that contains their packages."""


@lru_cache
def packaged_bidders() -> Mapping[str, tuple[str, str]]:
    """Return the bidders of other packages by name: the class, as "MODULE:CLASS", and the package.

    Names that aucenv has itself are left out; `bidder_problems` says so.
    """
    bidders: dict[str, tuple[str, str]] = {}
    for point, distribution in plug_ins(BIDDERS_GROUP):
        if point.name not in bidders and _why_no_bidder(point.name) is None:
            bidders[point.name] = (point.value, distribution)
    return bidders


def bidder_problems() -> list[str]:
    """Return, for each bidder of another package that cannot be used, the reason."""
    problems, names = [], set[str]()
    for point, distribution in plug_ins(BIDDERS_GROUP):
        why = _why_no_bidder(point.name)
        if why is None and point.name in names:
            why = "expected a name that no other package uses"
        names.add(point.name)
        if why is not None:
            problems.append(f"bidder {point.name!r} of the package {distribution or point.value}: {why}")
    return problems


def _why_no_bidder(name: str) -> str | None:
    if re.fullmatch(r"[a-z][a-z0-9_-]*", name) is None:
        return "expected a name of lower-case letters, digits, - and _"
    taken = name in MAKERS or any(name in rule_bidders(game) for game in FAMILIES if _is_built_in(game))
    return "expected a name that no bidder of aucenv has" if taken else None


def _is_built_in(game: str) -> bool:
    return not FAMILIES[game].distribution and FAMILIES[game].module.startswith("aucenv.envs.")


def scripted_bidders(game: str) -> JsonMapping:
    """Return a game's built-in rule bidders by name; see `aucenv.baselines.scripted.policy.RuleBidder`."""
    return {bidder.name: bidder for bidder in import_module(find_family(game).game.bidders).BIDDERS}


def playable_bidders(game: str, scenario: Scenario) -> list[str]:
    """Return the names of a game's built-in rule bidders that do not cheat and can play the scenario."""
    bidders = scripted_bidders(game).items()
    return [name for name, bidder in bidders if not bidder.cheats and bidder.why_unplayable(scenario) is None]


def rule_bidders(game: str) -> JsonMapping:
    """Return all of a game's rule bidders by name: the built-in ones, and those of its population."""
    population = find_family(game).game.population
    families = import_module(population).FAMILIES if population else ()
    return {**scripted_bidders(game), **{bidder.name: bidder for bidder in families}}


def bidder_kinds(game: str) -> list[str]:
    """Return all kinds of bidders for a game: rule bidders, those that MAKERS create, and those of other packages."""
    return [*rule_bidders(game), *MAKERS, *packaged_bidders()]


def make_policy(game: str, name: str) -> Policy:
    """Create a policy for a game by its name.

    Raises:
        ValueError: the kind or a parameter is unknown, or a parameter is out of range; or the value of a header is
            masked, because the name is from a record.

    Example:
        >>> import aucenv
        >>> aucenv.make_policy("sealed_bid", "shade,factor=0.5").interface
        'amount'
    """
    spec, where = parse_bidder(name), f"bidder {public_name(name)!r}"
    for parameter, value in spec.params.items():
        if value == MASK and parameter.startswith("header."):
            raise ValueError(
                f"{where}, {parameter}: expected its value or env:VARIABLE, got {MASK}, which stands for a value that "
                "is not recorded"
            )
    rules = rule_bidders(game)
    if spec.kind in rules:
        return rules[spec.kind].make(spec)
    packaged = packaged_bidders()
    if spec.kind in packaged:
        declaration, distribution = packaged[spec.kind]
        return load_packaged_policy(spec, declaration, f"{where} of the package {distribution or declaration}")
    one_of(f"{where}, kind", spec.kind, bidder_kinds(game))
    module, _, function = MAKERS[spec.kind].partition(":")
    with explain_missing_package(where, EXTRAS.get(spec.kind, "rlact")):
        create: Callable[[str, BidderSpec], Policy] = getattr(import_module(module), function)
    return create(game, spec)


def make_compiled_policy(game: str, name: str) -> Policy:
    """Create a policy by its name, if it plays in compiled code.

    Raises:
        ValueError: it is neither a rule bidder of this game nor a network; or as in `make_policy`.
    """
    spec, kinds = parse_bidder(name), [*rule_bidders(game), NETWORK_KIND]
    one_of(f"bidder {spec.label!r}, rule bidder", spec.kind, kinds)
    return make_policy(game, name)


def rule_numbers(game: str, name: str, scenario: Scenario) -> tuple[int, np.ndarray]:
    """Return a bidder's kind and float64 parameters, as the game's compiled `decide` takes them.

    A rule bidder has (8,) parameters, a network more.

    Raises:
        ValueError: it is neither a rule bidder of this game nor a network, or cannot play the scenario.
    """
    return compiled_numbers(make_compiled_policy(game, name), name, scenario)
