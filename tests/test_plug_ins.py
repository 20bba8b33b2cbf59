"""A game and a bidder of another package, found by their entry points, work everywhere as those of aucenv do."""

from __future__ import annotations

import json
import os
import pickle
import re
from pathlib import Path

import pytest
from forks import PACKAGES, PLAYING, Forks
from packages import install, with_package
from paths import ROOT

PLUGIN = ROOT / "tests" / "plugin_game"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return install(PLUGIN, tmp_path_factory.mktemp("plugin"))


@pytest.fixture(scope="module")
def installed(site, tmp_path_factory):
    """Copies of a process that finds the package and has imported aucenv."""
    with Forks(tmp_path_factory.mktemp("installed"), PLAYING, with_package(site, COLUMNS="160")) as forks:
        yield forks


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """Copies of a process that has not imported aucenv, which reads entry points when it is imported."""
    with Forks(tmp_path_factory.mktemp("fresh"), PACKAGES, {**os.environ, "COLUMNS": "160"}) as forks:
        yield forks


@pytest.fixture
def run(installed, fresh, tmp_path):
    """Run code, or the command `aucenv`, in a process that finds the package, or those in the folder `path`."""

    def run(code: str, *args: str, fails: bool = False, path: Path | None = None, typed: str = "") -> str:
        if path is None:
            done = installed.run(code, *args, folder=tmp_path, typed=typed)
        else:
            done = fresh.run(f"import sys\nsys.path.insert(1, {str(path)!r})\n{code}", *args, folder=tmp_path)
        assert (done.returncode != 0) == fails, done.stderr
        return done.stderr if fails else done.stdout

    return run


COMMAND = "import sys; from aucenv.cli import main; main(sys.argv[1:])"


def test_import_aucenv_reads_names_only(run):
    printed = run(
        "import aucenv, sys; print(aucenv.uniform_price_v0, [m for m in sys.modules if m.startswith('uniform_price')])"
    )
    assert printed == "<aucenv.uniform_price_v0> []\n"


def test_pettingzoo_and_gymnasium_make_it(run):
    code = """
import aucenv, gymnasium, pettingzoo, pickle
env = pettingzoo.make("aec", "aucenv/uniform-price-v0", num_units=1, num_bidders=3)
env.reset(seed=1)
print(env.max_num_agents, env.observe("bidder_0")["observation"].shape)
seat = gymnasium.make("aucenv/UniformPrice-v0", rivals=["truthful", "shade", "random"])
print(seat.reset(seed=1)[0]["action_mask"].sum())
game = aucenv.uniform_price_v0.game
assert pickle.loads(pickle.dumps(game)) is game
assert pickle.loads(pickle.dumps(aucenv.uniform_price_v0)) is aucenv.uniform_price_v0
"""
    assert run(code) == "3 (12,)\n102\n"


def test_it_keeps_the_contract(run):
    code = "from aucenv.testing import check_game; from aucenv.testing.games import CHECKS; "
    assert run(code + "print(check_game('uniform_price') == list(CHECKS))") == "True\n"


def test_commands_know_it(run, tmp_path):
    game = ["--game", "uniform_price"]
    lineup = ["--bidder", "truthful", "--bidder", "least,dollars=3", "--bidder", "random", "--bidder", "llm:scripted"]
    assert "scenarios: two-of-four, three-of-eight, ten-rounds" in run(COMMAND, "envs")
    listed = run(COMMAND, "bidders", *game)
    assert "Bids its value, which is an equilibrium" in listed
    assert "Bids $0 in every round" in listed
    assert "Of the package uniform-price." in listed
    run(COMMAND, "leaderboard", *game, *lineup, "--games", "24", "--out", "out", "--concurrency", "2")
    table = json.loads((tmp_path / "out" / "table.json").read_text())
    assert table[0]["bidder"] == "truthful"
    assert {row["bidder"] for row in table} == {"truthful", "least,dollars=3", "random", "llm:scripted (script)"}
    shown = run(COMMAND, "records", "show", "out", "3")
    assert "profit" in shown
    run(COMMAND, "report", "out", "--out", "report.html")
    assert (tmp_path / "report.html").stat().st_size > 50_000
    words = "from aucenv.benchmarks.report.page_data import game_data; import aucenv; "
    words += "print(game_data(next(iter(aucenv.read_records('out'))))['boards'])"
    assert "profit" in run(words)
    seats = [f"--bidder={bidder}" for bidder in ("truthful", "shade,share=0.5", "random", "least")]
    shown = run(COMMAND, "watch", *game, *seats)
    assert "profit $0." in shown
    assert re.search(r"^Round 1: price \$\d+\.$", shown, re.MULTILINE)


