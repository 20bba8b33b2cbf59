"""Boards as text, images, SVG and animations: nothing is cut off, overlaps, or shows what is hidden."""

from __future__ import annotations

import dataclasses
import importlib
import io
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from itertools import combinations

import numpy as np
import pytest

from aucenv.core.boards.animation import to_animated_svg, to_gif
from aucenv.core.boards.board import Board, Cell, Chart, Column, Item, Mark, Row, Scale, Series, round_up
from aucenv.core.boards.canvas import ImageCanvas, SvgCanvas
from aucenv.core.boards.colors import DARK, LIGHT, RADIUS, SHAPES
from aucenv.core.boards.drawing import MARGIN, ROW, SCALE, TOP, WIDTH, Sheet, draw, spread, ticks, to_image, to_svg
from aucenv.core.boards.text import LEAST_WIDTH, cells_of, previous_item, to_text
from aucenv.core.play.table import Table
from aucenv.core.state import NOBODY
from aucenv.policy.registry import make_policy
from aucenv.registration import find_family

SVG = "{http://www.w3.org/2000/svg}"
HEBREW = "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd"
NAMES = {
    "short": ["Alex", "Blair", "Casey"],
    "long": ["W" * 200, "x y " * 50, "Maximiliane Konstantinopolitanskaja-Featherstonehaugh"],
    "from right to left": [HEBREW, "\u0639\u0631\u0628\u064a", "Alex"],
    "combining": ["Zoe\u0301" + "\u0301" * 60, "\u5f20\u4f1f", "\U0001f600\ufe0f"],
    "markup": ['<b>&"', "]]>", "<!--'"],
    "controls": ["A\x1b[31mlex", "\u202eBlair\x00", "Ca\nsey\ufffe\ud800"],
    "many": [f"Bidder {k}" for k in range(16)],
}
AMOUNTS = (0, 4000, 1_000_000_000)


