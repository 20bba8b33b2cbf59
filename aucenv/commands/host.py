"""The command `aucenv host`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from aucenv.commands.console.terminal import print_safely, running
from aucenv.commands.hosting.feedback import Feedback
from aucenv.commands.options.costs import RunCosts
from aucenv.commands.options.help_pages import ADVANCED, OUTPUT
from aucenv.commands.options.options import (
    FailureOption,
    GameOption,
    MaxCostOption,
    OnModelFailure,
    PricesOption,
    ScenarioOption,
    SetOption,
    make_run_options,
)
from aucenv.commands.options.parsers import choice_option, flag, text_option, whole_option
from aucenv.commands.play import DrawnSeedOption, SeatedOption, games_of, print_results
from aucenv.core.extras import explain_missing_package


def host(
    game: GameOption = "english",
    bidder: SeatedOption = None,
    scenario: ScenarioOption = None,
    changes: SetOption = None,
    games: Annotated[
        int, whole_option("Number of games at each table.\n\nThey follow each other, and seats rotate.", 1, 10_000)
    ] = 1,
    tables: Annotated[
        int, whole_option("Tables that play at the same time.\n\nEach has people of its own.", 1, 1000)
    ] = 1,
    seed: DrawnSeedOption = None,
    rubrics: Annotated[
        bool,
        flag(
            "Ask people to rate their play.\n\nAfter each game, on Alympics' scales (water_allocation).",
            "--rubrics",
            ADVANCED,
        ),
    ] = False,
    feedback: Annotated[
        Feedback,
        choice_option(
            "What people see between games.\n\nnone: nothing. own: their own result. all: its replay, with "
            "everything that was hidden. After the last game, they see its replay.",
            Feedback,
            "--feedback",
        ),
    ] = Feedback.none,
    address: Annotated[str, text_option("Address; 0.0.0.0 is all of them.", "ADDRESS", "--host")] = "127.0.0.1",
    port: Annotated[int, whole_option("Port to listen on; 0: a free one.", 0, 65535)] = 8765,
    origin: Annotated[
        list[str] | None,
        text_option(
            "Further address of the page; repeatable.\n\nSuch as https://auctions.example, behind a proxy.",
            "ORIGIN",
            "--origin",
            group=ADVANCED,
        ),
    ] = None,
    certificate: Annotated[
        Path | None, text_option("TLS certificate, PEM.", "FILE", "--certificate", group=ADVANCED)
    ] = None,
    key: Annotated[Path | None, text_option("Its private key, PEM.", "FILE", "--key", group=ADVANCED)] = None,
    exit_when_over: Annotated[
        bool,
        flag("End when all games are over.\n\nOtherwise people can look at them.", "--exit-when-over", ADVANCED),
    ] = False,
    on_model_failure: FailureOption = OnModelFailure.forfeit,
    max_cost: MaxCostOption = None,
    prices: PricesOption = None,
    out: Annotated[
        Path,
        text_option("Folder to keep the run in.\n\nA stopped run in it is resumed.", "DIR", "--out", group=OUTPUT),
    ] = Path("live"),
) -> None:
    """Let people play in their browsers, with any bidders in the other seats (needs the extra `web`).

    The command prints a link for each person, which nobody else may have, one for observers and one for the host. A
    table starts when its people are there. Ctrl-C stops the run, and the same command resumes it.
    """
    with explain_missing_package("host", "web"):
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
        import websockets  # noqa: F401
    people = games_of(game, bidder, scenario, changes, games, seed, out, tables)
    from aucenv.commands.hosting.session import Session

    if (certificate is None) != (key is None):
        raise ValueError("--certificate, --key: expected both or neither")
    costs = RunCosts()
    options = costs.followed(make_run_options(1, None, on_model_failure, prices, max_cost))
    session = Session(people, options, out, rubrics, origin or (), feedback)
    with running(out, also_kept=costs.kept) as advance:
        records = session.run(address, port, certificate, key, exit_when_over, _print_links, advance)
    print_results(people, records, out)
    costs.print()


def _print_links(lines: list[str]) -> None:
    for line in lines:
        print_safely(line)
