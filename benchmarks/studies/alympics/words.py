"""The words with which residents of different personas explain their bids: word clouds, and what distinguishes them.

Source: Alympics, arXiv 2311.03220, section 4, Figure 9, for the word clouds; the paper counts no words. The log-odds
ratios are those of Monroe, Colaresi and Quinn (2008); see `aucenv.analysis.statistics.word_odds`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from aucenv.benchmarks.studies.alympics.droughts import GAME, NAMES
from aucenv.benchmarks.studies.alympics.subjects import Subject, subjects, words_by_day
from aucenv.benchmarks.studies.cells import Table, distinct, group_by, same_in_all_seats
from aucenv.benchmarks.studies.study import Study

from aucenv.analysis.plots import COLOURS, Drawing
from aucenv.analysis.statistics.word_odds import PRIOR_WORDS, distinguishing_words
from aucenv.core.files import JsonMapping, JsonObject
from aucenv.core.records.record import GameRecord
from aucenv.envs.water_allocation.game import SETTINGS
from aucenv.runs.play import Match

BIDDERS = ("resident=llm:scripted,agent=resident",)
SIZE = (9.0, 2.6)
MOST_SHOWN = 8
"""The number of distinguishing words in a table."""
MOST_KEPT = 40
"""The number of words of each kind in a row."""
MOST_DRAWN = 25
"""The number of words in a cloud."""
LEAST_Z = 1.96
STOP_TEXT = (
    "a about after again all also am an and any are as at be because been before being but by can could did do does "
    "doing down each few for from further had has have having he her here hers him his how i if in into is it its "
    "itself just me more most my myself no nor not now of off on once only or other our out over own same she should "
    "so some such than that the their them then there these they this those through to too under until up very was we "
    "were what when where which while who whom why will with without would you your i'm i'll i've i'd it's don't"
)
STOP_WORDS = frozenset(STOP_TEXT.split())
"""Words that clouds and tables leave out."""

COLUMNS = {
    "persona": ("persona", "{}"),
    "bidder": ("bidder", "{}"),
    "games": ("games", "{}"),
    "reasons": ("reasons", "{}"),
    "words": ("words", "{}"),
    "distinct": ("distinct words", "{}"),
    "distinguishing": ("words that distinguish it (z)", "{}"),
}


def matches(bidders: Sequence[str], games: int, seed: int) -> list[Match]:
    """Return games of the three settings with personas, in each of which one bidder plays all seats."""
    cells = [(GAME, scenario) for scenario in SETTINGS.values() if any(each.persona for each in scenario.residents)]
    return list(same_in_all_seats(cells, bidders, games, seed))


def rows(records: Sequence[GameRecord]) -> list[JsonObject]:
    """Return a row for each bidder and persona.

    `frequent` has the most frequent words, [word, count], and `odds` those of the highest z-scores, [word, count, log
    odds ratio, z-score], both in order.
    """
    table = []
    with_persona = [subject for subject in subjects(records) if subject.persona]
    for bidder, chosen in group_by(with_persona, lambda subject: subject.bidder).items():
        personas = group_by(chosen, lambda subject: subject.name)
        reasons = {name: _reasons(residents) for name, residents in personas.items()}
        counts = {name: Counter(word for text in texts for word in words_in(text)) for name, texts in reasons.items()}
        odds = distinguishing_words(counts)
        for name, residents in personas.items():
            frequent = sorted(counts[name].items(), key=lambda item: (-item[1], item[0]))
            kept = [[each.word, each.count, round(each.log_odds, 6), round(each.z, 6)] for each in odds[name]]
            shown = [f"{each.word} {each.z:.1f}" for each in odds[name][:MOST_SHOWN] if each.z > LEAST_Z]
            table.append(
                {
                    "persona": name,
                    "bidder": bidder,
                    "games": len({subject.record.index for subject in residents}),
                    "reasons": len(reasons[name]),
                    "words": counts[name].total(),
                    "distinct": len(counts[name]),
                    "distinguishing": ", ".join(shown) or "-",
                    "frequent": [list(item) for item in frequent[:MOST_KEPT]],
                    "odds": kept[:MOST_KEPT],
                }
            )
    return table


def _reasons(residents: Sequence[Subject]) -> list[str]:
    """Return the texts with which residents explain their bids; empty ones are left out."""
    return [text for subject in residents for text in words_by_day(subject) if text]


def words_in(text: str) -> list[str]:
    """Return the words of a text in lower case, without numbers, stop words and the names of residents.

    Names would distinguish personas trivially, because no resident is its own rival.
    """
    names = {name.lower() for name in NAMES}
    with_plain_quotes = text.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    words: list[str] = re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?", with_plain_quotes)
    plain = (word.removesuffix("'s") for word in words)
    return [word for word in plain if len(word) > 1 and word not in STOP_WORDS and word not in names]


def more_tables(rows: Sequence[JsonObject]) -> list[Table]:
    """Return the table of the words with the highest z-scores of each persona."""
    lines = [
        [row["persona"], row["bidder"], word, f"{count:,}", f"{log_odds:+.2f}", f"{z:+.1f}"]
        for row in rows
        for word, count, log_odds, z in row["odds"][:MOST_SHOWN]
        if z > LEAST_Z
    ]
    about = (
        f"Words used more often than by the other personas of the same bidder: log-odds ratio with a prior of "
        f"{PRIOR_WORDS:,.0f} words, and z-score (above {LEAST_Z})"
    )
    return [(about, ["persona", "bidder", "word", "uses", "log-odds ratio", "z"], lines)] if lines else []


def draw(rows: Sequence[JsonObject], figure: Drawing) -> None:
    """Draw a word cloud for each persona, a line of panels for each bidder.

    Raises:
        ImportError: wordcloud is not installed.
    """
    bidders = distinct(rows, "bidder")
    names = distinct(rows, "persona")
    figure.set_size_inches(SIZE[0], 0.4 + 2.2 * len(bidders))
    panels = figure.subplots(len(bidders), len(names), squeeze=False)
    for line, bidder in enumerate(bidders):
        for column, name in enumerate(names):
            axes = panels[line][column]
            axes.set_xticks([])
            axes.set_yticks([])
            axes.set_title(name if line == 0 else "")
            axes.set_ylabel(bidder if column == 0 else "")
            row = next((row for row in rows if (row["bidder"], row["persona"]) == (bidder, name)), None)
            if row is None or not row["frequent"]:
                axes.text(0.5, 0.5, "no words", ha="center", va="center", transform=axes.transAxes)
            else:
                axes.imshow(_cloud(row, COLOURS[column % len(COLOURS)]), interpolation="bilinear")


def _cloud(row: JsonMapping, colour: str) -> Any:
    """Return the picture of a cloud, whose words have sizes by their counts; equal rows give equal pictures."""
    from wordcloud import WordCloud

    cloud = WordCloud(
        width=420,
        height=520,
        background_color="white",
        max_words=MOST_DRAWN,
        prefer_horizontal=1.0,
        random_state=0,
        color_func=lambda *_, **__: colour,
        min_font_size=26,
    )
    return cloud.generate_from_frequencies({word: count for word, count, *_ in row["frequent"]}).to_array()


STUDY: Study = Study(
    name="alympics/words",
    about="The words with which residents of each persona explain their bids, and those that distinguish the personas.",
    columns=COLUMNS,
    bidders=BIDDERS,
    games=10,
    offline_games=3,
    offline_bidders=BIDDERS,
    matches=matches,
    rows=rows,
    draw=draw,
    size=SIZE,
    more_tables=more_tables,
    recorded=(GAME,),
    meaning=(
        "The paper draws word clouds and prints no counts, so that nothing published stands beside. A single word has "
        "a z-score above 1.96 by accident once in forty times, so that among hundreds of words some do; and words of "
        "one conversation depend on each other, so that z-scores are too high. llm:scripted repeats words of its "
        "persona."
    ),
)
