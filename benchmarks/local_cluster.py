"""A Ray cluster of several nodes on this machine, for measurements and tests."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

STORE = 80 * 2**20
"""Bytes of the object store of a node; Ray's least is 75 MiB."""


class NodeCluster:
    """A cluster whose head plays no games, with nodes of one processor, each with its own folder for kernels.

    Args:
        folder: for the kernels.
        nodes: the number of nodes.
        env: environment variables of the nodes.
    """

    def __init__(self, folder: Path, nodes: int, **env: str) -> None:
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        from ray.cluster_utils import Cluster

        self.folder, self.env = folder, env
        checks = {"health_check_period_ms": 500, "health_check_failure_threshold": 3}
        store = {"num_cpus": 0, "object_store_memory": STORE, "include_dashboard": False}
        self.cluster: Any = Cluster(initialize_head=True, head_node_args=store | {"_system_config": checks})
        self.address = self.cluster.address
        self.nodes: list[Any] = []
        for _ in range(nodes):
            self.add()

    def kernels(self, number: int) -> Path:
        """Return the folder for the kernels of a node."""
        return self.folder / f"kernels-{number}"

    def add(self, **env: str) -> None:
        """Add a node."""
        self.nodes.append(self._start(len(self.nodes), env))

    def kill(self, number: int) -> None:
        """Kill a node with SIGKILL, and replace it by one that has its kernels."""
        self.cluster.remove_node(self.nodes[number], allow_graceful=False)
        self.nodes[number] = self._start(number, {})

    def remove(self) -> None:
        """Kill the node that was added last."""
        self.cluster.remove_node(self.nodes.pop(), allow_graceful=False)

    def _start(self, number: int, env: dict[str, str]) -> Any:
        env = {"NUMBA_CACHE_DIR": str(self.kernels(number)), **self.env, **env}
        return self.cluster.add_node(num_cpus=1, object_store_memory=STORE, env_vars=env)

    def kill_head(self) -> None:
        """Kill the head with SIGKILL."""
        self.cluster.head_node.kill_all_processes(check_alive=False, allow_graceful=False)

    def close(self) -> None:
        """Kill all nodes."""
        import ray

        ray.shutdown()
        for node in self.nodes:
            node.kill_all_processes(check_alive=False, allow_graceful=False)
        self.kill_head()
