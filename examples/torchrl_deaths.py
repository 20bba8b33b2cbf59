"""Train one shared policy for all residents of the water game with TorchRL's PPO; the dead leave the game.

With `on_death="terminate"`, TorchRL sends actions of dead agents, too, which the environment ignores, and its `mask`
keeps them out of the loss. `done_on_any=False` lets the others play on. Run with: `python examples/torchrl_deaths.py`
"""

from __future__ import annotations

import torch
from torchrl.collectors import Collector
from torchrl.envs.libs.pettingzoo import PettingZooWrapper
from torchrl_aec import make_loss

import aucenv

FRAMES, BATCHES, EPOCHS = 1024, 10, 4


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    parallel = aucenv.water_allocation_v0.parallel_env(on_death="terminate", illegal="raise")
    env = PettingZooWrapper(parallel, use_mask=True, done_on_any=False, seed=0)
    loss, returns, dead = make_loss(env), [], 0
    optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)
    for batch in Collector(env, loss.actor_network, frames_per_batch=FRAMES, total_frames=BATCHES * FRAMES):
        returns.append((batch["next", "bidder", "reward"].sum() / batch["next", "done"].sum()).item())
        dead += int((~batch["bidder", "mask"]).sum())
        for _ in range(EPOCHS):
            loss.value_estimator(batch)
            optimizer.zero_grad()
            sum(value for name, value in loss(batch).items() if name.startswith("loss_")).backward()
            optimizer.step()
    updates = f"{BATCHES * EPOCHS} updates, no illegal bid, {dead} actions of dead residents"
    print(f"{updates}; mean return {returns[0]:.3f} before, {returns[-1]:.3f} after")


if __name__ == "__main__":
    main()
