"""The commands `aucenv train ppo` and `aucenv exploit`."""

from __future__ import annotations

import csv
import json
import re
import shutil

import pytest
import torch
from ppo_networks import save_network
from run_command import command

from aucenv import theory
from aucenv.analysis.statistics.intervals import Estimate
from aucenv.cli import main
from aucenv.registration import find_family

ROUND = ["--game", "sealed_bid", "--scenario", "first-ipv-once", "--env", "num_bidders=2"]
SMALL = ["--set", "num_envs=64", "--set", "updates=4", "--set", "save_every=2", "--set", "minibatches=2"]


UNEVALUATED = ["train", "ppo", "--set", "eval_games=0", *ROUND, *SMALL]


def run(arguments, capsys):
    """Run a command; return its exit status, output and error output."""
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    printed = capsys.readouterr()
    return stopped.value.code, printed.out, " ".join(printed.err.split())


def test_train_saves_a_network_that_plays_and_figures_for_tensorboard(tmp_path, capsys):
    from tensorboard.backend.event_processing import event_accumulator

    out = tmp_path / "run"
    arguments = ["train", "ppo", *ROUND, *SMALL, "--out", str(out), "--set", "eval_games=40", "--bidder", "shade"]
    code, printed, _ = run(arguments, capsys)
    assert code == 0
    assert "ppo's score less the bidder's" in printed
    assert f"--bidder ppo:{out / 'model.safetensors'}" in printed
    [command] = re.findall(r"play it: aucenv (.*) \.\.\.", " ".join(printed.split()))
    assert run([*command.split(), "truthful", "--games", "6"], capsys)[0] == 0
    rows = table_of(out)
    assert [row["update"] for row in rows] == ["1", "2", "3", "4"]
    assert all(0 <= float(row["clip_fraction"]) <= 1 and float(row["explained_variance"]) <= 1 for row in rows)
    assert all(float(row["games_per_second"]) > 0 for row in rows)
    assert (out / "curves.png").read_bytes().startswith(b"\x89PNG")
    evaluations = [json.loads(line) for line in (out / "evaluations.jsonl").read_text().splitlines()]
    assert [(each["update"], each["bidder"]) for each in evaluations] == [
        (update, bidder) for update in (0, 2, 4) for bidder in ("ppo", "shade")
    ]
    events = event_accumulator.EventAccumulator(str(out))
    events.Reload()
    names = {f"train/{name}" for name in rows[0] if name != "update"}
    compared = {"eval/score/ppo", "eval/score/shade", "eval/gain/shade"}
    assert set(events.Tags()["scalars"]) == names | compared
    assert all([each.step for each in events.Scalars(name)] == [1, 2, 3, 4] for name in names)
    assert all([each.step for each in events.Scalars(name)] == [0, 2, 4] for name in compared)
    assert events.Scalars("eval/gain/shade")[-1].value == pytest.approx(evaluations[-1]["gain"])
    assert json.loads((out / "settings.json").read_text())["arguments"] == {"num_bidders": 2}
    code, _, errors = run(arguments, capsys)
    assert code != 0
    assert "holds a run; resume it with --resume" in errors
    assert run([*arguments, "--resume"], capsys)[0] == 0


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Return the folder of a finished run."""
    out = tmp_path_factory.mktemp("trained") / "run"
    assert not command(*UNEVALUATED, "--out", out)
    return out


def table_of(folder):
    with (folder / "progress.csv").open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)]


def test_a_resumed_run_continues_the_table(tmp_path, capsys, monkeypatch):
    from aucenv.training.ppo.run import Log

    out = tmp_path / "run"
    arguments = ["train", "ppo", *ROUND, *SMALL, "--out", str(out), "--set", "eval_games=0"]
    add = Log.add_update

    def stop(log, figures):
        add(log, figures)
        if figures["update"] == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(Log, "add_update", stop)
    assert run(arguments, capsys)[0] == 130
    stopped = table_of(out)
    assert [row["update"] for row in stopped] == ["1", "2", "3"]
    with (out / "progress.csv").open("a") as file:
        file.write("4,12,0.")  # cut off
    monkeypatch.setattr(Log, "add_update", add)
    assert run([*arguments, "--resume"], capsys)[0] == 0
    resumed = table_of(out)
    assert [row["update"] for row in resumed] == ["1", "2", "3", "4"]
    assert resumed[:2] == stopped[:2]
    assert resumed[2]["loss"] == stopped[2]["loss"]


@pytest.mark.parametrize(
    "table",
    ["a,b\n1,2\n", "update,reward\nx,1\n", "update,reward\n1,high\n", "update,reward\n1,2,3\n", "update;reward\n1;2\n"],
)
def test_a_table_of_something_else_is_refused_and_stays_as_it_is(trained, tmp_path, capsys, table):
    out = shutil.copytree(trained, tmp_path / "run")
    (out / "progress.csv").write_text(table)
    code, _, errors = run([*UNEVALUATED, "--out", str(out), "--resume"], capsys)
    assert code == 2
    assert "progress.csv: expected the table of this run; move the file away, and the run writes a new one" in errors
    assert (out / "progress.csv").read_text() == table


def contents_of(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("command", ["train", "exploit"])
def test_a_run_is_not_resumed_with_other_settings_and_stays_as_it_is(tmp_path, capsys, command):
    out = tmp_path / "run"
    start = {"train": ["train", "ppo", "--set", "eval_games=0"], "exploit": ["exploit", "shade", "--method", "ppo"]}[
        command
    ]
    arguments = [*start, *ROUND, *SMALL, "--out", str(out)]
    assert run(arguments, capsys)[0] == 0
    before = contents_of(out)
    for change, named in (
        (
            ["--env", "num_bidders=3"],
            "arguments is {'num_bidders': 2} in the folder and {'num_bidders': 3} in this command",
        ),
        (["--set", "hidden=8"], "hidden is [32, 32] in the folder and [8] in this command"),
        (["--set", "lstm=8"], "lstm is 0 in the folder and 8 in this command"),
        (["--set", "updates=6"], "updates is 4 in the folder and 6 in this command"),
        (["--seed", "7"], "seed is 0 in the folder and 7 in this command"),
    ):
        changed = (
            [each for each in arguments if each not in ("--env", "num_bidders=2")] if "--env" in change else arguments
        )
        code, _, errors = run([*changed, *change, "--resume"], capsys)
        assert code == 2
        assert named in errors
        assert "damaged" not in errors
        assert contents_of(out) == before


@pytest.mark.parametrize("damage", ["cut", "other network", "nothing", "words"])
def test_a_damaged_state_is_named_in_one_line_with_the_network_that_remains(trained, tmp_path, capsys, damage):
    out = shutil.copytree(trained, tmp_path / "run")
    state = out / "state.pt"
    if damage == "other network":
        saved = torch.load(state, weights_only=True)
        torch.save({**saved, "agent": {"wrong": torch.zeros(1)}}, state)
    else:
        state.write_bytes({"cut": state.read_bytes()[:100], "nothing": b"", "words": b"never\nmind"}[damage])
    command(*UNEVALUATED, "--out", out, "--resume")
    errors = capsys.readouterr().err
    assert "state.pt: the file is damaged, and the run cannot be resumed: " in errors
    assert f"{out / 'model.safetensors'} has the last network that was saved" in " ".join(errors.split())
    assert "\\n" not in errors
    assert len(errors.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--set", "updates"], "--set: expected NAME=VALUE, got 'updates'"),
        (["--set", "speed=3"], "--set, setting: expected one of"),
        (["--env", "budget=3"], "--env budget: expected a field of sealed_bid (these auctions have none): "),
        (["--rivals", "nobody"], "bidder 'nobody'"),
        (["--bidder", "drain"], "bidder 'drain'"),
        (["--resume"], "expected a run to resume"),
    ],
)
def test_bad_options_are_refused_and_leave_nothing(tmp_path, capsys, arguments, message):
    out = tmp_path / "run"
    code, _, errors = run(["train", "ppo", *ROUND, "--out", str(out), *arguments], capsys)
    assert code != 0
    assert message in errors
    assert not out.exists()


def test_exploit_is_exact_in_sealed_bids(tmp_path, capsys):
    file = tmp_path / "result.json"
    code, printed, _ = run(["exploit", "truthful", *ROUND, "--json", str(file)], capsys)
    assert code == 0
    assert "exact" in printed
    scenario = find_family("sealed_bid").game.load_scenario("first-ipv-once").changed(num_bidders=2)
    loss = theory.utility_loss(scenario, theory.signals(scenario))
    result = json.loads(file.read_text())
    assert result == {
        "bidder": "truthful",
        "game": "sealed_bid",
        "scenario": "first-ipv-once",
        "rivals": ["truthful"],
        **dict.fromkeys(("gain", "low", "high", "exact"), pytest.approx(loss)),
        "range": 99.0,
    }


def test_exploit_takes_its_bidder_as_an_argument(capsys):
    for names, said in (([], "BIDDER"), (["--bidder", "shade"], "aucenv exploit shade")):
        code, _, errors = run(["exploit", *names, *ROUND], capsys)
        assert code == 2
        assert said in errors


def test_a_network_for_another_number_of_seats_is_refused_with_the_option_that_sets_it(tmp_path, capsys):
    scenario = find_family("sealed_bid").game.load_scenario("first-ipv-once").changed(num_bidders=2)
    network = f"ppo:{save_network(tmp_path / 'n.safetensors', 'sealed_bid', scenario, True)}"
    for arguments in (
        ["exploit", network],
        ["exploit", "truthful", "--rivals", network],
        ["train", "ppo", "--rivals", network, "--out", str(tmp_path / "run")],
        ["leaderboard", "--bidder", network, "--bidder", "truthful", "--bidder", "shade"],
    ):
        code, _, errors = run([*arguments, "--game", "sealed_bid", "--scenario", "first-ipv-once"], capsys)
        assert code == 2
        option = "--set" if arguments[0] == "leaderboard" else "--env"
        assert f"trained for 'first-ipv-once' with num_bidders 2 instead of 3 ({option} num_bidders=2)" in errors
    assert not (tmp_path / "run").exists()


def test_env_of_an_unknown_field_lists_those_of_the_game(capsys):
    game = ["exploit", "shade", "--game", "sealed_bid", "--scenario", "first-ipv-once"]
    code, _, errors = run([*game, "--env", "num_biders=2"], capsys)
    assert code == 2
    assert "--env num_biders: expected a field of sealed_bid: num_bidders, " in errors


def test_a_network_that_is_not_there_is_named(capsys):
    code, _, errors = run(["exploit", "ppo:nothing.safetensors", *ROUND], capsys)
    assert code == 2
    assert "cannot use 'nothing.safetensors': no such file or directory" in errors
    assert "Errno" not in errors


def test_exploit_measures_the_gain_of_a_best_response(tmp_path, capsys):
    file, out = tmp_path / "result.json", tmp_path / "out"
    arguments = ["exploit", "truthful", *ROUND, "--method", "ppo", "--out", str(out), "--games", "4000"]
    settings = ["--set", "num_envs=512", "--set", "updates=40", "--set", "save_every=20", "--set", "learning_rate=0.01"]
    code, printed, _ = run([*arguments, *settings, "--json", str(file)], capsys)
    assert code == 0
    assert "a lower bound on exploitability" in " ".join(printed.split())
    result = json.loads(file.read_text())
    assert result["low"] < result["gain"] < result["high"]
    assert result["gain"] > 0.8 * result["exact"] > 0


@pytest.mark.parametrize(("game", "unit"), [("water_allocation", "days lived"), ("english", "$")])
def test_an_exploit_has_the_unit_of_the_scores(capsys, monkeypatch, game, unit):
    from aucenv.training.ppo import exploit

    measured = Estimate(1.5, 1.0, 2.0)
    monkeypatch.setattr(exploit, "exploit_by_ppo", lambda exploited, *rest: exploited.result(measured, None))
    code, printed, _ = run(["exploit", "random", "--game", game], capsys)
    assert code == 0
    assert f"│ gain, {unit} │" in printed.replace("┃", "│")
    assert f"│ exact gain, {unit} │" in printed.replace("┃", "│")


@pytest.mark.parametrize(
    ("bidder", "arguments", "message"),
    [
        (
            "random",
            ["--method", "exact"],
            "--method exact: expected sealed bids between bidders of one name whose bids",
        ),
        ("nobody", [], "bidder 'nobody'"),
        (
            "llm:openai:some-model,base_url=http://127.0.0.1:9/v1",
            [],
            "calls of models, at a price that is unknown; --yes",
        ),
        ("llm:openai:gpt-4.1-mini", ["--set", "updates=2"], "calls of models, at about $"),
    ],
)
def test_exploit_refuses_what_it_cannot_measure_and_states_the_cost_of_models(
    tmp_path, capsys, monkeypatch, bidder, arguments, message
):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    out = tmp_path / "out"
    code, _, errors = run(["exploit", bidder, *ROUND, "--out", str(out), *arguments], capsys)
    assert code != 0
    assert message in errors
    assert not out.exists()
