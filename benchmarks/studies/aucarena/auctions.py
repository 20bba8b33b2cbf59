"""Functions shared by AucArena's studies: their games, rates by bidder, and published values by name.

Source: AucArena, arXiv 2310.05746. A study of behavior that is run alone plays each bidder in one seat against the
rule bidders RIVALS; the bidder's seat rotates, and all bidders have the same deals. The paper's bidders compete with
two language models, as in the run of all studies together (`aucenv study aucarena`). Tables name the rivals.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from aucenv.benchmarks.rankings.leaderboard import STANDARD_BUDGETS, STANDARD_ORDERS, rotated
from aucenv.benchmarks.studies.cells import Row, flattened

from aucenv.analysis.statistics import metrics
from aucenv.analysis.statistics.design import Design
from aucenv.analysis.statistics.intervals import pooled
from aucenv.analysis.statistics.metrics import scores_by_bidder
from aucenv.core.records.figures import PooledFigure
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import seat_label
from aucenv.envs.english.game import SCENARIOS, STANDARD_ITEMS
from aucenv.runs.play import Match

GAME = "english"
RIVALS = ("rule", "value")
"""The rivals in the studies of behavior."""
Setting = tuple[int, str]
"""The budget of every bidder, in dollars, and the order of the items."""
SETTINGS: tuple[Setting, ...] = tuple((budget, order) for budget in STANDARD_BUDGETS for order in STANDARD_ORDERS)
"""The six settings of the paper's competition."""
MARKERS = "osD^vP*Xhd<>"
"""The markers of bidders in figures, which differ from each other together with the colours of matplotlib's cycle."""
PRICES = tuple(sorted({int(item.starting_price) for item in STANDARD_ITEMS}))
"""The starting prices of the ten items, in dollars."""

MOST_NAMED = 3
"""The most rivals of a bidder that tables name."""

Counts = Mapping[str, tuple[float, float]]
"""Numerator and denominator of each figure of a bidder in one game."""


def against_rivals(
    bidders: Sequence[str],
    games: int,
    seed: int,
    settings: Iterable[Setting] = SETTINGS,
    rivals: Sequence[str] = RIVALS,
) -> list[Match]:
    """Return games of each bidder against two rivals in each setting, on the same deals for all bidders.

    Args:
        games: the number of games of each bidder in each setting.
    """
    schedule: list[Match] = []
    for budget, order in settings:
        scenario = SCENARIOS[f"standard-{budget // 1000}k-{order}"]
        for bidder in bidders:
            for number in range(games):
                lineup = rotated((bidder, *rivals), -number)
                schedule.append(Match(GAME, scenario, lineup, (seed, number), len(schedule)))
    return schedule


def english_records(records: Iterable[GameRecord]) -> list[GameRecord]:
    return [record for record in records if record.game == GAME]


def setting_of(record: GameRecord) -> Setting | None:
    """Return the setting of a game with the paper's ten items, in which all budgets are equal; None for other games."""
    if record.game != GAME or record.scenario["item_order"] not in STANDARD_ORDERS:
        return None
    items = [(item["name"], item["starting_price"], item["true_value"]) for item in record.scenario["items"]]
    budgets = {dealt["budget"] for dealt in record.deal["seats"]}
    standard = [(item.name, item.starting_price, item.true_value) for item in STANDARD_ITEMS]
    if sorted(items) != sorted(standard) or len(budgets) > 1:
        return None
    return int(budgets.pop()), record.scenario["item_order"]


def by_setting(
    records: Iterable[GameRecord], settings: Iterable[Setting] = SETTINGS
) -> dict[Setting, list[GameRecord]]:
    """Return the games of each setting that has any, in the order of `settings`."""
    games: dict[Setting, list[GameRecord]] = {setting: [] for setting in settings}
    for record in records:
        setting = setting_of(record)
        if setting is not None and setting in games:
            games[setting].append(record)
    return {setting: played for setting, played in games.items() if played}


def labels_of(records: Iterable[GameRecord]) -> dict[str, int]:
    """Return the number of games of each bidder by label: first the bidders that are compared, then RIVALS."""
    games: dict[str, int] = {}
    for record in records:
        for label in dict.fromkeys(seat_label(player) for player in record.seats):
            games[label] = games.get(label, 0) + 1
    return dict(sorted(games.items(), key=lambda item: item[0] in RIVALS))


