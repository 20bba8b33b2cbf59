"""The option of commands that can play on a cluster."""

from __future__ import annotations

from typing import Annotated

import typer

ClusterOption = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Play on the nodes of a Ray cluster: auto (the one on this machine, or in RAY_ADDRESS), HOST:PORT of its "
        "head, or ray://HOST:PORT (needs the extra ray); affects only speed.",
    ),
]
