"""The commands `aucenv train ppo` and `aucenv exploit`."""

from __future__ import annotations

import enum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from aucenv.commands.options import GameOption, WideOption
from aucenv.commands.parsers import assignments, choice_option, whole_option
from aucenv.commands.tables import print_tables
from aucenv.commands.terminal import JSON_ROWS, check_writable
from aucenv.core.extras import explain_missing_package
from aucenv.core.figures import TextTable, score_unit
from aucenv.core.files import JsonObject, to_pretty_json, write_atomically
from aucenv.core.progress import Task, doing

RivalsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--rivals",
        metavar="BIDDER|BIDDER...",
        help="Bidders of the other seats, one of which is drawn for each game; once for all seats, or once for each. "
        "`self` is the learner, which then learns from all seats; `population` draws bidders of the game's population. "
        "Default: self.",
    ),
]
EnvOption = Annotated[
    list[str] | None,
    typer.Option(
        "--env",
        metavar="NAME=VALUE",
        help="Change an argument of the environment, such as num_bidders=2; repeat the option for several.",
    ),
]
SeatsOption = Annotated[
    int | None,
    whole_option("Number of bidders in a game, as --env num_bidders=N. Default: that of the scenario.", 1, 10_000),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Change a setting of PPO, such as updates=300 or lstm=64; repeat the option for several.",
    ),
]


def train_ppo(
    game: GameOption = "english",
    scenario: Annotated[str, typer.Option(help="Name or file of the scenario. Default: the game's default.")] = "",
    env: EnvOption = None,
    seats: SeatsOption = None,
    rivals: RivalsOption = None,
    out: Annotated[Path, typer.Option(help="Folder for the network, TensorBoard's figures and evaluations.")] = Path(
        "ppo"
    ),
    bidder: Annotated[
        list[str] | None,
        typer.Option(
            metavar="BIDDER",
            help="Bidders with which evaluations compare the network, in the same seats. Default: all built-in ones "
            "that do not cheat.",
        ),
    ] = None,
    eval_games: Annotated[int, whole_option("Games of each evaluation; 0 = none.", 0, 10_000_000)] = 4800,
    change: SetOption = None,
    seed: Annotated[int, whole_option("Seed of all random numbers.", 0, 2**32 - 1)] = 0,
    resume: Annotated[bool, typer.Option("--resume", help="Resume the run in --out.")] = False,
    wide: WideOption = False,
) -> None:
    """Train a neural network by PPO, against rivals or in self-play (needs the extra `ppo`).

    The network is saved and evaluated regularly. Ctrl-C stops the run; --resume continues after the last save, with the
    same results as without the interruption.
    """
    with explain_missing_package("train ppo", "ppo"):
        from aucenv.training.ppo.config import PPOConfig
        from aucenv.training.ppo.run import Run
    config = PPOConfig.read(
        str(out),
        game,
        assignments("--set", change),
        scenario=scenario,
        arguments=_arguments(env, seats),
        rivals=tuple(rivals or ("self",)),
        bidders=tuple(bidder or ()),
        eval_games=eval_games,
        seed=seed,
    )
    run = Run(config, resume)
    try:
        with doing("updates", config.updates, run.learner.update) as task:
            rows = run.train(partial(_show_update, task))
    except KeyboardInterrupt:
        typer.echo("stopped; --resume continues after the last save", err=True)
        raise typer.Exit(130) from None
    if rows:
        print_tables([_evaluation_table(rows, config.eval_games)], wide=wide)
    chosen = f" --scenario {config.scenario}" if config.scenario else ""
    seated = f" --seats {config.arguments['num_bidders']}" if "num_bidders" in config.arguments else ""
    typer.echo(f"play it: aucenv leaderboard --game {game}{chosen}{seated} --bidder ppo:{run.model} --bidder ...")


class Method(enum.StrEnum):
    """The methods of `aucenv exploit`."""

    exact = "exact"
    ppo = "ppo"


