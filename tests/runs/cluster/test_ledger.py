"""The ledger of a cluster without a cluster, packs of tasks, copies of files, and the model of speed."""

from __future__ import annotations

import asyncio
import dataclasses
from pathlib import Path

import pytest
from aucenv.benchmarks.cluster.scale_model import Machines, Times, predict

from aucenv.core.formats.user_files import UserFiles
from aucenv.runs.cluster.computing import FIRST_PACK, MOST, Packs
from aucenv.runs.cluster.ledger import GIVEN_UP, Ledger
from aucenv.runs.model_calls.cost_limit import LimitState, Usage

MODEL = ("http://here/v1", "m")


async def opened(max_cost: float | None = None, *hosts: str) -> Ledger:
    ledger = Ledger()
    await ledger.open(LimitState(max_cost, 0.0, 0, "", {}), {"A_KEY": "secret"})
    for host in hosts or ("a", "b"):
        assert await ledger.admit(host) == {"A_KEY": "secret"}
    return ledger


async def is_waiting(task: asyncio.Task) -> bool:
    await asyncio.sleep(0.02)
    return not task.done()


def test_calls_in_flight_are_limited_over_all_hosts_and_a_lost_host_frees_its_calls():
    async def run() -> None:
        ledger = await opened()
        assert await ledger.enter("a", "url", 2) is None
        assert await ledger.enter("b", "url", 2) is None
        third = asyncio.create_task(ledger.enter("b", "url", 2))
        assert await is_waiting(third)
        assert await ledger.enter("b", "other", 2) is None
        await ledger.give_up("a")
        assert await third is None
        assert await ledger.enter("a", "other", 2) == GIVEN_UP
        fourth = asyncio.create_task(ledger.enter("b", "url", 2))
        assert await is_waiting(fourth)
        await ledger.leave("a", "url", 2)  # of a host that holds none
        assert await is_waiting(fourth)
        await ledger.leave("b", "url", 2)
        assert await fourth is None

    asyncio.run(run())


def test_costs_are_limited_over_all_hosts():
    async def run() -> None:
        ledger = await opened(1.0)
        first = await ledger.reserve("a", MODEL, 0.4)
        second = asyncio.create_task(ledger.reserve("b", MODEL, 0.4))
        assert await is_waiting(second)  # the first call of a model is sent alone
        kept = asyncio.create_task(ledger.keep("a", "call", Usage(MODEL, 0.3, 0.4, True, True)))
        await asyncio.sleep(0)
        await ledger.release("a", first)
        assert isinstance(await second, int)
        assert await is_waiting(kept)
        third = asyncio.create_task(ledger.reserve("a", MODEL, 0.4))
        assert await is_waiting(third)
        await ledger.give_up("b")
        assert isinstance(await third, int)
        fourth = asyncio.create_task(ledger.reserve("a", MODEL, 0.9))
        assert await is_waiting(fourth)
        await ledger.release("a", await third)
        assert (await fourth)[1] == "with a larger --max-cost"
        assert (await ledger.watch())[0].startswith("spent $0.3000 of at most $1; the next call may cost up to")

    asyncio.run(run())


def test_a_call_is_used_only_when_it_is_written():
    async def run() -> None:
        ledger = await opened()
        usage = Usage(MODEL, 0.1)
        calls = [asyncio.create_task(ledger.keep("a", name, usage)) for name in ("first", "second")]
        assert await ledger.take(1.0) == [("call", "first"), ("call", "second")]
        assert await ledger.take(0.01) == []
        await ledger.written(1)
        assert await calls[0] is None
        assert await is_waiting(calls[1])
        await ledger.written(2)
        assert await calls[1] is None
        await ledger.give_up("a")
        assert await ledger.keep("a", "third", usage) == GIVEN_UP
        assert await ledger.take(0.01) == []

    asyncio.run(run())


def test_a_stopped_run_starts_no_call():
    async def run() -> None:
        ledger = await opened(1.0)
        await ledger.reserve("a", MODEL, 0.9)
        waiting = asyncio.create_task(ledger.reserve("b", MODEL, 0.9))
        assert await is_waiting(waiting)
        await ledger.stop("why", "so")
        assert await waiting == ("why", "so")
        assert await ledger.enter("b", "url", 1) == ("why", "so")
        await ledger.waits("later")
        assert await ledger.take(1.0) == [("waits", "later")]

    asyncio.run(run())


def test_packs_take_about_a_second_and_every_input_once():
    packs = Packs(range(10_000))
    taken = [packs.take(2)]
    assert len(taken[0]) == FIRST_PACK
    packs.learn(4, 0.04, 4000)  # 10 ms each
    taken.append(packs.take(2))
    assert len(taken[1]) == 100
    packs.learn(100, 0.1, 40_000_000)  # large results
    taken.append(packs.take(2))
    assert len(taken[2]) < 20
    while pack := packs.take(2):
        packs.learn(len(pack), 1e-6, 1)
        taken.append(pack)
        assert len(pack) <= MOST
    assert [number for pack in taken for number in pack] == list(range(10_000))
    assert len(taken[-1]) == 1


def test_a_long_input_fills_a_task():
    packs = Packs(range(60))
    packs.learn(1, 3.0, 100)
    assert [len(packs.take(2)) for _ in range(60)] == [1] * 60


@pytest.mark.parametrize("path", ["bidder.py", "../bidder.py", "/else/where/bidder.py"])
def test_copies_stand_for_files_of_another_machine(tmp_path, path):
    files = UserFiles()
    assert files.find(path) == Path(path)
    start = Path("/home/user/work")
    files.use_copies(tmp_path, start)
    assert files.find(path) == Path(path)
    copy = UserFiles.copy_of(tmp_path, start, path)
    copy.parent.mkdir(parents=True)
    copy.write_text("")
    assert files.find(path) == copy
    assert tmp_path in copy.parents


def test_rates_follow_from_their_limits():
    computed = Times(node=0.01, driver=0.001)
    assert predict(computed, Machines(4)).per_hour == pytest.approx(3600 * 400)
    assert predict(computed, Machines(4)).limit == "nodes"
    assert predict(computed, Machines(4)).driver_nodes == 10
    assert predict(computed, Machines(40)).limit == "driver"
    assert predict(computed, Machines(2, cores=2)).per_hour == pytest.approx(3600 * 2 / 0.011)
    models = Times(0.01, 0.001, 10, 20, 1.0, 0.02)
    assert predict(models, Machines(4, concurrency=16)).per_hour == pytest.approx(3600 * 16 / 10.21)
    assert predict(models, Machines(4, concurrency=10**6, in_flight=40)).limit == "endpoint"
    losing = predict(computed, Machines(4, losses=6, recovery=60))
    assert losing.per_hour == pytest.approx(3600 * 400 * 0.9, rel=1e-3)


def test_bad_numbers_are_named():
    with pytest.raises(ValueError, match="nodes: expected a whole number of at least 1, got 0"):
        Machines(0)
    with pytest.raises(ValueError, match="latency"):
        dataclasses.replace(Times(1, 1), latency=-1)