def rivals_of(records: Iterable[GameRecord]) -> dict[str, str]:
    """Return the labels of the bidders that each bidder has played against, or their number if there are many."""
    met: dict[str, dict[str, None]] = {}
    for record in records:
        labels = list(seats_of(record))
        for label in labels:
            met.setdefault(label, {}).update(dict.fromkeys(other for other in labels if other != label))
    return {
        label: ", ".join(others) if len(others) <= MOST_NAMED else f"{len(others)} bidders"
        for label, others in met.items()
    }


def seats_of(record: GameRecord) -> dict[str, list[str]]:
    """Return the seats of each bidder of a game, by label."""
    seats: dict[str, list[str]] = {}
    for player in record.seats:
        seats.setdefault(seat_label(player), []).append(player["seat"])
    return seats


def rates_by_bidder(
    records: Sequence[GameRecord], count: Callable[[GameRecord], Mapping[str, Counts]]
) -> dict[str, Row]:
    """Return the figures of each bidder, with 95% intervals over deals.

    Args:
        count: returns, by label, the numerator and the denominator of each figure of a game's bidders. A figure is the
            sum of its numerators divided by the sum of its denominators.

    Returns:
        By label: NAME, NAME_low and NAME_high for each figure.
    """
    design = Design.of_records(records)
    entries: dict[str, list[tuple[int, Counts]]] = {}
    for record, deal in zip(records, design.deals.tolist(), strict=True):
        for label, counts in count(record).items():
            entries.setdefault(label, []).append((deal, counts))
    rows = {}
    for label, counted in entries.items():
        figures: dict[str, metrics.Figure] = {name: _figure(name) for name in counted[0][1]}
        rows[label] = flattened(metrics.estimates(counted, figures, design))
    return rows


def _figure(name: str) -> Callable[[Counts], tuple[float, float]]:
    return lambda counts: counts[name]


def pooled_by_bidder(
    records: Sequence[GameRecord],
    observe: Callable[[GameRecord], Mapping[str, Sequence[tuple[float, ...]]]],
    figures: Mapping[str, PooledFigure],
) -> dict[str, Row]:
    """Return figures that are computed from all observations of a bidder together; see `rates_by_bidder`.

    Args:
        observe: returns, by label, the observations of a game.
        figures: the function `observe` of each figure takes one of these observations, and returns those that it uses.
    """
    design = Design.of_records(records)
    entries: dict[str, list[tuple[tuple[float, ...], int]]] = {}
    for record, deal in zip(records, design.deals.tolist(), strict=True):
        for label, observed in observe(record).items():
            entries.setdefault(label, []).extend((each, deal) for each in observed)
    rows = {}
    for label, observed_with_deals in entries.items():
        estimates = {}
        for name, figure in figures.items():
            chosen = [(each, deal) for entry, deal in observed_with_deals for each in figure.observe(entry)]
            estimates[name] = pooled(figure, [each for each, _ in chosen], [deal for _, deal in chosen], design)
        rows[label] = flattened(estimates)
    return rows


def deviations(records: Sequence[GameRecord]) -> dict[str, float]:
    """Return sigma, the standard deviation of TrueSkill's belief about each bidder, after all games in their order."""
    import trueskill

    beliefs: dict[str, trueskill.Rating] = {}
    for record in records:
        scores = scores_by_bidder(record)
        teams = [(beliefs.get(bidder, trueskill.Rating()),) for bidder in scores]
        if len(teams) > 1:
            rated = trueskill.rate(teams, ranks=[-score for score in scores.values()])
            beliefs |= {bidder: rating for bidder, (rating,) in zip(scores, rated, strict=True)}
    return {bidder: belief.sigma for bidder, belief in beliefs.items()}


def published_model(label: str, models: Iterable[str]) -> str | None:
    """Return the published model that a bidder is labelled with, without regard to case and punctuation.

    None: the label is of none of these models, or of a script, which is no model.
    """

    def plain(name: str) -> str:
        return re.sub(r"[^a-z0-9]", "", name.lower())

    return next((model for model in models if plain(model) == plain(label)), None)


def dollars(amount: float) -> str:
    """Return an amount of thousands of dollars in short, such as $20k."""
    return f"${amount / 1000:g}k"
