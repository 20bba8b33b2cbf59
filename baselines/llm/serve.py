"""`aucenv serve`: a model behind a local endpoint that speaks OpenAI's protocol."""

from __future__ import annotations

import os
import shutil
import socket
import sys
from importlib.util import find_spec
from pathlib import Path

from aucenv.baselines.llm.smollm2 import smollm2_folder
from aucenv.baselines.llm.torch_threads import torch_threads

NEEDED = ("transformers", "torch", "fastapi", "uvicorn")


def serve(model: str, host: str, port: int, device: str) -> None:
    """Become `transformers serve` for a model's folder, or for smollm2; does not return.

    Its clients name the model as the folder is called.

    Args:
        port: 0 = one that is free.

    Raises:
        OSError: the address cannot be listened on.
        ValueError: no such folder, or a package that is not installed.
    """
    missing = [name for name in NEEDED if find_spec(name) is None]
    program = shutil.which("transformers", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    if missing or program is None:
        raise ValueError(
            f"serve: {', '.join(missing) or 'transformers'} is not installed: pip install 'aucenv[transformers]'"
        )
    folder = smollm2_folder() if model == "smollm2" else Path(model)
    if not (folder / "config.json").is_file():
        raise ValueError(f"serve: expected smollm2 or the folder of a model, with its config.json, got {model!r}")
    hub = Path(os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface") / "hub"
    hub.mkdir(parents=True, exist_ok=True)  # it lists what lies there, and fails where there is nothing to list
    environment = {"OMP_NUM_THREADS": str(torch_threads()), **os.environ, "HF_HUB_OFFLINE": "1"}
    with socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET) as free:
        port = free.getsockname()[1]
    folder = folder.resolve()
    name = folder.name
    at = f"http://{f'[{host}]' if ':' in host else host}:{port}/v1"
    sys.stdout.write(f"bidder: llm:openai:{name},base_url={at},max_tokens=64\n")
    sys.stdout.flush()
    os.chdir(folder.parent)  # the server knows a model by the path that it is given
    arguments = ["serve", name, "--host", host, "--port", str(port), "--device", device]
    os.execve(program, [program, *arguments], environment)  # noqa: S606  # no shell is wanted
