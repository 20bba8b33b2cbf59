"""People as bidders, with scripts in their place: answers, refusals, time, resumed games, replacements."""

from __future__ import annotations

import contextlib
import json
import threading
import time

import games
import pytest
from aucenv.baselines.human.inbox import ACCEPTED, LONGEST, REPEATED, Answer, Late, inbox_of
from table_clients import choices_of, decide, person, scripted

import aucenv
from aucenv.envs.single_item.values import LANGUAGES
from aucenv.policy.registry import make_policy
from aucenv.registration import find_family
from aucenv.runs.model_calls.journal import CallJournal, RunStopped
from aucenv.runs.play import PolicyError, play
from aucenv.runs.records import replay

RIVALS = {name: case.rivals for name, case in games.CASES.items()}
GAMES = list(games.CASES)


def play_with(key, game, rivals=None, answer=None, **options):
    family = find_family(game)
    bidder = options.pop("bidder", f"human:{key}")
    with person(key, answer or scripted(key)):
        return play(game, family.game.default_scenario, [bidder, *(rivals or RIVALS[game])], (5, 1), **options)


def of_person(record):
    return [decision for decision in record.decisions if decision["seat"] == "bidder_0"]


@pytest.mark.parametrize("game", GAMES)
def test_the_same_moves_of_another_bidder_give_the_same_game(game, tmp_path):
    record = play_with(f"Ann {game}", game)
    assert replay(record) is not None
    assert record.seats[0]["bidder"] == f"human:Ann {game}"
    decisions = of_person(record)
    assert any(decision["attempts"] for decision in decisions)
    moves = [[*(attempt["action"] for attempt in one["attempts"]), one["action"]] for one in decisions]
    (tmp_path / "moves.json").write_text(json.dumps([move for each in moves for move in each if move is not None]))
    (tmp_path / "same.py").write_text(
        "import json, pathlib\n"
        "class Same:\n"
        "    interface = 'text'\n"
        "    def reset(self, seat, seed):\n"
        f"        self.moves = iter(json.loads(pathlib.Path({str(tmp_path / 'moves.json')!r}).read_text()))\n"
        "    def act(self, view, observation):\n"
        "        return next(self.moves)\n"
        "    def close_game(self, view): pass\n"
    )
    other = play(game, find_family(game).game.default_scenario, [f"py:{tmp_path}/same.py:Same", *RIVALS[game]], (5, 1))
    assert (record.deal, record.outcome) == (other.deal, other.outcome)
    plain = [[{**one, "notes": {}} for one in each.decisions if one["seat"] == "bidder_0"] for each in (record, other)]
    assert plain[0] == plain[1]
    assert [one["amount"] for one in record.decisions] == [one["amount"] for one in other.decisions]


@pytest.mark.parametrize("game", GAMES)
def test_a_killed_game_asks_for_no_answer_twice(game, tmp_path):
    key = f"Resumed {game}"
    whole = play_with(key, game)
    file, asked = tmp_path / "calls.jsonl", []

    def first_answers(request):
        asked.append(request.id)
        if len(set(asked)) > 2:
            journal.stop("killed")
            return None
        return scripted(key)(request)

    journal = CallJournal(file)
    with pytest.raises(RunStopped):
        play_with(key, game, answer=first_answers, journal=journal)
    journal.close()
    kept = len(file.read_text().splitlines())
    assert kept == 2
    again = []

    def later_answers(request):
        again.append(request.id)
        return scripted(key)(request)

    with contextlib.closing(CallJournal(file)) as journal:
        record = play_with(key, game, answer=later_answers, journal=journal)
    assert record.to_json() == whole.to_json()
    assert not set(again) & {call["request_id"] for call in map(json.loads, file.read_text().splitlines()[:kept])}


