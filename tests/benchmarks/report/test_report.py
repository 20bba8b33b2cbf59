from __future__ import annotations

import base64
import dataclasses
import gzip
import hashlib
import html
import json
import re
import shutil

import pytest
from aucenv.benchmarks.report.notebook import tables_html
from aucenv.benchmarks.report.page import record_page, report
from aucenv.benchmarks.report.page_data import MISTAKES, TEXTS_PER_BLOCK
from aucenv.benchmarks.timings.loopback import Loopback
from report_runs import play_into
from run_command import command

import aucenv
from aucenv.core.records.record import GameRecord
from aucenv.registration import FAMILIES


def blocks_of(page):
    packed = re.findall(r'<script type="text/plain" id="([a-z0-9-]+)">([A-Za-z0-9+/=]*)</script>', page)
    return {name: json.loads(gzip.decompress(base64.b64decode(text))) for name, text in packed}


def run(*arguments):
    return command("report", *arguments)


def test_a_page_holds_the_run_its_tables_and_its_games(folders):
    folder = folders("english")
    blocks = blocks_of(report([folder]))
    summary = blocks["summary"]
    records = list(aucenv.read_records(folder))
    assert [entry["moves"] for entry in summary["games"]] == [len(record.decisions) for record in records]
    assert blocks["games-0"]["games"][0]["decisions"] == records[0].decisions
    assert blocks["games-0"]["scenarios"] == [records[0].scenario]
    assert len(blocks["games-0"]["shapes"]) < len(records)
    assert {row["bidder"] for row in summary["runs"][0]["ranking"]} == {"a (script)", "rule", "b (script)"}
    assert any(table["shares"] for table in summary["runs"][0]["tables"])
    assert set(summary["mistakes"]) <= set(MISTAKES)
    assert "wrong beliefs" in summary["mistakes"]
    assert ["run", "complete"] in summary["runs"][0]["facts"]


def test_without_a_name_only_a_report_of_the_same_run_is_replaced(folders, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page, other = tmp_path / "report.html", shutil.copytree(folders("clock"), tmp_path / "other")
    for calls in (0, 1):
        assert run(folders("english"), "--calls", calls) == 0
    first = page.read_text()
    assert run(other) == 2
    assert "--out: expected a name, because report.html is another page" in capsys.readouterr().err
    assert page.read_text() == first
    assert run(other, "--out", "report.html") == 0
    assert page.read_text() != first
    page.write_text("<p>not ours</p>")
    assert run(other) == 2


def test_each_distinct_text_of_calls_is_stored_once(folders):
    folder = folders("english")
    blocks = blocks_of(report([folder]))
    texts = [text for name, block in blocks.items() if name.startswith("texts-") for text in block]
    assert len(texts) == len(set(texts))
    assert all(len(block) <= TEXTS_PER_BLOCK for name, block in blocks.items() if name.startswith("texts-"))
    calls = [call for call in aucenv.read_calls(folder) if call.game == 0]
    shown = blocks["calls-0-0"]
    assert [texts[call["reply"]] for call in shown] == [call.reply for call in calls]
    for call, data in zip(calls, shown, strict=True):
        assert [{"role": role, "content": texts[number]} for role, number in data["messages"]] == call.messages


def test_calls_are_those_of_the_first_games(folders):
    games = len(list(aucenv.read_records(folders("english"))))
    blocks = blocks_of(report([folders("english")], calls=1))
    assert "calls-0-0" in blocks
    assert "calls-0-1" not in blocks
    assert blocks["summary"]["notes"] == [
        f"The page has the prompts and replies of 1 of the {games} games with model calls; --calls N keeps more."
    ]


def test_the_security_policy_allows_the_script_and_style_of_the_page_alone(folders):
    page = report([folders("sealed_bid")])
    script = re.search(r'<script type="module">(.*?)</script>', page, re.DOTALL)[1]
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)[1]
    policy = html.unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1])
    digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (script, style)]
    assert policy.startswith(f"default-src 'none'; script-src 'sha256-{digests[0]}'; style-src 'sha256-{digests[1]}';")
    assert not re.search(r"https?://", page.replace("http://www.w3.org/2000/svg", ""))


def test_equal_folders_give_equal_pages(folders):
    assert report([folders("clock")]) == report([folders("clock")])


def descriptions_of(record):
    """Return the words of a scenario that are no names: descriptions of items, and personas."""
    parts = [*record.scenario.get("items", []), *record.scenario.get("residents", []), *record.deal["seats"]]
    words = [part.get(name) for part in parts if isinstance(part, dict) for name in ("description", "persona")]
    return {*filter(None, words), *(one for seat in record.deal["seats"] for one in seat.get("personas", []))}


