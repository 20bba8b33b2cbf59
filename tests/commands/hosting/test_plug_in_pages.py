"""The pages of a game of another package, which has no `board.py`: they show the default board."""

from __future__ import annotations

import re
import signal
import subprocess
import sys

import pytest
from packages import install, with_package
from paths import ROOT

pytestmark = pytest.mark.web
COMMAND = [sys.executable, "-c", "import sys; from aucenv.cli import main; main(sys.argv[1:])"]
GAME = ["--game", "uniform_price", "--scenario", "ten-rounds"]


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Return the environment of processes that import the package of the game."""
    return with_package(install(ROOT / "tests" / "plugin_game", tmp_path_factory.mktemp("plugin")))


@pytest.fixture
def page(chromium):
    opened, errors = chromium.new_page(viewport={"width": 1280, "height": 900}), []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    yield opened
    opened.close()
    assert not errors


def test_its_report_shows_each_decision_and_the_board(environment, page, tmp_path):
    for args in (["leaderboard", *GAME, "--games", "3", "--out", "run"], ["report", "run", "--out", "report.html"]):
        subprocess.run([*COMMAND, *args], env=environment, cwd=tmp_path, check=True, capture_output=True)
    page.goto((tmp_path / "report.html").as_uri() + "#game=0&move=1")
    page.locator(".panel h3").wait_for()
    assert re.search(r"bids \$\d+|makes no bid", page.locator(".panel h3").inner_text())
    assert page.locator(".board h3").first.inner_text() == "Round 1 of 10"
    assert page.locator(".board tbody").first.locator("tr").count() == 4
    page.keyboard.press("End")
    page.get_by_text("The game is terminated").wait_for()


def test_a_person_plays_it_on_a_live_page(environment, page, tmp_path):
    seats = ["human:Ann", "truthful", "shade", "least"]
    bidders = [part for bidder in seats for part in ("--bidder", bidder)]
    process = subprocess.Popen(
        [*COMMAND, "host", *GAME, *bidders, "--port", "0", "--out", "run"],
        env=environment,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        links = (re.match(r"Ann: (http\S+)", line) for line in process.stdout)
        page.goto(next(filter(None, links))[1])
        for number in range(10):
            page.get_by_text(f"Round {number + 1}: a unit is worth").first.wait_for()
            if number % 2:
                page.locator("#amount").fill("30")
                page.locator("form.amount button").first.click()
            else:
                page.get_by_role("button", name="Make no bid").click()
        page.get_by_text("The games are over.").wait_for()
        process.send_signal(signal.SIGINT)
        process.wait(60)
    finally:
        process.kill()
        process.stdout.close()
    printed = subprocess.run(
        [*COMMAND, "records", "show", "run", "0"],
        env=environment,
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert "human" in printed
    assert printed.count("$30") >= 5
