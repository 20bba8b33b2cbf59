"""Real models, run in this process and by `aucenv serve`, without a network."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from aucenv.baselines.llm.local_models.smollm2 import smollm2_folder
from aucenv.benchmarks.rankings.leaderboard import Settings, run

from aucenv.core.policy import ModelFailure
from aucenv.core.words.structured_reply import BID_OR_WITHDRAW
from aucenv.policy.registry import make_policy
from aucenv.registration import find_family
from aucenv.runs.model_calls.calls import Request
from aucenv.runs.model_calls.journal import CallJournal, read_calls
from aucenv.runs.play import Match, PolicyError, play
from aucenv.runs.records import read_records, replay
from aucenv.runs.run_options import RunOptions

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
AUCENV = Path(sys.executable).with_name("aucenv")
TEMPLATE = "{% for m in messages %}<{{ m['role'] }}>{{ m['content'] }}{% endfor %}<assistant>"


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """Return the folder of a Llama with random weights whose tokens are bytes."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("tiny")
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={c: i for i, c in enumerate([*letters, "</s>"])}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="</s>", chat_template=TEMPLATE)
    fast.save_pretrained(folder)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=257, hidden_size=32, intermediate_size=64, num_hidden_layers=1, num_attention_heads=1,
        max_position_embeddings=4096, eos_token_id=256, bos_token_id=256, initializer_range=0.3,
    )  # fmt: skip
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def generator(tiny):
    from aucenv.baselines.llm.local_models.batch_generation import BatchGenerator

    return BatchGenerator(str(tiny), "", 8, "cpu")


def request(words, temperature=0.8, seed=1, max_tokens=12):
    return Request(({"role": "user", "content": words},), temperature, max_tokens, seed)


REQUESTS = [
    request("a"),
    request("a", seed=2),
    request("a much longer prompt " * 9),
    request("b", 0.0),
    request("c", max_tokens=30),
]


def test_a_reply_depends_on_its_request_only(generator):
    alone = [generator.complete_batch([prompt_request])[0] for prompt_request in REQUESTS]
    together = generator.complete_batch(REQUESTS)
    assert [completion.text for completion in together] == [completion.text for completion in alone]
    assert [(completion.finish, completion.tokens_in, completion.tokens_out) for completion in together] == [
        (completion.finish, completion.tokens_in, completion.tokens_out) for completion in alone
    ]
    assert together[0].text != together[1].text  # the seeds differ
    assert together[0].tokens_in == len("<user>a<assistant>")
    assert [generator.ask(prompt_request).result().text for prompt_request in REQUESTS] == [
        completion.text for completion in alone
    ]


def test_temperature_0_is_greedy_for_every_seed(generator):
    first, second = generator.complete_batch([request("x", 0.0, seed=1), request("x", 0.0, seed=2)])
    assert first.text == second.text
    assert len({generator.complete_batch([request("x", 1.5, seed=seed)])[0].text for seed in range(5)}) == 5


def test_samples_follow_the_probabilities():
    import torch
    from aucenv.baselines.llm.local_models.batch_generation import DrawTokens

    probabilities = torch.tensor([0.5, 0.3, 0.2])
    rows = 6000
    draw = DrawTokens([request("", 1.0, seed=seed) for seed in range(rows)])
    drawn = draw(None, probabilities.log().repeat(rows, 1)).argmax(1).bincount() / rows
    assert drawn.tolist() == pytest.approx(probabilities.tolist(), abs=0.03)
    cold = DrawTokens([request("", 0.5, seed=seed) for seed in range(rows)])
    drawn = cold(None, probabilities.log().repeat(rows, 1)).argmax(1).bincount() / rows
    assert drawn.tolist() == pytest.approx((probabilities**2 / (probabilities**2).sum()).tolist(), abs=0.03)


def test_replies_end_at_their_limits(generator):
    cut = generator.complete_batch([request("a", max_tokens=5)])[0]
    assert (cut.finish, cut.tokens_out) == ("length", 5)
    lengths = {
        completion.finish
        for completion in generator.complete_batch([request("a", 2.0, seed, 400) for seed in range(6)])
    }
    assert "stop" in lengths
    long = generator.complete_batch([request("z" * 5000), request("a")])
    assert (long[0].finish, long[0].tokens_out) == ("context", 0)
    assert long[1].tokens_out > 0


