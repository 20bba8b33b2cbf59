"""Rule bidders of housing auctions: they bid as described, infer personas from bids, and profit from these profiles."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from aucenv.baselines.scripted import harbor, harbor_planning
from harbor_tables import house_table, submit_bids

import aucenv
from aucenv.core.play.table import Table
from aucenv.envs.harbor.game import GAME
from aucenv.envs.harbor.houses.personas import PERSONAS
from aucenv.envs.harbor.profile import (
    LIFT,
    MAX_LIMIT,
    combine_log_odds,
    profile,
    write_affinities,
    write_item_log_odds,
    write_log_odds,
    write_probabilities,
)
from aucenv.policy.registry import make_policy

ORDINARY = ["vacation", "investment", "larger_home"] * 3
ECO, RURAL, URBAN = (PERSONAS.index(name) for name in ("eco", "rural", "urban"))


def decide(name: str, table, seat: int) -> tuple[float, dict]:
    policy = make_policy("harbor", name)
    return policy.act(table.view(seat, reveal=policy.cheats), {}), policy.notes


def affinities_of(table) -> np.ndarray:
    affinities = np.empty((int(table.state["num_items"][0]), 10))
    write_affinities(table.state[0], affinities)
    return affinities


def persona_probabilities(table, seat: int) -> np.ndarray:
    out = np.empty(10)
    write_probabilities(table.state[0], seat, table.item, affinities_of(table), out)
    return out


def sell(table, winner: int, price: float = 1.0, runner_up: int | None = None) -> None:
    """Sell the current item at `price` times its starting price; the runner-up bids once, all others withdraw at once."""
    start = table.view(0).starting_price
    bids = {winner: start * price, runner_up: start}
    submit_bids(table, *(bids.get(seat) for seat in table.pending))
    if runner_up is not None:
        submit_bids(table, None)


def test_rollouts_are_the_games_that_are_played():
    lineups = [
        ["expact", "persona", "second_order"],
        ["expact_blind", "expact_true", "rule"],
        ["pace", "value", "random"],
    ]
    rolled = aucenv.rollout("harbor", "evaluation-mixed", lineups, 30, 3, num_threads=2)
    for number in range(30):
        record = aucenv.rollout_record("harbor", "evaluation-mixed", lineups, number, 3)
        results, items = record.outcome["seats"], record.deal["items"]
        assert (rolled["profit"][number] / 100).tolist() == [result["profit"] for result in results]
        for seat, dealt in enumerate(record.deal["seats"]):
            matching = [item["id"] for item in items if item["persona"] in dealt["personas"]]
            assert rolled["matching"][number, seat] == len(matching)
            assert rolled["matched"][number, seat] == sum(house in matching for house, _ in results[seat]["won"])


def test_priorities_by_hand():
    table = house_table(["eco", "urban+rural", ""], ["eco", "rural", "urban", "first_time"])
    liked = table.state["liking"][0, :4] / 1000
    for seat, personas in enumerate(([ECO], [URBAN, RURAL])):
        for j, kind in enumerate((ECO, RURAL, URBAN, 0)):
            expected = 3 if kind in personas else 2 if liked[j, personas].mean() >= 0.5 else 1
            assert harbor.priority(table.state[0], seat, j) == expected
    assert [harbor.priority(table.state[0], 2, j) for j in range(4)] == [2] * 4


def test_persona_spends_evenly_and_more_on_what_it_wants():
    """Its limit is the item's share of the budget, or its estimate of the value less a margin."""
    houses = ["eco", "rural", "eco", *ORDINARY]
    for like, love, margin in ((1.25, 1.75, 0.05), (2, 4, 0.05), (1, 1, 0.4)):
        table = house_table(["eco", "", ""], houses)
        view = table.view(0)
        weights = [{3: love, 2: like, 1: 1.0}[harbor.priority(table.state[0], 0, j)] for j in range(len(houses))]
        weighted = [w * item.estimate for w, item in zip(weights, view.items, strict=True)]
        limit = min(weighted[0] / sum(weighted) * 3 * 1e6, view.estimate / 1.1 * (1 - margin))
        raise_by = view.starting_price / 10
        for least, bids in ((limit - 1, True), (limit + 1, False)):
            table = house_table(["eco", "", ""], houses)
            submit_bids(table, view.starting_price, round(least - raise_by, 2), None)
            amount = decide(f"persona,like={like},love={love},margin={margin}", table, 0)[0]
            assert (amount == table.view(0).least_bid) == bids


