"""Figures of housing auctions and tests of significance, compared with values calculated by hand."""

from __future__ import annotations

import copy
import dataclasses
import math
import re
from collections import Counter

import numpy as np
import pytest
from tables import Player

import aucenv
from aucenv.analysis.agents.tables import agent_tables
from aucenv.analysis.agents.transcript import transcript
from aucenv.analysis.ranking.standings import standings
from aucenv.analysis.ranking.tables import ranking_tables
from aucenv.analysis.statistics.metrics import bidder_figures
from aucenv.analysis.statistics.significance import linear_trend, one_way_anova, t_test
from aucenv.core.policy import PolicyError
from aucenv.core.records.read_notes import AGAINST, count_rules
from aucenv.core.records.record import GameRecord
from aucenv.envs.harbor.figures import seat_figures
from aucenv.envs.harbor.houses.personas import PERSONAS
from aucenv.envs.harbor.notes import ASKS_TO_BID, divergence, divergences, noted_profiles
from aucenv.runs.records import RecordReader, replay


@pytest.fixture(scope="module")
def played():
    return aucenv.play("harbor", "evaluation-single", ["expact", "persona", "value"], 7)


@pytest.mark.parametrize("level", [0, -1, 0.4])
def test_a_profile_of_equal_weights_is_uniform(level):
    assert divergence([level] * 10, [3]) == pytest.approx(math.log(10))
    assert divergence([level] * 10, [3, 5]) == pytest.approx(math.log(5))
    assert round(divergence([level] * 10, [3]), 2) == 2.30
    assert round(divergence([level] * 10, [3, 5]), 2) == 1.61


def test_divergences_equal_values_by_hand():
    certain = [-1.0] * 9 + [1.0]
    assert divergence(certain, [9]) == pytest.approx(0, abs=1e-9)
    assert divergence(certain, [0]) == pytest.approx(12 * math.log(10))
    weights = [-0.5, 0.1, 0.5, -0.5, 0, -0.5, -0.5, -0.5, -0.5, -0.5]  # shifted: 0.6, 1, 0.5 of 2.1
    assert divergence(weights, [2]) == pytest.approx(math.log(2.1))
    assert divergence(weights, [1, 4]) == pytest.approx(
        0.5 * math.log(0.5 / (0.6 / 2.1)) + 0.5 * math.log(0.5 / (0.5 / 2.1))
    )


@pytest.mark.parametrize(
    ("profile", "message"),
    [
        ([0.0] * 9, "profile: expected 10 of them, got 9"),
        ([0.0] * 11, "profile: expected 10 of them, got 11"),
        ([0.0] * 9 + [1.5], "profile, weight 9: expected a number from -1 to 1, got 1.5"),
        ([-1.01] + [0.0] * 9, "profile, weight 0: expected a number from -1 to 1, got -1.01"),
        ([float("nan")] * 10, "weight 0: expected a number from -1 to 1, got nan"),
        ([0.0] * 9 + ["high"], "weight 9: expected a number from -1 to 1, got 'high'"),
    ],
)
def test_bad_profiles_are_refused(profile, message):
    with pytest.raises(ValueError, match=message):
        divergence(profile, [0])


def test_tables_say_why_bidders_have_no_divergences(played):
    tables = ranking_tables(standings([played]), "harbor", "")
    first, second = [table.note for table in tables[:2]]
    assert first == '"-" under "KL of profiles": the bidder noted no profile of a rival.'
    assert '"-" under "misread": the bidder noted no profile of a rival.' in second
    assert "rivals' KL" not in second  # expact notes profiles of both others, and persona those of expact