@pytest.mark.parametrize("game", ["english", "harbor", "water_allocation", "sealed_bid"])
def test_redacted_pages_have_no_words_and_no_names(folders, game):
    folder = folders(game)
    blocks = blocks_of(report([folder], is_redacted=True))
    text = json.dumps(blocks, ensure_ascii=False).lower()
    record = next(aucenv.read_records(folder))
    names = [player["name"] for player in record.seats] + [item["name"] for item in record.deal.get("items", [])]
    words = [one["action"] for one in record.decisions if isinstance(one["action"], str) and " " in one["action"]]
    bidders = [player["bidder"] for player in record.seats]
    for hidden in (*words, "scripted", "(script)"):
        assert json.dumps(hidden.lower(), ensure_ascii=False)[1:-1] not in text, hidden
    for game_of_page in blocks["games-0"]["games"]:
        boards = json.dumps(game_of_page["boards"], ensure_ascii=False)
        assert not [name for name in (*names, *descriptions_of(record)) if re.search(rf"\b{re.escape(name)}", boards)]
    for hidden in (*names, *bidders, record.scenario["name"]):
        assert f'"{hidden.lower()}"' not in text.replace('"low":', ""), hidden  # a quantile's name, and a scenario's
    amounts = [one["amount"] for one in record.decisions]
    assert [one["amount"] for one in blocks["games-0"]["games"][0]["decisions"]] == amounts


def test_redacted_notes_are_numbers(folders):
    from aucenv.benchmarks.report.redaction import redacted

    record = next(aucenv.read_records(folders("clock")))
    notes = {
        "priorities": "outbid Alex",
        "profiles": {"Alex": [1.0], "bidder_1": [0.5], "bidder_2": "x"},
        "reason": "words",
    }
    notes["mistakes"] = [{"phase": "a", "kind": "Alex lied", "what": "so"}]
    record.decisions[0]["notes"] = notes
    kept = redacted(record).decisions[0]["notes"]
    assert kept == {"profiles": {"bidder_1": [0.5]}, "mistakes": [{"phase": "", "kind": "mistake", "what": ""}]}


def test_runs_that_cannot_be_compared_are_shown_all_the_same(folders):
    summary = blocks_of(report([folders("clock"), folders("sealed_bid")]))["summary"]
    assert summary["comparison"] is None
    assert summary["notes"][-1].startswith("The runs are not compared: ")


def test_two_folders_are_compared_where_their_deals_are_the_same(folders, tmp_path):
    first = folders("sealed_bid")
    play_into(tmp_path / "other", "sealed_bid", ("truthful", "shade", "naive"))
    summary = blocks_of(report([first, tmp_path / "other"]))["summary"]
    assert [run["name"] for run in summary["runs"]] == ["run", "other"]
    assert {entry["run"] for entry in summary["games"]} == {0, 1}
    assert {row[0] for row in summary["comparison"]["rows"]} == {"truthful", "shade"}
    assert {row[-1] for row in summary["comparison"]["rows"]} == {"2"}


def test_records_and_results_show_themselves_in_notebooks(folders):
    record = next(aucenv.read_records(folders("clock")))
    shown = record._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts allow-downloads"')
    page = html.unescape(re.search(r'srcdoc="([^"]*)"', shown)[1])
    assert page == record_page(record)
    assert blocks_of(page)["summary"]["opens"] == 0
    assert "<iframe" in aucenv.show(folders("clock"))._repr_html_()
    assert tables_html("**a <b>**\n\n| x | y |\n| --- | --- |\n| <i> | 1 |\n") == (
        "<p>a &lt;b&gt;</p>\n<table><tr><th>x</th><th>y</th></tr><tr><td>&lt;i&gt;</td><td>1</td></tr></table>"
    )


def test_the_command_writes_the_page(folders, tmp_path, capsys):
    out = tmp_path / "page.html"
    assert run(folders("clock"), "--out", out, "--calls", "0") == 0
    assert out.read_text() == report([folders("clock")], calls=0)
    assert capsys.readouterr().out.endswith(" MB\n")


@pytest.mark.parametrize(
    ("lines", "problem"),
    [([], "expected at least one finished game, got none"), (["{}\n"], "version"), (["not JSON\n", "x\n"], "JSON")],
)
def test_files_that_hold_no_games_are_refused_by_name(tmp_path, capsys, lines, problem):
    (tmp_path / "games.jsonl").write_text("".join(lines))
    assert run(tmp_path, "--out", tmp_path / "page.html") == 2
    error = capsys.readouterr().err
    assert problem in error
    assert str(tmp_path) in error
    assert not (tmp_path / "page.html").exists()