def exploit(
    bidder: Annotated[str | None, typer.Argument(metavar="BIDDER", help="The bidder that is exploited.")] = None,
    named: Annotated[
        str | None,
        typer.Option("--bidder", metavar="BIDDER", help="The same, as an option like those of other commands."),
    ] = None,
    game: GameOption = "english",
    scenario: Annotated[str, typer.Option(help="Name or file of the scenario. Default: the game's default.")] = "",
    env: EnvOption = None,
    seats: SeatsOption = None,
    rivals: Annotated[
        list[str] | None,
        typer.Option("--rivals", metavar="BIDDER", help="Bidders of the other seats, one or one for each seat."),
    ] = None,
    method: Annotated[
        Method | None,
        choice_option(
            "exact: theory enumerates all bids. ppo: a best response is trained. Default: exact where it is possible, "
            "in sealed bids, otherwise ppo.",
            Method,
            "--method",
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the best response that PPO trains.")] = Path("exploit"),
    games: Annotated[int, whole_option("Games in which the gain is measured.", 2, 10_000_000)] = 20_000,
    change: SetOption = None,
    seed: Annotated[int, whole_option("Seed of all random numbers.", 0, 2**32 - 1)] = 0,
    resume: Annotated[bool, typer.Option("--resume", help="Resume the training in --out.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Ask models as often as estimated.")] = False,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Also write the result to FILE as JSON.")
    ] = None,
    wide: WideOption = False,
) -> None:
    """Measure how much more than a bidder a best response earns against it: a lower bound on its exploitability.

    The best response plays the bidder's seat, and the other seats are played by the same bidder, or by --rivals, which
    do not learn. Gains are dollars a game, in sealed bids and on clocks dollars a round, and in water allocation days
    lived. --method ppo needs the extra `ppo`.
    """
    if (bidder is None) == (named is None):
        raise ValueError(
            f"--bidder: expected one bidder, as in aucenv exploit shade or --bidder shade, got "
            f"{'none' if bidder is None else f'{bidder!r} and {named!r}'}"
        )
    exploited = bidder or named or ""
    if json_file is not None:
        check_writable(json_file, "--json", JSON_ROWS)
    from aucenv.training.ppo.config import PPOConfig
    from aucenv.training.ppo.exploit import Exploit, exploit_by_ppo, exploit_exactly, model_calls

    config = PPOConfig.read(
        str(out),
        game,
        assignments("--set", change),
        scenario=scenario,
        arguments=_arguments(env, seats),
        rivals=tuple(rivals or (exploited,)),
        seed=seed,
    )
    chosen = Exploit(exploited, game, config.loaded_scenario, config.rivals_by_seat)
    is_exact = method is Method.exact or (method is None and chosen.exact() is not None)
    if is_exact:
        result = exploit_exactly(chosen)
    else:
        calls = model_calls(chosen, config, games)
        if calls is not None and not yes:
            raise ValueError(f"bidder {exploited!r}: this needs {calls}; --yes starts it, --set and --games reduce it")
        with doing("updates", config.updates) as task:
            result = exploit_by_ppo(chosen, config, resume, games, partial(_show_update, task))
    if json_file is not None:
        write_atomically(json_file, to_pretty_json(result))
    print_tables([_exploit_table(result, is_exact)], wide=wide)


def _exploit_table(result: JsonObject, is_exact: bool) -> TextTable:
    from aucenv.analysis.metrics import figures_of

    unit = score_unit(figures_of(result["game"]))
    share = f"{result['gain'] / result['range']:.2%}"
    exact = "-" if result["exact"] is None else f"{result['exact']:,.4f}"
    interval = "-" if is_exact else f"{result['low']:,.4f} to {result['high']:,.4f}"
    headings = ("bidder", "rivals", f"gain, {unit}", "95% interval", f"exact gain, {unit}", "gain / range")
    kind = "exact" if is_exact else "a lower bound on exploitability"
    row = [result["bidder"], ", ".join(result["rivals"]), f"{result['gain']:,.4f}", interval, exact, share]
    return TextTable(f"gain of a best response, {result['game']}, {result['scenario']}: {kind}", headings, [row])


def _show_update(task: Task, figures: JsonObject) -> None:
    task.update(figures["update"], note=f"reward per game {figures['reward']:.4f}")


def _evaluation_table(rows: list[JsonObject], games: int) -> TextTable:
    texts = [
        [
            row["bidder"],
            f"{row['score']:,.2f}",
            f"{row['gain']:+,.2f} ({row['low']:+,.2f} to {row['high']:+,.2f})" if "gain" in row else "-",
        ]
        for row in rows
    ]
    headings = ("bidder", "score", "ppo's score less the bidder's (95% interval)")
    return TextTable(f"{games:,} games in the same seats", headings, texts)


def _arguments(env: list[str] | None, seats: int | None) -> JsonObject:
    """Return the arguments of the environment that --env and --seats change.

    Raises:
        ValueError: The options contradict each other, or one has no value.
    """
    from aucenv.core.scenarios import assigned

    arguments = assigned(env or (), "--env")
    if seats is None:
        return arguments
    if arguments.get("num_bidders", seats) != seats:
        raise ValueError(f"--seats: expected {arguments['num_bidders']}, as --env num_bidders states, got {seats}")
    return {**arguments, "num_bidders": seats}
