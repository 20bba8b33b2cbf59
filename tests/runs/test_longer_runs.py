"""Runs that are extended, played in parts, merged and compared."""

from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path

import pytest
from aucenv.benchmarks.rankings.leaderboard import Settings, honest_bidders, matches, run
from aucenv.benchmarks.rankings.saved_runs import SavedRun, merge
from aucenv.benchmarks.timings.loopback import Loopback

from aucenv.core.adapters.actions import to_json_value
from aucenv.core.notices import Notice
from aucenv.core.policy import PolicyError
from aucenv.registration import find_family
from aucenv.runs.model_calls.token_prices import TokenPrices
from aucenv.runs.play import play
from aucenv.runs.records import read_records
from aucenv.runs.results import ResultsFolder
from aucenv.runs.run_options import RunOptions
from aucenv.runs.shard import Shard

ROUND_ROBIN = Settings(bidders=("rule", "value", "pace", "drain"), games=30, seed=4, changes=("num_items=2",))
STANDARD = Settings(bidders=("rule", "value", "pace", "drain"), format="standard", games=36, changes=("num_items=2",))
RESULTS = ("games.jsonl", "table.json", "table.md")


def changed(settings: Settings, **changes) -> Settings:
    return Settings(**{**vars(settings), **changes})


def files(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in RESULTS}


