"""Pages in a real browser. `make web` runs these tests; they need Chromium."""

from __future__ import annotations

import copy
import dataclasses
import functools
import json
from pathlib import Path

import games
import numpy as np
import pytest
from aucenv.benchmarks.report.page import page_script, record_page, report
from aucenv.benchmarks.report.page_data import game_data
from hypothesis import HealthCheck, Phase, given, settings
from PIL import Image

import aucenv
from aucenv.core.boards.board import EMPTY, Board, Cell, Chart, Mark, Row, Said, Series, _data
from aucenv.core.boards.series import pack
from aucenv.core.play.table import Table
from aucenv.core.records.record import GameRecord
from aucenv.core.state import NOBODY
from aucenv.core.words.money import format_dollars
from aucenv.core.words.outside_text import escape_controls
from aucenv.core.words.transcript import describe_decision
from aucenv.registration import find_family
from aucenv.runs.recorded import boards as boards_module
from aucenv.runs.recorded.boards import rounds_of
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
    page.get_by_label("Speed").select_option("0.5")  # a decision stays longer than a busy browser needs to draw it
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
def test_a_seats_page_holds_only_what_the_seat_could_know(reader, game, monkeypatch):
    """Boards of a seat do not depend on what is hidden from it: with other hidden values, the document is the same."""
    case = games.CASES[game]
    scenario = find_family(game).game.load_scenario(find_family(game).game.default_scenario)
    record = random_game(case, scenario, np.random.default_rng(3), 0)
    seat = 1
    documents, boards = [], []
    for changed in (record, with_other_words(record, seat)):
        if changed is not record:
            monkeypatch.setattr(boards_module, "retrace", functools.partial(with_other_values, case, seat))
        boards.append(game_data(changed)["boards"])
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
    assert boards[0] != boards[1] or game == "water_allocation"  # its hidden values are those of later days


def with_other_values(case, seat, record):
    """Retrace a record, with other values of all that a seat may not know."""
    rng = np.random.default_rng(4)
    for table, decision in retrace(record):
        other = copy.deepcopy(table)
        case.hide(other.state[0], seat, rng)
        other.restore(other.snapshot())
        yield other, decision


def with_other_words(record, seat):
    """Return a record in which notes and words of the other seats differ."""
    data = json.loads(record.to_json())
    for decision in data["decisions"]:
        if decision["seat"] != f"bidder_{seat}":
            decision["notes"] = {"reason": "a secret reason", "plan": "a secret plan"}
            decision["attempts"] = [{"action": "secret", "refused": "a secret refusal", "kind": "unreadable"}]
    for player in data["seats"]:
        if player["seat"] != f"bidder_{seat}":
            player["notes"] = {"plan": "a secret plan at the end"}
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
        reader.page.get_by_role("button", name="Save CSV").first.click()
    lines = Path(download.value.path()).read_bytes().decode().split("\r\n")
    assert download.value.suggested_filename.endswith(".csv")
    assert lines[0].startswith("rank,bidder,rating,")
    assert len(lines) == 3 + 1 + 1
    assert all(line.split(",")[0].isdigit() for line in lines[1:4])


def test_saved_tables_have_numbers(modules):
    table = {
        "columns": ["bidder", "score", "share", "rate"],
        "rows": [
            ["a", ["8,234 \u00b180", 8234.125, 8154.5, 8314], "45%", ["7.0% (1 of 14)", 0.0714]],
            ["-2+3", ["-", -1], "1,234.5", "-"],
        ],
    }
    csv = modules.evaluate("table => window.modules.toCsv(window.modules.csvRows(table))", table)
    assert csv.split("\r\n") == [
        'bidder,score,"score, low","score, high",share,rate',
        "a,8234.125,8154.5,8314,0.45,0.0714",
        "'-2+3,-1,,,1234.5,",
        "",
    ]


def test_cells_that_a_spreadsheet_would_compute_are_quoted(modules):
    cells = ["-2+3+cmd|' /C calc'!A0", "=1", "-5", "-$5.50 \u00b11", "-", "a,b"]
    csv = modules.evaluate("cells => window.modules.toCsv([cells])", cells)
    assert csv == "'-2+3+cmd|' /C calc'!A0,'=1,-5,-$5.50 \u00b11,-,\"a,b\"\r\n"


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
def test_axe_finds_nothing(chromium, pages, tmp_path, theme):
    from axe_playwright_python.sync_playwright import Axe

    reader = Reader(chromium, tmp_path, bypass_csp=True, color_scheme=theme)
    places = [("english", address) for address in ("", "#games", "#game=0&move=12", "#game=0&move=0&seat=1")]
    for game, address in [*places, *((game, "#game=0&move=30") for game in GAMES)]:
        reader.open(pages(game), address)
        violations = Axe().run(reader.page).response["violations"]
        assert not [each["id"] for each in violations], (game, address)
    reader.context.close()


EVIL = '<script>hacked=1</script></script><img src=x onerror="hacked=1">\u202eevil\u0007\u200b'


