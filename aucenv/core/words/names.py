"""Names and descriptions in scenarios: their length and characters, and names that look alike.

A name is printable in the sense of `str.isprintable`, and has no character without a shape. This excludes zero-width
joiners and non-joiners, and thus some emoji and some words of Persian and of Indic scripts.
"""

from __future__ import annotations

import contextlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path
from typing import Any

from aucenv.core.checks import FieldError, excerpt, no_duplicates, nonempty_text
from aucenv.core.words.outside_text import escape_controls, one_line, shorten

MAX_NAME = 60
"""The maximum number of characters of a name."""
MAX_ID = 200
"""The maximum number of characters of the identifier of a game that was recorded elsewhere."""
MAX_DESCRIPTION = 2000
"""The maximum number of characters of a description."""

_MARKS = re.compile(
    "[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\u2800\u115f\u1160]"
)
"""Accents and other marks of no particular script, and characters without a shape."""
_SIMILAR = {
    "A": "\u0391\u0410", "a": "\u03b1\u0430\u0251", "B": "\u0392\u0412", "b": "\u042c\u044c\u0432", "C": "\u0421\u03f9",
    "c": "\u0441\u03f2", "d": "\u0501\u0111", "D": "\u0110", "E": "\u0395\u0415", "e": "\u0435\u03b5\u0454",
    "F": "\u03dc", "g": "\u0261", "G": "\u050c", "H": "\u0397\u041d", "h": "\u04bb\u043d",
    "I": "\u0399\u0406\u04c0", "i": "\u03b9\u0456\u0131", "J": "\u0408", "j": "\u0458\u03f3", "K": "\u039a\u041a",
    "k": "\u03ba\u043a", "l": "\u04cf\u01c0\u0142", "L": "\u0141", "M": "\u039c\u041c", "m": "\u043c", "N": "\u039d",
    "n": "\u03b7\u043f\u0578", "O": "0\u039f\u041e\u0555\u00d8", "o": "\u03bf\u043e\u0585\u03c3\u00f8",
    "P": "\u03a1\u0420", "p": "\u03c1\u0440", "Q": "\u051a", "q": "\u051b", "r": "\u0433", "S": "\u0405\u054f",
    "s": "\u0455", "T": "\u03a4\u0422", "t": "\u03c4\u0442", "U": "\u054d", "u": "\u03c5\u057d", "V": "\u0474",
    "v": "\u03bd\u0475", "W": "\u051c", "w": "\u051d\u03c9", "X": "\u03a7\u0425", "x": "\u03c7\u0445",
    "Y": "\u03a5\u0423\u04ae", "y": "\u0443\u03b3\u04af", "Z": "\u0396", "3": "\u0417\u0437",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "'": "\u2018\u2019\u02bc`",
}  # fmt: skip
"""Latin letters, a digit and signs, and the Greek, Cyrillic, Armenian and other characters that look like them."""
_TO_LATIN = str.maketrans({other: latin for latin, others in _SIMILAR.items() for other in others})
_STROKES = "Il1|"
_FOLDED_STROKES = str.maketrans(dict.fromkeys("i1|", "l"))
_MAX_COMPARED = 100
"""The maximum number of names to which a name is compared one by one; no scenario has as many bidders."""

_of_records: ContextVar[bool] = ContextVar("names_of_records", default=False)


@contextlib.contextmanager
def names_of_records() -> Iterator[None]:
    """Accept, inside this context, all names and descriptions that records of earlier versions may have."""
    token = _of_records.set(True)
    try:
        yield
    finally:
        _of_records.reset(token)


def are_of_records() -> bool:
    """Return whether names are read inside `names_of_records`, so that their game has been played."""
    return _of_records.get()


@lru_cache(maxsize=8192)
def _shapes(name: str) -> tuple[str, str]:
    """Return a name without case, marks and unusual spaces, and the name in Latin letters without marks."""
    shapes = name if name.isascii() else _MARKS.sub("", unicodedata.normalize("NFKD", name))
    shapes = " ".join(shapes.split())
    return shapes.casefold(), shapes.translate(_TO_LATIN)


def alike(name: str, other: str) -> bool:
    """Return whether two names differ at most in case, accents, spaces and characters that look alike.

    "Item I" and "Item l" are alike, and so are "Item l" and "Item L", but "Item I" and "Item L" are not.
    """
    (folded, latin), (other_folded, other_latin) = _shapes(name), _shapes(other)
    if folded == other_folded:
        return True
    return len(latin) == len(other_latin) and all(
        a == b or a.casefold() == b.casefold() or (a in _STROKES and b in _STROKES)
        for a, b in zip(latin, other_latin, strict=True)
    )


