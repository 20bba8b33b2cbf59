"""A paper as one run: `aucenv study aucarena`, and variants of prompts."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from aucenv.benchmarks.studies import paper_run, prompts
from aucenv.benchmarks.studies.registry import PAPERS, STUDIES
from aucenv.benchmarks.studies.study import Study
from aucenv.benchmarks.timings.loopback import Loopback
from run_command import command

from aucenv.core.words.bidder_name import label_of
from aucenv.runs.play import play
from aucenv.runs.records import read_records

MODELS = ["gpt-4.1=llm:scripted", "claude=llm:scripted,limit=0.8", "gemini=llm:scripted,minor=0.6"]
PLAYED = [*MODELS[:2], "pace"]
"""The bidders of the run: two baselines, and a challenger that plays quickly; the other one is `rule`."""
FIGURES = ("standard", "mistakes", "priorities", "raises", "adherence", "ablation", "niche", "behaviour", "people")


def options(models, *more):
    return [*(word for name in models for word in ("--bidder", name)), *more]


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("papers") / "aucarena"
    assert command("study", "aucarena", *options(PLAYED), "--games", "1", "--out", folder) == 0
    return folder


def test_one_run_has_all_tables_and_figures_of_the_paper(run_folder):
    page = (run_folder / "index.html").read_text()
    for name in FIGURES:
        for file in ("table.md", "table.json", "figure.png", "figure.svg"):
            assert (run_folder / name / file).stat().st_size > 100
        assert f'src="{name}/figure.png"' in page
    assert "The baselines are gpt-4.1 (script) and claude (script); the challengers are pace and rule." in page
    assert "are asked, as in the paper&#x27;s program" in page
    listing = (run_folder / "listing.md").read_text()
    assert "starting price" in listing
    assert all(record.scenario["ask_broke"] for record in read_records(run_folder))


def test_each_figure_shows_the_games_of_its_part(run_folder):
    rows = {name: json.loads((run_folder / name / "table.json").read_text()) for name in FIGURES}
    both = {"pace", "rule"}  # the challengers, each with both baselines, in each of six settings
    assert {row["bidder"]: row["games"] for row in rows["raises"]} == {
        **dict.fromkeys(both, 6),
        "gpt-4.1 (script)": 12,
        "claude (script)": 12,
    }
    assert {row["against"] for row in rows["raises"] if row["bidder"] in both} == {"gpt-4.1 (script), claude (script)"}
    assert {row["budget"] for row in rows["behaviour"]} == {10_000, 20_000, 40_000}
    assert {row["bidder"] for row in rows["ablation"]} == {"gpt-4.1 (script)", "claude (script)"}
    assert {(row["bidder"], row["budget"]) for row in rows["niche"]} == {
        ("claude (script), gpt-4.1 (script)", budget) for budget in (10_000, 20_000, 30_000)
    }
    assert all(row["deviation"] < 25 / 3 for row in rows["standard"])


def test_the_figures_are_drawn_again_from_the_records(run_folder, tmp_path):
    assert command("study", "aucarena", "--from-records", run_folder, "--out", tmp_path / "again") == 0
    for name in FIGURES:
        for file in ("table.json", "table.md", "figure.svg"):
            assert (tmp_path / "again" / name / file).read_bytes() == (run_folder / name / file).read_bytes()


def test_a_part_of_the_games_has_the_figures_that_it_can_have(run_folder, tmp_path, monkeypatch):
    monkeypatch.setattr(Study, "plot", lambda self, rows, *paths: None)
    lines = (run_folder / "games.jsonl").read_text().splitlines()
    shutil.copy(run_folder / "run.json", tmp_path)
    (tmp_path / "games.jsonl").write_text("\n".join(lines[:12]) + "\n")  # the competition alone
    run = PAPERS["aucarena"].run_of(PLAYED, 1, 0, True)
    sections, _ = paper_run.draw_saved(PAPERS["aucarena"], run, tmp_path, tmp_path / "out")
    left_out = [section.result.name for section in sections if section.result.error]
    assert left_out == ["aucarena/ablation", "aucarena/niche"]


@pytest.mark.parametrize(
    ("models", "baselines", "challengers"),
    [
        (MODELS[:1], ("rule", "value"), ["gpt-4.1 (script)"]),
        (MODELS[:2], MODELS[:2], ["rule"]),
        ([*MODELS, "pace", "drain"], MODELS[:2], ["gemini (script)", "pace", "drain", "rule"]),
        (["pace"], ("rule", "value"), ["pace"]),
        (["rule", "pace", "drain"], ("rule", "pace"), ["drain"]),
    ],
)
def test_who_plays(models, baselines, challengers):
    run = PAPERS["aucarena"].run_of(models, 10, 3, False)
    competition = run.parts["competition"]
    assert len(competition) == 60 * len(challengers)
    for match in competition:
        assert len({label_of(name) for name in match.bidders}) == 3
        assert set(map(label_of, baselines)) < set(map(label_of, match.bidders))
    played = [label_of(name) for match in competition for name in match.bidders]
    assert [label for label in dict.fromkeys(played) if label not in set(map(label_of, baselines))] == challengers
    agents = [name for name in models if "llm" in name]
    assert len(run.parts["ablation"]) == 20 * len(agents)
    assert len(run.parts["niche"]) == (30 if agents else 0)
    assert [match.index for match in run.matches] == list(range(len(run.matches)))
    assert ("rule bidders, because only one bidder is named" in " ".join(run.notes)) == (len(models) == 1)
    assert not any(match.scenario.ask_broke for match in run.matches)


def test_prices_are_printed_first_and_a_paid_run_needs_yes(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-planted")
    bidders = options(["a=llm:openai:gpt-4.1-mini", "b=llm:openai:gpt-4.1"])
    assert command("study", "aucarena", *bidders, "--out", tmp_path / "out") == 2
    errors = capsys.readouterr().err
    for label in "ab":
        assert f"{label}: about " in errors or f"{label}-adaptive: about " in errors
    assert "--yes starts it" in errors
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--out", "out"], "expected --bidder NAME=MODEL"),
        (options(["a=rule", "a=value"], "--out", "out"), "expected no duplicates, got a more than once"),
        (options(["a=rule"]), "expected --out DIR for its tables and figures, got none"),
        (options(["a=rule"], "--out", "out", "--shard", "1/2"), "expected no options of single studies, got --shard"),
        (["--from-records", "other", "--out", "out"], "expected a run of `aucenv study aucarena`, got 'english'"),
        (
            options(["a=rule"], "--from-records", "other", "--out", "out"),
            "expected --from-records without --bidder and --games",
        ),
        (["--from-records", "absent", "--out", "out"], "absent"),
    ],
)
def test_bad_input_is_an_error_and_leaves_nothing(tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    played = options(["rule", "value", "pace"], "--games", "3", "--set", "num_items=2", "--out", "other")
    assert command("leaderboard", *played) == 0
    capsys.readouterr()
    assert command("study", "aucarena", *arguments) == 2
    assert message in capsys.readouterr().err
    assert not Path("out").exists()


def test_figures_of_a_model_that_is_never_readable_are_undefined():
    with Loopback(answer=lambda body: "Hmm.") as server:
        run = PAPERS["aucarena"].run_of([f"mute=llm:openai:m,base_url={server.url},backoff=0.001"], 1, 0, True)
        names = [name for name, part in run.parts.items() for _ in part]
        first = {name: names.index(name) for name in run.parts if name != "ablation"}
        played = [run.matches[number] for number in first.values()]
        records = [play(m.game, m.scenario, m.bidders, m.seed, index=m.index) for m in played]

    def rows_of(name):
        study = STUDIES[name]
        rows = study.rows_of(run.records_of(PAPERS["aucarena"].studies[study], records))
        return [row for row in rows if row["bidder"].startswith("mute")]

    [row] = rows_of("aucarena/mistakes")
    assert [row[name] for name in ("failed", "own_budget", "beliefs", "program")] == [None] * 4
    assert row["unreadable"] == 1
    [row] = rows_of("aucarena/adherence")
    assert row["current_bids"] is None
    assert all(row["profit_1000"] is None for row in rows_of("aucarena/behaviour"))
    assert all(row["price_profit"] is None for row in rows_of("aucarena/niche"))


def variant_folders(tmp_path):
    source = Path(prompts.__file__).parents[2] / "baselines" / "llm" / "prompts"
    for name in ("short", "long"):
        shutil.copytree(source / "bdi", tmp_path / name)
    return tmp_path / "short", tmp_path / "long"


def test_variants_of_prompts_play_the_same_deals(tmp_path, capsys):
    short, long = variant_folders(tmp_path)
    (long / "system.md").write_text((long / "system.md").read_text() + "\nTake your time.")
    arguments = [
        "--bidder",
        "m=llm:scripted,agent=bdi",
        "--set",
        f"templates={short}",
        "--set",
        f"templates={long}",
        "--games",
        "6",
    ]
    assert command("study", "prompts", *arguments, "--out", tmp_path / "out") == 0
    rows = json.loads((tmp_path / "out" / "table.json").read_text())
    assert [row["bidder"] for row in rows] == ["short (script)", "long (script)"]
    assert "difference" not in rows[0]
    assert (rows[1]["difference"], rows[1]["difference_low"], rows[1]["difference_high"]) == (0, 0, 0)
    records = list(read_records(tmp_path / "out"))
    assert [record.seed for record in records[:6]] == [record.seed for record in records[6:]]
    calls = [json.loads(line) for line in (tmp_path / "out" / "calls.jsonl").read_text().splitlines()]
    systems = {call["messages"][0]["content"].endswith("Take your time.") for call in calls if call["same"] == 0}
    assert systems == {True, False}


def test_paired_differences_by_hand():
    """Two variants of the rule bidder earn other amounts in the same deals; the interval is that of the differences."""
    study = STUDIES["prompts"]
    matches = study.schedule(("a=value", "b=value,margin=0.4"), 8, 1)
    records = [play(m.game, m.scenario, m.bidders, m.seed, index=m.index) for m in matches]
    seats = [next(k for k, name in enumerate(m.bidders) if name[:2] in ("a=", "b=")) for m in matches]
    profits = [record.outcome["seats"][seat]["profit"] for record, seat in zip(records, seats, strict=True)]
    differences = [b - a for a, b in zip(profits[:8], profits[8:], strict=True)]
    mean = sum(differences) / 8
    error = (sum((each - mean) ** 2 for each in differences) / 7 / 8) ** 0.5
    [first, second] = study.rows_of(records)
    assert first["score"] == pytest.approx(sum(profits[:8]) / 8)
    assert second["difference"] == pytest.approx(mean)
    assert (second["difference_high"] - second["difference"]) == pytest.approx(2.3646 * error, rel=0.003)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--bidder", "m=llm:scripted"], "expected two variants or more"),
        (
            ["--bidder", "rule", "--set", "templates=a", "--set", "templates=b"],
            "expected one model without prompts=..., got 'rule'",
        ),
        (
            ["--bidder", "m=llm:scripted", "--set", "templates=absent"],
            "--set templates=absent: expected a folder of templates",
        ),
        (["--set", "templates=a"], "--set templates: expected the study prompts with one --bidder"),
        (["--bidder", "m=llm:scripted", "--set", "templates=.", "--set", "templates=."], "expected no duplicates"),
    ],
)
def test_bad_variants_are_errors(tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert command("study", "prompts", *arguments) == 2
    assert message in capsys.readouterr().err
