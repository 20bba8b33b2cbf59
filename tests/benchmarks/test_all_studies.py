"""All studies by one command, their page, and prices before the first call."""

from __future__ import annotations

import dataclasses
import json
import shutil
from html.parser import HTMLParser

import pytest
from aucenv.benchmarks.model_prices import prices_of_matches
from aucenv.benchmarks.studies import all_studies, registry
from aucenv.benchmarks.studies.all_studies import SUMMARY, command_of, ordered_studies, run_all, write_docs
from aucenv.benchmarks.studies.registry import STUDIES
from aucenv.benchmarks.studies.study import Study
from aucenv.benchmarks.studies.study_prices import price_with_model
from aucenv.benchmarks.timings.loopback import Loopback
from run_command import command

from aucenv.runs.loop import THIS_PROCESS
from aucenv.runs.model_calls.token_prices import TokenPrices

CHOSEN = ["labs/one-shot", "alympics/curves"]


@pytest.fixture(scope="module")
def few():
    """Two studies, of one game or session each."""
    with pytest.MonkeyPatch.context() as patch:
        few = [dataclasses.replace(STUDIES[name], offline_games=1, offline_bidders=()) for name in CHOSEN]
        patch.setattr(all_studies, "ordered_studies", lambda full: few)
        yield


@pytest.fixture(scope="module")
def finished(few, tmp_path_factory):
    """The folder of a finished run of both studies."""
    out = tmp_path_factory.mktemp("studies") / "all"
    assert command("study", "all", "--offline", "--out", out) == 0
    return out


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.pictures, self.cells = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag == "img":
            self.pictures.append(dict(attrs)["src"])

    def handle_data(self, data):
        self.cells.append(data)


def test_all_studies_write_one_page_and_resume(finished, tmp_path, capsys):
    page = Page((finished / "index.html").read_text())
    assert page.pictures == [f"{name}/figure.png" for name in CHOSEN]
    assert all((finished / picture).read_bytes().startswith(b"\x89PNG") for picture in page.pictures)
    markdown = (finished / "index.md").read_text()
    for study in all_studies.ordered_studies(False):
        name = study.name
        rows = json.loads((finished / name / "table.json").read_text())
        tables = study.tables(rows)
        assert f"### {name}\n" in markdown
        assert command_of(study) in markdown
        assert all(cell in page.cells for _, _, lines in tables for line in lines for cell in line if cell)
        assert study.meaning in markdown
    out = shutil.copytree(finished, tmp_path / "all")
    assert command("study", "all", "--offline", "--out", out) == 0
    assert "index.html has all tables and pictures" in capsys.readouterr().out.replace("\n", "")
    assert (out / CHOSEN[0] / "games.jsonl").read_bytes() == (finished / CHOSEN[0] / "games.jsonl").read_bytes()
    played, again = (json.loads((folder / SUMMARY).read_text()) for folder in (finished, out))
    assert {name: result["games"] for name, result in again.items()} == {
        name: result["games"] for name, result in played.items()
    }


def test_a_study_that_fails_does_not_stop_the_others(finished, tmp_path, monkeypatch):
    def fail(self, rows, *paths):
        raise ValueError("<b>no picture</b>")

    out = shutil.copytree(finished, tmp_path / "all")
    shutil.rmtree(out / CHOSEN[1])  # the first study has succeeded before, and the second one has not been run
    monkeypatch.setattr(Study, "plot", fail)
    results = run_all(out, THIS_PROCESS, 1, False, lambda line: None)
    assert [result.error for result in results] == ["ValueError: <b>no picture</b>"] * 2
    assert "&lt;b&gt;no picture&lt;/b&gt;" in (out / "index.html").read_text()
    with pytest.raises(ValueError, match="expected a run without failed studies, got labs/one-shot, alympics/curves"):
        write_docs(out, tmp_path / "STUDIES.md")


def test_the_page_of_the_documentation_has_its_pictures_and_minutes(finished, tmp_path, monkeypatch):
    monkeypatch.setattr(all_studies, "MINUTES", tmp_path / "minutes.json")
    write_docs(finished, tmp_path / "STUDIES.md")
    text = (tmp_path / "STUDIES.md").read_text()
    results = json.loads((finished / SUMMARY).read_text())
    assert [*results] == CHOSEN
    for name in results:
        picture = f"studies/{name.replace('/', '-')}.png"
        assert f"]({picture})" in text
        assert (tmp_path / picture).is_file()
    minutes = json.loads((tmp_path / "minutes.json").read_text())
    assert minutes == {name: result["minutes"] for name, result in results.items()}


