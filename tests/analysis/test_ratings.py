"""Ratings, their intervals and ties, compared with the trueskill package and with known strengths."""

from __future__ import annotations

from itertools import combinations, cycle, islice, product

import numpy as np
import pytest
import trueskill

import aucenv
from aucenv.analysis.ranking.ratings import SHUFFLES, rate, rate_scores
from aucenv.analysis.ranking.standings import standings
from aucenv.analysis.ranking.tables import cells, to_markdown
from aucenv.analysis.ranking.trueskill_kernel import MU, SIGMA, rate_game, rate_orders
from aucenv.analysis.statistics.design import Design, deal_numbers
from aucenv.analysis.statistics.intervals import MIN_DEALS, RESAMPLES, interval, resample
from aucenv.analysis.statistics.metrics import scores_by_bidder
from aucenv.envs.english.figures import seat_figures


def library(backend=None):
    return trueskill.TrueSkill(backend=backend)


def test_the_kernel_agrees_with_the_library():
    rng = np.random.default_rng(0)
    world = library("scipy")
    theirs = [world.create_rating() for _ in range(8)]
    mu, variance, messages = np.full(8, MU), np.full(8, SIGMA**2), np.empty((8, 8))
    skills = rng.normal(0, 5, 8)
    for _ in range(100):
        seated = rng.permutation(8)[: rng.integers(2, 9)]
        scores = np.round((skills[seated] + rng.normal(0, 4, len(seated))) / 3)  # with draws
        order = np.argsort(-scores, kind="stable")
        places, drawn = np.full(8, -1), np.zeros(8, np.int8)
        places[: len(order)] = seated[order]
        drawn[: len(order) - 1] = np.diff(scores[order]) == 0
        rate_game(places, drawn, mu, variance, messages)
        rated = world.rate([(theirs[bidder],) for bidder in seated], ranks=(-scores).tolist())
        for bidder, (rating,) in zip(seated, rated, strict=True):
            theirs[bidder] = rating
        assert mu == pytest.approx([rating.mu for rating in theirs], abs=1e-9)
        assert np.sqrt(variance) == pytest.approx([rating.sigma for rating in theirs], abs=1e-9)


@pytest.mark.parametrize(("worst", "num_results"), [(0.0, 1), (1.0, 4)])
def test_ratings_are_the_librarys_for_an_order_of_tied_bidders(worst, num_results):
    games = [{"a": 3.0, "b": 1.0, "c": worst}] * 2
    world = library()
    expected = []
    for orders in product(("abc", "acb"), repeat=len(games)):
        skills = {bidder: world.create_rating() for bidder in "abc"}
        for order, game in zip(orders, games, strict=True):
            rated = world.rate([(skills[bidder],) for bidder in order], ranks=[-game[bidder] for bidder in order])
            skills = {bidder: skill for bidder, (skill,) in zip(order, rated, strict=True)}
        expected.append([skills[bidder].mu for bidder in "abc"])
    distances = np.abs(rate_scores(games, np.array([0, 0])).shuffled[:, np.newaxis] - np.array(expected)).max(axis=2)
    assert distances.min(axis=1).max() < 1e-4
    assert len(set(distances.argmin(axis=1).tolist())) == num_results


def test_a_result_that_overflows_changes_no_rating():
    world = library()
    with pytest.raises(FloatingPointError):
        world.rate([(world.create_rating(425, 1),), (world.create_rating(25, 1),)], ranks=[1, 0])
    mu, variance = np.array([425.0, 25.0]), np.array([1.0, 1.0])
    rate_game(np.array([1, 0]), np.zeros(2, np.int8), mu, variance, np.empty((8, 2)))
    assert mu.tolist() == [425, 25]
    assert variance.tolist() == [1, 1]


def test_a_rating_is_the_mean_over_shuffles_and_does_not_depend_on_the_order_of_the_games():
    assert SHUFFLES >= 100
    games, deals = tournament(np.random.default_rng(0), 10)
    rated = rate_scores(games, deals)
    assert rated.shuffled.shape == (SHUFFLES, 5)
    assert rated.shuffled.std(axis=0).min() > 0.1  # the order matters
    backwards = rate_scores(games[::-1], deals[::-1])
    for bidder in rated.bidders:
        assert rated.of(bidder).value == pytest.approx(backwards.of(bidder).value, abs=1)


