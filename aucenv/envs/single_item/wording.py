"""Games that sell one prize a round, in words, in five languages: their rules, and the phrases that tell a round.

The sentences are data, `data/wording.json`, and our own; each language says what English says, with the same fields.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from importlib import resources
from typing import Any

from aucenv.core.checks import one_of
from aucenv.core.money import CURRENCIES, money
from aucenv.envs.single_item.values import LANGUAGES, SingleItemScenario


@dataclasses.dataclass(frozen=True)
class Words:
    """The phrases of one language that tell a round; fields for `str.format` in braces.

    Amounts come with their currency's sign, but `example`: a plain number, as it is to be answered. Replies are read in
    English: where a language asks for words, it quotes the English ones.
    """

    comma: str  # between the parts of a list
    round_heading: str  # {number} {rounds}
    value: str  # {value}
    signal: str  # {value}
    ask: str  # {example}
    refused: str  # {reason}: over_cap, off_step or what the reader of replies says; no full stop at its end
    over_cap: str  # {bid} {cap}
    off_step: str  # {bid} {step}
    won: str  # {bid} {price} {profit}
    lost: str  # {bid} {profit}
    abstained: str
    all_bids: str  # {bids}: a list
    price: str  # {price}
    not_sold: str
    winner_profit: str  # {profit}
    prize_value: str  # {value}
    preferred: str  # {bid}
    total: str  # {profit}
    over: str  # {profit}
    answered: str
    clock_at: str  # {price}
    left: str  # {number} {bidders}
    ask_ascending: str  # {in_advance}: "", or the next
    leave_in_advance: str  # {example}
    ask_descending: str  # {in_advance}: "", or the next
    take_in_advance: str  # {example}
    you_left: str  # {price}
    clock_won: str  # {price} {profit}
    clock_lost: str  # {profit}
    all_left: str  # {prices}: a list
    passed: str  # {price} {clock}; this and the next two fill `refused`
    beyond_end: str  # {price} {end}
    off_tick: str  # {price} {tick}


@functools.lru_cache
def _data() -> dict[str, dict[str, dict[str, str]]]:
    file = resources.files("aucenv.envs.single_item") / "data" / "wording.json"
    return json.loads(file.read_text(encoding="utf-8"))


@functools.lru_cache
def words(language: str) -> Words:
    """The phrases of a language.

    Raises:
        ValueError: none of LANGUAGES.
    """
    return Words(**_data()[one_of("language", language, LANGUAGES)]["words"])


def rules(scenario: Any, name: str) -> str:
    """The rules of a sealed-bid auction in the scenario's language, a line for each.

    Args:
        scenario: of sealed-bid auctions.
        name: the reader's own.
    """
    limit = "capped" if scenario.bid_cap is not None else "uncapped"
    amounts = {"zero": 0, "cap": scenario.bid_cap, "bid_step": scenario.bid_step, "reserve": scenario.reserve}
    lines = ["sealed", limit, scenario.pricing, "tie"]
    if scenario.reserve > 0:
        lines.append("reserve")
    lines += ["told", "goal"]
    if scenario.advice != "none":
        lines.append(scenario.advice)
    return _tell(scenario, name, lines, amounts, _told(scenario, ["bids"]))


def clock_rules(scenario: Any, name: str, in_advance: bool = True) -> str:
    """The rules of a clock auction in the scenario's language, a line for each.

    Args:
        scenario: of clock auctions.
        name: the reader's own.
        in_advance: tell that a price may be named in advance.
    """
    amounts = {"start": scenario.start, "end": scenario.end, "tick": scenario.tick}
    rising = scenario.direction == "ascending"
    lines = [scenario.direction]
    if in_advance:
        lines.append("leave_at" if rising else "take_at")
    lines += [*([scenario.feedback] if rising else []), "told", "goal"]
    left = ["leaving_prices"] if rising else []  # a falling price ends with the first to take the prize
    return _tell(scenario, name, lines, amounts, _told(scenario, left))


def _told(scenario: Any, answers: list[str]) -> list[str]:
    """What a seat is told after a round; `answers`: what of others' answers it is told with all."""
    if scenario.reveal == "none":
        return ["own_result"]
    if scenario.reveal == "price":
        return ["own_result", "the_price"]
    worth = ["worth"] if scenario.values == "cv" else []
    return ["own_result", "the_price", *answers, "winner_result", *worth]


def _tell(
    scenario: SingleItemScenario, name: str, lines: list[str], amounts: dict[str, float | None], told: list[str]
) -> str:
    """The rules that all games that sell prizes share, then the `lines` of one, told with `amounts`."""
    sentences = _data()[scenario.language]["rules"]
    comma = words(scenario.language).comma
    low, high = scenario.value_range
    amounts = {**amounts, "low": low, "high": high, "step": scenario.value_step, "error": scenario.signal_error}
    sign = CURRENCIES[scenario.currency]
    fields = {key: money(amount, sign) for key, amount in amounts.items() if amount is not None}
    fields["told"] = comma.join(sentences[part] for part in told)
    fields["names"] = comma.join(scenario.bidders)
    return "\n".join(
        sentences[line].format(name=name, number=scenario.num_bidders, rounds=scenario.num_rounds, **fields)
        for line in ("who", "rounds", scenario.values, *lines)
    )
