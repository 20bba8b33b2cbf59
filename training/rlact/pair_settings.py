"""Checks of the settings of pairs, which depend on each other."""

from __future__ import annotations

from typing import Any

from aucenv.core.checks import number, one_of, whole_number

MOST_TEMPERATURE = 100.0


def check_pairs(config: Any) -> None:
    """Raise unless the settings of pairs are in range and fit together.

    Args:
        config: the settings, a `RLActConfig`.

    Raises:
        ValueError: They are not, or do not.
    """
    one_of("pair_loss", config.pair_loss, ("harbor", "dpo", "decision"))
    one_of("pair_states", config.pair_states, ("all", "stakes"))
    whole_number("buffer_updates", config.buffer_updates, 1, 10_000_000)
    if number("decision_temperature", config.decision_temperature, 0, MOST_TEMPERATURE) == 0:
        raise ValueError("decision_temperature: expected a number above 0, got 0")
    if config.decision_temperature != 1 and (config.use_vllm or config.use_transformers_continuous_batching):
        raise ValueError(
            "decision_temperature: expected 1 with vLLM or continuous batching, which sample all tokens at one "
            f"temperature, got {config.decision_temperature:g}"
        )
    is_decision = config.pair_loss == "decision"
    if not is_decision:
        for name, value in {"pair_reference": False, "pair_states": "all", "decision_temperature": 1.0}.items():
            if getattr(config, name) != value:
                raise ValueError(
                    f"{name}: expected {value!r} unless pair_loss is decision, got {getattr(config, name)!r}"
                )
        return
    if config.judge != ["simulator"]:
        raise ValueError(
            f"judge: expected simulator with pair_loss=decision, because only its values are in dollars, got "
            f"{', '.join(config.judge)}"
        )
    if config.counterfactual:
        raise ValueError(
            "counterfactual: expected False with pair_loss=decision, which drops pairs that agree, got True"
        )
