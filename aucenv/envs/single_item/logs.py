"""Read the logs of Synthetic Labs' program as recorded games.

Source: the format of github.com/KeHang-Zhu/llm-auction: a folder for each experiment, named after the setting, with a
file `result_*` for each session; the experiments of GPT-4o are in a folder of that name. A file has an object for
each round: the values of the bidders (with common values, their signals) in the order of their names, the common
part, the bids with the names of the bidders, the winner, the price, and the profits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

from aucenv.core.checks import one_of
from aucenv.core.files import JsonMapping, JsonObject, read_object
from aucenv.core.schema import ANY_JSON, TEXT, ListOf, MapOf, Object, Optional, number, whole
from aucenv.envs.single_item.values import MAX_BIDDERS

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

AMOUNT = number(-1e6, 1e6)
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