def hard_board(names=NAMES["short"], amount=4000, num_items=4, **changes):
    """A board with all parts, some of which only their seats, or nobody, may see."""
    seats = range(len(names))
    columns = (
        Column("budget left", "money", amount),
        Column("profit", "money"),
        Column("bid, round 3"),
        Column("items won so far", "count"),
    )
    states = (("decides", "acting"), ("leads", "leads"), ("left at $1,234,567", "out"), ("winner", "won"), (None, ""))
    rows = tuple(
        Row(
            k,
            names[k],
            "wants many items" if k % 2 else "",
            Cell(states[k % 5][0], tone=states[k % 5][1]),
            (Cell(amount * k / 16, mark=amount / 2), Cell(amount - 2000), Cell(f"${k} (void)", k), Cell(k)),
        )
        for k in seats
    )
    marks = (
        Mark("standing bid", Cell(amount, tone="leads")),
        Mark("start", Cell(0)),
        Mark("true value", Cell(amount + 1, NOBODY)),
        *(Mark("estimate", Cell(amount * (k + 1) / 16, k), k) for k in seats),
    )
    series = (
        Series("price", ((1, 0), (2, amount))),
        *(Series(names[k], ((1, amount / 2), (2, amount * k / 16, False)), "both", k, k) for k in seats),
    )
    closed = range(num_items // 2)
    items = tuple(
        Item(f"Item {k} {names[0]}", "closed", k % len(names), (Mark("price", Cell(amount)),)) for k in closed
    )
    later = tuple(Item(f"Item {k}", "now" if k == len(closed) else "later") for k in range(len(closed), num_items))
    board = Board(
        title=f"Item {names[0]}",
        place="item 3 of 4, round 4",
        lines=(Cell(f"Standing bid of {names[0]}.", tone="leads"), Cell("Line 2.", 1), Cell("Line 3.")),
        columns=columns,
        rows=rows,
        scale=Scale(0, round_up(1.02 * amount), marks),
        items=(*items, *later),
        charts=(Chart("Bids", "round", 0.5, 10.5, series, 10, has_levels=True),),
    )
    return dataclasses.replace(board, **changes)


def play(game="english", scenario="standard-20k-random", bidders=("rule", "value", "pace"), max_rounds=0, **changes):
    """Yield the board of a game before each round and at the end."""
    family = find_family(game)
    board = importlib.import_module(f"aucenv.envs.{game}.board").board
    policies = [make_policy(game, name) for name in bidders]
    chosen = family.game.load_scenario(scenario).changed(**changes)
    table = Table(family.game, chosen, [policy.interface for policy in policies])
    table.reset(0, max_rounds)
    while not table.over:
        yield board(table.view(0, reveal=True))
        for seat in list(table.pending):
            table.submit(seat, policies[seat].act(table.view(seat), table.observe(seat)))
    yield board(table.view(0, reveal=True))


@pytest.fixture(scope="module")
def english():
    return list(play())


hard_boards = pytest.mark.parametrize(
    "board",
    [
        *(pytest.param(hard_board(names), id=name) for name, names in NAMES.items()),
        *(pytest.param(hard_board(amount=amount), id=f"${amount:,}") for amount in AMOUNTS),
        pytest.param(hard_board(num_items=200), id="200 items"),
        pytest.param(hard_board(NAMES["many"]).for_seat(3), id="of a seat"),
        pytest.param(hard_board().for_seat(NOBODY), id="of nobody"),
        pytest.param(Board("The game was truncated", "", (), (), (Row(0, "Alex", "", Cell(None), ()),)), id="empty"),
    ],
)


def test_an_english_auction_as_text(english):
    assert to_text(english[35]) == (
        "Widget A (item 4 of 10, round 2)\n"
        "Previous item: Thingamajig C, sold to Casey for $6,800.\n"
        "Standing bid $1,000 by Alex. Least bid $1,100.\n"
        "standing bid $1,000, start $1,000, true value $2,000, estimate $2,200\n"
        "  bidder  state    budget left of $20,000  profit  items\n"
        "  Alex    leads                   $20,000      $0      0\n"
        "  Blair   decides                  $1,500   -$500      2\n"
        "  Casey   decides                 $13,200  $1,200      1\n"
    )
    assert to_text(english[-1].for_seat(0)) == (
        "The auction terminated (after 10 of 10 items)\n"
        "Last item: Gadget B, sold to Alex for $3,300.\n"
        "Highest profit: Alex, $10,400.\n"
        "  bidder  state   budget left of $20,000   profit  items\n"
        "  Alex    winner                  $8,400  $10,400      3\n"
        "  Blair                           $1,500    -$500      2\n"
        "  Casey                           $3,300   $3,300      5\n"
    )


def test_columns_that_do_not_fit_are_in_a_second_table(english):
    assert to_text(english[35], 51).splitlines()[-9:] == [
        "  bidder  state    budget left of $20,000  profit",
        "  Alex    leads                   $20,000      $0",
        "  Blair   decides                  $1,500   -$500",
        "  Casey   decides                 $13,200  $1,200",
        "",
        "  bidder  items",
        "  Alex        0",
        "  Blair       2",
        "  Casey       1",
    ]


def test_cells_are_below_names_that_leave_them_no_room():
    name = NAMES["long"][2]
    lines = to_text(hard_board([name, "B"]).for_seat(1), 60).splitlines()
    start = lines.index(f"  {name}")
    assert lines[start + 1 :] == [
        "    state: decides; budget left: $0; profit: $2,000; bid,",
        "    round 3: hidden; items won so far: 0",
        "  B",
        "    state: leads; budget left: $250; profit: $2,000; bid,",
        "    round 3: $1 (void); items won so far: 1; wants many",
        "    items",
    ]
    assert f"  {name[:35]}...\n" in to_text(hard_board([name, "B"]), 40)


@hard_boards
def test_text_of_every_width_is_whole(board):
    for width in (None, *range(LEAST_WIDTH, 140, 3)):
        for is_ascii in (False, True):
            text = to_text(board, width, ascii=is_ascii)
            assert text.endswith("\n")
            assert not text.endswith("\n\n")
            assert all(cells_of(line) <= (width or 1 << 30) and line == line.rstrip() for line in text.splitlines())
            assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]", text)
            assert text.isascii() or not is_ascii
            colored = to_text(board, width, color=True, ascii=is_ascii)
            assert re.sub(r"\x1b\[[\d;]*m", "", colored) == text
            words = "".join(text.split())
            for row in board.rows:
                for column, cell in zip(board.columns, row.cells, strict=True):
                    assert "".join(board.text(cell, column.unit).split()) in words or board.is_hidden(cell)


