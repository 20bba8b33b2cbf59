"""RLlib: PPO with action masks on `interface="vector"`, new API stack."""

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
    """RLlib's own module with action masks, which wants our `observation` under the name `observations`.

    Args:
        observation_space: a Dict of `observation` and `action_mask`.
        **options: further arguments of an RLModule.
    """

    def __init__(self, *, observation_space: Dict, **options: Any) -> None:
        renamed = Dict(action_mask=observation_space["action_mask"], observations=observation_space["observation"])
        super().__init__(observation_space=renamed, **options)
        self.observation_space = observation_space  # a checkpoint keeps it and gives it back here

    def _preprocess_batch(self, batch: dict[str, Any], **options: Any) -> Any:
        observed = batch[Columns.OBS]  # changed in place, as RLlib's module does, which finds the mask there later
        observed["observations"] = observed.pop("observation")
        return super()._preprocess_batch(batch, **options)
