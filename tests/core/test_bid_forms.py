"""Ready forms of decisions: what replies mean, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

from aucenv.core.defaults.bid_forms import BidOrNothing, YesOrNo
from aucenv.core.fields import ALL, OWNER, SEAT, FieldsError, GameState, flag, money
from aucenv.core.kernel import inlined
from aucenv.core.state import WITHDRAW
from aucenv.core.words.reply import Unreadable

PRICE = 4000


class State(GameState):
    """A state with the fields that forms name."""

    high = money(ALL)
    step = money(ALL)
    acting = flag(ALL, per=SEAT)
    cap = money(OWNER, per=SEAT)
    value = money(OWNER, per=SEAT)


@inlined
def clip(state, b, seat, amount):
    return WITHDRAW if amount < 0 else 4000


YES = [
    "Yes.", "yes", "YES!", "Yes, I buy it.", "I buy it.", "I accept the price.", "I would buy it.", "I will take it.",
    "It is worth $60 to me and costs $40.\n\nYes.", "My answer is yes.", "The final answer is: Yes", "Decision: yes",
    '{"reasoning": "cheap", "action": "yes", "amount": null}', "I bid $40!",
]  # fmt: skip
NO = [
    "No.", "no", "No, thanks.", "Nope!", "I do not buy it.", "I decline.", "I will not buy.", "My answer is no.",
    "There is no profit in it.\nNo.", '{"reasoning": "dear", "action": "no", "amount": null}', "I'm out!",
]  # fmt: skip
UNREADABLE = [
    "",
    "Well.",
    "No. Yes.",
    "Yes or no.",
    "Yes, no.",
    "Maybe.",
    "There is no hurry.",
    "Do I buy it?",
    '{"action": "perhaps"}',
]


@pytest.mark.parametrize("reply", YES)
def test_replies_that_mean_yes(reply):
    assert YesOrNo().read(reply, ["Bob"], lambda: PRICE) == PRICE


@pytest.mark.parametrize("reply", NO)
def test_replies_that_mean_no(reply):
    assert YesOrNo().read(reply, ["Bob"], lambda: PRICE) == WITHDRAW


@pytest.mark.parametrize("reply", UNREADABLE)
def test_replies_that_mean_neither(reply):
    with pytest.raises(Unreadable):
        YesOrNo().read(reply, ["Bob"], lambda: PRICE)


def test_what_a_rival_says_is_no_answer():
    assert YesOrNo().read("Bob: No.\nYes.", ["Bob"], lambda: PRICE) == PRICE


@pytest.mark.parametrize("form", [BidOrNothing(), YesOrNo()])
@pytest.mark.parametrize("amount", [WITHDRAW, PRICE])
def test_a_form_reads_what_it_writes(form, amount):
    assert form.read(form.write(amount), [], lambda: PRICE) == amount


@pytest.mark.parametrize("form", [BidOrNothing(), YesOrNo()])
def test_a_form_reads_its_structured_replies(form):
    for action, use in form.structured.actions:
        amount = 40 if use == "number" else None
        reply = json.dumps({"reasoning": "It pays.", "action": action, "amount": amount})
        expected = PRICE if action in ("yes", "bid") else WITHDRAW
        assert form.read(reply, [], lambda: PRICE) == expected


def test_yes_is_the_nearest_legal_amount_to_nothing():
    amount, of_share = YesOrNo().kernels(State, clip)
    state = np.zeros(1, State.dtype(seat=2, item=1))
    state["num_items"], state["value"][0, :2] = 1, [8000, 100]
    assert [amount(state, 0, 0, action) for action in (0, 1)] == [WITHDRAW, PRICE]
    assert [of_share(state, 0, 0, share) for share in (0.49, 0.5, 1.0)] == [WITHDRAW, PRICE, PRICE]
    assert of_share(state, 0, 1, 1.0) == WITHDRAW
    assert YesOrNo().num_actions(state) == 2
    assert YesOrNo().refusal(5000, state[0], lambda: PRICE) == "is not the amount of a yes, $40"


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (
            BidOrNothing(of="valeu"),
            r"BidOrNothing: of: expected the name of a field of State, got 'valeu' \(did you mean",
        ),
        (BidOrNothing(of="high"), "BidOrNothing: of: expected a field per seat, or seat and item, got <Field high"),
        (BidOrNothing(step="setp"), "BidOrNothing: step: expected the name of a field of State, got 'setp'"),
        (BidOrNothing(highest="cap"), "BidOrNothing: highest: expected a field that all seats see, got <Field cap"),
        (YesOrNo("price"), "YesOrNo: of: expected the name of a field of State, got 'price'"),
    ],
)
def test_a_form_that_does_not_fit_the_state_is_refused(form, expected):
    with pytest.raises(FieldsError, match=expected):
        form.kernels(State, clip)
