"""Studies of HARBOR: priorities by round, houses that the Master lost, and the audit of rules, by hand."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from aucenv.benchmarks.studies.cells import differences_table
from aucenv.benchmarks.studies.harbor import audit, competition, engagement, strategies
from aucenv.benchmarks.studies.registry import STUDIES
from aucenv.benchmarks.studies.study_run import run
from aucenv.training.rlact.probes.audit import CLASSES, PUBLISHED, audit_records
from matplotlib.figure import Figure

import aucenv
from aucenv.runs.records import read_records


def decision(seat, item, amount=None, **notes):
    return {"seat": seat, "item": item, "amount": amount, "notes": notes}


def record_with(decisions, items=3, **fields):
    deal = {"items": [{"persona": None}] * items}
    seats = [{"seat": "a"}, {"seat": "b"}]
    return SimpleNamespace(**{"decisions": decisions, "deal": deal, "seats": seats, **fields})


def test_the_row_of_a_round_has_the_priorities_that_hold_when_its_house_is_opened():
    """The seat plans before the first house and replans before the third; another seat's plans do not count."""
    decisions = [
        decision("a", 0, priorities=[1, 2, 3]),
        decision("b", 0, priorities=[3, 3, 3]),
        decision("a", 1),
        decision("a", 2, priorities=[1, 1, 2]),
    ]
    assert engagement.priorities_by_round(record_with(decisions), "a") == [[1, 2, 3], [1, 2, 3], [1, 1, 2]]


def test_earlier_plans_and_missing_priorities_by_round():
    """A seat without a decision about the second house notes its plan of then later; before it, there is none."""
    decisions = [
        decision("a", 2, priorities=[None, 2, 1], earlier_plans=[{"item": 1, "priorities": [None, 3, 3]}]),
    ]
    by_round = engagement.priorities_by_round(record_with(decisions), "a")
    assert by_round == [[None] * 3, [None, 3, 3], [None, 2, 1]]
    assert engagement.priorities_by_round(record_with([]), "a") == [[None] * 3] * 3


def test_priorities_by_round_are_means_over_games_with_cells_of_sold_houses(tmp_path):
    rows = run(STUDIES["harbor/1"], ["persona", "script=llm:scripted,agent=harbor"], 2, out=tmp_path / "out")
    records = list(read_records(tmp_path / "out"))
    for row in rows:
        bidder = "persona" if row["bidder"] == "persona" else "script=llm:scripted,agent=harbor"
        seat = ["master", "rival 1", "rival 2"].index(row["role"])
        played = [record for record in records if record.seats[0]["bidder"] == bidder]
        games = np.array([engagement.priorities_by_round(r, r.seats[seat]["seat"]) for r in played], float)
        np.testing.assert_allclose(np.array(row["by_round"], float), games.mean(axis=0), atol=1e-6)
        assert np.isfinite(games).all()  # also the cells of houses that were sold before
    rivals = {row["role"]: row["by_round"] for row in rows if row["bidder"] == "persona"}
    assert {line["EFG".index("E") + 4] for line in rivals["rival 1"]} == {3}
    assert {tuple(line[7:]) for line in rivals["rival 2"]} == {(3, 3, 3)}
    titles = [title for title, _, _ in STUDIES["harbor/1"].tables(rows)]
    assert "bidding round" in titles[1]
    lines = STUDIES["harbor/1"].tables(rows)[1][2]
    assert lines[0][:4] == ["persona", "master", "1", "2.0"]
    assert len(lines) == 2 * 3 * 10


def test_a_heatmap_has_a_row_for_each_round_and_a_column_for_each_house():
    figure = Figure(layout="constrained")
    priorities = [[float(1 + (row + column) % 3) for column in range(10)] for row in range(10)]
    base = {f"bids_{item}": 1.0 for item in engagement.ITEMS} | {"bidder": "m", "games": 1}
    rows = [base | {"role": role, "by_round": priorities} for role in ("master", "rival 1", "rival 2")]
    engagement.draw(rows, figure)
    images = [axes.images[0] for axes in figure.subfigs[0].axes if axes.images]
    assert len(images) == 3
    assert images[0].get_array().tolist() == priorities
    assert images[0].get_clim() == (1, 3)
    assert figure.subfigs[0].axes[0].get_ylabel() == "bidding round"