@pytest.mark.parametrize("game", GAMES)
def test_people_read_no_example_and_models_do(game):
    text, asked = find_family(game).game.words, []

    def answer(request):
        view = request.view
        how = text.how_to_answer(view)
        if view.refused is None:
            asked.append(how)
            assert how in text.describe(view).split("\n")
        shown = f"{request.text}\n{inbox_of(key).text}".split("\n")
        assert how not in shown
        assert not any(line.startswith(("Answer ", "Reply ")) for line in shown)
        assert "" not in (request.text.strip(), inbox_of(key).text.strip())
        return scripted(key)(request)

    key = f"Reader {game}"
    play_with(key, game, answer=answer)
    assert asked


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", ["sealed_bid", "clock"])
def test_people_read_no_example_in_any_language(game, language):
    family = find_family(game)
    scenario = family.game.load_scenario(family.game.default_scenario).changed(language=language, num_items=1)

    def answer(request):
        assert family.game.words.how_to_answer(request.view) not in request.text
        return Answer(request.id, withdraw=True)

    with person("Polyglot", answer):
        play(game, scenario, ["human:Polyglot", *RIVALS[game]], 1)


def test_people_at_one_table_need_one_thread():
    ready, go = set(), threading.Event()

    def late(request):
        ready.add(request.id)
        return scripted()(request) if go.is_set() else None

    names = ["human:One", "human:Two", "human:Three"]
    results = []
    with person("One", late), person("Two", late), person("Three", late):
        before = threading.active_count()
        scenario = aucenv.english_v0.game.load_scenario("standard-20k-random").changed(num_items=2)
        thread = threading.Thread(target=lambda: results.append(play("english", scenario, names, 1)))
        thread.start()
        while len(ready) < 3:
            time.sleep(0.01)
        assert threading.active_count() == before + 1
        go.set()
        thread.join()
    assert replay(results[0]) is not None


def test_a_refused_person_is_asked_again_while_another_thinks():
    refused, thinking = threading.Event(), threading.Event()

    def hasty(request):
        if request.view.refused:
            refused.set()
            return Answer(request.id, withdraw=True)
        return Answer(request.id, amount=10**6)

    def slow(request):
        thinking.set()
        return Answer(request.id, withdraw=True) if refused.wait(20) else None

    with person("Hasty", hasty), person("Slow", slow):
        record = play("english", "standard-20k-random", ["human:Hasty", "human:Slow", "rule"], 1)
    assert thinking.is_set()
    first = of_person(record)[0]
    assert [attempt["kind"] for attempt in first["attempts"]] == ["over_budget"]
    assert first["amount"] is None


def test_answers_are_idempotent_and_late_ones_are_refused():
    taken = []

    def answer(request):
        choices, inbox = choices_of(request), inbox_of("Twice")
        given = Answer(request.id, **decide(choices, request.id))
        statuses = [inbox.answer(given)]
        try:
            statuses.append(inbox.answer(given))
            inbox.answer(Answer(request.id, amount=1.0, words="another"))
        except Late as error:
            statuses.append(str(error))
        taken.append(statuses)
        return given

    record = play_with("Twice", "english", answer=answer)
    assert len(taken) == sum(1 + len(one["attempts"]) for one in of_person(record))
    assert all(one[:2] == [ACCEPTED, REPEATED] and "answered already" in one[2] for one in taken)
    with pytest.raises(Late, match="closed"):
        inbox_of("Twice").answer(Answer("9.bidder_0.0.0", withdraw=True))


