"""Pages in a real browser. `make web` runs these tests; they need Chromium."""

from __future__ import annotations

import json
from pathlib import Path

import games
import numpy as np
import pytest
from aucenv.benchmarks.report.page import page_script, record_page, report
from aucenv.benchmarks.report.page_data import game_data, page_module
from hypothesis import HealthCheck, Phase, given, settings

import aucenv
from aucenv.core.money import format_dollars
from aucenv.core.outside_text import escape_controls
from aucenv.core.record import GameRecord
from aucenv.core.table import Table
from aucenv.core.transcript import describe_decision
from aucenv.registration import find_family
from aucenv.runs.records import make_record, retrace

pytestmark = pytest.mark.web
GAMES = list(games.CASES)
TIMEOUT = 20_000


class Reader:
    """A person with a browser: opens pages, and notes requests and errors."""

    def __init__(self, browser, folder, **options):
        self.context = browser.new_context(accept_downloads=True, **options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(TIMEOUT)
        self.folder = folder
        self.requests, self.errors = [], []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda message: message.type == "error" and self.errors.append(message.text))

    def open(self, page, address=""):
        path = self.folder / "page.html"
        path.write_text(page, encoding="utf-8", errors="surrogatepass")
        self.page.goto("about:blank")
        self.page.goto(f"{path.as_uri()}{address}")
        self.page.wait_for_selector("html[data-ready]")

    def text(self, selector="main"):
        return self.page.locator(selector).first.inner_text()

    def document(self):
        return self.page.evaluate("document.documentElement.outerHTML")


@pytest.fixture
def reader(chromium, tmp_path):
    opened = Reader(chromium, tmp_path, viewport={"width": 1280, "height": 900})
    yield opened
    opened.context.close()
    assert not opened.errors
    assert all(url.startswith(("file://", "about:", "blob:")) for url in opened.requests)


@pytest.fixture(scope="session")
def pages(folders):
    written = {}

    def page(game):
        if game not in written:
            written[game] = report([folders(game)])
        return written[game]

    return page


@pytest.mark.parametrize("game", GAMES)
def test_a_replay_is_stepped_linked_and_played(reader, pages, folders, game):
    record = next(aucenv.read_records(folders(game)))
    last = len(record.decisions)
    reader.open(pages(game), "#game=0")
    page = reader.page
    assert reader.text("h2").endswith("seed {}, deal {}".format(*record.seed))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**#game=0&move=2")
    shown = reader.text(".panel")
    page.goto("about:blank")
    page.goto((reader.folder / "page.html").as_uri() + "#game=0&move=2")
    page.wait_for_selector(".panel h3")
    assert reader.text(".panel") == shown
    page.get_by_role("button", name="Play").click()
    page.get_by_text("decision 4 of").wait_for()
    page.get_by_role("button", name="Pause").click()
    page.wait_for_url(lambda url: not url.endswith("&move=2"))
    page.keyboard.press("End")
    page.wait_for_url(f"**&move={last}")
    assert "end of the game" in reader.text(".position")
    page.keyboard.press("Home")
    page.wait_for_url("**&move=0")


@pytest.mark.parametrize("game", GAMES)
def test_moves_agree_with_the_transcript(reader, pages, folders, game):
    record = next(aucenv.read_records(folders(game)))
    names = {player["seat"]: player["name"] for player in record.seats}
    reader.open(pages(game), "#game=0")
    for move in np.random.default_rng(1).integers(len(record.decisions), size=10).tolist():
        decision = record.decisions[move]
        reader.page.evaluate("move => { location.hash = `#game=0&move=${move}` }", move)
        reader.page.wait_for_function(
            "move => document.querySelector('.position').value.startsWith(`decision ${move + 1} `)", arg=move
        )
        line, shown = describe_decision(decision, names), reader.text(".panel")
        assert names[decision["seat"]] in line
        assert names[decision["seat"]] in shown
        if decision["amount"]:
            assert format_dollars(round(decision["amount"] * 100)) in line
            assert format_dollars(round(decision["amount"] * 100)) in shown
        for attempt in decision["attempts"]:
            assert attempt["refused"] in shown


