"""The value of an HTTP header in a bidder's name is in no file and no output."""

from __future__ import annotations

import _thread
import json

import pytest
from aucenv.benchmarks.timings.loopback import Loopback
from run_command import command

from aucenv.commands.lineup import read_lineup
from aucenv.core.words.bidder_name import header_secrets, label_of, parse_bidder, public_name
from aucenv.policy import make_policy

KEY = "sk-planted-4f9a8e7d6c5b"
LOCAL = "llm:openai:m,base_url=http://127.0.0.1:9/v1"


@pytest.mark.parametrize(
    ("name", "public"),
    [
        (f"m={LOCAL},header.X-Key={KEY}", f"m={LOCAL},header.X-Key=***"),
        (f"{LOCAL},header.X-Key=Bearer {KEY},seed=1", f"{LOCAL},header.X-Key=***,seed=1"),
        (f"{LOCAL},header.A={KEY},header.B={KEY}", f"{LOCAL},header.A=***,header.B=***"),
        (f"{LOCAL},header.Cookie=a={KEY};b={KEY},seed=1", f"{LOCAL},header.Cookie=***,seed=1"),
        (f"{LOCAL},header.A=x'\"= {KEY}é\n{KEY}", f"{LOCAL},header.A=***"),
        (f"{LOCAL},header.A=a,{KEY},seed=1", f"{LOCAL},header.A=***,seed=1"),
        (f"{LOCAL},Header.A={KEY}", f"{LOCAL},Header.A=***"),
        (f"{LOCAL},headers.A={KEY}", f"{LOCAL},headers.A=***"),
        (f"llm:openai:m;header.A={KEY}", "llm:openai:m;header.A=***"),
        (f"llm:openai:m header.A={KEY}", "llm:openai:m header.A=***"),
        (
            f"{LOCAL},agent=harbor,strategy=adviser:llm:openai:m;header.A={KEY};seed=1,seed=2",
            f"{LOCAL},agent=harbor,strategy=adviser:llm:openai:m;header.A=***;seed=1,seed=2",
        ),
        (f"--bidder=m={LOCAL},header.A={KEY}", f"--bidder=m={LOCAL},header.A=***"),
    ],
)
def test_a_public_name_has_no_values_of_headers(name, public):
    assert public_name(name) == public
    assert public_name(public) == public
    assert all(KEY in value for value in header_secrets(name))
    assert KEY not in label_of(name)


@pytest.mark.parametrize(
    "name",
    [
        f"{LOCAL},header.X-Key=env:MY_KEY,seed=1",
        f"{LOCAL},strategy=adviser:llm:openai:m;header.A=env:MY_KEY",
        f"{LOCAL},body.header={{}}",
        "llm:openai:header-model,seed=1",
        "value",
    ],
)
def test_a_name_without_literal_values_of_headers_is_public(name):
    assert public_name(name) == name
    assert header_secrets(name) == []


def test_names_of_parameters_may_have_dots_and_dashes():
    spec = parse_bidder(f"{LOCAL},header.X-Api-Key={KEY},body.top_k=4")
    assert (spec.params["header.X-Api-Key"], spec.params["body.top_k"]) == (KEY, "4")
    assert spec.label == f"{LOCAL},header.X-Api-Key=***,body.top_k=4"
    with pytest.raises(ValueError, match="expected"):
        parse_bidder(f"{LOCAL},.header=1")


@pytest.mark.parametrize(
    "name",
    [
        f"{LOCAL},header.A={KEY},header.A={KEY}",
        f"llm:openai:m;header.A={KEY}",
        f"llm openai,header.A={KEY}",
        f"nothing:m,header.A={KEY}",
        f"{LOCAL},nothing=1,header.A={KEY}",
        f"{LOCAL},seed=x,header.A={KEY}",
        f"{LOCAL},agent=bdi,header.A={KEY},prompts=no-folder",
        f"{LOCAL},agent=harbor,strategy=advisor:m;header.A={KEY}",
        f"value,margin=0.1,header.A={KEY}",
        f"py:no_module:Bidder,header.A={KEY}",
    ],
)
def test_errors_mask_values_of_headers(name):
    with pytest.raises(ValueError, match=r"expected|cannot") as caught:
        make_policy("harbor", name)
    assert KEY not in str(caught.value)


def test_a_masked_name_of_a_record_is_no_bidder():
    with pytest.raises(ValueError, match=r"header.A: expected its value or env:VARIABLE, got \*\*\*"):
        make_policy("english", f"{LOCAL},header.A=***")


class Interrupting(Loopback):
    """A server at whose third request Ctrl-C is pressed, unless it is turned off."""

    interrupts = True

    async def respond(self, body, writer):
        if self.interrupts and len(self.requests) == 3:
            _thread.interrupt_main()
        await super().respond(body, writer)


