"""AucArena's studies against values computed by hand, on constructed records and on small games."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from aucenv.benchmarks.studies.aucarena import niche, priorities
from aucenv.benchmarks.studies.aucarena.adherence import weighted_spearman
from aucenv.benchmarks.studies.aucarena.auctions import against_rivals, published_model, setting_of
from aucenv.benchmarks.studies.aucarena.behaviour import circles
from aucenv.benchmarks.studies.registry import STUDIES
from aucenv.benchmarks.studies.study_run import run
from run_command import command

from aucenv.analysis.agents.won_items import report_table, won_items
from aucenv.analysis.ranking.ratings import rate
from aucenv.core.records.rank_correlation import spearman
from aucenv.core.records.record import GameRecord
from aucenv.envs.english.game import SCENARIOS
from aucenv.envs.english.notes import priority_correlations
from aucenv.runs.play import play

M = "m=llm:openai:model"
ASCENDING = "AIDGBFCHEJ"
"""The letters of the standard items, from the lowest starting price."""


def auction(bids, bidders=(M, "rule", "value"), scenario="standard-20k-ascending", number=0):
    """Return the record of a constructed game.

    Args:
        bids: item number -> rounds, each with the amounts by seat number; None withdraws.
    """
    chosen = SCENARIOS[scenario]
    seats = [f"bidder_{seat}" for seat in range(len(bidders))]
    decisions, sales = [], []
    for j, _ in enumerate(chosen.listing):
        best = (None, None)
        for turn, amounts in enumerate(bids.get(j, [])):
            for seat, amount in amounts.items():
                action = "I'm out!" if amount is None else f"I bid ${amount}!"
                decisions.append({"item": j, "round": turn, "seat": seats[seat], "action": action, "amount": amount})
                if amount is not None and (best[1] is None or amount > best[1]):
                    best = (seats[seat], amount)
        sales.append(best)
    items = chosen.listing
    won = {
        seat: [(i, price) for i, (winner, price) in zip(items, sales, strict=True) if winner == seat] for seat in seats
    }
    return GameRecord(
        game="english",
        env_version=0,
        scenario=chosen.to_dict(),
        seed=[0, number],
        index=number,
        seats=[
            {"seat": seat, "name": entry.name, "bidder": bidder}
            for seat, entry, bidder in zip(seats, chosen.bidders, bidders, strict=True)
        ],
        deal={
            "items": [
                {"id": i.id, "name": i.name, "starting_price": i.starting_price, "true_value": i.true_value}
                for i in items
            ],
            "seats": [
                {
                    "budget": entry.budget,
                    "objective": entry.objective,
                    "target": None,
                    "estimates": [1.1 * i.true_value for i in items],
                }
                for entry in chosen.bidders
            ],
        },
        decisions=[{**decision, "attempts": [], "notes": {}} for decision in decisions],
        outcome={
            "status": "terminated",
            "rounds": len({(d["item"], d["round"]) for d in decisions}),
            "items": [{"id": i.id, "winner": w, "price": p} for i, (w, p) in zip(items, sales, strict=True)],
            "seats": [
                {
                    "profit": sum(i.true_value - price for i, price in won[seat]),
                    "budget_left": chosen.bidders[0].budget - sum(price for _, price in won[seat]),
                    "won": [[i.id, price] for i, price in won[seat]],
                }
                for seat in seats
            ],
        },
    )


FIRST = auction({0: [{0: 1000, 1: 1000}, {0: 1100}], 1: [{0: 1300, 1: None}], 9: [{0: 6000, 2: 5000}, {2: None}]})
"""Seat 0 wins both items at $1,000, for $1,100 and $1,300, and the last one at $5,000 for $6,000, with 4 bids."""
SECOND = auction({0: [{0: 1000, 2: 2000}], 9: [{0: 5000, 1: None}]}, number=1)
"""Seat 0 bids once for an item at $1,000 and loses it, and wins the last one for $5,000; seat 2 wins the first one."""


def row_of(rows, **wanted):
    (row,) = [row for row in rows if all(row[name] == value for name, value in wanted.items())]
    return row


def test_behaviour_by_hand_on_two_games():
    """Profits from items at $1,000: 900 and 700; at $5,000: 4,000 and 5,000. Bids for four items at $1,000: 4."""
    rows = STUDIES["aucarena/behaviour"].rows_of([FIRST, SECOND])
    row = row_of(rows, bidder="m")
    assert (row["budget"], row["order"], row["games"]) == (20_000, "ascending", 2)
    assert (row["profit_1000"], row["profit_5000"]) == (800, 4500)
    assert (row["bids_1000"], row["bids_5000"]) == (4 / 4, 2 / 4)
    assert row["profit_2000"] is None
    assert row["bids_2000"] == 0
    assert row_of(rows, bidder="value")["profit_1000"] == 0
    assert row["profit_1000_low"] is None  # two deals are too few for an interval
    assert circles(row) == ([1000, 5000], [])
    only_bids = row_of(STUDIES["aucarena/behaviour"].rows_of([FIRST]), bidder="value")
    assert circles(only_bids) == ([], [5000])  # it bids 5,000 for the last item, and wins nothing
    assert only_bids["bids_5000"] == 1 / 2


def test_reports_of_two_games_by_hand():
    assert [(r["item"], r["price"], r["starting_price"], r["true_value"], r["profit"]) for r in won_items(FIRST)] == [
        ("Widget A", 1100, 1000, 2000, 900),
        ("Contraption I", 1300, 1000, 2000, 700),
        ("Mechanism J", 6000, 5000, 10000, 4000),
    ]
    assert [(row["game"], row["bidder"], row["item"], row["price"]) for row in won_items(SECOND)] == [
        (1, "m", "Mechanism J", 5000),
        (1, "value", "Widget A", 2000),
    ]
    assert report_table(FIRST).lines == [
        ["Alex (m)", "Widget A", "$1,100", "$1,000", "$2,000", "$900"],
        ["Alex (m)", "Contraption I", "$1,300", "$1,000", "$2,000", "$700"],
        ["Alex (m)", "Mechanism J", "$6,000", "$5,000", "$10,000", "$4,000"],
        ["Alex (m)", "all: 3 items", "$8,400", "$7,000", "$14,000", "$5,600"],
        ["Blair (rule)", "all: 0 items", "$0", "$0", "$0", "$0"],
        ["Casey (value)", "all: 0 items", "$0", "$0", "$0", "$0"],
    ]


RULES = {"english": ("rule", "value", "pace"), "harbor": ("rule", "value", "persona")}


def test_the_command_prints_reports_of_english_and_housing_auctions(tmp_path, capsys):
    for game in ("english", "harbor"):
        folder = str(tmp_path / game)
        bidders = [word for name in RULES[game] for word in ("--bidder", name)]
        assert (
            command("leaderboard", "--game", game, *bidders, "--games", "2", "--set", "num_items=3", "--out", folder)
            == 0
        )
        capsys.readouterr()
        assert command("records", "reports", folder, "--json", "-") == 0
        shown = capsys.readouterr()
        rows = json.loads(shown.out)
        records = [json.loads(line) for line in (tmp_path / game / "games.jsonl").read_text().splitlines()]
        for record in records:
            for player, result in zip(record["seats"], record["outcome"]["seats"], strict=True):
                own = [r for r in rows if (r["game"], r["seat"]) == (record["index"], player["seat"])]
                assert sum(row["profit"] for row in own) == pytest.approx(result["profit"])
                assert [row["price"] for row in own] == [price for _, price in result["won"]]
        assert command("records", "reports", folder, "1") == 0
        assert "Game 1 of" in (text := capsys.readouterr().out)
        assert "Game 0 of" not in text
    assert command("records", "reports", folder, "9") == 2
    assert "expected the number of one of the games, got 9" in capsys.readouterr().err
    clock = [
        "--game",
        "clock",
        "--bidder",
        "truthful",
        "--games",
        "1",
        "--set",
        "num_items=1",
        "--out",
        str(tmp_path / "clock"),
    ]
    assert command("leaderboard", *clock) == 0
    assert command("records", "reports", str(tmp_path / "clock")) == 2
    assert "expected one of english, harbor, got 'clock'" in capsys.readouterr().err


def test_raises_by_hand():
    """Seat 0 raises by 0 and 10%, by 30%, by 20%, by 0 and 0%; seat 2 by 0 and 100%."""
    rows = STUDIES["aucarena/raises"].rows_of([FIRST, SECOND])
    row = row_of(rows, bidder="m")
    assert row["bids"] == 6
    assert [row[f"standing_{k}"] for k in range(5)] == pytest.approx([3 / 6, 1 / 6, 0, 0, 2 / 6], abs=1e-6)
    assert [row_of(rows, bidder="value")[f"standing_{k}"] for k in range(5)] == [0.5, 0, 0, 0, 0.5]
    raised = STUDIES["aucarena/raises"].rows_of([auction({0: [{0: 1000, 1: 1200}, {0: 1300}]})])
    row = row_of(raised, bidder="m")  # the second bid is 10% over the standing bid, and 30% over its own first one
    assert [row[f"standing_{k}"] for k in range(5)] == [0.5, 0.5, 0, 0, 0]
    assert [row[f"own_{k}"] for k in range(5)] == [0.5, 0, 0, 0, 0.5]
    silent = auction({0: [{0: 1000, 1: None}]})
    assert row_of(STUDIES["aucarena/raises"].rows_of([silent]), bidder="rule")["standing_0"] is None


def with_notes(record, changes):
    """Return a record in which decisions, by number, have other entries."""
    decisions = [{**one, **changes.get(k, {})} for k, one in enumerate(record.decisions)]
    return dataclasses.replace(record, decisions=decisions)


def test_mistakes_by_hand():
    """GPT-4 has 4 accepted actions, 1 illegal and 1 unreadable reply: 1/5 failed, 1/6 unreadable.

    Of two beliefs after the first item, which it won for $1,100, the second one is right; the first one has a wrong
    budget, no item, and a profit of Blair's that is wrong.
    """
    refused = [
        {"action": "$9", "refused": "too low", "kind": "too_low"},
        {"action": "", "refused": "", "kind": "unreadable"},
    ]
    right = {
        "remaining_budget": 18900,
        "total_profits": {"Alex": 900, "Blair": 0},
        "winning_bids": {"Alex": {"Widget A": 1100}, "Blair": {}},
    }
    wrong = {"remaining_budget": 20000, "total_profits": {"Alex": 900, "Blair": 5}, "winning_bids": {"Blair": {}}}
    beliefs = {"beliefs": [{"item": 1, "statuses": [wrong, right]}]}
    record = with_notes(
        auction(
            {0: [{0: 1000, 1: 1000}, {0: 1100}], 1: [{0: 1300, 1: None}], 2: [{0: None, 1: None, 2: None}]},
            ("GPT-4=llm:openai:gpt-4", "rule", "value"),
        ),
        {0: {"attempts": refused}, 3: {"notes": beliefs}},
    )
    study = STUDIES["aucarena/mistakes"]
    rows = study.rows_of([record])
    row = row_of(rows, name="GPT-4")
    assert (row["failed"], row["unreadable"]) == (0.2, pytest.approx(1 / 6, abs=1e-6))
    assert (row["own_budget"], row["own_wins"], row["own_profit"]) == (0.5, 0.5, 0)
    assert row["others"] == pytest.approx(
        1 / 3, abs=1e-6
    )  # a wrong profit; one profit and one list of items of Blair's
    assert row["beliefs"] == pytest.approx(3 / 8, abs=1e-6)  # three wrong statements; five statements in one update
    assert row["program"] == 3 / 10  # the seven correct ones of both revisions
    never = row_of(rows, name="value")
    assert (never["failed"], never["own_budget"]) == (None, None)
    assert study.tables(rows)[0][2][2][:4] == ["value", "1", "GPT-4, rule", "-"]
    assert [row["name"] for row in rows] == ["GPT-4", "rule", "value", "GPT-4, published"]
    other = study.rows_of([dataclasses.replace(FIRST)])
    assert other[-1] == {"name": "GPT-4, published", "bidder": "published", "failed": 0.0021, "beliefs": 0.0021}


def test_priorities_of_a_scripted_agent_equal_those_by_hand(tmp_path):
    """The script ranks the n items left by their prices, and gives 3 to the first ceil(n / 3), and so on.

    Left of the diagonal, past items have the priority that they had last.
    """
    expected = [
        "1122223333",
        "1111223233",
        "1111223233",
        "1111223233",
        "1111112233",
        "1111112233",
        "1111112233",
        "1111112132",
        "1111112132",
        "1111112133",
    ]
    record = play("english", "standard-20k-ascending", ["llm:scripted,agent=bdi", "rule", "value"], 0)
    assert [item["name"][-1] for item in record.deal["items"]] == list(ASCENDING)
    study = STUDIES["aucarena/priorities"]
    (row,) = study.rows_of([record])
    assert ["".join(str(int(cell)) for cell in line) for line in row["cells"]] == expected
    assert row["past"] == 0
    assert [row[f"first_{j}"] for j in range(10)] == [1, 1, 2, 2, 2, 2, 3, 3, 3, 3]
    at_two = next(k for k, one in enumerate(record.decisions) if one["seat"] == "bidder_0" and one["item"] == 2)
    notes = {**record.decisions[at_two]["notes"], "past_priorities": {"Widget A": 3}}
    mistaken = with_notes(record, {at_two: {"notes": notes}})
    (row,) = study.rows_of([mistaken])
    assert row["past"] == pytest.approx(1 / 9, abs=1e-6)
    assert np.argwhere(np.array(row["stated"])).tolist() == [[2, 0]]
    assert study.tables([row])[1][2][2][4:7] == ["1.0*", "1.0", "1.0"]
    check_heatmap(row)


def check_heatmap(row):
    from matplotlib.figure import Figure

    figure = Figure()
    priorities.draw([row], figure)
    axes = figure.axes[0]
    image = axes.images[0]
    assert image.get_array().tolist() == row["cells"]
    alpha = image.get_alpha()
    assert alpha[5][4] < alpha[5][5] == 1
    assert alpha[9][0] > 0.3
    (marks,) = [line for line in axes.lines if line.get_marker() == "x"]
    assert (marks.get_xdata().tolist(), marks.get_ydata().tolist()) == ([0], [2])


def test_without_plans_the_heatmaps_are_empty():
    rows = STUDIES["aucarena/priorities"].rows_of([FIRST])
    assert [row["bidder"] for row in rows] == ["m", "rule", "value"]
    assert rows[0]["cells"] == [[None] * 10] * 10
    assert "-" in STUDIES["aucarena/priorities"].tables(rows)[0][2][0]


def test_weighted_ranks_are_those_of_repeated_pairs():
    rng = np.random.default_rng(0)
    first, second, weights = rng.integers(1, 4, 40), rng.integers(0, 5, 40), rng.integers(0, 4, 40)
    expected = spearman(np.repeat(first, weights).tolist(), np.repeat(second, weights).tolist())
    assert weighted_spearman(first, second)(weights.astype(float)) == pytest.approx(expected)
    assert np.isnan(weighted_spearman(np.ones(5), np.arange(5.0))(np.ones(5)))


def test_adherence_beside_published_correlations():
    """Priorities 3, 1, 2 of the items that get 2, 1 and 1 bids: by hand, rho is 0.866."""
    planned = [3, 1, 2, *[None] * 7]
    game = auction(
        {0: [{0: 1000, 1: 1000}, {0: 1100}], 1: [{0: 1000}], 2: [{0: 2000, 1: 2500}]},
        ("gpt-4=rule,k=9", "rule", "value"),
    )
    record = with_notes(game, {0: {"notes": {"priorities": planned}}})
    study = STUDIES["aucarena/adherence"]
    rows = study.rows_of([record])
    row = row_of(rows, name="gpt-4")
    assert row["initial_bids"] == pytest.approx(np.sqrt(3) / 2, abs=1e-6)
    rho = priority_correlations([record])["gpt-4"]
    assert row["initial_wins"] == pytest.approx(rho.initial_wins, abs=1e-6)
    assert row["current_bids"] == pytest.approx(rho.current_engagement, abs=1e-6)
    assert row["initial_bids_difference"] == pytest.approx(np.sqrt(3) / 2 - 0.3741, abs=1e-6)
    assert [each["name"] for each in rows[:2]] == ["gpt-4", "GPT-4, published"]
    assert len([each for each in rows if each["bidder"] == "published"]) == 6
    title, headings, lines = study.tables(rows)[1]
    assert (title, len(headings), lines[0][:3]) == (
        "Differences from the published correlations",
        9,
        ["gpt-4", "0.374", "+0.492"],
    )
    assert row_of(rows, name="rule")["initial_bids"] is None
    assert len(study.tables(study.rows_of([FIRST]))) == 1


@pytest.mark.parametrize(
    ("label", "model"),
    [("gpt-4", "GPT-4"), ("GPT4-turbo", "GPT-4-Turbo"), ("gpt-4 (script)", None), ("gpt-4o", None), ("rule", None)],
)
def test_published_values_belong_to_bidders_of_this_label(label, model):
    assert published_model(label, ("GPT-4", "GPT-4-Turbo")) == model


def test_all_bidders_have_the_same_deals_and_rotate():
    matches = against_rivals(["pace", "random"], 3, 5)
    assert len(matches) == 6 * 2 * 3
    assert [match.bidders.index("pace") for match in matches[:3]] == [0, 1, 2]
    assert [match.seed for match in matches[:3]] == [match.seed for match in matches[3:6]] == [(5, 0), (5, 1), (5, 2)]
    assert [match.index for match in matches] == list(range(36))


def test_other_budgets_and_items_are_other_settings():
    assert setting_of(FIRST) == (20_000, "ascending")
    unequal = {**FIRST.deal, "seats": [{**FIRST.deal["seats"][0], "budget": 1}, *FIRST.deal["seats"][1:]]}
    assert setting_of(dataclasses.replace(FIRST, deal=unequal)) is None
    fewer = {**FIRST.scenario, "items": FIRST.scenario["items"][:9]}
    assert setting_of(dataclasses.replace(FIRST, scenario=fewer)) is None


def test_the_competition_by_setting(tmp_path):
    bidders = ["GPT-4-Turbo=value", "rule", "pace", "drain"]
    rows = run(STUDIES["aucarena/standard"], bidders, 2, out=tmp_path / "run")
    settings = list(dict.fromkeys(row["setting"] for row in rows))
    assert settings == [
        *(f"${budget}k, {order}" for budget in (20, 40) for order in ("random", "ascending", "descending")),
        "all settings",
    ]
    assert {row["bidder"]: row["games"] for row in rows if row["setting"] == settings[0]} == {
        "GPT-4-Turbo": 4,
        "rule": 4,
        "pace": 2,
        "drain": 2,
    }
    from aucenv.runs.records import read_records

    records = [r for r in read_records(tmp_path / "run") if r.scenario["name"] == "standard-40k-ascending"]
    profits = [
        s["profit"] for r in records for p, s in zip(r.seats, r.outcome["seats"], strict=True) if p["bidder"] == "rule"
    ]
    row = row_of(rows, setting="$40k, ascending", bidder="rule")
    assert row["profit"] == pytest.approx(sum(profits) / 4)
    assert row["rating"] == pytest.approx(rate(records).of("rule").value, abs=1e-6)
    lines = STUDIES["aucarena/standard"].tables(rows)[1][2]
    assert [line[1] for line in lines[:4]] == [
        *("GPT-4-Turbo", "GPT-4-Turbo, published", "GPT-3.5-Turbo, published", "people, published")
    ]
    ours = row_of(rows, setting="$20k, random", bidder="GPT-4-Turbo")["profit"]
    assert lines[0][3].startswith(f"{ours - 8712.5:+,.0f}")


def test_the_competition_needs_a_challenger(capsys):
    assert command("study", "aucarena/standard", "--bidder", "rule", "--bidder", "value") == 2
    assert "expected two baselines and at least one challenger, got rule, value" in capsys.readouterr().err


def test_the_ablation_plays_three_plans_of_each_model():
    study = STUDIES["aucarena/ablation"]
    matches = study.schedule(["m=llm:scripted,limit=0.7", "llm:scripted,agent=bdi"], 3, 0)
    assert len(matches) == 2 * 2 * 3
    assert matches[0].bidders == tuple(
        f"m-{plan}=llm:scripted,limit=0.7,agent=bdi,plan={plan}" for plan in ("adaptive", "static", "none")
    )
    assert matches[1].bidders[0] == matches[0].bidders[1]
    rows = study.rows_of([match.play() for match in (matches[0], matches[3], matches[6])])
    assert [(row["bidder"], row["budget"], row["plan"]) for row in rows] == [
        (model, budget, plan)
        for model, budget in (
            ("m (script)", 20_000),
            ("llm:scripted,agent=bdi (script)", 20_000),
            ("m (script)", 40_000),
        )
        for plan in ("adaptive", "static", "none")
    ]
    assert sum(row["items"] for row in rows[:3]) <= 10


@pytest.mark.parametrize(
    ("bidder", "message"),
    [
        ("rule", "expected a model with agent=bdi, such as llm:openai:MODEL, got 'rule'"),
        ("llm:scripted,agent=plain", "expected a model with agent=bdi"),
        ("llm:scripted,plan=none", "expected a bidder without plan=..., which the study sets"),
    ],
)
def test_the_ablation_refuses_other_bidders(bidder, message, capsys):
    assert command("study", "aucarena/ablation", "--bidder", bidder) == 2
    assert message in " ".join(capsys.readouterr().err.split())


def test_separation_by_hand():
    """For profit, 2 of 3 items are expensive; for items, 1 of 4: 2/3 - 1/4."""
    sales = np.array([[1, 1], [1, 1], [1, 0], [0, 0], [0, 0], [0, 0], [0, 1]], float)
    value = niche.separation(sales)
    assert value(np.ones(7)) == pytest.approx(2 / 3 - 1 / 4)
    assert value(np.array([1, 0, 0, 2, 0, 0, 0.0])) == 1
    assert np.isnan(value(np.array([1, 1, 1, 0, 0, 0, 0.0])))


def test_scripted_groups_fight_at_10k_and_separate_at_30k():
    study = STUDIES["aucarena/niche"]
    first, _, last = study.schedule((), 1, 0)
    poor, rich = study.rows_of([first.play(), last.play()])
    assert (poor["budget"], rich["budget"]) == (10_000, 30_000)
    assert poor["cheap_profit"] > 0.1 > rich["cheap_profit"] == 0
    assert poor["separation"] < 0.75 < rich["separation"]
    assert sum(len(bids) for bids in rich["bids"].values()) == 20 - rich["unsold"]
    assert rich["price_profit"] == pytest.approx(np.mean(rich["bids"]["profit"]), abs=1e-5)


def test_overestimates_curse_bidders_that_trust_them():
    rows = run(STUDIES["aucarena/overestimate"], ["value"], 6)
    assert len(rows) == 10
    alike = {row["percent"]: row for row in rows if row["who"] == "all bidders alike"}
    alone = {row["percent"]: row for row in rows if row["who"] == "one bidder"}
    assert list(alike) == list(alone) == [-10, 0, 10, 20, 30]
    for percent in (-10, 0):  # nobody bids more than its estimate
        assert alike[percent]["lost"] == 0
        assert alone[percent]["lost"] == 0
        assert alone[percent]["rivals_lost"] > 0
    assert min(alike[percent]["lost"] for percent in (10, 20, 30)) > 0.5
    assert alike[30]["profit"] < alike[-10]["profit"]
    assert alike[10]["rivals_profit"] is None
    assert alone[30]["profit"] < alone[30]["rivals_profit"]
    usual = (alone[10]["profit"] + 2 * alone[10]["rivals_profit"]) / 3
    assert usual == pytest.approx(alike[10]["profit"])
