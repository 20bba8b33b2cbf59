"""The commands `aucenv train ppo` and `aucenv exploit`."""

from __future__ import annotations

import enum
import json
import shlex
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from aucenv.commands.console.tables import print_tables
from aucenv.commands.console.terminal import JSON_ROWS, check_writable
from aucenv.commands.options.completion import bidders, fields
from aucenv.commands.options.help_pages import OUTPUT
from aucenv.commands.options.options import GameOption, ScenarioOption, TrainResumeOption, YesOption
from aucenv.commands.options.parsers import assignments, choice_option, text_option, whole_option
from aucenv.core.extras import explain_missing_package
from aucenv.core.files import JsonObject, to_pretty_json, write_atomically
from aucenv.core.progress import Task, doing
from aucenv.core.records.figures import TextTable, score_unit

RivalsOption = Annotated[
    list[str] | None,
    text_option(
        "Bidders of the other seats; repeatable.\n\nOnce for all seats, or once for each; of A|B one is drawn for each "
        "game. `self` is the learner, which then learns from all seats; `population` draws bidders of the game's "
        "population. Default: self.",
        "BIDDER",
        "--rivals",
        autocompletion=bidders,
    ),
]
EnvOption = Annotated[
    list[str] | None,
    text_option(
        "Change a field of the scenario; repeatable.\n\nSuch as num_bidders=2, or another argument of the environment "
        "that sets the vector actions, such as ladder=20.",
        "NAME=VALUE",
        "--env",
        autocompletion=fields,
    ),
]
SetOption = Annotated[
    list[str] | None,
    text_option(
        "Change a setting of PPO; repeatable.\n\nSuch as updates=300, lstm=64 or eval_games=1000.",
        "NAME=VALUE",
        "--set",
    ),
]
EVAL_GAMES = "4800"
"""The number of games of an evaluation, unless --set eval_games sets another one."""
PPOSeedOption = Annotated[int, whole_option("Seed of all random numbers.", 0, 2**32 - 1, "--seed")]


def train_ppo(
    game: GameOption = "english",
    scenario: ScenarioOption = None,
    env: EnvOption = None,
    rivals: RivalsOption = None,
    bidder: Annotated[
        list[str] | None,
        text_option(
            "Bidder of evaluations; repeatable.\n\nEvaluations compare the network with these bidders in the same "
            "seats. Default: all built-in ones that do not cheat.",
            "BIDDER",
            "--bidder",
            autocompletion=bidders,
        ),
    ] = None,
    change: SetOption = None,
    seed: PPOSeedOption = 0,
    resume: TrainResumeOption = False,
    out: Annotated[
        Path,
        text_option(
            "Folder of the run.\n\nIt gets the network, TensorBoard's figures and evaluations.", "DIR", "--out"
        ),
    ] = Path("ppo"),
) -> None:
    """Train a neural network by PPO, against rivals or in self-play (needs the extra `ppo`).

    The network is saved and evaluated regularly. Ctrl-C stops the run; --resume continues after the last save, with the
    same results as without the interruption.
    """
    with explain_missing_package("train ppo", "ppo"):
        from aucenv.training.ppo.config import PPOConfig
        from aucenv.training.ppo.run import Run
    from aucenv.core.scenarios import assigned

    config = PPOConfig.read(
        str(out),
        game,
        {"eval_games": EVAL_GAMES} | assignments("--set", change),
        scenario=scenario or "",
        arguments=assigned(env or (), "--env"),
        rivals=tuple(rivals or ("self",)),
        bidders=tuple(bidder or ()),
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
        print_tables([_evaluation_table(rows, config.eval_games)])
    chosen = f" --scenario {config.scenario}" if config.scenario else ""
    fields_changed = {name: value for name, value in config.arguments.items() if name not in config.action_options}
    changed = "".join(f" --set {shlex.quote(f'{name}={json.dumps(value)}')}" for name, value in fields_changed.items())
    typer.echo(f"play it: aucenv leaderboard --game {game}{chosen}{changed} --bidder ppo:{run.model} --bidder ...")


class Method(enum.StrEnum):
    """The methods of `aucenv exploit`."""

    exact = "exact"
    ppo = "ppo"


def exploit(
    bidder: Annotated[
        str, typer.Argument(metavar="BIDDER", help="The bidder that is exploited.", autocompletion=bidders)
    ],
    game: GameOption = "english",
    scenario: ScenarioOption = None,
    env: EnvOption = None,
    rivals: Annotated[
        list[str] | None,
        text_option(
            "Bidders of the other seats; repeatable.\n\nOnce for all seats, or once for each. Default: the same "
            "bidder.",
            "BIDDER",
            "--rivals",
            autocompletion=bidders,
        ),
    ] = None,
    method: Annotated[
        Method | None,
        choice_option(
            "How the best response is computed.\n\nexact: theory enumerates all bids. ppo: a best response is trained. "
            "Default: exact where it is possible, in sealed bids, otherwise ppo.",
            Method,
            "--method",
        ),
    ] = None,
    games: Annotated[int, whole_option("Number of games.\n\nThe gain is measured in them.", 2, 10_000_000)] = 20_000,
    change: SetOption = None,
    seed: PPOSeedOption = 0,
    resume: TrainResumeOption = False,
    yes: YesOption = False,
    out: Annotated[Path, text_option("Folder of the best response of PPO.", "DIR", "--out", group=OUTPUT)] = Path(
        "exploit"
    ),
    json_file: Annotated[Path | None, text_option("Write the result as JSON.", "FILE", "--json", group=OUTPUT)] = None,
) -> None:
    """Measure how much a best response gains against a bidder, a lower bound on its exploitability.

    The best response plays the bidder's seat, and the other seats are played by the same bidder, or by --rivals, which
    do not learn. Gains are dollars a game, in sealed bids and on clocks dollars a round, and in water allocation days
    lived. --method ppo needs the extra `ppo`.
    """
    if json_file is not None:
        check_writable(json_file, "--json", JSON_ROWS)
    from aucenv.core.scenarios import assigned
    from aucenv.training.ppo.config import PPOConfig
    from aucenv.training.ppo.exploit import Exploit, exploit_by_ppo, exploit_exactly, model_calls

    config = PPOConfig.read(
        str(out),
        game,
        assignments("--set", change),
        scenario=scenario or "",
        arguments=assigned(env or (), "--env"),
        rivals=tuple(rivals or (bidder,)),
        seed=seed,
    )
    chosen = Exploit(bidder, game, config.loaded_scenario, config.rivals_by_seat)
    is_exact = method is Method.exact or (method is None and chosen.exact() is not None)
    if is_exact:
        result = exploit_exactly(chosen)
    else:
        calls = model_calls(chosen, config, games)
        if calls is not None and not yes:
            raise ValueError(f"bidder {bidder!r}: this needs {calls}; --yes starts it, --set and --games reduce it")
        with doing("updates", config.updates) as task:
            result = exploit_by_ppo(chosen, config, resume, games, partial(_show_update, task))
    if json_file is not None:
        write_atomically(json_file, to_pretty_json(result))
    print_tables([_exploit_table(result, is_exact)])


def _exploit_table(result: JsonObject, is_exact: bool) -> TextTable:
    from aucenv.analysis.statistics.metrics import figures_of

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