def test_text_from_outside_stays_text(reader, folders):
    record = next(aucenv.read_records(folders("english")))
    data = json.loads(record.to_json())
    for decision in data["decisions"]:
        decision["action"] = EVIL
        decision["notes"] = {"plan": EVIL, "reason": EVIL, "rule": EVIL, "profiles": {EVIL: [1.0]}, EVIL: EVIL}
        decision["attempts"] = [{"action": EVIL, "refused": EVIL, "kind": "unreadable"}]
    scenario = data["scenario"]
    scenario["bidders"][0]["name"] = data["seats"][0]["name"] = "<img src=x onerror=hacked=1>"
    for item in scenario["items"]:
        item["name"] += "<script>hacked=1</script>"
    reader.open(
        record_page(GameRecord(**{name: value for name, value in data.items() if name != "version"})), "#game=0&move=1"
    )
    assert "<script>hacked=1</script>" in reader.text(".board h3")
    assert "<img src=x" in reader.text(".board table")
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


def test_invisible_characters_are_those_of_the_terminal(modules):
    codes = [
        *range(0x3000 + 0x200),
        *range(0xD800, 0xE000),
        *range(0xFE00, 0x11000),
        *range(0x1BCA0, 0x1BCB0),
        *range(0xE0000, 0xE1000),
    ]
    got = modules.evaluate(
        "codes => codes.filter((code) => window.modules.visible(String.fromCodePoint(code)) !== String.fromCodePoint(code))",
        codes,
    )
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


def boards_of(record):
    """Return the data of the boards before each decision and at the end: everything, then those of all seats."""
    board, boards = find_family(record.game).game.board.board, []
    for table in rounds_of(record):
        seats = [board(table.view(seat)).data() for seat in range(len(record.seats))]
        boards.append([board(table.view(0, reveal=True)).data(), *seats])
    return json.loads(json.dumps(boards))


@pytest.fixture(scope="module")
def modules(chromium):
    """A page with all functions of the report's script."""
    page = chromium.new_page()
    names = [
        "boardsOf",
        "csvRows",
        "forNobody",
        "forSeat",
        "loadGame",
        "roundsOf",
        "saidOf",
        "shownMarks",
        "toCsv",
        "visible",
    ]
    script = page_script().replace("\nstartPage();\n", f"\nreturn {{ {', '.join(names)} }};")
    page.evaluate("script => { window.modules = new Function(script)(); }", script)
    yield page
    page.close()