BAD_NOTES = [
    ({"profiles": [1, 2]}, r"notes.profiles: expected an object, got \[1, 2\]"),
    ({"profiles": {"Alex": [0.0] * 10}}, "notes.profiles, rival: expected one of bidder_1, bidder_2, got 'Alex'"),
    (
        {"profiles": {"bidder_0": [0.0] * 10}},
        "notes.profiles, rival: expected one of bidder_1, bidder_2, got 'bidder_0'",
    ),
    ({"profiles": {"bidder_1": [0.0] * 9}}, "notes.profiles.bidder_1: expected a list of 10, got 9"),
    ({"profiles": {"bidder_1": 3}}, "notes.profiles.bidder_1: expected a list of 10, got 3"),
    (
        {"profiles": {"bidder_1": [0.0] * 9 + [2]}},
        r"notes.profiles.bidder_1\[9\]: expected a number from -1 to 1, got 2",
    ),
    ({"priorities": 3}, "notes.priorities: expected a list, got 3"),
    ({"priorities": [1] * 9}, "notes.priorities: expected 10 of them, one for each item, got 9"),
    (
        {"earlier_plans": [{"item": 0, "priorities": [None] * 10}]},
        r"notes.earlier_plans\[0\].priorities\[0\]: expected a whole number from 1 to 3, got None",
    ),
    ({"earlier_plans": [{"item": 11, "priorities": []}]}, r"notes.earlier_plans\[0\].item: expected a whole number"),
    ({"priorities": [1] * 9 + [4]}, r"notes.priorities\[9\]: expected a whole number from 1 to 3, or null, got 4"),
    ({"rule": ["A"]}, r"notes.rule: expected some text, got \['A'\]"),
    (7, "notes: expected a dict, got 7"),
    ("high", "notes: expected a dict, got 'high'"),
]


class Noting(Player):
    """A bidder that always withdraws and writes the given notes."""

    def __init__(self, notes, closing=None):
        self.notes, self.closing = notes, closing

    def act(self, view, observation):
        return -1

    def close_game(self, view):
        return self.closing


@pytest.mark.parametrize(("notes", "message"), BAD_NOTES)
def test_notes_that_figures_cannot_read_are_refused_at_once(notes, message):
    with pytest.raises(PolicyError, match=f"Noting failed at bidder_0, game 0, item 0, round 0: {message}"):
        aucenv.play("harbor", "evaluation-single", [Noting(notes), "persona", "persona"])
    with pytest.raises(PolicyError, match=f"Noting failed at bidder_0, game 0, at the end: {message}"):
        aucenv.play("harbor", "evaluation-single", [Noting(None, notes), "persona", "persona"])


def test_other_notes_are_not_checked():
    notes = {"mood": [1, {"calm": True}], "rule": "mine", "profiles": {"bidder_2": [0.5] * 10}}
    record = aucenv.play("harbor", "evaluation-single", [Noting(notes, {"thoughts": "none"}), "persona", "persona"])
    assert record.decisions[0]["notes"] == notes
    assert record.seats[0]["notes"] == {"thoughts": "none"}
    assert seat_figures(record)[0].rules == {"mine": 10}
    assert seat_figures(record)[0].divergences == pytest.approx([math.log(10)])
    assert len(list(transcript(record))) > 20


class Ruled(Noting):
    """A bidder that notes the given rules in turn, and bids the least amount, leaves, or says something unreadable."""

    interface = "text"

    def __init__(self, *decisions):
        super().__init__(None)
        self.decisions = list(decisions)

    def act(self, view, observation):
        if not view.refused:
            rule, self.action = self.decisions.pop(0) if self.decisions else ("E", "leave")
            self.notes = {"rule": rule}
        return {"bid": f"I bid ${view.least_bid:,}!", "leave": "I'm out!"}.get(self.action, self.action)