@pytest.mark.parametrize("game", GAMES)
def test_a_seats_page_holds_only_what_the_seat_could_know(reader, game):
    """Views of a seat do not depend on what is hidden from it: with other hidden values, the document is the same."""
    case = games.CASES[game]
    rng = np.random.default_rng(3)
    scenario = find_family(game).game.load_scenario(find_family(game).game.default_scenario)
    record = random_game(case, scenario, rng, 0)
    seat = 1
    documents = []
    for changed in (record, with_other_secrets(record, seat)):
        reader.open(record_page(changed), f"#game=0&move=0&seat={seat}")
        pages = []
        for _ in range(4):
            pages.append(reader.page.locator("main").evaluate("node => node.outerHTML"))
            reader.page.keyboard.press("ArrowRight")
        documents.append(pages)
        assert not any(
            character.isdigit() for character in reader.text(".position").partition(" of ")[2]
        )  # how many decisions will follow depends on the others
        assert reader.page.locator("input[type=range]:visible").count() == 0
        assert reader.page.locator("input[type=range]").get_attribute("max") == "0"
        assert reader.page.locator('script[type="text/plain"]').count() == 0
    assert documents[0] == documents[1]


def with_other_secrets(record, seat):
    """Return a record in which values, estimates, personas, notes and words of the other seats differ."""
    data = json.loads(record.to_json())
    for number, dealt in enumerate(data["deal"]["seats"]):
        if number != seat:
            for name in ("estimates", "values"):
                if name in dealt:
                    dealt[name] = [value + 12_345 for value in dealt[name]]
            if "personas" in dealt:
                dealt["personas"] = ["retiree"]
    for decision in data["decisions"]:
        if decision["seat"] != f"bidder_{seat}":
            decision["notes"] = {"reason": "a secret reason", "plan": "a secret plan"}
            decision["attempts"] = [{"action": "secret", "refused": "a secret refusal", "kind": "unreadable"}]
    for player in data["seats"]:
        if player["seat"] != f"bidder_{seat}":
            player["notes"] = {"plan": "a secret plan at the end"}
    if "supplies" in data["deal"]:
        data["deal"]["supplies"][6:] = [1] * len(data["deal"]["supplies"][6:])
    if "items" in data["deal"]:
        data["deal"]["items"][-1]["true_value"] += 12_345
    return GameRecord(**{name: value for name, value in data.items() if name != "version"})


def test_games_are_filtered_and_searched(reader, pages, folders):
    records = list(aucenv.read_records(folders("english")))
    reader.open(pages("english"), "#games")
    page = reader.page
    assert page.locator(".game-row").count() == len(records)
    page.get_by_label("Mistakes").select_option("refused bids")
    refused = [r for r in records if any(a["kind"] != "unreadable" for d in r.decisions for a in d["attempts"])]
    page.wait_for_function("n => document.querySelectorAll('.game-row').length === n", arg=len(refused))
    page.get_by_label("Mistakes").select_option("")
    page.get_by_label("Search").fill("still CHEAP")
    page.wait_for_selector(".places li")
    page.wait_for_function("document.querySelector('[role=status]').textContent.includes(' place')")
    assert "Still cheap" in reader.text(".places .excerpt")
    page.locator(".places a").first.click()
    page.wait_for_selector(".replay")
    assert "move=" in page.url


def test_tables_are_saved_as_csv(reader, pages, folders):
    reader.open(pages("sealed_bid"))
    with reader.page.expect_download() as download:
        reader.page.get_by_role("button", name="Save as CSV").first.click()
    lines = Path(download.value.path()).read_bytes().decode().split("\r\n")
    assert download.value.suggested_filename.endswith(".csv")
    assert lines[0].startswith("rank,bidder,rating,")
    assert len(lines) == 3 + 1 + 1


def test_cells_that_a_spreadsheet_would_compute_are_quoted(chromium):
    page = chromium.new_page()
    script = page_script(["clock"]).replace("startPage({", "const PAGES = ({", 1)
    cells = ["-2+3+cmd|' /C calc'!A0", "=1", "-5", "-$5.50 ±1", "-", "a,b"]
    csv = page.evaluate("([script, cells]) => new Function(`${script}; return toCsv;`)()([cells])", [script, cells])
    page.close()
    assert csv == "'-2+3+cmd|' /C calc'!A0,'=1,-5,-$5.50 ±1,-,\"a,b\"\r\n"


