"""Decision states: decision points of simulated auctions, stored in JSON Lines files.

Source: HARBOR, arXiv 2502.12149: RLAct is trained on about 1,000 states from simulations, and the personas of training
are disjoint from those of the evaluation.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from aucenv.training.rlact.games import learning_module
from aucenv.training.rlact.row_codec import layout_digest, pack, stable_row, unpack

from aucenv.core.checks import check_list, field, no_duplicates, nonempty_text, number, one_of, whole_number
from aucenv.core.files import JsonMapping, JsonObject, parse_object, read_lines, write_atomically
from aucenv.core.history import Entry
from aucenv.core.state import WITHDRAW
from aucenv.envs.harbor.notes import check_profile
from aucenv.registration import find_family

VERSION = 1
SPLITS = ("train", "validation", "evaluation")
"""Splits of the states.

"train" and "validation" are from different games with the same descriptions of personas; "evaluation" has other
descriptions and other items.
"""


@dataclasses.dataclass(frozen=True)
class ActionValues:
    """The simulator judge's estimates of the values of a state's legal actions. Amounts are dollars.

    Attributes:
        actions: None (withdraw), the least legal bid, and higher bids; see `simulator.legal_ladder`.
        means: the seat's mean final profit after each action.
        errors: the standard error of each action's difference from withdrawing, the first action.
        judge: the settings of the simulator, as text.
    """

    actions: tuple[float | None, ...]
    means: tuple[float, ...]
    errors: tuple[float, ...]
    judge: str

    def __post_init__(self) -> None:
        if not isinstance(self.actions, (list, tuple)) or len(self.actions) < 2 or self.actions[0] is not None:
            raise ValueError(f"worth, actions: expected null and at least one bid, got {self.actions!r:.80}")
        for name in ("actions", "means", "errors"):
            values = list(getattr(self, name))
            check_list(f"worth, {name}", values, len(self.actions))
            for value in values[1:] if name == "actions" else values:
                number(f"worth, {name}", value, -1e12, 1e12)
            object.__setattr__(self, name, tuple(values))

    @property
    def best(self) -> int:
        """The index of the best action."""
        return int(np.argmax(self.means))

    @property
    def bid_or_withdraw(self) -> int:
        """1 if the least bid earns more than withdrawing by over two standard errors, -1 if less, 0 if they tie."""
        return 0 if abs(self.lead) <= 2 * self.errors[1] else 1 if self.lead > 0 else -1

    @property
    def lead(self) -> float:
        """The expected profit of the least bid minus that of withdrawing, in dollars."""
        return self.means[1] - self.means[0]


@dataclasses.dataclass(frozen=True)
class DecisionState:
    """A decision point: a seat that has to decide, and the game's full state.

    Attributes:
        id: a digest of what the seat sees; states that look the same to their seats share it.
        split: one of SPLITS.
        game, env_version: name and version of the game, such as "harbor" and 0.
        scenario: the scenario as a dict, for the game's `Scenario.from_dict`.
        seed: seed of the game that the state is from.
        bidders: names of that game's bidders, by seat.
        seat: number of the seat that has to decide, from 0.
        full_row: (1,) the game's state, including all hidden values.
        history: the bids of closed rounds, as in `View`: (item, round, seat, cents or WITHDRAW).
        descriptions: the descriptions of its personas that the seat sees.
        profiles: ten weights for each seat, inferred from its bids; empty in English auctions.
        legal: "least" and "most", the limits of a legal bid, and "raise", the least raise; dollars.
        stratum: the kind of decision point; states are sampled evenly over the kinds.
        messages: chat messages by phase; see `messages.state_messages`.
        action_values: estimated values of its actions; None until the state is judged.
    """

    id: str
    split: str
    game: str
    env_version: int
    scenario: JsonMapping
    seed: tuple[int, ...]
    bidders: tuple[str, ...]
    seat: int
    full_row: np.ndarray
    history: tuple[tuple[int, int, int, int], ...]
    descriptions: tuple[str, ...]
    profiles: tuple[tuple[float, ...], ...]
    legal: Mapping[str, float]
    stratum: str
    messages: Mapping[str, list[dict[str, str]]]
    action_values: ActionValues | None = None

    def view(self, reveal: bool = False) -> Any:
        """Return the seat's View; with `reveal`, nothing is hidden."""
        game = find_family(self.game).game
        return game.view.make_view(self.full_row, self.seat, self.scenario_text, self.history, None, reveal)

    @property
    def seat_number(self) -> int:
        """The number of the seat, as in a View."""
        return self.seat

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the bidders in the scenario, by seat."""
        return tuple(bidder["name"] for bidder in self.scenario["bidders"])

    @property
    def scenario_text(self) -> Any:
        """The `ScenarioText` of the state's scenario."""
        return _scenario_text(self.game, json.dumps(self.scenario))

    def to_json(self) -> str:
        """Return the state as one line of JSON; equal states give equal bytes."""
        data = {"version": VERSION} | {name: getattr(self, name) for name in _PLAIN_FIELDS}
        # JSON text, because scenarios of different games have different fields, which a dataset's column cannot hold
        data["scenario"] = json.dumps(self.scenario, ensure_ascii=False)
        data["layout"] = layout_digest(self.full_row.dtype)
        data["row"] = pack(self.full_row, _template(self.game, data["scenario"]))
        data["worth"] = None if self.action_values is None else vars(self.action_values)
        return json.dumps(data, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str, where: str = "state") -> DecisionState:
        """Return the state of a line of JSON.

        Args:
            line: what `to_json` returned.
            where: the line's place, for error messages.

        Raises:
            ValueError: The line is not a state, or is one of another version of aucenv.
        """
        data = parse_object(line, where)
        one_of(f"{where}: version", data.pop("version", None), (VERSION,))
        try:
            json.dumps(data, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ValueError(f"{where}: expected valid Unicode text, got an unpaired surrogate") from None
        expected = {*_PLAIN_FIELDS, "scenario", "layout", "row", "worth"}
        if set(data) != expected:
            missing, unknown = sorted(expected - set(data)), sorted(set(data) - expected)
            raise ValueError(f"{where}: expected a decision state; missing {missing}, unknown {unknown}")
        for name, kind in _TYPES.items():
            field(data, name, kind, where)
        one_of(f"{where}: split", data["split"], SPLITS)
        try:
            return cls(**_read_fields(data, where))
        except (TypeError, KeyError, IndexError) as error:
            raise ValueError(f"{where}: expected a decision state: {error!r}") from None
        except ValueError as error:
            raise ValueError(str(error) if str(error).startswith(where) else f"{where}: {error}") from None


_PLAIN_FIELDS = (
    *("id", "split", "game", "env_version", "seed", "bidders", "seat", "history", "descriptions", "profiles"),
    *("legal", "stratum", "messages"),
)
_TYPES = {"id": str, "split": str, "scenario": str, "layout": str, "row": str, "messages": dict, "legal": dict}
_TYPES |= dict.fromkeys(("seed", "bidders", "history", "descriptions", "profiles"), list)


def _read_fields(data: JsonObject, where: str) -> JsonObject:
    """Check the data of a line and return it as the fields of a state."""
    learning_module(f"{where}: game", data["game"])
    game = find_family(data["game"]).game
    one_of(f"{where}: version of {game.name}", data["env_version"], (game.version,))
    scenario = parse_object(data["scenario"], f"{where}: scenario")
    scenario_text, template = (
        _scenario_text(game.name, json.dumps(scenario)),
        _template(game.name, json.dumps(scenario)),
    )
    layout, packed = data.pop("layout"), data.pop("row")
    if layout != layout_digest(template.dtype):
        raise ValueError(f"{where}: snapshot: expected the layout {layout_digest(template.dtype)}, got {layout!r}, of "
                         "another version of aucenv; collect the states again")  # fmt: skip
    row = unpack(packed, template, f"{where}: row")
    whole_number(f"{where}: seat", data["seat"], 0, len(scenario_text.seats) - 1)
    if not re.fullmatch("[0-9a-f]{16}", data["id"]):
        raise ValueError(f"{where}: id: expected 16 hexadecimal digits, got {data['id']!r:.40}")
    for name in ("bidders", "descriptions"):
        for text in data[name]:
            nonempty_text(f"{where}: {name}", text)
    if len(data["bidders"]) != len(scenario_text.seats):
        raise ValueError(f"{where}: bidders: expected {len(scenario_text.seats)}, got {len(data['bidders'])}")
    if row["num_seats"][0] != len(scenario_text.seats) or not row["acting"][0, data["seat"]]:
        raise ValueError(f"{where}: row: expected a state in which seat {data['seat']} has to decide")
    _check_messages(data["messages"], where)
    worth = data.pop("worth")
    action_values = None if worth is None else ActionValues(**worth)
    tuples = {name: tuple(data[name]) for name in ("seed", "bidders", "descriptions")}
    history = tuple(_read_entry(entry, f"{where}: history") for entry in data["history"])
    profiles = tuple(tuple(check_profile(each, f"{where}: profiles")) for each in data["profiles"])
    view_row = game.view.make_view(row, data["seat"], scenario_text, history).row
    if data["id"] != view_digest(view_row, data["seat"], history, tuples["descriptions"]):
        raise ValueError(f"{where}: expected the scenario, row and history of state {data['id']}, got others")
    fields = {"history": history, "profiles": profiles, "scenario": scenario}
    return {**data, **tuples, **fields, "full_row": row, "action_values": action_values}


def _read_entry(entry: Any, where: str) -> Entry:
    check_list(where, entry, 4)
    item, number, seat, amount = (whole_number(where, part, WITHDRAW, 2**62) for part in entry)
    return item, number, seat, amount


def _check_messages(messages: Any, where: str) -> None:
    for phase in ("recommendation", "bid"):
        for message in field(messages, phase, list, f"{where}: messages"):
            if not isinstance(message, dict) or not all(isinstance(message.get(k), str) for k in ("role", "content")):
                raise ValueError(f"{where}: messages: expected each with role and content, got {message!r:.80}")


@functools.lru_cache(maxsize=512)
def _scenario_text(name: str, scenario: str) -> Any:
    game = find_family(name).game
    return game.view.ScenarioText.of(game.load_scenario(json.loads(scenario)))


@functools.lru_cache(maxsize=512)
def _template(game: str, scenario: str) -> np.ndarray:
    return find_family(game).game.load_scenario(json.loads(scenario)).template()


def view_digest(row: np.ndarray, seat: int, history: Sequence[Any], descriptions: Sequence[str]) -> str:
    """Return a digest of what a seat sees, as 16 hexadecimal digits.

    Args:
        row: (1,) the state as the seat sees it.
    """
    public = stable_row(row)
    public["seat_key"] = 0  # the seat's random key is never shown to it
    if "wording" in (public.dtype.names or ()):
        public["wording"] = 0  # `descriptions` already distinguishes it
    digest = hashlib.sha256(public.tobytes())
    digest.update(json.dumps([seat, history, descriptions]).encode())
    return digest.hexdigest()[:16]


def bounds(row: np.ndarray, seat: int) -> tuple[int, int, int]:
    """Return the least legal bid, the greatest legal bid and the least raise of a seat, in cents."""
    return int(row["least"][0]), int(row["budget"][0, seat]), int(row["raise_by"][0])


def read_states(path: str | Path) -> list[DecisionState]:
    """Read the states of a file.

    Raises:
        OSError: The file cannot be read.
        ValueError: A line is not a state, or there are no states.
    """
    states = [DecisionState.from_json(line, where) for where, line in read_lines(path)]
    if not states:
        raise ValueError(f"{path}: expected at least one state, got none")
    no_duplicates(f"{path}, ids", [state.id for state in states])
    return states


def write_states(path: Path, states: Iterable[DecisionState]) -> None:
    """Write states to a file, atomically."""
    write_atomically(path, "".join(f"{state.to_json()}\n" for state in states))


def check_disjoint(train: Sequence[DecisionState], held_out: Sequence[DecisionState]) -> None:
    """Raise if held-out states, or persona descriptions of the evaluation split, occur among the training states.

    Raises:
        ValueError: A state is in both, or a description of a persona in an evaluation state is in a training state.
    """
    both = {state.id for state in train} & {state.id for state in held_out}
    if both:
        raise ValueError(f"splits: {len(both)} states are in both, such as {sorted(both)[0]}")
    train_descriptions = {text for state in train for text in state.descriptions}
    shared = {
        name: text
        for state in held_out
        if state.split == "evaluation"
        for name, text in zip(persona_ids(state), state.descriptions, strict=True)
        if text in train_descriptions
    }
    if shared:
        raise ValueError(f"splits: both have the same descriptions of personas: {', '.join(sorted(shared))}")


def persona_ids(state: DecisionState) -> list[str]:
    """Return the ids of the seat's personas."""
    return [persona.id for persona in getattr(state.view(), "personas", ())]
