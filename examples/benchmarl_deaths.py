"""Train one shared policy for all residents of the water game with BenchMARL's MAPPO; the dead leave the game.

A bid is a share of the resident's money: BenchMARL 1.5.2 needs a TorchRL before 0.14, in which agents can die only
without action masks. `done_on_any=False` lets the others play on. Run with: `python examples/benchmarl_deaths.py`
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable

import torch
from benchmarl.algorithms import MappoConfig
from benchmarl.environments.pettingzoo.common import PettingZooClass
from benchmarl.experiment import Experiment, ExperimentConfig
from benchmarl.models.mlp import MlpConfig
from torchrl.envs import EnvBase, PettingZooWrapper

from aucenv import water_allocation_v0

ITERATIONS = 4


class WaterTask(PettingZooClass):
    def get_env_fun(
        self, num_envs: int, continuous_actions: bool, seed: int | None, device: str
    ) -> Callable[[], EnvBase]:
        options = {"return_state": True, "use_mask": True, "done_on_any": False, "seed": seed, "device": device}
        return lambda: PettingZooWrapper(water_allocation_v0.parallel_env(**self.config), **options)

    def supports_continuous_actions(self) -> bool:
        return True

    def has_render(self, env: EnvBase) -> bool:
        return False

    def max_steps(self, env: EnvBase) -> int:
        return 100


def main() -> None:
    torch.set_num_threads(1)
    config = ExperimentConfig.get_from_yaml()
    config.max_n_frames, config.max_n_iters = None, ITERATIONS
    config.on_policy_n_envs_per_worker = 4
    config.on_policy_collected_frames_per_batch = config.on_policy_minibatch_size = 1000
    config.on_policy_n_minibatch_iters = 4
    config.lr = 1e-3
    config.evaluation, config.loggers, config.create_json = False, [], False
    config.save_folder = tempfile.mkdtemp()
    task = WaterTask("WATER", {"on_death": "terminate", "interface": "amount", "amount_scale": "share"})
    experiment = Experiment(task, MappoConfig.get_from_yaml(), MlpConfig.get_from_yaml(), seed=0, config=config)
    experiment.run()
    updates = ITERATIONS * config.on_policy_n_minibatch_iters
    print(f"{updates} updates, no illegal bid; mean return {experiment.mean_return:.3f} in the last batch")


if __name__ == "__main__":
    main()
