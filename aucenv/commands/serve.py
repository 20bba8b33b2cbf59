"""`aucenv serve`."""

from __future__ import annotations

from typing import Annotated

import typer


def serve(
    model: Annotated[str, typer.Argument(metavar="DIR", help="A chat model's folder, or smollm2.")],
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on; 0: one that is free.", min=0, max=65535)] = 8000,
    device: Annotated[str, typer.Option(help="cpu, cuda, ...; auto: CUDA where there is one.")] = "auto",
) -> None:
    """Put a model behind a local endpoint that speaks OpenAI's protocol (extra transformers)."""
    from aucenv.baselines.llm.serve import serve as become_server

    become_server(model, host, port, device)
