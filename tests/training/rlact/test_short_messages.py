"""Short messages: their ratings, their length in SmolLM2's tokens, and the part that an item's rounds share."""

from __future__ import annotations

import re

import numpy as np
import pytest
from aucenv.baselines.llm.local_models.smollm2 import smollm2_folder
from aucenv.training.rlact.models.checkpoints import load_tokenizer
from aucenv.training.rlact.states.collect import Collection, collect
from aucenv.training.rlact.states.message_numbers import TERSE_FEATURES, exact_numbers
from aucenv.training.rlact.states.messages import BID, PHASES, state_messages
from aucenv.training.rlact.states.row_messages import STEPS, SYSTEM, ratings, row_messages

from aucenv.core.play.table import Table
from aucenv.envs.english.game import GAME
from aucenv.policy.registry import make_policy
from aucenv.registration import find_family

LONGEST = 120


@pytest.fixture(scope="module")
def tokenizer():
    return load_tokenizer(smollm2_folder())


@pytest.fixture(scope="module")
def states():
    return list(collect(Collection(400, ("harbor", "english"), detail="short"), "train"))


def size(tokenizer, messages):
    return len(tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_dict=False))


def numbers_in(text):
    return [float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", text)]


def test_messages_have_at_most_120_tokens(tokenizer, states):
    sizes = [size(tokenizer, state.messages[phase]) for state in states for phase in PHASES]
    assert np.mean(sizes) > 80
    assert max(sizes) <= LONGEST


@pytest.mark.parametrize("game", ["harbor", "english"])
def test_extreme_numbers_fit_too(tokenizer, states, game):
    row = next(state.full_row for state in states if state.game == game).copy()
    row["least"], row["raise_by"] = 123_456_700, 100
    for scale in (1, 10**6):  # every ratio is at its maximum or its minimum
        row["start"] = 100_000_00 // scale
        row["budget"] = 987_654_300
        for phase in PHASES:
            messages = row_messages(game, row, np.array([0]), np.array([0]), phase, "short")[0]
            assert "$1,234,567" in messages[1]["content"]
            assert size(tokenizer, messages) <= LONGEST


def rating(name, value):
    """Return the rating of a number, counted step by step."""
    return sum(step < value for step in STEPS[name])


def test_messages_have_ratings_counts_and_the_least_bid(states):
    for state in states:
        values = exact_numbers(state.full_row, np.array([0]), np.array([state.seat]))[0]
        n = dict(zip(TERSE_FEATURES, values, strict=True))
        rated = {name: rating(name, n[name]) for name in STEPS}
        least = float(state.full_row["least"][0]) / 100
        later = [n["later"], rated["mean/later"]] if n["later"] else []
        rivals = [n["rivals"]] if n["rivals"] > 1 else []
        assert numbers_in(state.messages[BID][1]["content"]) == [
            *(rated["worth/start"], *later, rated["budget/ahead"], *rivals, rated["rivals/ahead"]),
            *(n["rivals/in"], n["bids"], least, rated["least/worth"], rated["after/start"]),
        ]


def test_ratings_rise_with_the_numbers_and_are_all_used(states):
    rated = {name: set() for name in STEPS}
    for state in states:
        numbers = exact_numbers(state.full_row, np.array([0]), np.array([state.seat]))
        for name, digit in zip(TERSE_FEATURES, ratings(numbers)[0].tolist(), strict=True):
            if name in STEPS:
                rated[name].add(digit)
    assert all(used <= set(range(10)) and len(used) >= 7 for used in rated.values()), rated
    values = np.linspace(0, 10, 400)[:, None].repeat(len(TERSE_FEATURES), 1)
    columns = [TERSE_FEATURES.index(name) for name in STEPS]
    assert (np.diff(ratings(values)[:, columns], axis=0) >= 0).all()
    assert ratings(values)[[0, -1]][:, columns].tolist() == [[0] * len(STEPS), [9] * len(STEPS)]


def test_messages_are_in_plain_words(states):
    for state in states:
        system, user = (message["content"] for message in state.messages[BID])
        assert system == SYSTEM
        assert "/" not in user
        assert ("house" in user) == (state.game == "harbor")
        assert ("1 rival is left" in user) == (sum(state.full_row["active"][0]) == 2)
        assert state.messages == {phase: state_messages(state.view(), phase, detail="short") for phase in PHASES}


def test_the_rounds_of_an_item_share_the_first_sentences():
    family = find_family("english")
    names = ["rule", "value", "rule,k=5"]
    policies = [make_policy("english", name) for name in names]
    scenario = GAME.load_scenario("standard-20k-random")
    table = Table(family.game, scenario, [policy.interface for policy in policies])
    table.reset((0, 1))
    for policy, seat in zip(policies, table.scenario_text.seats, strict=True):
        policy.reset(seat, 0)
    starts = {}
    decisions = 0
    while not table.over:
        for seat in table.pending:
            view = table.view(seat)
            text = state_messages(view, BID, detail="short")[1]["content"]
            starts.setdefault((view.item_number, seat), set()).add(text[: text.index(" left")].rsplit(". ", 1)[0])
            decisions += 1
            table.submit(seat, policies[seat].act(view, {}))
    assert all(len(each) == 1 for each in starts.values())
    assert decisions > 1.5 * len(starts)
