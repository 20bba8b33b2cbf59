"""The decisions of a game's rule bidders by kind: built-in bidders first, then families."""

from __future__ import annotations

from collections.abc import Callable

from aucenv.baselines.scripted.policy import FIRST_FAMILY

from aucenv.core.kernel import bind, template, unbound

decide_built_in = decide_family = unbound


@template
def decide(kind, params, state, b, seat):
    """Return the amount of a built-in bidder or of a family in an acting seat."""
    if kind < FIRST_FAMILY:
        return decide_built_in(kind, params, state, b, seat)
    return decide_family(kind, params, state, b, seat)


def decide_by_kind(name: str, built_in: Callable[..., int], family: Callable[..., int]) -> Callable[..., int]:
    """Return the kernel that decides for all kinds of a game's rule bidders.

    Args:
        name: The name of the game.
        built_in: The kernel of its built-in bidders.
        family: The kernel of its families.
    """
    return bind(decide, name, decide_built_in=built_in, decide_family=family)
