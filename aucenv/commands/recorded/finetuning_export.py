"""Write data for the finetuning of chat models, for `aucenv records export --to sft` and `--to dpo`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from aucenv.commands.console.terminal import check_writable, print_safely
from aucenv.core.extras import missing_extra
from aucenv.core.files import JsonObject, write_atomically
from aucenv.core.words.phrases import count

if TYPE_CHECKING:
    from aucenv.core.records.record import GameRecord
    from aucenv.runs.model_calls.calls import Call

JUDGED_GAMES = ("english", "harbor")


def export_dialogues(
    records: Sequence[GameRecord], calls: Sequence[Call], to: str, models: Sequence[str], out: Path
) -> None:
    """Write a JSON Lines file, and print how many rows it has and which models are left out.

    Args:
        to: "sft" or "dpo".
        models: the names of models whose replies are exported although they do not run here.

    Raises:
        ValueError: There is nothing to export, or a name is not that of a model in the records.
        MissingExtra: The judge needs an extra that is not installed.
    """
    from aucenv.analysis.export.finetuning import left_out, runs_here, winners_moves

    check_writable(out)
    known = sorted({call.model for call in calls})
    for name in models:
        if name not in known:
            raise ValueError(f"--include: expected a model of these games ({', '.join(known) or 'none'}), got {name!r}")
    missing = left_out(calls, models)
    rows = list(winners_moves(records, calls, models)) if to == "sft" else _pairs(records, calls, models)
    if not rows:
        why = f"; replies of {', '.join(missing)} are left out, --include NAME includes them" if missing else ""
        raise ValueError(f"records: expected replies of models that can be exported, got none{why}")
    write_atomically(out, "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))
    if missing:
        print_safely(
            f"left out: {', '.join(missing)}, because some providers forbid training on replies; --include NAME "
            "includes a model",
            err=True,
        )
    others = sorted({call.model for call in calls if call.model in models and not runs_here(call)})
    if others:
        print_safely(
            f"warning: some providers' terms forbid training on replies; read those of {', '.join(others)}", err=True
        )
    print_safely(f"{out}: {count(len(rows), 'dialogue' if to == 'sft' else 'pair')}")
    typer.echo(f"to open it in Python: datasets.load_dataset('json', data_files={str(out)!r})")


def _pairs(records: Sequence[GameRecord], calls: Sequence[Call], models: Sequence[str]) -> list[JsonObject]:
    """Return the pairs of refused and accepted replies, and those that the simulator judges."""
    from aucenv.analysis.export.finetuning import refused_pairs

    try:
        from aucenv.training.rlact.judges.simulator import Simulator
        from aucenv.training.rlact.record_pairs import judged_pairs
    except ImportError as error:
        raise missing_extra(f"records export --to dpo ({error.name})", "rlact") from None
    judged = [record for record in records if record.game in JUDGED_GAMES]
    return [*refused_pairs(records, calls, models), *judged_pairs(judged, calls, Simulator(rivals="inferred"), models)]
