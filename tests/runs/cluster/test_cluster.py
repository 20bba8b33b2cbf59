"""Runs on a Ray cluster: the same bytes as in one process, while nodes are lost; one cluster of two nodes for all tests."""

from __future__ import annotations

import dataclasses
import pickle
import re
import shutil
import threading
import time
from pathlib import Path

import pytest
from aucenv.benchmarks.cluster.scale_play import NodeCluster
from aucenv.benchmarks.rankings.leaderboard import matches, run
from aucenv.benchmarks.rankings.settings import Settings
from aucenv.benchmarks.timings.loopback import Loopback
from typer.testing import CliRunner

import aucenv
from aucenv.cli import app
from aucenv.core.checks import MissingExtra
from aucenv.core.policy import PolicyError
from aucenv.play import Match
from aucenv.policy.registry import make_policy
from aucenv.runs.cluster import executor, job, worker
from aucenv.runs.cluster.executor import Cluster
from aucenv.runs.cluster.job import Fingerprint, NodesDiffer, Setup
from aucenv.runs.model_calls.journal import CallJournal, RunStopped, read_calls
from aucenv.runs.model_calls.token_prices import TokenPrices
from aucenv.runs.run_options import RunOptions, check_address

SLOW_BIDDER = """
import os, time
from pathlib import Path

ORIGINAL = Path({folder!r}).resolve()


class Slow:
    interface = "amount"

    def reset(self, seat, seed):
        self.seed = seed

    def act(self, view, observation):
        assert "RAY_RAYLET_PID" not in os.environ or ORIGINAL not in Path(__file__).resolve().parents, "no copy"
        time.sleep(0.0003)
        return self.seed % 100 / 100

    def close_game(self, view):
        return None
"""
"""A bidder that takes a while, and that plays on a node only from a copy of its file."""


