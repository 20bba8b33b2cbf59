"""The option of commands that can play on a cluster."""

from __future__ import annotations

from typing import Annotated

from aucenv.commands.options.help_pages import RUN
from aucenv.commands.options.parsers import text_option

ClusterOption = Annotated[
    str | None,
    text_option(
        "Play on a Ray cluster.\n\nauto: the one on this machine, or in RAY_ADDRESS; HOST:PORT of its head; or "
        "ray://HOST:PORT. It needs the extra ray, and affects only speed.",
        "ADDRESS",
        "--cluster",
        group=RUN,
    ),
]
