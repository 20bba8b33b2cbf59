"""Synthetic Labs as one run, its bid functions, and the markers of its figures."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from aucenv.benchmarks.studies.labs import bid_functions
from aucenv.benchmarks.studies.registry import PAPERS, STUDIES
from matplotlib.figure import Figure

from aucenv.registration import find_family
from aucenv.runs.play import play

GPT = "gpt=llm:scripted"


def played(study, bidders, games, keep=lambda match: True):
    matches = [match for match in STUDIES[study].schedule(bidders, games, 3) if keep(match)]
    return [play(m.game, m.scenario, m.bidders, m.seed, index=m.index) for m in matches]


def test_the_run_has_the_published_sessions_of_each_setting():
    run = PAPERS["labs"].run_of([GPT, "shade"], None, 0, True)
    labels = ["gpt", "shade", "equilibrium"]
    assert {name: len(matches) for name, matches in run.parts.items()} == {
        "settings": 29 * 5 * len(labels),
        "more bidders": 2 * 5 * len(labels),
        "independent clocks": 3 * 5 * len(labels),
        "one round": 4 * 20 * len(labels),
        "common values": 5 * 5 * len(labels),
        "proxy auctions": 8 * 30 * len(labels),
    }
    assert {name for match in run.parts["one round"] for name in match.bidders} == {
        f"{GPT},agent=plan-bid-reflect",
        "shade",
        "equilibrium",
    }
    assert {name for match in run.parts["proxy auctions"] for name in match.bidders} >= {"truthful"}
    with pytest.raises(ValueError, match="expected no --set ask_broke=false"):
        PAPERS["labs"].run_of([GPT], None, 0, False)
    with pytest.raises(ValueError, match="expected --bidder NAME=MODEL"):
        PAPERS["labs"].run_of([], None, 0, True)


def test_models_play_the_published_number_of_sessions_by_default():
    for name in ("labs/revenue", "labs/winners-curse"):
        study = STUDIES[name]
        assert len(study.schedule((GPT,), None, 0)) * study.games == len(study.schedule(("naive",), None, 0)) * 5


def test_equilibrium_bids_are_on_the_line_of_theory():
    records = played("labs/bid-functions", ("equilibrium",), 1)
    for row in STUDIES["labs/bid-functions"].rows_of(records):
        signals, known = bid_functions._equilibrium_of(row["mechanism"])
        values, bids = np.array(row["points"]).T
        expected = np.interp(values, signals, known)
        if row["mechanism"] == "third price":
            expected = np.minimum(expected, 99)
        assert np.abs(bids - expected).max() <= 0.5
        assert row["distance"] >= abs(row["gap"])


def test_the_drawn_equilibria_are_the_closed_forms():
    load = find_family("sealed_bid").game.load_scenario
    for name, seats in (("first-ipv", 3), ("first-ipv-4", 4), ("first-ipv-5", 5)):
        for averse in (0.0, 0.5):
            values, bids = bid_functions.equilibrium("sealed_bid", load(name), averse)
            assert bids == pytest.approx(values * (seats - 1) / (seats - averse))
    values, bids = bid_functions.equilibrium("sealed_bid", load("all-pay-ipv"))
    assert bids == pytest.approx(2 / 3 * values**3 / 99**2)
    clock = find_family("clock").game.load_scenario("ascending-apv")
    values, bids = bid_functions.equilibrium("clock", clock)
    assert bids == pytest.approx(values)


def test_the_curve_of_a_line_is_that_line():
    values = np.array([3.0, 8, 8, 20, 55, 90])
    grid = np.linspace(3, 90, 7)
    assert bid_functions.smoothed(values, 0.7 * values + 2, grid, 9.0) == pytest.approx(0.7 * grid + 2)
    assert bid_functions.smoothed(np.array([5.0, 5.0]), np.array([2.0, 4.0]), np.array([5.0]), 9.0) == pytest.approx(
        [3]
    )


def test_the_winner_of_a_rising_clock_has_no_bid():
    [record] = played("labs/bid-functions", ("truthful",), 1, lambda m: m.scenario.name == "ascending-apv")
    prizes = record.outcome["prizes"]
    assert len(bid_functions.bids_of(record)) == sum(
        bid is not None and prize["winner"] != player["seat"]
        for prize in prizes
        for player, bid in zip(record.seats, prize["bids"], strict=True)
    )


def test_a_bidder_without_a_bid_has_no_curve():
    [record] = played("labs/bid-functions", ("equilibrium",), 1, lambda m: m.scenario.name == "first-ipv")
    prizes = [{**prize, "bids": [None] * 3} for prize in record.outcome["prizes"]]
    silent = dataclasses.replace(record, outcome={**record.outcome, "prizes": prizes})
    study = STUDIES["labs/bid-functions"]
    [row] = study.rows_of([silent])
    assert (row["bids"], row["gap"], row["spread"], row["curve"]) == (0, None, None, [])
    study.draw([row], Figure())


@pytest.mark.parametrize("name", ["labs/ratios", "labs/one-shot", "labs/winners-curse", "labs/ebay"])
def test_published_markers_are_inside_the_axes(name):
    study = STUDIES[name]
    bidder = "truthful" if name == "labs/ebay" else "equilibrium"
    figure = Figure(figsize=(8, 5))
    study.draw(study.rows_of(played(name, (bidder,), 1)), figure)
    markers = [(axes, line) for axes in figure.axes for line in axes.lines if "published" in str(line.get_label())]
    assert markers
    for axes, line in markers:
        (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
        x, y = (np.asarray(values, float) for values in line.get_data())
        assert ((left < x) & (x < right)).all()
        assert ((low < y) & (y < high)).all()


def test_a_model_without_a_readable_bid_has_no_figures_and_can_be_drawn():
    bad = "bad=llm:scripted,agent=plan-bid-reflect,unreadable=1"
    records = played("labs/ratios", (bad,), 1, keep=lambda match: match.scenario.name == "first-ipv")
    [row] = STUDIES["labs/ratios"].rows_of(records)
    assert (row["games"], row["ratio"]) == (1, None)
    [row] = STUDIES["labs/bid-functions"].rows_of(records)
    assert (row["points"], row["gap"]) == ([], None)
    STUDIES["labs/bid-functions"].draw([row], Figure(layout="constrained"))