def test_every_study_is_on_the_page_in_the_order_of_the_papers():
    assert {*ordered_studies(True)} == {*STUDIES.values()}
    assert {*ordered_studies(False)} == {study for study in STUDIES.values() if not study.trains}
    papers = [study.name.partition("/")[0] for study in ordered_studies(True)]
    assert list(dict.fromkeys(papers)) == ["aucarena", "harbor", "labs", "alympics", "prompts", "rl", "rlact"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--out", "x"),
        ("--offline",),
        ("--offline", "--out", "x", "--bidder", "rule"),
        ("--offline", "--out", "x", "--set", "judge=llm:scripted"),
    ],
)
def test_other_options_are_refused(arguments, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert command("study", "all", *arguments) == 2
    assert "study all: expected --offline and --out DIR" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_offline_is_an_option_of_all_studies(capsys):
    assert command("study", "labs/revenue", "--offline") == 2
    assert "expected no options of `aucenv study all`, got --offline" in capsys.readouterr().err


def test_a_study_with_a_model_states_its_price_and_needs_consent(tmp_path, capsys):
    prices = tmp_path / "prices.json"
    prices.write_text(json.dumps({"m": {"input": 2, "output": 10}}))
    with Loopback(lambda body: "I bid 1") as server:
        arguments = ["study", "labs/one-shot", "--bidder", f"gpt=llm:openai:m,base_url={server.url}", "--games", "1"]
        arguments += ["--out", tmp_path / "out", "--prices", prices]
        assert command(*arguments) == 2
        shown = capsys.readouterr().err
        assert "gpt: about 12 calls in 12 games" in shown
        assert "--yes starts it" in shown
        assert not server.requests
        assert not (tmp_path / "out").exists()
        assert command(*arguments, "--yes") == 0
        assert len(server.requests) == 12


def test_estimates_grow_with_games_and_prices():
    matches = STUDIES["labs/one-shot"].schedule(("llm:scripted,agent=plan-bid-reflect",), 2, 0)
    assert prices_of_matches(matches, TokenPrices()) == []
    [price] = prices_of_matches(matches, TokenPrices(), with_local=True)
    [double] = prices_of_matches([*matches, *matches], TokenPrices(), with_local=True)
    assert (double.games, double.calls) == (2 * price.games, 2 * price.calls)
    assert price.cost == 0
    assert price.calls == 2 * price.games  # a plan and a bid


def test_all_studies_are_listed_with_the_price_of_a_model(monkeypatch, capsys):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    smaller = {name: dataclasses.replace(study, games=2, model_games=2) for name, study in STUDIES.items()}
    monkeypatch.setattr(registry, "STUDIES", smaller)
    assert command("studies", "--model", "llm:openai:gpt-4.1-mini", "--wide") == 0
    rows = {row[0]: row for line in capsys.readouterr().out.splitlines() if (row := cells_of(line))}
    played = {name: study for name, study in smaller.items() if not study.trains}
    for name in played:
        calls, tokens_in, tokens_out, cost = (float(cell.replace(",", "")) for cell in rows[name][-4:])
        assert 0 < calls < tokens_out < tokens_in
        assert cost > 0
    price = price_with_model(smaller[CHOSEN[0]], "llm:openai:gpt-4.1-mini", TokenPrices())
    assert rows[CHOSEN[0]][-4:-1] == [f"{number:,}" for number in (price.calls, price.tokens_in, price.tokens_out)]
    assert all(rows[name][-4:] == ["-"] * 4 for name in smaller.keys() - played)
    assert command("studies") == 0
    assert CHOSEN[0] in capsys.readouterr().out
    assert command("studies", "--model", "rule") == 2
    assert "expected a bidder such as llm:openai:MODEL, got 'rule'" in capsys.readouterr().err


def cells_of(line):
    """Return the cells of a line of a table; none if it is no row with a name."""
    cells = [cell.strip() for cell in line.split("│")[1:-1]]
    return cells if cells and cells[0] else []
