"""The commands with which the release check tries each extra."""

from __future__ import annotations

from collections.abc import Mapping

CORE = "(none)"
TORCH = ("transformers", "rlact", "ppo", "local")
"""Extras that need PyTorch."""
OPTIONAL = ("numba", "torch", "httpx2", "starlette", "ray", "matplotlib", "scipy", "PIL")
"""Modules that the core does not install."""
AUCENV = "aucenv"
ENGLISH = [AUCENV, "leaderboard", "--bidder", "rule", "--bidder", "value", "--bidder", "random", "--games", "6"]
SEALED = [AUCENV, "leaderboard", "--game", "sealed_bid", "--bidder", "truthful", "--bidder", "shade", "--games", "12"]
MODEL = """
import subprocess, sys
from aucenv.benchmarks.timings.loopback import Loopback
with Loopback() as server:
    bidder = f"m=llm:openai:m,base_url={server.url}"
    subprocess.run(["aucenv", "leaderboard", "--bidder", bidder, "--bidder", "rule", "--bidder", "value",
                    "--games", "3", "--set", "num_items=1"], check=True)
"""
PICTURE = """
import aucenv
env = aucenv.english_v0(render_mode="rgb_array")
env.reset(seed=0)
assert env.render().ndim == 3
"""
ABSENT = f"""
import importlib.util, aucenv
installed = [name for name in {OPTIONAL} if importlib.util.find_spec(name)]
assert not installed, f"the core has installed {{installed}}"
for name in aucenv.__all__:
    getattr(aucenv, name)
"""
SMOKE: Mapping[str, list[list[str]]] = {
    CORE: [["python", "-c", ABSENT], [AUCENV, "envs"], ENGLISH],
    "fast": [["python", "-c", "import numba"], ENGLISH],
    "render": [["python", "-c", PICTURE]],
    "stats": [[*SEALED, "--meta"]],
    "export": [
        [*ENGLISH, "--out", "run"],
        [AUCENV, "records", "export", "run", "--to", "parquet", "--out", "exported"],
    ],
    "plot": [[*ENGLISH, "--plot", "plot.png"]],
    "bench": [["python", "-c", "import pgx, jax, pyspiel, pygame"]],
    "llm": [["python", "-c", MODEL]],
    "litellm": [
        ["python", "-c", "import litellm, aucenv.baselines.llm.endpoints.litellm_model"],
        ["python", "-c", MODEL],
    ],
    "transformers": [
        [
            AUCENV,
            "leaderboard",
            "--game",
            "harbor",
            "--bidder",
            "rlact",
            "--bidder",
            "expact",
            "--bidder",
            "persona",
            "--games",
            "3",
            "--set",
            "num_items=1",
        ]
    ],
    "rlact": [[AUCENV, "rlact", "states", "--states", "40", "--out", "states"]],
    "web": [["python", "-c", "import aucenv.commands.hosting.server"]],
    "ray": [["python", "-c", "import ray, aucenv.runs.cluster.executor"]],
    "docs": [["python", "-c", "import furo, latex2mathml, myst_nb, nbclient, sphinx"]],
    "dev": [["python", "-c", "import hypothesis, inspect_ai, pyspiel, playwright, pytest, xdist"]],
    "ppo": [
        [
            AUCENV,
            "train",
            "ppo",
            "--game",
            "sealed_bid",
            "--scenario",
            "first-ipv-once",
            "--set",
            "eval_games=0",
            "--set",
            "updates=1",
            "--set",
            "save_every=1",
            "--set",
            "num_envs=64",
            "--set",
            "minibatches=1",
            "--out",
            "ppo",
        ]
    ],
    "local": [
        [
            AUCENV,
            "leaderboard",
            "--bidder",
            "llm:local:smollm2",
            "--bidder",
            "rule",
            "--bidder",
            "value",
            "--games",
            "1",
            "--set",
            "num_items=1",
        ]
    ],
}
"""Extra -> commands that need it, each of which must succeed in an environment that has nothing else."""
