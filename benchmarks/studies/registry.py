"""All studies, in the order in which they are shown, and all papers."""

from __future__ import annotations

from pathlib import Path

from aucenv.benchmarks.studies import prompts
from aucenv.benchmarks.studies.alympics import (
    curse,
    curves,
    price_model,
    prices,
    rubrics,
    self_ratings,
    settings,
    words,
)
from aucenv.benchmarks.studies.alympics import paper as alympics
from aucenv.benchmarks.studies.aucarena import (
    ablation,
    adherence,
    behaviour,
    mistakes,
    niche,
    overestimate,
    people,
    priorities,
    raises,
    standard,
)
from aucenv.benchmarks.studies.aucarena import paper as aucarena
from aucenv.benchmarks.studies.harbor import audit, competition, engagement, matching_houses, rivals, strategies
from aucenv.benchmarks.studies.harbor import paper as harbor
from aucenv.benchmarks.studies.harbor import rlact as harbor_rlact
from aucenv.benchmarks.studies.labs import bid_functions, ebay, one_shot, ratios, revenue, winners_curse
from aucenv.benchmarks.studies.labs import paper as labs
from aucenv.benchmarks.studies.rl import closed_forms, small_games
from aucenv.benchmarks.studies.rlact import ablation as rlact
from aucenv.benchmarks.studies.study import Study
from aucenv.benchmarks.studies.user_study import load_study

from aucenv.core.checks import one_of

ALL = (
    *(standard.STUDY, mistakes.STUDY, priorities.STUDY, raises.STUDY, adherence.STUDY, ablation.STUDY, niche.STUDY),
    *(behaviour.STUDY, overestimate.STUDY, people.STUDY),
    *(settings.STUDY, prices.STUDY, curves.STUDY, curse.STUDY, rubrics.STUDY, self_ratings.STUDY, words.STUDY),
    price_model.STUDY,
    *(engagement.STUDY, competition.STUDY, matching_houses.STUDY, rivals.STUDY, strategies.STUDY),
    *(harbor_rlact.STUDY, audit.STUDY),
    *(ratios.STUDY, one_shot.STUDY, revenue.STUDY, winners_curse.STUDY, ebay.STUDY, bid_functions.STUDY),
    prompts.STUDY,
    *(closed_forms.STUDY, small_games.STUDY, rlact.STUDY),
)
STUDIES = {study.name: study for study in ALL}
"""Name -> study."""
PAPERS = {paper.name: paper for paper in (aucarena.PAPER, harbor.PAPER, labs.PAPER, alympics.PAPER)}
"""Name -> paper."""


def find_study(name: str) -> Study:
    """Return the study of this name, or the one that a user's file NAME.py defines.

    Raises:
        ValueError, FileNotFoundError: The name is unknown; or as in `load_study`.
    """
    return load_study(Path(name), ALL) if name.endswith(".py") else STUDIES[one_of("study", name, STUDIES)]