@pytest.mark.parametrize(("persona", "times"), [("eco", 1.7), ("rural", 1.0)])
def test_persona_with_a_share_bids_up_to_that_share_of_the_value(persona, times):
    houses = ["eco", *ORDINARY]
    view = house_table([persona, "", ""], houses).view(0)
    limit = 0.5 * times * view.estimate / 1.1
    for least, bids in ((limit - 1, True), (limit + 1, False)):
        table = house_table([persona, "", ""], houses)
        submit_bids(table, view.starting_price, round(least - view.starting_price / 10, 2), None)
        assert (decide("persona,share=0.5,like=1,love=1.7", table, 0)[0] >= 0) == bids


def test_the_affinity_of_a_house_and_its_persona_is_one():
    table = house_table(["eco", ""], list(PERSONAS))
    affinities = affinities_of(table)
    assert np.diag(affinities) == pytest.approx(1)
    assert ((affinities >= 0) & (affinities <= 1)).all()
    liked = table.state["liking"][0, 3].astype(float)
    expected = max(0.0, (liked[5] - liked.mean()) / (liked[3] - liked.mean())) ** 3
    assert affinities[3, 5] == pytest.approx(expected)


def test_before_the_first_item_all_personas_are_equally_likely():
    table = house_table(["eco", "rural", ""], ["eco", "rural"])
    assert persona_probabilities(table, 0) == pytest.approx([0.1] * 10)
    weights = np.empty(10)
    profile(table.state[0], 0, 0, weights)
    assert weights == pytest.approx([0] * 10)


def test_one_withdrawal_by_hand():
    """Bayes' rule, written out for ten personas and 45 mixes: a bidder who left early likes the house less."""
    table = house_table(["", "", ""], ["eco", *["vacation", "investment", "larger_home"] * 3])
    sell(table, 0, 1.3, runner_up=1)
    g, affinities = table.state[0], affinities_of(table)
    starts = g["start"][:10].astype(float)
    mean_weight = (1 + LIFT * affinities).mean()
    even = starts[0] / starts.sum() * 3 * 1e8
    limits = np.minimum(np.minimum((1 + LIFT * affinities[0]) / mean_weight * even, MAX_LIMIT * starts[0]), 1e8)

    def below(amount: float) -> np.ndarray:
        return 1 / (1 + np.exp(-np.pi / 3**0.5 * (amount - limits) / (0.12 * starts[0])))

    for seat, odds in (
        (0, 0.02 + 1 - below(g["hammer"][0])),
        (1, 0.02 + below(g["hammer"][0] + starts[0] / 10) - below(starts[0])),
        (2, 0.02 + below(starts[0]) - below(0)),
    ):
        expected = 0.75 / 10 * odds
        for k in range(10):
            for m in range(k + 1, 10):
                likely = 0.25 / 45 * odds[k if affinities[0, k] >= affinities[0, m] else m]
                expected[[k, m]] += likely / 2
        assert persona_probabilities(table, seat) == pytest.approx(expected / expected.sum())
    assert persona_probabilities(table, 0)[ECO] > 0.1 > persona_probabilities(table, 2)[ECO]


