"""The command `aucenv new houses`: let a model write houses for housing auctions."""

from __future__ import annotations

import contextlib
import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from aucenv.commands.console.terminal import check_writable, print_safely, run_uncompiled, running
from aucenv.commands.options.costs import RunCosts
from aucenv.commands.options.options import MaxCostOption, OnModelFailure, PricesOption, YesOption, make_run_options
from aucenv.commands.options.parsers import text_option, whole_option
from aucenv.commands.options.prices import print_prices, refuse_paid
from aucenv.core.files import JsonObject, drop_cut_off_line, write_atomically
from aucenv.core.words.phrases import count

if TYPE_CHECKING:
    from aucenv.baselines.llm.house_writer import HouseWriter
    from aucenv.runs.run_options import RunOptions

SOLD = 10
"""The number of houses in each game of the printed command, as in the named scenarios."""


def new_houses(
    model: Annotated[
        str,
        text_option(
            "The model that writes.\n\nllm:openai:MODEL,... as in the name of a bidder. Its temperature is 1 by "
            "default.",
            "MODEL",
            "--model",
        ),
    ],
    number: Annotated[
        int,
        whole_option(
            "Number of houses.\n\nThey are spread evenly over the ten personas: 40 are four for each.",
            1,
            400,
            "--houses",
        ),
    ] = 40,
    out: Annotated[Path, text_option("New file of the houses, NAME.jsonl.", "FILE", "--out")] = Path("houses.jsonl"),
    max_cost: MaxCostOption = None,
    prices: PricesOption = None,
    yes: YesOption = False,
) -> None:
    """Let a model write new houses for harbor: features, starting price, true value and a description of each.

    Each house is a call. If a house cannot be used, the model is asked again with the reason, at most twice. FILE is
    written when all houses are there. Until then, NAME-calls.jsonl keeps the calls, and the same command resumes.
    """
    if out.suffix != ".jsonl":
        raise ValueError(f"--out: expected a file whose name ends in .jsonl, as for --scenario, got {str(out)!r}")
    if out.exists():
        raise FileExistsError(f"{out}: expected a new file")
    check_writable(out)
    run_uncompiled()
    from aucenv.baselines.llm.house_writer import make_writer

    writer = make_writer(model)
    costs = RunCosts()
    options = costs.followed(make_run_options(1, None, OnModelFailure.stop, prices, max_cost))
    calls = out.with_name(f"{out.stem}-calls.jsonl")
    with costs.printed_if_stopped(), running(calls, "houses", costs.kept) as advance:
        houses = _write(writer, number, options, calls, advance, yes)
    write_atomically(out, "".join(json.dumps(house, ensure_ascii=False) + "\n" for house in houses))
    calls.unlink(missing_ok=True)
    costs.print()
    command = ["aucenv", "leaderboard", "--game", "harbor", "--scenario", str(out)]
    command += ["--set", f"num_items={SOLD}"] if number > SOLD else []
    print_safely(f"{out} has {count(number, 'house')}; to play with them: {shlex.join(command)}")


def _write(
    writer: HouseWriter,
    number: int,
    options: RunOptions,
    calls: Path,
    advance: Callable[[int, int, str], None],
    yes: bool,
) -> list[JsonObject]:
    """Return the houses, from the calls that are kept in a file and from new ones, which are added to it."""
    from aucenv.baselines.llm.house_writer import HouseRun

    if calls.exists():
        drop_cut_off_line(calls, "its model is called again")
    houses: list[JsonObject] = []
    with contextlib.closing(options.journal(calls)) as journal:
        journal.on_call = lambda: advance(len(houses), number, str(journal))
        advance(0, number, str(journal))
        run = HouseRun(writer, number, journal, lambda finished: _approve(writer, number, finished, options, yes))
        for house in run.write():
            houses.append(house)
            journal.on_call()
    return houses


def _approve(writer: HouseWriter, number: int, finished: int, options: RunOptions, yes: bool) -> None:
    """Print the estimated price of the houses that are not finished.

    Raises:
        ValueError: They cost something, or the price is unknown, and the user has not agreed to that.
    """
    from aucenv.baselines.llm.cost_estimate import CHARACTERS_PER_TOKEN
    from aucenv.baselines.llm.house_writer import REPLY, prompt_characters
    from aucenv.benchmarks.model_prices import Price
    from aucenv.runs.model_calls.token_prices import TokenPrices

    missing = number - finished
    characters = prompt_characters(number, finished)
    tokens = round(characters / CHARACTERS_PER_TOKEN), round(missing * REPLY / CHARACTERS_PER_TOKEN)
    cost = (options.prices or TokenPrices()).cost(writer.model.endpoint, writer.model.name, *tokens)
    price = Price(writer.label, 0, missing, *tokens, cost, reply=REPLY, purpose=f"for {count(missing, 'house')}")
    print_prices([price]) if yes else refuse_paid([price], "--houses")