def test_an_adapter_changes_the_replies(tiny, generator, tmp_path):
    from aucenv.baselines.llm.local_models.batch_generation import BatchGenerator
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM

    config = LoraConfig(r=4, target_modules=["q_proj", "v_proj"], init_lora_weights=False, task_type="CAUSAL_LM")
    get_peft_model(AutoModelForCausalLM.from_pretrained(tiny), config).save_pretrained(tmp_path)
    adapted = BatchGenerator(str(tiny), str(tmp_path), 8, "cpu")
    prompt_request = request("a", 0.0, max_tokens=40)
    assert adapted.complete_batch([prompt_request])[0].text != generator.complete_batch([prompt_request])[0].text
    policy = make_policy("english", f"llm:local:{tiny},adapter={tmp_path}")
    assert policy.model.adapter == str(tmp_path)
    with pytest.raises(ValueError, match=r"expected a folder with an adapter_config\.json, got '/none'"):
        make_policy("english", f"llm:local:{tiny},adapter=/none")


def test_simultaneous_games_share_batches(tiny, tmp_path, monkeypatch):
    from aucenv.baselines.llm.local_models.batch_generation import BatchGenerator

    sizes, complete_batch = [], BatchGenerator.complete_batch
    monkeypatch.setattr(
        BatchGenerator,
        "complete_batch",
        lambda self, prompt_request: sizes.append(len(prompt_request)) or complete_batch(self, prompt_request),
    )
    settings = Settings(
        bidders=(f"tiny=llm:local:{tiny},max_tokens=8", "rule", "value"), games=3, changes=("num_items=1",)
    )
    outs = [tmp_path / str(number) for number in (1, 3)]
    for out, concurrency in zip(outs, (1, 3), strict=True):
        run(settings, RunOptions(concurrency=concurrency), out=out)
    assert max(sizes) > 1
    assert (outs[0] / "games.jsonl").read_text() == (outs[1] / "games.jsonl").read_text()
    figures = json.loads((outs[1] / "run.json").read_text())["models"]["tiny"]
    assert figures["cost"] == 0
    assert figures["tokens_out"] > 0


def test_models_that_cannot_be_loaded_are_named(tiny, tmp_path):
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(PolicyError, match="cannot be loaded"):
        play("english", "standard-20k-random", [f"llm:local:{tmp_path}", "rule", "value"])
    broken = tmp_path / "mute"
    broken.mkdir()
    for file in tiny.iterdir():
        if file.name != "chat_template.jinja":
            (broken / file.name).write_bytes(file.read_bytes())
    settings = json.loads((broken / "tokenizer_config.json").read_text())
    settings.pop("chat_template", None)
    (broken / "tokenizer_config.json").write_text(json.dumps(settings))
    with pytest.raises(PolicyError, match="expected a chat model, but its tokenizer has no chat template"):
        play("english", "standard-20k-random", [f"llm:local:{broken}", "rule", "value"])


def agent_matches(model, items, seeds):
    """Yield each agent of the papers, with the matches of short games in which it calls the model."""
    load = {name: find_family(name).game.load_scenario for name in ("english", "harbor", "sealed_bid", "clock")}
    english = load["english"]("standard-20k-random").changed(num_items=items)
    harbor = load["harbor"]("evaluation-single").changed(num_items=items, matches=0)
    sealed = load["sealed_bid"]("first-ipv").changed(num_rounds=2)
    clock = load["clock"]("ascending-apv").changed(num_rounds=2)
    water = find_family("water_allocation").game.load_scenario("low-personas").changed(days=3)
    for scenario, agent, game, rivals in (
        (english, "bdi", "english", ["rule"] * 2),
        (harbor, "harbor,tom=second", "harbor", ["persona"] * 2),
        (sealed, "plan-bid-reflect", "sealed_bid", ["truthful"] * 2),
        (clock, "plan-bid-reflect,language=russian", "clock", ["truthful"] * 2),
        (water, "resident", "water_allocation", ["salary"] * 4),
    ):
        names = (f"m={model},agent={agent}", *rivals)
        yield agent, [Match(game, scenario, names, (seed,), seed) for seed in seeds]


def check_agents_finish(model, items, seeds):
    for agent, matches in agent_matches(model, items, seeds):
        journal = CallJournal()
        records = list(RunOptions().executor(matches).play(matches, journal))
        assert [record.outcome["status"] for record in records] == ["terminated"] * len(seeds), agent
        for record in records:
            replay(record)
        assert journal.calls


def test_agents_finish_their_games_with_random_replies(tiny):
    check_agents_finish(f"llm:local:{tiny},max_tokens=4", items=1, seeds=(0,))


@pytest.mark.slow
def test_agents_finish_their_games_with_smollm2():
    check_agents_finish("llm:local:smollm2,max_tokens=32", items=2, seeds=(0,))


