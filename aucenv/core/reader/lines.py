"""Lines of plain speech: whose words they are, the labels that they stand under, and quotations."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from aucenv.core.reader.amounts import PRIVATE
from aucenv.core.reader.markup import LABELLED
from aucenv.core.reader.speech import END_OF_TURN

DECISION, ASIDE, FIGURE = "decision", "aside", "figure"


class Line(NamedTuple):
    """A line of speech.

    Attributes:
        text: its words, without its list mark and label, and without quotations of others.
        label: what its label, or the heading above it, announces: a DECISION ("My bid:"), something that stands
            ASIDE of it (thoughts, options, earlier rounds), or a FIGURE ("Estimate:"); "" without a label.
        name: the words of the label.
        speaker: "own", "other" for somebody else's words, "quoted" in a block quotation, "end" where the turn ends.
        in_list: whether it is an item of a list.
        is_last: whether no further words follow.
    """

    text: str
    label: str = ""
    name: str = ""
    speaker: str = "own"
    in_list: bool = False
    is_last: bool = False


_DECISION_LABEL = re.compile(
    rf"""(?:(?:so|and|thus|therefore|hence|now|here\s+is)\s+)*
    (?:(?:my|the|your|our|final|new|next|opening|official|formal|actual|chosen|auction|bidding|sealed|today's)\s+
      |current\s+(?=decision|action))*
    (?:bid|raise|offer|decision|action|answer|response|reply|move|choice|verdict|amount|{LABELLED})
    (?:\s+(?:amount|price|input|value|now|here|today|decision|is|(?:for|on|in|at)\s+(?:this|the\s+current|day)\s+\w+
      |for\s+today|placed))*
    (?:\s*\([^()]*\))? | conclusion | final | (?:bid|offer)\s+amount\s+in\s+\w+
    | (?:我的|最终|我)*(?:出价|决定|报价|回答|答案|决策|选择|行动)
    | (?:(?:मेरी|मेरा|अंतिम)\s+)*(?:बोली|निर्णय|उत्तर|फ़ैसला|फैसला|जवाब)(?:\s+है)?
    | (?:(?:mi|la|el)\s+)?(?:puja|oferta|decisi[oó]n|respuesta|acci[oó]n|apuesta)(?:\s+final)?(?:\s+es)?
    | (?:(?:моя|мой|мое|моё|итогов\w+|окончательн\w+|финальн\w+)\s+)*
      (?:ставка|решение|ответ|действие|предложение|выбор)""",
    re.VERBOSE,
)
_ASIDE_LABEL = re.compile(
    r"""(?:here\s+(?:is|are)\s+)?(?:(?:an?|my|the|possible|available|your|current|other|previous|earlier|past|last|some|inner|correct|required|expected|right|proper)\s+)*
    (?:options?|choices|alternatives|possibilities|actions|answers|scenarios?|cases?|thoughts?|thinking|plans?|strategy
      |history|recap|examples?|e\.?g\.?|for\s+example|format|schema|template|rules?|pros|cons|notes?|round|day|earlier
      |last\s+round|so\s+far|next\s+(?:round|item|time|lot)|if|else|elif|otherwise|either|reasons?\s+(?:to|for|against)|bids|what\s+if|when)
    \b[^.!?]*""",
    re.VERBOSE,
)
_FIGURE_WORDS = re.compile(
    r"""\b(?:price|estimates?|estimated|value|values|valuation|budget|limit|profit|margin|surplus|item|lot|increment|step|reserve
    |signal|worth|balance|health|supply|status|reason|reasons|reasoning|analysis|summary|situation|goal|context|risk|least
    |minimum|maximum|max|min|starting|highest|lowest|current|standing|expected|total|remaining|cost|difference|range|priority
    |confidence|explanation|justification|calculation|math|factors?|considerations?|assessment|evaluation|background|info
    |information|data|left|spent|won|position|leader|bid|bids|key|fact|rivals?|surplus|gain|loss|name|date|time|turn)\b""",
    re.VERBOSE,
)
_SOMEBODY_WORDS = """auctioneer host moderator system user human seller environment opponent opponents rival
    observation question instruction instructions prompt narrator somebody everyone others crowd"""
_SOMEBODY = frozenset(_SOMEBODY_WORDS.split())
_SAID = re.compile(
    r"\b(?:said|says|told|shouted|shouts|replied|answered|asked|announced|whispered|yelled|dijo|dice|grit[oó])\b|сказал|говорит|(?<!我)说$|कहा$"
)
_NO_LABEL = re.compile(
    r"[,.!?]|\bi\b|^(?:so|therefore|let|above|over|beyond|past|below|under|at)\b"
    rf"|^(?:bid|raise|withdraw|leave|pass|fold|drop|stay|take|wait)\b\s*(?:[{PRIVATE}]|to\b|from\b|out\b|at\b|it\b|now\b|in\b|$)"
)
_ROLES = frozenset(("system", "user", "human", "instruction", "instructions", "prompt"))
_TITLE = re.compile(r"(?:(?:the|bidder|player|agent|rival|opponent|and|mr|mrs|ms)\b[\s.#]*)+")
_SAYING = re.compile(
    r"(?:'s?\b.*|\s*[(\[].*|\s+(?:just\s+|then\s+|has\s+)?(?:said|says|told|tells|replied|replies|answers?|answered|responds|responded|shouts?|shouted|yells?"
    r"|yelled|mutters?|muttered|murmurs?|murmured|asks?|asked|thinks|thought|whispers?|whispered|announces?|announced|declares?|declared|cries|cried|bids?|calls?|called|and|or)\b.*)?"
)
_ME = frozenset(("assistant", "me", "myself", "model", "ai", "i"))
_LABEL = re.compile(
    r"\W{0,6}(?P<name>[^\W\d_][^:=\n]{0,60}?)\s*(?::+|=+|->|\u2192|\u21d2|\s-\s)\s*(?P<rest>.*)", re.DOTALL
)
_LIST_MARK = re.compile(
    "\\s*(?:(?:[-+\u2022\u25e6\u2023\u25aa\u25cf\u2219\u00b7]|\\(?[a-f1-9][.)]|\\[[ x]?\\])(?=\\s)"
    "|[\u2190-\u21ff\u2300-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]+(?=\\s))\\s*"
)
_HEADING = re.compile(r"\s*#{1,6}\s+")
_RULE = re.compile(r"[-=_*~\s]{3,}")


class Lines:
    """The lines of a plain text with marked amounts.

    Args:
        names: the rivals' names as plain text.
    """

    def __init__(self, names: Collection[str]) -> None:
        self._names = frozenset(names)
        self._under = ""  # the label that a heading gives to what follows
        self._name = ""
        self._lists_only = False  # whether the heading concerns only the items of a list below it
        self._in_list_under = False  # whether an item of a list has followed the heading
        self._speaker = "own"  # that of the following lines
        self._is_role = False  # whether the speaker speaks until another one does

    def read(self, text: str) -> list[Line]:
        """Return the lines that are not blank."""
        lines = [line for row in rows(text, self._names) for line in self._line(row)]
        if lines and lines[-1].speaker == "quoted" and self._concludes(lines):
            lines[-1] = lines[-1]._replace(speaker="own")
        for i in reversed(range(len(lines))):
            if lines[i].speaker == "own" and re.search(rf"\w|[{PRIVATE}]", lines[i].text):
                lines[i] = lines[i]._replace(is_last=True)
                break
        return lines

    def _concludes(self, lines: list[Line]) -> bool:
        """Return whether a block quotation at the end of a reply is the bidder's decision, not a quotation."""
        before = lines[-2].text if len(lines) > 1 and lines[-2].speaker == "own" else ""
        return bool(before) and not _SAID.search(before) and not any(name in before for name in self._names)

    def _line(self, row: str) -> Iterator[Line]:
        if row.strip() == END_OF_TURN:
            self._under, self._speaker = "", "own"
            yield Line("", speaker="end")
            return
        if not row.strip() or _RULE.fullmatch(row):
            return
        text, in_list = row, False
        heading = _HEADING.match(text)
        text = text[heading.end() :] if heading else text
        mark = _LIST_MARK.match(text)
        if mark:
            text, in_list = text[mark.end() :], ord(mark[0].strip()[0]) < 0x2190  # other marks are emoji
        quoted = text.lstrip().startswith(">")
        self._lists_only = self._lists_only and bool(self._under)
        label, name, rest, speaker = self._label(text.strip(), bool(heading))
        if speaker is None:
            speaker = self._speaker
            self._speaker = speaker if self._is_role else "own"
        if name and not rest.strip(" \"'"):  # a heading
            self._under, self._name, self._in_list_under = label, name, False
            if speaker == "other":
                yield Line("", label, name, speaker)
            return
        if not name and self._under:
            label, name = self._inherit(in_list)
        elif name:
            self._under = ""
        speaker = "quoted" if quoted and speaker == "own" else speaker
        yield Line(without_quotations(rest.lstrip("> "), self._names), label, name, speaker, in_list)

    def _inherit(self, in_list: bool) -> tuple[str, str]:
        """Return the label and name that a heading gives to a line without a label."""
        label, name = self._under, self._name
        if (self._in_list_under or self._lists_only) and not in_list:
            self._under = ""
            return "", ""
        if in_list and label != DECISION:
            self._in_list_under = True
        else:
            self._under = ""
        return label, name

    def _label(self, text: str, is_heading: bool) -> tuple[str, str, str, str | None]:
        """Return the label of a line, the label's words, the rest of the line, and the speaker that it names."""
        match = _LABEL.match(text)
        if match is None:
            bare = text.strip(" \"'.!")
            if _DECISION_LABEL.fullmatch(bare) and (is_heading or bare in ("final answer", "final decision")):
                return DECISION, bare, "", None
            if is_heading and _ASIDE_LABEL.fullmatch(bare):
                self._lists_only = True
                return ASIDE, bare, "", None
            return "", "", text, None
        name, rest = match["name"].strip(" \"'").replace("_", " "), match["rest"]
        words = frozenset(re.findall(r"\w+", name))
        if self._is_somebody(name):
            self._speaker, self._is_role = ("own" if rest else "other"), bool(words & _ROLES)
            self._speaker = "other" if self._is_role else self._speaker
            return "", name, rest, "other"
        if _SAID.search(name) and not re.search(r'[!?".,]', name):
            return ("", "", text, None) if '"' in rest else ("", name, rest, "other")
        if match[0].find(" - ", 0, match.start("rest")) >= 0 and not _DECISION_LABEL.fullmatch(name):
            return "", "", text, None  # a dash, not a label
        if _DECISION_LABEL.fullmatch(name):
            if any(rival in re.findall(r"\w+", name) for rival in self._names):
                return "", name, rest, "other"
            return DECISION, name, rest, self._bidder_speaks()
        if _ASIDE_LABEL.fullmatch(name):
            return ASIDE, name, rest, None
        if len(name.split()) > 4 or _NO_LABEL.search(name):
            return "", "", text, None
        if _FIGURE_WORDS.search(name):
            return FIGURE, name, rest, None
        if len(name.split()) <= 2 and not self._is_role:
            return "", name, rest, self._bidder_speaks()
        return FIGURE, name, rest, None if not words & _ME else self._bidder_speaks()

    def _is_somebody(self, name: str) -> bool:
        """Return whether a label names somebody else as the speaker."""
        rest = _TITLE.sub("", name)
        for somebody in (*self._names, *_SOMEBODY):
            if somebody and rest.startswith(somebody) and _SAYING.fullmatch(rest, len(somebody)):
                return True
        return False

    def _bidder_speaks(self) -> str:
        self._speaker, self._is_role = "own", False
        return "own"


_ROW = re.compile(r"\s*\|(.+)\|\s*")
_SEPARATOR = re.compile(r"[\s|:-]+")


def rows(text: str, names: Collection[str]) -> Iterator[str]:
    """Return the lines of a text, with tables turned into lines "name: value".

    A table of more than two columns with several rows compares something and is left out, as is a rival's row.

    Args:
        names: the rivals' names as plain text.
    """
    table: list[list[str]] = []
    for line in (*text.split("\n"), ""):
        row = _ROW.fullmatch(line)
        if row:
            if not _SEPARATOR.fullmatch(line):
                table.append([cell.strip() for cell in row[1].split("|")])
            continue
        if table:
            yield from _table_lines(table, names)
            table = []
        yield line


def _table_lines(table: list[list[str]], names: Collection[str]) -> Iterator[str]:
    header, *body = table
    if len(body) == 1 and any(cell in names for cell in body[0]):
        return
    if not body:
        yield from [" ".join(header)] if len(header) == 1 else [": ".join(header)] if len(header) == 2 else []
    elif len(body) == 1 and len(header) == len(body[0]) and any(_DECISION_LABEL.fullmatch(cell) for cell in header):
        yield from (f"{name}: {value}" for name, value in zip(header, body[0], strict=True))
    elif all(len(row) == 2 for row in table):
        yield from (f"{name}: {value}" for name, value in body)


QUOTED = "\ue8fe"
"""The character that stands for the words of somebody else."""

_DOUBLE = re.compile(r'"([^"]*)"')
_SINGLE = re.compile(r"(?<!\w)'([^']*)'(?!\w)")
_BIDDER_SAYS = re.compile(
    r"""(?: [:=(\[] | \b(?:i|and|then) (?:\s+(?:will|now|hereby|then|must|just|simply|loudly|calmly|\w+ly))*
      \s+ (?:say|shout|declare|announce|reply|answer|respond|call|call\s+out|state|yell|cry)
      | \bmy\s+(?:\w+\s+){0,2}(?:reply|answer|response|decision|bid|statement|word)\s+(?:is|will\s+be|remains)
      | \b(?:bid|offer|raise\s+to|bidding|go\s+to) ) \s*,?\s* $""",
    re.VERBOSE,
)
_OTHERS = re.compile(
    r"""\b(?:said|says|saying|shouts?|shouted|told|tells?|asks?|asked|whispers?|whispered|replied|replies|answered|announced
    |called|calls|words|quote|they|he|she|you|everyone|somebody|someone|people|auctioneer|instructions?|prompt|rules?|never|not
    |if|when|whether|would|could|should|might|may|can|either|or|with|by|like|such\s+as|format|example|last|earlier|previous
    |before|used|expects?|wants?|hear|heard|read|writes?|wrote|typed?|phrase|means?|meaning|use|using|output|must)\b
    |(?<!我)说|喊|сказал|говорит|кричит|dijo|dice|grita|कहा|बोला|बोली\s*$|कहते|कहता|कहती""",
    re.VERBOSE,
)
_ATTRIBUTED = re.compile(
    r"""\W*(?:(?:is|was|were|are)\b|(?:those|these|that)\s+(?:was|were|are|is)\b|(?:he|she|they|someone|somebody|everyone)\b
    |(?:said|says|shouts|shouted|means|would|could|or|to\s+(?:bid|withdraw|stay|leave|pass|raise|drop|exit|quit|wait|take))\b)""",
    re.VERBOSE,
)
_SENTENCE_END = re.compile(r"[.!?;]\s|\n")


def without_quotations(line: str, names: Collection[str]) -> str:
    """Return a line with QUOTED for the words of others, and without quotation marks around the bidder's own words.

    Args:
        names: the rivals' names as plain text.
    """
    for pattern, mark in ((_DOUBLE, '"'), (_SINGLE, "'")):
        if mark in line:
            line = _resolve(line, pattern, names)
    return line.replace('"', " ")


def _resolve(line: str, pattern: re.Pattern[str], names: Collection[str]) -> str:
    spans = list(pattern.finditer(line))
    if not spans:
        return line
    outside = pattern.sub(" ", line)
    if not re.search(rf"[\w{PRIVATE}]", outside):
        return " ".join(span[1] for span in spans)
    pieces, at = [], 0
    for i, span in enumerate(spans):
        before = line[at : span.start()]
        after = line[span.end() : spans[i + 1].start() if i + 1 < len(spans) else len(line)]
        pieces += [before, f" {span[1]} " if _is_bidders(before, after, i == 0, names) else QUOTED]
        at = span.end()
    return "".join(pieces) + line[at:]


def _is_bidders(before: str, after: str, is_first: bool, names: Collection[str]) -> bool:
    """Return whether the text around a quotation shows the bidder's own words."""
    ends = list(_SENTENCE_END.finditer(before))
    clause = before[ends[-1].end() :] if ends else before
    starts_sentence = not clause.strip(" -([") and (is_first or bool(ends))
    if starts_sentence:
        return not _ATTRIBUTED.match(after) and not _names_somebody(after[:40], names)
    clause = (
        re.split(r"\b(?:so|but)\b|[,;]\s|:\s(?!\s*$)", clause.rstrip(" ,:"))[-1] + clause[len(clause.rstrip(" ,:")) :]
    )
    if not _BIDDER_SAYS.search(clause) or _names_somebody(clause, names):
        return False
    stem = re.sub(r"\bi\s+(?:\w+\s+){0,2}(?:say|answer|call)\W*$", "", clause)
    return not _OTHERS.search(stem)


def _names_somebody(text: str, names: Collection[str]) -> bool:
    return any(name and name in text for name in names)
