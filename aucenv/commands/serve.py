"""The command `aucenv serve`."""

from __future__ import annotations

from typing import Annotated

import typer

from aucenv.commands.parsers import whole_option


def serve(
    model: Annotated[str, typer.Argument(metavar="DIR", help="Folder of a chat model, or smollm2.")],
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, whole_option("Port to listen on; 0 takes a free one.", 0, 65535)] = 8000,
    device: Annotated[str, typer.Option(help="cpu, cuda, ...; auto uses CUDA if it is available.")] = "auto",
) -> None:
    """Serve a model at a local endpoint with OpenAI's protocol (needs the extra `transformers`)."""
    from aucenv.baselines.llm.serve import serve as run_server

    run_server(model, host, port, device)
