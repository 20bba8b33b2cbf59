"""Acts in Chinese, Spanish, Hindi and Russian, in plain text with marked amounts."""

from __future__ import annotations

import functools
import re
import tomllib
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from importlib import resources
from typing import Any, NamedTuple

from aucenv.core.reader.amounts import FIRST_UNCLEAR, A, U

BID, LEAVE, STAY, TAKE, WAIT = "bid", "leave", "stay", "take", "wait"


class ForeignAct(NamedTuple):
    """An act in a sentence.

    Attributes:
        kind: BID, LEAVE, STAY, TAKE or WAIT.
        start, end: where its words stand.
        amount: the character of its amount: of the bid, or of the price at which to act; "" without one.
    """

    kind: str
    start: int
    end: int
    amount: str


class Language:
    """The patterns of a language.

    Args:
        words: the lists of its words in `data/languages.toml`, which describes them.
    """

    def __init__(self, words: Mapping[str, Any]) -> None:
        self.used = _compile(words["used"])
        self._breaks = _compile([*words["breaks"], "[,(;:]", r"\s-\s"])
        self._condition, self._void, self._no = (_compile(words[key]) for key in ("condition", "void", "no"))
        after = [rf"{{amount}}\s*{_one_of(words['after'])}"] if "after" in words else []
        self._price = _compile([rf"{_one_of(words['at'])}\s*{{amount}}", *after])
        acts = {kind: words["start"] + _one_of(words[kind]) for kind in (LEAVE, STAY, TAKE, WAIT)}
        bids = "|".join(words["bid"]).replace("{start}", words["start"]).replace("{verbs}", _one_of(words["verbs"]))
        self._acts = {kind: _compile([pattern]) for kind, pattern in {BID: bids, **acts}.items()}

    def read(self, sentence: str, kinds: Collection[str]) -> Iterator[ForeignAct]:
        """Return the acts of these kinds that a sentence states."""
        is_conditional, at = False, 0
        breaks = [*self._breaks.finditer(sentence), None]
        for gap in breaks:
            end = gap.start() if gap else len(sentence)
            clause = sentence[at:end]
            begins = at
            at = gap.end() if gap else end
            if self._condition.search(clause):
                is_conditional = True
                continue
            if not clause.strip():
                continue
            if is_conditional or self._void.search(clause):
                is_conditional = False
                continue
            for kind, pattern in self._acts.items():
                match = pattern.search(clause) if kind in kinds else None
                if match and not self._no.search(f"{clause[: match.start()]} {clause[match.end() :]}"):
                    amounts = match if kind == BID else self._price.search(clause)
                    amount = next(filter(None, amounts.groups()), "") if amounts else ""
                    at_amount = clause.find(amount) if amount else 0
                    if amount and (_ALTERNATIVE.match(clause, at_amount + 1) or _OTHER.search(clause[:at_amount])):
                        amount = FIRST_UNCLEAR_CHARACTER
                    yield ForeignAct(kind, begins + match.start(), begins + match.end(), amount)


def _one_of(words: Sequence[str]) -> str:
    return f"(?:{'|'.join(words)})"


def _compile(words: Sequence[str]) -> re.Pattern[str]:
    pattern = normalized("|".join(words)).replace("{amount}", f"({A}|{U})").replace("{any}", f"(?:{A}|{U})")
    return re.compile(pattern.replace("\n", "").replace(" ", r"\s+"))


def normalized(text: str) -> str:
    """Return a text with one form for each Hindi word: without dots below, and with one sign for nasal vowels."""
    return unicodedata.normalize("NFKC", text).replace("\u093c", "").replace("\u0901", "\u0902").replace("ё", "е")


_ALTERNATIVE = re.compile(rf"\s*(?:到|至|-|~|a|o|до|или|или|से|या)\s*(?:{A}|{U})")
_OTHER = re.compile(rf"(?:{A}|{U})\s*(?:到|至|-|~|a|o|до|или|или|से|या)\s*$")
FIRST_UNCLEAR_CHARACTER = chr(FIRST_UNCLEAR)


@functools.lru_cache
def languages() -> Mapping[str, Language]:
    """Return the languages by name."""
    text = (resources.files("aucenv.core.reader") / "data" / "languages.toml").read_text(encoding="utf-8")
    return {name: Language(words) for name, words in tomllib.loads(text).items()}


def foreign_acts(sentence: str, kinds: Collection[str]) -> list[ForeignAct]:
    """Return the acts of these kinds that a sentence in another language than English states, in order."""
    text = normalized(sentence) if not sentence.isascii() else sentence
    if text.rstrip(" \"')").endswith("?"):
        return []
    return sorted(
        (act for language in languages().values() if language.used.search(text) for act in language.read(text, kinds)),
        key=lambda act: act.start,
    )