@pytest.fixture(scope="module")
def nodes(tmp_path_factory):
    cluster = NodeCluster(tmp_path_factory.mktemp("nodes"), 2, NUMBA_DISABLE_JIT="1")
    yield cluster
    cluster.close()


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Run outside the checkout: Ray puts the directory of the driver into the path of modules on all nodes."""
    monkeypatch.chdir(tmp_path)


def files(folder: Path) -> list[bytes]:
    return [(folder / name).read_bytes() for name in ("games.jsonl", "table.json")]


class Killer:
    """Kills a node when a run has finished some games: its `on_game`."""

    def __init__(self, nodes: NodeCluster, games: int) -> None:
        self.nodes, self.games = nodes, games
        self.lines: list[str] = []

    def __call__(self, done: int, total: int, text: str) -> None:
        self.lines.append(text)
        if self.games is not None and done >= self.games:
            self.games = None
            self.nodes.kill(0)


def test_a_lost_node_does_not_change_a_byte_and_files_of_bidders_travel_along(nodes, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("slow.py").write_text(SLOW_BIDDER.format(folder=str(tmp_path)))
    settings = Settings("sealed_bid", ("py:slow.py:Slow", "slow2=py:slow:Slow", "truthful", "shade"), games=60)
    here, there = tmp_path / "here", tmp_path / "there"
    run(settings, out=here)
    killer = Killer(nodes, 8)
    run(settings, RunOptions(cluster=nodes.address), out=there, on_game=killer)
    assert files(here) == files(there)
    assert killer.games is None
    assert "compiling kernels on 2 nodes" in killer.lines
    assert "2 nodes" in killer.lines
    assert any("1 lost" in line for line in killer.lines)


@pytest.mark.slow
def test_models_limits_hold_over_all_nodes_and_no_call_is_paid_twice(nodes, tmp_path):
    with Loopback(latency=0.02) as server:
        bidders = tuple(f"m{i}=llm:openai:m,base_url={server.url},in_flight=5" for i in range(2))
        settings = Settings("english", (*bidders, "rule"), games=24, changes=("num_items=2",))
        here, there = tmp_path / "here", tmp_path / "there"
        run(settings, out=here)
        server.requests.clear()
        server.most_at_once = 0
        run(settings, RunOptions(cluster=nodes.address, concurrency=12), out=there, on_game=Killer(nodes, 4))
        assert 1 < server.most_at_once <= 5 + 5  # calls of the lost node may still be in flight
    assert files(here) == files(there)
    keys = [call.key for call in read_calls(there)]
    assert len(set(keys)) == len(keys)
    assert set(keys) == {call.key for call in read_calls(here)}


@pytest.mark.slow
def test_the_cost_limit_holds_over_all_nodes_and_the_run_resumes(nodes, tmp_path, monkeypatch):
    monkeypatch.setenv("A_KEY", "secret-key-of-the-run")
    prices = TokenPrices({"m": {"input": 100, "output": 100}})
    with Loopback(latency=0.01) as server:
        bidder = f"m=llm:openai:m,base_url={server.url},key_env=A_KEY"
        settings = Settings("english", (bidder, "rule", "value"), games=12, changes=("num_items=2",))
        options = RunOptions(cluster=nodes.address, concurrency=4, prices=prices, max_cost=1.0)
        with pytest.raises(RunStopped, match="the next call may cost up to") as stopped:
            run(settings, options, out=tmp_path / "there")
        assert stopped.value.way_out == "with a larger --max-cost"
        spent = sum(call.cost for call in read_calls(tmp_path / "there"))
        assert 0 < spent <= 1
        before = len(server.requests)
        unlimited = RunOptions(cluster=nodes.address, concurrency=4, prices=prices)
        run(settings, unlimited, out=tmp_path / "there")
        assert len(server.requests) == len(read_calls(tmp_path / "there")) > before
        assert {headers["authorization"] for headers in server.headers} == {"bearer secret-key-of-the-run"}
        run(settings, RunOptions(prices=prices), out=tmp_path / "here")
    assert files(tmp_path / "here") == files(tmp_path / "there")
    for log in Path("/tmp/ray/session_latest/").rglob("*.*"):
        if log.is_file():
            assert b"secret-key-of-the-run" not in log.read_bytes()


@pytest.mark.slow
def test_kernels_compile_once_on_a_node(nodes):
    """The process that prepares a node and the one that plays have each kernel once; a second run compiles nothing."""

    def compiled() -> dict[str, int]:
        return {path.name: path.stat().st_mtime_ns for path in nodes.kernels(2).rglob("*.nbc")}

    schedule = matches(Settings("sealed_bid", ("truthful", "shade"), games=20))
    nodes.add(NUMBA_DISABLE_JIT="0")
    try:
        list(Cluster(nodes.address).play(schedule, CallJournal()))
        first = compiled()
        list(Cluster(nodes.address).play(schedule, CallJournal()))
        assert compiled() == first
        assert len(first) > 5
    finally:
        nodes.remove()


@pytest.mark.slow
def test_values_of_states_do_not_depend_on_the_cluster(nodes, tmp_path):
    cli = CliRunner()
    states = ["rlact", "states", "--game", "sealed_bid", "--states", "30", "--out"]
    for name, more in (("here", []), ("there", ["--cluster", nodes.address])):
        assert cli.invoke(app, [*states, str(tmp_path / name), *more]).exit_code == 0
        judge = ["rlact", "judge", str(tmp_path / name / "train.jsonl"), "--out", str(tmp_path / f"{name}.jsonl")]
        assert cli.invoke(app, [*judge, *more]).exit_code == 0
    for split in ("train", "validation", "evaluation"):
        assert (tmp_path / "here" / f"{split}.jsonl").read_bytes() == (
            tmp_path / "there" / f"{split}.jsonl"
        ).read_bytes()
    assert (tmp_path / "here.jsonl").read_bytes() == (tmp_path / "there.jsonl").read_bytes()


def test_an_error_of_a_bidder_reaches_the_caller_with_its_cause(nodes, tmp_path, monkeypatch):
    with Loopback() as server:
        url = server.url
    names = (f"llm:openai:m,base_url={url},attempts=1", "rule", "rule")
    match = Match("english", "standard-20k-random", names, (0,), 3)
    cluster = Cluster(nodes.address, 2, policies=[make_policy("english", names[0])])
    with pytest.raises(PolicyError, match=r"failed at bidder_0, game 3.*no answer to 1 attempts") as raised:
        list(cluster.play([match], CallJournal()))
    assert type(raised.value.__cause__).__name__ == "ModelFailure"
    bad = Match("english", "standard-20k-random", ("rule", "rule", "rool"), (0,), 3)
    with pytest.raises(ValueError, match="got 'rool'"):
        list(Cluster(nodes.address).play([bad], CallJournal()))


class Local:
    """A bidder that cannot be sent to another machine."""

    interface = "amount"

    def __init__(self):
        self.lock = threading.Lock()

    def reset(self, seat, seed): ...

    def act(self, view, observation):
        return -1

    def close_game(self, view): ...


def test_a_bidder_that_cannot_be_sent_is_named_before_anything_starts():
    match = Match("english", "standard-20k-random", ("rule", "rule", Local()), (0,))
    with pytest.raises(
        ValueError, match=r"cluster: expected bidders that can be sent to other machines, got Local: .*lock"
    ):
        list(Cluster("127.0.0.1:1").play([match], CallJournal()))
    main = type("Mine", (), {"__module__": "__main__"})()
    with pytest.raises(ValueError, match=r"got Mine of the program itself.*name a bidder as py:FILE.py:CLASS"):
        list(
            Cluster("127.0.0.1:1").play(
                [Match("english", "standard-20k-random", ("rule", main, "rule"), (0,))], CallJournal()
            )
        )


@pytest.mark.parametrize("address", ["", "here", "1.2.3.4", "1.2.3.4:", "1.2.3.4:0", "1.2.3.4:70000", ":80", "ray://x"])
def test_texts_that_are_no_address_are_refused(address):
    with pytest.raises(ValueError, match=r"cluster: expected auto, HOST:PORT or ray://HOST:PORT, got "):
        check_address(address)


def test_a_cluster_excludes_workers_and_bidders_that_depend_on_the_order_of_games():
    schedule = [Match("english", "standard-20k-random", ("rule",) * 3, (0,))]
    with pytest.raises(ValueError, match="workers: expected 1 because a cluster is given, got 2"):
        RunOptions(2, cluster="auto").check(schedule)
    with pytest.raises(
        ValueError, match="cluster: expected none because a person plays one game at a time, got 'auto'"
    ):
        RunOptions(cluster="auto").check([Match("english", "standard-20k-random", ("human", "rule", "rule"), (0,))])


def test_no_cluster_is_said_at_once():
    started = time.monotonic()
    with Loopback() as server:  # something that is no cluster
        other = server.url.removeprefix("http://").removesuffix("/v1")
        for address in ("127.0.0.1:1", other):
            with pytest.raises(ValueError, match=f"expected the address of a running Ray cluster, got '{address}': "):
                list(
                    Cluster(address).play([Match("english", "standard-20k-random", ("rule",) * 3, (0,))], CallJournal())
                )
    assert time.monotonic() - started < 60


def test_a_process_of_another_version_is_refused_with_both_named(monkeypatch):
    expected = dataclasses.replace(Fingerprint.here(), aucenv="0.0.1")
    monkeypatch.setattr(worker.ray, "get", lambda reference: pickle.dumps(Setup("a run", expected)))
    monkeypatch.setattr(worker, "node_name", lambda: "10.0.0.7")
    message = f"node 10.0.0.7 has {Fingerprint.here()}, but this run has aucenv 0.0.1 (source {expected.source}) with P"
    with pytest.raises(NodesDiffer, match=re.escape(message)):
        worker.prepare(("a run", None))


@pytest.mark.slow
def test_a_node_with_another_version_is_refused_with_both_named(nodes, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(Path(aucenv.__file__).parent, other / "aucenv", ignore=shutil.ignore_patterns("__pycache__"))
    init = other / "aucenv" / "__init__.py"
    init.write_text(init.read_text().replace(f'__version__ = "{aucenv.__version__}"', '__version__ = "0.0.1"'))
    nodes.add(PYTHONPATH=str(other))
    try:
        settings = Settings("sealed_bid", ("truthful", "shade"), games=20)
        expected = rf"node [\d.]+ has aucenv 0.0.1 .* with Python 3.*, but this run has aucenv {aucenv.__version__}"
        with pytest.raises(ValueError, match=expected):
            list(Cluster(nodes.address).play(matches(settings), CallJournal()))
    finally:
        nodes.remove()


def test_fingerprints_depend_on_sources(tmp_path, monkeypatch):
    package = tmp_path / "some_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(job, "PACKAGES", ("some_package",))
    before = Fingerprint.here()
    assert before == Fingerprint.here()
    (package / "rules.py").write_text("REFUSALS = ()\n")
    assert Fingerprint.here() != before


def test_without_ray_the_extra_is_named(monkeypatch):
    monkeypatch.setattr(executor, "find_spec", lambda name: None)
    schedule = [Match("english", "standard-20k-random", ("rule",) * 3, (0,))]
    with pytest.raises(MissingExtra, match="--cluster needs the extra ray: "):
        list(Cluster("auto").play(schedule, CallJournal()))
