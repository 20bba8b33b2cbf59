"""Read replies in the public logs of three projects, and compare the readings with those of their programs.

Sources: the logs of Alympics (github.com/microsoft/Alympics, `exp/WAC/records.zip`, unpacked), of Synthetic Labs
(github.com/KeHang-Zhu/llm-auction, `experiment_logs/V10`), and of github.com/zizhezhao4-c/llm-auction-experiment
(`data/bids.csv`). Run `python -m aucenv.benchmarks.replies FOLDER ...` with folders that hold them.
"""

from __future__ import annotations

import csv
import itertools
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from aucenv.baselines.llm.agents.published_plan_bid_reflect import ANSWER, last_match, tagged
from rich.console import Console
from rich.table import Table

from aucenv.core.reader.refusals import Unreadable
from aucenv.core.state import WITHDRAW
from aucenv.core.words.reply import read
from aucenv.envs.ebay.reply import HOLD, read_maximum


class Case(NamedTuple):
    """A reply of a log.

    Attributes:
        kind: what was asked, in which project.
        reply: the reply.
        theirs: the decision that the project's program has read, in cents or as WITHDRAW or HOLD; None if it has none.
        names: the rivals' names.
        has_fraction: whether the program has read fractions of a cent.
    """

    kind: str
    reply: str
    theirs: int | None
    names: tuple[str, ...] = ()
    has_fraction: bool = False


RESIDENTS = {"A": "Alex", "B": "Bob", "C": "Cindy", "D": "David", "E": "Eric"}
BIDDERS = ("Bidder Andy", "Bidder Betty", "Bidder Charles")
"""The bidders of Synthetic Labs' eBay auctions and clocks."""


def cases(folder: Path) -> Iterator[Case]:
    """Yield the replies of all logs below a folder, each once."""
    kept: set[tuple[str, str]] = set()
    for file in sorted(path for path in folder.rglob("*") if path.suffix in (".json", ".jsonl", ".csv")):
        reader = next((read for pattern, read in READERS.items() if file.match(pattern)), None)
        for case in reader(file) if reader else ():
            if (case.kind, case.reply) not in kept:
                kept.add((case.kind, case.reply))
                yield case


def _alympics(file: Path) -> Iterator[Case]:
    """Yield the replies of a game of Alympics; the next message announces all bids."""
    for seat, messages in json.loads(file.read_text(encoding="utf-8")).items():
        for reply, after in itertools.pairwise(messages):
            name = RESIDENTS[seat]
            bid = re.search(rf"{name} bid (-?[0-9.]+)", after["content"])
            if reply["role"] == "assistant" and bid:
                rivals = tuple(other for other in RESIDENTS.values() if other != name)
                yield Case("free text, Alympics", reply["content"], _cents(bid[1].rstrip(".")), rivals)


def _labs(file: Path) -> Iterator[Case]:
    """Yield the replies of a file with the calls of Synthetic Labs' program."""
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        for call in json.loads(line).values():
            reply = json.loads(call["output"])["choices"][0]["message"]["content"] or ""
            kind = next((kind for kind, asked in ASKED.items() if asked in call["user_prompt"]), None)
            if kind is not None:
                yield Case(kind, reply, THEIRS[kind](reply), BIDDERS)


EBAY, TICK, TAG, NUMBER = "BID or HOLD between tags", "yes or no between tags", "<BID>74<BID>", "a number, then reasons"
ASKED = {
    EBAY: "<AMOUNT> if BID",
    TICK: "<ACTION> Yes or No",
    TAG: "<BID> Give your response",
    NUMBER: "How much would you like to bid",
}
"""Form of a reply -> words of the prompt of Synthetic Labs' program that asks for it."""


def _closed(tag: str, content: str) -> str:
    """Return the pattern of a tag that may close as it opens."""
    return rf"<{tag}>\s*({content})\s*(?:</{tag}>|<\\{tag}>|<{tag}>)"


def _ebay(reply: str) -> int | None:
    text = reply.lower()
    action, amount = re.search(_closed("action", "bid|hold"), text), re.search(_closed("amount", r"[0-9.]+"), text)
    if action is None or action[1] == "hold":
        return action and HOLD
    return amount and _cents(amount[1])


def _tick(reply: str) -> int | None:
    action = re.search(_closed("action", "yes|no"), reply.lower())
    return action and int(action[1] == "yes")


def _tag(reply: str) -> int | None:
    bid = re.search(r"<BID>\s*\$?([0-9.]+)\s*(?:<|$)", reply, re.IGNORECASE)
    return bid and _cents(bid[1])


def _number(reply: str) -> int | None:
    bid = re.match(r"\s*\$?([0-9]+(?:\.[0-9]+)?)", reply)
    return bid and _cents(bid[1])


THEIRS: dict[str, Callable[[str], int | None]] = {EBAY: _ebay, TICK: _tick, TAG: _tag, NUMBER: _number}


def _one_object(file: Path) -> Iterator[Case]:
    """Yield the replies of a table of bids, which are JSON objects."""
    with file.open(encoding="utf-8", newline="") as text:
        for row in csv.DictReader(text):
            bid = re.fullmatch(r"-?[0-9]+(?:\.([0-9]+))?", row["parsed_bid"])
            theirs = _cents(bid[0]) if bid else None
            has_fraction = bid is not None and len((bid[1] or "").rstrip("0")) > 2
            yield Case("JSON, DeepSeek", row["raw_response"], theirs, has_fraction=has_fraction)


READERS = {"WAC_*.json": _alympics, "raw_output__*.jsonl": _labs, "bids.csv": _one_object}
"""Pattern of a file -> the function that reads its replies."""


def _cents(dollars: str) -> int:
    return round(100 * float(dollars))


def ours(case: Case) -> int | None:
    """Return our reading of a reply; None: it is refused."""
    if case.kind == TICK:
        answer = last_match(ANSWER, tagged(case.reply)["action"])
        return None if answer is None else int(answer.lower() == "yes")
    try:
        return read_maximum(case.reply, case.names) if case.kind == EBAY else read(case.reply, case.names)
    except Unreadable:
        return None


def verdict(case: Case) -> str:
    """Return how our reading of a reply compares with theirs."""
    if case.theirs is None:
        return "not read by them"
    value = ours(case)
    if value is None:
        return "more than two decimals, refused" if case.has_fraction else "refused"
    is_same = value == case.theirs or (value == WITHDRAW and case.theirs == 0)  # who bids nothing withdraws
    return "same" if is_same else "other"


VERDICTS = ("same", "refused", "other", "more than two decimals, refused", "not read by them")


def main() -> None:
    """Print the table of the folders in the arguments."""
    counts: dict[str, Counter[str]] = {}
    for folder in sys.argv[1:]:
        for case in cases(Path(folder)):
            counts.setdefault(case.kind, Counter())[verdict(case)] += 1
    table = Table("replies", "number", "same", *VERDICTS[1:])
    for kind, counted in counts.items():
        compared = sum(counted[name] for name in VERDICTS[:3])
        share = f"{counted['same'] / compared:.1%}" if compared else "-"
        table.add_row(kind, str(counted.total()), share, *(str(counted[name]) for name in VERDICTS[1:]))
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
