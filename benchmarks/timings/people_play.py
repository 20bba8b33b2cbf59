"""The time from the last answer of a round to the next request, at live tables with scripted people."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

from aucenv.benchmarks.timings.timing import Timings
from websockets.asyncio.client import connect

from aucenv.core.files import JsonObject

PEOPLE = ("Ann", "Ben", "Cid")
MAIN = "from aucenv.cli import main; main()"
START = 60.0
"""Seconds that the host has to print its links."""


@dataclasses.dataclass(frozen=True)
class Latencies:
    """Seconds from the last answer of a round to the next request at the same table.

    Attributes:
        seconds: one entry for each round that follows another one.
        tables: the number of tables.
    """

    seconds: tuple[float, ...]
    tables: int

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


def time_people(tables: int, rounds: int) -> Timings:
    """Measure one table alone, and several at the same time; the figures are medians over all rounds of a run."""
    subjects = {"1 table": 1, f"{tables} tables": tables}
    figures: dict[str, list[float]] = {name: [] for name in subjects}
    measure(1)  # the first run compiles
    for _ in range(rounds):
        for name, number in subjects.items():
            figures[name].append(1000 * measure(number).median)
    return Timings(
        "People: from the last answer of a round to the next request, three people at each table",
        "ms",
        figures,
        [(f"{tables} tables", "1 table")],
        ["Scripts answer at once, all of them in one process on the same machine as the host."],
    )


def measure(tables: int, items: int = 3) -> Latencies:
    """Play an English auction at each table, with three people who answer at once, and measure the host.

    Raises:
        RuntimeError: the host does not start, or ends with an error.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", MAIN, "host", "--port", "0", "--exit-when-over", "--seed", "1"]
        command += ["--tables", str(tables), "--set", f"num_items={items}", "--out", f"{folder}/run"]
        command += [word for name in PEOPLE for word in ("--bidder", f"human:{name}")]
        log = Path(folder) / "log"
        with log.open("w") as printed:
            host = subprocess.Popen(command, stdout=printed, stderr=subprocess.STDOUT)  # noqa: S603
        try:
            links = _links_of(log, len(PEOPLE) * tables, host)
            events = asyncio.run(_play(links))
            if host.wait(START):
                raise RuntimeError(log.read_text())
        finally:
            host.kill()
            host.wait()
    return Latencies(tuple(_latencies(events)), tables)


def _links_of(log: Path, number: int, host: subprocess.Popen[bytes]) -> dict[str, str]:
    """Return the links of people, as soon as the host has printed them."""
    end = time.monotonic() + START
    while time.monotonic() < end and host.poll() is None:
        links = dict(re.findall(r"^([A-Z]\w+(?: at table \d+)?): (http\S+)$", log.read_text(), re.MULTILINE))
        if len(links) == number:
            return links
        time.sleep(0.1)
    raise RuntimeError(log.read_text())


Event = tuple[float, int, str, str]
"""When, at which table, in which item and round, and "sent" or "asked"."""


async def _play(links: dict[str, str]) -> list[Event]:
    events: list[Event] = []
    await asyncio.gather(*(_play_seat(name, link, events) for name, link in links.items()))
    return events


async def _play_seat(name: str, link: str, events: list[Event]) -> None:
    """Bid the least amount, or withdraw, in turns."""
    table = int(name.rpartition(" ")[2]) if " at table " in name else 1
    address, _, token = link.partition("#token=")
    answered: set[str] = set()
    async with connect(address.replace("http", "ws", 1) + "table", max_size=None) as stream:
        await stream.send(json.dumps({"token": token}))
        async for text in stream:
            frame: JsonObject = json.loads(text)
            if frame["type"] != "seat":
                continue
            request = frame["request"]
            if request is not None and request["id"] not in answered:
                place = frame["board"]["place"]
                events.append((time.perf_counter(), table, place, "asked"))
                answered.add(request["id"])
                field = request["choices"]["amount"]
                decision = {"withdraw": True} if field is None or len(answered) % 3 == 0 else {"amount": field["least"]}
                events.append((time.perf_counter(), table, place, "sent"))
                await stream.send(json.dumps({"do": "answer", "request": request["id"], **decision}))
            if frame["phase"] == "over":
                return


def _latencies(events: list[Event]) -> list[float]:
    """Return the time from the last answer of each round to the first request of the next one, table by table."""
    first_asked: dict[int, dict[str, float]] = defaultdict(dict)
    last_sent: dict[int, dict[str, float]] = defaultdict(dict)
    for at, table, place, what in sorted(events):
        if what == "asked":
            first_asked[table].setdefault(place, at)
        else:
            last_sent[table][place] = at
    return [
        first_asked[table][later] - sent[earlier]
        for table, sent in last_sent.items()
        for earlier, later in pairwise(sent)  # in the order of the first answers
    ]