def test_a_rule_counts_only_where_the_bid_agrees_with_it():
    bidder = Ruled(
        *(("A", "bid"), ("D", "bid"), ("A", "leave"), ("B", "bid"), ("decoy", "leave")),
        *(("mine", "bid"), ("mine", "leave"), ("C", "Hm."), ("F", "Hm."), ("F", "leave")),
    )
    record = aucenv.play("harbor", "evaluation-single", [bidder, Noting(None), Noting(None)], max_rounds=40)
    seat_decisions = [decision for decision in record.decisions if decision["seat"] == "bidder_0"]
    given = {(d["notes"]["rule"], d["amount"] is not None, d["action"] is None) for d in seat_decisions}
    assert {("D", True, False), ("A", False, False), ("C", False, True), ("F", False, True)} <= given
    left = sum(decision["notes"]["rule"] == "E" for decision in seat_decisions)
    expected = Counter({"A": 1, "B": 1, "F": 1, "mine": 2, AGAINST: 3, "E": left}) - Counter()
    assert count_rules(record, "bidder_0", ASKS_TO_BID) == seat_figures(record)[0].rules == expected
    total = expected.total()
    assert len(seat_decisions) == total + 2  # decisions that ran out of retries follow no rule and contradict none
    table = next(table for table in agent_tables([record]) if table.title == "rules followed")
    rules = sorted(rule for rule in expected if rule != AGAINST)
    assert table.headings == ("bidder", "decisions", *rules, "against the rule")
    shares = [f"{expected[rule] / total:.1%}" for rule in (*rules, AGAINST)]
    assert table.lines == [["Ruled", str(total), *shares]]


@pytest.mark.parametrize("bidder", ["expact", "expact_blind", "expact_true", "second_order"])
def test_rule_bidders_never_bid_against_their_rule(bidder):
    record = aucenv.play("harbor", "evaluation-single", [bidder] * 3, 5)
    noted = Counter(d["notes"]["rule"] for d in record.decisions if d["seat"] == "bidder_0")
    assert seat_figures(record)[0].rules == noted
    assert set(noted) <= set(ASKS_TO_BID)
    [table] = [table for table in agent_tables([record]) if table.title == "rules followed"]
    assert [line[-1] for line in table.lines] == ["0.0%"]


@pytest.mark.parametrize("profiles", [[1, 2], {"bidder_9": [0.0] * 10}, {"bidder_0": [0.0] * 10}])
def test_the_error_for_bad_profiles_in_a_record_names_their_place(played, profiles):
    record = copy.deepcopy(played)
    first = next(decision for decision in record.decisions if decision["seat"] == "bidder_0")
    first["notes"]["profiles"] = profiles
    with pytest.raises(ValueError, match=r"games.jsonl:1: decisions\[\d+\].notes.profiles"):
        RecordReader().parse(record.to_json(), "games.jsonl:1")


def test_seat_figures_follow_from_the_record(played):
    expact, persona, value = seat_figures(played)
    surplus = sum(item["true_value"] - item["starting_price"] for item in played.deal["items"])
    for number, figures in enumerate((expact, persona, value)):
        personas = played.deal["seats"][number]["personas"]
        matching = {item["id"] for item in played.deal["items"] if item["persona"] in personas}
        won = {house for house, _ in played.outcome["seats"][number]["won"]}
        assert (figures.matching, figures.matched) == (len(matching), len(matching & won))
        assert figures.matching == 2
        assert figures.profit_ratio == pytest.approx(played.outcome["seats"][number]["profit"] / surplus)
    assert value.divergences == value.priorities == ()
    assert not value.rules
    assert expact.priorities == tuple(played.seats[0]["notes"]["priorities"])
    rules = [d["notes"]["rule"] for d in played.decisions if d["seat"] == "bidder_0"]
    assert expact.rules == {letter: rules.count(letter) for letter in set(rules)}
    profiles = played.seats[0]["notes"]["profiles"]
    numbers = [PERSONAS.index(played.deal["seats"][seat]["personas"][0]) for seat in (1, 2)]
    assert expact.divergences == tuple(
        divergence(profiles[f"bidder_{seat}"], [k]) for seat, k in zip((1, 2), numbers, strict=True)
    )


def test_divergences_are_listed_by_item(played):
    by_item = divergences(played, "bidder_0")
    assert list(by_item) == sorted(by_item)
    assert list(by_item)[-1] == 10
    assert by_item[0] == pytest.approx([math.log(10)] * 2)
    assert [items for items, _ in noted_profiles(played, "bidder_2")] == []


def test_rivals_without_personas_have_no_divergence():
    record = aucenv.play("harbor", "evaluation-none", ["expact", "persona", "value"], 7)
    assert set(map(tuple, divergences(record, "bidder_0").values())) == {()}
    rows = {row["bidder"]: row for row in standings([record])}
    assert rows["expact"]["profile_kl"] is None
    assert rows["expact"]["acquisition"] is None


