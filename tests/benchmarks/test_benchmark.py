"""The benchmark: its suite, plans, scores, tables and command."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from aucenv.baselines.population.families import HELD_OUT, load_population
from aucenv.benchmarks.benchmark.plan import games_of
from aucenv.benchmarks.benchmark.references import suite_references
from aucenv.benchmarks.benchmark.run import make_plan, run
from aucenv.benchmarks.benchmark.suite import SIZES, load_suite
from run_command import command_output

from aucenv.core.policy import check_fits
from aucenv.core.words.bidder_name import parse_bidder
from aucenv.policy.registry import make_policy
from aucenv.runs.run_options import RunOptions

QUICK = ("sealed_bid", "water_allocation")
"""Games that are played in milliseconds."""


def test_rivals_are_held_out():
    suite, population = load_suite(), load_population()
    assert suite.data["population"] == {"version": population.version, "digest": population.digest}
    for game, tables in suite.tables.items():
        families = population.families(game)
        unseen = {family.bidder for family in families if family.split == HELD_OUT}
        rivals = [name for table in tables for name in table.rivals]
        for name in rivals:
            spec = parse_bidder(name)
            ranges = [family.parameters for family in families if family.bidder == spec.kind]
            which = "train" if spec.kind in unseen else HELD_OUT
            assert any(
                all(low <= float(spec.params[key]) <= high for key, low, high in ends(parameters, which))
                for parameters in ranges
            ), name
        assert sum(parse_bidder(name).kind in unseen for name in rivals) >= 0.6 * len(rivals), game


def ends(parameters, which):
    return [(key, *ranges[which]) for key, ranges in parameters.items()]


def test_tables_are_playable_and_sizes_are_prefixes():
    suite = load_suite()
    assert [*suite.sizes] == [*SIZES]
    assert sorted(suite.sizes.values()) == [*suite.sizes.values()]
    for game, tables in suite.tables.items():
        assert len({table.seed for table in tables}) == len({table.name for table in tables}) == len(tables)
        for table in tables:
            scenario = table.deal(0).loaded
            assert len(scenario.bidders) == len(table.rivals) + 1 == len(table.seats)
            for name in table.rivals:
                check_fits(make_policy(game, name), name, scenario)
    small, large = (make_plan(["random"], size, QUICK) for size in (2, 4))
    assert large.entries()[: len(small.entries())] == small.entries()
    lineup = small.entries()[0].deal.table.lineup("x", 1)
    assert lineup == (small.entries()[0].deal.table.rivals[-1], "x", *small.entries()[0].deal.table.rivals[:-1])


def test_random_scores_nearly_0_and_the_reference_1():
    plan = make_plan(["random", "planner"], 6, QUICK)
    rows = {row["bidder"]: row for row in run(plan).rows}
    assert rows["random"]["overall"] == rows["random"]["overall_low"] == rows["random"]["overall_high"] == 0
    tables = rows["planner"]["games"]["water_allocation"]["tables"]
    references = suite_references().tables
    of_planner = [name for name in tables if references[f"water_allocation/{name}"].bidder == "planner"]
    assert of_planner
    for name in of_planner:
        assert tables[name]["score"] == tables[name]["score_low"] == tables[name]["score_high"] == 1


def test_scores_are_those_of_the_records_and_intervals_cover_them(tmp_path):
    plan = make_plan(["truthful", "shade,factor=0.5"], 8, ["sealed_bid"])
    rows = {row["bidder"]: row for row in run(plan, out=tmp_path / "run").rows}
    lines = [json.loads(line) for line in (tmp_path / "run" / "games.jsonl").read_text().splitlines()]
    row = rows["truthful"]["games"]["sealed_bid"]
    shares = []
    for table in load_suite().tables["sealed_bid"]:
        entries = [e for e in plan.entries() if e.bidder == "truthful" and e.deal.table == table]
        profit = np.array([lines[e.index]["outcome"]["seats"][e.deal.seat]["profit"] for e in entries])
        reference = suite_references().tables[table.key]
        zero, one = np.array(reference.zero[:8]), np.array(reference.one[:8])
        shares.append((profit - zero).mean() / (one - zero).mean())
        assert row["tables"][table.name]["score"] == pytest.approx(shares[-1], abs=1e-6)
        assert row["tables"][table.name]["score_low"] < shares[-1] < row["tables"][table.name]["score_high"]
    assert row["score"] == pytest.approx(np.mean(shares), abs=1e-6)
    assert rows["truthful"]["rank"] + rows["shade,factor=0.5"]["rank"] == 3


def test_bidders_are_left_out_of_games_that_they_cannot_play():
    suite = load_suite()
    left_out, games = games_of(["random", "thirst"], suite, QUICK)
    assert games == QUICK
    assert left_out == {"thirst": {"sealed_bid": "these games have no such bidder"}}
    with pytest.raises(ValueError, match="'thirst': expected one that can play sealed_bid, got a bidder of water_allo"):
        games_of(["thirst"], suite, ["sealed_bid"])
    with pytest.raises(ValueError, match=r"bidder 'value,margin=9'.*margin: expected a number from -5 to 1, got '9'"):
        games_of(["value,margin=9"], suite, ())
    with pytest.raises(ValueError, match="bidder 'nobody', kind: expected one of"):
        games_of(["nobody"], suite, ())


def test_the_same_bytes_for_any_number_of_workers_and_after_an_extension(tmp_path):
    bidders, names = ["truthful", "thirst", "random"], ("games.jsonl", "table.json", "table.md", "submission.json")
    for folder, workers, sizes in (("one", 1, [2]), ("two", 2, [2]), ("three", 1, [1, 2])):
        for size in sizes:
            run(make_plan(bidders, size, QUICK), RunOptions(workers), out=tmp_path / folder)
    for name in names[:3]:
        contents = {(tmp_path / folder / name).read_bytes() for folder in ("one", "two", "three")}
        assert len(contents) == 1, name
    assert len({(tmp_path / folder / names[3]).read_bytes() for folder in ("one", "two", "three")}) == 1


def test_the_command_prints_what_it_will_do_and_the_tables(tmp_path, capsys):
    small = ("--game", "sealed_bid", "--bidder", "truthful", "--bidder", "shade", "--by-table")
    code, printed, errors = command_output(
        capsys, "benchmark", *small, "--out", tmp_path / "run", "--json", tmp_path / "rows.json"
    )
    assert code == 0, errors
    first, second, *_ = errors.splitlines()
    assert first.startswith("aucenv-1, size S, suite hash ")
    assert first.endswith(": 160 games at 4 tables of sealed_bid")
    assert second.startswith("expected 95% intervals, about: sealed_bid ±")
    assert "sealed_bid: 0 = random, 1 = the reference" in printed
    rows = json.loads((tmp_path / "rows.json").read_text())
    assert [row["bidder"] for row in rows] == [row["bidder"] for row in sorted(rows, key=lambda r: -r["overall"])]
    assert command_output(capsys, "benchmark", "verify", tmp_path / "run")[0] == 0
    code, printed, errors = command_output(capsys, "records", "table", tmp_path / "run")
    assert code == 0, errors
    assert "aucenv-1, size S" in printed


def test_the_price_of_a_model_is_printed_before_the_first_call(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted")
    (tmp_path / "prices.json").write_text(json.dumps({"m": {"input": 2, "output": 0}}))
    bidder = "gpt=llm:openai:m,base_url=http://127.0.0.1:9/v1,key_env=OPENAI_API_KEY"
    options = ("benchmark", "--bidder", bidder, "--game", "sealed_bid", "--dry-run")
    code, printed, errors = command_output(capsys, *options, "--prices", tmp_path / "prices.json")
    assert code == 0, errors
    assert "aucenv-1: the sizes" in printed
    line = next(line for line in errors.splitlines() if line.startswith("gpt: "))
    assert "; if a reply has 100 tokens, " in line
    calls, games, _, prompts, replies, dollars = (
        float(number.replace(",", "")) for number in re.findall(r"[0-9][0-9.,]*[0-9]", line)
    )
    assert (calls, games) == (60 * 15 + 20 * 10, 80)  # one of four tables has 10 rounds, and the others 15
    assert replies >= 100 * calls
    assert dollars == pytest.approx(2 * prompts / 1e6, abs=0.01)
    assert "at an unknown price; give it with --prices" in command_output(capsys, *options)[2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "--bidder: expected at least one, got none"),
        (("--bidder", "random", "--game", "chess"), "--game: expected one of english"),
        (("--bidder", "random", "--bidder", "random"), "expected no duplicates, got random more than once"),
        (("--bidder", "random", "--size", "XL"), "expected one of XS, S, M, L, got 'XL'"),
        (("--bidder", "random", "--game", "water_allocation", "--resume"), "resume: expected a results folder"),
    ],
)
def test_bad_arguments_are_errors(capsys, arguments, message):
    code, printed, errors = command_output(capsys, "benchmark", *arguments)
    assert code == 2
    assert message in errors
    assert not printed
