"""Train one shared policy for all seats of the English auction with TorchRL's clipped PPO, through the AEC API.

TorchRL's `mask` marks the agent whose turn it is: only its action is sent and counts in the loss. A MaskedCategorical
never draws an illegal bid, which would raise IllegalBid. Run with: `python examples/torchrl_aec.py`
"""

from __future__ import annotations

import torch
from tensordict.nn import TensorDictModule
from torchrl.collectors import Collector
from torchrl.envs.libs.pettingzoo import PettingZooWrapper
from torchrl.modules import MaskedCategorical, MultiAgentMLP, ProbabilisticActor
from torchrl.objectives import ClipPPOLoss

import aucenv

FEATURES = ("bidder", "observation", "observation")
KEYS = ("action", "sample_log_prob", "reward", "done", "terminated", "value", "advantage", "value_target")
NAMES = {"value": "state_value", "sample_log_prob": "action_log_prob"}
FRAMES, BATCHES, EPOCHS = 1024, 10, 4


def make_loss(env: PettingZooWrapper) -> ClipPPOLoss:
    bidders, features = env.observation_spec[FEATURES].shape
    actions = env.full_action_spec["bidder", "action"].space.n
    net = {"n_agents": bidders, "centralized": False, "share_params": True, "depth": 2, "num_cells": 64}
    actor = ProbabilisticActor(
        TensorDictModule(MultiAgentMLP(features, actions, **net), [FEATURES], [("bidder", "logits")]),
        in_keys={"logits": ("bidder", "logits"), "mask": ("bidder", "action_mask")},
        out_keys=[("bidder", "action")],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )
    critic = TensorDictModule(MultiAgentMLP(features, 1, **net), [FEATURES], [("bidder", "state_value")])
    loss = ClipPPOLoss(actor, critic, normalize_advantage=True, normalize_advantage_exclude_dims=(-2,))
    loss.set_keys(**{key: ("bidder", NAMES.get(key, key)) for key in KEYS})
    loss.loss_mask_key = ("bidder", "mask")
    return loss


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    turns = aucenv.english_v0.env(num_bidders=3, num_items=3, illegal="raise")
    env = PettingZooWrapper(turns, use_mask=True, group_map={"bidder": turns.possible_agents}, seed=0)
    loss, returns = make_loss(env), []
    optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)
    for batch in Collector(env, loss.actor_network, frames_per_batch=FRAMES, total_frames=BATCHES * FRAMES):
        returns.append((batch["next", "bidder", "reward"].sum() / batch["next", "bidder", "done"].sum()).item())
        for _ in range(EPOCHS):
            loss.value_estimator(batch)
            optimizer.zero_grad()
            sum(value for name, value in loss(batch).items() if name.startswith("loss_")).backward()
            optimizer.step()
    print(f"{BATCHES * EPOCHS} updates, no illegal bid; mean return {returns[0]:.3f} before, {returns[-1]:.3f} after")


if __name__ == "__main__":
    main()
