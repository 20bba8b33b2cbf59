"""The games of HARBOR: one run, from which all of the paper's tables and figures are drawn.

Source: HARBOR, arXiv 2502.12149: experiments 1 to 5, with 15 auctions of each condition, and the audit of appendix H.
One bidder plays all seats, in experiment 5 as `masters` says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aucenv.benchmarks.studies.harbor import audit, competition, engagement, matching_houses, rivals, strategies
from aucenv.benchmarks.studies.harbor.masters import AGENT, is_model, masters_of, rival_of
from aucenv.benchmarks.studies.harbor.roles import GAMES
from aucenv.benchmarks.studies.paper import Paper, PaperRun, named_bidders

from aucenv.core.checks import whole_number
from aucenv.core.words.bidder_name import LABEL, label_of, parse_bidder, public_name
from aucenv.core.words.phrases import count, listed

HOUSES, COMPETITION, MATCHES, RIVALS, STRATEGIES = (
    *("three matches for each rival", "competition", "number of matches", "number of rivals", "strategies"),
)


def plan(bidders: Sequence[str], games: int | None, seed: int) -> PaperRun:
    """Return the games of a run.

    Args:
        bidders: The bidders, each of which plays all seats of its games. Models play as the agent `harbor` unless they
            name another one; in experiment 5 they play as five Masters, each with another strategy.
        games: The auctions of each condition; None is the paper's number.
        seed: The seed of the deals.

    Raises:
        ValueError: No bidder, two with the same label, or a model that has an option of experiment 5.
    """
    named = named_bidders("harbor", bidders, AGENT)
    for name in named:
        spec = parse_bidder(name)
        if is_model(spec) and (fixed := [option for option in ("tom", "strategy") if option in spec.params]):
            got = public_name(name)
            raise ValueError(
                f"study harbor: expected a model without {listed(fixed)}, which the study sets, got {got!r}"
            )
    number = GAMES if games is None else whole_number("games", games, 1)
    masters = [master for name in named for master in _masters(name)]
    parts = {
        HOUSES: engagement.matches(named, number, seed),
        COMPETITION: competition.matches(named, number, seed),
        MATCHES: matching_houses.matches(named, number, seed),
        RIVALS: rivals.matches(named, number, seed),
        STRATEGIES: strategies.matches(masters, number, seed),
    }
    return PaperRun(tuple(named), parts, tuple(_notes(named, number)))


def _masters(bidder: str) -> list[str]:
    """Return the Masters of a model, or a rule bidder itself."""
    spec = parse_bidder(bidder)
    if not is_model(spec):
        return [bidder]
    label = spec.label.removesuffix(" (script)")
    is_given = re.fullmatch(LABEL, label) is not None
    return masters_of(bidder, label if is_given else re.sub(r"[^A-Za-z0-9_.-]+", "-", str(spec.arg)))


def _notes(named: Sequence[str], games: int) -> Iterator[str]:
    """Yield sentences on who plays."""
    yield f"One bidder plays all seats of a game: {listed([label_of(name) for name in named])}."
    if any(is_model(parse_bidder(name)) for name in named):
        yield (
            "In harbor/5 a model plays as five Masters; its rivals are the same model without profiles and strategy, "
            "or with both if the Master has the second order."
        )
    for name in named:
        if not is_model(parse_bidder(name)):
            yield f"In harbor/5 the rivals of {label_of(name)} are {rival_of(name)}."
    yield f"Each condition has {count(games, 'auction')}."


PAPER: Paper = Paper(
    name="harbor",
    studies={
        engagement.STUDY: (HOUSES,),
        competition.STUDY: (COMPETITION,),
        matching_houses.STUDY: (MATCHES,),
        rivals.STUDY: (RIVALS,),
        strategies.STUDY: (STRATEGIES,),
        audit.STUDY: (STRATEGIES,),
    },
    plan=plan,
)
