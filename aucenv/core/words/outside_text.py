"""Text from outside, such as errors of endpoints and replies of models: escaping of invisible characters, and masking
of secrets.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_INVISIBLE = (
    "\0-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Control and format characters, zero-width characters, surrogates and separators of lines, as part of a pattern; not
tab and newline."""
_CONTROLS = re.compile(f"[{_INVISIBLE}]")
_CONTROLS_AND_BREAKS = re.compile(f"[{_INVISIBLE}\t\n]")
MASK = "***"
"""The text that replaces a secret."""
MIN_SECRET_LENGTH = 8
"""The least number of characters of a secret that is masked. A shorter key is a placeholder, not a secret."""
_BETWEEN = rf"(?:[{_INVISIBLE}\s\ufffd]|\\[nrt]|\\u[0-9a-fA-F]{{4}})*"
"""Pattern of what may split a secret."""


def escape_controls(text: str) -> str:
    """Return a text with invisible characters escaped, so that they cannot affect a terminal or mislead a reader.

    These are control, format and zero-width characters, such as those that move the cursor, hide text or reverse its
    direction. Tabs and newlines remain.
    """
    return _CONTROLS.sub(lambda match: ascii(match[0])[1:-1], text)


def one_line(text: str) -> str:
    """Return a text as one line: with invisible characters, tabs and newlines escaped."""
    return _CONTROLS_AND_BREAKS.sub(lambda match: ascii(match[0])[1:-1], text)


def shorten(text: str, most: int) -> str:
    """Return a text as one line of at most this many characters, with `...` at its end if it is cut."""
    line = one_line(" ".join(text[: 4 * most].split()))
    return line if len(line) <= most and len(text) <= 4 * most else f"{line[: most - 3]}..."


LONG_WORD = 300
"""The length up to which an error prints a word in full."""


def with_short_words(text: str) -> str:
    """Return a text in which a word of more than LONG_WORD characters is cut to its first 80, with `...` at its end."""
    return re.sub(rf"\S{{{LONG_WORD + 1},}}", lambda match: f"{match[0][:80]}...", text)


class Secrets:
    """Secrets, such as keys, that must not appear in any output or file.

    Args:
        values: The secrets; those that are shorter than `MIN_SECRET_LENGTH` are not masked.
    """

    def __init__(self, values: Iterable[str]) -> None:
        self._values = [value for value in values if len(value) >= MIN_SECRET_LENGTH]
        self._starts = [
            re.compile(_BETWEEN.join(map(re.escape, value[:MIN_SECRET_LENGTH])), re.IGNORECASE)
            for value in self._values
        ]

    def mask(self, text: str) -> str:
        """Return a text with every secret masked, in any case, also one that is split or cut off at its end.

        A beginning of a secret of at least `MIN_SECRET_LENGTH` characters is masked too.
        """
        for value, start in zip(self._values, self._starts, strict=True):
            position, parts = 0, []
            while match := start.search(text, position):
                parts += [text[position : match.start()], MASK]
                position = _end_of(value, text, match.end())
            text = "".join([*parts, text[position:]])
        return text


_GAP = re.compile(_BETWEEN)


def _end_of(secret: str, text: str, position: int) -> int:
    """Return the end of a secret in a text whose first characters end at `position`."""
    for character in secret[MIN_SECRET_LENGTH:]:
        gap = _GAP.match(text, position)
        following = gap.end() if gap else position
        if text[following : following + 1].lower() != character.lower():
            break
        position = following + 1
    return position
