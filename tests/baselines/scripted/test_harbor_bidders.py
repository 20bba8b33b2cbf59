"""The bidders of housing auctions: as they say they bid; what they read in bids; and that reading pays."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from aucenv.baselines.scripted import harbor, harbor_planning
from harbor_tables import answer, house_table

import aucenv
from aucenv.core.table import Table
from aucenv.envs.harbor.env import GAME
from aucenv.envs.harbor.personas import PERSONAS
from aucenv.envs.harbor.profile import LIFT, WORTH, chances, item_odds, likeness, profile, weigh_odds, write_odds
from aucenv.policy.registry import make_policy, scripted_bidders

SCRIPTED = scripted_bidders("harbor")
every_bidder = pytest.mark.parametrize("name", list(SCRIPTED))
ORDINARY = ["vacation", "investment", "larger_home"] * 3
ECO, RURAL, URBAN = (PERSONAS.index(name) for name in ("eco", "rural", "urban"))


def decide(name: str, table, seat: int) -> tuple[float, dict]:
    policy = make_policy("harbor", name)
    return policy.act(table.view(seat, reveal=policy.cheats), {}), policy.notes


def likenesses(table) -> np.ndarray:
    alike = np.empty((int(table.state["num_items"][0]), 10))
    likeness(table.state[0], alike)
    return alike


def told(table, seat: int) -> np.ndarray:
    out = np.empty(10)
    chances(table.state[0], seat, table.item, likenesses(table), out)
    return out


def sell(table, winner: int, price: float = 1.0, runner_up: int | None = None) -> None:
    """Sell the current item at this many starting prices: the runner-up leaves there, others at once."""
    start = table.view(0).starting_price
    bids = {winner: start * price, runner_up: start}
    answer(table, *(bids.get(seat) for seat in table.pending))
    if runner_up is not None:
        answer(table, None)


@every_bidder
def test_bidders_are_documented_seeded_picklable_and_legal(name):
    assert len(SCRIPTED[name].about) >= 25
    policy = make_policy("harbor", name)
    assert pickle.loads(pickle.dumps(policy)).numbers.tolist() == policy.numbers.tolist()
    for scenario in ("evaluation-single", "train-mixed", "fresh-2-none"):
        records = [aucenv.play("harbor", scenario, [name] * 3, seed) for seed in (1, 1, 2)]
        assert records[0].to_json() == records[1].to_json() != records[2].to_json()
        assert not any(decision["attempts"] for record in records for decision in record.decisions)


def test_rollouts_are_the_games_that_are_played():
    lineups = [
        ["expact", "persona", "second_order"],
        ["expact_blind", "expact_true", "rule"],
        ["pace", "value", "random"],
    ]
    rolled = aucenv.rollout("harbor", "evaluation-mixed", lineups, 30, 3, num_threads=2)
    for number in range(30):
        record = aucenv.rollout_record("harbor", "evaluation-mixed", lineups, number, 3)
        made, items = record.outcome["seats"], record.deal["items"]
        assert (rolled["profit"][number] / 100).tolist() == [seat["profit"] for seat in made]
        for seat, dealt in enumerate(record.deal["seats"]):
            suiting = [item["id"] for item in items if item["persona"] in dealt["personas"]]
            assert rolled["matching"][number, seat] == len(suiting)
            assert rolled["matched"][number, seat] == sum(house in suiting for house, _ in made[seat]["won"])


def test_priorities_by_hand():
    table = house_table(["eco", "urban+rural", ""], ["eco", "rural", "urban", "first_time"])
    liked = table.state["liking"][0, :4] / 1000
    for seat, own in enumerate(([ECO], [URBAN, RURAL])):
        for j, kind in enumerate((ECO, RURAL, URBAN, 0)):
            expected = 3 if kind in own else 2 if liked[j, own].mean() >= 0.5 else 1
            assert harbor.priority(table.state[0], seat, j) == expected
    assert [harbor.priority(table.state[0], 2, j) for j in range(4)] == [2] * 4


def test_persona_spends_evenly_and_more_on_what_it_wants():
    """It goes as far as its share, or its estimate of the value less a margin, and no step further."""
    houses = ["eco", "rural", "eco", *ORDINARY]
    for like, love, margin in ((1.25, 1.75, 0.05), (2, 4, 0.05), (1, 1, 0.4)):
        table = house_table(["eco", "", ""], houses)
        view = table.view(0)
        wanted = [{3: love, 2: like, 1: 1.0}[harbor.priority(table.state[0], 0, j)] for j in range(len(houses))]
        counted = [w * item.estimate for w, item in zip(wanted, view.items, strict=True)]
        limit = min(counted[0] / sum(counted) * 3 * 1e6, view.estimate / 1.1 * (1 - margin))
        raise_by = view.starting_price / 10
        for least, bids in ((limit - 1, True), (limit + 1, False)):
            asked = house_table(["eco", "", ""], houses)
            answer(asked, view.starting_price, round(least - raise_by, 2), None)
            made = decide(f"persona,like={like},love={love},margin={margin}", asked, 0)[0]
            assert (made == asked.view(0).least_bid) == bids


@pytest.mark.parametrize(("own", "times"), [("eco", 1.7), ("rural", 1.0)])
def test_persona_with_a_share_goes_so_far_of_the_value(own, times):
    houses = ["eco", *ORDINARY]
    view = house_table([own, "", ""], houses).view(0)
    limit = 0.5 * times * view.estimate / 1.1
    for least, bids in ((limit - 1, True), (limit + 1, False)):
        asked = house_table([own, "", ""], houses)
        answer(asked, view.starting_price, round(least - view.starting_price / 10, 2), None)
        assert (decide("persona,share=0.5,like=1,love=1.7", asked, 0)[0] >= 0) == bids


def test_likeness_is_one_for_what_a_house_suits():
    table = house_table(["eco", ""], list(PERSONAS))
    alike = likenesses(table)
    assert np.diag(alike) == pytest.approx(1)
    assert ((alike >= 0) & (alike <= 1)).all()
    liked = table.state["liking"][0, 3].astype(float)
    expected = max(0.0, (liked[5] - liked.mean()) / (liked[3] - liked.mean())) ** 3
    assert alike[3, 5] == pytest.approx(expected)


def test_before_the_first_item_all_personas_are_as_likely():
    table = house_table(["eco", "rural", ""], ["eco", "rural"])
    assert told(table, 0) == pytest.approx([0.1] * 10)
    weights = np.empty(10)
    profile(table.state[0], 0, 0, weights)
    assert weights == pytest.approx([0] * 10)


def test_one_withdrawal_by_hand():
    """Bayes' rule, written out: ten personas and 45 mixes; who left early likes the house less."""
    table = house_table(["", "", ""], ["eco", *["vacation", "investment", "larger_home"] * 3])
    sell(table, 0, 1.3, runner_up=1)
    g, alike = table.state[0], likenesses(table)
    starts = g["start"][:10].astype(float)
    usual = (1 + LIFT * alike).mean()
    even = starts[0] / starts.sum() * 3 * 1e8
    limits = np.minimum(np.minimum((1 + LIFT * alike[0]) / usual * even, WORTH * starts[0]), 1e8)

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
                likely = 0.25 / 45 * odds[k if alike[0, k] >= alike[0, m] else m]
                expected[[k, m]] += likely / 2
        assert told(table, seat) == pytest.approx(expected / expected.sum())
    assert told(table, 0)[ECO] > 0.1 > told(table, 2)[ECO]


