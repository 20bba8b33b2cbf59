"""Write the gallery of the documentation: one report of each game, by built-in bidders and the script for a model.

`python -m aucenv.benchmarks.gallery docs/gallery` plays the games and writes the pages.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import typer
from aucenv.benchmarks.rankings.leaderboard import run
from aucenv.benchmarks.rankings.settings import Settings
from aucenv.benchmarks.report.page import report

from aucenv.core.files import write_atomically

BIDDERS = {
    "english": ("agent=llm:scripted,agent=bdi", "rule", "value", "pace", "drain"),
    "harbor": ("agent=llm:scripted,agent=harbor", "rule,k=3", "expact", "persona"),
    "sealed_bid": ("agent=llm:scripted,agent=plan-bid-reflect", "equilibrium", "truthful", "shade"),
    "clock": ("agent=llm:scripted,agent=plan-bid-reflect", "truthful", "naive", "shade"),
    "ebay": ("agent=llm:scripted,agent=plan-bid-reflect", "truthful", "sniper", "incremental"),
    "water_allocation": ("agent=llm:scripted,agent=resident", "thirst", "share", "outbid", "saver"),
}
GAMES = 40
"""The least number of games of each report: enough deals for intervals in every game."""
CALLS = 4


def write_gallery(folder: Path, games: int = GAMES) -> list[Path]:
    """Play the games of each report, and write the pages.

    Args:
        folder: The folder of the pages.
        games: The least number of games of each report.

    Returns:
        The pages.
    """
    folder.mkdir(parents=True, exist_ok=True)
    pages = []
    for game, bidders in BIDDERS.items():
        with tempfile.TemporaryDirectory() as results:
            out = Path(results) / game
            run(Settings(game=game, bidders=bidders, games=games), out=out)
            page = folder / f"{game}.html"
            write_atomically(page, report([out], CALLS))
        pages.append(page)
    return pages


def main() -> None:
    """Write the gallery."""
    parser = argparse.ArgumentParser(prog="python -m aucenv.benchmarks.gallery", description=main.__doc__)
    parser.add_argument("folder", type=Path, help="the folder of the pages, docs/gallery")
    for page in write_gallery(parser.parse_args().folder):
        typer.echo(f"{page}: {page.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
