"""The cost limit of a run: what is sent, who waits, what is printed, and how tokens are priced."""

from __future__ import annotations

import contextlib
import json
import random
import threading
import time
from pathlib import Path

import pytest
import typer
from aucenv.benchmarks.timings.loopback import Loopback
from run_command import command

from aucenv.commands.console.terminal import running
from aucenv.core.policy import ModelFailure
from aucenv.runs.model_calls.calls import Completion, Request
from aucenv.runs.model_calls.journal import CallJournal, RunStopped, read_calls
from aucenv.runs.model_calls.token_prices import TokenPrices, dollars

PRICES = TokenPrices({name: {"input": 0, "output": 1000} for name in ("m", "other")})
"""A thousand tokens cost a dollar."""


def request(max_tokens=390, temperature=0.0):
    return Request(({"role": "user", "content": "a"},), temperature, max_tokens, None)


class Scripted:
    """A model whose replies a function makes."""

    endpoint = "http://h/v1"

    def __init__(self, reply, name="m"):
        self.reply = reply
        self.name = name

    def complete(self, request, pause):
        return self.reply(request)


def replies(tokens_out, **more):
    """Return a model whose replies have this many tokens."""
    return Scripted(lambda request: Completion("b", "stop", 1, tokens_out, **more))


def ask(journal, model, game=0, **options):
    return journal.at(game, "bidder_0").ask(model, request(**options), 0, 0)


def in_threads(number, work):
    """Run `work(i)` in threads, and return their errors."""
    errors = []

    def run(i):
        try:
            work(i)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,), daemon=True) for i in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    return errors


class Expensive(Loopback):
    """A server whose replies all have the same number of tokens, as it says."""

    def __init__(self, tokens_out):
        super().__init__(lambda body: "I bid $10")
        self.tokens_out = tokens_out

    def completion(self, body, **changed):
        usage = {"prompt_tokens": 10, "completion_tokens": self.tokens_out}
        return super().completion(body, **changed) | {"usage": usage}


@pytest.mark.parametrize(("tokens_out", "most_at_once"), [(100, 2), (100_000, 1)], ids=["at the bound", "above it"])
def test_64_games_at_once_spend_at_most_the_limit_and_resume_with_a_larger_one(
    tmp_path, capsys, tokens_out, most_at_once
):
    prices, out, whole = (tmp_path / name for name in ("prices.json", "out", "whole"))
    prices.write_text(json.dumps({"m": {"input": 0, "output": 0.39e6 / tokens_out}}))

    def leaderboard(folder, *more):
        name = f"llm:openai:m,base_url={server.url},max_tokens=100"
        line = ["leaderboard", "--game", "sealed_bid", "--bidder", name, "--bidder", "truthful", "--bidder", "shade"]
        line += [
            "--games",
            "66",
            "--set",
            "num_items=1",
            "--concurrency",
            "64",
            "--prices",
            prices,
            "--out",
            folder,
            *more,
        ]
        return command(*line)

    with Expensive(tokens_out) as server:
        assert leaderboard(out, "--max-cost", 1) == 1
        printed = capsys.readouterr().err
        assert sum(call.cost for call in read_calls(out)) == 0.78
        assert "spent $0.7800 of at most $1; the next call may cost up to $0.3900; " in printed
        assert "; to resume with a larger --max-cost, put a number in place of DOLLARS and run: aucenv" in printed
        assert "total cost of 2 model calls: $0.7800\n" in printed
        assert len(server.requests) == 2
        assert server.most_at_once <= most_at_once
        assert leaderboard(out, "--max-cost", 1000) == 0
        total = sum(call.cost for call in read_calls(out))
        assert f"total cost of 66 model calls: ${total:.4f}\n" in capsys.readouterr().err
        assert leaderboard(whole) == 0
    assert (out / "games.jsonl").read_bytes() == (whole / "games.jsonl").read_bytes()


def test_calls_in_flight_and_the_spending_never_exceed_the_limit_together():
    journal = CallJournal(None, PRICES, 20.0)
    lock = threading.Lock()
    in_flight, totals = [], []

    def reply(request):
        with lock:
            in_flight.append(request.max_tokens)
            totals.append(journal.spent + sum(in_flight) / 1000)
        time.sleep(0)
        with lock:
            in_flight.remove(request.max_tokens)
        if request.max_tokens % 7 == 0:
            raise ModelFailure("refused")
        return Completion("b", "stop", 1, random.Random(request.max_tokens).randint(1, request.max_tokens))

    models = [Scripted(reply, name) for name in ("m", "other")]

    def play(i):
        draws = random.Random(i)
        for decision in range(20):
            options = request(draws.randint(1, 1000), temperature=i + decision / 100)  # a failure affects one call
            with contextlib.suppress(ModelFailure):
                journal.at(i, "bidder_0").ask(models[i % 2], options, decision, 0)

    errors = in_threads(64, play)
    assert {type(error) for error in errors} == {RunStopped}
    assert "of at most $20; the next call may cost up to" in str(errors[0])
    assert 19 <= max(totals) <= 20.000000001
    assert 19 <= journal.spent <= 20
    assert journal.spent == sum(call.cost for call in journal.calls)