def test_a_person_plays_it_in_a_terminal(run, tmp_path):
    lines = ["40", "I bid $20", "?", "12.5", "w"]
    seats = [f"--bidder={bidder}" for bidder in ("human:Ann", "truthful", "shade", "least")]
    printed = run(COMMAND, "play", "--game=uniform_price", *seats, "--games=2", "--out=run", typed="\n".join(lines))
    assert "all bid once, unseen by each other" in printed
    assert "What do you bid?" in printed
    records = [json.loads(line) for line in (tmp_path / "run" / "games.jsonl").read_text().splitlines()]
    seats = [{seat["seat"]: seat["bidder"] for seat in record["seats"]} for record in records]
    by_person = [
        decision["amount"]
        for bidders, record in zip(seats, records, strict=True)
        for decision in record["decisions"]
        if bidders[decision["seat"]] == "human:Ann"
    ]
    assert by_person == [40, 20]


@pytest.mark.slow
def test_a_benchmark_by_a_user_suite(run, tmp_path):
    table = {"name": "one", "seed": 1, "scenario": "two-of-four", "rivals": ["shade,share=0.8", "shade", "truthful"]}
    sizes = {"S": 40, "M": 40, "L": 40}
    suite = {"name": "units", "version": 1, "sizes": sizes, "games": {"uniform_price": {"tables": [table]}}}
    (tmp_path / "units.json").write_text(json.dumps(suite))
    (tmp_path / "half.py").write_text("""
class Half:
    interface = "amount"
    observes = False
    def reset(self, seat, seed): pass
    def act(self, view, observation): return view.value // 2
    def close_game(self, view): pass
""")
    bidders = ("truthful", "shade,share=0.5", "least", "py:half.py:Half", "llm:scripted")
    lineup = [part for bidder in bidders for part in ("--bidder", bidder)]
    run(COMMAND, "benchmark", "--suite", "units.json", *lineup, "--out", "run")
    rows = json.loads((tmp_path / "run" / "table.json").read_text())
    scores = {row["bidder"]: row["overall"] for row in rows}
    assert set(scores) == {*bidders[:-1], "llm:scripted (script)"}
    assert scores["truthful"] > scores["py:half.py:Half"] == scores["shade,share=0.5"]
    assert "200 games, no problem" in run(COMMAND, "benchmark", "verify", "run")
    from aucenv.benchmarks.benchmark.suite import load_suite

    assert "uniform_price" not in load_suite().games


def test_games_in_processes_are_those_of_play(run, tmp_path):
    script = tmp_path / "script.py"
    script.write_text("""
import aucenv
from aucenv.runs.executors import play_many
if __name__ == "__main__":
    lineup = ("truthful", "shade", "random", "truthful")
    matches = [aucenv.Match("uniform_price", "ten-rounds", lineup, (5, i), i) for i in range(12)]
    records = sorted(play_many(matches, 2), key=lambda record: record.index)
    print([record.to_json() for record in records] == [match.play().to_json() for match in matches])
""")
    assert run(f"import runpy; runpy.run_path({str(script)!r}, run_name='__main__')") == "True\n"


def test_revenue_is_that_of_theory(run):
    code = """
import aucenv, numpy as np
from uniform_price.theory import expected_price, expected_revenue
for name in ("two-of-four", "three-of-eight"):
    scenario = aucenv.uniform_price_v0.game.load_scenario(name)
    n, k = scenario.num_bidders, scenario.num_units
    assert abs(expected_price(scenario) - 100 * (n - k) / (n + 1)) < 1
    paid = aucenv.rollout("uniform_price", name, ["truthful"] * n, 20_000, 1)["paid"].sum(1) / 100
    error = paid.std() / np.sqrt(len(paid))
    assert abs(paid.mean() - expected_revenue(scenario)) < 3 * error
print("within three errors")
"""
    assert run(code) == "within three errors\n"


