"""Private deals of the benchmark, and deals that overlap those of training."""

from __future__ import annotations

import json

import pytest
from aucenv.benchmarks.benchmark.run import make_plan
from aucenv.benchmarks.benchmark.suite import load_suite
from aucenv.benchmarks.benchmark.training_deals import check_no_overlap, checkpoint_digests, training_digests
from run_command import command_output

from aucenv.registration import find_family
from aucenv.runs.deals import deal_digest

WATER = {"game": "water_allocation", "table": "dry"}


def call(capsys, *arguments):
    return command_output(capsys, "benchmark", *arguments)


def write(path, *lines):
    path.write_text("".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines))
    return path


def test_private_deals_get_references_that_are_kept(tmp_path, capsys):
    deals = write(
        tmp_path / "deals.jsonl",
        *({**WATER, "seed": [7, number]} for number in range(5)),
        {"game": "sealed_bid", "table": "first-price", "seed": 3, "scenario": "second-ipv"},
    )
    options = ("--bidder", "share", "--bidder", "shade", "--deals", deals, "--out", tmp_path / "run")
    code, printed, errors = call(capsys, *options, "--by-table")
    assert code == 0, errors
    assert "the references of 6 private deals at tables are computed first: about 1 second" in errors
    assert "private deals, suite hash" in printed
    assert (tmp_path / "run" / "references.json").exists()
    code, again, errors = call(capsys, *options, "--resume", "--by-table")
    assert code == 0
    assert again == printed
    assert "computed first" not in errors
    code, printed, errors = call(capsys, "verify", tmp_path / "run")
    assert code == 0, errors
    assert "6 games, no problem" in printed
    references = json.loads((tmp_path / "run" / "references.json").read_text())
    references["tables"]["water_allocation/dry"]["zero"][0] += 1
    write(tmp_path / "run" / "references.json", references)
    code, printed, errors = call(capsys, "verify", tmp_path / "run")
    assert code == 1
    assert "settings.suite_hash: expected" in errors


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[]\n", "deals.jsonl:1: expected a JSON object, got list"),
        ({"seed": 1}, "deals.jsonl:1: expected"),
        ({"game": "chess", "seed": 1}, "deals.jsonl:1: game: expected one of english"),
        ({"game": "water_allocation", "seed": -1}, "deals.jsonl:1: seed: expected"),
        ({**WATER, "seed": 1, "table": "wine"}, "deals.jsonl:1: table: expected one of dry"),
        ({**WATER, "seed": 1, "deal": 1}, "deals.jsonl:1: field: expected one of game"),
        ({**WATER, "seed": 1, "scenario": "tiny"}, "deals.jsonl:1: table dry: scenario: expected one of"),
        ({"game": "sealed_bid", "seed": 1, "scenario": "first-ipv-4"}, "expected 3 seats, got 4"),
        ("", "deals.jsonl: expected a deal on each line, got an empty file"),
    ],
)
def test_a_line_that_is_no_deal_is_an_error_that_names_it(tmp_path, capsys, line, message):
    deals = write(tmp_path / "deals.jsonl", line)
    code, printed, errors = call(capsys, "--bidder", "random", "--deals", deals)
    assert code == 2
    assert message in errors
    assert not printed


def test_a_deal_that_is_there_twice_is_an_error(tmp_path, capsys):
    deals = write(tmp_path / "deals.jsonl", {**WATER, "seed": 4}, {**WATER, "seed": [4, 0], "scenario": "low"})
    code, _, errors = call(capsys, "--bidder", "random", "--deals", deals)
    assert code == 2
    assert f"{deals}:2: expected a new deal of water_allocation/dry, got that of {deals}:1; remove one" in errors


def state_line(game, scenario, seed):
    text = json.dumps(find_family(game).game.load_scenario(scenario).to_dict())
    return {"version": 1, "id": "a", "game": game, "scenario": text, "seed": seed}


def test_deals_of_training_are_refused(tmp_path, capsys):
    states = write(tmp_path / "states.jsonl", state_line("water_allocation", "low", [9, 9]))
    deals = write(tmp_path / "deals.jsonl", {**WATER, "seed": [9, 8]}, {**WATER, "seed": [9, 9]})
    code, _, errors = call(capsys, "--bidder", "share", "--deals", deals, "--training", states)
    assert code == 2
    assert (
        "expected deals that no training has used, but water_allocation/dry, deal 1 (scenario low, seed [9, 9])"
        in errors
    )
    assert f"is that of {states}:1" in errors
    others = write(tmp_path / "others.jsonl", state_line("water_allocation", "medium", [9, 9]))
    assert call(capsys, "--bidder", "share", "--deals", deals, "--training", others)[0] == 0


def test_checkpoints_list_the_deals_that_they_learnt_from(tmp_path):
    plan = make_plan(["random"], 2, ["sealed_bid"])
    deal = load_suite().tables["sealed_bid"][1].deal(1)
    digest = deal_digest("sealed_bid", deal.loaded.to_dict(), deal.seed)
    folder = tmp_path / "checkpoint"
    folder.mkdir()
    write(folder / "learning.json", {"deals": ["0" * 64, digest]})
    listed = checkpoint_digests([f"rlact:{folder}", "random"])
    assert listed == training_digests([folder])
    with pytest.raises(ValueError, match=rf"but {deal.table.key}, deal 1 \(.*\) is that of .*learning.json; use other"):
        check_no_overlap(plan.deals, listed)
    write(folder / "learning.json", {"deals": "all"})
    with pytest.raises(ValueError, match=r"learning.json: deals: expected a list of digests, got 'all'"):
        training_digests([folder])
    with pytest.raises(ValueError, match=r"prices.json: expected states of `aucenv rlact states`, or a checkpoint"):
        training_digests([write(tmp_path / "prices.json", {"gpt": {}})])


def test_drawn_deals_cannot_be_guessed_and_are_played(tmp_path, capsys):
    file = tmp_path / "deals.jsonl"
    arguments = ["draw-deals", "--game", "clock", "--game", "water_allocation", "--games", "2"]
    assert call(capsys, *arguments, "--out", file)[0] == 0
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert [row["game"] for row in rows] == ["clock"] * 2 + ["water_allocation"] * 2
    seeds = [row["seed"][0] for row in rows]
    assert len(set(seeds)) == 4
    assert all(2**48 <= seed < 2**63 for seed in seeds)
    code, _, err = call(capsys, *arguments, "--out", file)
    assert code
    assert "deals.jsonl" in err
    code, _, err = call(capsys, "--bidder", "random", "--deals", file, "--game", "clock")
    assert code == 0
    assert "guessed" not in err
    file.write_text('{"game": "clock", "seed": [71, 3]}\n')
    code, _, err = call(capsys, "--bidder", "random", "--deals", file)
    assert code == 0
    assert "3 seeds can be guessed, such as [71, 3]; `aucenv benchmark draw-deals` draws private ones" in err
    code, _, err = call(capsys, "draw-deals", "--game", "chess", "--out", tmp_path / "more")
    assert code
    assert "--game: expected one of english" in err
    assert not (tmp_path / "more").exists()