def test_the_first_call_of_each_model_is_sent_alone():
    journal = CallJournal(None, PRICES, 100.0)
    events = {"m": [], "other": []}

    def model(name):
        def reply(request):
            events[name].append("sent")
            time.sleep(0.02)
            events[name].append("finished")
            return Completion("b", "stop", 1, 10_000)

        return Scripted(reply, name)

    models = [model(name) for name in events]
    assert not in_threads(8, lambda i: ask(journal, models[i % 2], i))
    for happened in events.values():
        assert happened[:2] == ["sent", "finished"]
        assert len(happened) == 8


def test_a_waiting_call_ends_when_the_run_is_stopped():
    journal = CallJournal(None, PRICES, 0.5)
    sent, released = threading.Event(), threading.Event()

    def reply(request):
        sent.set()
        assert released.wait(60)
        return Completion("b", "stop", 1, 1)

    first = threading.Thread(target=ask, args=(journal, Scripted(reply)), daemon=True)
    first.start()
    assert sent.wait(60)
    stopping = threading.Timer(0.02, journal.stop, ["enough"])
    stopping.start()
    with pytest.raises(RunStopped, match="enough"):
        ask(journal, replies(1), 1)
    assert first.is_alive()
    released.set()
    first.join(60)


def test_a_waiting_call_fails_if_the_call_before_it_shows_that_the_model_cannot_be_called():
    journal = CallJournal(None, PRICES, 0.5)
    sent = []

    def reply(request):
        sent.append(request)
        time.sleep(0.02)
        raise ModelFailure("unknown model")

    model = Scripted(reply)
    errors = in_threads(8, lambda i: ask(journal, model, i))
    assert [str(error) for error in errors] == ["unknown model"] * 8
    assert len(sent) == 1
    assert ask(journal, replies(10), 9, temperature=1.0).cost == 0.01  # the failed call reserves nothing any more


@pytest.mark.parametrize(
    ("way_out", "arguments", "resumed"),
    [
        (
            "with a larger --max-cost",
            ["--max-cost", "5", "--out", "run"],
            " with a larger --max-cost, put a number in place of DOLLARS and run: aucenv leaderboard --out run "
            "--max-cost DOLLARS",
        ),
        (
            "with a larger --max-cost",  # the limit is from --config
            ["--config", "lineup.json", "--out", "run"],
            " with a larger --max-cost, put a number in place of DOLLARS and run: aucenv leaderboard --config "
            "lineup.json --out run --max-cost DOLLARS",
        ),
        (
            "without --max-cost",
            ["--out", "run", "--max-cost=5", "--games", "3"],
            " without --max-cost, run: aucenv leaderboard --out run --games 3",
        ),
        ("", ["--max-cost", "5", "--out", "run"], ", run: aucenv leaderboard --max-cost 5 --out run"),
    ],
)
def test_the_printed_command_can_resume_the_run(monkeypatch, capsys, way_out, arguments, resumed):
    monkeypatch.setattr("sys.argv", ["aucenv", "leaderboard", *arguments])

    def stop():
        with running(Path("run")) as advance:
            advance(2, 6, "")
            raise RunStopped("spent too much", way_out)

    with pytest.raises(typer.Exit):
        stop()
    assert capsys.readouterr().err == f"spent too much; 2 of 6 games are kept in run; to resume{resumed}\n"


@pytest.mark.parametrize(
    ("amount", "text"),
    [(0, "$0"), (0.78, "$0.7800"), (1234.5, "$1,234.5000"), (0.01, "$0.0100"), (0.0042, "$0.0042"), (0.000041, "$0.000041"),
     (1.23e-8, "$0.000000012")],
)  # fmt: skip
def test_costs_below_a_cent_have_two_significant_digits(amount, text):
    assert dollars(amount) == text


def test_a_run_stops_if_the_endpoint_accepts_no_maximum_of_reply_tokens():
    journal = CallJournal(None, PRICES, 5.0)
    model = replies(10, settings={"temperature": 0.0})
    assert ask(journal, model).reply == "b"
    with pytest.raises(RunStopped, match="http://h/v1 accepts no maximum of reply tokens for m under any of the"):
        ask(journal, model, 1)
    assert CallJournal(None, PRICES).at(0, "s").ask(model, request(), 0, 0).reply == "b"  # no limit needs no maximum


def test_a_model_without_a_price_is_not_called_if_there_is_a_limit():
    with pytest.raises(RunStopped, match="new at http://h/v1 has no price; give it with --prices") as stop:
        ask(CallJournal(None, PRICES, 5.0), Scripted(None, "new"))
    assert stop.value.way_out == "without --max-cost"


