"""Compare online DPO with supervised finetuning, as `rlact_arms.json` plans it; that file is older than all results.

`python -m aucenv.benchmarks.rlact_arms --out DIR` prepares states and a supervised model, trains and plays each arm,
gives the best ones more seeds, plays held-out families with the best two, and trains and plays sealed bids. The same
command continues where it stopped, and several processes may share a folder: each arm, rate and seed has a lock while a
process trains it, and a file with its settings and result once it is finished. With `--results FOLDER`, another machine
can continue from a folder of all results and supervised models: `docs/data/rlact-arms` has those so far.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import hashlib
import json
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from aucenv.benchmarks.rlact_arms_table import finalists, held_out_arms, to_markdown
from aucenv.benchmarks.rlact_evaluation import profit_ratios, table_set
from aucenv.benchmarks.studies.jobs import run_jobs

from aucenv.core.checks import whole_number
from aucenv.core.files import JsonObject, read_lines, read_object, to_pretty_json, write_atomically
from aucenv.core.formats.folders import only_writer, write_or_compare
from aucenv.core.formats.json_parser import parse_json
from aucenv.core.progress import shown_by, tasks

if TYPE_CHECKING:
    from aucenv.training.rlact.arms import Arms

PLAN = Path(__file__).with_name("rlact_arms.json")
WEIGHTS = "model.safetensors"
RESULT, HELD_OUT = "result.json", "held-out.json"
"""The files of an arm's folder with its result on validation families, and with that on held-out families."""
RESULTS = "results.jsonl"
"""The file with all results in a folder of results."""
MINUTES = {"an arm": 6, "collect and judge states": 6, "create the base model": 2, "train the supervised model": 3}
MINUTES |= {"collect and judge states that the supervised model reaches": 17, "held-out families": 8}
"""About how many minutes a core needs, before any result says it."""
EVERY = 20.0
"""Seconds between two lines about what is being done."""
WAIT = 5.0
"""Seconds between two looks for what another process has finished."""


@dataclasses.dataclass(frozen=True)
class Job:
    """An arm with a seed.

    Attributes:
        method, source, rate, seed: see `training.rlact.arms`.
    """

    method: str
    source: str
    rate: float
    seed: int

    @property
    def arm(self) -> str:
        """The name of the arm."""
        return f"{self.method}, {self.source}"


