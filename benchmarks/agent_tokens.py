"""Count the tokens per call and per game of each agent, with its default prompts and with its presets.

Each game is a dry run of the game's default scenario: the prompts are real, a rule bidder decides, and every reply has
at least REPLY characters. Run `python -m aucenv.benchmarks.agent_tokens`.
"""

from __future__ import annotations

from aucenv.baselines.llm.agents.agent import SamplingOptions
from aucenv.baselines.llm.cost_estimate import CHARACTERS_PER_TOKEN
from aucenv.baselines.llm.dry_run import dry_run
from aucenv.baselines.llm.options import AGENTS
from aucenv.benchmarks.model_prices import REPLY
from rich.console import Console
from rich.table import Table

GAMES: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("english", "bdi", {}),
    ("harbor", "harbor", {"tom": "second", "strategy": "expact"}),
    ("sealed_bid", "plan-bid-reflect", {}),
    ("clock", "plan-bid-reflect", {}),
    ("ebay", "plan-bid-reflect", {}),
    ("water_allocation", "resident", {}),
)
"""Game, agent, and its options."""


def main() -> None:
    """Print the table."""
    headings = ("game", "agent", "preset", "calls", "prompt tokens per call", "tokens per call", "tokens per game")
    table = Table(*headings, title=f"{CHARACTERS_PER_TOKEN:g} characters per token, replies of {REPLY} characters")
    for game, agent, options in GAMES:
        for preset in ("default", *AGENTS[agent].presets):
            run = dry_run(game, agent, {**options, "preset": preset}, SamplingOptions(None, 1024, None), REPLY)
            prompts, replies = (sum(lengths) / CHARACTERS_PER_TOKEN for lengths in (run.prompts, run.replies))
            calls = len(run.prompts)
            figures = (calls, prompts / calls, (prompts + replies) / calls, prompts + replies)
            table.add_row(game, agent, preset, *(f"{figure:,.0f}" for figure in figures))
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