@pytest.mark.slow
def test_smollm2_plays_in_process_and_behind_a_server(tmp_path):
    """Play from the command line, print a transcript, and play the same game against a server, with fewer retries."""
    folder = smollm2_folder()
    assert smollm2_folder() == folder
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    options = [
        "--bidder",
        "smollm2=llm:local:smollm2,max_tokens=4",
        "--bidder",
        "rule",
        "--set",
        "num_items=1",
        "--games",
        "2",
    ]
    arguments = [AUCENV, "leaderboard", *options, "--set", "num_bidders=2", "--out", tmp_path]
    process = subprocess.run(arguments, env=environment, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    first, second = read_records(tmp_path)
    replay(first)
    replay(second)
    local = [call for call in read_calls(tmp_path) if call.game == 0]
    assert local[0].reply
    output = subprocess.run([AUCENV, "records", "show", tmp_path, "0"], capture_output=True, text=True).stdout
    assert "--- reply (" in output
    server_journal = CallJournal()
    serve_arguments = [AUCENV, "serve", "smollm2", "--port", "0"]
    with subprocess.Popen(serve_arguments, env=environment, stdout=subprocess.PIPE, text=True) as server:
        try:
            name = server.stdout.readline().split()[-1]
            assert name.startswith("llm:openai:smollm2,base_url=http://127.0.0.1:")
            bidders = [f"smollm2={name}".replace("max_tokens=64", "max_tokens=4"), "rule"]
            replay(play("english", first.scenario, bidders, first.seed, max_retries=1, journal=server_journal))
        finally:
            server.terminate()
    assert {call.model for call in server_journal.calls} == {"smollm2"}
    assert all(call.tokens_out <= 4 for call in server_journal.calls)
    assert len(server_journal.calls) == 2
    # decoding is greedy and the weights are equal, so the first replies are, too
    assert server_journal.calls[0].reply == local[0].reply


def formed(*arguments, **more):
    return dataclasses.replace(request(*arguments, **more), reply_form=BID_OR_WITHDRAW)


def test_rows_with_and_without_a_form_share_batches(generator):
    mixed = [
        *REQUESTS,
        formed("a", max_tokens=64),
        formed("a", 0.0, max_tokens=90),
        formed("longer " * 20, 2.0, 5, 80),
        formed("z" * 5000, max_tokens=64),
    ]
    together = generator.complete_batch(mixed)
    alone = [generator.complete_batch([asked])[0] for asked in mixed]
    assert [(c.text, c.finish, c.tokens_out) for c in together] == [(c.text, c.finish, c.tokens_out) for c in alone]
    assert [c.text for c in together[:5]] == [c.text for c in generator.complete_batch(REQUESTS)]
    for asked, completion in zip(mixed[5:8], together[5:8], strict=True):
        assert set(json.loads(completion.text)) == {"reasoning", "action", "amount"}
        assert (completion.finish, completion.structured) == ("stop", True)
        assert completion.tokens_out < asked.max_tokens
    assert together[8].finish == "context"


def test_too_few_tokens_for_a_model_are_named(generator):
    with pytest.raises(ModelFailure, match=r"max_tokens: expected at least 62 for this model with reply=json, got 61"):
        generator.ask(formed("a", max_tokens=61))
    assert generator.ask(formed("a", max_tokens=62)).result().finish == "stop"


def test_random_models_write_readable_bids(tiny):
    model = f"llm:local:{tiny},max_tokens=70,temperature=1.5,reply=json"
    journal = CallJournal()
    record = play("english", "standard-20k-random", [f"m={model}", "rule", "value"], 1, journal=journal)
    replay(record)
    assert {call.finish for call in journal.calls} <= {"stop", "context"}  # its context is only 4,096 characters
    complete = [call for call in journal.calls if call.finish == "stop"]
    assert complete
    for call in complete:
        assert json.loads(call.reply)["action"] in ("bid", "withdraw")


@pytest.mark.slow
def test_smollm2_always_decides():
    journal = CallJournal()
    bidders = ["llm:local:smollm2,reply=json", "rule"]
    scenario = find_family("english").game.load_scenario("standard-20k-random").changed(num_bidders=2, num_items=1)
    replay(play("english", scenario, bidders, 1, max_rounds=1, max_retries=0, journal=journal))
    (call,) = journal.calls
    data = json.loads(call.reply)
    assert (data["action"] == "bid") == (data["amount"] is not None)
    assert (call.finish, call.structured) == ("stop", True)
    assert call.tokens_out < 64
