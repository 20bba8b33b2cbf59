"""Decision states: decision points of simulated auctions, stored in JSON Lines files.

Source: HARBOR, arXiv 2502.12149: RLAct is trained on about 1,000 states from simulations, and the personas of training
are disjoint from those of the evaluation.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from aucenv.training.rlact.states.games import learning_module
from aucenv.training.rlact.states.row_codec import check_row, pack, unpack, view_digest
from aucenv.training.rlact.states.state_format import STATE, VERSION

from aucenv.core.checks import check_list, field, no_duplicates, number, one_of
from aucenv.core.files import JsonMapping, JsonObject, parse_object, read_lines, write_atomically
from aucenv.core.formats.schema import ANY_JSON, ListOf, Row, whole
from aucenv.core.records.record import expect
from aucenv.core.words.money import to_dollars
from aucenv.registration import find_family


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
        population: the version of the population that the game's bidders are drawn from; None if they are not.
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
    population: int | None = None

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
        return tuple(self.scenario_text.names)

    @property
    def scenario_text(self) -> Any:
        """The `ScenarioText` of the state's scenario."""
        return _scenario_text(self.game, json.dumps(self.scenario))

    def to_json(self) -> str:
        """Return the state as one line of JSON; equal states give equal bytes."""
        data = {"version": VERSION} | {name: getattr(self, name) for name in _PLAIN_FIELDS}
        # JSON text, because scenarios of different games have different fields, which a dataset's column cannot hold
        data["scenario"] = json.dumps(self.scenario, ensure_ascii=False)
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
        if data.get("version") != VERSION:
            other = f"got {data.get('version')!r}, of another version of aucenv; collect the states again"
            raise ValueError(f"{where}: version: expected {VERSION}, {other}")
        STATE.check(data, where)
        return cls(**_read_fields({"population": None, **data}, where))


_PLAIN_FIELDS = (
    *("id", "split", "game", "env_version", "seed", "bidders", "seat", "history", "descriptions"),
    *("profiles", "legal", "stratum", "messages", "population"),
)


def _read_fields(data: JsonObject, where: str) -> JsonObject:
    """Check the data of a line, which fits STATE, and return it as the fields of a state."""
    learning_module(f"{where}: game", data["game"])
    game = find_family(data["game"]).game
    one_of(f"{where}: env_version", data["env_version"], (game.version,))
    scenario, scenario_text, template = _read_scenario(game, data["scenario"], where)
    row = unpack(data["row"], template, f"{where}: row")
    check_row(row, template, f"{where}: row")
    seats = len(scenario_text.seats)
    whole(0, seats - 1).check(data["seat"], where, "seat")
    expect(len(data["bidders"]), seats, where, "bidders", "of them, as in the scenario")
    if not row["acting"][0, data["seat"]]:
        raise ValueError(f"{where}: row: expected a state in which seat {data['seat']} has to decide")
    for phase in ("recommendation", "bid"):
        field(data["messages"], phase, list, f"{where}: messages")
    _check_history(data["history"], row, where)
    history = tuple(map(tuple, data["history"]))
    view_row = game.view.make_view(row, data["seat"], scenario_text, history).row
    digest = view_digest(view_row, data["seat"], history, data["descriptions"])
    expect(data["id"], digest, where, "id", "as the digest of scenario, row, seat, history and descriptions")
    for name, cents in zip(("least", "most", "raise"), bounds(row, data["seat"]), strict=True):
        expect(data["legal"][name], to_dollars(cents), where, f"legal.{name}", "as in row")
    worth = data["worth"]
    return {
        **{name: data[name] for name in _PLAIN_FIELDS},
        **{name: tuple(data[name]) for name in ("seed", "bidders", "descriptions")},
        "history": history,
        "profiles": tuple(map(tuple, data["profiles"])),
        "scenario": scenario,
        "full_row": row,
        "action_values": None if worth is None else _read_values(worth, where),
    }


def _read_scenario(game: Any, text: str, where: str) -> tuple[JsonObject, Any, np.ndarray]:
    scenario = parse_object(text, f"{where}: scenario")
    try:
        template = _template(game.name, json.dumps(scenario))
        return scenario, _scenario_text(game.name, json.dumps(scenario)), template
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _read_values(worth: JsonObject, where: str) -> ActionValues:
    try:
        return ActionValues(**worth)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _check_history(history: list[list[int]], row: np.ndarray, where: str) -> None:
    """Raise ValueError unless the bids are of items and seats of the game."""
    item, seat = (whole(0, int(row[name][0]) - 1) for name in ("num_items", "num_seats"))
    ListOf(Row(item, ANY_JSON, seat, ANY_JSON)).check(history, where, "history")


@functools.lru_cache(maxsize=512)
def _scenario_text(name: str, scenario: str) -> Any:
    game = find_family(name).game
    return game.view.ScenarioText.of(game.load_scenario(json.loads(scenario)))


@functools.lru_cache(maxsize=512)
def _template(game: str, scenario: str) -> np.ndarray:
    return find_family(game).game.load_scenario(json.loads(scenario)).template()


def bounds(row: np.ndarray, seat: int) -> tuple[int, int, int]:
    """Return the least legal bid, the greatest legal bid and the least raise of a seat, in cents.

    In sealed-bid auctions, the raise is the step between legal bids.
    """
    if "least" not in (row.dtype.names or ()):  # a sealed-bid auction
        return 0, int(row["cap"][0]), int(row["step"][0])
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