def test_profiles_are_weights_that_give_the_chances_back():
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
            chance = told(table.table, seat)
            assert (weights * 9 + 1) / 10 == pytest.approx(chance)


def test_interest_raises_and_no_interest_lowers_what_a_house_suits():
    table = house_table(["", "", ""], ["eco", "rural", *["vacation", "investment"] * 4])
    sell(table, 0, 1.8, runner_up=1)
    eager, cool = told(table, 0), told(table, 2)
    assert eager[ECO] == eager.max() > 0.1
    assert cool[ECO] == cool.min() < 0.1
    before = told(table, 2)[RURAL]
    sell(table, 0, 1.0)
    assert told(table, 2)[RURAL] < before


def test_no_item_rules_a_persona_out():
    table = house_table(["", "", ""], ["eco", "eco", *["vacation", "investment"] * 4])
    for _ in range(2):
        sell(table, 0, 1.0)
    assert told(table, 1)[ECO] > 1e-4


def rule(table, seat: int = 0, name: str = "expact") -> tuple[str, float]:
    amount, notes = decide(name, table, seat)
    assert ("rule" in notes) == (name != "persona")
    return notes["rule"], amount


def test_rule_a_raises_for_a_match():
    table = house_table(["eco", "", ""], ["eco", *ORDINARY])
    assert rule(table) == ("A", table.view(0).starting_price)


