from __future__ import annotations

import pytest
import trueskill
from tables import Wild, scenario_of

import aucenv
from aucenv.analysis.metrics import bidder_figures, seat_figures
from aucenv.analysis.ratings import profits_by_bidder, rate, rate_game, rate_profits


class Fixed:
    """Answers a list of amounts."""

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
    assert (first.correct, second.correct, third.correct) == (4, 4, 3)
    assert (first.failed, second.failed, third.failed) == (0, 1, 2)
    assert (first.cursed, second.cursed, third.cursed) == (0, 1, 0)
    assert (first.items, first.budget_left) == (1, 18_800)


def test_without_surplus_there_is_no_profit_ratio():
    poor = scenario_of([1000], values=[1000])
    record = aucenv.play("english", poor, ["rule", "value", "pace"])
    assert [figure.profit_ratio for figure in seat_figures(record)] == [None] * 3
    assert bidder_figures([record])["rule"].profit_ratio is None


def test_bidder_figures_by_hand(record):
    figures = bidder_figures([record])["Fixed"]
    assert figures.games == 1
    assert figures.profit_mean == 50
    assert figures.items_mean == 1
    assert figures.engagement == 5 / 9
    assert figures.failed_bid_rate == 3 / 14
    assert figures.winners_curse_rate == 1 / 3


def test_labels_name_bidders():
    record = aucenv.play("english", "standard-20k-random", ["a=rule", "b=rule,k=2", "value"])
    assert list(bidder_figures([record])) == ["a", "b", "value"]


def test_giving_up_is_a_failure_not_a_correct_answer():
    record = aucenv.play("english", scenario_of([1000]), [Fixed(1, 1), Fixed(1000), Fixed(-1)], max_retries=1)
    assert [(f.correct, f.failed) for f in seat_figures(record)] == [(0, 2), (1, 0), (1, 0)]


def test_ratings_are_trueskills_defaults_by_profit_rank():
    games = [{"a": 3.0, "b": 1.0, "c": 1.0}, {"a": 5.0, "b": 9.0, "c": -1.0}]
    ours = rate_profits(games)
    world = trueskill.TrueSkill()
    expected = [(world.create_rating(),) for _ in "abc"]
    expected = world.rate(expected, ranks=[0, 1, 1])
    expected = world.rate(expected, ranks=[1, 0, 2])
    assert [ours[bidder] for bidder in "abc"] == [rating for (rating,) in expected]
    assert ours["a"].mu > 25 > ours["c"].mu


def test_a_bidder_in_several_seats_counts_once():
    record = aucenv.play("english", "standard-20k-random", ["rule", "rule", "value"])
    seats = seat_figures(record)
    assert profits_by_bidder(record) == {"rule": (seats[0].profit + seats[1].profit) / 2, "value": seats[2].profit}
    assert len(rate([record])) == 2
    alone = aucenv.play("english", "standard-20k-random", ["rule"] * 3)
    assert rate([alone])["rule"].mu == 25


def test_an_upset_beyond_the_librarys_arithmetic_changes_nothing():
    world = trueskill.TrueSkill()
    ratings = {"a": world.create_rating(425, 1), "b": world.create_rating(25, 1)}
    upset = {"a": 0.0, "b": 1.0}
    with pytest.raises(FloatingPointError):
        world.rate([(ratings["a"],), (ratings["b"],)], ranks=[1, 0])
    assert rate_game(world, ratings, upset) == ratings


def test_failed_bids_are_counted():
    records = [aucenv.play("english", scenario_of([1000] * 4), [Wild(), Wild(), Wild()], seed) for seed in range(9)]
    figures = bidder_figures(records)["Wild"]
    assert 0.1 < figures.failed_bid_rate < 0.9
    assert 0 < figures.unreadable_rate < 0.5