def test_profiles_are_weights_from_which_the_probabilities_follow():
    rng = np.random.default_rng(0)
    for seed in range(20):
        table = aucenv.harbor_v0.raw_env()
        table.reset(seed=seed)
        for _ in range(int(rng.integers(60))):
            if any(table.terminations.values()):
                break
            table.step(int(rng.choice(np.flatnonzero(table.last()[0]["action_mask"])[:3])))
        g, weights = table.table.state[0], np.empty(10)
        for seat in range(3):
            profile(g, seat, int(g["item"]), weights)
            assert ((weights >= -1) & (weights <= 1)).all()
            probabilities = persona_probabilities(table.table, seat)
            assert (weights * 9 + 1) / 10 == pytest.approx(probabilities)


def test_bids_raise_and_withdrawing_lowers_the_probability_of_the_house_s_persona():
    table = house_table(["", "", ""], ["eco", "rural", *["vacation", "investment"] * 4])
    sell(table, 0, 1.8, runner_up=1)
    eager, cool = persona_probabilities(table, 0), persona_probabilities(table, 2)
    assert eager[ECO] == eager.max() > 0.1
    assert cool[ECO] == cool.min() < 0.1
    before = persona_probabilities(table, 2)[RURAL]
    sell(table, 0, 1.0)
    assert persona_probabilities(table, 2)[RURAL] < before


def test_no_item_rules_a_persona_out():
    table = house_table(["", "", ""], ["eco", "eco", *["vacation", "investment"] * 4])
    for _ in range(2):
        sell(table, 0, 1.0)
    assert persona_probabilities(table, 1)[ECO] > 1e-4


def rule(table, seat: int = 0, name: str = "expact") -> tuple[str, float]:
    amount, notes = decide(name, table, seat)
    assert ("rule" in notes) == (name != "persona")
    return notes["rule"], amount


def test_rule_a_raises_for_a_match():
    table = house_table(["eco", "", ""], ["eco", *ORDINARY])
    assert rule(table) == ("A", table.view(0).starting_price)


def test_rule_c_raises_if_the_budget_earns_most_here():
    table = house_table(["eco", "", ""], ["rural", *ORDINARY])
    assert rule(table) == ("C", table.view(0).starting_price)


def test_rule_e_withdraws_if_the_margin_is_thin():
    table = house_table(["eco", "", ""], ["eco", *ORDINARY])
    view = table.view(0)
    submit_bids(table, view.starting_price, round(view.estimate / 1.1 - 290 - view.starting_price * 0.1, 2), None)
    assert rule(table) == ("E", -1)
    table = house_table(["eco", "", ""], ["eco"])
    view = table.view(0)
    below = view.estimate / 1.1 - view.starting_price * 0.1 - 400
    submit_bids(table, view.starting_price, round(below, 2), None)
    assert rule(table)[0] == "A"


def test_rules_b_d_and_f_depend_on_what_rivals_will_pay():
    """If rival 1's persona matches the house, ExpAct drains it and withdraws near its limit; otherwise it saves."""
    houses = ["rural", *["first_time", "downsizing"] * 4, "rural"]
    start = house_table(["eco", "rural", "urban"], houses).view(0).starting_price
    rules = {}
    for raised in np.arange(1.0, 2.3, 0.1):
        table = house_table(["eco", "rural", "urban"], houses)
        submit_bids(table, start, round(start * raised + 1), None)
        rules[round(raised, 1)] = (rule(table, 0, "expact_true")[0], rule(table, 0, "expact_blind")[0])
    true = [rule_true for rule_true, _ in rules.values()]
    assert true[0] in "CB"
    assert "B" in true
    assert true[-1] == "F"
    blind = [rule_blind for _, rule_blind in rules.values()]
    assert blind[-1] == "D"
    last_true = max(price for price, (rule_true, _) in rules.items() if rule_true in "BC")
    last_blind = max(price for price, (_, rule_blind) in rules.items() if rule_blind in "BC")
    assert last_true > last_blind
    without = house_table(["eco", "rural", "urban"], houses)  # rival 1 has withdrawn, so it cannot be drained
    submit_bids(without, start, None, round(start * 1.6 + 1))
    assert rules[1.6][0] in "BC"
    assert rule(without, 0, "expact_true")[0] == "D"


