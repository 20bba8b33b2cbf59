"""Studies: their games, tables and figures; they resume and read records."""

from __future__ import annotations

import json
import sys

import pytest
from aucenv.benchmarks.studies.registry import STUDIES
from aucenv.benchmarks.studies.study_run import run
from run_command import command

from aucenv.analysis.agents.model_figures import model_figures
from aucenv.runs.model_calls.journal import read_calls
from aucenv.runs.records import read_records

PLAYED = [name for name, study in STUDIES.items() if not study.trains]
every_study = pytest.mark.parametrize("name", PLAYED)


PER_GAME = {"harbor/1": 1 / 3, "alympics/words": 1 / 5, "alympics/price-model": 2 / 3}
PER_GAME |= {f"aucarena/{name}": 1 / 3 for name in ("mistakes", "raises", "adherence", "ablation", "behaviour")}
PER_GAME |= {"aucarena/standard": 1 / 6, "aucarena/people": 1 / 2}
"""Study -> the number of its games, divided by the sum of the games of all rows; 1 for other studies."""


FEWER_GAMES = {
    **dict.fromkeys(("aucarena/mistakes", "aucarena/priorities", "aucarena/raises", "aucarena/adherence"), "1"),
    **dict.fromkeys(("aucarena/ablation", "aucarena/niche", "aucarena/behaviour"), "1"),
    **dict.fromkeys(("alympics/rubrics", "alympics/self-ratings", "alympics/words", "alympics/curves"), "1"),
    "aucarena/people": "6",
}
"""Study -> the number of games of a study whose bidders are slow scripts, or that needs more games; 2 for others."""
RESUMED = ("alympics/settings", "aucarena/standard", "harbor/1", "labs/revenue")
"""The studies, one of each paper, that are resumed and computed from records; `make slow` does this for all."""


