"""Rankings by setting: each is that of the setting's games alone, and the ranking of all games comes last."""

from __future__ import annotations

import csv
import json

import pytest
from aucenv.benchmarks.rankings.leaderboard import Settings, matches, run
from run_command import command

from aucenv.analysis.ranking.by_setting import rows_by_setting, split_by_setting, standings_by_setting
from aucenv.analysis.ranking.standings import standings
from aucenv.analysis.ranking.tables import ranking_tables
from aucenv.runs.records import read_records

BIDDERS = ("rule", "drain", "pace")
SETTINGS = [
    f"standard-{budget}-{order}" for budget in ("20k", "40k") for order in ("random", "ascending", "descending")
]


@pytest.fixture(scope="module")
def standard(tmp_path_factory):
    out = tmp_path_factory.mktemp("runs") / "out"
    rows = run(Settings(bidders=BIDDERS, format="standard"), out=out)
    return out, list(read_records(out)), rows


def test_the_standard_competition_is_reported_by_setting(standard):
    _, records, rows = standard
    assert {row["bidder"]: list(row["by_setting"]) for row in rows} == dict.fromkeys(
        [row["bidder"] for row in rows], SETTINGS
    )
    ranked = dict(rows_by_setting(rows, "english"))
    for setting in SETTINGS:
        expected = standings([record for record in records if record.scenario["name"] == setting])
        assert [row["bidder"] for row in ranked[setting]] == [row["bidder"] for row in expected]
        for row, alone in zip(ranked[setting], expected, strict=True):
            assert row["games"] == 10
            assert row == {name: value for name, value in alone.items() if name != "head_to_head"}
    assert standings_by_setting(records) == rows


def test_at_forty_thousand_the_rule_bidder_wins_items(standard):
    _, _, rows = standard
    settings = next(row for row in rows if row["bidder"] == "rule")["by_setting"]
    assert all(settings[name]["items_mean"] > 1 for name in SETTINGS)


def test_tables_end_with_that_of_all_settings(standard, capsys):
    out, _, rows = standard
    tables = ranking_tables(rows, "english", "title")
    assert [table.title.split(";")[0] for table in tables[:7]] == [
        *(f"title, {name}" for name in SETTINGS),
        "title, all 6 settings",
    ]
    assert all({"rating", "mean profit, $", "items", "failed bids"} < set(table.headings) for table in tables[:7])
    text = (out / "table.md").read_text()
    places = [text.index(f"**{name}**\n\n| rank |") for name in (*SETTINGS, "all settings")]
    assert places == sorted(places)
    command("records", "table", out, "--csv", "-")
    columns = next(csv.reader(capsys.readouterr().out.splitlines()))
    assert "by_setting.standard-40k-random.failed_bid_rate" in columns
    assert json.loads((out / "table.json").read_text()) == rows


def test_games_of_one_setting_have_no_tables_by_setting():
    settings = Settings(bidders=BIDDERS, games=6)
    rows = run(settings)
    assert all("by_setting" not in row for row in rows)
    assert ranking_tables(rows, "english", "title")[0].title.startswith("title; ")
    assert standings_by_setting([]) == []


def test_scenarios_of_one_name_are_numbered():
    games = [
        match.play()
        for budget in (5000, 20_000, 5000)
        for match in matches(
            Settings(
                bidders=BIDDERS,
                games=1,
                changes=(
                    "num_items=1",
                    f"budget={budget}",
                ),
            )
        )[:1]
    ]
    split = split_by_setting(games)
    assert {name: len(played) for name, played in split.items()} == {
        "standard-20k-random (1)": 2,
        "standard-20k-random (2)": 1,
    }
