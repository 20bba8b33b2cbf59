"""The command `aucenv models check`."""

from __future__ import annotations

import dataclasses
import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from aucenv.commands.console.terminal import print_safely, run_uncompiled
from aucenv.commands.options.options import JsonOption, PricesOption
from aucenv.commands.options.outputs import Outputs
from aucenv.core.records.figures import TextTable
from aucenv.core.words.outside_text import MASK, one_line
from aucenv.registration import FAMILIES
from aucenv.runs.model_calls.token_prices import dollars

if TYPE_CHECKING:
    from aucenv.baselines.llm.cost_estimate import Estimate, Measured
    from aucenv.baselines.llm.endpoints.check import EndpointReport
    from aucenv.core.files import JsonObject


def check(
    bidder: Annotated[str, typer.Argument(metavar="BIDDER", help="A bidder that calls a model, as in --bidder.")],
    prices: PricesOption = None,
    json_file: JsonOption = None,
) -> None:
    """Ask a model a few small things: what its endpoint supports, what games cost there, and which bidder to use.

    About ten short calls are made. The exit status is 1 if the model cannot be called.
    """
    run_uncompiled()
    from aucenv.baselines.llm.cost_estimate import estimates, measure, reported_prices
    from aucenv.baselines.llm.endpoints.check import check_endpoint
    from aucenv.runs.model_calls.token_prices import TokenPrices

    outputs = Outputs(json_file)
    token_prices = TokenPrices() if prices is None else TokenPrices.read(prices)
    report = check_endpoint(bidder, lambda why: print_safely(why, err=True))
    measured = measure(report)
    costs = list(estimates(report, measured, token_prices))
    derived = reported_prices(report.replies.completions) is not None
    tables = [_features(report), _costs(costs, _basis(report, measured, costs, derived))]
    outputs.show(tables, [_as_json(report, costs)])
    for line in _advice(report):
        print_safely(line, err=outputs.tables_to_stderr)


def _features(report: EndpointReport) -> TextTable:
    lines = [[feature.name, feature.supported, feature.note] for feature in report.features]
    model = report.replies.model
    title = one_line(f"{model.name} at {model.endpoint}")
    return TextTable(title, ("feature", "supported", "note"), lines)


def _costs(costs: list[Estimate], note: str) -> TextTable:
    headings = ("game", "agent", "calls", "cost", "tokens in", "tokens out", "scenario")
    lines = [
        [
            *(each.game, each.agent, f"{each.calls:,}"),
            "unknown" if each.cost is None else dollars(each.cost),
            *(f"{each.tokens_in:,}", f"{each.tokens_out:,}", each.scenario),
        ]
        for each in costs
    ]
    return TextTable("cost of a game, for one bidder", headings, lines, note)


def _basis(report: EndpointReport, measured: Measured, costs: list[Estimate], derived: bool) -> str:
    """Return on what the estimates rest."""
    model = report.replies.model
    whose = "measured" if not measured.is_assumed else "assumed, because the endpoint reports no usage"
    length = f"{measured.spoken:,.0f} tokens a reply"
    if measured.reasoning:
        length += f" after {measured.reasoning:,.0f} of reasoning"
    if measured.is_cut:
        length += " (at most: the bid above was cut off)"
    parts = [
        "An estimate: the calls and prompts are those of a dry run of one game, in which a rule bidder decides in the "
        f"agent's place and the others are rule bidders. {measured.ratio:.1f} characters per token ({whose}) and "
        f"{length}; plans and beliefs take at least as many. Prompts that the endpoint reads from a cache cost less."
    ]
    if derived:
        parts.append("Prices are derived from the costs that the endpoint reports.")
    elif any(each.cost is None for each in costs):
        example = f'{{"{model.name}": {{"input": 0.4, "output": 1.6}}}}'
        parts.append(f"The price of {model.name} is unknown: --prices FILE sets it, as in {example}.")
    return one_line(" ".join(parts))


def _advice(report: EndpointReport) -> list[str]:
    """Return the lines about the bidder to use."""
    from aucenv.baselines.llm.options import agents_of
    from aucenv.policy.registry import scripted_bidders

    game = next(game for game in FAMILIES if report.agent in agents_of(game))
    rivals = [name for name, rule in scripted_bidders(game).items() if not rule.cheats][:2]
    words = ["aucenv", "leaderboard", *(["--game", game] if game != "english" else [])]
    for name in (report.bidder, *rivals):
        words += ["--bidder", name]
    lines = [
        f"{len(report.replies.completions)} calls were made.",
        f"bidder to use: {report.bidder}",
        shlex.join(words),
    ]
    if f"={MASK}" in report.bidder:
        lines.append(f"Write the values of headers in place of {MASK}, or env:VARIABLE for that of a variable.")
    return lines


def _as_json(report: EndpointReport, costs: list[Estimate]) -> JsonObject:
    return {
        "model": report.replies.model.name,
        "endpoint": report.replies.model.endpoint,
        "bidder": report.bidder,
        "features": {
            feature.name: {"supported": feature.supported, "note": feature.note} for feature in report.features
        },
        "games": [dataclasses.asdict(each) for each in costs],
    }