def test_a_width_that_is_too_small_is_refused():
    with pytest.raises(ValueError, match="a width of at least 20, got 19"):
        to_text(hard_board(), 19)


def test_colors_of_terminals_follow_tones():
    text = to_text(hard_board(), color=True)
    assert "\x1b[33mdecides\x1b[0m" in text
    assert "\x1b[1;32mStanding bid of Alex.\x1b[0m" in text
    assert "\x1b[2mleft at $1,234,567\x1b[0m" in text


def test_ascii_has_currencies_as_codes_and_letters_without_accents():
    board = hard_board(["Zo\u00eb", "\u5f20"], sign="\u20b9")
    text = to_text(board, ascii=True)
    assert "  Zoe     decides " in text
    assert "INR 2,000" in text
    assert "\\u5f20" in text
    assert "\u20b92,000" in to_text(board)


def test_the_previous_item_says_who_bought_it():
    sold, unsold = (Mark("price", Cell(5, 1)),), (Mark("start", Cell(5)),)
    rest = (Item("Z", "now"),)

    def said(*items, seat=None):
        board = hard_board(items=items)
        return previous_item(board if seat is None else board.for_seat(seat))

    assert said(Item("A", "closed", 0, sold), *rest) == "Previous item: A, sold to Alex for $5"
    assert said(Item("A", "closed", 0, sold), *rest, seat=2) == "Previous item: A, won by Alex"
    assert said(Item("A", "closed", 0, sold)) == "Last item: A, sold to Alex for $5"
    assert said(Item("A", "closed", None, unsold), *rest) == "Previous item: A, not sold"
    assert said(Item("Day 1", "closed", None, (Mark("supply", Cell(5)),)), *rest) is None  # several may have won
    assert said(*rest) is None


def test_what_is_hidden_is_in_no_drawing():
    board = hard_board()
    ours, theirs = board.for_seat(0), board.for_seat(1)
    for shown in (to_text, to_svg):
        everything = shown(board)
        assert "true value $4,001" in everything
        assert "estimate of Alex $250" in everything
        for one in (ours, theirs):
            assert "true value" not in shown(one)
            assert "estimate of" not in shown(one)
        assert "estimate $250" in shown(ours)
        assert "estimate $500" in shown(theirs)
        assert "$0 (void)" in shown(ours)
        assert "$1 (void)" not in shown(ours)
        assert "bid, round 3" not in shown(board.for_seat(NOBODY))
    assert sum(text == "Blair" for text in texts_of(to_svg(theirs))) == 2  # its row, and its series in the legend
    assert sum(text == "Blair" for text in texts_of(to_svg(ours))) == 1


def texts_of(svg):
    return [element.text for element in ElementTree.fromstring(svg).iter(f"{SVG}text")]


