"""Amounts of money in text: each becomes one character, so that patterns of decisions need not know how it is written.

An amount is never read in part. Numbers in unusual formats ("$1.500", "2 x 35"), relative amounts ("$100 more") and
amounts in other currencies become characters too, but of another range: patterns match them as unclear amounts.
Numbers that count something ("round 3", "20%", "2 bidders") stay as they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from aucenv.core.reader.speech import INVISIBLE
from aucenv.core.words.money import CURRENCIES, MAX_DOLLARS, to_cents

UNCLEAR = -9
"""The value of an amount that is not clear: its format, its currency, or what it is an amount of."""

FIRST_CLEAR, FIRST_UNCLEAR, MAX_AMOUNTS = 0xF0000, 0x100000, 0xFFF0
PRIVATE = f"{chr(FIRST_CLEAR)}-{chr(FIRST_UNCLEAR + MAX_AMOUNTS)}"
"""The range, for a set in a pattern, of the characters that stand for amounts."""
A = f"[{chr(FIRST_CLEAR)}-{chr(FIRST_CLEAR + MAX_AMOUNTS)}]"
"""Pattern of the character that stands for a clear amount."""
U = f"[{chr(FIRST_UNCLEAR)}-{chr(FIRST_UNCLEAR + MAX_AMOUNTS)}]"
"""Pattern of the character that stands for an unclear amount."""

X = re.VERBOSE | re.IGNORECASE
_NAMES = {
    "dollar": r"(?:us\s+)?dollars?|usd|bucks?|d[oó]lares|d[oó]lar|доллар(?:а|ов|ы)?|美元|美金|डॉलर",
    "euro": "euros?|eur|евро|欧元|यूरो",
    "ruble": r"ro?ubles?|rub|rublos?|рубл(?:ь|я|ей|и|ю|ям)|руб\.?|卢布|रूबल",
    "yen": "yen|jpy|yenes|иен(?:а|ы)?|йен(?:а|ы)?|日元|日圆|円|येन",
    "rupee": r"rupees?|inr|rs\.?|rupias?|рупи(?:й|я|и)|卢比|रुपये|रुपए|रुपया|रुपयों|रु\.?",
}
_MONEY = rf"""(?P<money>{"|".join(_NAMES.values())}|pounds?|gbp|quid|sterling|yuan|rmb|cny|cad|aud|chf|kron(?:a|or|er?)
    |baht|zloty|liras?|dinars?|dirhams?|reals|reais|rand|shekels?|ringgit|forint|koruna|riyals?|francs?|pesos?|renminbi
    |(?:swiss|belgian)\s+francs?|(?:canadian|australian|singapore|hong\s+kong|new\s+zealand)\s+dollars?|british\s+pounds?
    |chinese\s+yuan|mexican\s+pesos?|cents?|pence|kope[ck]k?s?|pais[ae]|人民币|元|块|英镑)"""
_SIGN = "[$\u00a2-\u00a5\u060b\u09f2\u09f3\u0e3f\u17db\u20a0-\u20cf]"
OTHER = "\u00a4"
"""The sign that stands for all currencies but the auction's, whose sign becomes $."""
_BEFORE = re.compile(rf"(?<!\w){_MONEY}[ ]*(?=-?[0-9])", X)
_AFTER = re.compile(
    rf"(?<=[0-9])(?P<scale>\s?(?:k|m|thousand|million)\b)?[ ]*(?:\(|(?:in|of)\s)?{_MONEY}(?![a-zа-я\u0900-\u097f])", X
)
_OTHER_DOLLARS = re.compile(r"\b(?:us\s?|a|au|ca|c|hk|nz|s)\$")
_SIGNS = {sign: re.compile(rf"(?!{re.escape(sign)}){_SIGN}") for sign in CURRENCIES.values()}


def names_of(currency: str) -> str:
    """Return the pattern of the names of one of `CURRENCIES`."""
    return _NAMES[currency]


_IS_NAME = {currency: re.compile(names, X).fullmatch for currency, names in _NAMES.items()}


