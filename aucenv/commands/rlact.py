"""The commands `aucenv rlact`: collect decision states, judge actions and replies, audit rules, and fit a probe."""

from __future__ import annotations

import dataclasses
import enum
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import track

from aucenv.commands.options import SeedOption
from aucenv.commands.terminal import check_writable, table_of

if TYPE_CHECKING:
    from aucenv.training.rlact.judges import Judge
    from aucenv.training.rlact.simulator import Simulator
    from aucenv.training.rlact.states import DecisionState

ROLLOUTS_PER_STEP = 100_000
"""Approximate number of rollouts per step of the progress bar; Ctrl-C takes effect between steps."""


class Phase(str, enum.Enum):
    """The phase to which replies belong."""

    recommendation = "recommendation"
    bid = "bid"


class Profiles(str, enum.Enum):
    """How messages show the profiles of rivals."""

    sentence = "sentence"
    numbers = "numbers"


class Detail(str, enum.Enum):
    """How much detail messages show."""

    full = "full"
    brief = "brief"
    terse = "terse"


PhaseOption = Annotated[Phase, typer.Option(help="What the replies contain: recommendations or bids.")]
RepliesOption = Annotated[
    Path | None,
    typer.Option(
        help='File of replies, one per line: {"id": ID, "reply": TEXT}, or {"id": ID, "first": TEXT, "second": TEXT}.'
    ),
]
SamplesOption = Annotated[int, typer.Option(help="Number of rollouts of each action.")]
SeatBidderOption = Annotated[
    str,
    typer.Option(
        help="The rule bidder that plays the seat's later decisions. usual: expact for harbor, pace for english."
    ),
]
RivalsOption = Annotated[
    str,
    typer.Option(
        help="Rule bidders that play the rivals, joined by +. usual: expact+persona for harbor, value+pace for "
        "english. recorded: each rival is played by the bidder that the game was recorded with."
    ),
]
NoiseOption = Annotated[
    float, typer.Option(help="Probability that a rival bids instead of withdrawing, or withdraws instead of bidding.")
]
LadderOption = Annotated[
    int, typer.Option(help="Maximum number of bids to compare: the lowest legal bid, and 1, 3, 7, ... increments more.")
]
ThreadsOption = Annotated[int, typer.Option("--workers", help="Number of threads; affects only speed.")]


def states(
    out: Annotated[Path, typer.Option(help="Folder for train.jsonl, validation.jsonl and evaluation.jsonl.")],
    number: Annotated[
        int, typer.Option("--states", help="Total number of states, of which 80% are for training.")
    ] = 10_000,
    game: Annotated[
        list[str] | None, typer.Option(help="harbor or english; repeat the option for both. Default: harbor.")
    ] = None,
    seed: SeedOption = 0,
    profiles: Annotated[
        Profiles, typer.Option(help="How messages show rivals' profiles: a sentence or numbers.")
    ] = Profiles.sentence,
    detail: Annotated[
        Detail,
        typer.Option(
            help="full: messages describe houses and personas. brief: messages name them. terse: messages are a few "
            "numbers, for small models."
        ),
    ] = Detail.full,
) -> None:
    """Collect states of auctions in which a seat has a decision, about equally many of each kind of decision.

    Kinds differ in the game's stage, the priority, the price, and whether there is a second rival or a standing bid.

    Training and validation states share descriptions of personas and houses; evaluation states have others.
    """
    from aucenv.training.rlact.collect import Collection, collect
    from aucenv.training.rlact.state_format import SPLITS
    from aucenv.training.rlact.states import write_states

    collection = Collection(number, tuple(game or ["harbor"]), seed, profiles.value, detail.value)
    out.mkdir(parents=True, exist_ok=True)
    for split in SPLITS:
        check_writable(out / f"{split}.jsonl")
    counts = []
    for split in SPLITS:
        total = collection.split_size(split)
        collected = list(_with_progress(collect(collection, split), total, split))
        write_states(out / f"{split}.jsonl", collected)
        kinds, games = len({state.stratum for state in collected}), len({state.seed for state in collected})
        counts.append([split, f"{len(collected):,}", f"{games:,}", str(kinds)])
    Console().print(table_of(f"decision states in {out}", ["split", "states", "games", "kinds of decisions"], counts))


def judge(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Files of states, as `aucenv rlact states` writes them.")
    ],
    replies: RepliesOption = None,
    out: Annotated[
        Path | None, typer.Option(help="File for judged states or scores. Default: judged states overwrite their FILE.")
    ] = None,
    phase: PhaseOption = Phase.bid,
    judges: Annotated[
        list[str] | None,
        typer.Option(
            "--judge",
            help="Judge of replies: simulator (default) or llm:openai:MODEL,... Repeat it for the mean of both.",
        ),
    ] = None,
    samples: SamplesOption = 128,
    own: SeatBidderOption = "usual",
    rivals: RivalsOption = "usual",
    noise: NoiseOption = 0.02,
    ladder: LadderOption = 4,
    seed: SeedOption = 0,
    workers: ThreadsOption = 1,
) -> None:
    """Estimate the expected profit of each legal action in a state by rollouts.

    With --replies, score these replies from 1 to 5 instead.
    """
    from aucenv.training.rlact.simulator import Simulator
    from aucenv.training.rlact.states import read_states

    simulator = Simulator(samples, own, rivals, noise, ladder, seed, workers)
    if out is not None and len(files) > 1:
        raise ValueError(f"--out: expected one FILE, got {len(files)}")
    if replies is not None and out is not None and out.resolve() in (replies.resolve(), files[0].resolve()):
        raise ValueError(f"--out: expected a file other than its inputs, got {out}")
    for file in [out] if out is not None else files if replies is None else []:
        check_writable(file)
    if replies is None and judges not in (None, ["simulator"]):
        raise ValueError(f"--judge: expected simulator without --replies, got {', '.join(judges or [])}")
    if replies is not None:
        from aucenv.training.rlact.named_judges import judge_named

        _score(
            read_states(_single_file(files)), replies, out, judge_named(judges or ["simulator"], simulator, phase.value)
        )
        return
    rows = [[file.name, *_judge_states(read_states(file), simulator, out or file)] for file in files]
    headings = ["states", "all", "bid", "withdraw", "tie", "mean lead"]
    Console().print(table_of("expected profit of the best bid minus that of withdrawing", headings, rows))


