"""The command `aucenv rlact judge`: estimate the values of actions, and score replies."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import json
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aucenv.commands.console.tables import print_tables
from aucenv.commands.console.terminal import check_writable, print_safely
from aucenv.commands.options.cluster_option import ClusterOption
from aucenv.commands.options.help_pages import RUN
from aucenv.commands.options.options import SeedOption
from aucenv.commands.options.parsers import choice_option, text_option, whole_option
from aucenv.core.files import JsonObject
from aucenv.core.progress import doing
from aucenv.core.records.figures import TextTable
from aucenv.core.words.bidder_name import parse_bidder, public_name

if TYPE_CHECKING:
    from aucenv.runs.cluster.executor import Cluster
    from aucenv.training.rlact.judges.judges import Judge
    from aucenv.training.rlact.judges.simulator import Simulator
    from aucenv.training.rlact.states.states import DecisionState

ROLLOUTS_PER_STEP = 100_000
"""Approximate number of rollouts per step of the progress bar; Ctrl-C takes effect between steps."""


class Phase(enum.StrEnum):
    """The phase to which replies belong."""

    recommendation = "recommendation"
    bid = "bid"


PhaseOption = Annotated[Phase, choice_option("What the replies contain.", Phase, "--phase")]
RepliesOption = Annotated[
    Path | None,
    text_option(
        'File of replies, one per line.\n\n{"id": ID, "reply": TEXT}, or {"id": ID, "first": TEXT, "second": TEXT}.',
        "FILE",
        "--replies",
    ),
]
JudgeOption = Annotated[
    list[str] | None,
    text_option(
        "The judge, by default: simulator.\n\nsimulator,samples=128,own=usual,rivals=usual,noise=0.02,ladder=4 has "
        "these defaults. samples: number of rollouts of each action. own: the bidder that makes the seat's later "
        "decisions; of several, joined by +, the best for each action. Bidders other than rule bidders and probes of "
        "messages are slow; in a name, ; stands for a comma, and a path cannot contain a +. usual: expact for "
        "harbor, pace for english; with rivals=inferred expact+rule;k=3 and pace+rule;k=3+rule;k=6. rivals: rule "
        "bidders that play the rivals, joined by +. usual: expact+persona for harbor, value+pace for english. "
        "inferred: bidders of the population, weighted by how well they explain the bids so far. recorded: each "
        "rival is played by the bidder that the game was recorded with. noise: probability that a rival bids instead "
        "of withdrawing, or withdraws instead of bidding; the inference of rivals assumes at least 0.03. ladder: the "
        "maximum number of bids to compare, the lowest legal bid and 1, 3, 7, ... increments more. With --replies, "
        "llm:openai:MODEL,... also judges; repeat the option for the mean of both.",
        "JUDGE",
        "--judge",
    ),
]
ThreadsOption = Annotated[int, whole_option("Number of threads; affects only speed.", 1, 1024, "--workers", group=RUN)]
SIMULATOR = "simulator"


def judge(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE", help="Files of states, as `aucenv rlact states` writes them.")
    ],
    replies: RepliesOption = None,
    out: Annotated[
        Path | None,
        text_option(
            "File of judged states or scores.\n\nDefault: a new file beside the input, FILE-judged.jsonl or "
            "REPLIES-scores.jsonl.",
            "FILE",
            "--out",
        ),
    ] = None,
    phase: PhaseOption = Phase.bid,
    judges: JudgeOption = None,
    seed: SeedOption = 0,
    workers: ThreadsOption = 1,
    cluster: ClusterOption = None,
) -> None:
    """Estimate the expected profit of each legal action in a state by rollouts, and write the judged states.

    With --replies, score these replies from 1 to 5 instead, and write the scores. No input is changed.
    """
    from aucenv.runs.run_options import cluster_at
    from aucenv.training.rlact.states.states import read_states

    judges, simulator = _simulator_among(judges or [SIMULATOR], seed, workers)
    nodes = cluster_at(cluster)
    if out is not None and len(files) > 1:
        raise ValueError(f"--out: expected one FILE, got {len(files)}")
    inputs = [*files, *([] if replies is None else [replies])]
    if out is not None and out.resolve() in [file.resolve() for file in inputs]:
        raise ValueError(f"--out: expected a file other than its inputs, got {out}")
    for file in inputs:
        file.open("rb").close()  # a missing input is an error before a missing folder for the output beside it
    defaults = [new_file(file, "judged") for file in files] if replies is None else [new_file(replies, "scores")]
    for file in defaults if out is None else [out]:
        check_writable(file)
    if replies is None and judges != [SIMULATOR]:
        raise ValueError(f"--judge: expected simulator without --replies, got {', '.join(map(public_name, judges))}")
    if replies is not None:
        if nodes is not None:
            raise ValueError(f"--cluster: expected none with --replies, got {cluster!r}")
        from aucenv.training.rlact.judges.named_judges import judge_named

        states = read_states(_single_file(files))
        _score(states, replies, out or defaults[0], judge_named(judges, simulator, phase.value))
        return
    rows, written = [], []
    for file in files:
        judged = out or new_file(file, "judged")
        rows.append([file.name, *_judge_states(read_states(file), simulator, judged, nodes)])
        written.append(str(judged))
    headings = ("file of states", "states", "bid", "withdraw", "tie", "mean lead, $")
    print_tables([TextTable("expected profit of the least bid minus that of withdrawing", headings, rows)])
    typer.echo(f"judged states: {', '.join(written)}")
    for file in files:
        read_by_training = file.with_name(f"{file.stem.removesuffix('-judged')}-judged{file.suffix}")
        if out is None and str(read_by_training) not in written:
            print_safely(f"training reads {read_by_training}, which is an earlier file", err=True)


def _simulator_among(judges: Sequence[str], seed: int, threads: int) -> tuple[list[str], Simulator]:
    """Return the names of judges, in which the simulator has no parameters, and the simulator with these.

    Raises:
        ValueError: A parameter is unknown or out of range.
    """
    from aucenv.training.rlact.judges.judge_policy import read_settings
    from aucenv.training.rlact.judges.simulator import Simulator

    settings: JsonObject = {}
    names = []
    for name in judges:
        kind, comma, _ = name.partition(",")
        if kind == SIMULATOR and comma:
            settings |= read_settings(f"--judge {SIMULATOR}", parse_bidder(name).params)
        names.append(SIMULATOR if kind == SIMULATOR else name)
    with _about_simulator():
        return names, Simulator(**settings, seed=seed, threads=threads)


@contextlib.contextmanager
def _about_simulator() -> Iterator[None]:
    """Name the simulator in errors about its settings."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"--judge {SIMULATOR}: {error}") from None


