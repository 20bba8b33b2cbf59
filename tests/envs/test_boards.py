"""Boards as text and as images: values and bids of the same round, winners, headings, and nothing cut off."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pytest

import aucenv
from aucenv.core.defaults import TextPicture
from aucenv.core.drawing import IN, INK, LEADS, LEFT, LINE, NAME_ROOM, NAMES, PAPER, ROW, TOP, Sheet, spread, text_width
from aucenv.core.phrases import listed
from aucenv.core.table import Table
from aucenv.envs.single_item.picture import BAR, BAR_END
from aucenv.policy.registry import make_policy
from aucenv.registration import find_family


def boards(game, scenario, bidders, max_rounds=0, **changes):
    """Yield the view of a game with everything revealed, before each round and at the end."""
    family = find_family(game)
    chosen = family.game.load_scenario(scenario).changed(**changes)
    policies = [make_policy(game, name) for name in bidders]
    table = Table(family.game, chosen, [policy.interface for policy in policies])
    table.reset(0, max_rounds)
    while not table.over:
        yield table.view(0, reveal=True)
        for seat in list(table.pending):
            table.submit(seat, policies[seat].act(table.view(seat), table.observe(seat)))
    yield table.view(0, reveal=True)


def rows_of(text):
    return [line.split() for line in text.splitlines() if line.startswith("  bidder_")]


def test_truthful_bids_equal_the_values_beside_them():
    from aucenv.envs.sealed_bid.render import ansi

    for number, view in enumerate(boards("sealed_bid", "second-ipv", ["truthful"] * 3, num_rounds=4)):
        text = ansi(view)
        for seat, row in enumerate(rows_of(text)):
            values = view.row["value"][0, seat] // 100
            if number == 0:
                assert row[2] == f"${values[0]}"
            else:
                assert row[2] == row[3] == f"${values[number - 1]}"
                assert (row[4] == "won") == (view.row["winner"][0, number - 1] == seat)
            if 0 < number < 4:
                assert row[5 if row[4] == "won" else 4] == f"${values[number]}"
        assert (f"round {number}\n" in text) or number < 4
        assert all(f"round {shown}" in text for shown in {max(number, 1), min(number + 1, 4)})


def test_the_mark_of_a_truthful_bid_is_at_the_end_of_its_value():
    from aucenv.envs.sealed_bid.picture import rgb

    *_, late, end = boards("sealed_bid", "second-ipv", ["truthful"] * 3, num_rounds=4)
    for view, j in ((late, 2), (end, 3)):
        image = rgb(view)
        for seat in range(3):
            share = view.row["value"][0, seat, j] / 9900
            x, y = round(BAR + (BAR_END - BAR) * share), TOP + ROW * seat
            assert tuple(image[y + 13, x]) == INK  # above the bar: only the mark
            if 0.1 < share < 0.9:
                assert tuple(image[y + 23, x - 4]) == IN
                assert tuple(image[y + 23, x + 5]) == LINE


@pytest.mark.parametrize(
    ("game", "scenario", "bidders"),
    [
        ("english", "standard-20k-random", ["rule", "value", "pace"]),
        ("harbor", "evaluation-mixed", ["rule", "value", "pace"]),
        ("sealed_bid", "first-ipv", ["truthful", "shade", "naive"]),
        ("clock", "descending-ipv", ["truthful", "shade", "naive"]),
    ],
)
def test_the_end_marks_the_bidder_with_the_highest_profit(game, scenario, bidders):
    module = find_family(game).game
    *views, end = boards(game, scenario, bidders)
    profits = end.row["profit"][0, :3]
    best = np.flatnonzero(profits == profits.max())
    assert len(best) == 1
    text, image = module.render.ansi(end), module.picture.rgb(end)
    assert [" winner" in line for line in text.splitlines()[-3:]] == [seat in best for seat in range(3)]
    assert f"Highest profit: {end.scenario_text.names[best[0]]}, $" in text
    dots = [tuple(image[TOP + ROW * seat + 23, LEFT + 6]) == LEADS for seat in range(3)]
    assert dots == [seat in best for seat in range(3)]
    assert "winner" not in module.render.ansi(views[-1])
    assert not re.search(r"\bin\b", " ".join(text.splitlines()[2:]))  # nobody is in any more


def test_the_end_of_the_town_marks_the_survivors():
    module = find_family("water_allocation").game
    *_, end = boards("water_allocation", "low", ["salary", "share", "thirst", "saver", "outbid"])
    alive = [resident.alive for resident in end.residents]
    assert 0 < sum(alive) < 5
    text, image = module.render.ansi(end), module.picture.rgb(end)
    assert [line.endswith("  survived") for line in text.splitlines()[-5:]] == alive
    assert f"Survivors: {listed([r.name for r in end.residents if r.alive])}." in text
    assert [tuple(image[TOP + ROW * seat + 23, LEFT + 6]) == LEADS for seat in range(5)] == alive


def test_a_clock_shows_what_each_seat_did_in_which_round():
    from aucenv.envs.clock.render import ansi

    *_, end = boards("clock", "ascending-ipv", ["truthful"] * 3, num_rounds=2)
    lines = ansi(end).splitlines()
    winner = int(end.row["winner"][0, 1])
    for seat, line in enumerate(lines[-3:]):
        value = end.row["value"][0, seat, 1] // 100
        assert f" ${value}  {'won' if seat == winner else f'left at ${value}'} " in line
    second = list(boards("clock", "ascending-ipv", ["truthful"] * 3, num_rounds=2))[1]
    assert [row[-3] for row in rows_of(ansi(second))] == ["in"] * 3
    *_, cut = boards("clock", "ascending-ipv", ["random"] * 3, max_rounds=2)
    assert "Game truncated after 0 of 15 rounds.\nAll bidders have the same profit, $0." in ansi(cut)
    assert [row[2] for row in rows_of(ansi(cut))] == [f"${value // 100}" for value in cut.row["value"][0, :3, 0]]


def test_pictures_of_a_game_are_not_blank_and_have_one_size():
    for game, scenario, bidders in (
        ("english", "standard-20k-random", ["random"] * 3),
        ("sealed_bid", "third-ipv", ["equilibrium"] * 3),
        ("clock", "ascending-cv", ["equilibrium"] * 3),
        ("ebay", "soft", ["random"] * 3),
        ("harbor", "evaluation-mixed", ["random"] * 3),
        ("water_allocation", "low", ["random"] * 5),
    ):
        changes = {"bid_cap": None} if game == "sealed_bid" else {}
        images = [
            find_family(game).game.picture.rgb(view) for view in boards(game, scenario, bidders, num_items=2, **changes)
        ]
        assert len({image.shape for image in images}) == 1
        assert min(image.std() for image in images) > 5


def test_long_names_are_not_cut_off():
    loaded = find_family("english").game.load_scenario("standard-20k-random")
    name = "Maximiliane Konstantinopolitanskaja-Featherstonehaugh"
    players = (dataclasses.replace(loaded.bidders[0], name=name), *loaded.bidders[1:])
    env = aucenv.english_v0.raw_env(
        scenario=dataclasses.replace(loaded, bidders=players), render_mode="rgb_array", interface="amount"
    )
    env.reset(seed=0)
    image = env.render()
    shift = image.shape[1] - 760
    assert text_width(name, 17) <= NAME_ROOM + shift < text_width(name, 17) + 1
    written = image[TOP + 5 : TOP + 40, : NAMES + NAME_ROOM + shift]
    ink = np.flatnonzero((np.abs(written.astype(int) - INK).sum(axis=2) < 200).any(axis=0))
    assert ink.max() > NAMES + text_width(name, 17) - 6
    gap = image[TOP + 5 : TOP + 40, NAMES + NAME_ROOM + shift + 2 : NAMES + NAME_ROOM + shift + 14]
    assert (gap == PAPER).all()
    env.render_mode = "ansi"
    lines = env.render().splitlines()[2:]
    assert name in lines[0]
    assert len({line.index("budget") for line in lines}) == 1


def test_text_that_has_limited_room_gets_smaller():
    words = "A very long name of an item, which somebody wrote into a scenario file, with a subtitle as well"
    sheet = Sheet(1)
    sheet.title(words, "item 1 of 10, round 1")
    row = sheet.pixels()[20:52]
    dark = np.flatnonzero((np.abs(row.astype(int) - INK).sum(axis=2) < 60).any(axis=0))
    assert 400 < dark.max() < sheet.right - text_width("item 1 of 10, round 1", 16) - 20


def test_labels_of_a_scale_do_not_overlap():
    for centers in ([0, 0, 0], [0, 350, 700], [690, 695, 700], [300, 301, 302]):
        starts = spread(centers, [100, 200, 80], 0, 700)
        ends = [start + width for start, width in zip(starts, [100, 200, 80], strict=True)]
        assert starts[0] >= 0
        assert ends[-1] <= 700
        assert all(end < start for end, start in zip(ends, starts[1:], strict=False))


def test_lines_of_rendered_text_are_not_cut_off():
    assert TextPicture(lambda view: "x" * 200).rgb(None).shape[1] >= text_width("x" * 200, 15) + 2 * LEFT
    assert TextPicture(lambda view: "x").rgb(None).shape[1] == 760


def test_dots_have_smooth_edges():
    sheet = Sheet(1)
    sheet.begin_row(TOP, "Alex", "", LEADS)
    dot = sheet.pixels()[TOP + 16 : TOP + 31, LEFT - 1 : LEFT + 14].reshape(-1, 3)
    colors = {tuple(pixel) for pixel in dot.tolist()}
    assert {LEADS, PAPER} < colors
    assert len(colors) >= 5


def test_amounts_in_currencies_that_the_font_lacks_are_written_as_codes():
    from aucenv.core.drawing import drawable

    assert drawable("-\u20b919,000 Zo\u00eb") == "-INR 19,000 Zoe"


def test_many_residents_are_counted_because_their_names_would_be_too_small():
    from aucenv.envs.water_allocation.render import _listed_or_counted

    assert _listed_or_counted([]) == "nobody"
    assert _listed_or_counted(["Ann", "Bob"]) == "Ann and Bob"
    assert _listed_or_counted(list("abcdef")) == "6 residents"
