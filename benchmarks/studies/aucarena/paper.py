"""The games of AucArena: one run, from which all of the paper's tables and figures are drawn.

Source: AucArena, arXiv 2310.05746: the standard competition of two baselines and one challenger at a time (section 4),
the same at a budget of $10,000 (appendix), the ablation of planning, and the niches of two bidders for profit and two
for items (section 5). Bidders that cannot pay the least legal bid are asked, as in the paper's program.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from aucenv.benchmarks.studies.aucarena import (
    ablation,
    adherence,
    behaviour,
    mistakes,
    niche,
    people,
    priorities,
    raises,
    standard,
)
from aucenv.benchmarks.studies.aucarena.auctions import GAME, RIVALS, SETTINGS, Setting, against_rivals
from aucenv.benchmarks.studies.aucarena.behaviour import SETTINGS as OF_BEHAVIOUR
from aucenv.benchmarks.studies.aucarena.niche import BUDGETS
from aucenv.benchmarks.studies.paper import Paper, PaperRun, listed_game, named_bidders

from aucenv.analysis.agents.won_items import report_table
from aucenv.core.checks import whole_number
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import label_of, parse_bidder
from aucenv.core.words.phrases import listed
from aucenv.envs.english.game import SCENARIOS
from aucenv.runs.play import Match

GAMES = 10
"""The paper's number of runs of each challenger in each setting."""
AGENT = "bdi"
COMPETITION, SCARCE, ABLATION, NICHE = "competition", "scarce money", "ablation", "niche"


def plan(bidders: Sequence[str], games: int | None, seed: int, ask_broke: bool = True) -> PaperRun:
    """Return the games of a run.

    Args:
        bidders: The two baselines, then the challengers, of which `rule` is one, as in the paper. If only one bidder is
            named, it is the challenger, and the rule bidders RIVALS take the seats of the baselines. Models play as the
            agent `bdi` unless they name another one.
        games: The runs of each challenger in each setting; None is the paper's number.
        seed: The seed of the deals.
        ask_broke: Whether a bidder that cannot pay the least legal bid is asked.

    Raises:
        ValueError: No bidder, or two with the same label.
    """
    named = named_bidders("aucarena", bidders, AGENT)
    number = GAMES if games is None else whole_number("games", games, 1)
    baselines = tuple(named[:2]) if len(named) > 1 else RIVALS
    challengers = named[2:] if len(named) > 1 else named
    if "rule" not in map(label_of, (*baselines, *challengers)):
        challengers = [*challengers, "rule"]
    models = [name for name in named if parse_bidder(name).params.get("agent") == AGENT]

    def against(settings: Sequence[Setting]) -> list[Match]:
        return against_rivals(challengers, number, seed, settings, baselines)

    parts = {
        COMPETITION: against(SETTINGS),
        SCARCE: against([setting for setting in OF_BEHAVIOUR if setting not in SETTINGS]),
        ABLATION: ablation.matches(models, number, seed),
        NICHE: list(_niche(models[:2], number, seed)),
    }
    asked = {
        name: tuple(_asking(match) if ask_broke else match for match in matches) for name, matches in parts.items()
    }
    return PaperRun(tuple(named), asked, tuple(_notes(baselines, challengers, models, ask_broke)))


def _asking(match: Match) -> Match:
    return dataclasses.replace(match, scenario=match.scenario.changed(ask_broke=True))


def _niche(models: Sequence[str], games: int, seed: int) -> Iterator[Match]:
    """Yield games in which each of one or two models has a seat in each group, or two seats if it is alone."""
    for budget in BUDGETS if models else ():
        for number in range(games):
            group = [models[(number + seat) % len(models)] for seat in range(2)]
            yield Match(GAME, SCENARIOS[f"niche-{budget // 1000}k"], (*group, *group), (seed, number), 0)


def _notes(
    baselines: Sequence[str], challengers: Sequence[str], models: Sequence[str], ask_broke: bool
) -> Iterator[str]:
    """Yield sentences on who plays."""
    first, others = (listed([label_of(name) for name in names]) for names in (baselines, challengers))
    why = ", rule bidders, because only one bidder is named" if tuple(baselines) == RIVALS else ""
    yield f"The baselines are {first}{why}; the challengers are {others}."
    broke = "are asked, as in the paper's program" if ask_broke else "are not asked, unlike in the paper's program"
    yield f"Bidders that cannot pay the least legal bid {broke}."
    if models:
        groups = f"{listed([label_of(name) for name in models[:2]])}, in both groups"
        yield f"The niches are those of {groups}."
    else:
        yield f"No model with agent={AGENT} is named, so that there is neither an ablation of planning nor a niche."


def listing(records: Sequence[GameRecord]) -> str:
    """Return the log of the first game, and the report of each bidder on the items that it won (Listing 1)."""
    reports = report_table(records[0])
    lines = ["# Personal reports", "", "| " + " | ".join(reports.headings) + " |", "|" + "---|" * len(reports.headings)]
    return (
        "\n".join([listed_game(records[0]), *lines, *("| " + " | ".join(line) + " |" for line in reports.lines)]) + "\n"
    )


PAPER: Paper = Paper(
    name="aucarena",
    studies={
        standard.STUDY: (COMPETITION,),
        mistakes.STUDY: (COMPETITION,),
        priorities.STUDY: (COMPETITION,),
        raises.STUDY: (COMPETITION,),
        adherence.STUDY: (COMPETITION,),
        ablation.STUDY: (ABLATION,),
        niche.STUDY: (NICHE,),
        behaviour.STUDY: (COMPETITION, SCARCE),
        people.STUDY: (COMPETITION,),
    },
    plan=plan,
    has_ask_broke=True,
    listing=listing,
)
