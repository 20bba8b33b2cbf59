"""Compute figures from the records of housing auctions: those of English auctions and HARBOR's (arXiv 2502.12149)."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Sequence

from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.records.figures import TextTable
from aucenv.core.records.read_notes import count_rules, seat_notes
from aucenv.core.records.record import GameRecord
from aucenv.envs.english import figures as english
from aucenv.envs.harbor.notes import ASKS_TO_BID, MISREAD, divergence, last_profiles, persona_numbers

SCORE = english.SCORE
COUNTS = english.COUNTS
REQUIRED = english.REQUIRED


@dataclasses.dataclass(frozen=True)
class SeatFigures(english.SeatFigures):
    """The figures of one seat in one game, in dollars.

    Attributes:
        matching, matched: number of items that match a persona of the seat, and how many of them it won.
        has_persona: whether the seat has a persona.
        divergences: divergence of its last profile of each rival with personas; see `divergence.divergence`.
        held: divergence of each rival's last profile of it; empty if it has no persona.
        decoys: number of its bids for items that match none of its personas; 0 if it has no persona.
        priorities: 1 to 3 for each item, as last noted; empty if it noted none.
        rules: number of decisions that follow each rule that it noted, and of those against their rule; see
            `count_rules`.
    """

    matching: int
    matched: int
    has_persona: bool
    divergences: tuple[float, ...]
    held: tuple[float, ...]
    decoys: int
    priorities: tuple[int | None, ...]
    rules: Counter[str]


def seat_figures(record: GameRecord) -> list[SeatFigures]:
    """Return the figures of every seat of a housing auction."""
    figures = []
    profiles = {player["seat"]: last_profiles(record, player["seat"]) for player in record.seats}
    numbers = persona_numbers(record)
    for base, dealt in zip(english.seat_figures(record), record.deal["seats"], strict=True):
        matching = [item["persona"] in dealt["personas"] for item in record.deal["items"]]
        won = [item["winner"] == base.seat for item in record.outcome["items"]]
        personas = numbers[base.seat]
        held = [noted[base.seat] for noted in profiles.values() if base.seat in noted] if personas else []
        notes = list(seat_notes(record, base.seat))
        figures.append(
            SeatFigures(
                **vars(base),
                matching=sum(matching),
                matched=sum(matches and is_won for matches, is_won in zip(matching, won, strict=True)),
                has_persona=bool(personas),
                divergences=tuple(
                    divergence(profile, numbers[rival])
                    for rival, profile in profiles[base.seat].items()
                    if numbers[rival]
                ),
                held=tuple(divergence(profile, personas) for profile in held),
                decoys=sum(
                    bids for bids, matches in zip(base.engagement, matching, strict=True) if personas and not matches
                ),
                priorities=next((tuple(n["priorities"]) for n in reversed(notes) if "priorities" in n), ()),
                rules=count_rules(record, base.seat, ASKS_TO_BID),
            )
        )
    return figures


def deal_scenario(scenario: JsonMapping) -> JsonObject:
    """Return what determines the draws of a game: a scenario without the names of its bidders."""
    bidders = [{name: value for name, value in bidder.items() if name != "name"} for bidder in scenario["bidders"]]
    return {**scenario, "bidders": bidders}


FIGURES: dict[str, Callable[[SeatFigures], tuple[float, float]]] = {
    **english.FIGURES,
    "acquisition": lambda s: (s.matched, s.matching),
    "profile_kl": lambda s: (sum(s.divergences), len(s.divergences)),
    "misread_rate": lambda s: (sum(kl > MISREAD for kl in s.divergences), len(s.divergences)),
    "rivals_kl": lambda s: (sum(s.held), len(s.held)),
    "decoy_rate": lambda s: (s.decoys, sum(s.engagement) if s.has_persona else 0),
}
"""A bidder's figures: each is the ratio of two sums over the bidder's seats and games.

Besides the figures of English auctions: the share of the items matching its personas that the bidder won (the formula
printed in the paper is always 1; the paper's text describes this figure), the mean divergence of its last profiles of
rivals, and the share of these profiles that give the rival's persona zero probability. Two figures are about deception:
the mean divergence of the rivals' last profiles of the bidder, which is high if they do not know what it wants, and the
share of its bids that are for items which match none of its personas."""

SHOWN = {
    "profit_mean": ("mean profit, $", "{:,.0f}"),
    "profit_ratio": ("profit ratio", "{:.1%}"),
    "acquisition": ("acquisition", "{:.1%}"),
    "profile_kl": ("KL of profiles, nats", "{:.2f}"),
}
"""The figures that printed tables show: heading and format."""

ALSO_SHOWN: tuple[str, dict[str, tuple[str, str]]] = (
    "items won, bids per item, profiles with zero probability for the true persona, failed bids; deception of rivals",
    {
        "items_mean": ("items", "{:.2f}"),
        "engagement": ("bids per item", "{:.2f}"),
        "misread_rate": ("misread", "{:.1%}"),
        "failed_bid_rate": ("failed bids", "{:.1%}"),
        "rivals_kl": ("rivals' KL, nats", "{:.2f}"),
        "decoy_rate": ("decoy bids", "{:.1%}"),
    },
)
"""A second printed table: its title and figures."""

UNDEFINED = {
    "profile_kl": '"-" under "KL of profiles": the bidder noted no profile of a rival.',
    "misread_rate": '"-" under "misread": the bidder noted no profile of a rival.',
    "rivals_kl": '"-" under "rivals\' KL": no rival noted a profile of the bidder.',
}
"""Why bidders do not have a figure."""


def agent_tables(records: Sequence[GameRecord]) -> list[TextTable]:
    """Return the tables about agents: those of English auctions, and the divergence of their last profiles of rivals.

    Raises:
        ImportError: a bidder plans, and scipy is not installed.
    """
    return [*english.agent_tables(records), _profiles(records)]


def _profiles(records: Sequence[GameRecord]) -> TextTable:
    by_bidder: dict[str, list[float]] = {}
    for record in records:
        for seat in seat_figures(record):
            by_bidder.setdefault(seat.bidder, []).extend(seat.divergences)
    lines = [[bidder, f"{sum(values) / len(values):.2f}"] for bidder, values in by_bidder.items() if values]
    return TextTable("last profiles of rivals", ("bidder", "KL, nats"), lines)
