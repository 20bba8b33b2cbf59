"""Rules of the housing auction: the deal, the underlying English auction, the log of bids, and resampling."""

from __future__ import annotations

import dataclasses
from collections import Counter

import numpy as np
import pytest
from harbor_tables import house_table, submit_bids

import aucenv
from aucenv.core.kernel import game_key
from aucenv.envs.harbor import rules
from aucenv.envs.harbor.game import GAME, SCENARIOS, HarborBidder, HarborScenario
from aucenv.envs.harbor.houses.house import fixed_houses
from aucenv.envs.harbor.houses.personas import PERSONAS

SINGLE = SCENARIOS["evaluation-single"]


def dealt(scenario: HarborScenario, seed: int = 0) -> np.void:
    template = scenario.template()
    state = template.copy()
    rules.deal(state, 0, template, game_key(seed))
    return state[0]


def kinds(g) -> list[int]:
    return [int(g["house_kind"][lot]) for lot in g["lot"][: g["num_items"]]]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("matches", [0, 1, 2, 3])
def test_each_bidder_gets_a_different_persona_and_its_matches(seed, matches):
    g = dealt(SINGLE.changed(matches=matches), seed)
    personas = g["persona"][:3].tolist()
    assert len(set(personas)) == 3
    assert (g["second"][:3] == -1).all()
    assert len(set(g["lot"][:10].tolist())) == 10 == g["offered"].sum()
    assert [kinds(g).count(k) for k in personas] == [matches] * 3
    for j, lot in enumerate(g["lot"][:10]):
        assert SINGLE.items[lot].starting_price * 100 == g["start"][j]
        assert SINGLE.items[lot].true_value * 100 == g["value"][j]
        assert PERSONAS[kinds(g)[j]] == SINGLE.items[lot].persona


def test_each_of_two_personas_has_half_the_matches():
    for seed in range(5):
        g = dealt(SCENARIOS["train-mixed"].changed(matches=3), seed)
        personas = [*g["persona"][:3].tolist(), *g["second"][:3].tolist()]
        assert len(set(personas)) == 6
        assert [kinds(g).count(k) for k in personas] == [2, 2, 2, 1, 1, 1]


def test_bidders_with_the_same_persona_share_its_matches():
    g = dealt(SINGLE.changed(personas=["eco", "rural", "eco"]))
    assert [kinds(g).count(PERSONAS.index(k)) for k in ("eco", "rural")] == [2, 2]
    g = dealt(SINGLE.changed(personas="none"))
    assert (g["persona"][:3] == -1).all()


def test_once_all_personas_are_taken_only_those_of_the_seat_are_excluded():
    g = dealt(SINGLE.changed(num_bidders=8, personas="drawn+drawn", matches=0))
    first, second = g["persona"][:8].tolist(), g["second"][:8].tolist()
    assert sorted({*first, *second}) == list(range(10))
    assert all(a != b for a, b in zip(first, second, strict=True))


def test_all_personas_and_houses_are_equally_likely():
    personas, lots = Counter(), Counter()
    for seed in range(1000):
        g = dealt(SINGLE, seed)
        personas[int(g["persona"][1])] += 1
        lots.update(g["lot"][:10].tolist())
    assert sorted(personas) == list(range(10))
    assert all(abs(count - 100) < 5 * 100**0.5 for count in personas.values())
    assert all(abs(count - 250) < 5 * 250**0.5 for count in lots.values())


@pytest.mark.parametrize(("order", "sign"), [("ascending", 1), ("descending", -1)])
def test_items_are_sorted_in_the_scenarios_order(order, sign):
    starts = dealt(SINGLE.changed(item_order=order))["start"][:10] * sign
    assert (np.diff(starts) >= 0).all()
    given = dealt(SINGLE.changed(item_order="given"))["lot"][:10]
    assert (np.diff(given) > 0).all()


def test_houses_are_not_drawn_if_all_are_sold():
    table = house_table(["eco", "", "urban"], ["eco", "rural", "eco", "urban"])
    assert table.state["lot"][0, :4].tolist() == [0, 1, 2, 3]
    assert [item.suits for item in table.view(0).items] == ["eco", "rural", "eco", "urban"]


def test_the_mechanism_is_that_of_english_auctions():
    """The same houses as items of an English auction give the same game, bid by bid."""
    listings = fixed_houses("evaluation")[::4]
    harbor = HarborScenario("houses", tuple(HarborBidder(f"b{i}") for i in range(3)), listings, len(listings), 0)
    for seed in range(10):
        housing = aucenv.play("harbor", harbor, ["pace", "value", "random"], seed)
        english = aucenv.play("english", harbor.auction, ["pace", "value", "random"], seed)
        assert housing.outcome == english.outcome
        assert [d["amount"] for d in housing.decisions] == [d["amount"] for d in english.decisions]


def test_each_seats_bids_are_logged():
    table = house_table(["eco", "rural", "urban"], ["eco", "rural"])
    start = table.view(0).starting_price
    submit_bids(table, start, start * 2, None)
    least = table.view(0).least_bid
    submit_bids(table, least)
    submit_bids(table, None)
    g = table.state[0]
    assert g["raises"][:3, 0].tolist() == [2, 1, 0]
    assert (g["top"][:3, 0] / 100).tolist() == [least, start * 2, 0]
    assert (g["left_at"][:3, 0] / 100).tolist() == [0, least + start / 10, start]
    assert not g["raises"][:, 1:].any()


