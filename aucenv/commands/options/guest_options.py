"""Options that isolate the bidders of users from the tables."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from aucenv.commands.options.help_pages import ADVANCED
from aucenv.commands.options.parsers import flag, text_option

if TYPE_CHECKING:
    from aucenv.policy.guests import Guests

IsolateOption = Annotated[
    bool,
    flag(
        "Play bidders of your own in processes.\n\nThose of py: and of other packages know their views and nothing "
        "else of the table, with seeds from a salt. They forfeit a game in which they fail.",
        "--isolate",
        group=ADVANCED,
    ),
]
SaltOption = Annotated[
    str | None,
    text_option(
        "Secret of the seeds of isolated bidders.\n\nThe seeds follow from it by a one-way hash. Default: drawn, and "
        "kept in --out.",
        "TEXT",
        "--salt",
        group=ADVANCED,
    ),
]


def chosen_guests(isolate: bool, salt: str | None, out: Path | None, shard: str | None = None) -> Guests:
    """Return how the bidders of users play; without a salt, that of the run in a results folder, or a drawn one.

    Raises:
        ValueError: there is a salt, but no bidder is isolated; or parts of a run, which must share it, have none.
    """
    from aucenv.policy.guests import IN_PROCESS, Guests
    from aucenv.runs.results import saved_salt

    if not isolate:
        if salt is not None:
            raise ValueError(f"--salt: expected --isolate with it, got --salt {salt!r} alone")
        return IN_PROCESS
    if shard is not None and not salt:
        raise ValueError("--salt: expected one with --isolate and --shard, the same for all parts, got none")
    return Guests(salt or saved_salt(out) or secrets.token_hex(16), isolated=True)