def test_the_keyboard_is_enough(reader, pages):
    reader.open(pages("english"))
    page = reader.page

    def focus(text):
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.textContent").strip() == text:
                return
        raise AssertionError(f"no focus on {text!r}")

    focus("Games")
    page.keyboard.press("Enter")
    page.wait_for_selector(".game-row")
    focus("game 1")
    page.keyboard.press("Enter")
    page.wait_for_selector(".replay")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("2")
    page.wait_for_url("**&seat=1")
    page.keyboard.press("a")
    page.wait_for_url(lambda url: "seat=" not in url)
    page.keyboard.press(" ")
    assert reader.text(".play") == "Pause"
    page.keyboard.press(" ")
    assert reader.text(".play") == "Play"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(chromium, pages, tmp_path, theme):
    from axe_playwright_python.sync_playwright import Axe

    reader = Reader(chromium, tmp_path, bypass_csp=True, color_scheme=theme)
    places = [("english", address) for address in ("", "#games", "#game=0&move=12", "#game=0&move=0&seat=1")]
    for game, address in [*places, ("clock", "#game=0&move=30"), ("water_allocation", "#game=0&move=30")]:
        reader.open(pages(game), address)
        violations = Axe().run(reader.page).response["violations"]
        assert not [each["id"] for each in violations if each["impact"] in ("serious", "critical")], (game, address)
    reader.context.close()


EVIL = '<script>hacked=1</script></script><img src=x onerror="hacked=1">\u202eevil\u0007\u200b'


def test_text_from_outside_stays_text(reader, folders):
    record = next(aucenv.read_records(folders("english")))
    data = json.loads(record.to_json())
    for decision in data["decisions"]:
        decision["action"] = EVIL
        decision["notes"] = {"plan": EVIL, "reason": EVIL, "rule": EVIL, "profiles": {EVIL: [1.0]}, EVIL: EVIL}
        decision["attempts"] = [{"action": EVIL, "refused": EVIL, "kind": "unreadable"}]
    data["deal"]["items"][0]["name"] = data["seats"][0]["name"] = EVIL
    reader.open(
        record_page(GameRecord(**{name: value for name, value in data.items() if name != "version"})), "#game=0&move=1"
    )
    shown = reader.text()
    assert escape_controls(EVIL) in shown
    assert "\u202e" not in reader.document()
    assert reader.page.evaluate("typeof hacked") == "undefined"
    assert reader.page.locator("main img, main script").count() == 0


def test_notes_of_any_form_are_shown(reader, folders):
    record = next(aucenv.read_records(folders("sealed_bid")))
    data = json.loads(record.to_json())
    strange = {"plan": {"a": 1}, "priorities": 3, "beliefs": [1, None], "profiles": "x", "rule": ["r"]}
    for decision in data["decisions"]:
        decision["notes"] = strange
    reader.open(record_page(GameRecord(**{name: value for name, value in data.items() if name != "version"})))
    shown = reader.text(".panel")
    for value in ('{"a":1}', "[1,null]", '["r"]'):
        assert value in shown


def test_a_megabyte_of_reasoning_is_shown_on_demand(reader, folders):
    record = next(aucenv.read_records(folders("english")))
    data = json.loads(record.to_json())
    data["decisions"][0]["notes"] = {"reason": "word " * 200_000 + "the end"}
    reader.open(record_page(GameRecord(**{name: value for name, value in data.items() if name != "version"})))
    assert len(reader.text(".panel")) < 10_000
    reader.page.get_by_role("button", name="more characters").click()
    assert reader.page.locator(".panel").inner_text().count("the end") == 1


def test_an_old_browser_is_shown_what_the_page_needs(chromium, pages, tmp_path):
    reader = Reader(chromium, tmp_path)
    reader.context.add_init_script("delete globalThis.DecompressionStream")
    path = tmp_path / "page.html"
    path.write_text(pages("clock"))
    reader.page.goto(path.as_uri())
    assert "DecompressionStream" in reader.text()
    assert not reader.errors
    reader.context.close()