def test_a_cost_above_the_bound_raises_that_of_later_calls_also_of_resumed_runs(tmp_path):
    file = tmp_path / "calls.jsonl"
    journal = CallJournal(file, PRICES, 1.0)
    model = replies(390)
    ask(journal, model, 0, max_tokens=10)
    ask(journal, model, 1, max_tokens=1)  # the bound of this one is lower, but its cost is not
    with pytest.raises(RunStopped, match=r"spent \$0.7800 of at most \$1; the next call may cost up to \$0.3900"):
        ask(journal, model, 2, max_tokens=1)
    journal.close()
    resumed = CallJournal(file, PRICES, 1.0)
    with pytest.raises(RunStopped, match=r"the next call may cost up to \$0.3900"):
        ask(resumed, model, 2, max_tokens=1)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    file.write_text("".join(json.dumps(line | {"settings": {}}) + "\n" for line in lines))
    older = CallJournal(file, PRICES, 1.0)
    assert ask(older, model, 2, max_tokens=1).cost == 0.39  # without its settings, a call has no known bound
    older.close()


def test_calls_without_a_cost_need_no_room():
    free = TokenPrices({"m": {"input": 0, "output": 0}})
    assert ask(CallJournal(None, free, 0.0), replies(5)).cost == 0
    paid = CallJournal(None, free, 0.5)
    ask(paid, replies(5, reported_cost=0.3))
    with pytest.raises(RunStopped, match=r"the next call may cost up to \$0.3000"):
        ask(paid, replies(5), 1)


def test_cached_and_reasoning_tokens_have_their_prices():
    tokens = {"tokens_in": 1_000_000, "tokens_out": 100_000, "tokens_cached": 400_000, "tokens_reasoning": 90_000}
    prices = TokenPrices({"a": {"input": 1, "output": 10, "cached_input": 0.5, "reasoning": 20}})
    assert prices.cost("http://h", "a", **tokens) == pytest.approx(0.6 + 0.2 + 0.1 + 1.8)
    plain = TokenPrices({"a": {"input": 1, "output": 10}})
    assert plain.cost("http://h", "a", **tokens) == pytest.approx(2)
    assert plain.cost("http://h", "a", 10, 10, None, None) == plain.cost("http://h", "a", 10, 10)
    assert prices.cost("http://h", "a", 0, 0, 5, 5) == 0  # an endpoint cannot report more cached tokens than tokens
    listed = TokenPrices()
    assert listed.cost("https://api.openai.com/v1", "gpt-5", 1_000_000, 0, 1_000_000) == pytest.approx(0.125)


def test_the_cost_that_an_endpoint_reports_and_recorded_costs_win_over_prices(tmp_path):
    file = tmp_path / "calls.jsonl"
    journal = CallJournal(file, PRICES)
    ask(journal, replies(390, reported_cost=0.02))
    ask(journal, replies(390), 1)
    ask(journal, Scripted(lambda request: Completion("b", "stop", 1, 1), "unlisted"), 2)
    journal.close()
    dear = TokenPrices({name: {"input": 0, "output": 9000} for name in ("m", "unlisted")})
    assert [call.cost for call in CallJournal(file, dear).calls] == [0.02, 0.39, 0.009]
    line = json.loads(file.read_text().splitlines()[0]) | {"cost": None}
    file.write_text(json.dumps(line) + "\n")
    assert [call.cost for call in CallJournal(file, dear).calls] == [0.02]


def test_a_game_is_shown_with_its_costs_and_reasoning(tmp_path, capsys):
    with Loopback(lambda body: "I bid $10") as server:
        name = f"gpt=llm:openai:m,base_url={server.url}"
        line = ["leaderboard", "--game", "sealed_bid", "--bidder", name, "--bidder", "shade", "--bidder", "truthful"]
        command(*line, "--games", "3", "--set", "num_items=1", "--out", tmp_path)
    file = tmp_path / "calls.jsonl"
    first, *others = (json.loads(line) for line in file.read_text().splitlines())
    first |= {"reasoning": "Low.\n=== forged", "tokens_in": 80, "tokens_cached": 64, "tokens_out": 9}
    second = first | {"decision": 1, "tokens_reasoning": None, "reported_cost": None, "same": 0}
    first |= {"tokens_reasoning": 5, "reported_cost": 0.5}
    file.write_text("".join(json.dumps(call) + "\n" for call in (first, second, *others)))
    capsys.readouterr()
    command("records", "show", tmp_path, first["game"])
    shown = capsys.readouterr().out
    assert "attempt 1: 80 tokens in (64 cached), 9 out (5 reasoning), $0.5000, 0." in shown
    assert "--- reasoning (5 tokens)\n    Low.\n    === forged\n--- reply (stop)\n    I bid $10\n" in shown
    assert "--- reasoning\n    Low." in shown
    assert "9 out, cost unknown, 0." in shown
    used = "2 calls, 160 tokens in (128 cached), 18 out (5 reasoning), at least $0.5000"
    assert f" (m): {used}\nall seats: {used}\n" in shown
    command("records", "table", tmp_path)
    total = "total cost of 4 model calls: at least $0.5000 (the cost of 3 calls is unknown)\n"
    assert total in capsys.readouterr().err
    file.write_text(file.read_text() + json.dumps(first | {"game": 99}) + "\n")
    command("records", "table", tmp_path)
    assert ", of which $0.5000 in unfinished games, which the tables leave out\n" in capsys.readouterr().err