def test_rule_c_raises_where_the_budget_gains_most():
    table = house_table(["eco", "", ""], ["rural", *ORDINARY])
    assert rule(table) == ("C", table.view(0).starting_price)


def test_rule_e_quits_where_the_margin_is_thin():
    table = house_table(["eco", "", ""], ["eco", *ORDINARY])
    view = table.view(0)
    answer(table, view.starting_price, round(view.estimate / 1.1 - 290 - view.starting_price * 0.1, 2), None)
    assert rule(table) == ("E", -1)
    table = house_table(["eco", "", ""], ["eco"])
    view = table.view(0)
    below = view.estimate / 1.1 - view.starting_price * 0.1 - 400
    answer(table, view.starting_price, round(below, 2), None)
    assert rule(table)[0] == "A"


def test_rules_b_d_and_f_turn_on_what_rivals_will_pay():
    """On a house that rival 1 wants by its persona ExpAct drains it; near its limit it quits; else it saves."""
    houses = ["rural", *["first_time", "downsizing"] * 4, "rural"]
    start = house_table(["eco", "rural", "urban"], houses).view(0).starting_price
    rules_seen = {}
    for raised in np.arange(1.0, 2.3, 0.1):
        table = house_table(["eco", "rural", "urban"], houses)
        answer(table, start, round(start * raised + 1), None)
        rules_seen[round(raised, 1)] = (rule(table, 0, "expact_true")[0], rule(table, 0, "expact_blind")[0])
    course = [known for known, _ in rules_seen.values()]
    assert course[0] in "CB"
    assert "B" in course
    assert course[-1] == "F"
    blind = [unknown for _, unknown in rules_seen.values()]
    assert blind[-1] == "D"
    last_b = max(at for at, (known, _) in rules_seen.items() if known in "BC")
    last_blind = max(at for at, (_, unknown) in rules_seen.items() if unknown in "BC")
    assert last_b > last_blind
    without = house_table(["eco", "rural", "urban"], houses)  # rival 1 withdraws, whom nobody can drain then
    answer(without, start, None, round(start * 1.6 + 1))
    assert rules_seen[1.6][0] in "BC"
    assert rule(without, 0, "expact_true")[0] == "D"


def test_what_each_item_will_take_by_hand():
    table = house_table(["eco", "rural", ""], ["rural", "eco", "urban"])
    g = table.state[0]
    keen = np.zeros((3, 3))
    keen[1, 0] = 1.0
    values, prices = np.array([5e7, 4e7, 6e7]), np.empty(3)
    budgets = np.array([1e8, 5e7, 2e7])
    harbor_planning.foresee(0.5, g, 0, keen, values, budgets, prices)
    counted = np.array([1.5 * 5e7, 4e7, 6e7])
    first = np.minimum(np.minimum(counted / counted.sum() * 3 * 5e7, 0.95 * values), 5e7)
    second = np.minimum(values / values.sum() * 3 * 2e7, 2e7)
    starts = g["start"][:3]
    assert prices == pytest.approx(np.maximum(starts, np.maximum(first, second) + 0.05 * starts))


