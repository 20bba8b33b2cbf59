"""Bad input of `aucenv train rlact`, and its error messages."""

from __future__ import annotations

import dataclasses
import json
import math
import shutil

import pytest
import torch
from aucenv.training.rlact.config import check_gpu, read_config
from aucenv.training.rlact.estimate import estimate
from aucenv.training.rlact.learning.log_lines import line_of
from aucenv.training.rlact.models.base_model import check_context, model_path, warm_up_config
from aucenv.training.rlact.models.checkpoints import check_shape, load_causal, load_tokenizer, shape_of
from aucenv.training.rlact.models.tiny_llama import tiny_model, tiny_tokenizer
from aucenv.training.rlact.settings_files import presets
from aucenv.training.rlact.states.states import read_states
from run_command import command
from tiny_training import small_run

from aucenv.core.checks import MissingExtra

NO_GPU = {"bf16": "false", "least_gpu_gib": "0"}


@pytest.mark.parametrize("preset", presets())
def test_every_preset_can_be_read(preset, tmp_path):
    config, model = read_config(preset, None, tmp_path, NO_GPU)
    assert config.max_steps == config.supervised_steps + config.recommendation_steps + config.bid_steps
    assert model.model_name_or_path


def test_what_the_model_from_scratch_needs_is_estimated(tmp_path):
    config, model = read_config("tiny", None, tmp_path, {"warm_up_steps": "0"})
    needs = estimate(config, model, model_path("tiny"))
    assert 0 < needs.trained < needs.weights < 1e6
    assert f"{needs.weights:,} weights" in needs.to_text()
    assert "under 1 GiB of memory" in needs.to_text()
    config, model = read_config("tiny", None, tmp_path, {"warm_up_steps": "10000000"})
    assert estimate(config, model, model_path("tiny")).hours > needs.hours


def test_only_updates_that_are_left_are_estimated(tmp_path):
    config, model = read_config("tiny-dpo", None, tmp_path, {"warm_up_steps": "10000000", "supervised_steps": "10000"})
    done = (0, 5_000, 10_000, config.max_steps - 1, config.max_steps)
    hours = [estimate(config, model, model_path("tiny"), steps, is_warm=True).hours for steps in done]
    assert estimate(config, model, model_path("tiny")).hours > 100 * hours[0]
    assert hours[0] > hours[1] > hours[2] > 100 * hours[3] > hours[4] == 0
    needs = estimate(config, model, model_path("tiny"), config.max_steps, is_warm=True)
    assert needs.to_text().endswith("and no update is left")
    for time, text in (
        (0.001, "less than a minute"),
        (0.017, "about 1 minute"),
        (0.3, "about 18 minutes"),
        (2, "2.0 hours"),
    ):
        assert f"{text} of updates on this CPU" in dataclasses.replace(needs, hours=time).to_text()


def test_a_line_has_the_figures_of_a_log():
    logs = {"loss": 1.25, "learning_rate": 3e-4, "grad_norm": 2.0, "replies/readable": 0.5, "epoch": 1.0}
    logs |= {"replies/bid": math.nan, "pairs/used": None}
    assert line_of(logs, "update 2 of 6") == "update 2 of 6: loss 1.25, learning rate 0.0003, legal 50.0%"
    end = line_of({"train_runtime": 61.2, "train_loss": 0.5}, "update 6 of 6")
    assert end == "update 6 of 6: done, in 1 minute 1 s; mean loss 0.5"
    resumed = line_of({"train_runtime": 9.0, "train_loss": 0.5}, "update 6 of 6", 6, 4)
    assert resumed == "update 6 of 6: done, in 9 s; mean loss 1.5"  # the trainer divides the sum of 2 losses by 6
    assert (
        line_of({"train_runtime": 0.0, "train_loss": 0.0}, "update 6 of 6", 6, 6) == "update 6 of 6: already finished"
    )


def test_the_warm_up_shows_progress_as_the_run_does(tmp_path):
    for value in (True, False):
        config, _ = read_config("tiny", None, tmp_path, {"disable_tqdm": str(value).lower(), "logging_steps": "7"})
        assert warm_up_config(config, tmp_path).disable_tqdm is value
        assert warm_up_config(config, tmp_path).logging_steps == 7


def test_the_preset_of_the_paper_has_the_settings_of_the_paper(tmp_path):
    config, model = read_config("paper-llama3-8b", None, tmp_path, NO_GPU)
    assert (model.lora_r, model.lora_alpha, config.learning_rate, config.pair_beta) == (4, 16, 5e-5, 0.2)
    assert (config.recommendation_steps, config.bid_steps, config.num_states * 0.8) == (1000, 500, 1000)
    assert (config.pair_loss, config.counterfactual, config.kl_weight, config.likelihood_weight) == (
        "harbor",
        False,
        0,
        0,
    )
    assert config.beta == 0.0


