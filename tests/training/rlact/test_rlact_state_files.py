"""Files of decision states: their versions, ids that do not depend on the memory layout, and packed rows."""

from __future__ import annotations

import base64
import dataclasses
import json
import zlib

import numpy as np
import pytest
from aucenv.training.rlact.row_codec import BLANK, NOT_DIGESTED, pack, unpack, view_digest
from aucenv.training.rlact.simulator import Simulator
from aucenv.training.rlact.states import DecisionState, check_disjoint, read_states, write_states
from hypothesis import example, given, settings
from hypothesis import strategies as st
from paths import DATA

from aucenv.envs.harbor.rules import state_dtype

FILE = DATA / "decision_states_1.jsonl"
"""Written in version 1; half of the states are of English auctions, with all settings of two of their rules."""
IDS = (
    *("8d5b4690108774ec", "02dd4bbb73de7763", "16357e1bad350d04", "3d8b8dbb07c800c2"),
    *("5ed3f1788ba855c7", "3a168a5ad99fd8d0", "71fc67bec0dd4ecc", "5e6ed18e0e70ca1e"),
)
DTYPE = state_dtype(5, 12, 30)
"""A layout in which seats and items have the same room."""


@pytest.fixture(scope="module")
def states():
    return read_states(FILE)


def renumbered(state):
    """Return the state with an id of the present version."""
    return dataclasses.replace(state, id=state.current_id, id_version=2)


def in_another_layout(row):
    """Return the row with its fields in another order, with room for more, some wider or narrower, and a new one."""
    fields = [("more", "i8", (3,))]
    for name in sorted(row.dtype.names, reverse=True):
        narrow = row[name].min() >= -(2**15) and row[name].max() < 2**15
        fields.append((name, ">i2" if narrow else "i8", tuple(size + 2 for size in row.dtype[name].shape)))
    other = np.zeros(1, np.dtype(fields, align=True))
    for name in row.dtype.names:
        other[name] = BLANK.get(name, 0)
        other[name][tuple(map(slice, row[name].shape))] = row[name]
    return other


def test_states_of_version_1_keep_their_ids_and_values(states, tmp_path):
    assert tuple(state.id for state in states) == IDS
    rules = [(view.discounts_possible, view.asks_broke) for view in (state.view() for state in states[:4])]
    assert rules == [(False, False), (True, True), (False, True), (True, False)]
    values = Simulator(samples=8, ladder=2).action_values(states)  # their random numbers follow from the ids
    assert values == [state.action_values for state in states]

    mixed = tmp_path / "mixed.jsonl"
    write_states(mixed, [states[0], *map(renumbered, states[2:])])
    old_line = FILE.read_text(encoding="utf-8").splitlines()[1]
    mixed.write_text(mixed.read_text(encoding="utf-8") + old_line + "\n", encoding="utf-8")
    again = read_states(mixed)
    assert [json.loads(state.to_json())["version"] for state in again] == [2] * 8
    assert [state.id_version for state in again] == [1, *[2] * 6, 1]
    assert again[0].id == IDS[0]
    assert again[1].to_json() == renumbered(states[2]).to_json()
    for state, old in zip(again, [states[0], *states[2:], states[1]], strict=True):
        assert state.full_row.tobytes() == old.full_row.tobytes()
        assert state.current_id == old.current_id
    with pytest.raises(ValueError, match="7 states are in both"):
        check_disjoint(states, again[1:])
    write_states(mixed, [states[0], renumbered(states[0])])
    with pytest.raises(ValueError, match="expected no duplicates"):
        read_states(mixed)


def test_ids_do_not_depend_on_the_layout(states):
    for state in states:
        row = state.view().row
        visible = state.seat, state.history, state.descriptions
        assert view_digest(in_another_layout(row), *visible) == view_digest(row, *visible) == state.current_id
        assert view_digest(row, state.seat + 1, *visible[1:]) != state.current_id
    assert len({state.current_id for state in states}) == len(states)


