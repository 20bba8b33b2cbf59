"""`aucenv rlact`: decision states, what decisions are worth, which rules they follow, how well they can be told."""

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

AT_ONCE = 100_000
"""Continuations between two steps of the progress bar, about; Ctrl-C waits for so many."""


class Phase(str, enum.Enum):
    """What replies are."""

    recommendation = "recommendation"
    bid = "bid"


class Profiles(str, enum.Enum):
    """How profiles of rivals are told."""

    sentence = "sentence"
    numbers = "numbers"


class Detail(str, enum.Enum):
    """How much is told."""

    full = "full"
    brief = "brief"
    terse = "terse"


PhaseOption = Annotated[Phase, typer.Option(help="What the replies are.")]
RepliesOption = Annotated[
    Path | None,
    typer.Option(
        help='Replies, one JSON object per line: {"id": a state\'s, "reply": words}, or "first" and "second".'
    ),
]
SamplesOption = Annotated[int, typer.Option(help="Continuations of each action.")]
OwnOption = Annotated[
    str, typer.Option(help="The rule bidder that plays the seat's later decisions; usual: expact, english pace.")
]
RivalsOption = Annotated[
    str,
    typer.Option(
        help="Rule bidders with + between, any of which a rival may be; usual: harbor expact+persona, english "
        "value+pace; recorded: each rival as the bidder that it was."
    ),
]
NoiseOption = Annotated[float, typer.Option(help="The chance that a rival does the opposite of what it means to do.")]
LadderOption = Annotated[int, typer.Option(help="Bids that are compared: the least, and 1, 3, 7, ... raises above it.")]
ThreadsOption = Annotated[int, typer.Option("--workers", help="Threads; only the time depends on it.")]


def states(
    out: Annotated[Path, typer.Option(help="Folder for train.jsonl, validation.jsonl, evaluation.jsonl.")],
    number: Annotated[int, typer.Option("--states", help="In all: 8 of 10 to learn from.")] = 10_000,
    game: Annotated[list[str] | None, typer.Option(help="harbor, english; repeat it. Default: harbor.")] = None,
    seed: SeedOption = 0,
    profiles: Annotated[Profiles, typer.Option(help="How profiles of rivals are told.")] = Profiles.sentence,
    detail: Annotated[
        Detail,
        typer.Option(
            help="full: houses and personas are described; brief: only named; terse: a few shares, for small models."
        ),
    ] = Detail.full,
) -> None:
    """Collect moments of auctions in which a seat has to decide, spread evenly over kinds of moments.

    train and validation share descriptions of personas and houses; those of evaluation are others.
    """
    from aucenv.training.rlact.collect import Collection, collect
    from aucenv.training.rlact.states import SPLITS, write_states

    collection = Collection(number, tuple(game or ["harbor"]), seed, profiles.value, detail.value)
    out.mkdir(parents=True, exist_ok=True)
    for split in SPLITS:
        check_writable(out / f"{split}.jsonl")
    counts = []
    for split in SPLITS:
        wanted = collection.wanted(split)
        found = list(_shown(collect(collection, split), wanted, split))
        write_states(out / f"{split}.jsonl", found)
        kinds, games = len({state.stratum for state in found}), len({state.seed for state in found})
        counts.append([split, f"{len(found):,}", f"{games:,}", str(kinds)])
    Console().print(table_of(f"decision states in {out}", ["split", "states", "games", "kinds of moments"], counts))