@hard_boards
@pytest.mark.parametrize("dark", [False, True])
def test_texts_of_svg_are_inside_and_do_not_overlap(board, dark):
    root = ElementTree.fromstring(to_svg(board, dark))
    width, height = float(root.get("width")), float(root.get("height"))
    assert root.find(f"{SVG}title").text
    assert "bidder" in root.find(f"{SVG}desc").text
    boxes = []
    for element in root.iter(f"{SVG}text"):
        x, y, size = (float(element.get(name)) for name in ("x", "y", "font-size"))
        long = SvgCanvas.width_of(re.sub("[\u2068\u2069]", "", element.text), size)
        left = x - {"end": long, "middle": long / 2}.get(element.get("text-anchor"), 0)
        boxes.append((left, y - 0.7 * size, left + long, y + 0.05 * size, element.text))
    for left, top, right, bottom, text in boxes:
        assert left >= -1, text
        assert top >= 0, text
        assert right <= width + 1, text
        assert bottom <= height, text
    for one, other in combinations(boxes, 2):
        is_beside = one[2] <= other[0] + 1 or other[2] <= one[0] + 1
        assert is_beside or one[3] <= other[1] or other[3] <= one[1], (one, other)


def test_svg_isolates_names_that_are_written_from_right_to_left():
    board = hard_board([HEBREW, "Alex"])
    assert f"Standing bid of \u2068{HEBREW}\u2069." in texts_of(to_svg(board))


def test_svg_has_markup_of_names_as_text():
    assert '<b>&"' in texts_of(to_svg(hard_board(NAMES["markup"])))


@hard_boards
def test_images_of_hard_boards(board):
    for chart in (False, True):
        image = to_image(board, chart)
        sheet = Sheet.of([board], ImageCanvas.width_of, chart)
        assert image.dtype == np.uint8
        assert image.shape == (sheet.height, sheet.width, 3)
        assert image.shape[1] >= WIDTH
        assert image.std() > 5
        for edge in (image[:, :20], image[:, -20:], image[:8], image[-8:]):
            assert (edge == pixel("paper")).all()
        for row in board.rows:
            if row.name.isascii() and row.name.isprintable():
                assert ImageCanvas.width_of(row.name, 17) <= sheet.names


def pixel(name):
    return tuple(bytes.fromhex(LIGHT[name][1:]))


@pytest.mark.parametrize(
    ("game", "scenario", "bidders"),
    [
        ("english", "standard-20k-random", ["random"] * 3),
        ("sealed_bid", "third-ipv", ["equilibrium"] * 3),
        ("clock", "ascending-cv", ["equilibrium"] * 3),
        ("ebay", "soft", ["random"] * 3),
        ("harbor", "evaluation-mixed", ["random"] * 3),
        ("water_allocation", "low", ["random"] * 5),
    ],
)
def test_images_of_a_game_are_not_blank_and_have_one_size(game, scenario, bidders):
    boards = list(play(game, scenario, bidders, num_items=2, **({"bid_cap": None} if game == "sealed_bid" else {})))
    for chart in (False, True):
        images = [to_image(board, chart) for board in boards]
        assert len({image.shape for image in images}) == 1
        assert min(image.std() for image in images) > 5


def test_a_game_that_ends_at_once():
    *_, end = play(max_rounds=1)
    assert end.title == "The auction was truncated"
    assert "All bidders have the same profit, $0." in to_text(end)
    assert "All bidders have the same profit, $0." in texts_of(to_svg(end))
    assert to_image(end).std() > 5
    assert to_animated_svg([end]).count("<text") == to_svg(end).count("<text")


def test_the_image_shows_the_leader_and_the_standing_bid(english):
    start, middle = to_image(english[0]), to_image(english[35])
    bars = [(image[SCALE : SCALE + 18] == pixel("good")).all(axis=2).sum() for image in (start, middle)]
    assert bars[0] == 0  # no bid yet
    assert bars[1] == pytest.approx(18 * (WIDTH - 2 * MARGIN) * 1000 / 2500, rel=0.02)
    rows = [middle[TOP + ROW * seat + 1 : TOP + ROW * (seat + 1)] for seat in range(3)]
    assert [(row == pixel("good")).all(axis=2).any() for row in rows] == [True, False, True]  # a leader, and a profit
    assert [(row == pixel("seat-1")).all(axis=2).any() for row in rows] == [False, True, True]