def in_dollars(text: str, currency: str) -> str:
    """Return the text with $ for the currency's signs and its names beside numbers, and OTHER for other currencies."""
    sign = CURRENCIES[currency]
    text = _OTHER_DOLLARS.sub(lambda m: "$" if m[0].startswith("us") else OTHER, text)
    if currency != "dollar" or not text.isascii():
        text = _SIGNS[sign].sub(OTHER, text).replace(sign, "$")
    is_name = _IS_NAME[currency]
    text = _BEFORE.sub(lambda m: "$" if is_name(m["money"]) else OTHER, text)
    return _AFTER.sub(lambda m: f"{m['scale'] or ''} " + ("$" if is_name(m["money"]) else OTHER) + " ", text)


_RUN = r"[0-9]+ (?: [.,':/_][0-9]+ | [ ][0-9]{3}(?![0-9]) )*"
_NUMBER = re.compile(
    rf"""(?P<of>\b(?:rounds?|items?|lots?|steps?|days?|bidders?|players?|options?|turns?|stages?|ticks?|phases?|weeks?
        |houses?|no\.|number|page|year|case|scenario|plan|part|level|priority|rank|top|first|last|next|раунде?|ronda|轮)\s?
        | (?<=[a-z0-9_.])(?=[0-9]) | \#\s?)?
    (?P<minus>(?:(?<=\s)|(?<=^)|(?<=\())[-+](?=[$\u00a4]?\s?[0-9]))?
    (?P<sign>[$\u00a4]\s?)? (?P<minus2>-\s?)?
    (?P<run>{_RUN})
    (?P<scale>\s?(?:k|m|thousand|million)\b)?
    (?P<after>\s?[$\u00a4](?![\s]?[0-9]))?""",
    X | re.MULTILINE,
)
_PLAIN = re.compile(
    r"(?P<whole>[0-9]+|[0-9]{1,3}(?:([, '])[0-9]{3})(?:\2[0-9]{3})*|[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3})"
    r"(?P<part>\.[0-9]+)?"
)
_COUNTS = re.compile(
    r"""\s?(?:%|percent\b|per\s+cent\b|x\b(?!\s?[$\d])|pct\b) | \s(?:other\s+|more\s+|remaining\s+|active\s+)?
    (?:items?|lots?|times|rounds?|bidders?|rivals?|points?|days?|units?|people|others|players|opponents|competitors|steps?
    |ticks?|increments?|minutes?|seconds?|bids?|words|options|left\s+in)\b | [a-z]
    | \s?(?:轮|个|人|次|倍|件|位|号|बार|चक्र)""",
    X,
)
_SPOILED = re.compile(
    r"""[.,:/']\d | \s?\$?\s?(?:hundreds?|thousands|grand|[bt]illions?|millions|bn|mn|mln|lakhs?|lacs?|crores?
      |dozen|mil|millones|cientos|and\s+a\s+half|half|minus|times|plus|past|above|over|higher|on\s+top|more|extra|below|under|less|off)\b
    | \s?(?:[千万百亿]|लाख|हज़?ार|सौ|करोड़|тыс|млн|миллион|сот)
    | \s?\$?\s?(?:and\s+)?(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty
      |forty|fifty|sixty|seventy|eighty|ninety)\b
    | \s?\$?\s?[+\u00b1] | \s(?:gold|coins?|chips|credits|tokens|cr)\b
    | \s\$?\s?[0-9] | [/](?!-) | \s?[-+]?\s?\u2044""",
    X,
)
_ADJACENT = re.compile(r"[^\s.,!?;:)\]}\"'\u2019*/|=<>\u0900-\u097f\u3000-\u9fff-]|,[-\s*_=]*\Z|,\s[0-9]{3}(?![0-9])")
"""Characters after a number that make it a part of something else, such as the rest of a number with a space in it."""
_HALVES = re.compile("(?<=[0-9])(?=[\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u209f\u2150-\u215f])")


def separate_fractions(text: str) -> str:
    """Return the text with a space between digits and fractions such as \u00bd, which NFKC would join."""
    return _HALVES.sub(" ", text)


