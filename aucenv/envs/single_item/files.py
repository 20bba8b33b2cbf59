"""Rounds of sealed-bid and clock auctions that were recorded elsewhere, and logs of Synthetic Labs' program.

Their results are compared with those under our rules.

Logs have the format of github.com/KeHang-Zhu/llm-auction: a folder for each experiment, named after the setting, with a
file `result_*` for each session; the experiments of GPT-4o are in a folder of that name. A file has an object for
each round: the values of the bidders (with common values, their signals) in the order of their names, the common
part, the bids with the names of the bidders, the winner, the price, and the profits.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from aucenv.core.checks import field, number, one_of
from aucenv.core.files import JsonMapping, JsonObject, read_object
from aucenv.core.formats.schema import ANY_JSON, TEXT, ListOf, MapOf, Object, Optional, fields_only, whole
from aucenv.core.formats.schema import number as number_from
from aucenv.core.game import Game
from aucenv.core.play.table import Table
from aucenv.core.records.replay_result import BidRounding, ReplayResult
from aucenv.core.words.money import MAX_DOLLARS, checked_dollars, to_cents
from aucenv.core.words.names import MAX_ID, checked_name, scenario_name
from aucenv.envs.single_item.record_format import OUTCOME
from aucenv.envs.single_item.values import MAX_BIDDERS, MIN_BIDDERS
from aucenv.envs.single_item.values import MODELS as VALUE_MODELS

NAMES = ("Andy", "Betty", "Charles", "David", "Ethel", "Florian")
"""The names of the bidders in the order of their values."""
_WORDS = ("euro", "ruble", "rupee", "yen", "chinese", "spanish", "hindi", "russian")
EXPERIMENTS = {
    "sealed_bid": {
        "private_first_price": "first-ipv",
        "private_second_price": "second-ipv",
        "private_third_price": "third-ipv",
        "private_all_pay": "all-pay-ipv",
        "private_first_price_one": "first-ipv-once",
        "private_second_price_one": "second-ipv-once",
        "private_third_price_one": "third-ipv-once",
        "private_all_pay_one": "all-pay-ipv-once",
        "affiliated_spsb": "second-apv",
        **{f"common_spsb_{n}": f"second-cv-{n}" for n in range(2, 7)},
        "intervention_menu": "second-ipv-menu",
        "intervention_proxy_breitmoser": "second-ipv-proxy-clock",
        "intervention_nash_deviation": "second-ipv-nash",
        "intervention_NE_strat_reveal": "second-ipv-dominant",
        "intervention_strat_reveal": "second-ipv-dominant",
        "intervention_wrong_strat_reveal": "second-ipv-wrong",
        "intervention_risk_neutrality": "second-ipv-risk-neutral",
        **{f"robust_fpsb_{word}": f"first-ipv-{word}" for word in _WORDS},
        **{f"robust_spsb_{word}": f"second-ipv-{word}" for word in _WORDS},
    },
    "clock": {"affiliated_ac": "ascending-apv", "affiliated_ac_closed": "ascending-apv-blind"},
    "ebay": {
        "ebay_proxy": "hard",
        "ebay_closing_rule": "soft",
        **{f"ebay_proxy_with_hidden_reserve_{reserve}": f"hard-{reserve}" for reserve in (40, 50, 60)},
        **{f"ebay_closing_rule_with_hidden_reserve_{reserve}": f"soft-{reserve}" for reserve in (40, 50, 60)},
    },
}
"""Game -> name of an experiment's folder -> the scenario of its games, of the published experiments."""
MODELS = ("GPT-4", "GPT-4o")
"""The models of the logs; the folders of the second one are in a folder of its name."""
LOGGED = "-logs"
"""The end of the names of bidders whose games are those of the logs."""
OLD = "old_"
"""The start of the names of folders with experiments that later ones replace."""

