"""Four nodes: three are killed, then the process of the run; a lost head; a full object store. Takes minutes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from aucenv.benchmarks.cluster.scale_play import NodeCluster
from aucenv.benchmarks.timings.loopback import Loopback
from clusters import finish, start

from aucenv.runs.model_calls.journal import read_calls

pytestmark = pytest.mark.slow


def start_nodes(tmp_path_factory, count: int) -> NodeCluster:
    """Start a cluster whose nodes have the kernels that the run in one process compiles before them."""
    kernels = os.environ.get("NUMBA_CACHE_DIR", "")
    return NodeCluster(tmp_path_factory.mktemp("nodes"), count, NUMBA_CACHE_DIR=kernels)


@pytest.fixture
def nodes(tmp_path_factory):
    cluster = start_nodes(tmp_path_factory, 4)
    yield cluster
    cluster.close()


def num_games(folder: Path) -> int:
    file = folder / "games.jsonl"
    return file.read_bytes().count(b"\n") if file.exists() else 0


def leaderboard(folder: Path, *args: str) -> subprocess.Popen:
    return start("leaderboard", "--out", str(folder), *args)


def same_bytes(nodes: NodeCluster, folder: Path, games: int, *args: str) -> None:
    """Kill three nodes and the process of a run at quarters of it, resume it, and compare it with one process."""
    here, there = folder / "here", folder / "there"
    args = (*args, "--games", str(games))
    finish(leaderboard(here, *args))
    process = leaderboard(there, *args, "--cluster", nodes.address)
    killed, was_stopped = 0, False
    while process.poll() is None:
        time.sleep(0.1)
        done = num_games(there)
        if killed < 3 and done > games * (killed + 1) // 6:
            nodes.kill(killed)
            killed += 1
        if killed == 3 and not was_stopped and done > games * 2 // 3:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            was_stopped = True
            process = leaderboard(there, *args, "--cluster", nodes.address)
    finish(process)
    assert killed == 3
    assert was_stopped
    for name in ("games.jsonl", "table.json"):
        assert (here / name).read_bytes() == (there / name).read_bytes()


@pytest.mark.parametrize(("game", "games"), [("english", 6000), ("harbor", 3000)])
def test_computed_games_have_the_same_bytes(nodes, tmp_path, game, games):
    same_bytes(nodes, tmp_path, games, "--game", game)


def test_games_of_models_have_the_same_bytes(nodes, tmp_path):
    with Loopback(latency=1) as server:
        models = [f"--bidder=m{i}=llm:openai:m,base_url={server.url}" for i in range(2)]
        same_bytes(
            nodes,
            tmp_path,
            96,
            *models,
            *("--bidder", "rule", "--bidder", "value", "--set", "num_items=2"),
            "--concurrency",
            "64",
        )
    keys = [call.key for call in read_calls(tmp_path / "there")]
    assert len(set(keys)) == len(keys)
    assert set(keys) == {call.key for call in read_calls(tmp_path / "here")}


def test_a_lost_head_ends_the_run_with_a_message_and_the_same_command_resumes_it(tmp_path, tmp_path_factory):
    here, there, games = tmp_path / "here", tmp_path / "there", ("--games", "6000")
    finish(leaderboard(here, *games))
    nodes = start_nodes(tmp_path_factory, 2)
    process = leaderboard(there, *games, "--cluster", nodes.address)
    while num_games(there) < 1000 and process.poll() is None:
        time.sleep(0.1)
    nodes.kill_head()
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert f"the head of the cluster at {nodes.address} is lost; " in errors
    assert "are kept in" in errors
    assert "to resume, run: aucenv leaderboard" in errors
    nodes.close()
    again = start_nodes(tmp_path_factory, 2)
    finish(leaderboard(there, *games, "--cluster", again.address))
    again.close()
    assert (here / "games.jsonl").read_bytes() == (there / "games.jsonl").read_bytes()


FILL = """
import sys, time
import numpy as np, ray
ray.init(address=sys.argv[1], log_to_driver=False)
held = [ray.put(np.ones(2**21)) for _ in range(8)]  # 16 MiB each
print("full", flush=True)
time.sleep(300)
"""


def test_a_run_beside_a_full_object_store_has_the_same_bytes(nodes, tmp_path):
    here, there, games = tmp_path / "here", tmp_path / "there", ("--games", "600")
    finish(leaderboard(here, *games))
    filler = subprocess.Popen(
        [sys.executable, "-c", FILL, nodes.address], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert filler.stdout.readline() == b"full\n"
    finish(leaderboard(there, *games, "--cluster", nodes.address))
    filler.kill()
    filler.communicate()
    assert (here / "games.jsonl").read_bytes() == (there / "games.jsonl").read_bytes()
