from __future__ import annotations

import pytest
from tables import Wild, scenario_of

import aucenv
from aucenv.analysis.agents.tables import agent_tables
from aucenv.analysis.ranking.shown_figures import NO_BID
from aucenv.analysis.ranking.standings import HeadToHead, head_to_head, standings
from aucenv.analysis.ranking.tables import ranking_tables
from aucenv.analysis.statistics.comparison import compare
from aucenv.analysis.statistics.intervals import Estimate
from aucenv.analysis.statistics.metrics import bidder_figures
from aucenv.envs.english.figures import RANGES, bid_increments, percentages, range_of, seat_figures, withdrawals
from aucenv.envs.english.notes import Priorities, priority_correlations


class Fixed:
    """A policy that bids the amounts of a list."""

    interface = "amount"

    def __init__(self, *answers: float) -> None:
        self.answers = list(answers)

    def reset(self, seat, seed):
        pass

    def act(self, view, observation):
        return self.answers.pop(0)

    def close_game(self, view):
        pass


@pytest.fixture
def record():
    scenario = scenario_of([1000, 500, 200], values=[1500, 400, 300])
    bidders = [Fixed(1000, 1200, -1, -1, -1), Fixed(1100, -1, 5, 600, -1), Fixed(900, -1, -1, 100, 250)]
    return aucenv.play("english", scenario, bidders)


def test_seat_figures_by_hand(record):
    first, second, third = seat_figures(record)
    assert record.outcome["items"] == [
        {"id": 0, "winner": "bidder_0", "price": 1200},
        {"id": 1, "winner": "bidder_1", "price": 600},
        {"id": 2, "winner": "bidder_2", "price": 250},
    ]
    assert (first.profit, second.profit, third.profit) == (300, -200, 50)
    surplus = 500 - 100 + 100
    assert (first.profit_ratio, second.profit_ratio) == (300 / surplus, -200 / surplus)
    assert (first.engagement, second.engagement, third.engagement) == ((2, 0, 0), (1, 1, 0), (0, 0, 1))
    assert (first.bid_errors.correct, second.bid_errors.correct, third.bid_errors.correct) == (4, 4, 3)
    assert (first.bid_errors.illegal, second.bid_errors.illegal, third.bid_errors.illegal) == (0, 1, 2)
    assert third.bid_errors.failed == {"too_low": 2}
    assert (first.cursed, second.cursed, third.cursed) == (0, 1, 0)
    assert (first.items, first.budget_left) == (1, 18_800)


def test_the_profit_ratio_is_not_defined_without_surplus():
    poor = scenario_of([1000], values=[1000])
    record = aucenv.play("english", poor, ["rule", "value", "pace"])
    assert [figure.profit_ratio for figure in seat_figures(record)] == [None] * 3
    assert bidder_figures([record])["rule"]["profit_ratio"] == Estimate(None)


def test_bidder_figures_by_hand(record):
    figures = bidder_figures([record])["Fixed"]
    assert figures["profit_mean"] == Estimate(50)  # one deal has no interval
    assert figures["items_mean"].value == 1
    assert figures["engagement"].value == 5 / 9
    assert figures["failed_bid_rate"].value == 3 / 14
    assert figures["too_low_rate"].value == 3 / 14
    assert figures["over_budget_rate"].value == 0
    assert figures["loss_rate"].value == 1 / 3


def test_figures_are_by_label():
    record = aucenv.play("english", "standard-20k-random", ["a=rule", "b=rule,k=2", "value"])
    assert list(bidder_figures([record])) == ["a", "b", "value"]


def test_running_out_of_attempts_counts_as_failures():
    record = aucenv.play("english", scenario_of([1000]), [Fixed(1, 1), Fixed(1000), Fixed(-1)], max_retries=1)
    assert [(f.bid_errors.correct, f.bid_errors.illegal) for f in seat_figures(record)] == [(0, 2), (1, 0), (1, 0)]


def test_failed_bids_are_counted():
    records = [aucenv.play("english", scenario_of([1000] * 4), [Wild(), Wild(), Wild()], seed) for seed in range(9)]
    figures = bidder_figures(records)["Wild"]
    assert 0.1 < figures["failed_bid_rate"].value < 0.9
    assert 0 < figures["unreadable_rate"].value < 0.5
    by_kind = figures["too_low_rate"].value + figures["over_budget_rate"].value
    assert by_kind == pytest.approx(figures["failed_bid_rate"].value)
    assert figures["failed_bid_rate"].low < figures["failed_bid_rate"].value < figures["failed_bid_rate"].high


def test_raises_are_measured_against_the_starting_price_then_the_standing_bid():
    bids = [[1000, 1300, 1412], [1050, 1304, -1], [1200, -1]]
    record = aucenv.play("english", scenario_of([1000]), [Fixed(*amounts) for amounts in bids])
    raises = [
        ("bidder_0", 0),
        ("bidder_1", 5),
        ("bidder_2", 20),
        ("bidder_0", 10),
        ("bidder_1", 10.4),
        ("bidder_0", 10.8),
    ]
    assert list(percentages(record)) == [(seat, pytest.approx(percent)) for seat, percent in raises]
    assert bid_increments([record])["Fixed"] == dict(zip(RANGES, (2, 1, 1, 1, 1), strict=True))


