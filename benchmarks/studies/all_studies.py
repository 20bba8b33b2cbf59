"""Run every study at its offline size, and write one page with their tables and pictures.

`aucenv study all --offline --out DIR` writes DIR/index.html and DIR/index.md.
`python -m aucenv.benchmarks.studies.all_studies DIR docs/STUDIES.md` writes the page of the documentation from it.
"""

from __future__ import annotations

import argparse
import dataclasses
import html
import json
import re
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from aucenv.benchmarks.studies.cells import Table
from aucenv.benchmarks.studies.registry import STUDIES
from aucenv.benchmarks.studies.study import Study
from aucenv.benchmarks.studies.study_run import FIGURES, run, train

from aucenv.analysis.markdown import table
from aucenv.core.extras import check_packages
from aucenv.core.files import JsonObject, read_object, to_pretty_json, write_atomically
from aucenv.core.formats.folders import check_folder, check_unused
from aucenv.core.progress import doing, track
from aucenv.runs.run_options import RunOptions

SUMMARY = "studies.json"
MINUTES = Path(__file__).with_name("offline_minutes.json")
"""The minutes of each study in the offline run behind docs/STUDIES.md."""
INTRODUCTION = (
    "A study plays the games of a published experiment, or reads them from records, and prints its tables, with the "
    "published values beside ours where the papers print them. The figures here are those of an offline run: rule "
    "bidders, and the script `llm:scripted` in place of models, marked (script). Scripts test the studies; their "
    "results say nothing about models. `±` is half of a 95% interval."
)
PAPERS = {
    "aucarena": "AucArena, [arXiv 2310.05746](https://arxiv.org/abs/2310.05746)",
    "harbor": "HARBOR, [arXiv 2502.12149](https://arxiv.org/abs/2502.12149)",
    "labs": "Synthetic Labs, [arXiv 2507.09083](https://arxiv.org/abs/2507.09083)",
    "alympics": "Alympics, [arXiv 2311.03220](https://arxiv.org/abs/2311.03220)",
    "prompts": "Prompts",
    "rl": "Learning in auctions",
    "rlact": "RLAct, the training of HARBOR",
}
"""The first part of a study's name -> the source, in the order of the page."""
NEEDED = {"fast": ("numba",), "llm": ("jinja2",), "plot": ("matplotlib", "wordcloud"), "stats": ("scipy",)}
"""Extra -> the modules of it that the studies need."""


@dataclasses.dataclass(frozen=True)
class Result:
    """The result of one study.

    Attributes:
        name: The name of the study.
        minutes: How long it took; 0 if all its games had been played before; None if it shares its games with others.
        games: The number of games in its folder; None for a study that trains.
        error: Why it failed; "": it did not.
    """

    name: str
    minutes: float | None
    games: int | None
    error: str = ""


def run_all(
    out: Path, run_options: RunOptions, workers: int, full: bool, announce: Callable[[str], None]
) -> list[Result]:
    """Run every study in a folder of its own, and write the pages; an interrupted run resumes.

    A study that fails does not stop the others.

    Args:
        out: The folder.
        run_options: Options of the games.
        workers: The number of processes of studies that train.
        full: Whether studies that train models run, too.
        announce: Called with a line before each study.

    Returns:
        The results, in the order of the page.
    """
    check_folder(out, SUMMARY)
    check_unused(out, (SUMMARY,), ("index.html", "index.md"))
    for extra, modules in NEEDED.items():
        check_packages("study all", extra, *modules)
    out.mkdir(parents=True, exist_ok=True)
    studies = ordered_studies(full)
    summary = out / SUMMARY
    earlier = read_object(summary, SUMMARY) if summary.is_file() else {}
    results = []
    for number, study in enumerate(track(studies, "studies"), 1):
        announce(f"{number} of {len(studies)}: {study.name}")
        before = earlier.get(study.name, {})
        result = _run_one(study, out / study.name, run_options, workers, before.get("minutes", 0.0))
        results.append(result)
        earlier[study.name] = dataclasses.asdict(result)
        write_atomically(summary, to_pretty_json(earlier))
    sections = [section_of(study, out, result) for study, result in zip(studies, results, strict=True)]
    write_atomically(out / "index.md", to_markdown(sections))
    write_atomically(out / "index.html", to_html(sections))
    return results


