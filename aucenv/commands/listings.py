"""The commands `aucenv studies`, `envs` and `bidders`, which list what is available."""

from __future__ import annotations

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

from aucenv.commands.options import GameOption
from aucenv.core.game import GameError
from aucenv.registration import FAMILIES, find_family


def studies() -> None:
    """List the studies."""
    from aucenv.benchmarks.studies import STUDIES, Study

    table = RichTable("study", "what it shows")
    for name in STUDIES:
        table.add_row(name, Study(name).about)
    Console().print(table)


def envs() -> None:
    """List the environments and their scenarios."""
    table = RichTable("environment", "pettingzoo.make", "scenarios")
    broken = []
    for family in FAMILIES.values():
        try:
            scenarios = "\n".join(family.game.scenarios)
        except GameError as error:
            broken.append(f"aucenv: {error}")
            continue
        table.add_row(f"aucenv.{family.label}", family.env_name, scenarios)
    Console().print(table)
    for line in broken:
        typer.echo(line, err=True)


def bidders(game: GameOption = "english") -> None:
    """List a game's built-in bidders, and their parameters with defaults."""
    from aucenv.baselines.llm.options import AGENTS, MODELS, agents_of
    from aucenv.policy.registry import scripted_bidders
    from aucenv.training.rlact.judge_policy import ABOUT, DEFAULTS, OPTIONS
    from aucenv.training.rlact.policy import ABOUT as ABOUT_RLACT

    family = find_family(game)
    table = RichTable("bidder", "parameters", "how it bids")
    for name, bidder in scripted_bidders(family.name).items():
        parameters = "\n".join(f"{p.name}={p.default:g}  ({p.least:g} to {p.most:g})" for p in bidder.parameters)
        note = " [Cheats: it sees hidden information.]" if bidder.cheats else ""
        table.add_row(name, parameters, escape(bidder.about + "." + note))
    for kind, (options, about) in MODELS.items():
        table.add_row(kind, "\n".join(str(option) for option in options("plain", "")), escape(about))
    for name in agents_of(family.name):
        agent = AGENTS[name]
        table.add_row(f"llm:...,agent={name}", escape("\n".join(map(str, agent.options))), escape(agent.about + "."))
    if family.game.learning is not None:
        parameters = "\n".join(f"{name}={getattr(DEFAULTS, name)}" for name in OPTIONS)
        table.add_row("judge-greedy", parameters, escape(f"{ABOUT}."))
        table.add_row("rlact:PATH", "base=", escape(f"{ABOUT_RLACT}."))
    table.add_row("py", "", r"A class of your own: py:package.module:Class or py:path/to/file.py:Class,key=value...")
    Console().print(table)