@pytest.mark.parametrize(
    ("budget", "gain"), [(0, 0), (50, 50), (100, 100), (200, 150), (300, 200), (350, 200), (1000, 200)]
)
def test_the_best_gain_by_hand(budget, gain):
    """Worth 200 at 100, 300 at 200, 90 at 100: twice and one and a half times the price, and a loss."""
    values, prices = np.array([999.0, 200, 300, 90]), np.array([1.0, 100, 200, 100])
    assert harbor_planning.best_gain(1, values, prices, budget) == pytest.approx(gain)


def test_decoys_are_bids_on_houses_that_do_not_match():
    seen = set()
    for seed in range(40):
        record = aucenv.play("harbor", "evaluation-single", ["second_order"] * 3, seed)
        seen |= {decision["notes"]["rule"] for decision in record.decisions}
        for decision in record.decisions:
            if decision["notes"]["rule"] == "decoy":
                seat = int(decision["seat"][-1])
                own = record.deal["seats"][seat]["personas"]
                assert record.deal["items"][decision["item"]]["persona"] not in own
                assert decision["amount"] is not None
    assert "decoy" in seen


def test_second_order_stays_where_leaving_would_give_it_away():
    """At each decoy of real games: expact would leave; that would tell more of its persona than one more raise."""
    checked = 0
    for seed in range(12):
        record = aucenv.play("harbor", "evaluation-single", ["second_order"] * 3, seed)
        table = Table(GAME, aucenv.harbor_v0.game.load_scenario("evaluation-single"), ["amount"] * 3)
        table.reset(seed)
        for decision in record.decisions:
            seat = int(decision["seat"][-1])
            if decision["notes"]["rule"] == "decoy":
                g, alike, j = table.state[0], likenesses(table), table.item
                told = []
                for top, left_at in ((int(g["top"][seat, j]), int(g["least"])), (int(g["least"]), 0)):
                    odds, weighed = np.empty((j + 1, 10)), np.empty(10)
                    write_odds(g, seat, 0, j, alike, odds)
                    item_odds(
                        g, j, float(g["start"][j:10].sum()), float(g["budget"][seat]), top, left_at, alike, odds[j]
                    )
                    weigh_odds(odds, alike, weighed)
                    told.append(weighed[g["persona"][seat]])
                remembered = harbor.recall(g, harbor.fresh_memory(g))
                assert harbor.given_away(g, seat, alike, remembered[1][seat]) == pytest.approx(told[0] - told[1])
                assert told[0] - told[1] >= harbor.DECOY_GAIN
                assert rule(table, seat, "expact")[0] in "DF"
                checked += 1
            table.submit(seat, -1 if decision["amount"] is None else decision["amount"])
    assert checked > 5


def test_once_it_is_read_second_order_pays_no_bonus():
    houses = ["urban", "rural", "eco", "eco", *["first_time", "downsizing"] * 3]
    seen = set()
    for raised in np.arange(1.0, 2.0, 0.02):
        table = house_table(["eco", "", ""], houses)
        for _ in range(2):
            sell(table, 1, 1.3, runner_up=2)
        sell(table, 0, 1.9, runner_up=1)
        start = table.view(0).starting_price
        answer(table, start, round(start * raised + 1), None)
        assert harbor.chance_of_own(table.state[0], 0, told(table, 0)) >= harbor.READ
        seen.add((rule(table, 0, "expact")[0], rule(table, 0, "second_order")[0]))
        assert rule(table, 0, "second_order") == rule(table, 0, "expact,bonus=0")
    assert ("A", "F") in seen or ("A", "D") in seen or ("A", "B") in seen


