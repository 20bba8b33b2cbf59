"""Live tables in a real browser. `make web` runs these tests; they need Chromium."""

from __future__ import annotations

import contextlib
import functools
import re
import time

import playwright.sync_api
import pytest
from aucenv.baselines.human.inbox import inbox_of
from games import CASES
from table_clients import WAIT, LiveRun

from aucenv.runs.records import read_records, replay

pytestmark = pytest.mark.web
PageRun = functools.partial(LiveRun, pause=0.5)  # pages take longer than scripts
TIMEOUT = 20_000
KEEP_SOCKETS = """
window.openSockets = [];
window.WebSocket = class extends WebSocket {
  constructor(...address) { super(...address); window.openSockets.push(this); }
};
"""
"""A script that lets a test cut the socket of a page."""
WIDTHS = (390, 1280)
GAMES = {name: list(case.rivals[1:]) for name, case in CASES.items()}
TWO = {"settings": {"games": 1, "changes": ("num_items=2",)}}


@pytest.fixture
def open_link(chromium):
    """Return a function that opens a link in a new browser context, and check at the end that no page had an error."""
    contexts, errors = [], []

    def open_(link, width=1280):
        context = chromium.new_context(viewport={"width": width, "height": 900})
        contexts.append(context)
        context.add_init_script(KEEP_SOCKETS)
        page = context.new_page()
        page.set_default_timeout(TIMEOUT)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: message.type == "error" and errors.append(message.text))
        page.goto(link)
        page.wait_for_selector("html[data-ready]")
        return page

    yield open_
    for context in contexts:
        context.close()
    assert not [error for error in errors if "WebSocket" not in error and "ERR_" not in error]


def is_asked(page):
    return page.locator(".turn:not([hidden]) button").count() > 0


def click_on(page, number):
    """Decide with the mouse: a button, or an amount in the field."""
    field = page.locator("#amount")
    with contextlib.suppress(playwright.sync_api.TimeoutError):  # the round has closed meanwhile
        if number % 2 and field.count():
            least = re.search(r"from [$€₽₹¥]?([\d.,]+)", page.locator("#range").inner_text(timeout=1000))[1]
            field.fill(least, timeout=1000)
            page.locator("form.amount button").first.click(timeout=1000)
        else:
            page.locator(".choice").nth(0 if number < 6 else -1).click(timeout=1000)


def press_on(page, number):
    """Decide with the keyboard alone."""
    page.keyboard.press("Tab")
    for _ in range(12):
        focused = page.evaluate(
            "[document.activeElement.tagName, document.activeElement.className, document.activeElement.id]"
        )
        if focused[1] == "choice" or (focused[2] == "amount" and number % 3 == 2):
            break
        page.keyboard.press("Tab")
    if focused[2] == "amount":
        page.keyboard.type("1")
    page.keyboard.press("Enter")


def play_to_the_end(pages, deciders):
    asked = dict.fromkeys(range(len(pages)), 0)
    deadline = time.monotonic() + 2 * WAIT
    while time.monotonic() < deadline:
        if all(page.locator(".replay").count() for page in pages):
            return
        for number, (page, decide) in enumerate(zip(pages, deciders, strict=True)):
            if is_asked(page):
                decide(page, asked[number])
                asked[number] += 1
                page.wait_for_timeout(30)
    raise AssertionError("the game has not ended")


@pytest.mark.parametrize("game", list(GAMES))
def test_two_people_play_one_by_mouse_and_one_by_keyboard(open_link, game, tmp_path):
    with PageRun(tmp_path / "live", game, ["human:Ann", "human:Ben", *GAMES[game]], **TWO) as live:
        ann = open_link(live.links["Ann"])
        ann.get_by_text("Waiting for everybody: 1 of 2 are here.").wait_for()
        ben, watcher = open_link(live.links["Ben"], 390), open_link(live.links["observers"])
        ann.get_by_role("heading", name="Your turn").wait_for()
        watcher.get_by_text("You are watching").wait_for()
        assert watcher.locator(".turn:not([hidden])").count() == 0
        play_to_the_end([ann, ben], [click_on, press_on])
        ann.get_by_text("The games are over.").wait_for()
        ann.locator(".replay").get_by_role("button", name="next decision").click()
    (record,) = read_records(tmp_path / "live")
    assert replay(record) is not None


def turn_of(page):
    page.get_by_role("heading", name="Your turn").wait_for()
    return page


def finish(live, *keys):
    """Let rule bidders play on for people, so that the game ends."""
    for key in keys:
        with contextlib.suppress(ValueError):
            inbox_of(key).replace("rule")


def test_a_reload_in_mid_round_and_a_cut_socket_lose_nothing(open_link, tmp_path):
    with PageRun(tmp_path / "live", "english", ["human:Ann", "human:Ben", "rule"], **TWO) as live:
        ann, ben = open_link(live.links["Ann"]), open_link(live.links["Ben"])
        turn_of(ann).locator("#amount").fill("1234")
        ann.wait_for_timeout(700)
        request = inbox_of("Ann").request.id
        ann.reload()
        assert turn_of(ann).locator("#amount").input_value() == "1234"
        ann.evaluate("() => window.openSockets[0].close()")
        ann.wait_for_function("() => window.openSockets.length === 2 && window.openSockets[1].readyState === 1")
        ann.get_by_text("Ann: Game 1 of 1: you are Alex, in seat 1 of 3. It is your turn.").wait_for()
        assert turn_of(ann).locator("#amount").input_value() == "1234"
        again = open_link(live.links["Ann"])
        assert turn_of(again).locator("#amount").input_value() == "1234"
        again.locator("form.amount button").first.dblclick()
        deadline = time.monotonic() + WAIT
        while inbox_of("Ann").request is not None and inbox_of("Ann").request.id == request:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        ann.wait_for_function("id => !document.querySelector('.turn:not([hidden])')", arg=request)
        finish(live, "Ann", "Ben")
        ben.locator(".replay").wait_for()
    (record,) = read_records(tmp_path / "live")
    first = next(one for one in record.decisions if one["seat"] == "bidder_0")
    assert first["amount"] == 1234