@pytest.fixture
def bidders(monkeypatch):
    def make(server, key=KEY, label="m="):
        named = [f"{label}llm:openai:m,base_url={server.url},header.X-Key={key},header.Other=env:PATH"]
        return [word for name in (*named, "value", "rule") for word in ("--bidder", name)]

    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["aucenv", *map(str, arguments)])
        return command(*arguments)

    make.run = run
    return make


def check_hidden(folder, capsys):
    output = capsys.readouterr()
    texts = {path: path.read_bytes().decode("utf-8", "replace") for path in folder.rglob("*") if path.is_file()}
    assert texts
    for place, text in {**texts, "stdout": output.out, "stderr": output.err}.items():
        assert KEY not in text, place
    return output


@pytest.mark.parametrize("label", ["m=", ""])
def test_an_interrupted_run_hides_values_of_headers_and_resumes_with_others(tmp_path, bidders, capsys, label):
    out = tmp_path / "out"
    more = (
        "--games",
        3,
        "--set",
        "num_items=1",
        "--out",
        out,
        "--concurrency",
        1,
        "--save-config",
        tmp_path / "lineup.json",
    )
    with Interrupting() as server:
        assert bidders.run("leaderboard", *bidders(server, label=label), *more) == 130
        shown = check_hidden(tmp_path, capsys).err
        assert "to resume, run: aucenv leaderboard --bidder" in shown
        assert "header.X-Key=***,header.Other=env:PATH" in shown
        assert "values of headers are left out" in shown
        server.interrupts = False
        assert bidders.run("leaderboard", *bidders(server, f"{KEY}-rotated", label), *more, "--resume") == 0
        check_hidden(tmp_path, capsys)
        settings = json.loads((out / "run.json").read_text())["settings"]
        assert settings["bidders"][0].endswith("header.X-Key=***,header.Other=env:PATH")
        record = json.loads((out / "games.jsonl").read_text().splitlines()[0])
        assert settings["bidders"][0] in [player["bidder"] for player in record["seats"]]
        for arguments in (
            ("records", "list", out),
            ("records", "show", out),
            ("records", "table", out, "--json", tmp_path / "table.json", "--csv", tmp_path / "table.csv"),
            ("records", "figures", out),
            ("records", "export", out, "--to", "inspect", "--out", tmp_path / "log.json"),
            ("records", "compare", out, out),
        ):
            assert bidders.run(*arguments) == 0
            check_hidden(tmp_path, capsys)
        assert read_lineup(tmp_path / "lineup.json")["bidder"][0] == settings["bidders"][0]
        assert bidders.run("leaderboard", "--config", tmp_path / "lineup.json") == 2
        assert "expected its value or env:VARIABLE" in check_hidden(tmp_path, capsys).err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["extra,header.A=" + KEY], "extra"),
        (["--bidder", f"m={LOCAL},header.A={KEY},nothing=1"], "nothing"),
        (["--bidder", f"m={LOCAL},header.A={KEY},header.A={KEY}"], "--bidder 'm="),
        (["--bidder", f"{LOCAL},header.A={KEY}", "--bidder", f"{LOCAL},header.A={KEY}1"], "more than once"),
        ([f"--bidder=m={LOCAL},header.A={KEY},agent=nothing"], "agent: expected one of"),
        (["--bidder", f"m={LOCAL},header.A={KEY}", "--set", "num_bidders=x"], "num_bidders"),
        (["--bidder", f"header.A={KEY}"], "expected"),
    ],
)
def test_errors_of_commands_hide_values_of_headers(tmp_path, capsys, arguments, message):
    (tmp_path / "kept").write_text("")
    assert command("leaderboard", "--out", tmp_path / "out", *arguments) == 2
    assert message in check_hidden(tmp_path, capsys).err


def test_a_failing_model_hides_values_of_headers(tmp_path, bidders, capsys):
    with Loopback() as server:
        names = [f"{word},attempts=1" if "llm" in word else word for word in bidders(server)]
    assert bidders.run("leaderboard", *names, "--games", 3, "--set", "num_items=1", "--out", tmp_path / "out") == 1
    assert "header.X-Key=***,header.Other=env:PATH" in check_hidden(tmp_path, capsys).err


def test_the_traceback_of_a_failing_bidder_hides_values_of_headers(tmp_path, bidders, capsys):
    (tmp_path / "bad.py").write_text(
        "class Bad:\n"
        "    interface = 'amount'\n"
        "    def __init__(self, **options): self.options = options\n"
        "    def reset(self, seat, seed): raise RuntimeError(f'options {self.options}')\n"
        "    def act(self, view, observation): return 0\n"
        "    def close_game(self, view): return {}\n"
    )
    names = ("--bidder", f"py:{tmp_path / 'bad.py'}:Bad,header.A={KEY}", "--bidder", "value", "--bidder", "rule")
    assert bidders.run("leaderboard", *names, "--games", 3, "--set", "num_items=1", "--out", tmp_path / "out") == 1
    assert "RuntimeError: options {'header.A': '***'}" in check_hidden(tmp_path, capsys).err
