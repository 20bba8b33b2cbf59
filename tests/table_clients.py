"""People for tests of live tables: scripts that answer through an inbox or a socket."""

from __future__ import annotations

import contextlib
import json
import random
import re
import subprocess
import sys
import threading
import time
from pathlib import Path
from unittest.mock import patch

from aucenv.baselines.human.inbox import Answer, Late, inbox_of
from aucenv.benchmarks.people import PeopleGames
from aucenv.benchmarks.rankings.settings import Settings
from aucenv.benchmarks.report import page_data
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import connect

from aucenv.commands.hosting import session
from aucenv.commands.hosting.feedback import Feedback
from aucenv.registration import find_family
from aucenv.runs.run_options import RunOptions

AUCENV = Path(sys.executable).with_name("aucenv")
WAIT = 120


def choices_of(request):
    """Return what is legal in a request to an inbox."""
    game = find_family(request.view.__class__.__module__.split(".")[2]).game
    return page_data.choices_of(game, request.view)


def decide(choices, number, key=""):
    """Return a decision as JSON, without the request: a fixed one for each number and key, of all kinds."""
    rng = random.Random(f"{key}{number}")
    field = choices["amount"]
    kind = rng.random()
    if field is not None and kind < 0.45:
        return {"amount": field["least"]} | ({"words": "a good price"} if kind < 0.1 else {})
    if field is not None and field["most"] is not None and kind < 0.55:
        return {"amount": field["most"] + 1}  # refused
    if kind < 0.65:
        return {"words": "Let me think."}  # unreadable
    button = rng.choice(choices["buttons"])
    return {"withdraw": True} if button.get("withdraw") else {"amount": button["amount"]}


@contextlib.contextmanager
def person(key, answer):
    """Answer the requests to a person in a thread.

    Args:
        key: the name of the inbox.
        answer: called with the request; returns an Answer or None.
    """
    inbox, ended = inbox_of(key), threading.Event()
    unsubscribe = inbox.subscribe(lambda: None)

    def serve():
        while not ended.is_set():
            request = inbox.wait(0.05)
            if request is not None:
                given = answer(request)
                if given is None:
                    ended.wait(0.02)
                    continue
                with contextlib.suppress(Late):
                    inbox.answer(given)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield inbox
    finally:
        ended.set()
        thread.join()
        unsubscribe()


def scripted(key=""):
    """Return a function that answers requests as `decide` does."""
    return lambda request: Answer(request.id, **decide(choices_of(request), request.id, key))


class LiveRun:
    """A host in this process: a session with its server in a thread, which ends `pause` seconds after the last game."""

    def __init__(self, out, game, bidders, **options):
        settings = Settings(game=game, bidders=tuple(bidders), **options.pop("settings", {"games": 1}))
        self.games = PeopleGames(settings, **options.pop("games", {}))
        rubrics, feedback = options.pop("rubrics", False), Feedback(options.pop("feedback", "none"))
        self.pause = options.pop("pause", 0.15)
        self.session = session.Session(self.games, RunOptions(forfeit=True), Path(out), rubrics, (), feedback)
        self.links, self.error, self.records = {}, None, None
        self.printed = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)  # it may still serve when a test has failed

    def _run(self):
        def print_lines(lines):
            self.links |= dict(line.split(": ", 1) for line in lines if "#token=" in line)
            self.printed.set()

        try:
            with patch.object(session, "PAUSE", self.pause):
                self.records = self.session.run("127.0.0.1", 0, None, None, True, print_lines, lambda *progress: None)
        except BaseException as error:
            self.error = error
        self.printed.set()

    def __enter__(self):
        self.thread.start()
        assert self.printed.wait(WAIT)
        return self

    def __exit__(self, *error):
        self.thread.join(WAIT if error[0] is None else 1)
        if error[0] is None:
            assert not self.thread.is_alive()
            if self.error is not None:
                raise self.error


@contextlib.contextmanager
def plain_socket(link, **options):
    """Open the socket of a link's server, without the token."""
    with connect(link.partition("#")[0].replace("http", "ws", 1) + "table", max_size=None, **options) as socket:
        yield socket


@contextlib.contextmanager
def socket_of(link, **options):
    """Open the socket of a link, and send its token."""
    with plain_socket(link, **options) as socket:
        socket.send(json.dumps({"token": link.partition("#token=")[2]}))
        yield socket


def receive(socket, is_wanted=lambda frame: True):
    """Return the next frame of this kind, and pass over others."""
    while not is_wanted(frame := json.loads(socket.recv(timeout=WAIT))):
        pass
    return frame


class Client(threading.Thread):
    """A person with a socket, who connects again after every break, until all games are over."""

    def __init__(self, link, answer, twice=False):
        super().__init__(daemon=True)
        self.link = link
        self.answer = answer
        self.twice = twice
        self.is_stopped = False
        self.frames, self.receipts, self.latencies = [], [], []
        self.sent = {}

    def run(self):
        while not self.is_stopped:
            try:
                with socket_of(self.link) as socket:
                    if self._serve(socket):
                        return
            except (OSError, ConnectionClosed, InvalidHandshake, TimeoutError):
                time.sleep(0.1)

    def _serve(self, socket):
        for text in socket:
            frame = json.loads(text)
            self.frames.append(frame)
            if frame["type"] == "receipt":
                self.receipts.append(frame)
            if frame["type"] == "seat" and frame["request"] is not None:
                request = frame["request"]
                if not request["ready"]:
                    socket.send(json.dumps({"do": "ready", "request": request["id"]}))
                    continue
                message = self.sent.setdefault(request["id"], self.answer(request))
                for _ in range(1 + self.twice):
                    socket.send(json.dumps({"do": "answer", "request": request["id"], **message}))
            if frame["type"] in ("seat", "observer") and frame["phase"] == "over":
                return self._read_rest(socket)
        return False

    def _read_rest(self, socket):
        """Read what is still on its way."""
        with contextlib.suppress(TimeoutError, ConnectionClosed):
            while True:
                frame = json.loads(socket.recv(timeout=0.5))
                self.frames.append(frame)
                if frame["type"] == "receipt":
                    self.receipts.append(frame)
        return True


def host_process(out, *arguments):
    """Start `aucenv host`, and return the process and its links."""
    log = out.with_name(f"{out.name}.log")
    with log.open("w") as printed:
        command = [str(AUCENV), "host", "--out", str(out), *map(str, arguments)]
        process = subprocess.Popen(command, stdout=printed, stderr=subprocess.STDOUT)
    deadline, links = time.monotonic() + WAIT, {}
    while time.monotonic() < deadline and process.poll() is None:
        before, links = links, dict(re.findall(r"^(.+?): (https?://\S+#token=\S+)$", log.read_text(), re.MULTILINE))
        if links and links == before:
            return process, links
        time.sleep(0.2)
    assert links, log.read_text()
    return process, links
