"""The documentation agrees with the package."""

from __future__ import annotations

import importlib.util
import inspect
import io
import json
import re
import shlex
import shutil
import subprocess
import sys

import pytest
from aucenv.benchmarks import speed
from aucenv.benchmarks.loopback import Loopback
from aucenv.training.rlact.config import read_config
from aucenv.training.rlact.policy import BUNDLED_MODEL
from competent_agent import Competent
from paths import ROOT
from provider_servers import Anthropic
from tiny_training import TRAIN_COMMAND
from typer.main import get_command

import aucenv
from aucenv.cli import app, main
from aucenv.envs.english.vector import PER_GAME, PER_ITEM, PER_SEAT, feature_names
from aucenv.registration import FAMILIES

README = ROOT / "README.md"
GUIDE = sorted((ROOT / "docs").glob("*.md"))
PAGES = [
    README,
    *GUIDE,
    *sorted((ROOT / "docs" / "start").glob("*.md")),
    *sorted((ROOT / "docs" / "about").glob("*.md")),
]
GENERATED = "STUDIES.md"
"""The page of all studies, whose commands tests/benchmarks/test_all_studies.py runs at their smallest size."""
BLOCKS = [
    block
    for page in PAGES
    if page.name != GENERATED
    for block in re.findall(r"```(\w+)\n(.*?)```", page.read_text(), flags=re.DOTALL)
]
PAGE = aucenv.english_v0.__doc__


def blocks(language: str) -> list[str]:
    return list(dict.fromkeys(body for kind, body in BLOCKS if kind == language))


