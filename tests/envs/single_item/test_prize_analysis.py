"""Figures, leaderboards and transcripts of sealed-bid and clock auctions."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest
from run_command import command
from tables import Player

import aucenv
from aucenv.analysis.agents.transcript import transcript
from aucenv.analysis.statistics.metrics import bidder_figures
from aucenv.envs.clock import figures as clock_figures
from aucenv.envs.clock.files import replay_game
from aucenv.envs.clock.game import ClockScenario
from aucenv.envs.sealed_bid import figures as sealed_bid_figures
from aucenv.envs.sealed_bid.game import SCENARIOS, SealedBidScenario
from aucenv.theory import revenue_of_theory

FIGURES = {"sealed_bid": sealed_bid_figures, "clock": clock_figures}


def test_figures_equal_those_calculated_from_the_record():
    record = aucenv.play(
        "sealed_bid", SCENARIOS["first-ipv"].changed(num_rounds=16), ["truthful", "shade", "random"], 3
    )
    values = np.array([seat["values"] for seat in record.deal["seats"]])
    bids = np.array([[np.nan if bid is None else bid for bid in prize["bids"]] for prize in record.outcome["prizes"]]).T
    winners = [int(prize["winner"][-1]) for prize in record.outcome["prizes"]]
    seats = FIGURES[record.game].seat_figures(record)
    for s, seat in enumerate(seats):
        counted = ~np.isnan(bids[s]) & (values[s] > 0)
        assert seat.ratios == pytest.approx(bids[s][counted] / values[s][counted])
        assert seat.above == int((bids[s] > values[s])[counted].sum())
        assert seat.won == winners.count(s)
        assert seat.cursed == sum(values[s, j] < bids[s, j] for j, winner in enumerate(winners) if winner == s)
        assert seat.efficient == sum(values[w, j] == values[:, j].max() for j, w in enumerate(winners))
        assert seat.revenue == sum(prize["price"] for prize in record.outcome["prizes"])
        assert seat.expected_revenue == pytest.approx(16 * 49.5, rel=0.01)


@pytest.mark.parametrize(("game", "name"), [("sealed_bid", name) for name in ("first-ipv", "third-ipv", "all-pay-ipv")])
def test_the_expected_revenue_is_that_of_the_equilibrium_without_a_cap(game, name):
    scenario = SCENARIOS[name]
    assert FIGURES[game].expected_revenue(scenario) == pytest.approx(revenue_of_theory(scenario), rel=0.02)


@pytest.mark.parametrize(
    ("game", "scenario"),
    [
        ("sealed_bid", SealedBidScenario("x", "apv")),
        (
            "sealed_bid",
            SealedBidScenario("fine", "cv", value_range=(20, 79), value_step=0.01, bid_step=0.01, pricing="second"),
        ),
        ("sealed_bid", SealedBidScenario("x", value_range=(0, 9999), value_step=0.01, bid_cap=9999)),
        ("sealed_bid", SealedBidScenario("x", value_range=(0, 999), value_step=0.01, bid_step=0.01, bid_cap=999)),
        ("clock", ClockScenario("x", "cv", value_range=(20, 79))),
        ("clock", ClockScenario("x", direction="descending", values="apv")),
    ],
)
def test_without_a_known_equilibrium_there_is_no_expected_revenue(game, scenario):
    assert FIGURES[game].expected_revenue(scenario) is None


def test_a_figure_without_cases_has_no_value():
    records = [
        aucenv.play("sealed_bid", "first-ipv", ["shade,factor=0", "truthful", "random"], seed) for seed in (1, 2)
    ]
    assert bidder_figures(records)["shade,factor=0"]["winners_profit"].value is None


@pytest.mark.parametrize("game", ["sealed_bid", "clock"])
def test_the_commands_support_the_game(game, tmp_path, capsys):
    out = tmp_path / "run"
    assert (
        command(
            "leaderboard", "--game", game, "--games", "30", "--set", "num_items=2", "--out", str(out), "--json", "-"
        )
        == 0
    )
    rows = json.loads(capsys.readouterr().out)
    assert {"efficiency", "revenue_ratio", "bid_per_value", "bids_above_value", "efficiency_low"} <= set(rows[0])
    by_bidder = {row["bidder"]: row for row in rows}
    assert by_bidder["random"]["utility_loss"] > by_bidder["equilibrium"]["utility_loss"]
    assert by_bidder["random"]["utility_loss_low"] < by_bidder["random"]["utility_loss"]
    assert ("risk_aversion" in rows[0]) == (game == "sealed_bid")
    assert "utility loss, $" in (out / "table.md").read_text()
    for arguments in (
        ["records", "list", str(out)],
        ["records", "show", str(out), "1"],
        ["watch", "--game", game, "--set", "num_items=1"],
    ):
        assert command(*arguments) == 0
        assert "profit" in capsys.readouterr().out or arguments[1] == "list"
    assert command("bidders", "--game", game) == 0
    assert command("watch", "--game", game, "--set", "budget=5") == 2
    assert "budget: " in capsys.readouterr().err
    assert command("leaderboard", "--game", game, "--format", "standard") == 2
    assert "format standard: expected the game english" in capsys.readouterr().err


class FixedShare(Player):
    """Leaves a rising clock, or takes the prize from a falling one, at a share of its value, deciding at each tick."""

    interface = "vector"

    def __init__(self, share, rising):
        self.share, self.rising = share, rising

    def act(self, view, observation):
        limit = self.share * view.value  # half a tick is rounded in the direction in which the clock moves
        return int(view.price < math.floor(limit + 0.5) if self.rising else view.price <= math.ceil(limit - 0.5))


@pytest.mark.parametrize("scenario", ["ascending-apv", "ascending-ipv-blind", "descending-ipv"])
@pytest.mark.parametrize("share", [1, 0.75])
def test_bid_per_value_on_clocks_is_that_of_all_bidders_who_act_alike(scenario, share):
    rising = scenario.startswith("ascending")
    names = [f"shade,factor={share}"] * 3
    rules = [aucenv.play("clock", scenario, names, seed) for seed in range(8)]
    ticks = [aucenv.play("clock", scenario, [FixedShare(share, rising) for _ in names], seed) for seed in range(8)]
    measured = [next(iter(bidder_figures(records).values())) for records in (rules, ticks)]
    ours = [figures["bid_per_value"] for figures in measured]
    assert ours[0].value == pytest.approx(ours[1].value)
    assert ours[0].value == pytest.approx(share, abs=0.02 if share < 1 else 1e-9)  # prices are rounded
    assert ours[0].low - 1e-9 <= ours[0].value <= ours[0].high + 1e-9
    published = measured[0]["published_bid_per_value"].value
    assert published == measured[1]["published_bid_per_value"].value
    assert 0.85 < published / ours[0].value < 0.95 if rising else published == pytest.approx(share, abs=0.02)


def test_the_published_count_takes_the_last_price_for_the_winners():
    record = aucenv.play("clock", "ascending-apv", ["truthful"] * 3, 4)
    ratios = []
    for j, prize in enumerate(record.outcome["prizes"]):
        for seat, bid in zip(record.deal["seats"], prize["bids"], strict=True):
            if seat["values"][j]:
                ratios.append((prize["price"] if bid is None else bid) / seat["values"][j])
    assert len(ratios) > 25
    assert bidder_figures([record])["truthful"]["published_bid_per_value"].value == pytest.approx(np.mean(ratios))
    tables = clock_figures.agent_tables([record])
    assert [table.lines for table in tables] == [[["truthful", "1.00"]], [["truthful", f"{np.mean(ratios):.2f}"]]]


def test_a_bidder_that_never_leaves_has_no_bid_per_value():
    record = aucenv.play("clock", "ascending-ipv", [FixedShare(1000, True), "truthful", "truthful"], 1)
    figures = bidder_figures([record])
    assert figures["FixedShare"]["bid_per_value"].value is None
    assert figures["FixedShare"]["published_bid_per_value"].value > 0
    assert figures["truthful"]["bid_per_value"].value == pytest.approx(1)


def test_transcripts_of_clocks_show_every_tick():
    falling = ClockScenario("falling", direction="descending", num_rounds=1)

    class FixedPrice(Player):
        def __init__(self, dollars):
            self.dollars = dollars

        def act(self, view, observation):
            return self.dollars

    lines = list(transcript(aucenv.play("clock", falling, [FixedPrice(-1), FixedPrice(12), FixedPrice(0)], 1)))
    assert "  at $99: Andy waits; Betty takes it at $12; Charles takes it at $0" in lines
    assert "  Betty wins at $12" in lines


def test_transcripts_of_clocks_write_ticks_with_the_same_actions_once():
    record = aucenv.play("clock", "ascending-ipv", ["random"] * 3, 3)
    lines = [line for line in transcript(record) if line.startswith("  at $")]
    actions = [line.split(": ")[1] for line in lines]
    ticks = [re.fullmatch(r"  at \$(\d+)(?: to \$(\d+))?", line.split(": ")[0]).groups() for line in lines]
    assert sum(int(last or first) - int(first) + 1 for first, last in ticks) == len(
        {(decision["item"], decision["round"]) for decision in record.decisions}
    )
    assert any(last is not None for _, last in ticks)
    ended = [number for number, (first, _) in enumerate(ticks) if first == "0"]
    assert all(actions[n] != actions[n - 1] for n in range(1, len(actions)) if n not in ended)


def test_transcripts_show_a_round_that_was_truncated():
    lines = list(transcript(aucenv.play("clock", "ascending-ipv", ["random"] * 3, 3, max_rounds=2)))
    assert "Round 1, values: Andy $25, Betty $58, Charles $53." in lines
    assert lines[-6] == "  not decided when the game was truncated"
    assert "The game was truncated after 0 rounds." in lines


def test_the_bid_of_a_seat_that_never_left_is_null_in_records_and_replays():
    record = aucenv.play("clock", "ascending-apv", ["truthful"] * 3, 4)
    prizes = record.outcome["prizes"]
    assert any(None in prize["bids"] for prize in prizes)
    rounds = [
        {
            "values": [seat["values"][j] for seat in record.deal["seats"]],
            "bids": prize["bids"],
            "winner": int(prize["winner"][-1]),
            "price": prize["price"],
            "profits": prize["profits"],
        }
        for j, prize in enumerate(prizes)
    ]
    assert replay_game({"id": 1, "values": "apv", "rounds": rounds}, "f").difference is None


def test_if_all_leave_at_a_first_price_above_zero_the_prize_is_not_sold():
    scenario = ClockScenario("high", lowest_price=98, num_rounds=16)
    record = aucenv.play("clock", scenario, ["truthful"] * 3, 1)
    sold = [prize["winner"] for prize in record.outcome["prizes"]]
    assert None in sold
    assert min(min(prize["profits"]) for prize in record.outcome["prizes"]) >= 0
    falling = ClockScenario("low", direction="descending", lowest_price=50, num_rounds=16)
    record = aucenv.play("clock", falling, ["truthful"] * 3, 1)
    assert min(min(prize["profits"]) for prize in record.outcome["prizes"]) >= 0


def test_risk_aversion_without_a_closed_form_is_refused():
    for name in ("third-ipv", "all-pay-ipv"):
        with pytest.raises(ValueError, match=r"no closed form .* risk aversion 0\.5"):
            aucenv.play("sealed_bid", name, ["equilibrium,r=0.5"] * 3)
        with pytest.raises(ValueError, match="no closed form"):
            aucenv.rollout("sealed_bid", name, ["equilibrium,r=0.5"] * 3, 1)
    aucenv.play("sealed_bid", "first-ipv", ["equilibrium,r=0.5"] * 3)


def test_without_a_cap_a_bid_still_has_a_limit():
    env = aucenv.sealed_bid_v0.parallel_env(bid_cap=None, interface="amount", infos="full")
    env.reset(seed=1)
    for huge in (np.inf, 1e30, 1_000_000_001.0):
        *_, infos = env.step({"bidder_0": huge, "bidder_1": 1.0, "bidder_2": 2.0})
        assert "$1,000,000,000" in infos["bidder_0"]["refused"]


def test_a_value_that_the_winner_can_infer_is_not_resampled():
    game = aucenv.sealed_bid_v0.game
    table = aucenv.sealed_bid_v0.raw_env(scenario="second-cv-3", reveal="none", interface="amount").table
    for seed in range(5):
        table.reset(seed)
        table.submit_all({0: 60, 1: 50, 2: 40})
        resampled = aucenv.resample_hidden(table.snapshot(), "bidder_0", np.random.default_rng(seed))
        assert resampled.state["common"][0, 0] == table.state["common"][0, 0]
        view = game.view.make_view(resampled.state, 0, table.scenario_text, ())
        assert view.round_at(0) == table.view(0).round_at(0)