def test_a_refusal_and_a_timeout_are_shown(open_link, tmp_path):
    with PageRun(tmp_path / "live", "english", ["human:Ann,seconds=3", "rule", "value"], **TWO) as live:
        ann = open_link(live.links["Ann"])
        ann.get_by_role("button", name="I am ready").click()
        turn_of(ann).locator("#amount").fill("999999")
        ann.locator("form.amount button").first.click()
        ann.get_by_text("Please type an amount from $1,000 to $20,000").wait_for()
        ann.get_by_text("Answer in words").click()
        ann.get_by_label("your answer in words").fill("I bid $999,999!")
        ann.get_by_role("button", name="Say it").click()
        ann.get_by_text("is above the remaining budget").wait_for()
        ann.get_by_text("You have 3 answers left; if none of them is accepted, you make no bid.").wait_for()
        ann.get_by_text("Time was over. This is the last time that you are asked.").wait_for()
        assert "then you make no bid" in ann.locator(".countdown").inner_text()
        ann.get_by_text("Your time was over, and you made no bid. It is your turn.").wait_for()
        finish(live, "Ann")
        ann.locator(".replay").wait_for()


def test_wrong_links_say_what_to_do(open_link, tmp_path):
    with PageRun(tmp_path / "live", "english", ["human:Ann", "rule", "value"], **TWO) as live:
        address = live.links["Ann"].partition("#")[0]
        open_link(f"{address}#token=nonsense").get_by_text("This link is not one of this run.").wait_for()
        open_link(address).get_by_text("This address has no token.").wait_for()
        ann = turn_of(open_link(live.links["Ann"]))
        finish(live, "Ann")
        ann.locator(".replay").wait_for()


def test_rules_stand_open_beside_ready_and_time_runs_after_it(open_link, tmp_path):
    settings = {"settings": {"games": 2, "changes": ("num_items=1",)}, "feedback": "own"}
    people = ["human:Ann,seconds=600", "truthful", "truthful"]
    with PageRun(tmp_path / "live", "sealed_bid", people, **settings) as live:
        ann, host = open_link(live.links["Ann"], 390), open_link(live.links["host"])
        ann.get_by_role("heading", name="Before you start").wait_for()
        ann.get_by_text("You have 600 s for each decision.").wait_for()
        assert ann.locator(".turn .prose").is_visible()
        assert ann.locator(".countdown").count() == 0
        host.get_by_text("reads the rules").wait_for()
        ann.reload()
        ann.get_by_role("button", name="I am ready").click()
        turn_of(ann).locator(".countdown").wait_for()
        assert ann.get_by_text("for example").count() == 0
        ann.locator("#amount").fill("5")
        ann.get_by_role("button", name="Bid").click()
        ann.get_by_role("heading", name="Before you start").wait_for()
        ann.get_by_text("Game 1 of 2: The game is over. Your profit:").wait_for()
        assert ann.locator(".replay").count() == 0
        host.get_by_role("button", name="Start the time").click()
        turn_of(ann)
        finish(live, "Ann")
        ann.get_by_role("button", name="Abstain").click() if is_asked(ann) else None
        ann.locator(".replay").wait_for()


def test_names_and_words_with_markup_stay_text(open_link, tmp_path):
    name = "human:<img src=x onerror=alert(1)>"
    with PageRun(tmp_path / "live", "english", [name, "rule", "value"], **TWO) as live:
        page = turn_of(open_link(live.links[name.removeprefix("human:")]))
        page.get_by_text("Answer in words").click()
        page.get_by_label("your answer in words").fill("<script>alert(2)</script> I bid $1000")
        page.get_by_role("button", name="Say it").click()
        host = open_link(live.links["host"])
        host.get_by_text("<img src=x onerror=alert(1)>").wait_for()
        finish(live, name.removeprefix("human:"))
        page.locator(".replay").wait_for()
        assert page.locator("img, .prose script").count() == 0


def test_people_rate_their_play(open_link, tmp_path):
    names = ["human:Ann", "thirst", "share", "outbid", "saver"]
    with PageRun(tmp_path / "live", "water_allocation", names, rubrics=True) as live:
        ann = turn_of(open_link(live.links["Ann"], 390))
        inbox_of("Ann").replace("thirst")
        ann.locator(".rubrics").wait_for()
        for scale in ann.locator(".rubrics fieldset").all():
            scale.get_by_label("4").check()
        ann.get_by_role("button", name="Save my ratings").click()
        ann.get_by_text("Your ratings are saved.").wait_for()
    assert ",4,4,4,4,4,-" in (tmp_path / "live" / "ratings-Ann.csv").read_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_turn_is_accessible(chromium, scheme, tmp_path):
    from axe_playwright_python.sync_playwright import Axe

    with PageRun(tmp_path / "live", "english", ["human:Ann", "rule", "value"], **TWO) as live:
        context = chromium.new_context(color_scheme=scheme)
        page = context.new_page()
        page.goto(live.links["Ann"])
        turn_of(page)
        violations = Axe().run(page).response["violations"]
        host = context.new_page()
        host.goto(live.links["host"])
        host.get_by_role("heading", name="Tables").wait_for()
        violations += Axe().run(host).response["violations"]
        finish(live, "Ann")
        page.locator(".replay").wait_for()
        context.close()
    assert not [(one["id"], one["help"]) for one in violations]
