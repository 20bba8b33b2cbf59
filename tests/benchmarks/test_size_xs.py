"""The size XS of a suite: the first games of all other sizes, scored by the references of all deals."""

from __future__ import annotations

import dataclasses
import itertools
import json

import numpy as np
import pytest
from aucenv.benchmarks.benchmark.references import suite_references
from aucenv.benchmarks.benchmark.run import make_plan, run
from aucenv.benchmarks.benchmark.suite import SIZES, XS, digest_of, load_suite
from run_command import command_output
from test_user_suites import SUITE, write

GAMES = ("sealed_bid", "water_allocation")
BIDDERS = ["truthful", "thirst", "random"]


def test_the_first_games_of_each_size_are_those_of_xs():
    suite = load_suite()
    assert suite.size_names == (XS, *SIZES)
    plans = [make_plan(["random", "planner", "rule"], size) for size in suite.size_names]
    for small, large in itertools.pairwise(plans):
        assert large.entries()[: len(small.entries())] == small.entries()
        assert len({(e.bidder, str(e.deal)) for e in large.entries()}) == len(large.entries())
    assert {len(dealt) for dealt in plans[0].deals.values()} == {5}
    assert [plan.is_xs for plan in plans] == [True, False, False, False]


def test_a_run_of_xs_is_verified_and_extended_to_the_same_bytes(tmp_path, capsys):
    options = ("--bidder", "truthful", "--bidder", "random", "--game", "sealed_bid")
    for size in (XS, "S"):
        code, printed, errors = command_output(
            capsys, "benchmark", *options, "--size", size, "--out", tmp_path / "grown"
        )
        assert code == 0, errors
        assert f"aucenv-1, size {size}, suite hash" in printed
        assert command_output(capsys, "benchmark", "verify", tmp_path / "grown")[0] == 0
    assert command_output(capsys, "benchmark", *options, "--out", tmp_path / "whole")[0] == 0
    for name in ("games.jsonl", "table.json", "table.md", "submission.json"):
        assert (tmp_path / "grown" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert command_output(capsys, "benchmark", *options, "--size", XS, "--out", tmp_path / "whole")[0] == 2


def test_the_references_of_all_deals_normalise_scores(tmp_path):
    plan = make_plan(BIDDERS, XS, GAMES)
    rows = {row["bidder"]: row for row in run(plan, out=tmp_path).rows}
    lines = [json.loads(line) for line in (tmp_path / "games.jsonl").read_text().splitlines()]
    for table in plan.tables("sealed_bid"):
        entries = [entry for entry in plan.entries() if (entry.bidder, entry.deal.table) == ("truthful", table)]
        profit = [lines[entry.index]["outcome"]["seats"][entry.deal.seat]["profit"] for entry in entries]
        reference = suite_references().tables[table.key]
        scale = np.mean(reference.one) - np.mean(reference.zero)
        scores = rows["truthful"]["games"]["sealed_bid"]["tables"][table.name]
        assert scores["score"] == pytest.approx(np.mean(np.subtract(profit, reference.zero[:5])) / scale, abs=1e-6)
        scale = scores["one"] - scores["zero"]
        assert scores["score"] == pytest.approx((scores["mean"] - scores["zero"]) / scale, abs=1e-5)
        assert scores["score_low"] < scores["score"] < scores["score_high"]
    assert rows["random"]["overall"] == 0


def test_an_interrupted_run_has_the_table_of_its_finished_deals():
    plan = make_plan(BIDDERS, "S", GAMES)
    small = make_plan(BIDDERS, XS, GAMES)
    first = len(small.entries())
    assert plan.finished(range(first)).deals == small.deals
    assert plan.finished(range(first + 5)).is_xs
    started = plan.finished(range(first // 2))
    assert {len(dealt) for dealt in started.deals.values()} == {2}
    assert started.size == "size XS"
    rounds = [plan.finished(range(number)) for number in range(first, len(plan.entries()) + 1, 7)]
    assert {one.size for one in rounds} >= {"size XS", "1 round of deals", "19 rounds of deals"}
    for number, one in zip(range(first, len(plan.entries()) + 1, 7), rounds, strict=True):
        finished = {(entry.bidder, str(entry.deal)) for entry in plan.entries()[:number]}
        assert {(entry.bidder, str(entry.deal)) for entry in one.entries()} <= finished
    with pytest.raises(ValueError, match="at least one round of deals"):
        plan.finished(range(3))


def test_a_run_of_rounds_is_no_run_of_a_size(tmp_path, capsys):
    run(make_plan(["thirst"], 5, ["water_allocation"]), out=tmp_path)
    assert command_output(capsys, "benchmark", "verify", tmp_path)[0] == 0
    options = ("--bidder", "thirst", "--game", "water_allocation", "--out", tmp_path)
    code, _, errors = command_output(capsys, "benchmark", *options)
    assert code == 2
    assert "in_sizes" in errors


def test_the_hash_of_a_suite_does_not_depend_on_xs():
    suite = load_suite()
    without = dataclasses.replace(suite, data={**suite.data, XS: {"deals": 1}})
    assert digest_of(without.fixed) == digest_of(suite.fixed) == suite_references().data["suite"]


def plain_prices(capsys, monkeypatch, *options):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted")
    arguments = ("benchmark", "--bidder", "llm:openai:gpt-4.1-mini", *options, "--dry-run", "--wide")
    code, printed, errors = command_output(capsys, *arguments)
    assert code == 0, errors
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in printed.splitlines() if "│" in line]
    return {row[0]: row for row in rows}


def test_the_price_of_a_plain_model_in_xs_is_at_most_a_tenth_of_that_in_s(capsys, monkeypatch):
    rows = plain_prices(capsys, monkeypatch)
    assert [*rows] == [XS, *SIZES]
    numbers = {size: [float(cell.strip("$±").replace(",", "")) for cell in row[2:]] for size, row in rows.items()}
    for place in (0, 1, 2, 4, 5):  # games, calls, tokens and the cost
        assert [row[place] for row in numbers.values()] == sorted(row[place] for row in numbers.values())
    assert numbers[XS][5] <= numbers["S"][5] / 10
    assert all(row[6] < row[5] / 2 for row in numbers.values())
    assert numbers[XS][7] > numbers["S"][7] > numbers["M"][7]


def small_suite(**xs):
    return {**SUITE, XS: xs}


def test_a_user_suite_has_xs_if_its_file_has_it(tmp_path, capsys):
    suite, out = write(tmp_path / "mine.json", small_suite(deals=5, tables={"water_allocation": ["patient"]})), tmp_path
    options = ("--suite", suite, "--bidder", "share", "--out", out / "run")
    code, printed, errors = command_output(capsys, "benchmark", *options, "--size", XS)
    assert code == 0, errors
    assert "mine, size XS" in printed
    assert len((out / "run" / "games.jsonl").read_text().splitlines()) == 5
    code, printed, errors = command_output(capsys, "benchmark", *options)
    assert (code, "mine, size S" in printed, "computed" in errors) == (0, True, False)
    assert command_output(capsys, "benchmark", "verify", out / "run")[0] == 0
    code, _, errors = command_output(
        capsys, "benchmark", "--suite", write(tmp_path / "other.json", SUITE), "--bidder", "share", "--size", XS
    )
    assert code == 2
    assert "size: expected one of S, M, L, got 'XS'" in errors


@pytest.mark.parametrize(
    ("xs", "message"),
    [
        ({}, "mine.json: XS.deals: expected this field, got none"),
        ({"deals": 11}, "mine.json: XS.deals: expected at most the 10 deals of size S, got 11"),
        ({"deals": 0}, "XS.deals: expected a whole number from 1"),
        (
            {"deals": 5, "tables": {"clock": ["thirsty"]}},
            "mine.json: XS.tables, game: expected one of water_allocation",
        ),
        ({"deals": 5, "tables": {"water_allocation": ["dry"]}}, "XS.tables.water_allocation: expected one of thirsty"),
        ({"deals": 5, "tables": {"water_allocation": []}}, "XS.tables.water_allocation: expected a list of at least 1"),
        ({"deals": 5, "tables": {"water_allocation": ["thirsty", "thirsty"]}}, "expected no duplicates"),
        ({"deals": 5, "games": {}}, "XS.games: expected only the fields deals, tables"),
    ],
)
def test_an_xs_that_is_none_is_an_error_that_names_the_field(tmp_path, capsys, xs, message):
    suite = write(tmp_path / "mine.json", small_suite(**xs))
    code, _, errors = command_output(capsys, "benchmark", "--suite", suite, "--bidder", "share")
    assert code == 2
    assert message in errors
    assert [file.name for file in tmp_path.iterdir()] == ["mine.json"]
