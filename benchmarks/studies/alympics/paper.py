"""The games of Alympics: one run, from which all of the paper's tables and figures are drawn.

Source: Alympics, arXiv 2311.03220: ten games of each of six settings. One bidder plays all residents. Curves and
ratings are those of the first game of each setting: 30 residents, half of them with personas.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aucenv.benchmarks.studies.alympics import curse, curves, price_model, prices, rubrics, settings, words
from aucenv.benchmarks.studies.alympics.droughts import matches
from aucenv.benchmarks.studies.alympics.settings import GAMES
from aucenv.benchmarks.studies.paper import Paper, PaperRun, named_bidders

from aucenv.core.checks import whole_number
from aucenv.core.words.bidder_name import label_of
from aucenv.core.words.phrases import count, listed

AGENT = "resident"
FIRST, OTHERS = "first games", "other games"


def plan(bidders: Sequence[str], games: int | None, seed: int) -> PaperRun:
    """Return the games of a run.

    Args:
        bidders: The bidders, each of which plays all residents of its games. Models play as the agent `resident` unless
            they name another one.
        games: The games of each setting; None is the paper's number.
        seed: The seed of the deals.

    Raises:
        ValueError: No bidder, or two with the same label.
    """
    named = named_bidders("alympics", bidders, AGENT)
    number = GAMES if games is None else whole_number("games", games, 1)
    every = matches(named, number, seed)
    first = [match for match in every if match.seed == (seed, 0)]
    parts = {FIRST: first, OTHERS: [match for match in every if match.seed != (seed, 0)]}
    return PaperRun(tuple(named), parts, tuple(_notes(named, number)))


def _notes(named: Sequence[str], games: int) -> Iterator[str]:
    """Yield sentences on who plays."""
    yield f"One bidder plays all residents of a game: {listed([label_of(name) for name in named])}."
    yield f"Each setting has {count(games, 'game')}; curves and ratings are those of the first one."


PAPER: Paper = Paper(
    name="alympics",
    studies={
        settings.STUDY: (FIRST, OTHERS),
        prices.STUDY: (FIRST, OTHERS),
        curves.STUDY: (FIRST,),
        rubrics.STUDY: (FIRST,),
        curse.STUDY: (FIRST, OTHERS),
        words.STUDY: (FIRST, OTHERS),
        price_model.STUDY: (FIRST, OTHERS),
    },
    plan=plan,
)