def test_fifty_answers_at_once_count_once():
    counts = []

    def answer(request):
        choices, inbox, statuses = choices_of(request), inbox_of("Crowd"), []
        least = (choices["amount"] or {"least": 1.0})["least"]

        def send(k):
            try:
                statuses.append(inbox.answer(Answer(request.id, amount=least + k)))
            except Late:
                statuses.append("late")

        threads = [threading.Thread(target=send, args=(k,)) for k in range(50)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        counts.append((statuses.count(ACCEPTED), len(statuses)))
        return

    record = play_with("Crowd", "english", answer=answer)
    assert set(counts) == {(1, 50)}
    assert len(counts) == sum(1 + len(one["attempts"]) for one in of_person(record))


def test_a_draft_is_kept_for_its_request_alone():
    drafts = []

    def answer(request):
        inbox = inbox_of("Draft")
        drafts.append(inbox.draft)
        inbox.keep_draft(request.id, "12")
        inbox.keep_draft("0.bidder_0.99.0", "other")
        drafts.append(inbox.draft)
        return Answer(request.id, withdraw=True)

    play_with("Draft", "sealed_bid", answer=answer)
    assert set(drafts) == {"", "12"}
    assert drafts[::2] == [""] * (len(drafts) // 2)


def test_who_does_not_decide_in_time_is_asked_again_and_then_makes_no_bid():
    asked = []

    def silent(request):
        asked.append((request.times_asked, request.is_last))
        return

    scenario = find_family("sealed_bid").game.load_scenario("first-ipv-once")
    with person("Silent", silent):
        bidders = ["human:Silent,seconds=0.1", "truthful", "truthful"]
        journal = CallJournal()
        record = play("sealed_bid", scenario, bidders, 1, journal=journal)
    (decision,) = of_person(record)
    assert dict.fromkeys(asked) == dict.fromkeys([(0, False), (1, True)])
    assert decision["action"] is decision["amount"] is None
    assert decision["notes"] == {"timed_out": True}
    assert [call.finish_reason for call in journal.calls] == ["timed_out"]
    assert replay(record) is not None


def test_a_refused_answer_does_not_start_the_clock_again():
    requests = []

    def answer(request):
        requests.append(request)
        if len(requests) < 3:
            time.sleep(0.05)
            return Answer(request.id, words="Let me think.")
        return Answer(request.id, withdraw=True)

    with person("Clock", answer):
        play("sealed_bid", "first-ipv-once", ["human:Clock,seconds=60", "truthful", "truthful"], 1)
    assert [request.id[-1] for request in requests] == ["0", "1", "2"]
    assert len({request.deadline for request in requests}) == 1


def test_who_is_asked_again_and_is_refused_is_not_asked_once_more():
    asked = []

    def answer(request):
        if request.id not in [id_ for id_, _ in asked] or request.times_asked not in [n for _, n in asked]:
            asked.append((request.id, request.times_asked))
        return Answer(request.id, words="Hm.") if request.times_asked and request.id.endswith(".0") else None

    with person("Again", answer):
        record = play("sealed_bid", "first-ipv-once", ["human:Again,seconds=0.3", "truthful", "truthful"], 1)
    assert [number for _, number in asked] == [0, 1, 1]
    assert of_person(record)[0]["notes"] == {"timed_out": True}


def test_a_resumed_decision_has_the_time_that_is_left(tmp_path):
    file, requests = tmp_path / "calls.jsonl", []

    def hasty(request):
        requests.append(request)
        if request.view.refused is None:
            time.sleep(0.5)
            return Answer(request.id, words="Let me think.")
        journal.stop("killed")
        return None

    bidders = ["human:Rest,seconds=60", "truthful", "truthful"]
    with contextlib.closing(CallJournal(file)) as journal, person("Rest", hasty), pytest.raises(RunStopped):
        play("sealed_bid", "first-ipv-once", bidders, 1, journal=journal)
    left = []

    def later(request):
        left.append(request.deadline - time.time())
        return Answer(request.id, withdraw=True)

    with contextlib.closing(CallJournal(file)) as journal, person("Rest", later):
        play("sealed_bid", "first-ipv-once", bidders, 1, journal=journal)
    assert 58 < left[0] < 59.5


@pytest.mark.parametrize("game", [name for name, case in games.CASES.items() if not case.one_moves])
def test_an_answer_counts_visibly_after_the_run_is_resumed(game, tmp_path):
    """Quick answers and Slow does not, so that the round is open when the run is stopped."""
    file, shown = tmp_path / "calls.jsonl", []
    quick, slow = inbox_of(f"Quick {game}"), inbox_of(f"Slow {game}")

    def least(request):
        choices = choices_of(request)
        button = next((one for one in choices["buttons"] if not one.get("withdraw")), None)
        amount = choices["amount"]["least"] if choices["amount"] else button and button["amount"]
        return Answer(request.id, amount=amount, withdraw=amount is None, words="a good price")

    def stop(request):
        if quick.answered is not None:
            shown.append(quick.answered)
            journal.stop("killed")

    bidders = [f"human:{quick.key}", f"human:{slow.key}", *RIVALS[game][1:]]
    for answer in (least, lambda request: None):
        with (
            contextlib.closing(CallJournal(file)) as journal,
            person(quick.key, answer),
            person(slow.key, stop),
            pytest.raises(RunStopped),
        ):
            play(game, find_family(game).game.default_scenario, bidders, 1, journal=journal)
        quick.clear()
        slow.clear()
    assert shown[0].words == "a good price"
    assert shown[0].amount is not None or shown[0].withdraw
    assert shown[1] == shown[0]


def test_the_inbox_says_that_time_is_over_until_the_next_answer():
    late, places = [], set()

    def answer(request):
        inbox = inbox_of("Late")
        places.add((inbox.game, inbox.seat))
        if request.id.endswith(".0.0"):
            return None
        late.append(inbox.timed_out)
        with pytest.raises(Late, match="your time for this decision was over"):
            inbox.answer(Answer("0.bidder_0.0.0", withdraw=True))
        return Answer(request.id, withdraw=True)

    with person("Late", answer):
        scenario = find_family("sealed_bid").game.load_scenario("first-ipv").changed(num_rounds=2)
        play("sealed_bid", scenario, ["human:Late,seconds=0.2,asks=0", "truthful", "truthful"], 1)
    assert late == ["0.bidder_0.0.0"]
    assert inbox_of("Late").timed_out == ""
    assert places == {(0, "bidder_0")}


@pytest.mark.parametrize("asks", [0, 2])
def test_the_number_of_times_that_people_are_asked_is_chosen(asks):
    asked = set()

    def silent(request):
        asked.add(request.times_asked)

    with person("Chosen", silent):
        play("sealed_bid", "first-ipv-once", [f"human:Chosen,seconds=0.1,asks={asks}", "truthful", "truthful"], 1)
    assert asked == set(range(asks + 1))


def test_a_bidder_plays_on_for_a_person_and_again_after_a_kill(tmp_path):
    def leave(request):
        if request.id.startswith("0.bidder_0.3."):
            inbox_of("Leaver").replace("rule,k=2")
            return None
        return Answer(request.id, withdraw=True)

    file = tmp_path / "calls.jsonl"
    with contextlib.closing(CallJournal(file)) as journal:
        record = play_with("Leaver", "english", answer=leave, journal=journal)
    decisions = of_person(record)
    assert [one["notes"] for one in decisions[:3]] == [{}] * 3
    assert all(one["notes"] == {"bidder": "rule,k=2"} for one in decisions[3:])
    assert record.seats[0]["notes"] == {"replaced_by": "rule,k=2", "replaced_from": "decision 4"}
    assert any(one["amount"] is not None for one in decisions[3:])
    replay(record)
    asked = []
    with contextlib.closing(CallJournal(file)) as journal:
        again = play_with("Leaver", "english", answer=lambda request: asked.append(request), journal=journal)
    assert again.to_json() == record.to_json()
    assert not asked


@pytest.mark.parametrize(
    ("bidder", "problem"),
    [
        ("nobody", "expected a rule bidder, or `ppo`"),
        ("llm:scripted", "expected a rule bidder, or `ppo`"),
        ("py:os:system,command=exit", "expected a rule bidder, or `ppo`"),
        ("ppo:/etc/passwd", "expected a rule bidder, or `ppo`"),
        ("oracle", "does not cheat"),
        ("rule,k=-3", "k"),
        ("", "bidder"),
    ],
)
def test_only_rule_bidders_and_networks_can_replace_a_person(bidder, problem):
    errors = []

    def leave(request):
        try:
            inbox_of("Stays").replace(bidder)
        except ValueError as error:
            errors.append(str(error))
        return Answer(request.id, withdraw=True)

    play_with("Stays", "english", answer=leave)
    assert errors
    assert all(problem in error for error in errors)
    with pytest.raises(ValueError, match="expected a running game"):
        inbox_of("Stays").replace("rule")


def test_a_bidder_that_cannot_play_the_scenario_replaces_nobody():
    errors = []

    def leave(request):
        try:
            inbox_of("Pair").replace("ppo")
        except ValueError as error:
            errors.append(str(error))
        return Answer(request.id, withdraw=True)

    with person("Pair", leave):
        scenario = find_family("sealed_bid").game.load_scenario("first-ipv-once").changed(num_bidders=2)
        play("sealed_bid", scenario, ["human:Pair", "truthful"], 1)
    assert "num_bidders" in errors[0]


def test_a_replacement_between_two_decisions_is_kept(tmp_path):
    file, asked = tmp_path / "calls.jsonl", []

    def leave_after(request):
        asked.append(request.id)
        return Answer(request.id, withdraw=True)

    def replaced_later(request):
        answer = leave_after(request)
        if len(asked) == 2:
            inbox = inbox_of("Between")
            inbox.answer(answer)
            inbox.replace("rule")
            journal.stop("killed")
        return answer

    with contextlib.closing(CallJournal(file)) as journal, contextlib.suppress(RunStopped):
        play_with("Between", "english", answer=replaced_later, journal=journal)
    before = len(asked)
    with contextlib.closing(CallJournal(file)) as journal:
        record = play_with("Between", "english", answer=leave_after, journal=journal)
    assert record.seats[0]["notes"]["replaced_by"] == "rule"
    assert len(asked) <= before


def test_people_and_models_play_at_one_table():
    record = play_with("Mixed", "english", rivals=("llm:scripted,agent=bdi", "value"))
    assert replay(record) is not None
    assert {player["bidder"] for player in record.seats} == {"human:Mixed", "llm:scripted,agent=bdi", "value"}


def test_a_failing_bidder_ends_the_game_while_a_person_thinks(tmp_path):
    (tmp_path / "fails.py").write_text(
        "class Fails:\n"
        "    interface, waits = 'amount', True\n"
        "    def reset(self, seat, seed): pass\n"
        "    def act(self, view, observation): raise OSError('no network')\n"
        "    def close_game(self, view): pass\n"
    )
    with pytest.raises(PolicyError, match="no network"):
        play_with("Waits", "english", rivals=(f"py:{tmp_path}/fails.py:Fails", "rule"), answer=lambda request: None)


def test_without_a_client_nobody_plays():
    with pytest.raises(ValueError, match="nobody can answer for 'Absent': people play with `aucenv play`"):
        play("english", "standard-20k-random", ["human:Absent", "rule", "value"], 1)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("human:Ann,minutes=3", "minutes"),
        ("human:Ann,seconds=soon", "seconds: expected a number, got 'soon'"),
        ("human:Ann,seconds=-1", "seconds"),
        ("human:Ann,asks=1.5", "asks"),
        ("human:Ann,table=0", "table"),
    ],
)
def test_wrong_parameters_are_named(name, problem):
    with pytest.raises(ValueError, match=problem):
        make_policy("english", name)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ({"amount": 3}, "answer.request"),
        ({"request": 3, "amount": 3}, "answer.request"),
        ({"request": "0.bidder_0.0.0"}, "got none of them"),
        ({"request": "r", "words": "   "}, "got none of them"),
        ({"request": "r", "amount": 3, "withdraw": True}, "got both"),
        ({"request": "r", "amount": -1}, "answer.amount"),
        ({"request": "r", "amount": "3"}, "answer.amount"),
        ({"request": "r", "amount": True}, "answer.amount"),
        ({"request": "r", "amount": float("nan")}, "answer.amount"),
        ({"request": "r", "amount": 1e300}, "answer.amount"),
        ({"request": "r", "withdraw": 1}, "answer.withdraw"),
        ({"request": "r", "words": ["x"]}, "answer.words"),
        ({"request": "r", "words": "x" * (LONGEST + 1)}, "at most 4,000 characters"),
        ({"request": "r", "bid": 3}, "got 'bid'"),
    ],
)
def test_wrong_answers_are_named(data, problem):
    with pytest.raises(ValueError, match=problem):
        Answer.of(data)
