"""The options that another form replaces: a command that gets one prints that form, and does not run."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

GAMES = ("leaderboard", "watch", "play", "host")
PEOPLE = ("play", "host")
PPO = ("train ppo", "exploit")
TRAIN = ("train rlact", "train league")
WITHOUT_WIDE = ("exploit", "models check", "train", "rlact")
"""Commands, and groups of them, whose tables are narrow."""

REPLACED: tuple[tuple[Sequence[str], str, str], ...] = (
    (GAMES, "--items", "--set num_items={}"),
    (GAMES, "--budget", "--set budget={}"),
    (GAMES, "--order", "--set item_order={}"),
    (GAMES, "--shuffle", "--set item_order=random"),
    (GAMES, "--overestimate", "--set overestimate={}"),
    (GAMES, "--increment", "--set increment={}"),
    (GAMES, "--discount", "--set discount=true"),
    (GAMES, "--no-discount", "--set discount=false"),
    (GAMES, "--ask-broke", "--set ask_broke=true"),
    (GAMES, "--no-ask-broke", "--set ask_broke=false"),
    (GAMES, "--seats", "--set num_bidders={}"),
    (GAMES, "--env", "--set {}"),
    (PEOPLE, "--seconds-per-bid", "--bidder human,seconds={}"),
    (PEOPLE, "--on-timeout", "--bidder human,seconds=SECONDS,asks=0"),
    (PEOPLE, "--resume", "the same command, which resumes the run in --out"),
    (PPO, "--seats", "--env num_bidders={}"),
    (("train ppo",), "--eval-games", "--set eval_games={}"),
    (("exploit",), "--bidder", "aucenv exploit {}"),
    (TRAIN, "--config", "--preset {}"),
    (("train league",), "--rounds", "--set rounds={}"),
    (("train league",), "--updates", "--set updates={}"),
    (("train league",), "--deals", "--set deals={}"),
    (("rlact judge",), "--samples", "--judge simulator,samples={}"),
    (("rlact judge",), "--own", "--judge simulator,own={}"),
    (("rlact judge",), "--rivals", "--judge simulator,rivals={}"),
    (("rlact judge",), "--noise", "--judge simulator,noise={}"),
    (("rlact judge",), "--ladder", "--judge simulator,ladder={}"),
    (("rlact audit",), "--model", "--judge {}"),
    (("study",), "--rivals", "--set rivals={}"),
    (("study",), "--logs", "--set logs={}"),
    (("study",), "--ask-broke", "--set ask_broke=true"),
    (("study",), "--no-ask-broke", "--set ask_broke=false"),
    (("study",), "--folder", "--set templates={}"),
    (("study",), "--judge", "--set judge={}"),
    (("study",), "--form", "--set form={}"),
    (("study",), "--ratings", "--set ratings={}"),
    (("study",), "--full", "--set full=true"),
    (("benchmark draw-deals",), "--number", "--games {}"),
    (("new houses",), "--number", "--houses {}"),
    (("new game", "new bidder"), "--in", "a path, such as {}/posted_price"),
    (("records picture",), "--game", "aucenv records picture DIR {}"),
    (("records picture",), "--seconds", "--animate {}"),
    (("records export",), "--model", "--include {}"),
    (WITHOUT_WIDE, "--wide", "a pipe, such as `| cat`, which gets all columns"),
)
"""(commands or groups, option, the form that replaces it, with {} for the value)."""


def replacement(command: str, option: str, typed: Sequence[str]) -> str | None:
    """Return the form that replaces an option of a command, with the value that was typed; None: there is none."""
    named = {command, command.partition(" ")[0]}
    form = next((form for commands, old, form in REPLACED if old == option and named & {*commands}), None)
    return None if form is None else form.format(_value(option, typed))


def _value(option: str, typed: Sequence[str]) -> str:
    """Return the value of an option as it was typed; "VALUE" if there is none."""
    for word, following in zip(typed, [*typed[1:], ""], strict=True):
        name, equals, value = word.partition("=")
        if name == option and (value if equals else following):
            return shlex.quote(value if equals else following)
    return "VALUE"
