"""`aucenv serve`: serves a model at a local endpoint with OpenAI's API."""

from __future__ import annotations

import os
import shutil
import socket
import sys
from importlib.util import find_spec
from pathlib import Path

from aucenv.baselines.llm.local_models.smollm2 import smollm2_folder, user_cache
from aucenv.baselines.llm.local_models.torch_threads import torch_threads

from aucenv.core.extras import missing_extra

REQUIRED = ("transformers", "torch", "fastapi", "uvicorn")


def serve(model: str, host: str, port: int, device: str) -> None:
    """Replace this process with `transformers serve` for a model's folder, or for smollm2; does not return.

    Clients use the folder's name as the model's name.

    Args:
        model: "smollm2", or the folder of a model.
        host: the address to listen on.
        port: the port to listen on; 0 = any free port.
        device: a torch device.

    Raises:
        OSError: if the server cannot listen on the address.
        ValueError: if the folder does not exist, or MissingExtra if a package is not installed.
    """
    missing = [name for name in REQUIRED if find_spec(name) is None]
    program = shutil.which("transformers", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    if missing or program is None:
        raise missing_extra("serve", "transformers")
    folder = smollm2_folder() if model == "smollm2" else Path(model)
    if not (folder / "config.json").is_file():
        raise ValueError(f"serve: expected smollm2 or the folder of a model, with its config.json, got {model!r}")
    hub = user_cache("HF_HOME", "huggingface") / "hub"
    hub.mkdir(parents=True, exist_ok=True)  # the server lists this folder, and fails if it does not exist
    environment = {"OMP_NUM_THREADS": str(torch_threads()), **os.environ, "HF_HUB_OFFLINE": "1"}
    with socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET) as server_socket:
        port = server_socket.getsockname()[1]
    folder = folder.resolve()
    name = folder.name
    url = f"http://{f'[{host}]' if ':' in host else host}:{port}/v1"
    sys.stdout.write(f"bidder: llm:openai:{name},base_url={url},max_tokens=64\n")
    sys.stdout.flush()
    os.chdir(folder.parent)  # the server uses the given path as the model's name
    arguments = ["serve", name, "--host", host, "--port", str(port), "--device", device]
    os.execve(program, [program, *arguments], environment)  # noqa: S606  # no shell is wanted