@dataclasses.dataclass(frozen=True)
class Experiment:
    """The experiment in a folder.

    Attributes:
        out: the folder.
        plan: the plan.
        say: prints a line.
        results: a folder for all results and the supervised models; None: there is none.
    """

    out: Path
    plan: Mapping[str, Any]
    say: Callable[[str], None] = lambda text: typer.echo(text, err=True)
    results: Path | None = None

    def arms(self, job: Job | None = None) -> Arms:
        """Return the arms' data, for a job if there is one."""
        from aucenv.training.rlact.arms import POPULATION, Arms

        plan = self.plan
        source, rate = (POPULATION, None) if job is None else (job.source, job.rate)
        return Arms(self.out, plan["updates"], plan["changes"], source, rate, plan["supervised_updates"])

    def sealed(self, job: Job | None = None) -> Arms:
        """Return the data of the arms in sealed bids."""
        plan = self.plan["sealed"]
        changes = {**self.plan["changes"], **plan["changes"]}
        return dataclasses.replace(self.arms(job), out=self.out / "sealed", changes=changes, pricing=plan["pricing"])

    def run(self) -> None:
        """Do what is left of the experiment, and write its tables."""
        plan = self.plan
        self.out.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(BlockingIOError), only_writer(self.out):
            write_or_compare(self.out / "plan.json", dict(plan), "results of another plan")
        write_or_compare(self.out / "plan.json", dict(plan), "results of another plan")
        self.restore()
        jobs = self._jobs(plan["seeds"])
        self._work("first seeds", jobs, self.arms, self._play)
        chosen = finalists(self._results(jobs), plan)
        self.say(f"most seeds for: {'; '.join(f'{method}, {source}, {rate:g}' for method, source, rate in chosen)}")
        more = [Job(*arm, seed) for arm in chosen for seed in plan["final_seeds"]]
        self._work("final seeds", more, self.arms, self._play)
        best = held_out_arms(self._results(more))
        last = [Job(*arm, seed) for arm in best for seed in plan["final_seeds"]]
        self._work("held-out families", last, self.arms, self._play_held_out, HELD_OUT)
        sealed = [
            Job(method, "population", plan["sealed"]["learning_rate"], seed)
            for seed in plan["sealed"]["seeds"]
            for method in plan["sealed"]["methods"]
        ]
        self._work("sealed bids", sealed, self.sealed, self._play_sealed)
        self.write_tables()

    def _jobs(self, seeds: Sequence[int]) -> list[Job]:
        plan = self.plan
        return [
            Job(method, source, rate, seed)
            for seed in seeds
            for rate in plan["learning_rates"]
            for source in plan["sources"]
            for method in plan["methods"]
        ]

    def _prepare(self, arms: Arms) -> None:
        """Do the preparations that are left, or wait for the process that does one of them.

        Supervised models are copied from the folder of results, because other processors train others with equal seeds.
        """
        for what, file, do in arms.preparations():
            is_waiting = False
            kept = self.results and file.parent == arms.start and self.results / arms.start.relative_to(self.out)
            while not file.is_file():
                arms.shared.mkdir(parents=True, exist_ok=True)
                try:
                    with only_writer(arms.shared):
                        if file.is_file():
                            continue
                        if kept and kept.is_dir():
                            _copy(kept, arms.start)
                            continue
                        self.say(f"{what}: about {MINUTES[what]} minutes on one core")
                        with shown_by(_Lines(self.say).show):
                            do()
                        if kept:
                            _copy(arms.start, kept)
                except BlockingIOError:
                    if not is_waiting:
                        self.say(f"{what}: another process does it; waiting")
                    is_waiting = True
                    time.sleep(WAIT)

    def _work(
        self,
        phase: str,
        jobs: Sequence[Job],
        arms_of: Callable[[Job | None], Arms],
        play: Callable[[Arms, Job, str], JsonObject],
        name: str = RESULT,
    ) -> None:
        """Do the jobs without a file of this name that no other process does, and wait for those that another does."""
        is_prepared = is_waiting = False
        while left := [job for job in jobs if not (self._folder(arms_of, job) / name).is_file()]:
            if not is_prepared:
                self._prepare(arms_of(None))
                is_prepared = True
            if not is_waiting:
                self._say_left(phase, jobs, left, arms_of)
            worked = False
            for job in left:
                arms, folder = arms_of(job), self._folder(arms_of, job)
                claimed = folder / "claim"
                claimed.mkdir(parents=True, exist_ok=True)
                with contextlib.suppress(BlockingIOError), only_writer(claimed):
                    if not (folder / name).is_file():
                        worked = True
                        self._do(phase, arms, job, folder / name, play)
            if not worked:
                if not is_waiting:
                    self.say(f"{phase}: other processes train the last arms; waiting")
                is_waiting = True
                time.sleep(WAIT)

    def _do(self, phase: str, arms: Arms, job: Job, path: Path, play: Callable[[Arms, Job, str], JsonObject]) -> None:
        """Train and play an arm, and write its result; an arm that diverges has no profits."""
        from aucenv.training.rlact.learning.callbacks import Diverged

        began, spent = time.monotonic(), time.process_time()
        self.say(f"{phase}: {job.arm}, rate {job.rate:g}, seed {job.seed}: {arms.updates} updates and games")
        result: JsonObject = {**dataclasses.asdict(job), "updates": arms.updates, "diverged": None, "profits": None}
        try:
            model = arms.train(job.method, job.seed)
            result |= {"pairs": arms.pairs(arms.folder(job.method, job.seed)), **play(arms, job, str(model))}
        except Diverged as error:
            result["diverged"] = str(error)
        result["minutes"] = round((time.monotonic() - began) / 60, 2)
        result["core_minutes"] = round((time.process_time() - spent) / 60, 2)
        write_atomically(path, to_pretty_json(result))
        self.keep()
        self.say(f"{phase}: {job.arm}, rate {job.rate:g}, seed {job.seed}: {_summary(result)}")

    def _say_left(
        self, phase: str, jobs: Sequence[Job], left: Sequence[Job], arms_of: Callable[[Job | None], Arms]
    ) -> None:
        """Say how many arms are left, and how long they take one after another."""
        done = [self._folder(arms_of, job) / RESULT for job in jobs if job not in left]
        minutes = [read_object(path, str(path))["core_minutes"] for path in done if path.is_file()]
        each = sum(minutes) / len(minutes) if minutes else MINUTES.get(phase, MINUTES["an arm"])
        self.say(
            f"{phase}: {len(left)} of {len(jobs)} arms are left, about {each * len(left) / 60:.1f} hours on one core"
        )

    def _folder(self, arms_of: Callable[[Job | None], Arms], job: Job) -> Path:
        return arms_of(job).folder(job.method, job.seed)

    def _play(self, arms: Arms, job: Job, model: str) -> JsonObject:
        plan = self.plan["validation"]
        return {"profits": _profits(plan["sets"], arms, model, plan["deals"]), "games": arms.rates(Path(model))}

    def _play_held_out(self, arms: Arms, job: Job, model: str) -> JsonObject:
        plan = self.plan["held_out"]
        return {"profits": _profits(plan["sets"], arms, model, plan["deals"])}

    def _play_sealed(self, arms: Arms, job: Job, model: str) -> JsonObject:
        from aucenv.benchmarks.rlact_sealed import losses_at

        start = losses_at(f"rlact:{arms.start}", self.plan["sealed"]) if job.seed == 0 else None
        return {"profits": {}, "losses": losses_at(f"rlact:{model}", self.plan["sealed"]), "start": start}

    def _results(self, jobs: Sequence[Job], name: str = RESULT) -> list[JsonObject]:
        paths = [self.arms(job).folder(job.method, job.seed) / name for job in jobs]
        return [read_object(path, str(path)) for path in paths if path.is_file()]

    def _head(self) -> JsonObject:
        """Return what results depend on: the plan, and the weights with which arms start."""
        start = self.arms().start
        if self.results and not start.is_dir():  # no arm is trained, only the tables are written
            start = self.results / start.relative_to(self.out)
        weights = (start / WEIGHTS).read_bytes()
        return {"plan": dict(self.plan), "supervised model": hashlib.sha256(weights).hexdigest()}

    def keep(self) -> None:
        """Write all results into the folder of results."""
        if self.results is None:
            return
        files = sorted(path for name in (RESULT, HELD_OUT) for path in self.out.glob(f"**/arms/*/{name}"))
        lines = [{"file": path.relative_to(self.out).as_posix(), **read_object(path, str(path))} for path in files]
        self.results.mkdir(parents=True, exist_ok=True)
        write_atomically(self.results / RESULTS, "".join(f"{json.dumps(line)}\n" for line in [self._head(), *lines]))

    def restore(self) -> None:
        """Write the results of the folder of results into that of the experiment.

        Raises:
            ValueError: They are those of another plan, or of another supervised model.
        """
        if self.results is None or not (self.results / RESULTS).is_file():
            return
        head, *lines = [parse_json(text, where) for where, text in read_lines(self.results / RESULTS)]
        for name, value in self._head().items():
            if head[name] != value:
                raise ValueError(f"{self.results}: expected results of the {name} of {self.out}, got those of another")
        for line in lines:
            path = self.out / line.pop("file")
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                write_atomically(path, to_pretty_json(line))

    def write_tables(self) -> None:
        """Write and print the tables of all results so far."""
        folders = sorted((self.out / "arms").glob("*")), sorted((self.out / "sealed" / "arms").glob("*"))
        read = [
            [read_object(path, str(path)) for folder in each if (path := folder / name).is_file()]
            for each, name in ((folders[0], RESULT), (folders[0], HELD_OUT), (folders[1], RESULT))
        ]
        results, held_out, sealed = read
        text = to_markdown(results, held_out, sealed, self.plan)
        self.out.mkdir(parents=True, exist_ok=True)
        write_atomically(self.out / "table.md", text)
        self.say(text)