def test_the_mark_of_a_bar_is_where_its_value_is():
    columns = (Column("value", "money", 99),)
    row = Row(0, "Alex", "", Cell(None), (Cell(33, mark=66),))
    image = to_image(Board("Round 1", "", (), columns, (row,)))
    line = [tuple(each) for each in image[TOP + 23].tolist()]
    filled = [x for x, each in enumerate(line) if each == pixel("accent") and x > MARGIN + 24]
    empty = [x for x, each in enumerate(line) if each == pixel("line")]
    (mark,) = {x // 2 for x, each in enumerate(image[TOP + 13].tolist()) if tuple(each) == pixel("ink")}
    start, end = filled[0], empty[-1]
    assert filled[-1] - start == pytest.approx((end - start) / 3, abs=3)
    assert 2 * mark - start == pytest.approx((end - start) * 2 / 3, abs=3)


def test_shapes_and_lines_have_smooth_edges():
    canvas = ImageCanvas(60, 20)
    canvas.mark(0, 10, 10, "good")
    canvas.line([(20, 5), (50, 15)], "good", 1.5)
    image = np.asarray(canvas.image)
    for part in (image[:, :20], image[:, 20:]):
        colors = {tuple(each) for each in part.reshape(-1, 3).tolist()}
        assert pixel("paper") in colors
        assert len(colors) >= 5


def test_labels_do_not_overlap():
    for centers in ([0, 0, 0], [0, 350, 700], [690, 695, 700], [300, 301, 302]):
        starts = spread(centers, [100, 200, 80], 0, 700)
        ends = [start + width for start, width in zip(starts, [100, 200, 80], strict=True)]
        assert starts[0] >= 0
        assert ends[-1] <= 700
        assert all(end < start for end, start in zip(ends, starts[1:], strict=False))


def test_ticks_are_round_numbers_of_the_axis():
    assert ticks(0, 10) == [0, 2, 4, 6, 8, 10]
    assert ticks(0.94, 2.27) == [1, 1.5, 2]
    assert ticks(0.5, 4.5, 8, is_whole=True) == [1, 2, 3, 4]
    assert ticks(0.5, 200.5, 8, is_whole=True) == [25, 50, 75, 100, 125, 150, 175, 200]
    assert ticks(3, 3) == [3]


def test_marks_at_one_place_of_a_chart_are_side_by_side():
    series = tuple(Series(f"s{k}", ((1, 5), (2, k)), "marks", 8 * k) for k in range(2))  # circles
    svg = to_svg(hard_board(charts=(Chart("Bids", "round", 0, 2, series),)))
    circles = [each for each in ElementTree.fromstring(svg).iter(f"{SVG}circle") if each.get("fill") == LIGHT["seat-0"]]
    places = [float(each.get("cx")) for each in circles]
    (one, _), (other, _) = places[1:3], places[3:5]  # after the row of the first seat
    assert other - one == 8


def test_what_did_not_count_is_hollow_in_a_chart():
    points = ((1, 5), (2, 6, True), (3, 7, False))
    svg = to_svg(hard_board(charts=(Chart("Bids", "round", 0, 4, (Series("Alex", points, "both", 0),)),)))
    circles = list(ElementTree.fromstring(svg).iter(f"{SVG}circle"))[-4:-1]  # before the legend
    assert [each.get("fill") for each in circles] == [LIGHT["seat-0"], LIGHT["seat-0"], LIGHT["paper"]]


def test_a_chart_has_levels_only_if_it_says_so():
    chart = hard_board().charts[0]
    for has_levels in (False, True):
        texts = texts_of(to_svg(hard_board(charts=(dataclasses.replace(chart, has_levels=has_levels),))))
        assert texts.count("true value $4,001") == 1 + has_levels
        assert ("estimate" in texts) == has_levels  # those of several bidders


def test_the_colors_and_shapes_are_those_of_the_pages():
    from paths import ROOT

    style = (ROOT / "aucenv" / "web" / "page.css").read_text()
    colors = {name: pair for name, *pair in re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", style)}
    for k, palette in enumerate((LIGHT, DARK)):
        assert {name: colors[name][k] for name in palette} == palette
    paths = re.findall(r'"(M[^"]*Z)"', (ROOT / "aucenv" / "web" / "js" / "seats.js").read_text())
    assert len(paths) == len(SHAPES)
    assert f"A{RADIUS:g} {RADIUS:g}" in paths[0]
    assert [corners(path) for path in paths[1:]] == [list(shape) for shape in SHAPES[1:]]


def corners(path):
    """The corners of a path of straight lines."""
    places = []
    x = y = 0.0
    for command, arguments in re.findall(r"([MLHV])([^MLHVZ]*)", path):
        numbers = [float(number) for number in re.findall(r"-?[\d.]+", arguments)]
        x, y = {"H": (numbers[0], y), "V": (x, numbers[0])}.get(command, (numbers[0], numbers[-1]))
        places.append((x, y))
    return places


def test_an_animated_image_has_all_boards(english):
    from PIL import Image

    file = io.BytesIO()
    to_gif(english[::10], file, 0.5)
    image = Image.open(file)
    assert image.n_frames == len(english[::10])
    sizes, durations = set(), []
    for number, board in enumerate(english[::10]):
        image.seek(number)
        sizes.add(image.size)
        durations.append(image.info["duration"])
        assert image.convert("RGB").getpixel((2, 2)) == pixel("paper"), board.title
    assert len(sizes) == 1
    assert durations == [500] * (len(durations) - 1) + [2000]


@pytest.mark.parametrize("dark", [False, True])
def test_an_animated_svg_shows_each_board_at_its_time(english, dark):
    boards = [*english[::6], english[-1]]
    animated = to_animated_svg(boards, 2, dark)
    assert len(animated) < 0.5 * sum(len(to_svg(board)) for board in boards)
    root = ElementTree.fromstring(animated)
    rules = root.find(f"{SVG}style").text
    length = len(boards) + 3
    sheet = Sheet.of(boards, SvgCanvas.width_of, True, is_steady=False)
    for number, board in enumerate(boards):
        at, shown = 100 * (number + 0.5) / length, []
        for element in root:
            if element.tag == f"{SVG}g":
                frames = re.search(rf"@keyframes {element.get('class')}\{{((?:[\d.]+%\{{\S+?\}})+)\}}", rules)[1]
                steps = re.findall(r"([\d.]+)%\{visibility:(\w+)\}", frames)
                assert steps[0][0] == "0"
                if [state for start, state in steps if float(start) <= at][-1] == "visible":
                    shown += [ElementTree.tostring(part) for part in element]
            elif element.tag not in {f"{SVG}title", f"{SVG}desc", f"{SVG}style"}:
                shown.append(ElementTree.tostring(element))
        canvas = SvgCanvas(dark)
        draw(board, sheet, canvas)
        still = ElementTree.fromstring(f'<svg xmlns="{SVG[1:-1]}">{"".join(canvas.elements)}</svg>')
        assert [each.strip() for each in shown] == [ElementTree.tostring(each).strip() for each in still]
    hidden = set(re.findall(r"\.([\w-]+)\{visibility:hidden\}", rules))
    last = [element for element in root.iter(f"{SVG}g") if element.get("class") not in hidden]
    assert any("after 10 of 10 items" in each.text for group in last for each in group if each.text)


def test_without_pillow_the_error_explains_how_to_install_it():
    code = (
        "import sys; sys.modules['PIL'] = None; from aucenv.core.boards.board import Board; "
        "from aucenv.core.boards.drawing import to_image, to_svg; board = Board('T', '', (), (), ()); to_svg(board); to_image(board)"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "MissingExtra: render_mode='rgb_array' needs the extra render: " in process.stderr
