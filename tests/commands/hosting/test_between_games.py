"""Tables of several games: what people see between them, and the time that starts when they are ready."""

from __future__ import annotations

import json
import time

import pytest
from aucenv.baselines.human.inbox import inbox_of
from games import CASES
from table_clients import WAIT, Client, LiveRun, decide, receive, socket_of

from aucenv.core.play.table import Table
from aucenv.core.state import NOBODY
from aucenv.runs.model_calls.journal import read_calls
from aucenv.runs.records import read_records

RIVALS = {name: list(case.rivals[1:]) for name, case in CASES.items()}
TWO = {"games": 2, "changes": ("num_items=1",), "seed": 4}


def clients_of(live, names=("Ann", "Ben")):
    """Play with scripts in the place of people, and return the clients, with observers and the host."""
    clients = {name: Client(live.links[name], lambda one: decide(one["choices"], one["id"])) for name in names}
    for name in ("observers", "host"):
        clients[name] = Client(live.links[name], None)
    for client in clients.values():
        client.start()
    for name in (*names, "observers"):
        clients[name].join(WAIT)
        assert not clients[name].is_alive()
    clients["host"].is_stopped = True
    return clients


def second_game(client):
    """The frames that a client gets from the first of the second game to the end of the table."""
    frames = client.frames
    start = next(j for j, frame in enumerate(frames) if frame.get("place", "").startswith("Game 2 of 2"))
    end = next(j for j, frame in enumerate(frames) if frame.get("phase") == "over")
    return frames[start:end]


def requests_in(frames):
    return [
        frame["request"] | {"board": frame["board"]} for frame in frames if frame["type"] == "seat" and frame["request"]
    ]


GAMES = [pytest.param(game, marks=() if game in ("english", "ebay") else pytest.mark.slow) for game in RIVALS]


@pytest.mark.parametrize("game", GAMES)
def test_another_first_game_changes_nothing_in_the_second(game, tmp_path, monkeypatch):
    """In the second run, the first game has another deal, of which nobody gets anything during the second game."""
    deal, got = Table.reset, []

    def other_deal(table, seed, max_rounds=0):
        deal(table, (9, 9) if seed[-1] == 0 else seed, max_rounds)

    for number, reset in enumerate((deal, other_deal)):
        monkeypatch.setattr(Table, "reset", reset)
        with LiveRun(tmp_path / str(number), game, ["human:Ann", "human:Ben", *RIVALS[game]], settings=TWO) as live:
            clients = clients_of(live)
        got.append([requests_in(second_game(clients[name])) for name in ("Ann", "Ben")])
        for name in ("Ann", "Ben"):
            assert ends_of(clients[name]) == [("replay", 1)]
        assert {frame["type"] for frame in clients["observers"].frames} == {"observer"}
        assert all(frame["board"] is None or frame["board"]["seat"] == NOBODY for frame in clients["observers"].frames)
        assert {frame["type"] for frame in clients["host"].frames} == {"host"}
    assert got[0] == got[1]
    assert all(got[0])


def ends_of(client):
    """The replays, by the number of the game, and the results that a client gets."""
    others = [frame for frame in client.frames if frame["type"] not in ("seat", "receipt")]
    return [(frame["type"], frame["game"]["index"] if "game" in frame else frame["text"]) for frame in others]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("feedback", ["own", "all"])
def test_people_see_results_and_replays_between_games_if_the_host_allows_it(game, feedback, tmp_path):
    people = ["human:Ann", "human:Ben", *RIVALS[game]]
    with LiveRun(tmp_path / "live", game, people, settings=TWO, feedback=feedback) as live:
        clients = clients_of(live)
    for name in ("Ann", "Ben"):
        first, last = ends_of(clients[name])
        assert last == ("replay", 1)
        if feedback == "all":
            assert first == ("replay", 0)
        else:
            assert first[0] == "result"
            assert first[1].startswith("Game 1 of 2: The ")


