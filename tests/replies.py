"""Tables of replies with their right readings, and changes of replies that leave the reading as it is."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from aucenv.core.state import WITHDRAW
from aucenv.core.words.reply import Unreadable, read
from aucenv.envs.clock.reply import STAY, TAKE, WAIT, read_ascending, read_descending
from aucenv.envs.ebay.reply import HOLD, read_maximum

RIVALS = ("Blair", "Casey", "Devon")
FOLDER = Path(__file__).parent / "data" / "replies"


def read_in_a_proxy_auction(reply: str, rivals: Collection[str], currency: str) -> int:
    """Read a reply of Andy, whose maximum is $30, on day 3."""
    return read_maximum(reply, ("Betty", "Charles"), currency, 3000, 3)


READERS: dict[str, tuple[Callable[..., int], dict[int, str]]] = {
    "auctions": (read, {WITHDRAW: "out"}),
    "other_authors": (read, {WITHDRAW: "out"}),
    "sealed_and_water": (read, {WITHDRAW: "out"}),
    "rising_clock": (read_ascending, {WITHDRAW: "leave", STAY: "stay"}),
    "falling_clock": (read_descending, {WAIT: "wait", TAKE: "take"}),
    "proxy_auction": (read_in_a_proxy_auction, {HOLD: "hold"}),
}
"""By table: its reader, and the readings that are no amounts."""


def table(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def reading(name: str, reply: str, currency: str = "dollar") -> float | str:
    reader, words = READERS[name]
    try:
        value = reader(reply, RIVALS, currency)
    except Unreadable:
        return "unreadable"
    assert type(value) is int
    assert value >= -1
    return words.get(value, value / 100)


REASONS = (
    "because my estimate is $2,200", "since Casey looks tired", "as the price is still low",
    "which is well below my estimate of $2,400", "leaving me $500 for the rest", "keeping some money for later",
    "before Blair wakes up", "to see whether Devon goes on", "whether Casey likes it or not",
    "because I bid $900 on the last item", "since my limit is $1,900", "as I was outbid in round 2",
    "because I would regret it", 'since Blair said "I\'m out!"', "because if I leave, Casey wins",
)  # fmt: skip
THOUGHTS = (
    "<think>I bid $9! Or I'm out?</think>\n", "<thinking>\nI'm out! No, I bid $7.\n</thinking>\n\n", "[THINK]I bid $3,333[/THINK]",
    "\u25c1think\u25b7I'm out\u25c1/think\u25b7", "<reasoning>I bid $1!</reasoning>\n", "I bid $12? Hmm.\n</think>\n",
    "<|channel|>analysis<|message|>I bid $5<|end|><|start|>assistant<|channel|>final<|message|>",
)  # fmt: skip
LEADS = ("I bid", "I'm out", "I'll", "I raise", "I'm")


def with_reason(reply: str, rng: random.Random) -> str:
    reason, where = rng.choice(REASONS), rng.randrange(4)
    text = reply.rstrip()
    if where == 0 and reply.startswith(LEADS) and reason.startswith(("because", "since", "as", "before", "whether")):
        return f"{reason.capitalize()}, {reply}" if '"' not in reason else reply
    if text[-1:] not in (".", "!"):
        return reply
    bare = text.rstrip("!.")
    return (f"{text} That is {reason}.", f"{bare}, {reason}{text[-1]}", f"{bare} {reason}{text[-1]}")[where % 3]


def with_thought(reply: str, rng: random.Random) -> str:
    return rng.choice(THOUGHTS) + reply


def with_markdown(reply: str, rng: random.Random) -> str:
    plain = not any(mark in reply for mark in "#|*>`{}[-")
    return rng.choice(
        (
            "\n".join(f"**{line}**" if line.strip() else line for line in reply.split("\n")) if plain else reply,
            f"## Thoughts on the auction\n\n{reply}",
            f"---\n\n{reply}",
            f"```\n{reply}\n```" if "```" not in reply else reply,
            f"{reply}\n\n---",
            f"- **Estimate:** $2,200\n- **Leader:** Blair\n\n{reply}",
        )
    )


CHANGES = (with_reason, with_thought, with_markdown)
