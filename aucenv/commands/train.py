"""`aucenv train`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track

from aucenv.commands.terminal import table_of
from aucenv.core.checks import MissingExtra
from aucenv.core.files import JsonObject


def rlact(
    preset: Annotated[
        str | None, typer.Option(help="tiny: minutes on two cores; smollm2-135m; paper-llama3-8b: what the paper did.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="A YAML file of settings instead; presets are such files.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for states, checkpoints, evaluations and the model.")] = Path(
        "rlact"
    ),
    change: Annotated[
        list[str] | None, typer.Option("--set", help="NAME=VALUE: another value of a setting; repeat it.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="All chance but the judge's follows from it. Default: that of the settings, 42.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run that --out holds.")] = False,
) -> None:
    """Finetune a language model to bid, by online DPO on judged pairs of replies (extra rlact).

    Ctrl-C saves a checkpoint; --resume goes on from the last one.
    """
    changes = {}
    for each in change or []:
        name, equals, value = each.partition("=")
        if not equals:
            raise ValueError(f"--set: expected NAME=VALUE, got {each!r}")
        changes[name] = value
    try:
        from aucenv.training.rlact.config import read_config
        from aucenv.training.rlact.run import Run
    except ImportError as error:
        raise MissingExtra(f"train needs {error.name}: pip install 'aucenv[rlact]'") from None
    settings, model = read_config(preset, config, out, changes | ({} if seed is None else {"seed": str(seed)}))
    try:
        source = f"--preset {preset}" if preset else f"--config {config}"
        found = Run(settings, model, resume, source, changes, _shown).run()
    except ImportError as error:
        raise MissingExtra(f"{out}: {error}") from None
    except KeyboardInterrupt:
        typer.echo("stopped; --resume goes on from the last checkpoint", err=True)
        raise typer.Exit(130) from None
    first = settings.process_index == 0  # of several that accelerate has launched
    if first:
        Console().print(table_of(f"held-out decisions in {out}", *_summary(found)))
    if found["ended"] is not None:
        typer.echo(f"{found['ended']}; --resume goes on with it", err=True)
        raise typer.Exit(130 if found["ended"] == "stopped" else 1)
    if first:
        typer.echo(
            f"play it: aucenv leaderboard --game harbor --bidder rlact:{out}/model --bidder expact --bidder persona"
        )


def _summary(found: JsonObject) -> tuple[list[str], list[list[str]]]:
    alike = [f"{found['chance']:.1%}", f"{found['probe']:.1%}"]
    rows = [
        [phase, *(f"{found[phase][name]:.1%}" for name in ("greedy", "sampled", "readable", "bids")), *alike]
        for phase in ("recommendation", "bid")
    ]
    return ["asked for", "right", "right sampled", "legal", "bids", "always alike", "probe"], rows


def _shown(things: Iterable[Any], what: str, number: int) -> Iterable[Any]:
    return track(things, what, total=number, console=Console(stderr=True), transient=True)