def test_bidders_that_note_no_priorities_have_no_table_by_round():
    rows = run(STUDIES["harbor/1"], ["value"], 2)
    assert {row["priority_A"] for row in rows} == {None}
    titles = [title for title, _, _ in STUDIES["harbor/1"].tables(rows)]
    assert titles[1:] == ["Mean bids for each item"]


def test_the_matching_houses_that_a_master_lost_by_hand():
    """Of four matches one is won, one is too dear, one is left under rule D and one is lost otherwise."""
    items = [{"persona": name} for name in ("P", "Q", "P", "P", "P", "R")]
    sales = [
        {"winner": "a", "price": 400},
        {"winner": "a", "price": 300},  # no match
        {"winner": "b", "price": 301},  # 300 are left
        {"winner": "b", "price": 300},
        {"winner": None, "price": None},
        {"winner": "b", "price": 100},
    ]
    decisions = [
        decision("a", 2, rule="D"),
        decision("a", 3, 200, rule="A"),
        decision("a", 3, rule="D"),
        decision("b", 4, rule="D"),
        decision("a", 4, rule="F"),
    ]
    deal = {"items": items, "seats": [{"budget": 1000, "personas": ["P"]}, {"budget": 1000, "personas": ["Q"]}]}
    record = record_with(decisions, deal=deal, outcome={"items": sales})
    losses = strategies.count_losses([record])
    assert losses == strategies.Losses(lost=3, unaffordable=1, saved=1, bought=1)
    assert strategies.count_losses([record, record]).lost == 6


def test_the_table_says_where_acquisition_falls_though_the_published_one_rises():
    counts = {"lost": 8, "unaffordable": 3, "saved": 0, "bought": 27}
    rows = [
        {"strategy": name, "won_0": won, **counts}
        for name, won in (("baseline", 0.77), ("true", 0.5), ("second", 0.95), ("mine", 0.6))
    ]
    published = {"baseline": 0.77, "true": 0.87, "second": 0.93}
    _, headings, lines = strategies.acquisition_table(rows, published)
    cells = {line[0]: dict(zip(headings, line, strict=True)) for line in lines}
    assert cells["true"]["direction"] == "falls where the published rises"
    assert (cells["true"]["change"], cells["true"]["published change"]) == ("-0.27", "+0.10")
    assert cells["second"]["direction"] == "rises, as published"
    assert cells["baseline"]["direction"] == cells["mine"]["direction"] == "-"
    assert cells["baseline"]["others won"] == "27"


def test_the_fifth_study_compares_all_published_figures_and_counts_lost_houses(tmp_path):
    masters = ["baseline=persona", "inferred_expact=expact", "mine=value"]
    rows = run(STUDIES["harbor/5"], masters, 15, out=tmp_path / "out")
    played = {row["strategy"]: row for row in rows if row["bidder"] != "published"}
    assert played["baseline"]["won_0_difference"] == pytest.approx(played["baseline"]["won_0"] - 0.77)
    assert played["inferred_expact"]["skill_0_difference"] == pytest.approx(
        played["inferred_expact"]["skill_0"] - 28.56
    )
    assert played["mine"]["profit_0_difference"] is None
    assert played["baseline"]["skill_0_low"] < played["baseline"]["skill_0"] < played["baseline"]["skill_0_high"]
    for row in played.values():  # two of ten houses match the Master in each of 15 games
        assert row["won_0"] == pytest.approx(1 - row["lost"] / 30)
        assert row["unaffordable"] + row["saved"] <= row["lost"]
    titles = [title for title, _, _ in STUDIES["harbor/5"].tables(rows)]
    assert "Difference from the published values" in titles
    table = STUDIES["harbor/5"].tables(rows)[titles.index(strategies.LOSSES_TITLE)]
    assert [line[0] for line in table[2]] == ["baseline", "inferred_expact", "mine"]
    assert "falls where the published one rises" in STUDIES["harbor/5"].meaning