BAD = [
    ({"learning_rate": "0"}, "learning_rate"),
    ({"learning_rate": "2"}, "learning_rate"),
    ({"learning_rate": "nan"}, "learning_rate"),
    ({"pair_beta": "0"}, "pair_beta"),
    ({"pair_beta": "-1"}, "pair_beta"),
    ({"recommendation_steps": "-1"}, "recommendation_steps"),
    ({"bid_steps": "0"}, "bid_steps"),
    ({"bid_steps": "0", "supervised_steps": "1"}, "bid_steps"),  # after recommendations
    ({"supervised_share": "2"}, "supervised_share"),
    ({"per_device_train_batch_size": "3"}, "an even number"),
    ({"num_generations": "4"}, "num_generations: expected .*, which cannot be changed"),
    ({"beta": "0.1"}, "beta: expected .*, which cannot be changed"),
    ({"temperature": "0.7"}, "temperature: expected .*, which cannot be changed"),
    ({"kl_weight": "-1"}, "kl_weight"),
    ({"detail": "long"}, "detail"),
    ({"learnig_rate": "1e-3"}, r"expected settings of RLAct .* got 'learnig_rate' \(did you mean 'learning_rate'"),
    ({"zzz": "1"}, r"got 'zzz'; those of RLAct are learning_rate, .*, num_states, .*, guard$"),
    ({"learning_rate": "fast"}, "--set learning_rate: invalid float value: 'fast'"),
    ({"seed": "-1"}, "seed"),
    ({"max_completion_length": "0"}, "max_completion_length"),
    ({"gradient_accumulation_steps": "0"}, "gradient_accumulation_steps"),
    ({"judge": ""}, "judge"),
    ({"eval_states": "0"}, "eval_states"),
    ({"top_k": "5"}, "top_k: expected .*, which cannot be changed"),
    ({"mask_truncated_completions": "true"}, "mask_truncated_completions: expected .*, which cannot be changed"),
    ({"reward_weights": "3"}, "reward_weights: expected .*, which cannot be changed"),
    ({"save_only_model": "true"}, "save_only_model: expected .*, which cannot be changed"),
    ({"save_strategy": "no"}, "save_strategy: expected .*, which cannot be changed"),
    ({"save_total_limit": "1"}, "save_total_limit: expected 2 or more"),
    ({"num_generations": "8"}, "num_generations: expected .*, which cannot be changed"),
    ({"output_dir": "elsewhere"}, "expected settings of RLAct .* got 'output_dir'"),
    ({"load_in_4bit": "true"}, "load_in_4bit"),
]


@pytest.mark.parametrize(
    ("changes", "message"), BAD, ids=[next(iter(c)) + "=" + next(iter(c.values())) for c, _ in BAD]
)
def test_settings_out_of_range_are_refused(tmp_path, changes, message):
    with pytest.raises(ValueError, match=message):
        read_config("tiny-dpo", None, tmp_path, changes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("learnig_rate: 1.0e-3\n", "learnig_rate"),
        ("- a\n- b\n", "settings.yaml: expected NAME: VALUE lines, got list"),
        ("learning_rate: [1\n", "settings.yaml: .*expected"),
        ("recommendation_steps: many\n", "recommendation_steps.*: invalid int value: 'many'"),
        ("env: {HOME: /nowhere}\n", "expected settings of RLAct .* got 'env'"),
        ("states: 5\n", "states: expected some text, got 5"),
        ("judge: null\n", "judge: expected some text"),
        ("learning_rate: [0.1]\n", "learning_rate"),
    ],
)
def test_bad_files_of_settings_are_refused(tmp_path, text, message):
    file = tmp_path / "settings.yaml"
    file.write_text(text)
    with pytest.raises(ValueError, match=message):
        read_config(None, file, tmp_path, {})


def test_judges_can_be_set_in_a_file_or_by_an_option(tmp_path):
    file = tmp_path / "settings.yaml"
    file.write_text("judge: random\n")
    assert read_config(None, file, tmp_path, NO_GPU)[0].judge == ["random"]
    both = "simulator llm:openai:x,base_url=http://localhost:1"
    assert read_config("tiny", None, tmp_path, {"judge": both})[0].judge == both.split()


def test_a_logger_that_is_not_installed_is_refused(tmp_path):
    with pytest.raises(MissingExtra, match="report_to: clearml"):
        read_config("tiny", None, tmp_path, {"report_to": "clearml"})


