"""How much of a study is played without models, networks and an internet connection."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Offline:
    """The games of a study for `aucenv study all --offline`.

    Attributes:
        games: As `--games`.
        bidders: The bidders, if not the defaults of the study; none of them needs a network.
    """

    games: int
    bidders: tuple[str, ...] = ()
