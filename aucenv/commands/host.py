"""The command `aucenv host`."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated

import typer

from aucenv.commands.costs import RunCosts
from aucenv.commands.hosting.feedback import Feedback
from aucenv.commands.options import (
    BudgetOption,
    DiscountOption,
    FailureOption,
    GameOption,
    IncrementOption,
    ItemsOption,
    MaxCostOption,
    OnModelFailure,
    OrderOption,
    OverestimateOption,
    PricesOption,
    ResumeOption,
    ScenarioOption,
    SetOption,
    auction_settings,
    make_run_options,
)
from aucenv.commands.parsers import choice_option, whole_option
from aucenv.commands.play import DrawnSeedOption, SeatedOption, SecondsOption, games_of, print_results
from aucenv.commands.terminal import print_safely, running
from aucenv.core.extras import explain_missing_package


class OnTimeout(enum.StrEnum):
    """What happens if a person does not decide in time."""

    again = "again"
    withdraw = "withdraw"


def host(
    game: GameOption = "english",
    bidder: SeatedOption = None,
    scenario: ScenarioOption = None,
    items: ItemsOption = None,
    budget: BudgetOption = None,
    order: OrderOption = None,
    overestimate: OverestimateOption = None,
    increment: IncrementOption = None,
    discount: DiscountOption = None,
    changes: SetOption = None,
    games: Annotated[int, whole_option("Games at each table, one after another; seats rotate.", 1, 10_000)] = 1,
    tables: Annotated[
        int, whole_option("Tables that play at the same time, each with people of its own.", 1, 1000)
    ] = 1,
    seed: DrawnSeedOption = None,
    seconds: SecondsOption = 0.0,
    on_timeout: Annotated[
        OnTimeout,
        choice_option(
            "again: who does not decide in time is asked once more, and then makes no bid. withdraw: makes no bid.",
            OnTimeout,
            "--on-timeout",
        ),
    ] = OnTimeout.again,
    rubrics: Annotated[
        bool, typer.Option("--rubrics", help="After a game, ask people to rate their play (water_allocation).")
    ] = False,
    feedback: Annotated[
        Feedback,
        choice_option(
            "What people see of a game while further games follow. none: nothing. own: their own result. all: its "
            "replay, with everything that was hidden. After the last game, they see its replay.",
            Feedback,
            "--feedback",
        ),
    ] = Feedback.none,
    address: Annotated[str, typer.Option("--host", help="Address to listen on; 0.0.0.0 = all networks.")] = "127.0.0.1",
    port: Annotated[int, whole_option("Port to listen on; 0 takes a free one.", 0, 65535)] = 8765,
    origin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ORIGIN", help="A further address of the page, such as https://auctions.example, behind a proxy."
        ),
    ] = None,
    certificate: Annotated[Path | None, typer.Option(metavar="FILE", help="TLS certificate, PEM.")] = None,
    key: Annotated[Path | None, typer.Option(metavar="FILE", help="Its private key, PEM.")] = None,
    exit_when_over: Annotated[
        bool, typer.Option("--exit-when-over", help="End when all games are over; otherwise people can look at them.")
    ] = False,
    on_model_failure: FailureOption = OnModelFailure.forfeit,
    max_cost: MaxCostOption = None,
    prices: PricesOption = None,
    out: Annotated[Path, typer.Option(help="Results folder; a stopped run in it is resumed.")] = Path("live"),
    resume: ResumeOption = False,
) -> None:
    """Let people play in their browsers, with any bidders in the other seats (needs the extra `web`).

    The command prints a link for each person, which nobody else may have, one for observers and one for the host. A
    table starts when its people are there. Ctrl-C stops the run, and the same command resumes it.
    """
    with explain_missing_package("host", "web"):
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
        import websockets  # noqa: F401
    changed = auction_settings(order, False, overestimate, increment, discount, None, None, None, changes)
    people = games_of(game, bidder, scenario, items, budget, games, seed, seconds, changed, out, tables)
    from aucenv.commands.hosting.session import Session

    if (certificate is None) != (key is None):
        raise ValueError("--certificate, --key: expected both or neither")
    if on_timeout is OnTimeout.withdraw:
        people = people.asked(0)
    costs = RunCosts()
    options = costs.followed(make_run_options(1, None, on_model_failure, prices, max_cost))
    session = Session(people, options, out, resume, rubrics, origin or (), feedback)
    with running(out, also_kept=costs.kept) as advance:
        records = session.run(address, port, certificate, key, exit_when_over, _print_links, advance)
    print_results(people, records, out)
    costs.print()


def _print_links(lines: list[str]) -> None:
    for line in lines:
        print_safely(line)