def mark_amounts(text: str, currency: str) -> tuple[str, list[int]]:
    """Return a plain text in which one character stands for each amount, and the cents of each.

    `cents_of` returns the amount of a character.
    """
    if not re.search("[0-9]", text):
        return text, []
    text = in_dollars(text, currency)
    amounts: list[int] = []
    pieces: list[str] = []
    at = 0
    for number in _NUMBER.finditer(text):
        if len(amounts) == MAX_AMOUNTS:
            break
        amount = _read_number(number, text)
        if amount is None:
            continue
        pieces += [text[at : number.start()], _character(len(amounts), amount)]
        amounts.append(amount)
        at = number.end()
    marked = "".join(pieces) + text[at:]
    return _join_sums(marked, amounts), amounts


def _character(index: int, cents: int) -> str:
    return chr((FIRST_UNCLEAR if cents == UNCLEAR else FIRST_CLEAR) + index)


def cents_of(character: str, amounts: Sequence[int]) -> int:
    """Return the cents of the amount that a character stands for; UNCLEAR if it stands for an unclear one."""
    return UNCLEAR if ord(character) >= FIRST_UNCLEAR else amounts[ord(character) - FIRST_CLEAR]


def cents_of_value(value: Any, currency: str) -> int | None:
    """Return the cents of the value of a JSON field, None if it is no amount; UNCLEAR if it is an unclear one."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return UNCLEAR
    text, amounts = mark_amounts(
        json.dumps(value) if not isinstance(value, str) else INVISIBLE.sub("", value.lower()), currency
    )
    text = text.strip(" .!\"'")
    if len(text) == 1 and ord(text) >= FIRST_CLEAR:
        return cents_of(text, amounts)
    return None if isinstance(value, str) else UNCLEAR  # such as 1e64


def _read_number(number: re.Match[str], text: str) -> int | None:
    """Return the cents of a number, UNCLEAR if it is an unclear amount; None if it counts something else."""
    sign = (number["sign"] or number["after"] or "").strip()
    end = number.end()
    if number["of"] is not None and not sign:
        return None
    if not sign and not number["scale"] and _COUNTS.match(text, end):
        return None
    plain = _PLAIN.fullmatch(number["run"])
    spoiled = _SPOILED.match(text, end) or (
        _ADJACENT.match(text[end : end + 40]) and not _is_long(number["run"], text[end])
    )
    if plain is None or number["minus"] or number["minus2"] or sign == OTHER or spoiled:
        return UNCLEAR
    return _cents(plain["whole"], plain["part"], number["scale"])


def _is_long(run: str, after: str) -> bool:
    """Return whether a comma and three digits after a number cannot belong to it."""
    return after == "," and len(run) > 3


def _cents(whole: str, part: str | None, scale: str | None) -> int:
    factor = {"k": 1000, "thousand": 1000}.get(scale.strip(), 10**6) if scale else 1
    digits = re.sub("[, ']", "", whole)
    if len(digits) > 15:
        return MAX_DOLLARS * 1000
    if (factor == 1 and len(part or "") > 3) or len(part or "") > 8:  # 3: a decimal point and two decimals
        return UNCLEAR
    return min(to_cents(float(digits + (part or "")) * factor), MAX_DOLLARS * 1000)


_CHAIN = re.compile(rf"(?:{A}|{U})(?P<rest>(?:\s*(?:[-+x*/÷^]|\u2044)\s*(?:{A}|{U}))+)(?:\s*=\s*(?P<result>{A}))?")


def _join_sums(text: str, amounts: list[int]) -> str:
    """Return the text with the result of each sum instead of its parts; one without a result is unclear."""
    return _CHAIN.sub(_sum, text) if len(amounts) > 1 else text


def _sum(chain: re.Match[str]) -> str:
    if chain["result"]:
        return chain["result"]
    if re.fullmatch(rf"(?:\s*-\s*(?:{A}|{U}))+", chain["rest"]):  # a range
        return chain[0]
    return chr(FIRST_UNCLEAR + (ord(chain[0][0]) & 0xFFFF))
