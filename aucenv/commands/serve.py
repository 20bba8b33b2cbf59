"""The command `aucenv serve`."""

from __future__ import annotations

from typing import Annotated

import typer

from aucenv.commands.options.parsers import text_option, whole_option


def serve(
    model: Annotated[str, typer.Argument(metavar="DIR", help="Folder of a chat model, or smollm2.")],
    host: Annotated[str, text_option("Address; 0.0.0.0 is all of them.", "ADDRESS", "--host")] = "127.0.0.1",
    port: Annotated[int, whole_option("Port to listen on; 0: a free one.", 0, 65535)] = 8000,
    device: Annotated[
        str,
        text_option(
            "Where the model runs.\n\ncpu, cuda, ...; auto uses CUDA if it is available.", "DEVICE", "--device"
        ),
    ] = "auto",
) -> None:
    """Serve a model at a local endpoint with OpenAI's protocol (needs the extra `transformers`)."""
    from aucenv.baselines.llm.local_models.serve import serve as run_server

    run_server(model, host, port, device)