def test_a_game_can_be_registered_in_code(run, site):
    code = f"""
import aucenv, sys; sys.path.insert(0, {str(site)!r})  # now, so that its entry point is not known
env = aucenv.register_game("uniform_price.game:GAME")
assert env is aucenv.uniform_price_v0 is aucenv.register_game("uniform_price.game:GAME")
print(aucenv.play("uniform_price", "two-of-four", ["truthful"] * 4, 1).game)
"""
    assert run(code, path=Path()) == "uniform_price\n"


def entry_points(folder: Path, name: str, text: str, requires: str = "") -> None:
    """Write the metadata of a package with these entry points."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{requires}")
    (info / "entry_points.txt").write_text(text)


BAD_GAMES = {
    "lottery": ("lottery = other.env:GAME", "", "expected a name with a version, such as posted_price_v0"),
    "raffle": ("raffle_v0 = other.env", "", "expected MODULE:GAME, got 'other.env'"),
    "bingo": ("bingo_v0 = other.env:GAME", "", "other.env cannot be imported: ModuleNotFoundError"),
    "keno": (
        "keno_v0 = other.env:GAME",
        "Requires-Dist: aucenv>=99.1\n",
        "game 'keno' of the package Bad_keno: it needs aucenv>=99.1, but this is aucenv",
    ),
}
"""The entry point of a game, what its package requires, and the error of a command that uses it."""
COMMANDS = """
import sys
from aucenv.cli import main
sys.stderr = sys.stdout
for words in sys.argv[1:]:
    print(f"@@ {words}")
    try:
        main(words.split())
    except SystemExit:
        pass
"""
"""A program that prints what commands print, whether they fail or not."""


@pytest.fixture
def bad(tmp_path):
    """A folder with packages that all have another mistake."""
    folder = tmp_path / "bad"
    for game, (text, requires, _) in BAD_GAMES.items():
        entry_points(folder, f"Bad_{game}", f"[aucenv.games]\n{text}\n", requires)
    entry_points(folder, "Bad_name", "[aucenv.games]\nenglish_v0 = other.env:GAME\n")
    entry_points(folder, "Bad_bidders", "[aucenv.bidders]\nrule = other:Bidder\nmissing = other:Bidder\n")
    return folder


def test_packages_with_mistakes_are_named_and_all_else_works(run, bad):
    listed = run(COMMAND, "envs", path=bad)
    assert "aucenv.harbor_v0" in listed
    code = "import aucenv; from aucenv.registration import PROBLEMS; print(aucenv.english_v0, PROBLEMS)"
    listed = run(code, path=bad)
    assert listed.startswith("<aucenv.english_v0> ")
    taken = "of the package Bad_name: expected a name that no other game has, but aucenv.envs.english.game declares it"
    assert taken in listed


def test_bad_games_and_bidders_of_packages_are_named_where_they_are_used(run, bad):
    bidders = "leaderboard --bidder missing --bidder rule --games 3"
    words = ["bidders", bidders, *(f"leaderboard --game {game}" for game in BAD_GAMES)]
    shown = dict(part.split("\n", 1) for part in run(COMMANDS, *words, path=bad).split("@@ ")[1:])
    assert "It cannot be imported: ModuleNotFoundError" in shown["bidders"]
    missing = "--bidder 'missing' of the package Bad_bidders: cannot create Bidder of other: ModuleNotFoundError"
    assert missing in shown[bidders]
    for game, (_, _, message) in BAD_GAMES.items():
        assert message in shown[f"leaderboard --game {game}"]
        assert f"of the package Bad_{game}" in shown[f"leaderboard --game {game}"]


def test_the_package_is_small():
    files = [*(PLUGIN / "uniform_price").glob("*.py")]
    assert len(files) <= 6  # with an empty __init__.py
    assert sum(len(file.read_text().splitlines()) for file in files) <= 300


def test_families_are_pickled_with_their_modules():
    import aucenv

    assert pickle.loads(pickle.dumps(aucenv.english_v0)) is aucenv.english_v0