AMOUNT = number_from(-1e6, 1e6)
ROUND = Object(
    {
        "round": whole(0),
        "value": ListOf(AMOUNT, 2),
        "history": Object(
            {
                "bidding history": ListOf(Object({"agent": TEXT, "bid": Optional(AMOUNT)}, rest=ANY_JSON)),
                "winner": Object({"winner": Optional(TEXT), "price": Optional(AMOUNT)}, rest=ANY_JSON),
            },
            rest=ANY_JSON,
        ),
        "profit": ListOf(AMOUNT, 2),
    },
    rest=ANY_JSON,
)
SESSION = MapOf(ROUND)


def scenario_of(file: Path, game: str) -> str:
    """Return the scenario of the experiment in whose folder a file is.

    Raises:
        ValueError: The folder is of no experiment of the game.
    """
    known = EXPERIMENTS[game]
    return known[one_of(f"{file}: the experiment's folder", file.resolve().parent.name, known)]


def read_session(file: Path, game: str) -> JsonObject:
    """Return a session of sealed bids or of a clock as a recorded game; its `bidder` is the model.

    Raises:
        OSError: The file cannot be read.
        ValueError: The folder is of no known experiment, or the file is no session of it.
    """
    data = SESSION.check(read_object(file), str(file))
    scenario = scenario_of(file, game)
    expected = [f"round_{number}" for number in range(len(data))]
    missing = [name for name in expected if name not in data]
    if missing or not data:
        got = ", ".join(list(data)[:5]) or "none"
        raise ValueError(f"{file}: expected the rounds {', '.join(expected[:3]) or 'round_0'} and so on, got {got}")
    rounds = [_round(data[name], f"{file}: {name}") for name in expected]
    folder = file.resolve().parent
    model = MODELS[MODELS[1] in folder.parts]
    return {"id": log_id(file), "scenario": scenario, "bidder": f"{model}{LOGGED}", "rounds": rounds}


def log_id(file: Path) -> str:
    """Return the identifier of the recorded game in a file."""
    return f"{file.resolve().parent.name}-{file.stem}"[-60:]


def _round(data: JsonMapping, where: str) -> JsonObject:
    """Return a round in the form of recorded games."""
    values, history = data["value"], data["history"]
    bids: list[Any] = [None] * len(values)
    for entry in history["bidding history"]:
        bids[seat_of(entry["agent"], len(values), f"{where}: agent")] = entry["bid"]
    winner = history["winner"]["winner"]
    known = winner is not None and any(name in winner for name in NAMES)
    return {
        "values": values,
        "common": data.get("common"),
        "bids": bids,
        "winner": seat_of(winner, len(values), f"{where}: winner") if known else None,
        "price": history["winner"]["price"] if known else None,
        "profits": data["profit"],
    }


def seat_of(name: str, seats: int, where: str) -> int:
    """Return the number of the bidder with a name such as "Bidder Andy"."""
    last = re.sub(r"^Bidder ", "", name)
    known = NAMES[: min(seats, MAX_BIDDERS)]
    return known.index(one_of(where, last, known))


def read_logs(
    path: Path, game: str, pattern: str = "result_*.json", read: Callable[[Path, str], JsonObject] = read_session
) -> Iterator[tuple[str, JsonObject | ValueError]]:
    """Yield the place of each session below a path, and its recorded game, or why it cannot be read.

    Args:
        path: A file, the folder of an experiment, or a folder above those of experiments, of which those of other games
            and replaced ones are left out.
        game: The game of the sessions.
        pattern: The pattern of the names of their files.
        read: Returns the recorded game in a file of a game.
    """
    for file in _log_files(path, EXPERIMENTS[game], pattern):
        try:
            yield str(file), read(file, game)
        except ValueError as error:
            yield str(file), error


def has_experiments(path: Path) -> bool:
    """Return whether a folder is that of an experiment of a game, or has such folders below it."""
    known = {name for experiments in EXPERIMENTS.values() for name in experiments}
    return any(each.name in known for each in (path.resolve(), *path.rglob("*/")))