def judge(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="States, as `aucenv rlact states` writes.")],
    replies: RepliesOption = None,
    out: Annotated[
        Path | None, typer.Option(help="Where judged states, or scores, go. Default: states into their own file.")
    ] = None,
    phase: PhaseOption = Phase.bid,
    judges: Annotated[
        list[str] | None,
        typer.Option("--judge", help="Of replies: simulator (default), llm:openai:MODEL,..., or both: their mean."),
    ] = None,
    samples: SamplesOption = 128,
    own: OwnOption = "usual",
    rivals: RivalsOption = "usual",
    noise: NoiseOption = 0.02,
    ladder: LadderOption = 4,
    seed: SeedOption = 0,
    workers: ThreadsOption = 1,
) -> None:
    """Tell what each legal action of a state is worth, by playing it on; with --replies, score these from 1 to 5."""
    from aucenv.training.rlact.simulator import Simulator
    from aucenv.training.rlact.states import read_states

    simulator = Simulator(samples, own, rivals, noise, ladder, seed, workers)
    if out is not None and len(files) > 1:
        raise ValueError(f"--out: expected one FILE, got {len(files)}")
    if replies is not None and out is not None and out.resolve() in (replies.resolve(), files[0].resolve()):
        raise ValueError(f"--out: expected another file than it reads, got {out}")
    for file in [out] if out is not None else files if replies is None else []:
        check_writable(file)
    if replies is None and judges not in (None, ["simulator"]):
        raise ValueError(f"--judge: expected simulator where there are no --replies, got {', '.join(judges or [])}")
    if replies is not None:
        from aucenv.training.rlact.named_judges import judge_named

        _score(read_states(_only(files)), replies, out, judge_named(judges or ["simulator"], simulator, phase.value))
        return
    rows = [[file.name, *_judge_states(read_states(file), simulator, out or file)] for file in files]
    headings = ["states", "all", "bid", "withdraw", "tie", "mean lead"]
    Console().print(table_of("what a bid earns more than withdrawing", headings, rows))