class DistinctNames:
    """Names of which no two may be alike."""

    def __init__(self) -> None:
        self._candidates: dict[str, list[str]] = {}  # by a text that is the same for all names that may be alike

    def add(self, place: str, name: str) -> None:
        """Add a name that `checked_name` accepts.

        Raises:
            FieldError: It is like an earlier one; the message names `place` and both.
        """
        folded, latin = _shapes(name)
        for key in (f"case {folded}", f"shape {latin.casefold().translate(_FOLDED_STROKES)}"):
            candidates = self._candidates.setdefault(key, [])
            for other in candidates[:_MAX_COMPARED]:
                if alike(name, other):
                    raise FieldError(place, _unlike(name, other))
            candidates.append(name)


def _unlike(name: str, other: str) -> str:
    if name == other:
        return f"expected a unique name, got {excerpt(name)} again"
    code = "" if name.isascii() else f" ({name!a})"
    differs = f"differs from {other!r} in more than case, accents, spaces and look-alikes"
    return f"expected a name that {differs}, got {name!r}{code}"


def check_distinct(where: str, field: str, names: Sequence[str], equal_in_records: bool = False) -> None:
    """Raise if two names are alike; in records of earlier versions, if two are equal.

    Args:
        where: The object that has the names, for the message.
        field: The field of the objects that are named, such as "bidders".
        names: The names.
        equal_in_records: Whether they may be equal in such records.

    Raises:
        ValueError: Two names are alike.
    """
    if _of_records.get():
        if not equal_in_records:
            no_duplicates(f"{where}, names of {field}", list(names))
        return
    distinct = DistinctNames()
    for number, name in enumerate(names):
        distinct.add(f"{where}, {field}[{number}].name", name)


def checked_name(place: str, value: Any, most: int = MAX_NAME) -> str:
    """Return `value` if it is a name: one printable line of at most `most` characters.

    Raises:
        FieldError: It is not.
    """
    if _of_records.get() or not isinstance(value, str):
        return nonempty_text(place, value)
    _check_length(place, value, most)
    nonempty_text(place, value)
    if not value.isprintable() or one_line(value) != value:
        number = next(j for j, sign in enumerate(value) if not sign.isprintable() or one_line(sign) != sign)
        _refuse_character(place, "only printable characters", value, number)
    if not _shapes(value)[0]:
        raise FieldError(place, f"expected some text, got {value!a}, which has no shape")
    return value


def checked_bidder_name(place: str, value: Any) -> str:
    """Return `value` if it is a name and not like "you", which texts use for their reader.

    Raises:
        FieldError: It is not.
    """
    name = checked_name(place, value)
    if not _of_records.get() and alike(name, "you"):
        raise FieldError(place, f"expected a name other than 'you', which texts use for their reader, got {name!r}")
    return name


def checked_description(place: str, value: Any) -> str:
    """Return `value` if it is a text of at most `MAX_DESCRIPTION` characters, none of them invisible.

    It may have newlines and tabs.

    Raises:
        FieldError: It is not.
    """
    if _of_records.get() or not isinstance(value, str):
        return nonempty_text(place, value)
    _check_length(place, value, MAX_DESCRIPTION)
    if escape_controls(value) != value:
        number = next(j for j, sign in enumerate(value) if escape_controls(sign) != sign)
        _refuse_character(place, "no invisible characters besides newlines and tabs", value, number)
    return nonempty_text(place, value)


def scenario_name(*paths: str) -> str:
    """Return the name of a scenario that is read from these files: their paths, or a shorter text if these are long.

    Identifiers of games that were recorded elsewhere are often paths, too.
    """
    full = ",".join(paths)
    if len(full) <= MAX_NAME and full.isprintable() and one_line(full) == full:
        return full
    short = shorten(",".join(Path(path).name for path in paths), MAX_NAME)
    return "".join(sign if sign.isprintable() else "?" for sign in short)


def _check_length(place: str, value: str, most: int) -> None:
    if len(value) > most:
        raise FieldError(
            place, f"expected at most {most:,} characters, got {len(value):,}: {one_line(excerpt(value[: 2 * most]))}"
        )


def _refuse_character(place: str, expected: str, value: str, number: int) -> None:
    raise FieldError(place, f"expected {expected}, got {value[number]!a} as character {number + 1}")