def test_a_refused_run_leaves_no_folder(tmp_path, states):
    for change in ({"judge": "luck"}, {"model_name_or_path": "nowhere"}, {"detail": "full"}, {"states": tmp_path}):
        with pytest.raises((ValueError, OSError)):
            small_run(tmp_path / "run", **{"states": states, **change}).run()
        assert not (tmp_path / "run").exists()


def test_a_refused_run_leaves_only_collected_states_in_an_existing_folder(tmp_path, states, base):
    out = tmp_path / "run"
    out.mkdir()
    changes = {"model_name_or_path": base, "max_completion_length": 300}
    with pytest.raises(ValueError, match="context of 256"):
        small_run(out, states, **changes).run()
    assert not list(out.iterdir())
    shutil.copytree(states, out / "states")
    with pytest.raises(ValueError, match=r"holds states; use them with --set states=\S+"):
        small_run(out, None).run()
    assert [path.name for path in out.iterdir()] == ["states"]


def test_states_with_messages_of_another_style_are_refused(tmp_path, states, base):
    with pytest.raises(ValueError, match=r"train\.jsonl: expected messages with detail=brief"):
        small_run(tmp_path / "run", states, model_name_or_path=base, detail="brief").run()


def test_exactly_one_of_preset_and_file_is_expected(tmp_path):
    for preset, file in ((None, None), ("tiny", tmp_path / "x.yaml")):
        with pytest.raises(ValueError, match="--preset: expected the name of a preset or a YAML file"):
            read_config(preset, file, tmp_path, {})
    with pytest.raises(ValueError, match="preset: expected one of"):
        read_config("huge", None, tmp_path, {})


def test_a_missing_gpu_is_reported_before_anything_is_loaded(tmp_path, capsys):
    assert command("train", "rlact", "--preset", "paper-llama3-8b", "--out", tmp_path / "run") == 2
    assert "needs a CUDA GPU with 39 GiB of memory, got" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@pytest.fixture(scope="module")
def base(tmp_path_factory, states):
    """The folder of a model from scratch and its tokenizer."""
    folder = tmp_path_factory.mktemp("base")
    tokenizer = tiny_tokenizer(state.messages["bid"][0]["content"] for state in read_states(states / "train.jsonl"))
    tiny_model(tokenizer, 0).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def test_a_model_without_a_chat_template_is_refused(tmp_path, base, states):
    folder = tmp_path / "base"
    shutil.copytree(base, folder)
    (folder / "chat_template.jinja").unlink(missing_ok=True)
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    settings.pop("chat_template", None)
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    with pytest.raises(ValueError, match="no chat template"):
        small_run(tmp_path / "run", states, model_name_or_path=folder).run()


def test_a_gguf_model_is_refused(tmp_path, states):
    folder = tmp_path / "gguf"
    folder.mkdir()
    (folder / "model.gguf").write_bytes(b"GGUF")
    for name in (folder, folder / "model.gguf"):
        with pytest.raises(ValueError, match="GGUF"):
            load_causal(name)
    with pytest.raises(ValueError, match="GGUF"):
        small_run(tmp_path / "run", states, model_name_or_path=folder).run()


def test_a_context_that_is_too_short_is_refused(states, base):
    model, tokenizer = load_causal(base), load_tokenizer(base)
    train = read_states(states / "train.jsonl")
    check_context(train, tokenizer, model.config, 14)
    with pytest.raises(ValueError, match="more than the model's context of 256"):
        check_context(train, tokenizer, model.config, 250)


def test_an_adapter_for_another_base_is_refused(base, tmp_path):
    names = "first/model", "/second/model"
    shape = shape_of(load_causal(base))
    check_shape(shape, shape_of(load_causal(base, dtype=torch.bfloat16)), tmp_path, names)
    with pytest.raises(ValueError, match=r"base model, first/model, than /second/model: expected vocab_size 7, got"):
        check_shape(shape | {"vocab_size": 7}, shape, tmp_path, names)
    with pytest.raises(ValueError, match=r"another base model, .*: expected words"):
        check_shape(shape, shape_of(tiny_model(load_tokenizer(base), 1)), tmp_path, names)


def test_splits_with_common_states_are_refused(tmp_path, states):
    folder = tmp_path / "states"
    shutil.copytree(states, folder)
    shutil.copy(folder / "train.jsonl", folder / "validation.jsonl")
    with pytest.raises(ValueError, match="states are in both"):
        small_run(tmp_path / "run", folder).run()


def test_resuming_without_a_run_is_refused(tmp_path, states):
    with pytest.raises(ValueError, match="expected a run to resume"):
        small_run(tmp_path / "run", states, resume=True).run()


def test_no_gpu_is_needed_by_default():
    check_gpu(0)