def test_bidder_figures_combine_the_seat_figures():
    records = [aucenv.play("harbor", "evaluation-single", ["expact", "persona", "value"], seed) for seed in range(6)]
    figures = bidder_figures(records)
    games = [seat_figures(record) for record in records]
    for number, name in enumerate(("expact", "persona", "value")):
        seats = [game[number] for game in games]
        assert figures[name]["acquisition"].value == pytest.approx(
            sum(s.matched for s in seats) / sum(s.matching for s in seats)
        )
        kls = [kl for s in seats for kl in s.divergences]
        assert figures[name]["profile_kl"].value == (pytest.approx(np.mean(kls)) if kls else None)
        assert figures[name]["misread_rate"].value == (pytest.approx(np.mean(np.array(kls) > 20)) if kls else None)


def test_deception_is_counted_from_rivals_profiles_and_bids_for_other_items():
    record = aucenv.play("harbor", "evaluation-single", ["expact", "second_order", "random"], 5)
    figures = {figure.seat: figure for figure in seat_figures(record)}
    for number, (seat, figure) in enumerate(figures.items()):
        (persona,) = record.deal["seats"][number]["personas"]
        notes = [player["notes"]["profiles"] for player in record.seats[:2] if player["seat"] != seat]
        held = [divergence(profiles[seat], [PERSONAS.index(persona)]) for profiles in notes]
        assert figure.held == pytest.approx(held)
        others = {j for j, item in enumerate(record.deal["items"]) if item["persona"] != persona}
        bids = [d["item"] for d in record.decisions if d["seat"] == seat and d["amount"] is not None]
        assert figure.decoys == sum(item in others for item in bids)
    assert [len(figure.held) for figure in figures.values()] == [1, 1, 2]
    assert figures["bidder_2"].decoys > 0
    rows = {row["bidder"]: row for row in standings([record])}
    assert rows["random"]["decoy_rate"] == pytest.approx(
        figures["bidder_2"].decoys / sum(figures["bidder_2"].engagement)
    )


def test_a_bidder_without_a_persona_has_no_figures_of_deception():
    record = aucenv.play("harbor", "evaluation-none", ["random", "persona", "value"], 7)
    row = next(row for row in standings([record]) if row["bidder"] == "random")
    assert (row["rivals_kl"], row["decoy_rate"]) == (None, None)


def test_records_keep_notes_at_the_end_and_replay(played):
    again = GameRecord.from_json(played.to_json())
    assert again == played
    assert replay(again).over
    assert "notes" not in played.seats[2]


def test_transcripts_show_personas_and_abbreviated_notes(played):
    text = "\n".join(transcript(played))
    for player, dealt in zip(played.seats, played.deal["seats"], strict=True):
        assert f"{player['name']} ({player['bidder']}), persona {dealt['personas'][0]}, budget" in text
    assert "(matches " in text
    assert re.search(r"\(rule C, (reads \w+ as \w+ 0\.\d\d, )*priority \d\)", text)
    assert re.search(r"reads Blair as \w+ 0\.\d\d", text)
    assert not set("{}[]'") & set(text)
    assert "profiles" not in text


def test_recorded_housing_auctions_are_replayed(tmp_path):
    from aucenv.envs.harbor.files import replay_game

    data = {
        "id": "one",
        "bidders": ["a", "b"],
        "budget": 1_000_000,
        "items": [{"id": 1, "name": "house", "starting_price": 200_000, "true_value": 500_000}],
        "rounds": [{"item": 1, "round": 0, "bids": {"a": 200_000, "b": None}}],
        "outcome": {
            "a": {"profit": 300_000, "budget": 800_000, "won": [[1, 200_000]]},
            "b": {"profit": 0, "budget": 1_000_000, "won": []},
        },
    }
    assert replay_game(data, "here").difference is None


