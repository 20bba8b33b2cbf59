"""A housing auction's record -> figures: those of English auctions, and HARBOR's own (arXiv 2502.12149)."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Sequence

from aucenv.core.figures import Shown
from aucenv.core.read_notes import seat_notes
from aucenv.core.record import GameRecord
from aucenv.envs.english import figures as english
from aucenv.envs.harbor.divergence import MISREAD, divergences

SCORE = english.SCORE
COUNTS = english.COUNTS


@dataclasses.dataclass(frozen=True)
class SeatFigures(english.SeatFigures):
    """One seat's game; dollars.

    Attributes:
        matching, matched: items that match a persona of the seat, and those of them that it won.
        divergences: of its last profile of each rival with personas; see `divergence.divergence`.
        priorities: 1 to 3 by item, as it noted them last; empty where it noted none.
        rules: how often it noted each rule that it followed.
    """

    matching: int
    matched: int
    divergences: tuple[float, ...]
    priorities: tuple[int | None, ...]
    rules: Counter[str]


def seat_figures(record: GameRecord) -> list[SeatFigures]:
    """The figures of every seat of a housing auction."""
    figures = []
    for plain, dealt in zip(english.seat_figures(record), record.deal["seats"], strict=True):
        suiting = [item["persona"] in dealt["personas"] for item in record.deal["items"]]
        won = [item["winner"] == plain.seat for item in record.outcome["items"]]
        last = list(divergences(record, plain.seat, last=True).values())
        notes = list(seat_notes(record, plain.seat))
        figures.append(
            SeatFigures(
                **vars(plain),
                matching=sum(suiting),
                matched=sum(suits and mine for suits, mine in zip(suiting, won, strict=True)),
                divergences=tuple(last[0]) if last else (),
                priorities=next((tuple(n["priorities"]) for n in reversed(notes) if "priorities" in n), ()),
                rules=Counter(note["rule"] for note in notes if "rule" in note),
            )
        )
    return figures


FIGURES: dict[str, Callable[[SeatFigures], tuple[float, float]]] = {
    **english.FIGURES,
    "acquisition": lambda s: (s.matched, s.matching),
    "profile_kl": lambda s: (sum(s.divergences), len(s.divergences)),
    "misread_rate": lambda s: (sum(kl > MISREAD for kl in s.divergences), len(s.divergences)),
}
"""A bidder's figures, each a ratio of two sums over its seats and games: those of English auctions; then the share of
the items matching its persona that it won (the paper's printed formula is always 1; its text means this), the mean
divergence of its last profiles of rivals, and the share of those that rule the rival's persona out."""

SHOWN = {
    "profit_mean": ("mean profit", "{:,.0f}"),
    "profit_ratio": ("profit ratio", "{:.1%}"),
    "acquisition": ("acquisition", "{:.1%}"),
    "profile_kl": ("KL of profiles", "{:.2f}"),
}
"""The figures that tables for people show: heading and format."""

ALSO_SHOWN: tuple[str, dict[str, tuple[str, str]]] = (
    "items, bids per item, and profiles that rule the true persona out",
    {
        "items_mean": ("items", "{:.2f}"),
        "engagement": ("bids per item", "{:.2f}"),
        "misread_rate": ("misread", "{:.1%}"),
        "failed_bid_rate": ("failed bids", "{:.1%}"),
    },
)
"""A second table: its title and figures."""


def agent_tables(records: Sequence[GameRecord]) -> list[Shown]:
    """How agents think: as in English auctions, and how near their last profiles of rivals come.

    Raises:
        ImportError: scipy is not installed, and a bidder plans.
    """
    return [*english.agent_tables(records), _profiles(records)]


def _profiles(records: Sequence[GameRecord]) -> Shown:
    found: dict[str, list[float]] = {}
    for record in records:
        for seat in seat_figures(record):
            found.setdefault(seat.bidder, []).extend(seat.divergences)
    lines = [[bidder, f"{sum(all_) / len(all_):.2f}"] for bidder, all_ in found.items() if all_]
    return Shown("last profiles of rivals (KL)", ("bidder", "KL"), lines)