def _log_files(path: Path, experiments: Collection[str], pattern: str) -> list[Path]:
    if not path.is_dir():
        return [path] if path.match(pattern) else []
    below = (file for file in path.rglob(pattern) if file.parent.name in experiments)
    return sorted(path.glob(pattern)) or sorted(
        file for file in below if not any(part.startswith(OLD) for part in file.relative_to(path).parts)
    )


S = TypeVar("S")

RECORDED = fields_only(
    *("id", "pricing", "values", "scenario", "bidder"),
    rounds=ListOf(fields_only("values", "common", "bids", "winner", "price", "profits")),
)
"""The fields of a recorded game."""


@dataclasses.dataclass(frozen=True)
class RecordedValues:
    """The values of one recorded prize, in dollars.

    Attributes:
        values: the value of each seat; with cv, its signal.
        common: with cv, the prize's common value; else 0.
    """

    values: tuple[float, ...]
    common: float


class OfBids(Protocol):
    """Return the scenario of a recorded game from its data, its name, its value model, and bids by round and seat."""

    def __call__(self, data: JsonMapping, name: str, model: str, bids: Sequence[Sequence[float]]) -> Any: ...


def replay_rounds(
    data: JsonMapping,
    where: str,
    game: Game,
    scenarios: Mapping[str, Any],
    of_bids: OfBids,
    actions: Callable[[Any, Sequence[float]], Iterable[float]] = lambda scenario, bids: bids,
) -> ReplayResult:
    """Replay one recorded game under our rules.

    Args:
        data: The recorded game.
        where: Its place, for errors.
        game: The game whose rules hold.
        scenarios: Its named scenarios.
        of_bids: Returns the scenario.
        actions: Returns the action of each seat in a round from the scenario and the bids.

    Raises:
        ValueError: The record is malformed; the message names `where` and the field.
    """
    RECORDED.check(data, where)
    try:
        if data.get("id") is None:
            raise ValueError("expected the field 'id'")
        named = named_scenario(data, scenarios)
        model = named.values if named else one_of("values", field(data, "values", str), VALUE_MODELS)
        rounds = field(data, "rounds", list)
        values = read_values(rounds, model)
        seats, rounding = len(values[0].values), BidRounding()
        bids = [read_bids(played, j, seats, rounding) for j, played in enumerate(rounds)]
        results = [read_result(played, f"rounds[{j}]", seats) for j, played in enumerate(rounds)]
        name = named.name if named else scenario_name(checked_name("id", str(data["id"]), MAX_ID))
        scenario = of_bids(data, name, model, bids)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    table = Table(game, scenario, ["amount"] * seats, illegal="raise")
    table.reset(0)
    write_values(table, values)
    for round_bids, result in zip(bids, results, strict=True):
        if result.get("winner") is not None:
            table.force_tie(result["winner"])
        table.submit_all(dict(enumerate(actions(scenario, round_bids))))
    ours = to_recorded_rounds(OUTCOME.data(table.view(0, reveal=True))["prizes"])
    compared = any(results)
    difference = first_difference(ours, results, rounding) if compared else None
    return ReplayResult(data["id"], {"rounds": ours}, difference, compared, table, tuple(rounding.notes))


def read_values(rounds: Sequence[Any], model: str) -> list[RecordedValues]:
    """Return the values of the prizes in recorded rounds.

    Raises:
        ValueError: a round is malformed, or the rounds differ in their number of seats; the message names the round.
    """
    if not rounds:
        raise ValueError("rounds: expected at least 1, got none")
    recorded_values: list[RecordedValues] = []
    for j, played in enumerate(rounds):
        where = f"rounds[{j}]"
        if not isinstance(played, dict):
            raise ValueError(f"{where}: expected an object, got {played!r:.80}")
        values = field(played, "values", list, where)
        most = MAX_BIDDERS if not recorded_values else len(recorded_values[0].values)
        least = MIN_BIDDERS if not recorded_values else most
        if not least <= len(values) <= most:
            raise ValueError(f"{where}: values: expected {least} to {most}, got {len(values)}")
        dollars = tuple(number(f"{where}: values", value, -MAX_DOLLARS, MAX_DOLLARS) for value in values)
        common = number(f"{where}: common", played.get("common"), 0, MAX_DOLLARS) if model == "cv" else 0
        recorded_values.append(RecordedValues(dollars, common))
    return recorded_values