@pytest.fixture(scope="module", params=[ROUND_ROBIN, STANDARD], ids=["round-robin", "standard"])
def whole(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "run"
    run(request.param, out=folder)
    return request.param, folder


round_robin = pytest.mark.parametrize("whole", [ROUND_ROBIN], ids=["round-robin"], indirect=True, scope="module")


def test_a_larger_number_of_games_extends_a_run(whole, tmp_path):
    settings, folder = whole
    run(changed(settings, games=12), out=tmp_path)
    first = (tmp_path / "games.jsonl").read_text()
    run(settings, out=tmp_path)
    assert files(tmp_path) == files(folder)
    assert (folder / "games.jsonl").read_text().startswith(first)
    assert json.loads((tmp_path / "run.json").read_text())["settings"]["games"] == len(matches(settings))


def test_an_extension_that_was_stopped_is_resumed(whole, tmp_path):
    settings, folder = whole
    run(changed(settings, games=12), out=tmp_path)

    def stop(done: int, total: int, calls: str) -> None:
        if done == 15:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(settings, out=tmp_path, on_game=stop)
    assert json.loads((tmp_path / "run.json").read_text())["finished"] is None
    run(settings, out=tmp_path, resume=True)
    assert files(tmp_path) == files(folder)


def test_fewer_games_and_other_settings_are_refused(whole, tmp_path):
    settings, folder = whole
    shutil.copytree(folder, tmp_path / "copy")
    before = files(tmp_path / "copy")
    with pytest.raises(ValueError, match=r"games: expected at least 3\d, the number of games of the run in .*, got 12"):
        run(changed(settings, games=12), out=tmp_path / "copy")
    with pytest.raises(ValueError, match=r"got a run with games 3., not 48; seed 4?0?, not 9"):
        run(changed(settings, games=48, seed=9), out=tmp_path / "copy")
    assert files(tmp_path / "copy") == before


@pytest.mark.parametrize("count", [1, 5])
def test_merged_parts_are_the_whole_run(whole, count, tmp_path):
    settings, folder = whole
    parts = [tmp_path / str(number) for number in range(1, count + 1)]
    for number, part in enumerate(parts, start=1):
        run(changed(settings, shard=Shard(number, count)), out=part)
    games = len(matches(settings))
    assert merge(parts[::-1], tmp_path / "merged") == (games, True)
    assert files(tmp_path / "merged") == files(folder)
    run(settings, out=tmp_path / "merged", resume=True)  # the same run as one that was not split
    assert files(tmp_path / "merged") == files(folder)


def test_parts_hold_whole_deals():
    schedule = matches(ROUND_ROBIN)
    parts = [Shard(number, 3).of(schedule) for number in (1, 2, 3)]
    assert sorted(match.index for part in parts for match in part) == [match.index for match in schedule]
    deals = [{match.seed for match in part} for part in parts]
    assert not deals[0] & deals[1] | deals[0] & deals[2] | deals[1] & deals[2]
    longer = Shard(2, 3).of(matches(changed(ROUND_ROBIN, games=60)))
    assert longer[: len(parts[1])] == parts[1]


@round_robin
def test_the_command_of_the_run_plays_missing_parts(whole, tmp_path):
    settings, folder = whole
    run(changed(settings, shard=Shard(1, 2)), out=tmp_path / "1")
    games, complete = merge([tmp_path / "1"], tmp_path / "merged")
    assert not complete
    assert games < len(matches(settings))
    assert not (tmp_path / "merged" / "table.json").exists()
    run(settings, out=tmp_path / "merged")
    assert files(tmp_path / "merged") == files(folder)


@round_robin
def test_a_part_that_is_given_twice_is_named(whole, tmp_path):
    settings, folder = whole
    for number in (1, 2):
        run(changed(settings, shard=Shard(number, 2)), out=tmp_path / str(number))
    shutil.copytree(tmp_path / "1", tmp_path / "copy")
    parts = [tmp_path / name for name in ("1", "2", "copy", "1")]
    with pytest.warns(Notice) as shown:
        assert merge(parts, tmp_path / "merged") == (len(matches(settings)), True)
    assert [str(each.message) for each in shown] == [
        f"shard 1/2 is given more than once: {parts[0]}, {parts[2]}, {parts[3]}"
    ]
    assert files(tmp_path / "merged") == files(folder)


def test_calls_of_models_are_merged(tmp_path):
    with Loopback() as server:
        name = f"gpt=llm:openai:m,base_url={server.url}"
        settings = Settings(bidders=(name, "rule", "value"), games=12, changes=("num_items=1",))
        options = RunOptions(concurrency=2)
        run(settings, options, out=tmp_path / "whole")
        for number in (1, 2):
            run(changed(settings, shard=Shard(number, 2)), options, out=tmp_path / str(number))
        assert merge([tmp_path / "1", tmp_path / "2"], tmp_path / "merged") == (12, True)
        assert files(tmp_path / "merged")["games.jsonl"] == files(tmp_path / "whole")["games.jsonl"]
        calls = {call.key: call.reply for call in SavedRun.read(tmp_path / "merged").calls()}
        assert calls == {call.key: call.reply for call in SavedRun.read(tmp_path / "whole").calls()}
        asked = len(server.requests)
        run(settings, options, out=tmp_path / "merged")
        assert len(server.requests) == asked


def test_a_bidder_with_a_memory_cannot_be_split(tmp_path):
    name = f"gpt=llm:openai:m,base_url=http://127.0.0.1:1,agent=bdi,memory={tmp_path}/memory.jsonl"
    settings = Settings(bidders=(name, "rule", "value"), games=6, shard=Shard(1, 2))
    with pytest.raises(ValueError, match="shard: expected no shards, because a bidder keeps a memory"):
        run(settings, RunOptions(concurrency=1))


def test_parts_of_other_runs_are_refused(tmp_path):
    for seed in (0, 1):
        run(changed(ROUND_ROBIN, seed=seed, games=6, shard=Shard(1, 2)), out=tmp_path / str(seed))
    run(changed(ROUND_ROBIN, seed=0, games=9, shard=Shard(1, 3)), out=tmp_path / "three")
    with pytest.raises(ValueError, match=r"1: expected a shard of the same run as .*, got another seed"):
        merge([tmp_path / "0", tmp_path / "1"], tmp_path / "merged")
    with pytest.raises(ValueError, match=r"three: expected a shard of the same run as .*, got another games"):
        merge([tmp_path / "0", tmp_path / "three"], tmp_path / "merged")
    changed_game = (tmp_path / "0" / "games.jsonl").read_text().replace('"seed":[0,0]', '"seed":[0,7]')
    shutil.copytree(tmp_path / "0", tmp_path / "other")
    (tmp_path / "other" / "games.jsonl").write_text(changed_game)
    with pytest.raises(ValueError, match="other: game 0 differs from the same game of another folder"):
        merge([tmp_path / "0", tmp_path / "other"], tmp_path / "merged")
    assert not (tmp_path / "merged").exists()


@pytest.mark.parametrize("text", ["", "1", "0/2", "3/2", "1/0", "-1/2", "1/2/3", "a/b", "1.5/2"])
def test_only_parts_of_a_whole_are_shards(text):
    with pytest.raises(ValueError, match="shard: expected I/N with I from 1 to N, such as 1/4, got "):
        Shard.parse(text)


def test_a_process_that_comes_second_changes_nothing(tmp_path):
    first = ResultsFolder(tmp_path / "out", {"seed": 0})
    before = (tmp_path / "out" / "run.json").read_bytes()
    with pytest.raises(BlockingIOError, match="another process is writing to this folder"):
        ResultsFolder(tmp_path / "out", {"seed": 1})
    assert (tmp_path / "out" / "run.json").read_bytes() == before
    first.close()


def test_a_folder_whose_games_were_just_replaced_is_not_locked(tmp_path, monkeypatch):
    ResultsFolder(tmp_path, {"seed": 0}).close()
    monkeypatch.setattr("aucenv.runs.results.os.path.samestat", lambda first, second: False)
    with pytest.raises(BlockingIOError, match="another process is writing to this folder"):
        ResultsFolder(tmp_path, {"seed": 0})


@pytest.mark.parametrize(("games", "named"), [(None, "games None"), ("absent", "no games")])
def test_a_run_without_a_number_of_games_is_another_run(games, named, tmp_path):
    run(changed(ROUND_ROBIN, games=3), out=tmp_path)
    data = json.loads((tmp_path / "run.json").read_text())
    data["settings"]["games"] = games
    if games == "absent":
        del data["settings"]["games"]
    (tmp_path / "run.json").write_text(json.dumps(data))
    with pytest.raises(ValueError, match=f"got a run with {named}, not 9"):
        run(changed(ROUND_ROBIN, games=9), out=tmp_path)


def test_parts_of_another_version_are_refused(tmp_path):
    run(changed(ROUND_ROBIN, games=6, shard=Shard(1, 2)), out=tmp_path / "1")
    data = json.loads((tmp_path / "1" / "run.json").read_text())
    data["versions"]["aucenv"] = "0.0.9"
    (tmp_path / "1" / "run.json").write_text(json.dumps(data))
    with pytest.raises(ValueError, match=r"1: expected a run of aucenv .*, got one of aucenv 0\.0\.9"):
        merge([tmp_path / "1"], tmp_path / "merged")


def test_a_part_without_a_finished_game_is_merged(tmp_path):
    for number in (1, 2):
        run(changed(ROUND_ROBIN, games=6, shard=Shard(number, 2)), out=tmp_path / str(number))
    (tmp_path / "2" / "games.jsonl").write_text("")
    assert merge([tmp_path / "1", tmp_path / "2"], tmp_path / "merged")[0] == 3


def test_a_line_that_is_still_being_written_is_left_out(tmp_path):
    run(changed(ROUND_ROBIN, games=6), out=tmp_path)
    file = tmp_path / "games.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[:3]) + lines[3][:200])
    assert [record.index for record in read_records(tmp_path)] == [0, 1, 2]
    file.write_text("".join(lines[:3]) + lines[3].replace('"index":3', '"index":"x"').rstrip())
    with pytest.raises(ValueError, match=r"games\.jsonl:4: index: "):
        list(read_records(tmp_path))


def test_recorded_costs_are_kept_without_prices(tmp_path):
    with Loopback() as server:
        name = f"gpt=llm:openai:m,base_url={server.url}"
        settings = Settings(bidders=(name, "rule", "value"), games=3, shard=Shard(1, 1), changes=("num_items=1",))
        prices = TokenPrices({"m": {"input": 1, "output": 1}})
        run(settings, RunOptions(prices=prices), out=tmp_path / "1")
    costs = [call.cost for call in SavedRun.read(tmp_path / "1").calls()]
    assert None not in costs
    merge([tmp_path / "1"], tmp_path / "merged")
    assert [call.cost for call in SavedRun.read(tmp_path / "merged").calls()] == costs


@pytest.mark.parametrize(
    ("game", "changes"),
    [
        ("english", {"budget": 20000.005}),
        ("harbor", {"budget": 500_000.005}),
        ("sealed_bid", {"values": "cv", "value_range": (1.1, 1.4), "value_step": 0.1, "signal_error": 0.2}),
        ("clock", {"values": "cv", "value_range": (0.3, 0.7), "value_step": 0.1, "signal_error": 0.1}),
    ],
)
def test_records_of_odd_amounts_can_be_read(game, changes, tmp_path):
    family = find_family(game)
    modules = family.game
    scenario = modules.load_scenario(modules.default_scenario)
    scenario = scenario.changed(**changes) if "budget" in changes else dataclasses.replace(scenario, **changes)
    names = honest_bidders(game, scenario)
    lineup = [names[seat % len(names)] for seat in range(len(scenario.bidders))]
    lines = [play(family, scenario, lineup, seed, index=seed).to_json() + "\n" for seed in range(6)]
    (tmp_path / "games.jsonl").write_text("".join(lines))
    assert len(list(read_records(tmp_path))) == 6


class Noting:
    """A bidder that notes what no reader accepts."""

    interface = "amount"
    notes: dict

    def __init__(self, note: object) -> None:
        self._note = note

    def reset(self, seat, seed) -> None:
        pass

    def act(self, view, observation) -> int:
        self.notes = {"note": self._note}
        return -1

    def close_game(self, view) -> None:
        pass


@pytest.mark.parametrize("note", [10**1500, "\ud800", json.loads("[" * 62 + "]" * 62), float("nan")])
def test_notes_that_cannot_be_read_are_refused_when_they_are_given(note):
    with pytest.raises(PolicyError, match="Noting failed at bidder_0"):
        play("english", "standard-20k-random", [Noting(note), "rule", "value"])


def test_a_huge_action_is_recorded_as_text():
    assert to_json_value(10**1500) == "a whole number of more than 900 digits"
    assert to_json_value(-(10**30)) == -(10**30)
