"""Plain lower-case text of speech that is written in LaTeX, HTML or Markdown."""

from __future__ import annotations

import html
import re
import unicodedata

from aucenv.core.reader.amounts import separate_fractions
from aucenv.core.reader.speech import INVISIBLE

LABELLED = "answer"
"""The label of a line that markup shows to be the answer, as \\boxed{} and <answer> do."""

_ONE_LEVEL = r"\{([^{}]*)\}"
_STYLED = re.compile(
    r"\\(?:text\w*|math(?:rm|bf|it|tt|sf|bb|cal)|emph|operatorname\*?|mbox|hbox|boldsymbol|bm|underline|phantom)\s*"
    + _ONE_LEVEL
)
_BOXED = re.compile(r"\\f?box(?:ed)?\s*\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}")
_LATEX = (
    (re.compile(r"\\([$%&#_{}])"), r"\1"),
    (re.compile(r"\\(?:[,;:> ]|!)|\\q?quad\b|~(?=[$0-9])"), " "),
    (re.compile(r"\\[()\[\]]|\$\$"), " "),
    (re.compile(r"\\\\|\\(?:newline|par)\b|\\(?:begin|end)\s*\{[^{}]*\}"), "\n"),
    (re.compile(r"\\[dtc]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}"), r"\1/\2"),
    (re.compile(r"\\(?:times|cdot)\b"), "x"),
    (re.compile(r"\\(?:approx|sim|simeq)\b"), " about "),
    (re.compile(r"\\(?:le|leq|ge|geq|lt|gt|ne)\b"), " > "),
    (re.compile(r"\\(?:dollar|textdollar)\b"), "$"),
)
_COMMAND = re.compile(r"\\[a-zA-Z]+\*?")

_ANSWER_TAG = re.compile(
    r"<\s*(?:[a-z]+[:_-])?(?:final[_-])?(?P<name>answer|response|output|result|conclusion|decision|action|solution|final|bid"
    r"|amount)\s*>",
    re.IGNORECASE,
)
_OPENED_TWICE = re.compile(r"<(?P<name>bid|answer|action|amount)>(?P<content>[^<>\n]*)<\\?(?P=name)>", re.IGNORECASE)
"""A tag that closes as it opens."""
_STRUCK = re.compile(r"<(del|strike)\b[^<>]{0,100}>[^<>]{0,500}</\1\s*>|~~[^~\n]{1,500}~~", re.IGNORECASE)
_INLINE_TAG = re.compile(
    r"</?(?:b|i|u|em|strong|span|code|font|mark|small|big|sub|sup|a|tt|kbd|s)\b[^<>]{0,200}>", re.I
)
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")

_FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[ \t]*[\w+.-]*[ \t]*$|`{3,}", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\[\]\n]{1,200})\]\([^()\n]{0,300}\)")
_DIRECTION = re.compile(r"(?m)(^[ \t]*|[.!?\"\u201d][ \t]*)\*(?![\s*])([^*\n]{0,200}[ ][^*\n]{0,200})(?<!\s)\*(?!\*)")
_LIST_NUMBER = re.compile(r"(?m)^(?P<before>[ \t#>]{0,20})\(?(?P<number>[0-9]{1,2})[.)]\s+(?=[^\W\d]|[\"'*$\u201c])")
_TIMES = re.compile(r"(?<=[0-9])[ ]?\*[ ]?(?=\$?[0-9])|(?<=[a-zA-Z%])[ ]\*[ ](?=\$?[0-9])")
"""The call of a function, written as text."""
_SPACED = re.compile(r"(?<=\$)([0-9]{1,3}), (?=[0-9]{3}(?!,?[0-9]))")
_UNDERSCORES = re.compile(r"(?<![A-Za-z0-9])_+|_+(?![A-Za-z0-9])")

_CHARACTERS = {
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u300c\u300d\u300e\u300f\u301d\u301e\u2033", '"'),
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc\u02b9\u00b4\u2032\u2039\u203a", "'"),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"),
    **dict.fromkeys("\u2014\u2015", " - "),
    **dict.fromkeys("\u2026\u22ef", "..."),
    **dict.fromkeys("\u3002\u0964\u0965\uff61", ". "),
    **{full: f"{half} " for full, half in zip("\uff0c\u3001\uff1a\uff1b\uff01\uff1f", ",,:;!?", strict=True)},
    **dict.fromkeys("\u00a1\u00bf", " "),
    "\u00d7": "x",
    "\t": " ",
    **{chr(0x966 + digit): str(digit) for digit in range(10)},
}
_TABLE = str.maketrans(_CHARACTERS)
_VERBS = "do does did is are was were would could should have has had must need"
_CONTRACTIONS = {
    **{f"{verb}n{mark}t": f"{verb} not" for verb in _VERBS.split() for mark in ("'", "")},
    **{f"{who}'ll": f"{who} will" for who in ("i", "we", "you", "he", "she", "they", "it", "that", "there")},
    **{f"{who}{mark}ve": f"{who} have" for who in ("i", "we", "you", "they") for mark in ("'", "")},
    **{f"{who}'re": f"{who} are" for who in ("we", "you", "they")},
    **{f"{who}'d": f"{who} would" for who in ("i", "we", "you", "he", "she", "they", "it", "that")},
    **{f"{who}'s": f"{who} is" for who in ("it", "that", "here", "there", "what", "this", "he", "she", "who")},
    "can't": "can not", "cannot": "can not", "cant": "can not", "won't": "will not", "wont": "will not",
    "ain't": "am not", "i'm": "i am", "im": "i am", "i be": "i am", "i'ma": "i will", "imma": "i will",
    "let's": "let us",
    "an'": "and", "outta": "out of", "gonna": "going to", "wanna": "want to", "wll": "will", "wil": "will", "bd": "bid",
    "bidd": "bid", "bdi": "bid", "biddin'": "bidding", "raisin'": "raising", "leavin'": "leaving", "goin'": "going",
    "passin'": "passing", "widthdraw": "withdraw", "withdrow": "withdraw", "withdrawl": "withdraw",
    "widraw": "withdraw",
}  # fmt: skip
"""Short, dialect and mistaken forms, and the words that the patterns of the other modules expect."""
_LABELS = {"bid": "bid", "amount": "amount"}
"""Name of a tag -> the label of its content; other tags of answers have the label LABELLED."""
_CONTRACTED = re.compile(rf"\b(?:{'|'.join(sorted(_CONTRACTIONS, key=len, reverse=True))})(?!\w)")
_ENTITY = re.compile(r"&(?:#[0-9a-zA-Z]{1,9}|[a-zA-Z]{2,31});?")
_QUOTES = re.compile("[\"'][\"' ]*[\"']")
_DASHES = re.compile(r"(?<=[^\s|:-])[ ]?-{2,}[ ]?(?=[^\s|:-])")
_DOTS = re.compile(r"\.{2,}")


def plain(text: str) -> str:
    """Return speech as plain text: lines of lower-case words.

    What markup shows to be the answer begins with the label LABELLED. Contractions are written out ("i'm" becomes
    "i am"), quotation marks become " or ', dashes and three dots " - ".
    """
    text = _ENTITY.sub(lambda entity: INVISIBLE.sub("", html.unescape(entity[0])), text) if "&" in text else text
    text = text.replace("{,}", ",")
    if "\\" in text:
        text = _without_latex(text)
    text = _STRUCK.sub(" ", text) if "~~" in text or "<" in text else text
    if "<" in text:
        text = _OPENED_TWICE.sub(r"<\g<name>>\g<content></\g<name>>", text)
        text = _ANSWER_TAG.sub(lambda tag: f"\n{_LABELS.get(tag['name'].lower(), LABELLED)}: ", text)
        text = re.sub(r"<\s*br\s*/?>|</?(?:p|div|li|tr|h[1-6]|ul|ol|table)\b[^<>]{0,200}>", "\n", text, flags=re.I)
        text = _TAG.sub(" ", _INLINE_TAG.sub("", text))
    text = _without_markdown(text.translate(_TABLE))
    text = unicodedata.normalize("NFKC", separate_fractions(text)).translate(_TABLE).lower()
    text = _CONTRACTED.sub(lambda match: _CONTRACTIONS[match[0]], text)
    if "ill " in text:
        text = re.sub(r"(?m)^ill (?=bid|raise|go|take|pay|offer|pass|fold|leave|drop)", "i will ", text)
    if "would like to" in text:
        text = re.sub(r"\b(i|we) would like to\b", r"\1 want to", text)
    text = _QUOTES.sub(_one_quote, _SPACED.sub(r"\1,", text))
    text = _DASHES.sub(" - ", text)
    return _DOTS.sub(" - ", text).strip()


def _without_latex(text: str) -> str:
    for pattern, words in _LATEX:
        text = pattern.sub(words, text)
    for _ in range(3):
        text = _STYLED.sub(r"\1", text)
    text = _BOXED.sub(lambda box: _boxed(box, text), text)
    text = _COMMAND.sub(" ", text)
    return re.sub(r"\${2,}(?=[0-9])", "$", text)


def _boxed(box: re.Match[str], text: str) -> str:
    """Return the content of a box, under a label unless the words before it make it something else than the answer."""
    before = re.split(r"[.!?]\s|\n", text[max(0, box.start() - 200) : box.start()])[-1]
    is_answer = not re.search("[a-z]", before, re.IGNORECASE) or re.search(
        r"\b(?:answer|choice|decision|action|final|move|bid is)\b", before, re.IGNORECASE
    )
    return f"\n{LABELLED}: {box[1]}\n" if is_answer else f" {box[1]} "


def _without_markdown(text: str) -> str:
    if "`" in text or "~~~" in text:
        text = _FENCE.sub("", text)
        text = re.sub(r"(?<=[a-zA-Z])`(?=[a-zA-Z])", "'", text).replace("`", '"')
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    if "*" in text:
        text = re.sub(r"\*{2,}", "", text)
        text = _DIRECTION.sub(r"\1\n\2\n", text)
        text = _TIMES.sub(" x ", text)
        text = re.sub(r"(?m)^([ \t]*)\*(?=[ \t])", r"\1-", text).replace("*", "")
    text = _without_list_numbers(text)
    if "_" in text:
        text = _UNDERSCORES.sub(lambda m: "" if len(m[0]) < 3 else m[0], text)
    return text


def _without_list_numbers(text: str) -> str:
    """Return the text with "- " for the numbers of lists, which count 1, 2, ... at the beginnings of lines."""
    expected = 1

    def dash(match: re.Match[str]) -> str:
        nonlocal expected
        number = int(match["number"])
        if number not in (1, expected):
            return match[0]
        expected = number + 1
        return f"{match['before']}- "

    return _LIST_NUMBER.sub(dash, text)


def _one_quote(run: re.Match[str]) -> str:
    return '"' if '"' in run[0] else "'"
