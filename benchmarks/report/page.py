"""Write a report: one page that shows the results of a run and replays its games, without a network."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Sequence
from pathlib import Path

from aucenv.benchmarks.rankings.saved_runs import SavedRun
from aucenv.benchmarks.report.page_data import MISTAKES, TEXTS_PER_BLOCK, Blocks, game_data, mistakes_of
from aucenv.benchmarks.report.redaction import renamed, renamed_models
from aucenv.benchmarks.report.run_summary import sign_of, summary_of, table_data

import aucenv
from aucenv.analysis.statistics.comparison import compare, comparison_table
from aucenv.analysis.statistics.metrics import figures_of
from aucenv.core.checks import whole_number
from aucenv.core.files import JsonObject
from aucenv.core.records.record import GameRecord
from aucenv.core.words.bidder_name import seat_label
from aucenv.core.words.outside_text import one_line
from aucenv.runs.model_calls.calls import Call

WEB = Path(aucenv.__file__).parent / "web"
FOLDER = WEB / "js"
"""The modules of pages."""
_IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]+)";\n', re.MULTILINE)
_DEFINED = re.compile(r"^(export )?(?:async )?(?:function\*?|const|let|class) (\w+)", re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)
_OTHER = re.compile(r"^(?:import\b|export\b(?! (?:async |function|const|let|class)))[^\n]*", re.MULTILINE)


def join(entry: Path) -> str:
    """Return the text of a module and of all that it imports, in the order of imports, as one module.

    Modules import names in braces, and export functions, constants and classes where they define them. As all share one
    scope, no two define the same name.

    Args:
        entry: The module to begin with.

    Raises:
        OSError: A module cannot be read.
        ValueError: An import or an export has another form, a name is not exported, or two modules define it.
    """
    texts: dict[Path, str] = {}
    _add(entry.resolve(), texts, ())
    defined: dict[str, Path] = {}
    parts = []
    for path, text in texts.items():
        body = _IMPORT.sub("", text)
        for _, name in _DEFINED.findall(body):
            if name in defined:
                raise ValueError(f"{path}: expected a name of its own, but {defined[name]} defines {name}, too")
            defined[name] = path
        if other := _OTHER.search(body):
            raise ValueError(f"{path}: expected `import {{NAME}} from` or `export` of a definition, got {other[0]!r}")
        parts.append(_EXPORT.sub("", body).strip() + "\n")
    return "\n".join(parts)


def _add(path: Path, texts: dict[Path, str], importing: tuple[Path, ...]) -> None:
    """Add a module after those that it imports.

    Args:
        texts: The modules that are added already.
        importing: The modules that import it.
    """
    if path in importing:
        raise ValueError(f"{path}: expected no circle of imports, got {' -> '.join(map(str, (*importing, path)))}")
    if path in texts:
        return
    text = path.read_text(encoding="utf-8")
    for names, source in _IMPORT.findall(text):
        imported = (path.parent / source).resolve()
        _add(imported, texts, (*importing, path))
        exported = {name for export, name in _DEFINED.findall(texts[imported]) if export}
        for name in filter(None, map(str.strip, names.split(","))):
            if name not in exported:
                raise ValueError(f"{path}: expected a name that {imported} exports, got {name!r}")
    texts[path] = text


CALLS = 50
"""The default number of games of a run whose model calls the page has."""
STYLE = WEB / "page.css"
NEEDS = (
    "This page needs JavaScript, with modules and DecompressionStream: Chrome or Edge 98, Firefox 113, Safari 16.4, or "
    "newer."
)

LIVE_NEEDS = "This page needs JavaScript, and a browser of 2022 or later."


def report(folders: Sequence[Path], calls: int = CALLS, is_redacted: bool = False) -> str:
    """Return a page, in HTML, about the games of one results folder or of two.

    Args:
        folders: Results folders, or files of games.
        calls: The number of games, from the first of each folder, whose model calls the page has.
        is_redacted: Whether words and names are left out.

    Raises:
        OSError: A folder cannot be read.
        ValueError: A folder has no finished game, or a line that is no record.
    """
    runs = [SavedRun.read(folder) for folder in folders]
    games = [run.records() for run in runs]
    if is_redacted:
        together = renamed([record for records in games for record in records])
        games = [together[: len(games[0])], together[len(games[0]) :]][: len(runs)]
    journals = [run.calls() for run in runs]
    if is_redacted:
        journals = renamed_models(journals)
    blocks = Blocks()
    parts = zip(runs, games, journals, strict=True)
    summaries = [summary_of(run, records, calls_of_run, is_redacted) for run, records, calls_of_run in parts]
    kept = [[] if is_redacted else journal for journal in journals]
    summary = _summary(summaries, games, kept, whole_number("--calls", calls, 0), blocks, is_redacted)
    if len(runs) > 1:
        try:
            summary["comparison"] = _comparison(games, [str(folder) for folder in folders], is_redacted)
        except ValueError as error:
            summary["notes"].append(f"The runs are not compared: {error}.")
    if is_redacted:
        summary["notes"].append("Words and names are left out of this page.")
    blocks.add("summary", summary)
    blocks.finish()
    return page(summary["title"], blocks)


def record_page(record: GameRecord) -> str:
    """Return the page of one game, in HTML, which opens its replay."""
    blocks = Blocks()
    ranking: JsonObject = {"name": record.game, "ranking": [], "scores": [], "tables": [], "facts": []}
    ranking |= {"score_title": "", "sign": "$"}
    summary = _summary([ranking], [[record]], [[]], 0, blocks)
    title = f"{record.game}, game {record.index}"
    blocks.add("summary", {**summary, "title": title, "opens": record.index})
    return page(title, blocks)


def _summary(
    runs: Sequence[JsonObject],
    games: Sequence[Sequence[GameRecord]],
    journals: Sequence[Sequence[Call]],
    calls: int,
    blocks: Blocks,
    is_redacted: bool = False,
) -> JsonObject:
    """Return the summary of a page, and add its games and calls to `blocks`."""
    records = [(number, record) for number, played in enumerate(games) for record in played]
    bidders = list(dict.fromkeys(seat_label(player) for _, record in records for player in record.seats))
    with_calls = [{record.index for record in played[:calls]} for played in games]
    calls_of: dict[tuple[int, int], list[Call]] = {}
    for number, journal in enumerate(journals):
        for call in journal:
            calls_of.setdefault((number, call.game), []).append(call)
    data = [game_data(record, is_redacted) for _, record in records]
    places = list(blocks.add_games(data))
    entries = []
    for (number, record), each, (block, place) in zip(records, data, places, strict=True):
        chosen = calls_of.get((number, record.index), [])
        name = None
        if chosen and record.index in with_calls[number]:
            name = f"calls-{number}-{record.index}"
            blocks.add_calls(name, chosen)
        where: JsonObject = {"run": number, "block": block, "place": place, "calls": name}
        entries.append({**where, **_entry(record, bidders, each)})
    return {
        "title": " and ".join(run["name"] for run in runs),
        "runs": runs,
        "bidders": bidders,
        "mistakes": [kind for kind in MISTAKES if any(kind in entry["mistakes"] for entry in entries)],
        "games": entries,
        "texts_per_block": TEXTS_PER_BLOCK,
        "notes": _notes(len(calls_of.keys() & {(n, record.index) for n, record in records}), entries),
        "comparison": None,
    }


def _entry(record: GameRecord, bidders: Sequence[str], data: JsonObject) -> JsonObject:
    score = figures_of(record.game).SCORE
    scores = [result[score] for result in record.outcome["seats"]]
    seats = [
        {"bidder": bidders.index(seat_label(player)), "score": value, "won": value == max(scores)}
        for player, value in zip(record.seats, scores, strict=True)
    ]
    return {
        "index": record.index,
        "game": record.game,
        "scenario": data["scenario"]["name"],
        "sign": sign_of(record),
        "unit": score.replace("_", " "),
        "seats": seats,
        "moves": len(record.decisions),
        "mistakes": mistakes_of(record, data.get("beliefs", {})),
    }


def _notes(games: int, entries: Sequence[JsonObject]) -> list[str]:
    """Return a note if the page lacks calls of games; `games` is the number of games on the page with calls."""
    kept = sum(entry["calls"] is not None for entry in entries)
    if kept == games:
        return []
    return [
        f"The page has the prompts and replies of {kept} of the {games} games with model calls; --calls N keeps more."
    ]


def _comparison(games: Sequence[Sequence[GameRecord]], names: Sequence[str], is_redacted: bool) -> JsonObject:
    first, second = ("A", "B") if is_redacted else names
    return table_data(comparison_table(compare(games[0], games[1]), games[0][0].game, (first, second)))


def page(title: str, blocks: Blocks) -> str:
    """Return a page of these blocks."""
    script = page_script()
    data = "\n".join(f'<script type="text/plain" id="{name}">{text}</script>' for name, text in blocks.blocks.items())
    meta = f'<meta http-equiv="Content-Security-Policy" content="{content_policy(script)}">\n'
    return _document(title, meta, NEEDS, data, script)


def live_page(game: str) -> tuple[str, str]:
    """Return the page of a live table of a game, and its Content-Security-Policy.

    In the policy, {socket} stands for the address of the table's socket.
    """
    script = page_script("live.js", "startTable")
    policy = f"{content_policy(script)}; connect-src {{socket}}; frame-ancestors 'none'"
    return _document(f"aucenv {game}", "", LIVE_NEEDS, "", script), policy


def content_policy(script: str) -> str:
    """Return the Content-Security-Policy of a page with this script: nothing else runs, and nothing is loaded.

    Images are those that the page makes itself, to save its charts.
    """
    return (
        f"default-src 'none'; script-src '{_digest(script)}'; "
        f"style-src '{_digest(STYLE.read_text(encoding='utf-8'))}'; img-src data:; base-uri 'none'; form-action 'none'"
    )


def _document(title: str, meta: str, needs: str, data: str, script: str) -> str:
    shown, style = html.escape(one_line(title)), STYLE.read_text(encoding="utf-8")
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n{meta}'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="generator" content="aucenv {aucenv.__version__}">\n<title>{shown}</title>\n'
        f'<style>{style}</style>\n</head>\n<body>\n<main id="main"><p>{needs}</p></main>\n'
        f'{data}\n<script type="module">{script}</script>\n</body>\n</html>\n'
    )


def page_script(module: str = "app.js", start: str = "startPage") -> str:
    """Return the script of a page.

    Args:
        module: The module of the page.
        start: Its function that starts the page.
    """
    return f"{join(FOLDER / module)}\n{start}();\n"


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
