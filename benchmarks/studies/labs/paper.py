"""The games of Synthetic Labs: one run, from which all of the paper's tables and figures are drawn.

Source: Synthetic Labs, arXiv 2507.09083: five sessions of each setting, 20 of the one-shot auctions, and 30 proxy
auctions of each condition. One bidder plays all seats. `equilibrium` stands beside the named bidders where it can play,
in proxy auctions `truthful`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aucenv.benchmarks.studies.cells import same_in_all_seats
from aucenv.benchmarks.studies.labs import bid_functions, ebay, one_shot, ratios, revenue, winners_curse
from aucenv.benchmarks.studies.paper import Paper, PaperRun, named_bidders

from aucenv.core.checks import whole_number
from aucenv.core.words.bidder_name import label_of
from aucenv.core.words.phrases import count, listed
from aucenv.runs.play import Match

GAMES = 5
"""The paper's number of sessions of each setting."""
AGENT = "plan-bid-reflect"
RATIOS, BIDS, REVENUE, ONE_SHOT, COMMON, PROXY = (
    *("settings", "more bidders", "independent clocks", "one round", "common values", "proxy auctions"),
)


def plan(bidders: Sequence[str], games: int | None, seed: int) -> PaperRun:
    """Return the games of a run.

    Args:
        bidders: The bidders, each of which plays all seats of its games. Models play as the agent `plan-bid-reflect`
            unless they name another one.
        games: The sessions of each setting, of which one-shot auctions have four times as many, and proxy auctions six
            times; None is the paper's number.
        seed: The seed of the values.

    Raises:
        ValueError: No bidder, two with the same label, or a bidder that cannot play.
    """
    named = named_bidders("labs", bidders, AGENT)
    number = GAMES if games is None else whole_number("games", games, 1)
    beside = [*named, *(["equilibrium"] if "equilibrium" not in map(label_of, named) else [])]
    in_proxies = [*named, *(["truthful"] if "truthful" not in map(label_of, named) else [])]
    of_revenue = [
        title for title, _, scenario in revenue.FORMATS if not scenario.startswith(PRICINGS) or "no cap" in title
    ]
    parts = {
        RATIOS: ratios.matches(beside, number, seed),
        BIDS: list(_more_bidders(beside, number, seed)),
        REVENUE: [match for match in revenue.matches(beside, number, seed) if _title(match) in of_revenue],
        ONE_SHOT: one_shot.matches(beside, 4 * number, seed),
        COMMON: winners_curse.matches(beside, number, seed),
        PROXY: ebay.matches(in_proxies, 6 * number, seed),
    }
    return PaperRun(tuple(named), parts, tuple(_notes(named, number)))


PRICINGS = ("first-", "second-", "third-", "all-pay-")
"""The starts of the names of the pricings' scenarios, whose games are those of `labs/ratios`."""


def _title(match: Match) -> str | None:
    """Return the format of `labs/revenue` that a game is of."""
    titles = [title for title, game, name in revenue.FORMATS if (game, name) == (match.game, match.scenario.name)]
    uncapped = getattr(match.scenario, "bid_cap", None) is None
    return titles[-1 if uncapped else 0] if titles else None


def _more_bidders(bidders: Sequence[str], games: int, seed: int) -> Iterator[Match]:
    """Return the games of first-price auctions with four and five bidders."""
    names = [place for title, place in bid_functions.MECHANISMS.items() if title.endswith(" bidders")]
    return same_in_all_seats(names, bidders, games, seed)


def _notes(named: Sequence[str], games: int) -> Iterator[str]:
    """Yield sentences on who plays."""
    yield f"One bidder plays all seats of a game: {listed([label_of(name) for name in named])}."
    yield "Beside them stands equilibrium, and in proxy auctions truthful."
    sessions = f"{count(games, 'session')}, one-shot auctions {4 * games}, and proxy auctions {6 * games}"
    yield f"Each setting has {sessions}."


PAPER: Paper = Paper(
    name="labs",
    studies={
        bid_functions.STUDY: (RATIOS, BIDS, COMMON),
        ratios.STUDY: (RATIOS,),
        one_shot.STUDY: (ONE_SHOT,),
        revenue.STUDY: (RATIOS, REVENUE),
        winners_curse.STUDY: (COMMON,),
        ebay.STUDY: (PROXY,),
    },
    plan=plan,
)