@pytest.mark.parametrize("game", GAMES)
def test_boards_of_the_page_equal_those_of_python(modules, game):
    drawn = []

    @settings(max_examples=6, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(games.CASES[game].quick_scenarios)
    def draw(scenario):
        drawn.append(scenario)

    draw()
    rng = np.random.default_rng(2)
    for scenario in drawn:
        record = random_game(games.CASES[game], scenario, rng, int(rng.choice([0, 0, 4])))
        got = modules.evaluate(
            """(game) => {
                const { boardsOf, forSeat, roundsOf } = window.modules;
                const at = boardsOf(game.boards);
                const boards = Array.from({ length: roundsOf(game.decisions).at(-1) + 1 }, (_, k) => at(k));
                return boards.map((board) => [board, ...game.seats.map((_, seat) => forSeat(board, seat))]);
            }""",
            json.loads(json.dumps(game_data(record))),
        )
        assert got == boards_of(record)


def test_games_of_a_block_have_different_boards(reader, pages, folders):
    """Games of one shape share the columns of the first one, and each shows its own boards."""
    records = list(aucenv.read_records(folders("english")))
    reader.open(pages("english"), "#game=0&move=0")
    for index, record in enumerate(records):
        reader.page.evaluate("index => { location.hash = `#game=${index}&move=9999` }", index)
        reader.page.get_by_role("heading", name=f"Game {index}").wait_for()
        won = [item["winner"] for item in record.outcome["items"]]
        names = {player["seat"]: player["name"] for player in record.seats}
        shown = reader.page.locator(".strip li").all_inner_texts()
        assert [names.get(winner, "not sold") in text for winner, text in zip(won, shown, strict=True)] == [True] * len(
            won
        )
        assert [item["name"] in text for item, text in zip(record.deal["items"], shown, strict=True)] == [True] * len(
            won
        )


def test_marks_and_decisions_are_said_as_in_python(modules):
    rows = tuple(Row(seat, name, "", EMPTY, ()) for seat, name in enumerate(("Alex", "Blair", "Casey")))
    marks = [Mark("estimate", Cell(value), seat) for seat, value in enumerate((5.5, 5.5, 7.0))]
    marks += [Mark("start", Cell(1.0)), Mark("true value", Cell(None, NOBODY))]
    board = Board("", "", (), (), rows)
    got = modules.evaluate(
        "([board, marks]) => window.modules.shownMarks(board, marks)", [board.data(), [_data(one) for one in marks]]
    )
    assert [(one["label"], one["cell"]["value"]) for one in got] == [
        (label, cell.value) for label, cell in board.shown(marks)
    ]
    for said in (Said("waits", "takes it at {}", "takes it now", "\u20ac"), Said("withdraws", "bids {}")):
        for amount in (None, 0, 1200.5, 10):
            got = modules.evaluate(
                "([said, amount]) => window.modules.saidOf(said, amount)", [dataclasses.asdict(said), amount]
            )
            assert got == said.of(amount)


def test_numbers_of_texts_are_packed_only_if_they_are_written_the_same(modules):
    texts = [
        "$1,234,567 and 0.5",
        "007, 1234, 1,23",
        "\u0663 \x01 5",
        "a5 5a 5",
        "-5, 5.5",
        "999,999,999,999,999,999",
        "5",
        "12",
    ]
    for some in (texts, texts[3:5], texts[6:]):
        boards = [Board(text, "", (), (), ()) for text in some]
        got = modules.evaluate(
            "([boards, n]) => Array.from({ length: n }, (_, k) => window.modules.boardsOf(boards)(k).title)",
            [pack(boards), len(some)],
        )
        assert got == some


def test_a_list_that_grows_and_shrinks_is_rebuilt(modules):
    points = [
        ((1, 2.0),),
        ((1, 2.0), (2, 3.5)),
        ((2, 3.5, False),),
        (),
        ((1, 1.0), (2, 2.0), (3, 3.0)),
        ((1, 1.0), (9, 9.0)),
    ]
    boards = [Board("", "", (), (), (), charts=(Chart("", "", 0, 1, (Series("", each),)),)) for each in points]
    got = modules.evaluate(
        "([boards, n]) => Array.from({ length: n }, (_, k) => window.modules.boardsOf(boards)(k))",
        [pack(boards), len(boards)],
    )
    assert got == json.loads(json.dumps([board.data() for board in boards]))


def test_what_nobody_sees_is_left_out_for_observers(modules):
    board = Board(
        "",
        "",
        (Cell("a", 0), Cell("b")),
        (),
        (),
        note=Cell("c", NOBODY),
        charts=(Chart("", "", 0, 1, (Series("", ((1, 2),), only=1),)),),
    )
    got = modules.evaluate("board => window.modules.forNobody(board)", json.loads(json.dumps(board.data())))
    assert got == json.loads(json.dumps(board.for_seat(NOBODY).data()))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_charts_can_be_saved(chromium, pages, tmp_path, scheme):
    reader = Reader(chromium, tmp_path, color_scheme=scheme)
    for address, count, width in (("", 2, 1200), ("#game=0&move=20", 1, 640)):
        reader.open(pages("english"), address)
        assert reader.page.get_by_role("button", name="Save PNG").count() == count
        with reader.page.expect_download() as download:
            reader.page.get_by_role("button", name="Save SVG").first.click()
        text = Path(download.value.path()).read_text()
        assert text.startswith("<svg")
        assert "class=" not in text
        assert "currentColor" not in text
        assert download.value.suggested_filename.endswith(".svg")
        with reader.page.expect_download() as download:
            reader.page.get_by_role("button", name="Save PNG").first.click()
        picture = np.asarray(Image.open(download.value.path()).convert("RGB"))
        paper = {"light": (255, 255, 255), "dark": (31, 34, 41)}[scheme]
        assert tuple(picture[2, 2]) == paper
        assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 10
        assert picture.shape[1] == 2 * width
    assert not reader.errors
    reader.context.close()


def test_printed_pages_are_light(chromium, pages, tmp_path):
    reader = Reader(chromium, tmp_path, color_scheme="dark")
    reader.open(pages("english"), "#game=0&move=20")
    color = "getComputedStyle(document.querySelector('.chart text')).fill"
    shown = reader.page.evaluate(color)
    reader.page.get_by_role("button", name="Dark or light").click()
    light = reader.page.evaluate(color)
    reader.page.get_by_role("button", name="Dark or light").click()
    assert reader.page.evaluate(color) == shown != light
    reader.page.emulate_media(media="print")
    assert reader.page.evaluate(color) == light
    assert not reader.page.get_by_role("button").first.is_visible()
    reader.context.close()


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("game", GAMES)
def test_boards_fit_the_page_and_their_labels_do_not_touch(chromium, pages, folders, tmp_path, game, width):
    reader = Reader(chromium, tmp_path, viewport={"width": width, "height": 900})
    last = len(next(aucenv.read_records(folders(game))).decisions)
    for address in (f"#game=0&move={last // 2}", f"#game=0&move={last // 3}&seat=1", f"#game=0&move={last}"):
        reader.open(pages(game), address)
        assert reader.page.evaluate("document.documentElement.scrollWidth") <= width
        boxes = reader.page.locator(".chart.scale text, .chart .name, .chart .title").evaluate_all(
            "nodes => nodes.map((node) => [node.closest('svg').getAttribute('aria-label'), node.textContent, ...['left', 'right', 'top', 'bottom'].map((side) => node.getBoundingClientRect()[side])])"
        )
        for k, (picture, text, left, right, top, bottom) in enumerate(boxes):
            for other, other_text, *sides in boxes[:k]:
                apart = right <= sides[0] or sides[1] <= left or bottom <= sides[2] + 4 or sides[3] <= top + 4
                assert picture != other or apart, (text, other_text)
    assert not reader.errors
    reader.context.close()
