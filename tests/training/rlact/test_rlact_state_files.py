"""Files of decision states: their version, ids that do not depend on the memory layout, and packed rows."""

from __future__ import annotations

import base64
import json
import zlib

import numpy as np
import pytest
from aucenv.training.rlact.states.collect import Collection, collect
from aucenv.training.rlact.states.row_codec import BLANK, NOT_DIGESTED, pack, unpack, view_digest
from aucenv.training.rlact.states.states import DecisionState, check_disjoint, read_states, write_states
from hypothesis import example, given, settings
from hypothesis import strategies as st

from aucenv.envs.harbor.rules import State

DTYPE = State.dtype(seat=5, item=12, house=30)
"""A layout in which seats and items have the same room."""


@pytest.fixture(scope="module")
def states():
    return list(collect(Collection(40, ("english", "harbor"), seed=3), "train"))


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


def test_states_of_a_file_are_those_that_were_written(states, tmp_path):
    path = tmp_path / "states.jsonl"
    write_states(path, states)
    again = read_states(path)
    assert [state.to_json() for state in again] == [state.to_json() for state in states]
    assert [state.full_row.tobytes() for state in again] == [state.full_row.tobytes() for state in states]
    assert {state.game for state in again} == {"english", "harbor"}
    with pytest.raises(ValueError, match="2 states are in both"):
        check_disjoint(states[:5], again[3:])
    write_states(path, [states[0], states[0]])
    with pytest.raises(ValueError, match="expected no duplicates"):
        read_states(path)


@pytest.mark.parametrize("version", [1, 2, 4, None])
def test_a_file_of_another_version_is_refused_with_the_way_out(states, version):
    line = json.dumps({**json.loads(states[0].to_json()), "version": version, "id_version": 1})
    message = (
        rf"^s\.jsonl:7: version: expected 3, got {version}, of another version of aucenv; collect the states again$"
    )
    with pytest.raises(ValueError, match=message):
        DecisionState.from_json(line, "s.jsonl:7")


def test_ids_do_not_depend_on_the_layout(states):
    for state in states:
        row = state.view().row
        visible = state.seat, state.history, state.descriptions
        assert view_digest(in_another_layout(row), *visible) == view_digest(row, *visible) == state.id
        assert view_digest(row, state.seat + 1, *visible[1:]) != state.id
    assert len({state.id for state in states}) == len(states)


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
    state = next(state for state in states if state.game == "harbor")
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
    refused(r"row: num_items: expected \d+ as in the scenario, got 60", num_items=60)
    refused("id: expected .* as the digest of", least=fields["least"] + 1)
    refused("id: expected .* as the digest of", {**line, "id": states[0].id})
    refused("id_version: expected no such field", {**line, "id_version": 2})
