"""The words of the challenge's texts: those of the paper, and those of another resource and other names.

Models may have learnt the published games by heart. A reframed challenge has the same numbers and rules, and so the
same results, but no text that a bidder reads mentions water, the drought, or the published names.
"""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Wording:
    """The words that depend on the frame.

    Attributes:
        resource: what the residents bid for.
        shortage: the period in which it is scarce.
        days_without: the heading of the number of days without it.
        names: the names of the residents by seat; () for those of the scenario.
    """

    resource: str
    shortage: str
    days_without: str
    names: tuple[str, ...] = ()


WATER = Wording("water", "drought", "dry days")
FIREWOOD = Wording(
    "firewood",
    "frost",
    "cold days",
    (
        *("Ines", "Jonas", "Katja", "Liam", "Mona", "Nils", "Olga", "Piet"),
        *("Rosa", "Sven", "Tara", "Ugo", "Vera", "Wim", "Yara", "Zeno"),
    ),
)


def wording_of(reframe: bool) -> Wording:
    """Return the words of a scenario with this value of `reframe`."""
    return FIREWOOD if reframe else WATER