def test_forecast_prices_by_hand():
    table = house_table(["eco", "rural", ""], ["rural", "eco", "urban"])
    g = table.state[0]
    interest = np.zeros((3, 3))
    interest[1, 0] = 1.0
    values, prices = np.array([5e7, 4e7, 6e7]), np.empty(3)
    budgets = np.array([1e8, 5e7, 2e7])
    harbor_planning.forecast_prices(0.5, g, 0, interest, values, budgets, prices)
    weighted = np.array([1.5 * 5e7, 4e7, 6e7])
    first = np.minimum(np.minimum(weighted / weighted.sum() * 3 * 5e7, 0.95 * values), 5e7)
    second = np.minimum(values / values.sum() * 3 * 2e7, 2e7)
    starts = g["start"][:3]
    assert prices == pytest.approx(np.maximum(starts, np.maximum(first, second) + 0.05 * starts))


@pytest.mark.parametrize(
    ("budget", "profit"), [(0, 0), (50, 50), (100, 100), (200, 150), (300, 200), (350, 200), (1000, 200)]
)
def test_the_best_profit_by_hand(budget, profit):
    """Values 200, 300 and 90 at prices 100, 200 and 100: ratios 2 and 1.5, and a loss."""
    values, prices = np.array([999.0, 200, 300, 90]), np.array([1.0, 100, 200, 100])
    assert harbor_planning.best_profit(1, values, prices, budget) == pytest.approx(profit)


def test_decoys_are_bids_on_houses_that_do_not_match():
    rules = set()
    for seed in range(40):
        record = aucenv.play("harbor", "evaluation-single", ["second_order"] * 3, seed)
        rules |= {decision["notes"]["rule"] for decision in record.decisions}
        for decision in record.decisions:
            if decision["notes"]["rule"] == "decoy":
                seat = int(decision["seat"][-1])
                personas = record.deal["seats"][seat]["personas"]
                assert record.deal["items"][decision["item"]]["persona"] not in personas
                assert decision["amount"] is not None
    assert "decoy" in rules


def test_second_order_bids_decoys_if_withdrawing_would_reveal_its_persona():
    """At each decoy of real games, expact would withdraw, which would reveal more of its persona than a raise."""
    checked = 0
    for seed in range(12):
        record = aucenv.play("harbor", "evaluation-single", ["second_order"] * 3, seed)
        table = Table(GAME, aucenv.harbor_v0.game.load_scenario("evaluation-single"), ["amount"] * 3)
        table.reset(seed)
        for decision in record.decisions:
            seat = int(decision["seat"][-1])
            if decision["notes"]["rule"] == "decoy":
                g, affinities, j = table.state[0], affinities_of(table), table.item
                probabilities = []
                for top, left_at in ((int(g["top"][seat, j]), int(g["least"])), (int(g["least"]), 0)):
                    odds, out = np.empty((j + 1, 10)), np.empty(10)
                    write_log_odds(g, seat, 0, j, affinities, odds)
                    write_item_log_odds(
                        g, j, float(g["start"][j:10].sum()), float(g["budget"][seat]), top, left_at, affinities, odds[j]
                    )
                    combine_log_odds(odds, affinities, out)
                    probabilities.append(out[g["persona"][seat]])
                memory = harbor.update_memory(g, harbor.empty_memory(g))
                assert harbor.persona_leak(g, seat, affinities, memory[1][seat]) == pytest.approx(
                    probabilities[0] - probabilities[1]
                )
                assert probabilities[0] - probabilities[1] >= harbor.DECOY_GAIN
                assert rule(table, seat, "expact")[0] in "DF"
                checked += 1
            table.submit(seat, -1 if decision["amount"] is None else decision["amount"])
    assert checked > 5