def write_values(table: Table, recorded_values: Sequence[RecordedValues]) -> None:
    """Replace the values of a game that has just been dealt by recorded ones."""
    row = table.state[0]
    for j, prize in enumerate(recorded_values):
        row["common"][j] = to_cents(prize.common)
        for seat, value in enumerate(prize.values):
            row["value"][seat, j] = to_cents(value)
    table.restore(table.snapshot())  # recomputes the observations


def named_scenario(data: JsonMapping, scenarios: Mapping[str, S]) -> S | None:
    """Return the scenario that a recorded game names; None if it names none.

    Raises:
        ValueError: There is no such scenario.
    """
    if "scenario" not in data:
        return None
    return scenarios[one_of("scenario", field(data, "scenario", str), scenarios)]


def read_bids(played: JsonMapping, j: int, seats: int, rounding: BidRounding) -> list[float]:
    """Return the bids of recorded round `j` by seat, in dollars; -1 = the seat abstained."""
    where = f"rounds[{j}]"
    bids = field(played, "bids", list, where)
    if len(bids) != seats:
        raise ValueError(f"{where}: bids: expected one for each of {seats} bidders, got {len(bids)}")
    return [
        -1
        if bid is None
        else rounding.round(f"{where}: bid {seat}", checked_dollars(bid, f"{where}: bids", least=0), j)
        for seat, bid in enumerate(bids)
    ]


def read_result(played: JsonMapping, where: str, seats: int) -> JsonObject:
    """Return the recorded results of a round: those of winner, price and profits that are present."""
    result: JsonObject = {}
    if "winner" in played:
        winner = played["winner"]
        if winner is not None and (type(winner) is not int or not 0 <= winner < seats):
            raise ValueError(f"{where}: winner: expected null or a number from 0 to {seats - 1}, got {winner!r}")
        result["winner"] = winner
    if "price" in played:
        price = played["price"]
        result["price"] = None if price is None else number(f"{where}: price", price, 0, MAX_DOLLARS)
    if "profits" in played:
        profits = field(played, "profits", list, where)
        if len(profits) != seats:
            raise ValueError(f"{where}: profits: expected one for each of {seats} bidders, got {len(profits)}")
        result["profits"] = [number(f"{where}: profits", profit, -MAX_DOLLARS, MAX_DOLLARS) for profit in profits]
    return result


def to_recorded_rounds(prizes: Sequence[JsonMapping]) -> list[JsonObject]:
    """Return closed rounds in the format of recorded games, with winners as numbers."""
    numbered = [None if prize["winner"] is None else int(prize["winner"].removeprefix("bidder_")) for prize in prizes]
    return [
        {"winner": winner, "price": prize["price"], "profits": prize["profits"]}
        for prize, winner in zip(prizes, numbered, strict=True)
    ]


def first_difference(ours: Sequence[JsonMapping], results: Sequence[JsonMapping], rounding: BidRounding) -> str | None:
    """Describe the first difference between our results and the recorded ones; None if there is none."""
    if len(ours) < len(results):
        return f"round {len(ours)}: our rules end the game, the record continues"
    for j, (played, recorded) in enumerate(zip(ours, results, strict=True)):
        for name, value in recorded.items():
            if not _agree(value, played[name], j, rounding):
                return f"round {j}: {name} recorded {value}, our rules give {played[name]}"
    return None


def _agree(recorded: Any, ours: Any, j: int, rounding: BidRounding) -> bool:
    """Return whether a winner, a price or profits of round `j` are ours, but for the rounding of bids."""
    if isinstance(recorded, list):
        return all(rounding.agrees(*pair, j) for pair in zip(recorded, ours, strict=True))
    return recorded == ours if None in (recorded, ours) else rounding.agrees(recorded, ours, j)
