"""Decision states: moments of real auctions in which a seat has to decide, kept in files of JSON lines.

Source: HARBOR, arXiv 2502.12149: RLAct learns from about 1,000 states met in simulations, with training personas
disjoint from those of the evaluation.
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
from aucenv.training.rlact.games import learning_of
from aucenv.training.rlact.row_codec import layout_of, pack, settled, unpack

from aucenv.core.checks import check_list, field, no_duplicates, number, one_of, some_text, whole_number
from aucenv.core.files import JsonMapping, JsonObject, parse_object, read_lines, write_atomically
from aucenv.core.history import Entry
from aucenv.core.state import WITHDRAW
from aucenv.envs.harbor.notes import check_profile
from aucenv.registration import find_family

VERSION = 1
SPLITS = ("train", "validation", "evaluation")
"""Learnt from; of other games with the same descriptions of personas; with other descriptions, and other items."""


@dataclasses.dataclass(frozen=True)
class Worth:
    """What the legal actions of a state are worth, by the simulator judge.

    Attributes:
        actions: dollars: None = withdraw, the least bid, and higher ones; see `simulator.legal_ladder`.
        means: the mean final profit of the seat after each, dollars.
        errors: the standard error of each one's difference from withdrawing, the first.
        judge: the settings that it was told with.
    """

    actions: tuple[float | None, ...]
    means: tuple[float, ...]
    errors: tuple[float, ...]
    judge: str

    def __post_init__(self) -> None:
        if not isinstance(self.actions, (list, tuple)) or len(self.actions) < 2 or self.actions[0] is not None:
            raise ValueError(f"worth, actions: expected null and a bid or more, got {self.actions!r:.80}")
        for name in ("actions", "means", "errors"):
            values = list(getattr(self, name))
            check_list(f"worth, {name}", values, len(self.actions))
            for value in values[1:] if name == "actions" else values:
                number(f"worth, {name}", value, -1e12, 1e12)
            object.__setattr__(self, name, tuple(values))

    @property
    def best(self) -> int:
        """The place of the best action."""
        return int(np.argmax(self.means))

    @property
    def bid_or_withdraw(self) -> int:
        """1: the least bid earns more than withdrawing, by over two standard errors; -1: less; 0: a tie."""
        return 0 if abs(self.lead) <= 2 * self.errors[1] else 1 if self.lead > 0 else -1

    @property
    def lead(self) -> float:
        """How much more the least bid earns than withdrawing, dollars."""
        return self.means[1] - self.means[0]


@dataclasses.dataclass(frozen=True)
class DecisionState:
    """A moment in which a seat has to decide.

    Attributes:
        id: a digest of what the seat sees; states that look the same share it.
        split: one of SPLITS.
        game, env_version: "harbor", 0.
        scenario: from which the game's `Scenario.from_dict` makes it again.
        seed, bidders: of the game it was met in; the bidders by seat.
        seat: who decides, from 0.
        row: (1,) the game's state, hidden values included.
        history: closed rounds, as `View` keeps them: (item, round, seat, cents or WITHDRAW).
        descriptions: what the seat is told of its personas.
        profiles: ten weights of each seat, what its bids tell of its persona; empty in English auctions.
        legal: dollars: "least" and "most" that may be bid, and what a bid must add, "raise".
        stratum: the kind of moment; states are spread over these evenly.
        messages: chat messages by phase; see `messages.state_messages`.
        worth: of its actions, once it was judged.
    """

    id: str
    split: str
    game: str
    env_version: int
    scenario: JsonMapping
    seed: tuple[int, ...]
    bidders: tuple[str, ...]
    seat: int
    row: np.ndarray
    history: tuple[tuple[int, int, int, int], ...]
    descriptions: tuple[str, ...]
    profiles: tuple[tuple[float, ...], ...]
    legal: Mapping[str, float]
    stratum: str
    messages: Mapping[str, list[dict[str, str]]]
    worth: Worth | None = None

    def view(self, reveal: bool = False) -> Any:
        """The seat's View; with `reveal` nothing is hidden."""
        game = find_family(self.game).game
        return game.view.make_view(self.row, self.seat, self.scenario_text, self.history, None, reveal)

    @property
    def seat_number(self) -> int:
        """As a View's."""
        return self.seat

    @property
    def names(self) -> tuple[str, ...]:
        """The bidders', by seat."""
        return tuple(bidder["name"] for bidder in self.scenario["bidders"])

    @property
    def scenario_text(self) -> Any:
        return _catalogue(self.game, json.dumps(self.scenario))

    def to_json(self) -> str:
        """One line; the same state gives the same bytes."""
        data = {"version": VERSION} | {name: getattr(self, name) for name in _PLAIN}
        data["scenario"] = json.dumps(self.scenario, ensure_ascii=False)  # text, so that tables can hold all games'
        data["layout"] = layout_of(self.row.dtype)
        data["row"] = pack(self.row, _template(self.game, data["scenario"]))
        data["worth"] = None if self.worth is None else vars(self.worth)
        return json.dumps(data, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str, where: str = "state") -> DecisionState:
        """The state that a line holds.

        Raises:
            ValueError: none, or one of another version of aucenv; names `where`.
        """
        data = parse_object(line, where)
        one_of(f"{where}: version", data.pop("version", None), (VERSION,))
        try:
            json.dumps(data, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise ValueError(f"{where}: expected whole characters, got half of one") from None
        expected = {*_PLAIN, "scenario", "layout", "row", "worth"}
        if set(data) != expected:
            missing, unknown = sorted(expected - set(data)), sorted(set(data) - expected)
            raise ValueError(f"{where}: expected a decision state; missing {missing}, unknown {unknown}")
        for name, kind in _KINDS.items():
            field(data, name, kind, where)
        one_of(f"{where}: split", data["split"], SPLITS)
        try:
            return cls(**_read(data, where))
        except (TypeError, KeyError, IndexError) as error:
            raise ValueError(f"{where}: expected a decision state: {error!r}") from None
        except ValueError as error:
            raise ValueError(str(error) if str(error).startswith(where) else f"{where}: {error}") from None


_PLAIN = (
    *("id", "split", "game", "env_version", "seed", "bidders", "seat", "history", "descriptions", "profiles"),
    *("legal", "stratum", "messages"),
)
_KINDS = {"id": str, "split": str, "scenario": str, "layout": str, "row": str, "messages": dict, "legal": dict}
_KINDS |= dict.fromkeys(("seed", "bidders", "history", "descriptions", "profiles"), list)


def _read(data: JsonObject, where: str) -> JsonObject:
    """A line's data as a state's fields."""
    learning_of(f"{where}: game", data["game"])
    game = find_family(data["game"]).game
    one_of(f"{where}: version of {game.name}", data["env_version"], (game.version,))
    scenario = parse_object(data["scenario"], f"{where}: scenario")
    scenario_text, template = _catalogue(game.name, json.dumps(scenario)), _template(game.name, json.dumps(scenario))
    layout, packed = data.pop("layout"), data.pop("row")
    if layout != layout_of(template.dtype):
        raise ValueError(f"{where}: snapshot: expected the layout {layout_of(template.dtype)}, got {layout!r}: it was "
                         "made by another version of aucenv; make the states again")  # fmt: skip
    row = unpack(packed, template, f"{where}: row")
    whole_number(f"{where}: seat", data["seat"], 0, len(scenario_text.seats) - 1)
    if not re.fullmatch("[0-9a-f]{16}", data["id"]):
        raise ValueError(f"{where}: id: expected 16 hexadecimal digits, got {data['id']!r:.40}")
    for name in ("bidders", "descriptions"):
        for text in data[name]:
            some_text(f"{where}: {name}", text)
    if len(data["bidders"]) != len(scenario_text.seats):
        raise ValueError(f"{where}: bidders: expected {len(scenario_text.seats)}, got {len(data['bidders'])}")
    if row["num_seats"][0] != len(scenario_text.seats) or not row["acting"][0, data["seat"]]:
        raise ValueError(f"{where}: row: expected a state in which seat {data['seat']} has to decide")
    _check_messages(data["messages"], where)
    data["worth"] = None if data["worth"] is None else Worth(**data["worth"])
    tuples = {name: tuple(data[name]) for name in ("seed", "bidders", "descriptions")}
    history = tuple(_four(entry, f"{where}: history") for entry in data["history"])
    profiles = tuple(tuple(check_profile(each, f"{where}: profiles")) for each in data["profiles"])
    seen = game.view.make_view(row, data["seat"], scenario_text, history).row
    if data["id"] != seen_digest(seen, data["seat"], history, tuples["descriptions"]):
        raise ValueError(f"{where}: expected the scenario, row and history of state {data['id']}, got others")
    return {**data, **tuples, "history": history, "profiles": profiles, "scenario": scenario, "row": row}


def _four(entry: Any, where: str) -> Entry:
    check_list(where, entry, 4)
    item, number, seat, amount = (whole_number(where, part, WITHDRAW, 2**62) for part in entry)
    return item, number, seat, amount


def _check_messages(messages: Any, where: str) -> None:
    for phase in ("recommendation", "bid"):
        for message in field(messages, phase, list, f"{where}: messages"):
            if not isinstance(message, dict) or not all(isinstance(message.get(k), str) for k in ("role", "content")):
                raise ValueError(f"{where}: messages: expected each with role and content, got {message!r:.80}")


@functools.lru_cache(maxsize=512)
def _catalogue(game: str, scenario: str) -> Any:
    known = find_family(game).game
    return known.view.ScenarioText.of(known.load_scenario(json.loads(scenario)))


@functools.lru_cache(maxsize=512)
def _template(game: str, scenario: str) -> np.ndarray:
    return find_family(game).game.load_scenario(json.loads(scenario)).template()


def seen_digest(row: np.ndarray, seat: int, history: Sequence[Any], descriptions: Sequence[str]) -> str:
    """What tells apart what seats are told; 16 hexadecimal digits.

    Args:
        row: (1,) what the seat sees.
    """
    told = settled(row)
    told["seat_key"] = 0  # its own chance, that no words tell
    if "wording" in (told.dtype.names or ()):
        told["wording"] = 0  # `descriptions` has it
    digest = hashlib.sha256(told.tobytes())
    digest.update(json.dumps([seat, history, descriptions]).encode())
    return digest.hexdigest()[:16]


def bounds(row: np.ndarray, seat: int) -> tuple[int, int, int]:
    """What a seat may bid at least and at most, and what a bid must add; cents."""
    return int(row["least"][0]), int(row["budget"][0, seat]), int(row["raise_by"][0])


def read_states(path: str | Path) -> list[DecisionState]:
    """The states of a file.

    Raises:
        OSError: it cannot be read.
        ValueError: a line is no state, or there is none; names file and line.
    """
    states = [DecisionState.from_json(line, where) for where, line in read_lines(path)]
    if not states:
        raise ValueError(f"{path}: expected at least one state, got none")
    no_duplicates(f"{path}, ids", [state.id for state in states])
    return states


def write_states(path: Path, states: Iterable[DecisionState]) -> None:
    """Replace a file of states as a whole."""
    write_atomically(path, "".join(f"{state.to_json()}\n" for state in states))


def check_disjoint(learnt: Sequence[DecisionState], held_out: Sequence[DecisionState]) -> None:
    """Nothing, if no state that is held out, and no description of a persona in evaluation, was there to be learnt.

    Raises:
        ValueError: a state stands in both; or, in evaluation, a description of a persona; names them.
    """
    both = {state.id for state in learnt} & {state.id for state in held_out}
    if both:
        raise ValueError(f"splits: {len(both)} states stand in both, as {sorted(both)[0]}")
    told = {text for state in learnt for text in state.descriptions}
    shared = {
        name: text
        for state in held_out
        if state.split == "evaluation"
        for name, text in zip(own_personas(state), state.descriptions, strict=True)
        if text in told
    }
    if shared:
        raise ValueError(f"splits: personas described alike in both: {', '.join(sorted(shared))}")


def own_personas(state: DecisionState) -> list[str]:
    """The ids of the seat's personas."""
    return [persona.id for persona in getattr(state.view(), "personas", ())]
