"""The commands `aucenv train rlact` and `aucenv train league`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aucenv.commands.console.tables import print_tables
from aucenv.commands.options.completion import presets
from aucenv.commands.options.options import TrainResumeOption
from aucenv.commands.options.parsers import assignments, text_option, whole, whole_option
from aucenv.core.checks import MissingExtra
from aucenv.core.extras import missing_extra
from aucenv.core.files import JsonObject
from aucenv.core.records.figures import TextTable

PresetOption = Annotated[
    str | None,
    text_option(
        "Settings: the name of a preset, or a YAML file.\n\ntiny (under 45 minutes on one core), rlact-smollm2 (a "
        "Llama with 135M weights, in 3 h 35 min with one thread), paper-llama3-8b (as in HARBOR), or FILE.yaml; "
        "presets are files of this kind.",
        "NAME",
        "--preset",
        autocompletion=presets,
    ),
]
ChangeOption = Annotated[
    list[str] | None,
    text_option(
        "Change a setting; repeatable.\n\nAn unknown name prints those of RLAct, and the documentation's page on its "
        "settings describes them. A league also has rounds=4, the maximum number of rounds; updates=700, those of "
        "each round after the first; and deals=100, those of each game on which a new model is compared with its "
        "predecessor.",
        "NAME=VALUE",
        "--set",
    ),
]
TrainSeedOption = Annotated[
    int | None,
    whole_option(
        "Seed of all random numbers.\n\nExcept the judge's. Default: that of the settings (42 in presets).",
        0,
        2**32 - 1,
        "--seed",
    ),
]
LEAGUE = {"rounds": whole(1, 1000), "updates": whole(1, 10_000_000), "deals": whole(5, 1_000_000)}
"""The settings of a league itself, with their parsers; the others are those of its first round."""


SUMMARY_NOTE = (
    "decisions: number of those without a tie; right, right sampled: share of right ones among them, of the likeliest "
    "replies and of sampled ones; constant answer: share if the answer is always the same; probe: that of boosted "
    "trees. legal: share of legal "
    "replies among the sampled ones; bids: share of bids among these; regret: mean loss of the likeliest replies."
)
LOADING = "loading PyTorch: some seconds"


def rlact(
    preset: PresetOption = None,
    change: ChangeOption = None,
    seed: TrainSeedOption = None,
    resume: TrainResumeOption = False,
    out: Annotated[
        Path,
        text_option("Folder of the run.\n\nIt gets states, checkpoints, evaluations and the model.", "DIR", "--out"),
    ] = Path("rlact"),
) -> None:
    """Finetune a language model to bid, on replies that a judge values (needs the extra `rlact`).

    Ctrl-C saves a checkpoint, and --resume continues from the last one, with the settings of the run in --out: no other
    option is needed. --set model_name_or_path=FOLDER starts with another Llama, or trains the model or adapter of an
    earlier run further, such as tiny/model. The preset tiny learns the judge's better replies, and tiny-dpo compares
    sampled replies (online DPO). With tiny-dpo, --set pair_loss=decision trains on decisions alone: pairs that agree
    are dropped, and pair_states=stakes and decision_temperature=T make pairs that disagree where dollars are at stake.
    The documentation's page on RLAct defines all that is printed.
    """
    changes = assignments("--set", change) | ({} if seed is None else {"seed": str(seed)})
    try:
        from aucenv.training.rlact.settings_files import check_spelling, preset_or_file, read_origin

        named, file = preset_or_file(preset)
        if resume:
            named, file, changes = read_origin(out, named, file, changes)
        check_spelling(named, file, changes)
        _say(LOADING)
        from aucenv.training.rlact.config import read_config
        from aucenv.training.rlact.run import Run
    except ImportError as error:
        raise missing_extra(f"train rlact ({error.name})", "rlact") from None
    settings, model = read_config(named, file, out, changes)
    try:
        source = f"--preset {named or file}"
        result = Run(settings, model, resume, source, changes, say=_say).run()
    except ImportError as error:
        raise MissingExtra(f"{out}: {error}") from None
    except KeyboardInterrupt:
        typer.echo("stopped; --resume continues from the last checkpoint", err=True)
        raise typer.Exit(130) from None
    is_main_process = settings.process_index == 0  # accelerate may have launched several
    if is_main_process:
        print_tables([_summary(result, out)])
    if result["ended"] is not None:
        typer.echo(f"{result['ended']}; --resume continues the run", err=True)
        raise typer.Exit(130 if result["ended"] == "stopped" else 1)
    if is_main_process:
        typer.echo(_how_to_play(settings.games[0], out / "model"))


def league(
    preset: PresetOption = None,
    change: ChangeOption = None,
    seed: TrainSeedOption = None,
    resume: TrainResumeOption = False,
    out: Annotated[Path, text_option("Folder of the rounds and their models.", "DIR", "--out")] = Path("league"),
) -> None:
    """Train models in rounds, each against the population and all earlier ones (needs the extra `rlact`).

    The first round is `aucenv train rlact` with the same settings. A later round collects and judges decisions of the
    last model, and trains it on them. It joins the league if it earns more than before, with a 95% interval above 0;
    otherwise the league ends. Ctrl-C saves a checkpoint; --resume continues in the middle of a round.
    """
    changes = assignments("--set", change) | ({} if seed is None else {"seed": str(seed)})
    of_league = {name: LEAGUE[name](changes.pop(name)) for name in LEAGUE if name in changes}
    try:
        from aucenv.training.rlact.settings_files import check_spelling, preset_or_file

        named, file = preset_or_file(preset)
        check_spelling(named, file, changes)
        _say(LOADING)
        from aucenv.training.rlact.league import League
    except ImportError as error:
        raise missing_extra(f"train league ({error.name})", "rlact") from None
    chosen = League(out, named, file, changes, **of_league)
    try:
        results = chosen.run(resume)
    except KeyboardInterrupt:
        typer.echo("stopped; --resume continues the league", err=True)
        raise typer.Exit(130) from None
    rows = [
        [
            str(each["round"]),
            each["model"],
            "-" if each["gain"] is None else f"{each['gain']:+.2f} ({each['low']:+.2f} to {each['high']:+.2f})",
            ", ".join(f"{game} {share:.1%}" for game, share in each["agreement"].items()),
            "yes" if each["joined"] else "no",
        ]
        for each in results
    ]
    headings = ("round", "model", "gain, points (95% interval)", "decisions as its twin", "joined")
    print_tables([TextTable(f"league in {out}", headings, rows)])
    last = out / [each["model"] for each in results if each["joined"]][-1]
    typer.echo(_how_to_play(chosen.games[0], last))


def _how_to_play(game: str, model: Path) -> str:
    """Return how to let a model play against two scripted bidders."""
    from aucenv.training.rlact.states.games import learning_module

    first, second = learning_module("game", game).ADVISERS[:2]
    return f"play it: aucenv leaderboard --game {game} --bidder rlact:{model} --bidder {first} --bidder {second}"


def _summary(result: JsonObject, out: Path) -> TextTable:
    rows = [
        [
            game,
            phase,
            f"{of_game[phase]['decisions']:,}" if "decisions" in of_game[phase] else "-",  # a run of an earlier version
            *(f"{of_game[phase][name]:.1%}" for name in ("greedy", "sampled", "readable", "bids")),
            f"{of_game[phase]['regret']:,.0f}",
            *("-" if of_game[name] is None else f"{of_game[name]:.1%}" for name in ("chance", "probe")),
        ]
        for game, of_game in result["games"].items()
        for phase in ("recommendation", "bid")
        if phase in of_game
    ]
    headings = (
        *("game", "phase", "decisions", "right", "right sampled", "legal", "bids", "regret, $"),
        *("constant answer", "probe"),
    )
    return TextTable(f"held-out decisions in {out}", headings, rows, SUMMARY_NOTE)


def _say(text: str) -> None:
    typer.echo(text, err=True)