def _judge_states(found: Sequence[DecisionState], simulator: Simulator, out: Path) -> list[str]:
    from aucenv.training.rlact.states import write_states

    for game in {state.game for state in found}:
        simulator.check(game)
    judged: list[DecisionState] = []
    together = max(1, AT_ONCE // (simulator.samples * (simulator.ladder + 1)))
    starts = range(0, len(found), together)
    for at in track(starts, "states", console=Console(stderr=True), transient=True):
        some = found[at : at + together]
        worths = simulator.worths(some)
        judged += [dataclasses.replace(state, worth=worth) for state, worth in zip(some, worths, strict=True)]
    write_states(out, judged)
    signs = [state.worth.bid_or_withdraw for state in judged if state.worth]
    clear = [state.worth.lead for state in judged if state.worth and state.worth.bid_or_withdraw]
    lead = f"${sum(map(abs, clear)) / len(clear):,.0f}" if clear else "-"
    return [f"{len(judged):,}", *(f"{signs.count(sign) / len(signs):.1%}" for sign in (1, -1, 0)), lead]


def _score(found: Sequence[DecisionState], replies: Path, out: Path | None, chosen: Judge) -> None:
    from aucenv.core.files import write_atomically
    from aucenv.training.rlact.judges import JudgeFailure

    said = _read_replies(replies, {state.id: state for state in found})
    met = [state for state, _ in said]
    pairs = len(said[0][1]) == 2
    words = list(zip(*(each for _, each in said), strict=True))
    scores: list[Any] = chosen.compare(met, *words) if pairs else chosen.score(met, words[0])
    names = ("first", "second") if pairs else ("score",)
    reasons = getattr(chosen, "reasons", [None] * len(said))
    lines = []
    for state, score, reason in zip(met, scores, reasons, strict=True):
        values = [None] * len(names) if score is None else score if pairs else [score]
        line = {"id": state.id, **dict(zip(names, values, strict=True))}
        lines.append(line | ({} if reason is None else {"reasons": [why for _, why in reason]}))
    known = [line[name] for line in lines for name in names if line[name] is not None]
    why = getattr(getattr(chosen, "asked", None), "why", "")
    if not known:
        raise JudgeFailure(f"no score for any of {len(said)} states{f': {why}' if why else ''}")
    if out is not None:
        write_atomically(out, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    without = len(lines) * len(names) - len(known)
    shown = [f"{len(said):,}", f"{sum(known) / len(known):.2f}", f"{known.count(1.0) / len(known):.1%}", f"{without:,}"]
    Console().print(table_of("scores from 1 to 5", ["states", "mean", "score 1", "without score"], [shown]))
    if without and why:
        typer.echo(f"without score, the last one: {why}", err=True)


def audit(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A results folder or games.jsonl of harbor; with --replies, states.")
    ],
    replies: RepliesOption = None,
    phase: PhaseOption = Phase.bid,
    model: Annotated[
        str | None, typer.Option(help="llm:openai:MODEL,...: it reads the rule in a reply's words.")
    ] = None,
) -> None:
    """Tell which of HARBOR's rules A to F decisions follow, or replies to states, beside RLAct's published shares."""
    from aucenv.training.rlact.audit import CLASSES, PUBLISHED, audit_records, audit_replies, audit_words, shares
    from aucenv.training.rlact.states import read_states

    if replies is None:
        from aucenv.runs.records import read_records

        if model is not None:
            raise ValueError("--model: expected --replies, whose words it reads")
        found = audit_records(list(read_records(file)))
        if not found:
            raise ValueError(f"{file}: expected at least one game, got none")
    else:
        by_id = {state.id: state for state in read_states(file)}
        said = _read_replies(replies, by_id)
        words = [each[0] for _, each in said]
        found = {"replies": audit_replies([state for state, _ in said], words, phase.value)}
        if model is not None:
            from aucenv.training.rlact.model_judge import asked_by

            found["by the model"] = audit_words(asked_by(model), words)
    rows = [[who, f"{counts.total():,}", *_percent(shares(counts), CLASSES)] for who, counts in found.items()]
    rows.append(["RLAct, published", "273", *_percent(PUBLISHED, CLASSES)])
    Console().print(table_of("the rule that each decision follows", ["bidder", "decisions", *CLASSES], rows))


def probe(
    learnt: Annotated[Path, typer.Argument(help="Judged states to learn from.")],
    held_out: Annotated[Path, typer.Argument(help="Judged states, others.")],
    seed: SeedOption = 0,
) -> None:
    """Tell how well decisions can be told from what a seat sees: boosted trees on the View's numbers (extra rlact)."""
    from aucenv.training.rlact.probe import probe as run
    from aucenv.training.rlact.states import read_states

    found = run(read_states(learnt), read_states(held_out), seed)
    row = [f"{found.learnt:,}", f"{found.held_out:,}", f"{found.chance:.1%}", f"{found.accuracy:.1%}"]
    headings = ["learnt", "held out", "always the same", "probe"]
    Console().print(table_of("right decisions, bid or withdraw, on states that are no ties", headings, [row]))


def _read_replies(path: Path, by_id: dict[str, DecisionState]) -> list[tuple[DecisionState, list[str]]]:
    """The state and the reply, or both replies, of each line."""
    from aucenv.core.checks import field
    from aucenv.core.files import parse_object, read_lines

    found: list[tuple[DecisionState, list[str]]] = []
    for where, line in read_lines(path):
        data = parse_object(line, where)
        names = ["first", "second"] if "first" in data else ["reply"]
        said = [field(data, name, str, where) for name in names]
        if found and len(said) != len(found[0][1]):
            raise ValueError(f"{where}: expected one reply on each line, or two on each, got {len(said)}")
        name = field(data, "id", str, where)
        if name not in by_id:
            raise ValueError(f"{where}: expected the id of one of {len(by_id)} states, got {name!r:.40}")
        found.append((by_id[name], said))
    if not found:
        raise ValueError(f"{path}: expected at least one reply, got none")
    return found


def _only(files: Sequence[Path]) -> Path:
    if len(files) != 1:
        raise ValueError(f"FILE: expected one with --replies, got {len(files)}")
    return files[0]


def _percent(known: Any, names: Sequence[str]) -> list[str]:
    return [f"{known[name]:.0%}" for name in names]


def _shown(found: Iterator[DecisionState], total: int, split: str) -> Iterator[DecisionState]:
    """The states, with a bar on stderr."""
    yield from track(found, f"{split} states", total=total, console=Console(stderr=True), transient=True)