def test_results_count_the_matching_items():
    table = house_table(["eco", "rural+urban", ""], ["eco", "rural", "urban", "eco"])
    for winner in (0, 1, 0, 2):
        start = table.view(0).starting_price
        submit_bids(table, *(start if seat == winner else None for seat in table.pending))
    out = np.zeros((3, len(rules.RESULT)), np.int64)
    rules.result(table.state, 0, out)
    results = [dict(zip(rules.RESULT, row, strict=True)) for row in out.tolist()]
    assert [(row["matched"], row["matching"]) for row in results] == [(1, 2), (1, 2), (0, 0)]
    assert results[0]["profit"] == table.view(0).profits["bidder_0"] * 100


def test_rewards_are_shares_of_the_mean_starting_price():
    starts = [listing.starting_price for listing in SINGLE.items]
    assert SINGLE.profit_scale == pytest.approx(10 * sum(starts) / 40, abs=0.01)


def test_views_show_the_seats_personas_and_all_houses():
    table = house_table(["eco", "rural+urban", ""], ["eco", "rural"])
    view = table.view(1)
    assert [persona.id for persona in view.personas] == ["rural", "urban"]
    descriptions = [persona.descriptions["evaluation"] for persona in view.personas]
    assert all(paragraph in texts for paragraph, texts in zip(view.about_me, descriptions, strict=True))
    assert all(paragraph in table.text(1) for paragraph in view.about_me)
    assert table.view(2).personas == ()
    assert "Who you are" not in table.text(2)
    item = view.item
    assert item.house == fixed_houses("evaluation")[PERSONAS.index("eco") * 4].house
    assert item.description in table.text(0)
    assert max(item.likings, key=item.likings.get) == item.suits == "eco"
    assert item.true_value is None
    assert (view.row["persona"][0, [0, 2]] == -1).all()
    assert not view.row["house_value"].any()
    dealt_personas = [seat["personas"] for seat in GAME.record_format.DEAL.data(table.view(0, reveal=True))["seats"]]
    assert dealt_personas == [["eco"], ["rural", "urban"], []]


def test_every_description_of_a_persona_is_used():
    texts = {table.view(0).about_me[0] for table in (house_table(["eco", ""], ["eco"], seed) for seed in range(20))}
    eco = next(persona for persona in SINGLE.personas if persona.id == "eco")
    assert texts == set(eco.descriptions["evaluation"])
    train_text = house_table(["eco", ""], ["eco"], split="train").view(0).about_me[0]
    assert train_text in eco.descriptions["train"]


def test_rendered_frames_show_personas():
    table = house_table(["eco", "rural+urban", ""], ["eco", "rural"])
    board = GAME.board.board(table.view(0, reveal=True))
    place = [column.label for column in board.columns].index("personas")
    assert [row.cells[place].value for row in board.rows] == ["eco", "rural + urban", "none"]
    assert [row.cells[place].value for row in GAME.board.board(table.view(1)).rows] == [None, "rural + urban", None]


@pytest.mark.parametrize(("scenario", "matches"), [("evaluation-single", 2), ("train-mixed", 3), ("fresh-4", 0)])
def test_resampled_personas_are_possible_deals(scenario, matches):
    env = aucenv.harbor_v0.raw_env(scenario=scenario, matches=matches, personas=None)
    env.reset(seed=3)
    for number in range(30):
        env.step(1)
        if any(env.terminations.values()):
            break
        g = aucenv.resample_hidden(env.table.snapshot(), "bidder_1", np.random.default_rng(number)).state[0]
        personas = [int(k) for name in ("persona", "second") for k in g[name][:3] if k >= 0]
        assert len(set(personas)) == len(personas) == (6 if "mixed" in scenario else 3)
        for seat in range(3):
            for name in ("persona", "second"):
                k = int(g[name][seat])
                if k >= 0:
                    assert kinds(g).count(k) == rules.num_matches(g, seat, k)


def test_each_deal_in_a_batch_draws_new_personas():
    env = aucenv.harbor_v0.batch_env(64)
    env.reset(seed=1)
    first = env._state["persona"][:, :3].copy()
    env.reset()
    assert (env._state["persona"][:, :3] != first).any(axis=1).mean() > 0.9


def test_resampled_personas_follow_from_bids():
    """Seat 1 bids high for both eco houses and withdraws early from the others, so most draws are eco."""
    houses = ["rural", "eco", "urban", "eco", *["vacation", "investment", "larger_home"] * 3]
    table = house_table(["", "eco", ""], houses)
    for kind in houses[:4]:
        start = table.view(0).starting_price
        is_eco = kind == "eco"
        submit_bids(table, start, start * 1.7 if is_eco else start, None)
        while table.item < len(houses) and table.view(0).item.suits == kind and table.pending:
            seat = table.pending[0]
            submit_bids(table, *(table.view(0).least_bid if s == 1 and is_eco else None for s in table.pending))
            assert seat in (0, 1)
    snapshot = table.snapshot()
    drawn = Counter()
    for number in range(300):
        resampled = aucenv.resample_hidden(snapshot, "bidder_0", np.random.default_rng(number))
        drawn[int(resampled.state["persona"][0, 1])] += 1
        assert (resampled.state["persona"][0, 0], resampled.state["second"][0, 1]) == (-1, -1)
    assert drawn.most_common(1)[0][0] == PERSONAS.index("eco")
    assert drawn[PERSONAS.index("eco")] > 120
    assert set(drawn) > {PERSONAS.index("eco"), PERSONAS.index("vacation")}  # a fixed persona may be any
    mixed = dataclasses.replace(snapshot, state=snapshot.state.copy())
    mixed.state["persona"][0, 0], mixed.state["second"][0, 0] = 0, 1
    g = aucenv.resample_hidden(mixed, "bidder_0", np.random.default_rng(0)).state[0]
    assert len({int(g["persona"][1]), int(g["second"][1])} - {-1}) == 2
    assert (g["persona"][0], g["second"][0]) == (0, 1)