def _judge_states(states: Sequence[DecisionState], simulator: Simulator, out: Path) -> list[str]:
    from aucenv.training.rlact.states import write_states

    for game in {state.game for state in states}:
        simulator.check(game)
    judged: list[DecisionState] = []
    batch_size = max(1, ROLLOUTS_PER_STEP // (simulator.samples * (simulator.ladder + 1)))
    starts = range(0, len(states), batch_size)
    for start in track(starts, "states", console=Console(stderr=True), transient=True):
        batch = states[start : start + batch_size]
        values = simulator.action_values(batch)
        judged += [dataclasses.replace(state, action_values=value) for state, value in zip(batch, values, strict=True)]
    write_states(out, judged)
    signs = [state.action_values.bid_or_withdraw for state in judged if state.action_values]
    clear = [
        state.action_values.lead for state in judged if state.action_values and state.action_values.bid_or_withdraw
    ]
    lead = f"${sum(map(abs, clear)) / len(clear):,.0f}" if clear else "-"
    return [f"{len(judged):,}", *(f"{signs.count(sign) / len(signs):.1%}" for sign in (1, -1, 0)), lead]


def _score(states: Sequence[DecisionState], file: Path, out: Path | None, judge: Judge) -> None:
    from aucenv.core.files import write_atomically
    from aucenv.training.rlact.judges import JudgeFailure
    from aucenv.training.rlact.replies import read_replies

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
    if out is not None:
        write_atomically(out, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    missing = len(lines) * len(names) - len(numbers)
    cells = [
        f"{len(rows):,}",
        f"{sum(numbers) / len(numbers):.2f}",
        f"{numbers.count(1.0) / len(numbers):.1%}",
        f"{missing:,}",
    ]
    Console().print(table_of("scores from 1 to 5", ["states", "mean", "score 1", "without score"], [cells]))
    if missing and why:
        typer.echo(f"the reason for the last missing score: {why}", err=True)


def audit(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="A results folder or games.jsonl of harbor; with --replies, a file of states."
        ),
    ],
    replies: RepliesOption = None,
    phase: PhaseOption = Phase.bid,
    model: Annotated[
        str | None,
        typer.Option(help="A model, llm:openai:MODEL,..., that also classifies the text of each reply."),
    ] = None,
) -> None:
    """Print how often decisions or replies follow each of HARBOR's rules A to F, beside RLAct's published shares."""
    from aucenv.training.rlact.audit import CLASSES, PUBLISHED, audit_records, audit_replies, audit_words, shares
    from aucenv.training.rlact.replies import read_replies
    from aucenv.training.rlact.states import read_states

    if replies is None:
        from aucenv.runs.records import read_records

        if model is not None:
            raise ValueError("--model: expected --replies, because the model reads replies")
        rules = audit_records(list(read_records(file)))
        if not rules:
            raise ValueError(f"{file}: expected at least one game, got none")
    else:
        by_id = {state.id: state for state in read_states(file)}
        pairs = read_replies(replies, by_id)
        first = [texts[0] for _, texts in pairs]
        rules = {"replies": audit_replies([state for state, _ in pairs], first, phase.value)}
        if model is not None:
            from aucenv.training.rlact.model_judge import model_client

            rules["by the model"] = audit_words(model_client(model), first)
    rows = [[name, f"{counts.total():,}", *_percent(shares(counts), CLASSES)] for name, counts in rules.items()]
    rows.append(["RLAct, published", "273", *_percent(PUBLISHED, CLASSES)])
    Console().print(table_of("share of decisions that follow each rule", ["bidder", "decisions", *CLASSES], rows))


def probe(
    train: Annotated[Path, typer.Argument(help="File of judged states to train on.")],
    held_out: Annotated[Path, typer.Argument(help="File of other judged states to evaluate on.")],
    seed: SeedOption = 0,
) -> None:
    """Measure how well boosted trees predict the better decision from a seat's numbers (needs the extra `rlact`)."""
    from aucenv.training.rlact.probe import probe as run
    from aucenv.training.rlact.states import read_states

    result = run(read_states(train), read_states(held_out), seed)
    row = [f"{result.num_train:,}", f"{result.num_held_out:,}", f"{result.chance:.1%}", f"{result.accuracy:.1%}"]
    headings = ["train states", "held-out states", "constant answer", "probe"]
    Console().print(table_of("accuracy of bid or withdraw, on states without ties", headings, [row]))


def _single_file(files: Sequence[Path]) -> Path:
    if len(files) != 1:
        raise ValueError(f"FILE: expected one file with --replies, got {len(files)}")
    return files[0]


def _percent(values: Any, names: Sequence[str]) -> list[str]:
    return [f"{values[name]:.0%}" for name in names]


def _with_progress(states: Iterator[DecisionState], total: int, split: str) -> Iterator[DecisionState]:
    """Yield the states, with a progress bar on stderr."""
    yield from track(states, f"{split} states", total=total, console=Console(stderr=True), transient=True)