def test_records_of_an_unknown_version_are_refused_by_field(folders, tmp_path, capsys):
    record = next(aucenv.read_records(folders("clock")))
    later = json.dumps({**json.loads(record.to_json()), "env_version": 7})
    (tmp_path / "games.jsonl").write_text(record.to_json() + "\n" + later.replace('"index": 0', '"index": 1') + "\n")
    assert run(tmp_path, "--out", tmp_path / "page.html") == 2
    assert "env_version" in capsys.readouterr().err


def test_a_line_that_is_cut_off_is_left_out(folders, tmp_path):
    *lines, last = (folders("clock") / "games.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "games.jsonl").write_text("".join([*lines, last[: len(last) // 2]]))
    assert len(blocks_of(report([tmp_path]))["summary"]["games"]) == len(lines)


@pytest.mark.parametrize(
    ("what", "got"),
    [(3, "got 3"), (None, "got None"), ([], r"got \[\]"), ({"a": 1}, "got {'a': 1}"), (b"run", "got b'run'")],
)
def test_what_cannot_be_shown_is_refused(what, got):
    with pytest.raises(
        TypeError, match=f"^show: expected the record of a game, or the path of a results folder, {got}$"
    ):
        aucenv.show(what)


def test_one_record_is_shown_at_a_time(folders):
    records = list(aucenv.read_records(folders("clock")))
    with pytest.raises(
        TypeError, match=rf"got {len(records)} records; show one of them, such as show\(records\[0\]\)$"
    ):
        aucenv.show(records)


def test_the_repr_of_a_record_fits_a_screen(folders):
    record = next(aucenv.read_records(folders("clock")))
    assert repr(record) == (
        f"<GameRecord: game 0 of clock; scenario {record.scenario['name']}; seed {record.seed}; bidders "
        f"{', '.join(player['bidder'] for player in record.seats)}; {len(record.decisions)} decisions>"
    )
    long = {**record.seats[0], "bidder": "x\x1b[2J\n" * 10_000}
    shown = repr(dataclasses.replace(record, seats=[long] * 16, seed=[2**63] * 100))
    assert len(shown) < 400
    assert shown.isprintable()


def test_three_folders_are_refused(capsys):
    assert run("a", "b", "c") == 2
    assert "one results folder or two, got 3" in capsys.readouterr().err


def test_lone_surrogates_in_words_are_kept(folders):
    record = next(aucenv.read_records(folders("clock")))
    data = json.loads(record.to_json())
    data["decisions"][0]["notes"] = {"reason": "\ud800 </script><script>alert(1)</script>"}
    page = record_page(GameRecord(**{name: value for name, value in data.items() if name != "version"}))
    assert "alert(1)" not in page
    assert blocks_of(page)["games-0"]["games"][0]["decisions"][0]["notes"]["reason"].startswith("\ud800")


def test_the_gallery_has_a_page_of_each_game(tmp_path):
    from aucenv.benchmarks.gallery import BIDDERS, write_gallery
    from paths import ROOT

    assert {family.name for family in FAMILIES.values()} == set(BIDDERS)
    assert {page.stem for page in (ROOT / "docs" / "gallery").glob("*.html")} == set(BIDDERS)
    for page in write_gallery(tmp_path, games=1):
        assert blocks_of(page.read_text())["summary"]["games"]


def test_a_run_that_stopped_early_counts_its_finished_games(tmp_path, capsys):
    """The calls of a game that has no record are no calls of a game on the page, and no option shows them."""
    folder, prices = tmp_path / "run", tmp_path / "prices.json"
    prices.write_text(json.dumps({"m": {"input": 100, "output": 100}}))
    with Loopback() as server:
        bidders = ["--bidder", f"m=llm:openai:m,base_url={server.url}", "--bidder", "truthful", "--bidder", "shade"]
        limits = ["--max-cost", "3", "--prices", str(prices), "--concurrency", "1", "--out", str(folder)]
        command("leaderboard", "--game", "sealed_bid", "--set", "num_items=3", "--games", "60", *bidders, *limits)
    records, calls = list(aucenv.read_records(folder)), list(aucenv.read_calls(folder))
    finished = {record.index for record in records}
    unfinished = [call for call in calls if call.game not in finished]
    assert finished
    assert unfinished
    summary = blocks_of(report([folder]))["summary"]
    assert summary["notes"] == []
    facts = summary["runs"][0]["facts"]
    assert [text for name, text in facts if name == "games"] == [f"{len(records)} of 60 games of sealed_bid"]
    [text] = [text for name, text in facts if name == "model calls"]
    assert text.startswith(f"{len(calls)}, ")
    assert text.endswith(f"; {len(unfinished)} of them in unfinished games")
    summary = blocks_of(report([folder], calls=1))["summary"]
    [note] = summary["notes"]
    assert f"1 of the {len(finished)} games with model calls" in note
