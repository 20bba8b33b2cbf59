"""The card of a finetuned model: what it is, how good, and the command that makes it again."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from aucenv.training.rlact.beginning import TINY

if TYPE_CHECKING:
    from aucenv.training.rlact.run import Run


def model_card(run: Run, evaluations: Sequence[dict[str, Any]]) -> str:
    """The card, in markdown."""
    config = run.config
    changed = [f"--set {shlex.quote(f'{name}={value}')}" for name, value in run.changes.items()]
    name = run.model.model_name_or_path
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
        " ".join([f"aucenv train rlact {run.source} --seed {config.seed}", *changed]),
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