PLACES = st.tuples(st.sampled_from(DTYPE.names), st.integers(0, 10**6), st.integers(-(2**63), 2**63 - 1))


@settings(max_examples=100, deadline=None)
@given(st.lists(PLACES, max_size=30), st.lists(PLACES, max_size=10), PLACES)
@example([], [], ("leader", 0, -1))
def test_random_rows_are_restored_and_digested(changes, constants, last):
    template = np.zeros(1, DTYPE)
    for name, place, value in constants:
        template[name].flat[place % template[name].size] = value
    row = template.copy()
    for name, place, value in changes:
        row[name].flat[place % row[name].size] = value
    assert unpack(pack(row, template), template, "row").tobytes() == row.tobytes()

    digest = view_digest(row, 0, (), ())
    assert view_digest(in_another_layout(row), 0, (), ()) == digest
    name, place, value = last
    changed = row.copy()
    changed[name].flat[place % row[name].size] = value
    assert (view_digest(changed, 0, (), ()) == digest) == (name in NOT_DIGESTED or (changed == row).all())


def test_bad_rows_are_refused(states):
    state = renumbered(states[5])
    line = json.loads(state.to_json())
    fields = json.loads(zlib.decompress(base64.b64decode(line["row"])))

    def refused(match, line=line, **changes):
        row = base64.b64encode(zlib.compress(json.dumps({**fields, **changes}).encode())).decode()
        with pytest.raises(ValueError, match=rf"^s\.jsonl:7: {match}"):
            DecisionState.from_json(json.dumps({**line, "row": row}), "s.jsonl:7")

    refused("row: bugdet: expected a field of the game's state, got this one .did you mean 'budget'", bugdet=[1])
    refused("row: item: expected a whole number from .*, got None", item=None)
    refused("row: item: expected a whole number from .*, got True", item=True)
    refused(r"row: budget\[1\]: expected a whole number from .*, got 0.5", budget=[1, 0.5])
    refused(r"row: budget\[0\]: expected a whole number from .*, got 9223372036854775808", budget=[2**63])
    refused("row: budget: expected a list, got 3", budget=3)
    refused(r"row: estimate\[0\]: expected a list, got 3", estimate=[3])
    refused("row: estimate: expected lists of equal lengths", estimate=[[1, 2], [3]])
    refused(r"row: budget: expected at most \d+ values, got 17", budget=[1] * 17)
    refused(r"row: estimate: expected at most \d+ x 16 values, got 1 x 17", estimate=[[1] * 17])
    refused("row: item: expected a whole number from 0 to .*, got 99", item=99)
    refused("row: winner: expected a whole number from -1 to 2, got 3", winner=[3])
    refused("row: lot: expected a whole number from 0 to .*, got -1", lot=[-1])
    refused("row: persona: expected a whole number from -1 to 9, got 10", persona=[0, 0, 10])
    refused("row: num_items: expected 8 as in the scenario, got 60", num_items=60)
    refused("id: expected .* as the digest of", least=fields["least"] + 1)
    refused("id: expected .* as the digest of", {**line, "id": states[5].id})
    refused("id_version: expected a whole number from 1 to 2, got 3", {**line, "id_version": 3})
    refused("version: expected one of 1, 2, got 3", {**line, "version": 3})


def test_bad_rows_of_version_1_are_refused():
    line = json.loads(FILE.read_text(encoding="utf-8").splitlines()[4])
    for change, match in (
        ({"layout": "0123"}, "layout: expected .*, got '0123', of another version of aucenv"),
        ({"row": "!!!"}, "row: expected a packed state"),
        ({"row": "eJwDAAAAAAE="}, r"row: expected \d+ bytes, got 0"),
        ({"id_version": 1}, "id_version: expected no such field"),
        ({"id": "0" * 16}, f"id: expected '{IDS[4]}' as the digest of"),
    ):
        with pytest.raises(ValueError, match=rf"^s\.jsonl:7: {match}"):
            DecisionState.from_json(json.dumps({**line, **change}), "s.jsonl:7")
