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
        f"A bidder for housing auctions, finetuned from {name} by online DPO on "
        f"{config.recommendation_steps} + {config.bid_steps} updates, judged by {', '.join(config.judge)}.",
        "",
        "```",
        " ".join([f"aucenv train rlact {source} --seed {config.seed}", *changed]),
        "aucenv leaderboard --game harbor --bidder rlact:THIS_FOLDER --bidder expact --bidder persona",
        "```",
        "",
        "Accuracies are on held-out decisions without ties, with other houses and other descriptions of personas than "
        "in training. The constant column is the accuracy of a constant answer, and the probe column that of boosted "
        "trees on the numbers of the same states. A recommendation in the words of a bid, which the second phase "
        "teaches, counts as wrong. Profit ratios are in percent.",
        "",
        "| updates | recommendations right | bids right | legal bids | constant | probe | profit ratio | expact |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for each in evaluations:
        rates = [each["recommendation"]["greedy"], each["bid"]["greedy"], each["bid"]["readable"]]
        shares = [f"{value:.1%}" for value in [*rates, each["chance"], each["probe"]]]
        money = ["-" if value is None else f"{value:.2f}" for value in (each["profit_ratio"], each["expact"])]
        lines.append(f"| {' | '.join([str(each['step']), *shares, *money])} |")
    return "\n".join(lines) + "\n"