def test_a_bidder_in_several_seats_is_rated_once():
    record = aucenv.play("english", "standard-20k-random", ["rule", "rule", "value"])
    seats = seat_figures(record)
    assert scores_by_bidder(record) == {"rule": (seats[0].profit + seats[1].profit) / 2, "value": seats[2].profit}
    assert len(rate([record]).bidders) == 2
    alone = aucenv.play("english", "standard-20k-random", ["rule"] * 3)
    assert rate([alone]).of("rule").value == MU


STRENGTHS = {"a": 0.0, "b": 0.3, "c": 0.6, "d": 1.0, "e": 2.0}


def tournament(rng, num_deals):
    """Return games of three bidders, and their deals; a deal has three rotations, which share its luck."""
    games, deals = [], []
    lineups = list(combinations(STRENGTHS, 3))
    rng.shuffle(lineups)
    for deal, lineup in enumerate(islice(cycle(lineups), num_deals)):
        luck = {bidder: STRENGTHS[bidder] + rng.normal() for bidder in lineup}
        for _ in range(3):
            games.append({str(bidder): score + rng.normal() for bidder, score in luck.items()})
            deals.append(deal)
    return games, np.array(deals)


def coverage(num_deals, tournaments, num_tournaments=300):
    """Return how often the intervals, where there are any, cover the mean rating over tournaments of this size."""
    rng = np.random.default_rng(1)
    true = dict.fromkeys(STRENGTHS, 0.0)
    for _ in range(num_tournaments):
        games, _ = tournament(rng, num_deals)
        rated = rate_scores(games, np.zeros(len(games), np.int64))
        for bidder in true:
            true[bidder] += rated.of(bidder).value / num_tournaments
    covered = []
    for _ in range(tournaments):
        rated = rate_scores(*tournament(rng, num_deals))
        estimates = {bidder: rated.of(bidder) for bidder in true}
        covered += [each.low <= true[bidder] <= each.high for bidder, each in estimates.items() if each.low is not None]
    assert len(covered) > 4 * tournaments  # e may win nearly always
    return np.mean(covered)


def test_intervals_cover_the_true_rating():
    assert 0.90 <= coverage(10, 60, 100) <= 0.99


@pytest.mark.slow
@pytest.mark.parametrize("num_deals", [15, 30, 100])
def test_intervals_cover_the_true_rating_at_every_size(num_deals):
    assert 0.90 <= coverage(num_deals, 300) <= 0.99


def test_only_bidders_of_equal_strength_are_tied():
    games, deals = tournament(np.random.default_rng(2), 60)
    rated = rate_scores(games, deals)
    assert not rated.tied("a", "e")
    assert rated.tied("b", "b")
    renamed = [
        {("x" if deal % 2 and b == "c" else b): score for b, score in game.items()}
        for game, deal in zip(games, deals, strict=True)
    ]
    assert rate_scores(renamed, deals).tied("c", "x")


