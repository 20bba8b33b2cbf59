"""The memory and the time that a training run needs, estimated before it starts."""

from __future__ import annotations

import dataclasses
import time
from typing import Any

import torch
from aucenv.training.rlact.config import RLActConfig
from aucenv.training.rlact.models.base_model import TINY
from transformers import AutoConfig, AutoModelForCausalLM
from trl import ModelConfig

from aucenv.core.words.phrases import count

PROMPT_TOKENS = {"full": 1200, "brief": 700, "short": 120}
"""About how many tokens a prompt has, by the detail of messages; terse ones have 60."""
TERSE_TOKENS = 60
DTYPE_BYTES = {"bfloat16": 2, "float16": 2, "float32": 4}
PER_REPLY = ("embed_tokens", "lm_head")
"""Modules that do not compute with the tokens of prompts."""
ACTIVATIONS = 14
"""About how many activations of hidden size, and ACTIVATIONS_INNER of the inner size, a layer keeps for a token."""
ACTIVATIONS_INNER = 5
REACHED = 0.6
"""The share of the speed of one large matrix product that a whole update reaches."""
PROBE_SIZE, PROBE_SECONDS = 1024, 0.3


@dataclasses.dataclass(frozen=True)
class Estimate:
    """The needs of a run.

    Attributes:
        weights: the number of weights of the model.
        trained: the number of weights that are trained.
        memory: bytes, on each device.
        hours: hours of the updates that are left on this machine, without collecting states and evaluations.
        device: the device, in words.
        available: bytes of memory of the device that are free.
    """

    weights: int
    trained: int
    memory: float
    hours: float
    device: str
    available: float

    def to_text(self) -> str:
        """Return the estimate in a sentence or two."""
        memory = "under 1 GiB" if self.memory < 2**30 else f"about {self.memory / 2**30:.1f} GiB"
        time = f"{_duration(self.hours)} of updates on {self.device}, besides states and evaluations"
        text = (
            f"{_millions(self.weights, 0)} weights, {_millions(self.trained, 2)} of them trained: {memory} of memory, "
            f"and {time if self.hours else 'no update is left'}"
        )
        if self.memory > self.available:
            text += (
                f", of which only {self.available / 2**30:.1f} GiB are free; set a smaller "
                "per_device_train_batch_size, gradient_checkpointing=true or dtype=bfloat16"
            )
        return text


def estimate(
    config: RLActConfig, model_config: ModelConfig, model: str, done: int = 0, is_warm: bool = False
) -> Estimate:
    """Return what a run needs, from the shapes of its model and the speed of this machine.

    Args:
        config, model_config: the settings of the run.
        model: the folder of the base model, or its name on the Hugging Face Hub; only its config.json is read.
        done: the number of updates that the run has made.
        is_warm: whether the warm-up is over.

    Raises:
        ValueError: There is no valid config.json.
    """
    shape = read_shape(model)
    matrices = _matrices(shape)
    weights = sum(rows * columns for rows, columns, _ in matrices)
    frozen = sum(rows * columns for rows, columns, name in matrices if name == "embed_tokens")
    trained = weights - frozen if config.freeze_embeddings else weights
    if model_config.use_peft:
        rank, targets = model_config.lora_r, model_config.lora_target_modules or []
        linear = [each for each in matrices if each[0] > 1 and each[2] not in PER_REPLY]
        chosen = linear if "all-linear" in targets else [each for each in linear if each[2] in targets]
        trained = sum(rank * (rows + columns) for rows, columns, _ in chosen)
    tokens = PROMPT_TOKENS.get(config.detail, TERSE_TOKENS)
    batch, reply = config.per_device_train_batch_size, config.max_completion_length or 0
    pairs = batch // 2 * config.gradient_accumulation_steps
    in_loss = pairs * (tokens + 2 * reply if config.share_prompts else 2 * (tokens + reply))
    generated = 2 * pairs * (tokens + reply)
    per_token = 2 * sum(rows * columns for rows, columns, name in matrices if name not in PER_REPLY)
    passes = 2 if model_config.use_peft else 3  # backward passes compute gradients of inputs, and of weights
    warm_up_steps = config.warm_up_steps if model_config.model_name_or_path == TINY and not is_warm else 0
    supervised_steps = max(0, config.supervised_steps - done)
    dpo_steps = config.max_steps - max(done, config.supervised_steps)
    operations = per_token * (
        (supervised_steps + warm_up_steps) * pairs * (tokens + reply) * passes
        + dpo_steps * (generated + in_loss * passes)
    )
    dtype = model_config.dtype if model_config.dtype in DTYPE_BYTES else "float32"
    device = torch.device("cuda" if torch.cuda.is_available() and not config.use_cpu else "cpu")
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else "this CPU"
    return Estimate(
        weights,
        trained,
        _memory(shape, weights, trained, in_loss / config.gradient_accumulation_steps, config, dtype),
        operations / (REACHED * speed(device, getattr(torch, dtype))) / 3600,
        name,
        free_memory(device),
    )