class _Lines:
    """A line about what is being done now, every EVERY seconds."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say, self._printed = say, time.monotonic()

    def show(self) -> None:
        """Print a line if it is time for one."""
        if tasks and time.monotonic() > self._printed + EVERY:
            self._printed = time.monotonic()
            task = tasks[-1]
            left = "" if task.seconds_left is None else f", {task.seconds_left / 60:.0f} min left"
            self._say(f"{task.done:,} of {task.total or 0:,} {task.what}{left}")


def _copy(folder: Path, to: Path) -> None:
    """Copy a folder, which is not there until all of it is."""
    partial = to.with_name(f"{to.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    shutil.copytree(folder, partial)
    shutil.rmtree(to, ignore_errors=True)
    partial.rename(to)


def _profits(sets: Sequence[str], arms: Arms, model: str, deals: int) -> JsonObject:
    """Return the profits at each set of tables whose game the arms play, in percent."""
    known = {name: table_set(name) for name in sets}
    return {
        name: profit_ratios(tables, f"rlact:{model}", deals).round(6).tolist()
        for name, tables in known.items()
        if tables.game in arms.config.games
    }


def _summary(result: JsonObject) -> str:
    if result["diverged"]:
        return str(result["diverged"])
    values = {name: sum(map(sum, each)) / sum(map(len, each)) for name, each in result["profits"].items()}
    parts = [f"{name} {value:.2f}%" for name, value in values.items()]
    pairs = result.get("pairs") or {}
    parts += [f"{name} pairs {pairs[name]:.1%}" for name in ("agreeing", "synthetic", "used") if name in pairs]
    return ", ".join([*parts, f"{result['core_minutes']:.1f} core-minutes"])


def _run(out: Path, plan: Mapping[str, Any], results: Path | None) -> None:
    import torch

    torch.set_num_threads(1)
    Experiment(out, plan, results=results).run()


def main() -> None:
    """Run the experiment, or continue it."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--out", type=Path, required=True, help="the folder; a stopped experiment continues in it")
    parser.add_argument("--plan", type=Path, default=PLAN, help="another plan than rlact_arms.json")
    parser.add_argument("--workers", type=int, default=1, help="processes that share the arms")
    parser.add_argument("--results", type=Path, help="a folder of results and models, from which it continues")
    parser.add_argument("--table", action="store_true", help="only write the tables of all results so far")
    options = parser.parse_args()
    workers = whole_number("--workers", options.workers, 1, 1000)
    plan = read_object(options.plan, str(options.plan))
    experiment = Experiment(options.out, plan, results=options.results)
    if options.table:
        experiment.restore()
        experiment.write_tables()
        return
    for _ in run_jobs(_run, [(options.out, plan, options.results)] * workers, workers):
        pass


if __name__ == "__main__":
    main()
