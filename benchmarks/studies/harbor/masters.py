"""The Masters of HARBOR's fifth experiment, the published strategies that they have, and their rivals.

Source: HARBOR, arXiv 2502.12149. One model plays all seats. The rivals have neither profiles nor a strategy; in the
condition with the second order, all seats have profiles and ExpAct, and the Master alone has the second order.
"""

from __future__ import annotations

from aucenv.core.words.bidder_name import BidderSpec, label_of, parse_bidder, with_options

AGENT = "harbor"
STRATEGIES = {
    "baseline": ("none", "none"),
    "true": ("true", "none"),
    "true_expact": ("true", "expact"),
    "inferred_expact": ("inferred", "expact"),
    "second": ("second", "expact"),
}
"""Published strategy -> the options `tom` and `strategy` of a model that has it."""
ADVISED = "inferred_rlact"
"""The published strategy of a model with inferred profiles that RLAct advises."""
RULES_RIVAL = "persona"
PROFILING_RULE = "expact"
"""The rivals of rule bidders; the second ones are those of `second_order`."""


def is_model(spec: BidderSpec) -> bool:
    """Return whether a bidder is a model that plays as HARBOR's agent."""
    return spec.kind == "llm" and spec.params.get("agent") == AGENT


def masters_of(bidder: str, label: str) -> list[str]:
    """Return the Masters of a model, one for each strategy, labelled with its label and the strategy."""
    return [
        with_options(bidder, f"{label}_{name}", tom=tom, strategy=strategy)
        for name, (tom, strategy) in STRATEGIES.items()
    ]


def strategy_of(bidder: str) -> str | None:
    """Return the published strategy that a Master has: a model's by its options, another bidder's by its label.

    None: it has none of them.
    """
    spec = parse_bidder(bidder)
    if not is_model(spec):
        return label_of(bidder) if label_of(bidder) in (*STRATEGIES, ADVISED) else None
    options = spec.params.get("tom", "inferred"), spec.params.get("strategy", "expact")
    if options[0] == "inferred" and options[1].startswith("adviser:rlact"):
        return ADVISED
    return next((name for name, known in STRATEGIES.items() if known == options), None)


def rival_of(bidder: str) -> str:
    """Return the bidder that plays both rivals of a Master."""
    spec = parse_bidder(bidder)
    if not is_model(spec):
        return PROFILING_RULE if spec.kind == "second_order" else RULES_RIVAL
    if strategy_of(bidder) == "baseline":
        return bidder
    if spec.params.get("tom") == "second":
        return with_options(bidder, "profiling_rivals", tom="inferred")
    tom, strategy = STRATEGIES["baseline"]
    return with_options(bidder, "baseline_rivals", tom=tom, strategy=strategy)
