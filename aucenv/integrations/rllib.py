"""RLlib: PPO with action masks for `interface="vector"`, on the new API stack."""

from __future__ import annotations

from typing import Any

from gymnasium.spaces import Dict

try:
    from ray.rllib.core.columns import Columns
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
except ModuleNotFoundError as error:
    if error.name != "ray":
        raise
    raise ImportError('aucenv.integrations.rllib needs RLlib: pip install "ray[rllib]" torch') from error


class ActionMaskingModule(ActionMaskingTorchRLModule):
    """RLlib's module with action masks, for environments that name the observation `observation`, not `observations`.

    Args:
        observation_space: a Dict space of `observation` and `action_mask`.
        **options: further arguments of RLlib's module.
    """

    def __init__(self, *, observation_space: Dict, **options: Any) -> None:
        renamed = Dict(action_mask=observation_space["action_mask"], observations=observation_space["observation"])
        super().__init__(observation_space=renamed, **options)
        self.observation_space = observation_space  # checkpoints save it and pass it to this method again

    def _preprocess_batch(self, batch: dict[str, Any], **options: Any) -> Any:
        observations = batch[Columns.OBS]  # changed in place, because RLlib's module reads the mask from it later
        observations["observations"] = observations.pop("observation")
        return super()._preprocess_batch(batch, **options)