def offline_minutes() -> dict[str, float]:
    """Return the minutes of each study's offline run."""
    return read_object(MINUTES, MINUTES.name)


def ordered_studies(full: bool) -> list[Study]:
    """Return all studies in the order of PAPERS; those that train models only if `full`."""
    studies = [study for study in STUDIES.values() if full or not study.trains]
    return sorted(studies, key=lambda study: [*PAPERS].index(study.name.partition("/")[0]))


def _run_one(study: Study, out: Path, run_options: RunOptions, workers: int, minutes: float) -> Result:
    started = time.monotonic()
    games: int | None = None
    try:
        if study.trains:
            rows = train(study, (), None, 0, workers, out=out)
        else:
            chosen = study.offline_bidders, study.offline_games or study.games, 0
            matches = study.schedule(*chosen)
            with doing("games", len(matches)) as task:
                rows = run(study, *chosen, run_options.fitting(matches), out=out, on_game=task.update)
            with (out / "games.jsonl").open("rb") as lines:
                games = sum(1 for _ in lines)
        study.plot(rows, *(out / name for name in FIGURES))
        tables = [
            {"title": title, "headings": headings, "lines": lines} for title, headings, lines in study.tables(rows)
        ]
        write_atomically(out / "tables.json", to_pretty_json(tables))
    except (ValueError, OSError, ImportError) as error:
        return Result(study.name, minutes, games, f"{type(error).__name__}: {error}")
    took = (time.monotonic() - started) / 60
    return Result(study.name, round(minutes + took, 2), games)


@dataclasses.dataclass(frozen=True)
class Section:
    """A study on the page.

    Attributes:
        command: The command that plays its games.
        picture: The path of its picture from the page; None: it failed, or has no figure.
    """

    result: Result
    about: str
    command: str
    meaning: str
    tables: Sequence[Table]
    picture: str | None


def section_of(study: Study, out: Path, result: Result) -> Section:
    """Return the section of a study that has run in a folder of `out`."""
    path = out / study.name / "tables.json"
    data = json.loads(path.read_text(encoding="utf-8")) if path.is_file() and not result.error else []
    tables = [(each["title"], each["headings"], each["lines"]) for each in data]
    picture = f"{study.name}/{FIGURES[0]}" if tables and study.draw is not None else None
    return Section(result, study.about, command_of(study), study.meaning, tables, picture)


def command_of(study: Study) -> str:
    """Return the command that repeats the offline run of a study."""
    folder = study.name.replace("/", "-")
    if study.trains:
        return f"aucenv study {study.name} --out {folder}"
    bidders = " ".join(f"--bidder {name}" for name in study.offline_bidders)
    games = f"--games {study.offline_games or study.games} --out {folder}"
    return " ".join(filter(None, ["aucenv study", study.name, bidders, games]))


def _facts(result: Result) -> str:
    games = [] if result.games is None else [f"{result.games:,} games"]
    return ", ".join(games + ([] if result.minutes is None else [f"{result.minutes:.1f} minutes on this machine"]))


def to_markdown(sections: Sequence[Section], title: str = "Studies", introduction: str = INTRODUCTION) -> str:
    """Return the page in Markdown."""
    lines = [f"# {title}", "", introduction, ""]
    paper = ""
    for section in sections:
        group = section.result.name.partition("/")[0]
        if group != paper:
            paper = group
            lines += [f"## {PAPERS[group]}", ""]
        lines += [f"### {section.result.name}", "", section.about, "", "```bash", section.command, "```", ""]
        if section.result.error:
            lines += [f"This study failed: {section.result.error}", ""]
            continue
        lines += [f"![{section.result.name}]({section.picture})", ""] if section.picture else []
        for number, (title, headings, rows) in enumerate(section.tables):
            lines += [*([title, ""] if number else []), table(headings, rows)]
        lines += [*([section.meaning, ""] if section.meaning else []), f"({_facts(section.result)})", ""]
    return "\n".join(lines)


STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:1100px;margin:2em auto;padding:0 1em;color:#222}"
    "table{border-collapse:collapse;margin:1em 0;font-size:13px;display:block;overflow-x:auto}"
    "td,th{border-bottom:1px solid #ddd;padding:3px 9px;text-align:right}td:first-child,th:first-child{text-align:left}"
    "img{max-width:100%}code{background:#f4f4f4;padding:2px 5px}nav a{margin-right:1em}"
)


def to_html(sections: Sequence[Section], title: str = "Studies", introduction: str = INTRODUCTION) -> str:
    """Return the page in HTML, which shows the pictures beside it; all text is escaped."""
    links = " ".join(f'<a href="#{_escape(s.result.name)}">{_escape(s.result.name)}</a>' for s in sections)
    parts = [
        f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{_escape(title)}</title>",
        f"<style>{STYLE}</style><h1>{_escape(title)}</h1><p>{_prose(introduction)}</p><nav>{links}</nav>",
    ]
    for section in sections:
        name = _escape(section.result.name)
        parts.append(f'<h2 id="{name}">{name}</h2><p>{_escape(section.about)}</p>')
        parts.append(f"<p><code>{_escape(section.command)}</code></p>")
        if section.result.error:
            parts.append(f"<p>This study failed: {_escape(section.result.error)}</p>")
            continue
        parts += [f'<img src="{_escape(section.picture)}" alt="{name}">'] if section.picture else []
        parts += [_html_table(*each) for each in section.tables]
        parts.append(f"<p>{_prose(section.meaning)}</p><p>{_escape(_facts(section.result))}</p>")
    return "\n".join([*parts, "</html>\n"])


def _html_table(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{_escape(heading)}</th>" for heading in headings)
    body = "".join(f"<tr>{''.join(f'<td>{_escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<p>{_escape(title)}</p><table><tr>{head}</tr>{body}</table>"


def _escape(text: str) -> str:
    return html.escape(text, quote=True)


def _prose(text: str) -> str:
    """Return a text with names in backticks as code."""
    return re.sub("`([^`]*)`", r"<code>\1</code>", _escape(text))


def write_docs(run_folder: Path, page: Path) -> None:
    """Write the page of the documentation from the folder of a run, copy its pictures beside it, and note its minutes.

    Raises:
        ValueError: The folder has no finished run, or a study of it failed.
    """
    data: JsonObject = read_object(run_folder / SUMMARY, str(run_folder))
    failed = [name for name, result in data.items() if result["error"]]
    if failed:
        raise ValueError(f"{run_folder}: expected a run without failed studies, got {', '.join(failed)}")
    pictures = page.parent / "studies"
    pictures.mkdir(exist_ok=True)
    sections = []
    for result in data.values():
        section = section_of(STUDIES[result["name"]], run_folder, Result(**result))
        if section.picture is not None:
            name = f"{result['name'].replace('/', '-')}.png"
            shutil.copy(run_folder / section.picture, pictures / name)
            section = dataclasses.replace(section, picture=f"studies/{name}")
        sections.append(section)
    write_atomically(page, to_markdown(sections))
    write_atomically(MINUTES, to_pretty_json({name: result["minutes"] for name, result in data.items()}))


def main() -> None:
    """Write the page of the documentation."""
    parser = argparse.ArgumentParser(prog="python -m aucenv.benchmarks.studies.all_studies", description=main.__doc__)
    parser.add_argument("folder", type=Path, help="the folder of `aucenv study all`")
    parser.add_argument("page", type=Path, help="the page, docs/STUDIES.md")
    options = parser.parse_args()
    write_docs(options.folder, options.page)


if __name__ == "__main__":
    main()
