"""`aucenv host`: scripted people at sockets, wrong links, bad messages, killed servers."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import stat
import time

import numpy as np
import pytest
from aucenv.baselines.human.inbox import inbox_of
from aucenv.benchmarks.people import PeopleGames
from aucenv.benchmarks.rankings.settings import Settings
from aucenv.benchmarks.report.page_data import game_data
from games import CASES
from run_command import command
from table_clients import WAIT, Client, LiveRun, decide, host_process, plain_socket, receive, socket_of
from websockets.exceptions import ConnectionClosed

from aucenv.commands.hosting.links import TRIES, Links
from aucenv.commands.hosting.server import LARGEST_FRAME, bind
from aucenv.commands.hosting.session import Session, address_of, is_open, outside_address
from aucenv.core.play.table import Table
from aucenv.core.state import NOBODY
from aucenv.runs.model_calls.journal import read_calls
from aucenv.runs.records import read_records, replay
from aucenv.runs.run_options import RunOptions

TWO = {"settings": {"games": 1, "changes": ("num_items=2",)}}
RIVALS = {name: list(case.rivals[1:]) for name, case in CASES.items()}


def play_all(live, names=("Ann", "Ben"), twice=False):
    clients = {
        name: Client(live.links[name], lambda request: decide(request["choices"], request["id"]), twice)
        for name in names
    }
    for client in clients.values():
        client.start()
    for client in clients.values():
        client.join(WAIT)
        assert not client.is_alive()
    return clients


@pytest.mark.parametrize("game", list(RIVALS))
def test_two_people_play_a_game(game, tmp_path):
    with LiveRun(tmp_path / "live", game, ["human:Ann", "human:Ben", *RIVALS[game]], **TWO) as live:
        watcher = Client(live.links["observers"], None)
        watcher.start()
        clients = play_all(live, twice=True)
    (record,) = read_records(tmp_path / "live")
    assert replay(record) is not None
    calls = read_calls(tmp_path / "live")
    for name, seat in (("Ann", "bidder_0"), ("Ben", "bidder_1")):
        statuses = [receipt["status"] for receipt in clients[name].receipts]
        answered = [call.request_id for call in calls if call.seat == seat]
        assert sorted(answered) == sorted(clients[name].sent)
        assert statuses.count("accepted") == statuses.count("repeated") == len(answered)
        replays = [frame for frame in clients[name].frames if frame["type"] == "replay"]
        assert replays[-1]["game"]["outcome"] == {"status": record.outcome["status"]}
        assert replays[-1]["game"]["boards"] == game_data(record)["boards"]
        assert replays[-1]["game"]["seed"] == []
    kinds = {frame["type"] for frame in watcher.frames}
    assert kinds == {"observer"}
    assert any(frame["board"] and frame["board"]["seat"] == NOBODY for frame in watcher.frames)
    assert (tmp_path / "live" / "table.md").exists()


def test_the_page_allows_its_script_and_its_socket_alone(tmp_path):
    import httpx2

    with LiveRun(tmp_path / "live", "english", ["human:Ann", "human:Ben", "rule"], **TWO) as live:
        address = live.links["Ann"].partition("#")[0]
        answer = httpx2.get(address)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert f"connect-src {address.replace('http', 'ws', 1).rstrip('/')};" in policy
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["x-frame-options"] == "DENY"
        assert "\nstartTable();\n" in answer.text
        assert httpx2.get(address, headers={"Host": "a b"}).status_code == 400
        play_all(live)


@pytest.fixture
def live(tmp_path):
    with LiveRun(tmp_path / "live", "sealed_bid", ["human:Ann", "human:Ben", "truthful"], **TWO) as run:
        yield run
        play_all(run)


def closing_code(link, messages, **options):
    """Send messages to the server of a link, and return the code with which it closes the socket."""
    try:
        with plain_socket(link, **options) as opened:
            for message in messages:
                opened.send(message)
            while True:
                opened.recv(timeout=WAIT)
    except ConnectionClosed as error:
        return error.rcvd.code if error.rcvd else None


def is_error(frame):
    return frame["type"] == "error"


def hello(link):
    return json.dumps({"token": link.partition("#token=")[2]})


def test_wrong_tokens_are_refused_and_few_can_be_tried(live):
    link = live.links["Ann"]
    wrong = ["", "é", "x" * 22, *(str(number) for number in range(2 * TRIES))]
    codes = [closing_code(link, [json.dumps({"token": token})]) for token in wrong]
    assert codes[:TRIES] == [4001] * TRIES
    assert 4002 in codes
    assert {closing_code(link, [text]) for text in ("no JSON", "[]", '{"token": 3}', "{}")} <= {4001, 4002}


def test_pages_of_other_sites_are_refused(live):
    link = live.links["Ann"]
    own = link.partition("#")[0].rstrip("/")
    foreign = ["https://evil.example", own.replace("127.0.0.1", "evil.example"), f"{own}1", "null"]
    assert [closing_code(link, [hello(link)], origin=origin) for origin in foreign] == [4003] * 4
    with socket_of(link, origin=own) as opened:
        assert receive(opened)["type"] == "seat"


def test_bad_messages_get_errors_and_change_nothing(live):
    with socket_of(live.links["Ann"]) as opened, socket_of(live.links["Ben"]):
        request = receive(opened, lambda frame: frame["type"] == "seat" and frame["request"])["request"]["id"]
        bad = [
            "x", "[1]", b"\x00", "{}", '{"do": "fly"}', '{"do": "replace", "person": "Ben", "bidder": "truthful"}',
            '{"do": "answer"}', json.dumps({"do": "answer", "request": request, "amount": "1"}),
            json.dumps({"do": "answer", "request": request, "amount": 1, "withdraw": True}),
            json.dumps({"do": "draft", "request": request, "text": 3}), "[" * 5000, '{"do": "rate", "scores": {}}',
        ]  # fmt: skip
        for message in bad:
            opened.send(message)
            assert receive(opened, is_error)["why"]
        opened.send(json.dumps({"do": "answer", "request": "9.bidder_0.0.0", "withdraw": True}))
        assert receive(opened)["status"] == "late"
        opened.send(json.dumps({"do": "draft", "request": request, "text": "12"}))
        with socket_of(live.links["Ann"]) as again:
            time.sleep(0.2)
            assert receive(again)["request"]["id"] == request
        assert inbox_of("Ann").draft == "12"


def test_huge_frames_and_many_errors_close_the_socket(live):
    link = live.links["Ann"]
    assert LARGEST_FRAME < 10_000_000
    assert closing_code(link, [hello(link), "x" * 10_000_000]) == 1009
    assert closing_code(link, [hello(link), *["x"] * 30]) == 4004


def test_hidden_values_change_nothing_on_the_wire(tmp_path, monkeypatch):
    """Ben and Cid have other values, and Ann and the observers get the same frames."""
    deal, case = Table.reset, CASES["sealed_bid"]
    settings_ = {"settings": {"games": 1, "changes": ("num_items=3",), "scenario": "first-ipv,reveal=none", "seed": 5}}

    def changed_deal(number):
        def reset(table, seed, max_rounds=0):
            deal(table, seed, max_rounds)
            values = table.state["value"][0, 0].copy()  # Ann's, which she learns in later rounds
            case.hide(table.state[0], 0, np.random.default_rng(number))
            table.state["value"][0, 0] = values
            table.restore(table.snapshot())

        return reset

    got = []
    for number, reset in enumerate((deal, changed_deal(0), changed_deal(1))):
        monkeypatch.setattr(Table, "reset", reset)
        people = ["human:Ann", "human:Ben", "human:Cid"]
        unreadable = contextlib.suppress(ValueError)  # the record of such a deal contradicts itself
        with unreadable, LiveRun(tmp_path / str(number), "sealed_bid", people, **settings_) as live:
            clients = {
                name: Client(live.links[name], lambda request, amount=amount: {"amount": amount})
                for name, amount in (("Ann", 25.0), ("Ben", 20.0), ("Cid", 30.0))
            }
            clients["observers"] = Client(live.links["observers"], None)
            for client in clients.values():
                client.start()
            for client in clients.values():
                client.join(WAIT)
        seats = [frame for frame in clients["Ann"].frames if frame["type"] == "seat" and frame["request"]]
        others = [frame for frame in clients["Ben"].frames if frame["type"] == "seat" and frame["request"]]
        public = {json.dumps(frame["board"]) for frame in clients["observers"].frames if frame["type"] == "observer"}
        got.append((seats, public - {"null"}, others))
    (seats, public, others), *changed = got
    assert len(seats) == 3
    for seats_of_changed, public_of_changed, others_of_changed in changed:
        assert seats_of_changed == seats
        assert public_of_changed == public
        assert others_of_changed != others


def test_an_observer_cannot_act(live):
    with socket_of(live.links["observers"]) as opened:
        receive(opened)
        opened.send('{"do": "answer", "request": "0.bidder_0.0.0", "withdraw": true}')
        assert "an observer" in receive(opened, is_error)["why"]


def test_the_host_starts_a_table_and_replaces_people(tmp_path):
    names = ["human:Ann", "human:Gone", "rule"]
    with LiveRun(tmp_path / "live", "english", names, **TWO) as live:
        ann = Client(live.links["Ann"], lambda request: {"withdraw": True})
        ann.start()
        with socket_of(live.links["host"]) as host:
            frame = receive(host, lambda frame: frame["tables"][0]["people"][0]["here"])
            assert frame["tables"][0]["phase"] == "lobby"
            assert [person["here"] for person in frame["tables"][0]["people"]] == [True, False]
            for message, problem in (
                ({"do": "start", "table": 7}, "table"),
                ({"do": "replace", "person": "Eve", "bidder": "rule"}, "person"),
                ({"do": "answer"}, "a host"),
                ({"do": "replace", "person": "Gone", "bidder": "rule"}, "running game"),
            ):
                host.send(json.dumps(message))
                assert problem in receive(host, is_error)["why"]
            host.send(json.dumps({"do": "start", "table": 1}))
            while not inbox_of("Gone").request:
                time.sleep(0.01)
            host.send(json.dumps({"do": "replace", "person": "Gone", "bidder": "rule"}))
            ann.join(WAIT)
    (record,) = read_records(tmp_path / "live")
    assert record.seats[1]["notes"]["replaced_by"] == "rule"
    assert replay(record) is not None


def test_links_are_kept_and_their_file_is_private(tmp_path):
    names = ["host", "observer 1", "seat Ann"]
    links = Links.open(tmp_path, names)
    assert Links.open(tmp_path, names).tokens == links.tokens
    assert len(set(links.tokens.values())) == 3
    assert stat.S_IMODE((tmp_path / "links.json").stat().st_mode) == 0o600
    assert links.owner(links.tokens["seat Ann"]) == "seat Ann"
    assert links.owner(links.tokens["seat Ann"][:-1]) is links.owner("") is None
    (tmp_path / "links.json").write_text("[]")
    with pytest.raises(ValueError, match=r"links\.json"):
        Links.open(tmp_path, names)


def test_a_port_in_use_and_other_wrong_options_are_named(tmp_path, capsys):
    taken = bind("127.0.0.1", 0)
    taken.listen()
    port = taken.getsockname()[1]
    out, people = tmp_path / "live", ["--bidder", "human:Ann", "--bidder", "human:Ben", "--bidder", "rule"]
    cases = [
        (["--port", port, *people], f"--port: cannot listen at 127.0.0.1, port {port}"),
        (["--host", "nowhere.invalid", *people], "--host: expected an address of this machine"),
        (["--bidder", "rule", "--bidder", "value"], "expected a person"),
        (["--bidder", "human:Ann", "--bidder", "human:Ann"], "got Ann more than once"),
        (["--certificate", "none.pem", *people], "--certificate, --key: expected both"),
        (["--certificate", "none.pem", "--key", "none.pem", "--port", 0, *people], "none.pem"),
        (["--rubrics", *people], "--rubrics: expected the game water_allocation"),
        (["--scenario", "nowhere", *people], "nowhere"),
        (["--game", "clock", "--bidder", "human:Ann", "--bidder", "foo"], "foo"),
        (["--tables", 2, "--bidder", "human:Ann", "--bidder", "human:Ben,table=1"], "expected no table"),
        (["--tables", 2, "--bidder", "human:Ann", "--bidder", "human:Ann at table 2"], "more than once"),
        (["--origin", "auctions.example", *people], "--origin: expected an address"),
        (["--bidder", "human,seconds=-1"], "seconds: expected"),
    ]
    for arguments, problem in cases:
        assert command("host", "--out", out, *arguments) == 2, arguments
        assert problem in capsys.readouterr().err
        assert not (out / "links.json").exists() or arguments[0] == "--certificate"
    taken.close()


def test_ipv6(tmp_path):
    process, links = host_process(
        tmp_path / "live", "--host", "::1", "--port", 0, "--exit-when-over", "--set", "num_items=1",
        "--bidder", "human:Ann", "--bidder", "rule", "--bidder", "value",
    )  # fmt: skip
    assert links["Ann"].startswith("http://[::1]:")
    client = Client(links["Ann"], lambda request: decide(request["choices"], request["id"]))
    client.start()
    client.join(WAIT)
    assert process.wait(WAIT) == 0


def kill_and_play(out, tables, kills, games, pause):
    """Kill a host several times while scripted people play at several tables; return the clients and the exit status."""
    arguments = ["--exit-when-over", "--set", "num_items=2", "--tables", tables, "--games", games, "--seed", 4]
    arguments += ["--bidder", "human:Ann", "--bidder", "human:Ben", "--bidder", "human:Cid"]
    with bind("127.0.0.1", 0) as free:
        port = free.getsockname()[1]
    process, links = host_process(out, "--port", port, *arguments)
    people = [name for name in links if name != "host" and not name.startswith("observers")]
    assert len(people) == 3 * tables

    def slow(request):
        time.sleep(pause)
        return decide(request["choices"], request["id"])

    clients = {name: Client(links[name], slow, twice=True) for name in people}
    for client in clients.values():
        client.start()
    for _ in range(kills):
        enough = sum(len(client.sent) for client in clients.values()) + 6 * tables
        while sum(len(client.sent) for client in clients.values()) < enough and process.poll() is None:
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process, again = host_process(out, "--port", port, *arguments)
        assert again == links
    status = process.wait(10 * WAIT)
    for client in clients.values():
        client.is_stopped = True  # the host may have ended while it was not connected
        client.join(WAIT)
    return clients, status


def check_nothing_is_lost(out, clients, games):
    records = list(read_records(out))
    assert [record.index for record in records] == list(range(games))
    for record in records:
        replay(record)
    answers = [call.request_id for call in read_calls(out)]
    assert len(answers) == len(set(answers))
    assert set(answers) == {request for client in clients.values() for request in client.sent}
    accepted = [
        receipt["request"]
        for client in clients.values()
        for receipt in client.receipts
        if receipt["status"] == "accepted"
    ]
    assert len(accepted) == len(set(accepted))


def test_a_killed_host_resumes_and_no_answer_is_lost_or_counts_twice(tmp_path):
    clients, status = kill_and_play(tmp_path / "live", tables=2, kills=2, games=1, pause=0.02)
    assert status == 0
    check_nothing_is_lost(tmp_path / "live", clients, 2)


@pytest.mark.slow
def test_thirty_tables_survive_three_kills(tmp_path):
    clients, status = kill_and_play(tmp_path / "live", tables=30, kills=3, games=1, pause=0.0)
    assert status == 0
    check_nothing_is_lost(tmp_path / "live", clients, 30)


def test_ratings_of_people_are_read_by_the_study(tmp_path):
    out = tmp_path / "live"
    names = ["human:Ann", "thirst", "share", "outbid", "saver"]
    with LiveRun(out, "water_allocation", names, rubrics=True) as live:
        scales = None
        with socket_of(live.links["Ann"]) as opened:
            for text in opened:
                frame = json.loads(text)
                if frame["type"] == "seat" and frame["request"]:
                    answer = {"do": "answer", "request": frame["request"]["id"], "amount": 10}
                    opened.send(json.dumps(answer))
                if frame["type"] == "rubrics" and scales is None:
                    scales = [scale["name"] for scale in frame["scales"]]
                    opened.send(json.dumps({"do": "rate", "scores": {"logic": 9}}))
                    opened.send(json.dumps({"do": "rate", "scores": dict.fromkeys(scales, 4)}))
                if frame["type"] == "error":
                    assert "scores" in frame["why"]
                if frame["type"] == "done":
                    break
    assert scales == ["information", "logic", "strategy", "adaptability", "planning"]
    form = out / "ratings-Ann.csv"
    assert form.exists()
    status = command(
        "study",
        "alympics/self-ratings",
        "--from-records",
        out,
        "--set",
        f"ratings={form}",
        "--csv",
        tmp_path / "table.csv",
    )
    assert status == 0
    assert "human:Ann" in (tmp_path / "table.csv").read_text()


@pytest.mark.parametrize(("host", "is_warned"), [("127.0.0.1", False), ("::1", False), ("0.0.0.0", True), ("::", True)])
def test_a_host_that_others_reach_prints_their_address_and_warns_about_plain_http(host, is_warned, monkeypatch):
    monkeypatch.setattr("aucenv.commands.hosting.session.outside_address", lambda family: "192.168.1.5")
    with bind(host, 0) as listening:
        port = listening.getsockname()[1]
        shown = address_of(listening, is_secure=False)
        assert is_open(listening) is is_warned
    expected = {"127.0.0.1": "127.0.0.1", "::1": "[::1]"}.get(host, "192.168.1.5")
    assert shown == f"http://{expected}:{port}/"


def test_the_printed_address_is_one_of_this_machine():
    with bind(outside_address(socket.AF_INET), 0) as listening:
        assert listening.getsockname()[0] != "0.0.0.0"


@pytest.mark.parametrize(
    ("host", "is_secure", "origins", "note"),
    [
        ("0.0.0.0", False, (), "plain HTTP"),
        ("0.0.0.0", True, (), ""),
        ("127.0.0.1", False, (), "--host 0.0.0.0"),
        ("127.0.0.1", False, ("https://example.org",), ""),
    ],
)
def test_who_can_open_the_links_is_stated_with_them(host, is_secure, origins, note, tmp_path, monkeypatch):
    games = PeopleGames(Settings(game="sealed_bid", bidders=("human:Ann", "truthful", "truthful"), games=1))
    session, printed = Session(games, RunOptions(), tmp_path, False, origins), []
    session._print, session._links = printed.extend, Links.open(tmp_path, ["host"])

    async def end(*arguments):
        pass

    monkeypatch.setattr(session, "_until_over", end)
    with bind(host, 0) as listening:
        session._serve(listening, tmp_path / "certificate.pem" if is_secure else None, None, True)
    link, *notes, _ = printed
    assert link.startswith("host: http")
    assert len(notes) == bool(note)
    assert all(note in line for line in notes)
    session._room.close()