@pytest.mark.parametrize("num_games", [60, 3000])
def test_bidders_that_always_draw_are_tied_in_any_order(num_games):
    rng = np.random.default_rng(num_games)
    for first, second in (("a", "b"), ("b", "a")):
        scores = rng.choice([0.0, 1.0], (num_games, 2)).tolist()
        games = [{first: score, second: score, "c": other} for score, other in scores]
        rated = rate_scores(games, np.arange(num_games) // 3)
        assert rated.tied("a", "b")
        assert rated.of("a").value == pytest.approx(rated.of("b").value, abs=1e-3)


def test_games_of_one_scenario_and_seed_share_a_deal():
    records = [
        aucenv.play("english", scenario, ["rule"] * 3, seed)
        for scenario, seed in (("standard-20k-random", 1), ("standard-40k-random", 1), ("standard-20k-random", 1))
    ]
    assert deal_numbers(records).tolist() == [0, 1, 0]
    design = Design.of_records(records)
    assert design.deals.tolist() == [0, 1, 0]
    assert design.strata.tolist() == design.settings.tolist() == [0, 1]
    times = resample(np.array([0, 1, 0]))
    assert times.shape == (RESAMPLES, 2)
    assert (times.sum(axis=1) == 2).all()


def test_an_interval_of_few_deals_is_wider_and_ignores_undefined_values():
    drawn = np.random.default_rng(0).normal(size=RESAMPLES)
    assert interval(drawn, MIN_DEALS - 1) == (None, None)
    few, many = interval(drawn, MIN_DEALS), interval(drawn, 1000)
    assert few[0] < many[0] < -1.8 < 1.8 < many[1] < few[1]
    assert interval(np.append(drawn, np.nan), 1000)[0] == pytest.approx(many[0], abs=0.05)
    assert interval(np.array([np.nan]), 5) == (None, None)


def test_pairing_by_deal_detects_small_differences():
    rng = np.random.default_rng(0)
    luck = np.repeat(rng.normal(0, 1000, 40), 3)
    games = [{"a": score + 10 + rng.normal(0, 5), "b": score} for score in luck]
    assert not rate_scores(games, np.repeat(np.arange(40), 3)).tied("a", "b")


def records_of(games, lineups=(["rule", "value", "pace"],)):
    return [
        aucenv.play("english", "standard-20k-random", lineup, (0, seed), index=seed)
        for seed in range(games)
        for lineup in lineups
    ]


def test_standings_have_shared_ranks_and_intervals():
    rows = standings(records_of(12))
    assert [row["rating_low"] is None for row in rows] == [True, False, True]  # one always wins, another always loses
    assert rows[1]["rating_high"] - rows[1]["rating_low"] > 1  # the second one is always second
    for row in rows:
        for name in ("profit_mean", "profit_ratio", "items_mean", "failed_bid_rate", "engagement"):
            assert row[f"{name}_low"] <= row[name] <= row[f"{name}_high"], name
        assert sum(row["bid_increments"].values()) > 0
        assert set(row["head_to_head"]) == {"rule", "value", "pace"} - {row["bidder"]}
    ranks = [row["rank"] for row in rows]
    assert ranks[0] == 1
    assert ranks == sorted(ranks)
    twins = standings(records_of(6, (["a=rule", "b=rule", "value"], ["b=rule", "a=rule", "value"])))
    by_label = {row["bidder"]: row["rank"] for row in twins}
    assert by_label["a"] == by_label["b"]
    ranks = {cell[1]: cell[0] for cell in cells(twins, "english")}
    assert ranks["a"] == ranks["b"] == f"{by_label['a']}="


def test_without_intervals_ranks_follow_ratings():
    rows = standings(records_of(1))
    assert [row["rank"] for row in rows] == [1, 2, 3]
    assert {row["rating_low"] for row in rows} == {None}
    assert "None" not in to_markdown(rows, "english", {})
    rated = rate_scores([{"a": 1.0, "b": 1.0, "c": 0.0}], np.array([0]))
    assert rated.tied("a", "b") == (rated.of("a").value == pytest.approx(rated.of("b").value, abs=1e-6))
    assert not rated.tied("a", "c")


def test_markdown_has_all_tables():
    text = to_markdown(standings(records_of(5)), "english", {})
    headings = [table.split("\n")[0] for table in text.strip().split("\n\n")]
    assert [heading.split(" | ")[0] for heading in headings] == [
        "| rank",
        "| bidder",
        "| games won against (a draw is half)",
        "| bids by their raise, in percent of the starting price",
    ]
    assert "(" in text
    assert " to " in text


def test_without_games_the_standings_are_empty():
    assert standings([]) == []


def test_orders_may_have_different_lengths():
    mus = np.empty((2, 2))
    places, drawn = np.array([[0, 1], [1, 0]]), np.zeros((2, 2), np.int8)
    rate_orders(places, drawn, np.array([[0, -1], [0, 1]]), mus)
    assert mus[0, 0] > mus[0, 1]
    assert mus[1, 0] != mus[0, 0]


def test_a_figure_of_few_deals_has_no_interval():
    lineups = [["rule", "value", "pace"]] * 8 + [["rule", "value", "drain"]]
    records = [aucenv.play("english", "standard-20k-random", lineup, (0, i)) for i, lineup in enumerate(lineups)]
    rows = {row["bidder"]: row for row in standings(records)}
    assert rows["drain"]["profit_mean_low"] is None
    assert rows["drain"]["rating_low"] is None
    assert rows["drain"]["head_to_head"]["rule"]["profit_difference_low"] is None
    assert rows["pace"]["profit_mean_low"] is not None
    assert rows["pace"]["head_to_head"]["rule"]["profit_difference_low"] is not None


def test_draws_do_not_depend_on_the_order_of_additions():
    games = [{"a": (0.1 + 0.2 + 0.3) / 3, "b": (0.3 + 0.2 + 0.1) / 3}]
    rated = rate_scores(games, np.array([0]))
    assert rated.of("a") == rated.of("b")
