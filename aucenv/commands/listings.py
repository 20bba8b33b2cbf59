"""The commands `aucenv studies`, `envs` and `bidders`, which list what is available."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable
from importlib import import_module
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated

import typer

from aucenv.commands.console.tables import print_tables
from aucenv.commands.console.terminal import terminal_width
from aucenv.commands.options.options import GameOption, PricesOption, WideOption
from aucenv.commands.options.parsers import flag, text_option
from aucenv.core.records.figures import TextTable
from aucenv.registration import FAMILIES, PROBLEMS, find_family
from aucenv.runs.model_calls.token_prices import dollars

if TYPE_CHECKING:
    from aucenv.benchmarks.model_prices import Price


def studies(
    model: Annotated[
        str | None,
        text_option(
            "Estimate the price with this model.\n\nThe calls, tokens and dollars of each study with the model, such "
            "as llm:openai:gpt-4.1-mini, in place of its bidders.",
            "MODEL",
            "--model",
        ),
    ] = None,
    prices: PricesOption = None,
    wide: WideOption = False,
) -> None:
    """List the studies: what each shows, its games, and the minutes of its offline run (`aucenv study all`)."""
    from aucenv.benchmarks.studies.all_studies import offline_minutes
    from aucenv.benchmarks.studies.registry import STUDIES
    from aucenv.runs.model_calls.token_prices import TokenPrices

    minutes = offline_minutes()
    table_of_prices = TokenPrices() if prices is None else TokenPrices.read(prices)
    headings = ["study", "what it shows", "games", "minutes offline"]
    headings += ["calls", "tokens in", "tokens out", "cost, $"] if model else []
    rows = []
    for name, study in STUDIES.items():
        games = "-" if study.trains else f"{study.num_games:,}"
        row = [name, study.about, games, f"{minutes[name]:.1f}" if name in minutes else "-"]
        if model:
            from aucenv.benchmarks.studies.study_prices import price_with_model  # needs the extra llm

            price = None if study.trains else price_with_model(study, model, table_of_prices)
            row += ["-"] * 4 if price is None else _cells_of(price)
        rows.append(row)
    print_tables([TextTable("", tuple(headings), rows)], wide=wide)


def _cells_of(price: Price) -> list[str]:
    numbers = [f"{number:,}" for number in (price.calls, price.tokens_in, price.tokens_out)]
    return [*numbers, "unknown" if price.cost is None else dollars(price.cost, 2).removeprefix("$")]


def envs() -> None:
    """List the environments and their scenarios."""
    from aucenv.core.game import GameError

    broken = []
    for family in FAMILIES.values():
        try:
            scenarios = family.game.scenarios
        except GameError as error:
            broken.append(f"aucenv: {error}")
            continue
        _describe(
            f"aucenv.{family.label}", f"pettingzoo.make: {family.env_name}", [f"scenarios: {', '.join(scenarios)}"]
        )
    for line in (*broken, *(f"aucenv: {problem}" for problem in PROBLEMS.values())):
        typer.echo(line, err=True)


def bidders(
    game: GameOption = "english",
    population: Annotated[
        bool,
        flag(
            "List the families of the population.\n\nWith ranges of parameters, in place of the bidders.",
            "--population",
        ),
    ] = False,
) -> None:
    """List a game's built-in bidders: the name, how it bids, and its parameters with defaults and ranges."""
    if population:
        _describe_families(find_family(game).name)
        return
    from aucenv.baselines.human.bidder import ABOUT as ABOUT_HUMAN
    from aucenv.baselines.llm.options import AGENTS, MODELS, agents_of
    from aucenv.policy.registry import bidder_problems, packaged_bidders, scripted_bidders
    from aucenv.training.ppo.bidder import ABOUT as ABOUT_PPO
    from aucenv.training.rlact.judges.judge_policy import ABOUT, DEFAULTS, OPTIONS
    from aucenv.training.rlact.policy import ABOUT as ABOUT_RLACT
    from aucenv.training.rlact.policy import ABOUT_SMOLLM2, SMOLLM2_KIND
    from aucenv.training.rlact.probes.policy import ABOUT as ABOUT_PROBE
    from aucenv.training.rlact.sealed.judge import ABOUT as ABOUT_SEALED
    from aucenv.training.rlact.sealed.members import GAME as SEALED_BID

    family = find_family(game)
    for name, bidder in scripted_bidders(family.name).items():
        note = " [Cheats: it sees hidden information.]" if bidder.cheats else ""
        _describe(
            name,
            f"{bidder.about}.{note}",
            map(str, bidder.parameters),
        )
    _describe("human:NAME, human", f"{ABOUT_HUMAN}.", ["seconds=0", "asks=1", "table=1"])
    for kind, (options, about) in MODELS.items():
        _describe(kind.replace("\n", ", "), about, map(str, options("plain", "")))
    for name in agents_of(family.name):
        _describe(f"llm:...,agent={name}", f"{AGENTS[name].about}.", map(str, AGENTS[name].options))
    if family.game.learning is not None:
        _describe("judge-greedy", f"{ABOUT}.", (f"{name}={getattr(DEFAULTS, name)}" for name in OPTIONS))
        of_models = ["base=", "speak="]
        _describe("rlact:PATH, rlact", f"{ABOUT_RLACT}.", of_models)
        _describe(SMOLLM2_KIND, f"{ABOUT_SMOLLM2}.", of_models)
        _describe("probe:FILE", f"{ABOUT_PROBE}.", [])
    _describe("ppo:PATH, ppo", f"{ABOUT_PPO}.", ["sample=false"])
    if family.name == SEALED_BID:
        _describe("judge-greedy,rivals=inferred", f"{ABOUT_SEALED}.", [])
    for name, (declaration, distribution) in packaged_bidders().items():
        _describe(name, f"{_about(declaration)} Of the package {distribution or declaration}.", [])
    _describe("py:MODULE:CLASS, py:FILE.py:CLASS", "A class of your own. It gets the parameters that you give.", [])
    for problem in bidder_problems():
        typer.echo(f"aucenv: {problem}", err=True)


def _about(declaration: str) -> str:
    """Return the first sentence of a class's docstring, or that it cannot be imported."""
    module, _, name = declaration.partition(":")
    try:
        text = inspect.getdoc(getattr(import_module(module), name)) or "A bidder."
    except Exception as error:  # the package may raise anything
        return f"It cannot be imported: {type(error).__name__}: {error}."
    return text.split("\n\n")[0].replace("\n", " ")


def _describe_families(game: str) -> None:
    """Print the families of a game's population: the split, who bids like this, the bidder and its parameters."""
    from aucenv.baselines.population.families import load_population
    from aucenv.policy.registry import rule_bidders

    known = rule_bidders(game)
    for family in load_population().families(game):
        about = f"{family.about} The bidder {family.bidder}: {known[family.bidder].about}."
        _describe(f"{family.name} ({family.split})", about, family.ranges_in_words())


def _describe(name: str, about: str, parameters: Iterable[str]) -> None:
    """Print a bidder's name, and below it, wrapped to the terminal, its description and its parameters."""
    width = max(terminal_width(sys.stdout) or MAX_WIDTH, MIN_WIDTH)
    typer.echo(name)
    for text, indent in ((about, 4), *((parameter, 8) for parameter in parameters)):
        lines = wrap(
            text,
            width,
            initial_indent=" " * 4,
            subsequent_indent=" " * indent,
            break_on_hyphens=False,
            break_long_words=False,
        )
        typer.echo("\n".join(lines))


MIN_WIDTH, MAX_WIDTH = 40, 100
"""The least width of a description's lines on a terminal, and their width in a file or a pipe."""