def test_the_second_study_speaks_of_the_mean_and_compares_it():
    rows = run(STUDIES["harbor/2"], ["fixed=persona,share=0.5,like=1"], 15)
    assert "mean" in STUDIES["harbor/2"].about
    assert "mean" in competition.__doc__
    played = [row for row in rows if row["bidder"] == "fixed"]
    for row in played:
        assert row["profit"] == pytest.approx(np.mean([row[f"profit_{seat}"] for seat in range(3)]), abs=1e-5)
        assert row["profit_low"] < row["profit"] < row["profit_high"]
    assert played[0]["profit_difference"] == pytest.approx(played[0]["profit"] - 27.74, abs=1e-5)
    masters = [row["profit_0"] for row in played]
    assert masters != sorted(masters, reverse=True)  # the Master's own column is not monotone


def test_rows_without_published_values_have_no_differences():
    rows = [{"name": "a", "x": 1.0, "x_difference": 0.25}, {"name": "b", "x": 1.0, "x_difference": None}, {"name": "c"}]
    _, headings, lines = differences_table(rows, {"name": "bidder"}, {"x": ("share", "{:.2f}")})
    assert (headings, lines) == (["bidder", "share"], [["a", "+0.25"]])


def test_the_audit_counts_the_rules_of_each_bidder(tmp_path):
    names = ["value", "expact", "persona"]
    records = [aucenv.play("harbor", "evaluation-single", names, seed) for seed in range(6)]
    rows = audit.rows(records)
    counts = audit_records(records)
    assert [row["bidder"] for row in rows] == [*names, "published"]
    for row in rows[:-1]:
        counted = counts[row["bidder"]]
        decided = [d for r in records for d in r.decisions if r.seats[int(d["seat"][-1])]["bidder"] == row["bidder"]]
        assert row["decisions"] == counted.total() == len(decided)
        assert row["games"] == 6
        shares = {rule: row[f"share_{rule}"] for rule in CLASSES}
        assert sum(shares.values()) == pytest.approx(1, abs=1e-5)
        bids = sum(d["amount"] is not None for d in decided) / len(decided)
        assert sum(shares[rule] for rule in "ABC") == pytest.approx(bids, abs=1e-5)
        for rule in CLASSES:
            assert shares[rule] == pytest.approx(counted[rule] / counted.total(), abs=1e-6)
            assert row[f"share_{rule}_low"] <= shares[rule] <= row[f"share_{rule}_high"]
            assert row[f"share_{rule}_difference"] == pytest.approx(shares[rule] - PUBLISHED[rule], abs=1e-5)
    assert (rows[-1]["decisions"], rows[-1]["share_A"], rows[-1]["share_F"]) == (273, 0.46, 0.31)


def test_the_audit_reads_the_records_of_other_studies_and_refuses_other_games(tmp_path):
    rows = run(STUDIES["harbor/1"], ["expact"], 2, out=tmp_path / "one")
    assert rows
    audited = run(STUDIES["harbor/audit"], from_records=tmp_path / "one")
    assert [row["bidder"] for row in audited] == ["expact", "published"]
    assert audited[0]["share_A_low"] is None  # two deals are too few for an interval
    run(STUDIES["labs/one-shot"], ["truthful"], 1, out=tmp_path / "two")
    with pytest.raises(ValueError, match="study harbor/audit: expected records of its games, got 4 others"):
        run(STUDIES["harbor/audit"], from_records=tmp_path / "two")


def test_the_number_of_games_is_known_before_their_houses():
    study = STUDIES["harbor/rlact"]
    for games in (1, 3, 4):
        assert study.count_games(study.bidders, games) == len(study.schedule((), games, 0))


def test_published_profits_stand_beside_the_same_strategy_against_the_same_kind_of_rivals():
    rows = run(STUDIES["harbor/rlact"], ["e=expact", "value"], 3)
    published = {(row["rivals"], row["bidder"]): row["profit_published"] for row in rows}
    assert published["persona, persona", "e"] == 32.54
    assert [value for key, value in published.items() if key != ("persona, persona", "e")] == [None] * 7
    [row] = [row for row in rows if row["profit_published"]]
    assert row["profit_difference"] == pytest.approx(row["profit"] - 32.54, abs=1e-5)