def test_raises_over_the_highest_bid_of_the_same_bidder():
    bids = [[1000, 1300, 1412], [1050, 1304, -1], [1200, -1]]
    record = aucenv.play("english", scenario_of([1000, 500]), [Fixed(*amounts, -1) for amounts in bids])
    raises = [("bidder_0", 0), ("bidder_1", 5), ("bidder_2", 20), ("bidder_0", 30), ("bidder_1", 25.4)]
    expected = [*raises, ("bidder_0", 11.2)]
    assert list(percentages(record, "own")) == [(seat, pytest.approx(percent)) for seat, percent in expected]
    assert bid_increments([record], "own")["Fixed"] == dict(zip(RANGES, (2, 0, 0, 0, 4), strict=True))
    assert list(percentages(record)) == list(percentages(record, "standing"))


def test_withdrawals_are_below_the_estimate_within_the_budget():
    bids = [[1000, -1, 500], [1400, -1], [-1, -1]]  # b0 cannot pay the 1500 that it leaves at, b1 not the 500
    scenario = scenario_of([1000, 500], budget=1450, ask_broke=True)
    record = aucenv.play("english", scenario, [Fixed(*amounts) for amounts in bids])
    assert [item["price"] for item in record.outcome["items"]] == [1400, 500]
    assert withdrawals(record) == {"bidder_0": (0, 1), "bidder_1": (0, 1), "bidder_2": (2, 2)}
    late = aucenv.play("english", scenario_of([1000]), [Fixed(1000, 2250), Fixed(1100, -1), Fixed(2150, -1)])
    assert withdrawals(late) == {"bidder_0": (0, 0), "bidder_1": (0, 1), "bidder_2": (0, 1)}
    assert bidder_figures([late])["Fixed"]["below_estimate_rate"].value == 0


def test_an_exhausted_bidder_has_not_withdrawn():
    record = aucenv.play("english", scenario_of([1000]), [Fixed(1, 1), Fixed(1000), Fixed(-1)], max_retries=1)
    assert withdrawals(record)["bidder_0"] == (0, 0)


def test_a_bidder_that_always_withdraws_has_its_defined_row(tmp_path):
    quitter = "out=value,margin=1"
    records = [
        aucenv.play("english", "standard-20k-random", [quitter, "rule", "value"], (0, seed)) for seed in range(6)
    ]
    out = bidder_figures(records)["out"]
    assert out["failed_bid_rate"] == out["too_low_rate"] == out["loss_rate"] == Estimate(None)
    assert out["below_estimate_rate"].value == 1
    assert bidder_figures(records)["rule"]["failed_bid_rate"].value == 0
    tables = ranking_tables(standings(records), "english", "title")
    cells = {line[1]: line for line in tables[0].lines}
    failed = tables[0].headings.index("failed bids")
    assert (cells["out"][failed], cells["rule"][failed]) == ("-", "0.0%")
    assert tables[0].note == NO_BID
    assert tables[1].headings == ("bidder", "withdrew below estimate", "won at a loss")
    assert dict(zip(tables[1].headings, next(line for line in tables[1].lines if line[0] == "out"), strict=True)) == {
        "bidder": "out",
        "withdrew below estimate": "100.0%",
        "won at a loss": "-",
    }
    by_title = {table.title: {line[0]: line[1:] for line in table.lines} for table in agent_tables(records)}
    assert by_title["failed bids (CFR)"]["out"] == ["-"]
    assert by_title["withdrawals below the estimate with enough budget"]["out"] == ["100.00% (60 of 60)"]
    raises = [title for title in by_title if "(BIP)" in title]
    assert len(raises) == 2
    assert all(by_title[title]["out"] == ["-"] * len(RANGES) for title in raises)
    changes = {d.figure: d for d in compare(records, records) if d.bidder == "out"}
    assert changes["failed_bid_rate"].first == changes["failed_bid_rate"].change == Estimate(None)


class Planner(Fixed):
    """A bidder with plans that always withdraws."""

    def act(self, view, observation):
        self.notes = {"priorities": [1 + j % 3 for j in range(len(view.items))]}
        return -1


def test_the_priorities_of_a_bidder_that_never_bids_have_no_correlations():
    record = aucenv.play("english", "standard-20k-random", [Planner(), "rule", "value"])
    assert priority_correlations([record])["Planner"] == Priorities(None, None, None, None)
    [plans] = [table for table in agent_tables([record]) if table.title.startswith("plans")]
    assert plans.lines[0][3:] == ["-"] * 4


def test_raises_after_discounts_are_shares_of_the_lowered_price():
    bids = [[-1, -1, 275], [-1, -1, 250, -1], [-1, -1, -1]]
    record = aucenv.play("english", scenario_of([1001], discount=True), [Fixed(*amounts) for amounts in bids])
    assert list(percentages(record)) == [("bidder_0", 10), ("bidder_1", 0)]


@pytest.mark.parametrize(
    ("percent", "place"), [(0, 0), (9.99, 0), (10, 1), (10.01, 2), (10.5, 2), (10.51, 3), (10.99, 3), (11, 4), (500, 4)]
)
def test_a_raise_belongs_to_one_range(percent, place):
    assert range_of(percent) == RANGES[place]


def test_head_to_head_compares_means_over_a_bidders_seats(record):
    for player, label in zip(record.seats, "aba", strict=True):
        player["bidder"] = label
    duels = head_to_head([record, record])
    assert duels["a"]["b"] == HeadToHead(2, 0, 0, Estimate(375))  # (300 + 50) / 2 against -200
    assert duels["b"]["a"] == HeadToHead(0, 0, 2, Estimate(-375))
