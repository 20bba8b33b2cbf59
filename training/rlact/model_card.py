"""The card of a finetuned model: what it is, how good, and the command that makes it again."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

from aucenv.training.rlact.base_model import TINY
from aucenv.training.rlact.config import RLActConfig

from aucenv.core.files import JsonObject


def model_card(
    name: str, config: RLActConfig, source: str, changes: Mapping[str, str], evaluations: Sequence[JsonObject]
) -> str:
    """The card, in markdown.

    Args:
        name: the model that was finetuned.
        source, changes: where the settings are from.
        evaluations: one for each time it was evaluated.
    """
    changed = [f"--set {shlex.quote(f'{key}={value}')}" for key, value in changes.items()]
    from_scratch = name == TINY
    lines = [
        "---",
        "library_name: transformers",
        "license: mit" if from_scratch else f"base_model: {name}",  # an adapter's licence is that of its base
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
        "Decisions on states that it never saw and that are no ties, of other houses and other descriptions of "
        "personas; always deciding alike is chance, boosted trees on the same states are the probe. A recommendation "
        "in the words of a bid, which the second phase teaches, is wrong.",
        "",
        "| updates | recommendations right | bids right | legal bids | chance | probe | profit ratio | expact |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for each in evaluations:
        rates = [each["recommendation"]["greedy"], each["bid"]["greedy"], each["bid"]["readable"]]
        shares = [f"{value:.1%}" for value in [*rates, each["chance"], each["probe"]]]
        money = ["-" if value is None else f"{value:.2f}" for value in (each["profit_ratio"], each["expact"])]
        lines.append(f"| {' | '.join([str(each['step']), *shares, *money])} |")
    return "\n".join(lines) + "\n"