def test_independent_t_equals_the_value_by_hand():
    """Means 2 and 5, pooled variance 2.5 of 5 and 5: t = -3 / sqrt(2.5 * 2/5) = -3, d = -3 / sqrt(2.5)."""
    result = t_test([0, 1, 2, 3, 4], [3, 4, 5, 6, 7])
    assert (result.t, result.df) == (pytest.approx(-3), 8)
    assert result.cohens_d == pytest.approx(-3 / 2.5**0.5)
    assert result.p == pytest.approx(0.01707, abs=1e-5)  # from a table


def test_paired_t_equals_the_value_by_hand():
    """Differences 1, 2, 3, 2: mean 2, deviation sqrt(2/3): t = 2 / (sqrt(2/3) / 2) = 4.899."""
    result = t_test([3, 5, 9, 6], [2, 3, 6, 4], paired=True)
    assert (result.t, result.df) == (pytest.approx(2 / ((2 / 3) ** 0.5 / 2)), 3)
    assert result.cohens_d == pytest.approx(2 / (2 / 3) ** 0.5)
    with pytest.raises(ValueError, match="paired values: expected two samples of equal length, got 2 and 3"):
        t_test([1, 2], [1, 2, 3], paired=True)


def test_published_d_follows_from_its_t():
    """HARBOR's RLAct: t = -1.66 with df 28 is d = 0.61 for two samples of 15."""
    rng = np.random.default_rng(0)
    first = rng.normal(size=15)
    second = first + 0.5
    result = t_test(first, second)
    assert result.df == 28
    assert result.cohens_d == pytest.approx(result.t * (2 / 15) ** 0.5)
    assert round(result.cohens_d / result.t * 1.66, 2) == 0.61


def test_anova_equals_the_value_by_hand():
    """Groups 1 2 3, 2 3 4, 6 7 8: between 42, within 6: F = 21 / 1, eta squared 42 / 48."""
    result = one_way_anova([[1, 2, 3], [2, 3, 4], [6, 7, 8]])
    assert (result.f, result.df_between, result.df_within) == (pytest.approx(21), 2, 6)
    assert result.eta_squared == pytest.approx(42 / 48)
    assert result.p == pytest.approx(0.001963, abs=1e-5)  # (1 + 2 * 21 / 6) ** -3, as df_between is 2
    assert result.p == pytest.approx((1 + 2 * 21 / 6) ** -3)


def test_the_published_trend_is_that_of_the_published_means():
    """HARBOR's table 2, the Master: r = -.98, p = .017, -9.33 points (the published means are rounded)."""
    result = linear_trend([34.56, 31.75, 26.81, 25.22])
    assert (round(result.r, 2), round(result.p, 3)) == (-0.98, 0.017)
    assert result.change == pytest.approx(-9.33, abs=0.015)


def test_undefined_tests_return_none():
    assert t_test([1], [2, 3]) is None
    assert t_test([1, 1], [2, 2]) is None
    assert t_test([1, 2], [2, 3], paired=True) is None
    assert one_way_anova([[1, 2]]) is one_way_anova([[1], [2]]) is one_way_anova([[1, 1], [2, 2]]) is None
    assert one_way_anova([]) is one_way_anova([[1, 2], []]) is None
    assert linear_trend([1, 2]) is linear_trend([3, 3, 3]) is None


def test_the_error_without_scipy_names_what_to_install(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "scipy", None)
    for test in (
        lambda: t_test([1, 2], [3, 5]),
        lambda: one_way_anova([[1, 2], [3, 5]]),
        lambda: linear_trend([1, 2, 4]),
    ):
        with pytest.raises(ImportError, match="needs the extra stats: "):
            test()


def test_custom_personas_are_numbered_in_their_order():
    scenario = aucenv.harbor_v0.game.load_scenario("evaluation-single")
    kinds = scenario.personas[::-1]
    reversed_scenario = dataclasses.replace(scenario, kinds=kinds)
    record = aucenv.play("harbor", reversed_scenario, ["persona"] * 3, 3)
    from aucenv.envs.harbor.notes import persona_numbers

    for seat, dealt in zip(persona_numbers(record).values(), record.deal["seats"], strict=True):
        assert seat == [9 - PERSONAS.index(dealt["personas"][0])]
