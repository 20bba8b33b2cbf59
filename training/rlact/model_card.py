"""The model card of a finetuned model: what it is, its evaluations, and the command that reproduces it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from aucenv.training.rlact.base_model import TINY
from aucenv.training.rlact.config import RLActConfig

from aucenv.core.files import JsonObject


def model_card(
    name: str, config: RLActConfig, source: str, changes: Mapping[str, str], evaluations: Sequence[JsonObject]
) -> str:
    """Return the model card in Markdown.

    Args:
        name: the base model.
        config: the settings of the run.
        source, changes: the preset or file of the settings as a command-line option, and the settings changed by --set.
        evaluations: all evaluations of the run, in order.
    """
    changed = [f"--set {shlex.quote(f'{key}={value}')}" for key, value in changes.items()]
    from_scratch = name == TINY
    lines = [
        "---",
        "library_name: transformers",
        "license: mit" if from_scratch else f"base_model: {name}",  # an adapter has the license of its base model
        "tags: [auction, online-dpo, aucenv]",
        "---",
        "",
        "# RLAct",
        "",
        f"A bidder for {' and '.join(config.games)}, finetuned from {name} by online DPO on "
        f"{config.recommendation_steps} + {config.bid_steps} updates, judged by {', '.join(config.judge)}.",
        "",
        "```",
        " ".join([f"aucenv train rlact {source} --seed {config.seed}", *changed]),
        "aucenv leaderboard --game harbor --bidder rlact:THIS_FOLDER --bidder expact --bidder persona",
        "```",
        "",
        "Decisions are those of held-out states, whose rivals are of the population's families for validation. "
        "Accuracies are on decisions without ties. The constant column is the accuracy of a constant answer, and the "
        "probe column that of boosted trees on the numbers of the same states. A recommendation in the words of a bid "
        "counts as wrong. Regrets are in dollars per decision, over all states, with ties; profits are in dollars per "
        "game against these rivals, and the expert is the judge's first bidder for later decisions.",
        "",
        "| game | updates | recommendations right | bids right | legal bids | constant | probe | regret | profit | "
        "expert |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for each in evaluations:
        for game, result in each["games"].items():
            rates = [result["recommendation"]["greedy"], result["bid"]["greedy"], result["bid"]["readable"]]
            shares = [f"{value:.1%}" for value in [*rates, result["chance"], result["probe"]]]
            dollars = [result["bid"]["regret"], result["profit"], result.get("expert")]
            money = ["-" if value is None else f"{value:,.0f}" for value in dollars]
            lines.append(f"| {' | '.join([game, str(each['step']), *shares, *money])} |")
    return "\n".join(lines) + "\n"