@every_study
def test_a_study_writes_its_games_its_table_and_its_figure(name, tmp_path, capsys):
    out, number_of_games = tmp_path / "out", FEWER_GAMES.get(name, "2")
    assert command("study", name, "--games", number_of_games, "--out", str(out), "--json", "-") == 0
    rows = json.loads(capsys.readouterr().out)
    assert json.loads((out / "table.json").read_text()) == rows
    assert (out / "figure.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (out / "figure.svg").read_text()
    tables = STUDIES[name].tables(rows)
    assert len(tables[0][2]) == len(rows)
    lines = sum(len(cells) + 2 for _, _, cells in tables) + len(tables) - 1  # an empty line between tables
    lines += 2 * bool(STUDIES[name].meaning)
    models = model_figures(list(read_records(out)), list(read_calls(out)))
    lines += len(models) + 3 if models else 0
    assert (out / "table.md").read_text().count("\n") == lines
    games = (out / "games.jsonl").read_text().splitlines()
    number = sum(row["games"] for row in rows if row["bidder"] != "published")
    assert len(games) == number * PER_GAME.get(name, 1)


@pytest.mark.parametrize(
    ("name", "games"),
    [
        *((name, 2) for name in RESUMED),
        *(pytest.param(name, int(FEWER_GAMES.get(name, "6")), marks=pytest.mark.slow) for name in PLAYED),
    ],
)
def test_a_study_is_resumed_and_computed_from_records(name, games, tmp_path):
    study, out = STUDIES[name], tmp_path / "out"
    rows = run(study, games=games, out=out)
    lines = (out / "games.jsonl").read_text().splitlines(keepends=True)
    (out / "games.jsonl").write_text("".join(lines[: len(lines) // 2]))
    assert run(study, games=games, out=out) == rows
    assert (out / "games.jsonl").read_text() == "".join(lines)
    assert run(study, from_records=out) == rows


def test_naive_winners_lose_and_equilibrium_winners_profit():
    rows = run(STUDIES["labs/winners-curse"], games=40)
    profit = {(row["bidder"], row["bidders"]): row for row in rows}
    for n in range(2, 7):
        assert profit["equilibrium", n]["profit"] > 0
        for bidder in ("naive", "equilibrium"):
            row = profit[bidder, n]
            assert abs(row["profit"] - row["exact"]) < 1.7 * (row["profit_high"] - row["profit_low"])
        if n >= 4:
            assert profit["naive", n]["profit"] < 0
            assert profit["naive", n]["exact"] < -4


def test_all_formats_have_the_revenue_of_theory():
    rows = run(STUDIES["labs/revenue"], games=60)
    formats = {row["format"]: row for row in rows}
    assert list(formats) == [
        *("first", "second", "third", "third, no cap", "all-pay", "ascending", "descending"),
    ]
    capped = formats.pop("third")
    assert (capped["bid_cap"], capped["theory"], capped["gpt_4"]) == (99, None, 1.085)
    assert capped["efficiency"] < 0.8
    assert formats["third, no cap"]["gpt_4"] is None
    for row in formats.values():
        assert row["theory"] == 49.5
        assert abs(row["revenue"] - 49.5) < 1.7 * (row["revenue_high"] - row["revenue_low"])
        assert row["efficiency"] > 0.95
    assert formats["ascending"]["bid_per_value"] == pytest.approx(1)  # the winners' prices are censored
    assert formats["descending"]["bid_per_value"] == pytest.approx(2 / 3, abs=0.01)


def test_a_study_compares_bidders_on_the_same_deals():
    rows = run(STUDIES["labs/revenue"], ["truthful", "shade,factor=0.5"], 2)
    assert [row["bidder"] for row in rows[:2]] == ["truthful", "shade,factor=0.5"]
    first = {row["bidder"]: row["revenue"] for row in rows if row["format"] == "first"}
    assert first["shade,factor=0.5"] == pytest.approx(first["truthful"] / 2, rel=0.02)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["labs/revenu"],
            f"study: expected one of {', '.join(STUDIES)}, got 'labs/revenu' (did you mean",
        ),
        (["labs/revenue", "--games", "0"], "'--games': expected a whole number from 1 to 10,000,000, got '0'"),
        (["labs/revenue", "--bidder", "nobody"], "kind: expected one of truthful,"),
        (["labs/winners-curse", "--from-records", "x", "--games", "3"], "expected --from-records alone"),
    ],
)
def test_bad_arguments_are_refused(arguments, message, capsys):
    assert command("study", *arguments) == 2
    assert message in capsys.readouterr().err


def test_records_of_other_games_are_refused(tmp_path, capsys):
    assert command("leaderboard", "--games", "3", "--set", "num_items=2", "--out", str(tmp_path / "run")) == 0
    assert command("study", "labs/winners-curse", "--from-records", str(tmp_path / "run")) == 2
    assert "expected records of its games, got 3 others" in capsys.readouterr().err
    assert command("study", "aucarena/people", "--from-records", str(tmp_path / "run")) == 2
    error = capsys.readouterr().err
    assert "got 3 others: english, standard-20k-random with other items. Its games have the scenarios: " in error
    assert "english, standard-20k-ascending; english, standard-20k-descending" in error


def test_without_matplotlib_there_is_a_table_and_a_hint(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert command("study", "labs/revenue", "--games", "1", "--out", str(tmp_path / "out")) == 0
    shown = capsys.readouterr()
    assert "revenue" in shown.out
    assert "the figure needs the extra plot: " in shown.err


def test_profiles_sharpen_with_matching_houses():
    """Without matches, KL is about that of a uniform profile, 2.30 or 1.61; it is lower for mixes than for single personas."""
    rows = {(row["sort"], row["M"]): row for row in run(STUDIES["harbor/3"], games=12)}
    for sort, uniform in (("single", 2.30), ("mixed", 1.61)):
        by_matches = [rows[sort, m]["kl"] for m in range(5)]
        assert by_matches[0] == pytest.approx(uniform, abs=0.2)
        assert by_matches[0] > by_matches[1] > by_matches[2] > by_matches[4]
        assert rows[sort, 4]["median"] < rows[sort, 0]["median"] - 0.4
        by_item = {items: mean for items, mean, _ in rows[sort, 4]["by_item"]}
        assert list(by_item) == list(range(11))
        assert by_item[0] == pytest.approx(uniform, abs=0.01)
        assert by_item[10] == pytest.approx(rows[sort, 4]["kl"])
    assert rows["mixed", 0]["kl"] < rows["single", 0]["kl"]


def test_profiles_get_worse_with_more_rivals():
    rows = {row["rivals"]: row for row in run(STUDIES["harbor/4"], games=8)}
    assert max(rows[n]["kl"] for n in (2, 3, 4)) < rows[5]["kl"] < rows[6]["kl"]


def test_bidders_want_the_houses_that_match_them():
    rows = {row["role"]: row for row in run(STUDIES["harbor/1"], games=20)}
    assert {rows["master"][f"priority_{item}"] for item in "ABCDEFGHIJ"} == {2}
    for role, matching, others in (("rival 1", "EFG", "HIJ"), ("rival 2", "HIJ", "EFG")):
        assert {rows[role][f"priority_{item}"] for item in matching} == {3}
        assert max(rows[role][f"priority_{item}"] for item in others) < 2
    for item in "EF":  # at G, rival 1 has spent its budget
        assert rows["rival 1"][f"bids_{item}"] > rows["rival 2"][f"bids_{item}"]


def test_strategies_by_seat_beside_the_published_ones():
    rows = run(STUDIES["harbor/5"], games=30)
    played = {row["strategy"]: row for row in rows if row["bidder"] != "published"}
    assert list(played) == ["baseline", "true", "blind_expact", "inferred_expact", "true_expact", "second"]
    assert played["true_expact"]["profit_0"] > played["inferred_expact"]["profit_0"] > played["baseline"]["profit_0"]
    assert played["true_expact"]["skill_0"] > played["true_expact"]["skill_1"]
    assert played["baseline"]["rules"] == {}
    assert played["true"]["rules"].get("B", 0) == 0 < played["true_expact"]["rules"]["B"]
    published = [row for row in rows if row["bidder"] == "published"]
    assert published[0]["won_2"] == 0.80
    lines = STUDIES["harbor/5"].tables(rows)[1][2]
    assert [line[0] for line in lines] == [*list(played)[1:], "4 strategies against persona"]
    assert {line[1] for line in lines[:-1]} == {"baseline"}
    assert lines[-1][2].startswith("F(3, 116) = ")
    assert [line[4] for line in lines[:-1]] == ["baseline", "true", "blind_expact", "inferred_expact", "-"]
    assert "t(9) = " in lines[2][5]  # ten deals in three rotations


@pytest.mark.parametrize("games", [15, pytest.param(90, marks=pytest.mark.slow)])
def test_competition_moves_profit_to_bidders_with_a_unique_persona(games):
    """The mean falls in every step between bidders with fixed limits, and hardly between those that spend evenly."""
    table = run(STUDIES["harbor/2"], games=games)
    fixed = [row["profit"] for row in table if row["bidder"] == "fixed"]
    assert fixed == sorted(fixed, reverse=True)
    rows = {row["condition"]: row for row in table if row["bidder"] == "persona"}
    unique, shared = rows["own persona"], rows["Master shares rival 2's"]
    assert shared["profit_1"] > unique["profit_1"] > shared["profit_0"]
    assert max(row["profit"] for row in rows.values()) - min(row["profit"] for row in rows.values()) < 1.5


def test_all_conditions_of_competition_sell_the_same_houses():
    matches = list(STUDIES["harbor/2"].schedule(["persona"], 6, 0))
    sold = [[x.name for x in match.scenario.items] for match in matches]
    assert sold[:6] == sold[6:12] == sold[12:18] == sold[18:]
    assert sold[0] == sold[1] == sold[2] != sold[3]
    scenario = matches[6].scenario
    personas = [bidder.personas[0] for bidder in scenario.bidders]
    assert sorted(x.persona for x in scenario.items if x.persona in personas) == sorted(personas * 2)


def test_paired_lines_by_hand():
    """The deals' means are 1, 2 and 3, with mean 2 and deviation 1: t = 2 / (1 / sqrt(3)), half 4.303 / sqrt(3)."""
    from aucenv.benchmarks.studies.harbor.significance_lines import paired_line

    line = paired_line([0] * 6, [0, 2, 1, 3, 2, 4], per_deal=2)
    assert line == "+2.00 ±2.48, t(2) = 3.46, p = 0.0742, d = 2.00"
    assert paired_line([1, 2, 3, 4], [2, 1, 4, 3]).startswith("+0.00 ±1.84, t(3) = 0.00")


def test_decisions_against_the_rule_are_a_separate_column():
    study = STUDIES["harbor/rlact"]
    row = {"rivals": "expact, persona", "bidder": "m", "rules": {"A": 2, "mine": 1, "against the rule": 1}}
    [(_, headings, lines)] = study.more_tables([row])
    assert headings == ["rivals", "bidder", *"ABCDEF", "other", "against the rule"]
    assert lines[0][2:] == ["50%", *["0%"] * 5, "25%", "25%"]
    assert lines[1][-2:] == ["10%", "-"]
    [(_, headings, lines)] = study.more_tables([row | {"rules": {"A": 2}}])
    assert headings == ["rivals", "bidder", *"ABCDEF", "other"]
    master = {"strategy": "m", "published_as": None, "model": "", "rivals": "persona", "samples": [1.0] * 6}
    rows = [master | {"rules": {"B": 1, "against the rule": 2, "decoy": 1}}]
    [_, (_, headings, lines)] = STUDIES["harbor/5"].more_tables(rows)
    assert headings == ["strategy", "B", "decoy", "against the rule"]
    assert lines == [["m", "25%", "25%", "50%"]]