def test_a_resumed_table_shows_no_replay_before_its_last_game_is_over(tmp_path):
    people = ["human:Ann", "human:Ben", "truthful"]
    run = LiveRun(tmp_path / "live", "sealed_bid", people, settings=TWO, feedback="none")
    with run as live:
        clients_of(live)
    games = tmp_path / "live" / "games.jsonl"
    games.write_text(games.read_text().splitlines(keepends=True)[0])
    kept = [call for call in read_calls(tmp_path / "live") if call.game == 0]
    lines = (tmp_path / "live" / "calls.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "live" / "calls.jsonl").write_text("".join(lines[: len(kept)]))
    for feedback, expected in (("none", []), ("own", ["result"])):
        with LiveRun(tmp_path / "live", "sealed_bid", people, settings=TWO, feedback=feedback) as live:
            with socket_of(live.links["Ann"]) as opened:
                first = [receive(opened)]
                while first[-1]["type"] != "seat":
                    first.append(receive(opened))
            assert [frame["type"] for frame in first[:-1]] == expected
            if feedback == "own":
                assert first[0]["text"].startswith("Game 1 of 2: The game is over. Your profit: ")
                clients_of(live)
            else:
                live.session._journal.stop("stopped by the test")
                live.thread.join(WAIT)
                live.error = None
    assert len(list(read_records(tmp_path / "live"))) == 2


def test_time_starts_when_a_person_is_ready_in_each_game(tmp_path):
    """Whoever has not said so has no deadline; a reload between the games changes nothing."""
    people, left = ["human:Ann,seconds=60", "truthful", "truthful"], []
    with LiveRun(tmp_path / "live", "sealed_bid", people, settings=TWO) as live:
        for number in range(2):
            with socket_of(live.links["Ann"]) as opened:
                asked = request_frame(opened, f"{number}.")
                assert (asked["request"]["ready"], asked["request"]["seconds_left"]) == (False, None)
                assert asked["request"]["seconds"] == 60
                assert "You are " in asked["words"]
                assert inbox_of("Ann").request.deadline is None
            with socket_of(live.links["Ann"]) as opened:  # after a reload
                asked = request_frame(opened, f"{number}.")
                assert asked["request"]["ready"] is False
                opened.send(json.dumps({"do": "ready", "request": "7.bidder_0.0.0"}))  # no open request
                opened.send(json.dumps({"do": "ready", "request": asked["request"]["id"]}))
                while not asked["request"]["ready"]:
                    asked = request_frame(opened, f"{number}.")
                left.append(asked["request"]["seconds_left"])
                bid(opened, asked["request"]["id"])
    assert all(30 < seconds <= 60 for seconds in left)
    assert len(left) == 2
    assert all(one["notes"] == {} for record in read_records(tmp_path / "live") for one in record.decisions)


def test_a_resumed_game_in_which_somebody_has_decided_waits_for_nobody(tmp_path):
    people, two_rounds = (
        ["human:Ann,seconds=60", "truthful", "truthful"],
        {"games": 1, "changes": ("num_items=2",), "seed": 4},
    )
    for decision in range(2):
        with LiveRun(tmp_path / "live", "sealed_bid", people, settings=two_rounds) as live:
            with socket_of(live.links["Ann"]) as opened:
                request = request_frame(opened, "0.")["request"]
                assert request["ready"] is bool(decision)
                opened.send(json.dumps({"do": "ready", "request": request["id"]}))
                bid(opened, request["id"])
                following = request_frame(opened, "0.bidder_0.1.")["request"] if not decision else None
            if following is not None:
                assert following["ready"] is True
                live.session._journal.stop("stopped by the test")
                live.thread.join(WAIT)
                live.error = None
    assert len(list(read_records(tmp_path / "live"))) == 1


def bid(opened, request):
    """Bid $5, and wait until the bid counts."""
    opened.send(json.dumps({"do": "answer", "request": request, "amount": 5}))
    assert receive(opened, lambda frame: frame["type"] == "receipt")["status"] == "accepted"


def request_frame(opened, beginning):
    """Return the next frame with a request whose id begins like this."""
    return receive(
        opened, lambda frame: frame["type"] == "seat" and (frame["request"] or {"id": ""})["id"].startswith(beginning)
    )


def test_the_host_starts_the_time_of_people_who_never_say_that_they_are_ready(tmp_path):
    people = ["human:Ann,seconds=0.2", "human:Gone,seconds=0.2", "truthful"]
    with LiveRun(tmp_path / "live", "sealed_bid", people, settings=TWO | {"games": 1}) as live:
        ann = Client(live.links["Ann"], lambda request: {"amount": 5})
        ann.start()
        with socket_of(live.links["host"]) as host:
            host.send(json.dumps({"do": "start", "table": 1}))
            while inbox_of("Gone").request is None:
                time.sleep(0.01)
            assert inbox_of("Gone").request.deadline is None
            receive(host, lambda frame: frame["type"] == "host" and not frame["tables"][0]["people"][1]["ready"])
            host.send(json.dumps({"do": "start", "table": 1}))
            ann.join(WAIT)
    (record,) = read_records(tmp_path / "live")
    gone = next(one for one in record.decisions if one["seat"] == "bidder_1")
    assert gone["notes"] == {"timed_out": True}


def test_without_a_time_limit_nobody_has_to_be_ready(tmp_path):
    with LiveRun(tmp_path / "live", "sealed_bid", ["human:Ann", "truthful", "truthful"], settings=TWO) as live:
        clients = clients_of(live, ("Ann",))
    asked = requests_in(clients["Ann"].frames)
    assert asked
    assert all(request["ready"] for request in asked)
