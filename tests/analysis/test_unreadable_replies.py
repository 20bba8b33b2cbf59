"""Printed tables show unreadable replies beside failed bids if a bidder replies in words, and otherwise do not."""

from __future__ import annotations

import json

import pytest
from games import CASES
from tables import Wild

from aucenv.analysis.agents.agents import bidders_in_words, unreadable_replies
from aucenv.analysis.agents.tables import agent_tables
from aucenv.analysis.ranking.shown_figures import NO_SHARE
from aucenv.analysis.ranking.standings import standings
from aucenv.analysis.ranking.tables import ranking_tables, to_markdown
from aucenv.analysis.statistics.comparison import compare, comparison_table
from aucenv.core.adapters.actions import LONG_INT
from aucenv.core.policy import ModelFailure
from aucenv.envs.harbor.figures import UNDEFINED
from aucenv.registration import FAMILIES
from aucenv.runs.play import play


class Speaker:
    """A bidder that replies in words, always with the same ones."""

    interface = "text"

    def __init__(self, words):
        self.words = words

    def reset(self, seat, seed):
        pass

    def act(self, view, observation):
        return self.words

    def close_game(self, view):
        pass


class Mumbler(Speaker):
    """A bidder whose replies are never readable."""

    def __init__(self):
        super().__init__("Well, hm.")


class Silent(Speaker):
    """A bidder whose model fails."""

    def __init__(self):
        super().__init__("")

    def act(self, view, observation):
        raise ModelFailure("nobody is there")


class Precise(Speaker):
    """A bidder with the amount interface that submits one value."""

    interface = "amount"


def game_of(game, *bidders, seed=0, **options):
    """Play a game against the built-in bidders of the game, which fill the rest of the seats."""
    family = FAMILIES[game]
    scenario = family.game.load_scenario(family.game.default_scenario)
    lineup = [*bidders, *[CASES[game].rivals[0]] * (len(scenario.bidders) - len(bidders))]
    return play(game, scenario, lineup, (0, seed), index=seed, max_rounds=CASES[game].max_rounds, **options)


def table_of(records, game):
    """Return the table that shows failed bids, and the notes of all tables about them."""
    tables = ranking_tables(standings(records), game, "title")
    [table] = [table for table in tables if "failed bids" in table.headings]
    return table, [table.note for table in tables if "failed bids" in table.note]


def column(table, heading):
    place = table.headings.index(heading)
    names = table.headings.index("bidder")
    return {line[names]: line[place] for line in table.lines}


@pytest.mark.parametrize("game", FAMILIES)
def test_unreadable_replies_stand_beside_failed_bids(game):
    records = [game_of(game, Mumbler(), Speaker(CASES[game].reply), seed=seed) for seed in range(2)]
    table, notes = table_of(records, game)
    assert table.headings.index("unreadable") == table.headings.index("failed bids") + 1
    unreadable, failed = column(table, "unreadable"), column(table, "failed bids")
    assert unreadable.pop("Mumbler") == "100.0%"
    assert failed.pop("Mumbler") == "-"
    assert set(unreadable.values()) == {"0.0%"}
    assert "-" not in failed.values()
    no_profiles = [UNDEFINED["misread_rate"], UNDEFINED["rivals_kl"]] if game == "harbor" else []
    assert notes == [table.note]
    assert notes[0].endswith(" ".join([NO_SHARE, *no_profiles]))
    text = to_markdown(standings(records), game, {})
    assert text.count("failed bids | unreadable |") == text.count(NO_SHARE) == 1
    assert f"|\n\n{notes[0]}\n\n|" in text
    row = next(row for row in standings(records) if row["bidder"] == "Mumbler")
    assert row["rank"] is None
    assert f"Mumbler: no legal decision in {row['decisions']}" in text
    assert (row["failed_bid_rate"], row["unreadable_rate"], row["replies_in_words"]) == (None, 1, True)


@pytest.mark.parametrize("game", FAMILIES)
def test_tables_of_built_in_bidders_have_no_such_column(game):
    records = [game_of(game, seed=seed) for seed in range(2)]
    table, notes = table_of(records, game)
    assert "unreadable" not in table.headings
    assert not notes
    assert "unreadable" not in to_markdown(standings(records), game, {})
    assert all(row["unreadable_rate"] == 0 and "replies_in_words" not in row for row in standings(records))
    assert not any("unreadable" in table.headings or table.note for table in agent_tables(records))


def test_a_readable_model_needs_no_footnote():
    table, notes = table_of([game_of("english", Speaker("I bid $1!"))], "english")
    assert column(table, "unreadable") == {"Speaker": "0.0%", "rule": "0.0%"}
    assert not notes


def test_numbers_that_are_recorded_as_text_are_no_words():
    amounts = (float("nan"), float("inf"), 10**1000)
    records = [game_of("english", Precise(amount)) for amount in amounts]
    actions = [record.decisions[0]["attempts"][0]["action"] for record in records]
    assert actions == ["nan", "inf", LONG_INT]
    assert bidders_in_words(records) == set()
    assert bidders_in_words([game_of("english", Wild())]) == set()


def test_a_forfeited_decision_is_neither_correct_nor_failed():
    record = game_of("english", Silent(), forfeit=True)
    assert bidders_in_words([record]) == {"Silent"}
    assert unreadable_replies([record])["Silent"] == (0, 0)
    table, notes = table_of([record], "english")
    assert column(table, "unreadable")["Silent"] == column(table, "failed bids")["Silent"] == "-"
    assert notes == [f"Silent: no legal decision in 2. {NO_SHARE}"]


def test_the_table_of_failures_has_both_rates():
    records = [game_of("english", Mumbler(), Speaker("I bid $1!"))]
    [table] = [table for table in agent_tables(records) if table.title == "failed bids (CFR)"]
    assert table.headings == ("bidder", "failed bids", "unreadable")
    rows = {line[0]: line[1:] for line in table.lines}
    replies = 4 * sum(decision["seat"] == "bidder_0" for decision in records[0].decisions)
    assert rows["Mumbler"] == ["-", f"100.00% ({replies} of {replies})"]
    assert rows["Speaker"][0].startswith("100.00% (")
    assert rows["Speaker"][1].startswith("0.00% (0 of ")
    assert rows["rule"][1].startswith("0.00% (0 of ")
    assert table.note == NO_SHARE


def test_a_comparison_shows_both_rates():
    def games(words, seeds=range(6)):
        return [game_of("english", Speaker(words), seed=seed) for seed in seeds]

    differences = compare(games("Well, hm."), games("I bid $1!"))
    table = comparison_table(differences, "english", ("one", "two"))
    lines = {(line[0], line[1]): line[2:5] for line in table.lines}
    assert lines["Speaker", "failed bids"][:2] == ["-", "-"]
    assert [cell.split(" ")[0] for cell in lines["Speaker", "unreadable"]] == ["-100.0%", "100.0%", "0.0%"]
    assert lines["rule", "unreadable"][1].startswith("0.0%")
    assert table.note == NO_SHARE
    figures = [difference.figure for difference in differences if difference.bidder == "Speaker"]
    assert figures.index("unreadable_rate") == figures.index("failed_bid_rate") + 1
    rules = [game_of("english", seed=seed) for seed in range(2)]
    assert "unreadable_rate" not in {difference.figure for difference in compare(rules, rules)}


def test_rows_of_a_ranking_are_plain_data():
    rows = standings([game_of("english", Mumbler())])
    assert json.loads(json.dumps(rows)) == rows