def test_second_order_pays_no_bonus_once_its_persona_is_recognized():
    houses = ["urban", "rural", "eco", "eco", *["first_time", "downsizing"] * 3]
    pairs = set()
    for raised in np.arange(1.0, 2.0, 0.02):
        table = house_table(["eco", "", ""], houses)
        for _ in range(2):
            sell(table, 1, 1.3, runner_up=2)
        sell(table, 0, 1.9, runner_up=1)
        start = table.view(0).starting_price
        submit_bids(table, start, round(start * raised + 1), None)
        assert harbor.true_personas_probability(table.state[0], 0, persona_probabilities(table, 0)) >= harbor.RECOGNIZED
        pairs.add((rule(table, 0, "expact")[0], rule(table, 0, "second_order")[0]))
        assert rule(table, 0, "second_order") == rule(table, 0, "expact,bonus=0")
    assert ("A", "F") in pairs or ("A", "D") in pairs or ("A", "B") in pairs


def test_notes_are_rules_priorities_and_profiles():
    record = aucenv.play("harbor", "evaluation-single", ["expact", "persona", "expact_blind"], 4)
    first = {d["seat"]: d["notes"] for d in record.decisions[:3]}
    assert set(first["bidder_0"]) == {"rule", "priorities", "profiles"}
    assert set(first["bidder_1"]) == {"priorities", "profiles"}
    assert set(first["bidder_2"]) == {"rule", "priorities"}
    assert set(first["bidder_0"]["profiles"]) == {"bidder_1", "bidder_2"}
    assert first["bidder_0"]["profiles"]["bidder_1"] == [0.0] * 10
    for player in record.seats:
        assert set(player["notes"]) <= {"priorities", "profiles"}
        assert set(player["notes"]["priorities"]) <= {1, 2, 3}
    for decision in record.decisions:
        noted = decision["notes"].get("rule")
        if noted is not None:
            assert (decision["amount"] is not None) == (noted in ("A", "B", "C", "decoy"))


def test_a_true_profile_is_the_persona():
    record = aucenv.play("harbor", "evaluation-mixed", ["expact_true", "persona", "persona"], 4)
    for seat, weights in record.seats[0]["notes"]["profiles"].items():
        personas = record.deal["seats"][int(seat[-1])]["personas"]
        assert weights == [float(name in personas) for name in PERSONAS]


def profits(bidder: str, scenario: str = "evaluation-single", games: int = 2000) -> np.ndarray:
    return aucenv.rollout("harbor", scenario, [bidder, "persona", "persona"], games, 0, num_threads=2)["profit"][:, 0]


@pytest.mark.parametrize("scenario", ["evaluation-single", "fresh-5"])
def test_profiles_pay_and_true_personas_pay_more(scenario):
    """On the same deals, the 95% intervals of the paired differences are above 0."""
    by_bidder = [profits(name, scenario) for name in ("persona", "expact_blind", "expact", "expact_true")]
    for worse, better in pairwise(by_bidder):
        difference = better - worse
        assert difference.mean() > 1.96 * difference.std() / len(difference) ** 0.5


def test_memory_changes_no_decision():
    """Throughout a game, and after going back to earlier items, a lowered memory gives the decisions of an empty one."""
    record = aucenv.play("harbor", "evaluation-mixed", ["expact", "second_order", "persona"], 4)
    table = Table(GAME, GAME.load_scenario("evaluation-mixed"), ["amount"] * 3)
    table.reset(4)
    states, memory = [], harbor.empty_memory(table.state[0])
    for decision in record.decisions:
        states.append((table.state.copy(), int(decision["seat"][-1])))
        table.submit(states[-1][1], -1 if decision["amount"] is None else decision["amount"])
    params = np.array([0.75, 4.0, 0.1, 0.0])
    for turn in (states, states[::-1], states[len(states) // 2 :], states[:5]):
        for state, seat in turn:
            memory[0] = min(memory[0], state["item"][0])
            for kind in range(harbor.EXPACT_BLIND, harbor.SECOND_ORDER + 1):
                remembered = harbor.decide_with_memory(kind, params, state, 0, seat, memory)
                assert remembered == harbor.decide(kind, params, state, 0, seat)