def test_notes_are_rules_priorities_and_profiles():
    record = aucenv.play("harbor", "evaluation-single", ["expact", "persona", "expact_blind"], 4)
    first = {d["seat"]: d["notes"] for d in record.decisions[:3]}
    assert set(first["bidder_0"]) == {"rule", "priorities", "profiles"}
    assert set(first["bidder_1"]) == {"priorities", "profiles"}
    assert set(first["bidder_2"]) == {"rule", "priorities"}
    assert set(first["bidder_0"]["profiles"]) == {"bidder_1", "bidder_2"}
    assert first["bidder_0"]["profiles"]["bidder_1"] == [0.0] * 10
    for who in record.seats:
        assert set(who["notes"]) <= {"priorities", "profiles"}
        assert set(who["notes"]["priorities"]) <= {1, 2, 3}
    for decision in record.decisions:
        named = decision["notes"].get("rule")
        if named is not None:
            assert (decision["amount"] is not None) == (named in ("A", "B", "C", "decoy"))


def test_a_true_profile_is_the_persona():
    record = aucenv.play("harbor", "evaluation-mixed", ["expact_true", "persona", "persona"], 4)
    for seat, weights in record.seats[0]["notes"]["profiles"].items():
        own = record.deal["seats"][int(seat[-1])]["personas"]
        assert weights == [float(name in own) for name in PERSONAS]


def profits(bidder: str, scenario: str = "evaluation-single", games: int = 2000) -> np.ndarray:
    return aucenv.rollout("harbor", scenario, [bidder, "persona", "persona"], games, 0, num_threads=2)["profit"][:, 0]


@pytest.mark.parametrize("scenario", ["evaluation-single", "fresh-5"])
def test_profiles_pay_and_true_personas_pay_more(scenario):
    """On the same deals: paired intervals above 0."""
    ladder = [profits(name, scenario) for name in ("persona", "expact_blind", "expact", "expact_true")]
    for worse, better in pairwise(ladder):
        gain = better - worse
        assert gain.mean() > 1.96 * gain.std() / len(gain) ** 0.5


PLAYED = """
import sys
if {hide}:
    sys.modules["numba"] = None
import warnings
warnings.simplefilter("ignore")
import aucenv
for seed, bidders in enumerate((["expact", "persona", "expact_true"], ["second_order", "expact_blind", "pace"])):
    print(aucenv.play("harbor", "fresh-1-mixed", bidders, seed).to_json())
"""


def test_compiled_or_not_bidders_bid_the_same():
    printed = [
        subprocess.run(
            [sys.executable, "-c", PLAYED.format(hide=hide)],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "NUMBA_DISABLE_JIT": off},
        ).stdout
        for hide, off in ((False, "0"), (False, "1"), (True, "0"))
    ]
    assert printed[0]
    assert len(set(printed)) == 1


def test_what_is_remembered_changes_no_decision():
    """Through a whole game, and back to where any item began: a memory that was lowered says what a fresh one says."""
    record = aucenv.play("harbor", "evaluation-mixed", ["expact", "second_order", "persona"], 4)
    table = Table(GAME, GAME.load_scenario("evaluation-mixed"), ["amount"] * 3)
    table.reset(4)
    states, memory = [], harbor.fresh_memory(table.state[0])
    for decision in record.decisions:
        states.append((table.state.copy(), int(decision["seat"][-1])))
        table.submit(states[-1][1], -1 if decision["amount"] is None else decision["amount"])
    numbers = np.array([0.75, 4.0, 0.1, 0.0])
    for turn in (states, states[::-1], states[len(states) // 2 :], states[:5]):
        for state, seat in turn:
            memory[0] = min(memory[0], state["item"][0])
            for kind in range(harbor.EXPACT_BLIND, harbor.SECOND_ORDER + 1):
                again = harbor.decide_remembering(kind, numbers, state, 0, seat, memory)
                assert again == harbor.decide(kind, numbers, state, 0, seat)