def test_two_runs_are_shown_beside_each_other(reader, folders):
    reader.open(report([folders("sealed_bid"), folders("sealed_bid")]))
    assert reader.page.locator(".beside > div").count() == 2
    assert "B minus A" in reader.text()
    reader.page.goto(reader.page.url + "#game=0&run=1&move=1")
    reader.page.wait_for_selector(".replay")


def test_a_notebook_shows_the_replay_in_a_frame(reader, folders):
    record = next(aucenv.read_records(folders("water_allocation")))
    path = reader.folder / "notebook.html"
    path.write_text(f"<!doctype html><meta charset='utf-8'>{record._repr_html_()}")
    reader.page.goto(path.as_uri())
    frame = reader.page.frame_locator("iframe")
    frame.locator(".board h3").wait_for()
    assert "Day 1 of 20" in frame.locator(".board h3").inner_text()
    frame.get_by_role("button", name="next decision").click()
    frame.get_by_text("decision 2 of").wait_for()
    frame.get_by_role("link", name="Games").click()
    frame.locator(".game-row").wait_for()


def test_invisible_characters_are_those_of_the_terminal(reader, pages):
    reader.open(pages("clock"))
    script = page_script(["clock"]).replace("startPage({", "const PAGES = ({", 1)
    codes = [
        *range(0x3000 + 0x200),
        *range(0xD800, 0xE000),
        *range(0xFE00, 0x11000),
        *range(0x1BCA0, 0x1BCB0),
        *range(0xE0000, 0xE1000),
    ]
    context = reader.context.browser.new_context()
    got = context.new_page().evaluate(
        "([script, codes]) => { const visible = new Function(`${script}; return visible;`)();"
        " return codes.filter((code) => visible(String.fromCodePoint(code)) !== String.fromCodePoint(code)); }",
        [script, codes],
    )
    context.close()
    assert set(got) >= {code for code in codes if escape_controls(chr(code)) != chr(code)}
    assert not {code for code in got if escape_controls(chr(code)) == chr(code) and chr(code).isprintable()}


def random_game(case, scenario, rng, max_rounds):
    """Play a game with random legal actions."""
    game, seats = case.family.game, len(scenario.bidders)
    table = Table(game, scenario, ["vector"] * seats, num_actions=11, illegal="clip")
    seed = [int(rng.integers(2**31))]
    table.reset(seed, max_rounds)
    while not table.over:
        seat = table.pending[0]
        legal = np.flatnonzero(table.observe(seat)["action_mask"])
        weights = np.ones(len(legal))
        weights[0] *= rng.choice([0.3, 1, 3])
        table.submit(seat, int(rng.choice(legal, p=weights / weights.sum())))
    return make_record(table, seed, 0, ["random"] * seats)


def views_of(record):
    """Return the data of the views before each decision and at the end: everything, then those of all seats."""
    module, views, place = page_module(find_family(record.game).game.package), [], None
    for table, decision in retrace(record):
        here = (table.item, table.round, decision is None)
        if here != place:
            seats = [module.view_data(table.view(seat)) for seat in range(len(record.seats))]
            current = [module.view_data(table.view(0, reveal=True)), *seats]
        views.append(current)
        place = here
    return json.loads(json.dumps(views))


@pytest.mark.parametrize("game", GAMES)
def test_views_of_the_page_equal_those_of_python(chromium, game):
    drawn = []

    @settings(max_examples=6, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(games.CASES[game].quick_scenarios)
    def draw(scenario):
        drawn.append(scenario)

    draw()
    rng = np.random.default_rng(2)
    page = chromium.new_page()
    script = page_script([game]).replace("startPage({", "const PAGES = ({", 1)
    for scenario in drawn:
        record = random_game(games.CASES[game], scenario, rng, int(rng.choice([0, 0, 4])))
        got = page.evaluate(
            """([script, game]) => {
                const page = new Function(`${script}; return PAGES;`)()[game.game];
                const seats = [null, ...game.seats.keys()];
                return Array.from({length: game.decisions.length + 1}, (_, k) => seats.map((seat) => page.view(game, k, seat)));
            }""",
            [script, json.loads(json.dumps(game_data(record)))],
        )
        assert got == views_of(record)
    page.close()
