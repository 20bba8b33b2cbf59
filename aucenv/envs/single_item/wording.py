"""Text of sealed-bid and clock auctions in five languages: the rules, and the phrases that describe a round.

The sentences are data, in `data/wording.json`, and written for aucenv. Every language has the same sentences as
English, with the same format fields.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Mapping, Sequence
from importlib import resources
from types import MappingProxyType
from typing import Any

from aucenv.core.checks import one_of
from aucenv.core.words.money import CURRENCIES, money
from aucenv.envs.single_item.values import LANGUAGES, SingleItemScenario

DESCRIPTIONS = ("menu", "proxy_clock")
"""The advice that describes the payment in other words; it replaces the payment rule. Other advice is added."""


@dataclasses.dataclass(frozen=True)
class Words:
    """The phrases of one language that describe a round, with fields for `str.format` in braces.

    Amounts include their currency's sign, except `example`, which is a plain number, as in a reply. The replies
    that a seat can give (`core.reader.wording.acts_in_words`) are fields.
    """

    comma: str  # the separator between the parts of a list
    round_heading: str  # {number} {rounds}
    value: str  # {value}
    signal: str  # {value}
    past_value: str  # {value}: that of a closed round
    past_signal: str  # {value}
    ask: str  # {example} {abstain}
    refused: str  # {reason}: over_cap, off_step or the parser's error, without a full stop
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
    left_so_far: str  # {prices}: a list
    ask_ascending: str  # {stay} {leave} {in_advance}: "" or leave_in_advance
    leave_in_advance: str  # {leave_at}
    ask_descending: str  # {wait} {take} {in_advance}: "" or take_in_advance
    take_in_advance: str  # {take_at}
    you_left: str  # {price}
    clock_won: str  # {price} {profit}
    clock_lost: str  # {profit}
    all_left: str  # {prices}: a list
    left_before: str  # {prices}: a list
    passed: str  # {price} {clock}; this and the following two are reasons for `refused`
    beyond_end: str  # {price} {end}
    off_tick: str  # {price} {tick}


@functools.lru_cache
def _data() -> dict[str, dict[str, dict[str, str]]]:
    file = resources.files("aucenv.envs.single_item") / "data" / "wording.json"
    return json.loads(file.read_text(encoding="utf-8"))


@functools.lru_cache
def words(language: str) -> Words:
    """Return the phrases of a language.

    Raises:
        ValueError: the language is none of LANGUAGES.
    """
    return Words(**_data()[one_of("language", language, LANGUAGES)]["words"])


def rules(scenario: Any, name: str, abstaining: bool = True) -> str:
    """Return the rules of a sealed-bid auction in the scenario's language, one rule per line.

    Args:
        scenario: a scenario of sealed-bid auctions.
        name: the name of the seat that reads the rules.
        abstaining: whether to include the rule that a seat may abstain.
    """
    limit = "capped" if scenario.bid_cap is not None else "uncapped"
    amounts = {"zero": 0, "cap": scenario.bid_cap, "bid_step": scenario.bid_step, "reserve": scenario.reserve}
    replaces = scenario.advice in DESCRIPTIONS
    lines = ["sealed", *(["abstain"] if abstaining else [])]
    lines += [limit, scenario.advice if replaces else scenario.pricing, "tie"]
    if scenario.reserve > 0:
        lines.append("reserve")
    lines += ["told", "goal"]
    if scenario.advice != "none" and not replaces:
        lines.append(scenario.advice)
    return format_rules(scenario, name, lines, amounts, _revealed(scenario, ["bids"]))


def clock_rules(scenario: Any, name: str, in_advance: bool = True) -> str:
    """Return the rules of a clock auction in the scenario's language, one rule per line.

    Args:
        scenario: a scenario of clock auctions.
        name: the name of the seat that reads the rules.
        in_advance: whether to include the rule that a seat may name a price in advance.
    """
    amounts = {"start": scenario.start, "end": scenario.end, "tick": scenario.tick}
    rising = scenario.direction == "ascending"
    lines = [scenario.direction]
    if in_advance:
        lines.append("leave_at" if rising else "take_at")
    lines += [*([scenario.feedback] if rising else []), "told", "goal"]
    left = ["leaving_prices"] if rising else []  # nobody leaves a falling clock
    return format_rules(scenario, name, lines, amounts, _revealed(scenario, left))


def _revealed(scenario: Any, answers: list[str]) -> list[str]:
    """Return the keys of the phrases about what a round reveals; `answers`: those added if `reveal` is "all"."""
    if scenario.reveal == "none":
        return ["own_result"]
    if scenario.reveal == "price":
        return ["own_result", "the_price"]
    prize_value = ["worth"] if scenario.values == "cv" else []
    return ["own_result", "the_price", *answers, "winner_result", *prize_value]


def format_rules(
    scenario: SingleItemScenario,
    name: str,
    lines: Sequence[str],
    amounts: Mapping[str, float | None],
    revealed: Sequence[str],
    more: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return the rules that auctions of one prize per round share, then those with the keys `lines`.

    Args:
        scenario: the scenario of the game.
        name: the name of the seat that reads the rules.
        lines: the keys of the rules.
        amounts: the amounts for the rules' format fields, in dollars.
        revealed: the keys of the phrases about what a round reveals.
        more: rules and phrases of the game that are not in the data, by key.
    """
    sentences = {**_data()[scenario.language]["rules"], **more}
    comma = words(scenario.language).comma
    low, high = scenario.value_range
    amounts = {**amounts, "low": low, "high": high, "step": scenario.value_step, "error": scenario.signal_error}
    sign = CURRENCIES[scenario.currency]
    fields = {key: money(amount, sign) for key, amount in amounts.items() if amount is not None}
    fields["told"] = comma.join(sentences[part] for part in revealed)
    fields["names"] = comma.join(scenario.bidders)
    return "\n".join(
        sentences[line].format(name=name, number=scenario.num_bidders, rounds=scenario.num_rounds, **fields)
        for line in ("who", "rounds", scenario.values, *lines)
    )