def _judge_states(states: Sequence[DecisionState], simulator: Simulator, out: Path, nodes: Cluster | None) -> list[str]:
    from aucenv.training.rlact.states.states import write_states

    with _about_simulator():
        for game in {state.game for state in states}:
            simulator.check(game)
    batch_size = max(1, ROLLOUTS_PER_STEP // (simulator.samples * (simulator.ladder + 1)))
    batches = [states[start : start + batch_size] for start in range(0, len(states), batch_size)]
    values = (simulator.action_values(batch) for batch in batches)
    if nodes is not None:
        batches = [[state] for state in states]
        values = ([value] for value in nodes.map(simulator.action_values, states, simulator.bidders(states)))
    judged: list[DecisionState] = []
    with doing("states judged", len(states)) as task:
        for batch, estimated in zip(batches, values, strict=True):
            judged += [
                dataclasses.replace(state, action_values=value) for state, value in zip(batch, estimated, strict=True)
            ]
            task.update(len(judged))
    write_states(out, judged)
    signs = [state.action_values.bid_or_withdraw for state in judged if state.action_values]
    clear = [
        state.action_values.lead for state in judged if state.action_values and state.action_values.bid_or_withdraw
    ]
    lead = f"{sum(map(abs, clear)) / len(clear):,.0f}" if clear else "-"
    return [f"{len(judged):,}", *(f"{signs.count(sign) / len(signs):.1%}" for sign in (1, -1, 0)), lead]


def _score(states: Sequence[DecisionState], file: Path, out: Path, judge: Judge) -> None:
    from aucenv.core.files import write_atomically
    from aucenv.training.rlact.judges.judges import JudgeFailure
    from aucenv.training.rlact.states.replies import read_replies

    rows = read_replies(file, {state.id: state for state in states})
    row_states = [state for state, _ in rows]
    pairs = len(rows[0][1]) == 2
    replies = list(zip(*(texts for _, texts in rows), strict=True))
    scores: list[Any] = judge.compare(row_states, *replies) if pairs else judge.score(row_states, replies[0])
    names = ("first", "second") if pairs else ("score",)
    reasons = getattr(judge, "reasons", [None] * len(rows))
    lines = []
    for state, score, reason in zip(row_states, scores, reasons, strict=True):
        values = [None] * len(names) if score is None else score if pairs else [score]
        line = {"id": state.id, **dict(zip(names, values, strict=True))}
        lines.append(line | ({} if reason is None else {"reasons": [text for _, text in reason]}))
    numbers = [line[name] for line in lines for name in names if line[name] is not None]
    why = getattr(getattr(judge, "client", None), "last_error", "")
    if not numbers:
        raise JudgeFailure(f"no score for any of {len(rows)} states{f': {why}' if why else ''}")
    write_atomically(out, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    missing = len(lines) * len(names) - len(numbers)
    cells = [
        f"{len(rows):,}",
        f"{sum(numbers) / len(numbers):.2f}",
        f"{numbers.count(1.0) / len(numbers):.1%}",
        f"{missing:,}",
    ]
    print_tables([TextTable("scores from 1 to 5", ("states", "mean", "score 1", "without score"), [cells])])
    typer.echo(f"scores: {out}")
    if missing and why:
        print_safely(f"the reason for the last missing score: {why}", err=True)


def new_file(file: Path, kind: str) -> Path:
    """Return a name beside `file` that no file has: NAME-KIND.jsonl, otherwise NAME-KIND-2.jsonl and so on."""
    name = f"{file.stem.removesuffix(f'-{kind}')}-{kind}"
    names = (f"{name}{'' if number == 1 else f'-{number}'}{file.suffix}" for number in count(1))
    return next(path for path in map(file.with_name, names) if not path.exists())


def _single_file(files: Sequence[Path]) -> Path:
    if len(files) != 1:
        raise ValueError(f"FILE: expected one file with --replies, got {len(files)}")
    return files[0]
