"""The commands `aucenv rlact states`, `audit` and `probe`: collect decision states, audit rules, and fit a probe."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from aucenv.commands.console.tables import print_tables
from aucenv.commands.console.terminal import check_writable, print_safely
from aucenv.commands.options.cluster_option import ClusterOption
from aucenv.commands.options.completion import bidders, games
from aucenv.commands.options.options import SeedOption
from aucenv.commands.options.parsers import choice_option, text_option, whole_option
from aucenv.commands.training.rlact_judge import Phase, PhaseOption, RepliesOption
from aucenv.core.extras import check_packages
from aucenv.core.formats.folders import check_folder
from aucenv.core.progress import track
from aucenv.core.records.figures import TextTable
from aucenv.core.words.bidder_name import check_path


class Profiles(enum.StrEnum):
    """How messages show the profiles of rivals."""

    sentence = "sentence"
    numbers = "numbers"


class Detail(enum.StrEnum):
    """How much detail messages show."""

    full = "full"
    brief = "brief"
    terse = "terse"
    terse_2 = "terse-2"
    terse_3 = "terse-3"


class Features(enum.StrEnum):
    """The sets of features that the trees of a probe can know."""

    all = "all"
    messages = "messages"


def states(
    out: Annotated[
        Path,
        text_option(
            "Folder of the states.\n\nIt gets train.jsonl, validation.jsonl and evaluation.jsonl.", "DIR", "--out"
        ),
    ],
    number: Annotated[
        int, whole_option("Number of states.\n\n80% of them are for training.", 10, 10_000_000, "--states")
    ] = 10_000,
    game: Annotated[
        list[str] | None,
        text_option(
            "The game; repeatable.\n\nharbor, english or sealed_bid. Default: harbor.",
            "GAME",
            "--game",
            autocompletion=games,
        ),
    ] = None,
    learner: Annotated[
        str | None,
        text_option(
            "Collect only this bidder's decisions.\n\nIt has a random seat of each game. Default: the decisions of all "
            "seats.",
            "BIDDER",
            "--learner",
            autocompletion=bidders,
        ),
    ] = None,
    seed: SeedOption = 0,
    profiles: Annotated[
        Profiles,
        choice_option("How messages show rivals' profiles.", Profiles, "--profiles"),
    ] = Profiles.sentence,
    detail: Annotated[
        Detail,
        choice_option(
            "How much messages say.\n\nfull: they describe houses and personas. brief: they name them. terse: they "
            "are a few numbers, for small models. terse-2: and three numbers on each active rival. terse-3: and the "
            "game's name.",
            Detail,
            "--detail",
        ),
    ] = Detail.full,
    cluster: ClusterOption = None,
) -> None:
    """Collect states of auctions in which a seat has a decision, about equally many of each kind of decision.

    Kinds differ in the game's stage, the priority, the price, and whether there is a second rival or a standing bid.

    The bidders of each game are of the population's families: those to train on for training, those for validation
    for validation states, and held-out ones for evaluation states. Training and validation states share descriptions
    of personas and houses; evaluation states have others.
    """
    from aucenv.runs.run_options import cluster_at
    from aucenv.training.rlact.states.collect import Collection, collect, map_here
    from aucenv.training.rlact.states.state_format import SPLITS
    from aucenv.training.rlact.states.states import write_states

    collection = Collection(number, tuple(game or ["harbor"]), seed, profiles.value, detail.value, learner)
    nodes = cluster_at(cluster)
    bidders = () if learner is None else (learner,)
    map_games = map_here if nodes is None else partial(nodes.map, bidders=bidders)
    check_folder(out)
    existing = sorted(out.glob("*.jsonl")) if out.is_dir() else []
    if existing:
        raise FileExistsError(f"--out: expected a folder without states, but there is {existing[0]}")
    out.mkdir(parents=True, exist_ok=True)
    for split in SPLITS:
        check_writable(out / f"{split}.jsonl")
    counts, ids = [], set[str]()
    for split in SPLITS:
        total = collection.split_size(split)
        collected = list(track(collect(collection, split, ids, map_games), f"{split} states", total))
        ids |= {state.id for state in collected}
        write_states(out / f"{split}.jsonl", collected)
        kinds, games = len({state.stratum for state in collected}), len({state.seed for state in collected})
        counts.append([split, f"{len(collected):,}", f"{games:,}", str(kinds)])
    headings = ("split", "states", "games", "kinds of decisions")
    print_tables([TextTable(f"decision states in {out}", headings, counts)])


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
        text_option("Model that also judges each reply.\n\nllm:openai:MODEL,...", "JUDGE", "--judge"),
    ] = None,
) -> None:
    """Print how often decisions or replies follow each of HARBOR's rules A to F, beside RLAct's published shares."""
    from aucenv.training.rlact.probes.audit import CLASSES, PUBLISHED, audit_records, audit_replies, audit_words, shares
    from aucenv.training.rlact.states.replies import read_replies
    from aucenv.training.rlact.states.states import read_states

    if replies is None:
        from aucenv.runs.records import read_records

        if model is not None:
            raise ValueError("--judge: expected --replies, because the model reads replies")
        rules = audit_records(list(read_records(file)))
        if not rules:
            raise ValueError(f"{file}: expected at least one game, got none")
    else:
        by_id = {state.id: state for state in read_states(file)}
        pairs = read_replies(replies, by_id)
        first = [texts[0] for _, texts in pairs]
        rules = {"replies": audit_replies([state for state, _ in pairs], first, phase.value)}
        if model is not None:
            from aucenv.training.rlact.judges.model_judge import model_client

            rules["by the model"] = audit_words(model_client(model), first)
    rows = [[name, f"{counts.total():,}", *_percent(shares(counts), CLASSES)] for name, counts in rules.items()]
    rows.append(["RLAct, published", "273", *_percent(PUBLISHED, CLASSES)])
    headings = ("bidder", "decisions", *CLASSES)
    note = "other: unreadable and illegal replies, which follow no rule"
    print_tables([TextTable("share of decisions that follow each rule", headings, rows, note)])


def probe(
    train: Annotated[Path, typer.Argument(metavar="TRAIN", help="File of judged states to train on.")],
    held_out: Annotated[Path, typer.Argument(metavar="HELD_OUT", help="File of other judged states to evaluate on.")],
    out: Annotated[
        Path | None,
        text_option("Save the trees.\n\nThe name ends in .json: the bidder probe:FILE.", "FILE", "--out"),
    ] = None,
    features: Annotated[
        Features,
        choice_option(
            "What the trees know.\n\nall: all numbers of the seat. messages: only those in terse messages.",
            Features,
            "--features",
        ),
    ] = Features.all,
    seed: Annotated[int, whole_option("Seed of all random numbers.", 0, 2**32 - 1)] = 0,
) -> None:
    """Measure how well boosted trees predict the better decision from a seat's numbers (needs the extra `rlact`).

    With --out, save the trees, which then play as the bidder probe:FILE.
    """
    check_packages("rlact probe", "rlact", "sklearn")
    if out is not None:
        if out.suffix != ".json":
            raise ValueError(f"--out: expected a name that ends in .json, got {str(out)!r}")
        check_path(out)
        if out.resolve() in (train.resolve(), held_out.resolve()):
            raise ValueError(f"--out: expected a file other than its inputs, got {out}")
        check_writable(out)
    from aucenv.training.rlact.probes.probe import probe as run
    from aucenv.training.rlact.probes.probe import save_probe
    from aucenv.training.rlact.states.states import read_states

    states = read_states(train)
    result = run(states, read_states(held_out), seed, features.value)
    row = [f"{result.num_train:,}", f"{result.num_held_out:,}", f"{result.chance:.1%}", f"{result.accuracy:.1%}"]
    headings = ("train states", "held-out states", "constant answer", "probe")
    if out is not None:
        save_probe(out, result, states, seed)
    print_tables([TextTable("accuracy of bid or withdraw, on states without ties", headings, [row])])
    if out is not None:
        print_safely(f"bidder: probe:{out}")


def _percent(values: Any, names: Sequence[str]) -> list[str]:
    return [f"{values[name]:.0%}" for name in names]