@pytest.mark.parametrize("snippet", blocks("python"))
def test_snippets_run(snippet, tmp_path):
    done = subprocess.run([sys.executable, "-c", snippet], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert len(snippet.strip().splitlines()) <= 16


def test_readme_opens_with_a_picture_of_the_leaderboard(capsys):
    with pytest.raises(SystemExit):
        main(["leaderboard"])
    shown = [line.rstrip() for line in capsys.readouterr().out.rstrip().splitlines()]
    assert blocks("text")[0].rstrip("\n").splitlines() == shown


def test_commands_run(tmp_path, monkeypatch, capsys):
    targets = set(re.findall(r"^([a-z]+):.*##", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    commands = dict.fromkeys(line for block in blocks("bash") for line in block.strip().splitlines())
    (tmp_path / "patient.py").write_text(
        next(block for block in blocks("python") if "Patient" in block).split("record")[0]
    )
    (tmp_path / "mine.py").write_text(next(block for block in blocks("python") if "class LastDay" in block))
    monkeypatch.chdir(tmp_path)
    assert list(commands)[:2] == ["make leaderboard", "make test"]
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-planted-5f2a9c")
    priced = ("gpt-4.1-mini", Anthropic.name)
    (tmp_path / "prices.json").write_text(json.dumps({model: {"input": 1, "output": 1} for model in priced}))
    for command in commands:
        words = shlex.split(command)
        if words[0] == "make":
            assert words[1] in targets
        elif words[:3] == ["aucenv", "train", "ppo"]:
            settings = ("num_envs=64", "updates=2", "save_every=2", "minibatches=1")
            with pytest.raises(SystemExit) as exit_:
                main([*words[1:], *(word for each in settings for word in ("--set", each)), "--eval-games", "30"])
            assert not exit_.value.code
        elif words[:2] == ["aucenv", "play"]:
            monkeypatch.setattr("sys.stdin", io.StringIO("w\n" * 500))
            with pytest.raises(SystemExit) as exit_:
                main(words[1:])
            assert not exit_.value.code
        elif words[:2] == ["aucenv", "host"]:  # tests/commands/hosting plays
            get_command(app).commands["host"].make_context("host", words[2:])
        elif words[:2] == ["aucenv", "train"]:  # training has tests of its own
            preset, out = (words[words.index(option) + 1] for option in ("--preset", "--out"))
            changes = dict(word.split("=", 1) for word in words if "=" in word)
            read_config(preset, None, tmp_path / out, changes)
            if command == TRAIN_COMMAND:
                shutil.copytree(BUNDLED_MODEL, tmp_path / out / "model")
        elif words[0] == "aucenv" and "small" not in words:  # test_local_models.py plays with smollm2
            extra = ["--prices", "prices.json"] if "--max-cost" in words else []
            extra += ["--games", "24" if "--meta" in words else "6"] if words[1] in ("leaderboard", "study") else []
            extra += ["--workers", "1"] if "--workers" in words and "learnt" not in words else []  # each loads torch
            extra += {"states": ["--states", "200"], "judge": ["--samples", "8"]}.get(words[2], [])
            server_class = Competent if "agent=" in command else Anthropic if Anthropic.name in command else Loopback
            with server_class() as server:
                words = [re.sub("|".join(priced), rf"\g<0>,base_url={server.url}", word) for word in words]
                with pytest.raises(SystemExit) as exit_:
                    main([*words[1:], *extra])
            assert not exit_.value.code
        elif words[0] == "python":  # measures for minutes, beside peers
            assert words[1] == "-m"
            assert importlib.util.find_spec(words[2]) is not None
            if words[2] == "aucenv.benchmarks.speed":
                assert words[3] in [command.callback.__name__ for command in speed.app.registered_commands]
        else:
            assert words[0] in ("export", "pip", "aucenv")
    assert TRAIN_COMMAND in commands
    assert "patient" in capsys.readouterr().out


def test_the_readme_is_short_and_links_to_every_page():
    assert len(README.read_text().splitlines()) <= 180
    linked = set(re.findall(r"\]\(docs/(\w+\.md)\)", README.read_text()))
    assert linked == {page.name for page in GUIDE}


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda page: page.name)
def test_links_lead_to_files(page):
    for target in re.findall(r"\]\((?!http|generated/)([^)#]+)\)", page.read_text()):  # `make docs` generates pages
        assert (page.parent / target).exists(), target


def test_ci_runs_the_readmes_test_command():
    assert "make test" in (ROOT / ".ci" / "run").read_text()


def test_every_target_mentioned_exists():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    for page in (*PAGES, ROOT / "CONTRIBUTING.md", ROOT / ".ci" / "run"):
        assert set(re.findall(r"make ([a-z]+)`", page.read_text())) <= targets


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda page: page.name)
def test_paths_mentioned_exist(page):
    for path in re.findall(r"`((?:aucenv|baselines|tests|core|envs|benchmarks)/[\w./]+)`", page.read_text()):
        assert (ROOT / path).exists() or (ROOT / "aucenv" / path).exists(), path


@pytest.mark.parametrize("family", FAMILIES.values(), ids=list(FAMILIES))
def test_a_page_has_every_section(family):
    for section in ("| fact | value |", "**Observations.**", "**Actions.**", "**Rewards**", "**Infos**", "**End.**", "**Arguments**",
                    "**Differences", "**Versions.**", "```bibtex"):  # fmt: skip
        assert section in family.__doc__


def fact(name: str) -> str:
    return re.search(rf"^\| {name} \| (.*) \|$", PAGE, flags=re.MULTILINE)[1]


def test_english_facts_are_those_of_the_live_env():
    env = aucenv.english_v0()
    assert fact("Agents").startswith("`bidder_0`")
    assert env.possible_agents == ["bidder_0", "bidder_1", "bidder_2"]
    size = env.observation_space("bidder_0")["observation"].shape[0]
    assert f"12 + 7 * bidders + 5 * items features ({size} by default)" in fact("Observations")
    assert f"({env.state_space.shape[0]} by default)" in fact("State")
    assert (env.state_space.low.min(), env.state_space.high.max()) == (-10, 10)
    for bidders, items in ((2, 1), (16, 7)):
        small = aucenv.english_v0(num_bidders=bidders, num_items=items)
        assert small.observation_space("bidder_0")["observation"].shape == (12 + 7 * bidders + 5 * items,)
        assert len(feature_names(bidders, items)) == 12 + 7 * bidders + 5 * items
    assert (len(PER_GAME), len(PER_SEAT), len(PER_ITEM)) == (12, 7, 5)


def test_english_index_table_names_every_feature_in_order():
    rows = re.findall(r"^\| (\d[^|]*) \| (.*) \|$", PAGE, flags=re.MULTILINE)
    for (index, text), (_, about) in zip(rows[:9], PER_GAME[:9], strict=True):
        assert text == about, index
    assert rows[9][0] == "9, 10, 11"
    assert rows[10][0] == "12 + 7k ..."
    assert rows[10][1].count(",") == len(PER_SEAT)
    assert rows[11][0] == "12 + 7N + 5j ..."
    assert rows[11][1].count(",") + 1 == len(PER_ITEM)


@pytest.mark.parametrize("family", FAMILIES.values(), ids=str)
def test_pages_list_every_argument_with_its_default(family):
    page = family.__doc__.split("**Arguments**")[1].split("**Differences")[0]
    rows = re.findall(r"^\| (\w+) \| (.*?) \| .* \|$", page, flags=re.MULTILINE)[1:]
    parameters = inspect.signature(family).parameters
    assert [name for name, _ in rows] == list(parameters)
    for name, default in rows:
        actual = parameters[name].default
        assert actual in (None, "scenario") if default.startswith("the scenario's") else eval(default) == actual, name


def test_the_harbor_page_is_that_of_the_live_env():
    from aucenv.envs.harbor import vector

    family = FAMILIES["harbor"]
    page, env = family.__doc__, family()
    size = env.observation_space("bidder_0")["observation"].shape[0]
    assert f"22 + 7 * bidders + 15 * items + 3 * bidders * items features ({size} by default)" in page
    assert f"({env.state_space.shape[0]} by default)" in page
    for bidders, items in ((2, 5), (7, 15)):
        small = family(num_bidders=bidders, num_items=items, matches=1)
        expected = 22 + 7 * bidders + 15 * items + 3 * bidders * items
        assert small.observation_space("bidder_0")["observation"].shape == (expected,)
        names = vector.feature_names(bidders, items)
        assert len(names) == expected
        first = 12 + 7 * bidders + 5 * items
        assert names[:first] == feature_names(bidders, items)
        assert (names[first], names[first + 10]) == ("persona0", "item0.liking0")
        assert names[first + 10 + 10 * items] == "item0.seat+0.raises"
    assert page.split("the bidder k seats further: ")[1].split(" |")[0].count(",") + 1 == len(vector.PER_SEAT_ITEM)


def test_versions_agree():
    version = aucenv.__version__
    assert f"version: {version}" in (ROOT / "CITATION.cff").read_text()
    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text()


@pytest.mark.parametrize(
    ("name", "size_in_words", "added"),
    [("sealed_bid", "12 + bidders", 2), ("clock", "14 + 2 * bidders", 4)],
    ids=["sealed_bid", "clock"],
)
def test_prize_pages_are_those_of_the_live_envs(name, size_in_words, added):
    from importlib import import_module

    from aucenv.envs.single_item.vector import PER_RANK

    family = FAMILIES[name]
    page, env = family.__doc__, family()
    vector = import_module(f"aucenv.envs.{name}.vector")
    size = env.observation_space("bidder_0")["observation"].shape[0]
    assert f"({size} by default)" in page
    assert f"({env.state_space.shape[0]} by default)" in page
    assert f"1-D: {size_in_words} features" in page
    assert eval(size_in_words, {"bidders": 3}) == size
    features = re.findall(r"^\| (\d+) \| (.*) \|$", page, flags=re.MULTILINE)
    about = vector.PER_GAME + getattr(vector, "PER_CLOCK", ())
    assert [int(index) for index, _ in features] == list(range(len(about)))
    assert [text for _, text in features] == [text for _, text in about]
    ranked = re.findall(
        r"^\| (?:\d+ \+ )+(?:N \+ )?k \.\.\. \| for k = 0 \.\.\. N-\d: (.*) \|$", page, flags=re.MULTILINE
    )
    assert ranked == [text for _, text in PER_RANK + getattr(vector, "PER_EXIT", ())]
    assert len(vector.feature_names(5)) == size + added


def test_the_water_page_is_that_of_the_live_env():
    from aucenv.envs.water_allocation import vector

    family = FAMILIES["water_allocation"]
    page, env = family.__doc__, family()
    size = env.observation_space("bidder_0")["observation"].shape[0]
    assert f"5 + 10 * residents features ({size} by default)" in page
    assert f"({env.state_space.shape[0]} by default)" in page
    assert f"Discrete({env.action_space('bidder_0').n})" in page
    assert (len(vector.PER_GAME), len(vector.PER_SEAT)) == (5, 10)
    assert (
        len(vector.feature_names(7))
        == family(residents=[aucenv.Resident(f"r{i}", 5, 9) for i in range(7)])
        .observation_space("bidder_0")["observation"]
        .shape[0]
    )
    features = re.findall(r"^\| (\d+) \| (.*) \|$", page, flags=re.MULTILINE)
    assert [text for _, text in features] == [text for _, text in vector.PER_GAME]
    per_seat = re.search(r"the resident k seats further: (.*) \|$", page, flags=re.MULTILINE)[1]
    assert per_seat.count(",") + 1 == len(vector.PER_SEAT)