def read_shape(model: str) -> Any:
    """Return the configuration of a model, from its folder or from the Hugging Face Hub.

    Raises:
        ValueError: It cannot be read.
    """
    try:
        return AutoConfig.from_pretrained(model)
    except Exception as error:  # transformers raises many types of errors for bad files
        raise ValueError(f"{model}: config.json cannot be read: {type(error).__name__}; use a folder") from None


def _matrices(shape: Any) -> list[tuple[int, int, str]]:
    """Return the size of each matrix of weights, and of each vector as (1, size), with the name of its module."""
    with torch.device("meta"):
        model: Any = AutoModelForCausalLM.from_config(shape)
    return [
        ((1, *weights.shape)[-2], weights.shape[-1], name.split(".")[-2]) for name, weights in model.named_parameters()
    ]


def _memory(shape: Any, weights: int, trained: int, tokens: float, config: RLActConfig, dtype: str) -> float:
    """Return the bytes of the model, of gradients and Adam's moments, and of activations of `tokens` tokens."""
    size = DTYPE_BYTES[dtype]
    per_layer = ACTIVATIONS * shape.hidden_size + ACTIVATIONS_INNER * shape.intermediate_size
    layers = 1 if config.gradient_checkpointing else shape.num_hidden_layers
    boundaries = shape.num_hidden_layers * shape.hidden_size if config.gradient_checkpointing else 0
    references = weights if config.beta > 0 and trained == weights else 0
    logits = 3 * 4 * shape.vocab_size * config.per_device_train_batch_size * ((config.max_completion_length or 0) + 1)
    return size * (weights + references) + 12.0 * trained + size * tokens * (layers * per_layer + boundaries) + logits


def speed(device: torch.device, dtype: torch.dtype) -> float:
    """Return how many operations a matrix product does in a second, measured for about PROBE_SECONDS."""
    a = torch.ones(PROBE_SIZE, PROBE_SIZE, dtype=dtype, device=device)
    products, started = 0, time.perf_counter()
    while time.perf_counter() - started < PROBE_SECONDS:
        float((a @ a)[0, 0])  # waits for the device
        products += 1
    return products * 2 * PROBE_SIZE**3 / (time.perf_counter() - started)


def free_memory(device: torch.device) -> float:
    """Return the bytes of memory of a device that are free."""
    if device.type == "cuda":
        return float(torch.cuda.mem_get_info(device)[0])
    import psutil

    return float(psutil.virtual_memory().available)


def _millions(number: int, digits: int) -> str:
    return f"{number / 1e6:,.{digits}f}M" if number >= 1e6 else f"{number:,}"


def _duration(hours: float) -> str:
    if hours >= 1:
        return f"about {hours:.1f} hours"
    minutes = round(60 * hours)
    return f"about {count(minutes, 'minute')}" if minutes else "less than a minute"
