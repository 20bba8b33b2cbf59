"""A finetuned model as a bidder: what it writes, where it comes from, and what is no checkpoint."""

from __future__ import annotations

import json
import shutil
from types import SimpleNamespace

import pytest
import torch
from aucenv.training.rlact.checkpoints import load_model
from aucenv.training.rlact.evaluation import profit_ratio
from aucenv.training.rlact.generation import ReplyGenerator
from aucenv.training.rlact.messages import BID, RECOMMENDATION, TASKS, read_legal, reply_of
from aucenv.training.rlact.policy import COMMITTED, RLActBidder
from aucenv.training.rlact.states import read_states
from tiny_training import small_run, write_small_states

import aucenv
from aucenv.core.policy import ModelFailure, PolicyError
from aucenv.policy.registry import make_policy
from aucenv.policy.user_code import file_digest


@pytest.fixture(scope="module")
def collected(tmp_path_factory):
    return write_small_states(tmp_path_factory.mktemp("states"))


@pytest.fixture(scope="module")
def folder(collected, tmp_path_factory):
    """Of a model that speaks."""
    out = tmp_path_factory.mktemp("runs") / "spoken"
    run = small_run(out, collected, warm_up_steps=200, per_device_train_batch_size=64)
    run.run()
    return run.out / "model"


@pytest.fixture(scope="module")
def states(collected):
    return read_states(collected / "evaluation.jsonl")


@pytest.fixture(scope="module")
def speaker(folder):
    model, tokenizer, about = load_model(folder)
    assert about["phase"] == BID
    return ReplyGenerator(model, tokenizer, about["detail"], about["profiles"], about["longest"])


@pytest.mark.parametrize("phase", [RECOMMENDATION, BID])
def test_a_draft_that_is_confirmed_is_what_the_model_writes(speaker, states, phase):
    written = speaker.replies(states, phase)
    assert [speaker.likeliest(state.view(), phase) for state in states] == written
    assert any(read_legal(reply, phase, state) is not None for reply, state in zip(written, states, strict=True))


def test_replies_by_chance_follow_from_the_seed(speaker, states):
    assert speaker.replies(states, BID, 1) == speaker.replies(states, BID, 1) != speaker.replies(states, BID, 2)


def test_writing_leaves_torch_s_chance_alone(speaker, states):
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    speaker.replies(states[:3], BID, 1)
    speaker.drawn(states[0].view(), BID, 1)
    speaker.likeliest(states[0].view(), BID)
    assert torch.equal(torch.rand(3), expected)


def test_a_model_that_learns_plays_as_it_will_play(folder, states):
    """Without dropout, and is then left to learn."""
    model, tokenizer, about = load_model(folder)
    for layer in model.model.layers:
        layer.self_attn.attention_dropout = 0.9
    speaker = ReplyGenerator(model, tokenizer, about["detail"], about["profiles"], about["longest"])
    expected = [speaker.likeliest(state.view(), BID) for state in states]
    model.train()
    assert [speaker.likeliest(state.view(), BID) for state in states] == expected
    assert model.training


def test_it_plays_a_game_and_again_the_same(folder):
    record = aucenv.play("harbor", "evaluation-single", [f"rlact:{folder}", "expact", "persona"], seed=3)
    again = aucenv.play("harbor", "evaluation-single", [f"rlact:{folder}", "expact", "persona"], seed=3)
    assert record.to_json() == again.to_json()
    own = [decision for decision in record.decisions if decision["seat"] == record.seats[0]["seat"]]
    assert own
    assert any("rule" in decision["notes"] for decision in own)


def test_a_recommendation_to_bid_is_the_least_bid(speaker, states):
    bidder = RLActBidder("harbor", speaker, RECOMMENDATION)
    for state in states:
        view = state.view()
        bidder.reset(view.seat, 0)
        reply = bidder.act(view, {})
        meant = read_legal(bidder.notes.get("reply", reply), RECOMMENDATION, view)
        assert meant is None or read_legal(reply, BID, view) == meant


def test_it_advises_harbor_s_agent(folder):
    from competent_agent import Competent

    with Competent() as model:
        name = f"llm:openai:x,base_url={model.url},agent=harbor,strategy=adviser:rlact:{folder}"
        record = aucenv.play("harbor", "evaluation-single", [name, "expact", "persona"], seed=1)
    own = [decision["notes"] for decision in record.decisions if decision["seat"] == record.seats[0]["seat"]]
    advice = [notes["advice"] for notes in own if "advice" in notes]
    assert len(advice) > 3
    assert {said.split(" $")[0] for said in advice} <= {"I bid", "I'm out!"}


def test_its_files_tell_it_from_another_of_the_same_name(folder, tmp_path):
    copied = tmp_path / "model"
    shutil.copytree(folder, copied)
    before = file_digest(f"rlact:{copied}")
    assert before is not None
    about = json.loads((copied / "rlact.json").read_text())
    (copied / "rlact.json").write_text(json.dumps(about | {"phase": RECOMMENDATION}))
    assert file_digest(f"rlact:{copied}") != before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"phase": "sleep"}, "phase: expected one of"),
        ({"version": 9}, "version"),
        ({"longest": 0}, "longest"),
        ({"detail": "long"}, "detail"),
    ],
)
def test_what_is_no_checkpoint_is_refused(folder, tmp_path, change, message):
    copied = tmp_path / "model"
    shutil.copytree(folder, copied)
    about = json.loads((copied / "rlact.json").read_text())
    (copied / "rlact.json").write_text(json.dumps(about | change))
    with pytest.raises(ValueError, match=message):
        make_policy("harbor", f"rlact:{copied}")


def test_so_is_a_folder_without_one_and_an_unknown_game(tmp_path):
    with pytest.raises(ValueError, match=r"rlact\.json"):
        make_policy("harbor", f"rlact:{tmp_path}")
    with pytest.raises(ValueError, match="game: expected one of"):
        make_policy("clock", "rlact")
    with pytest.raises(ValueError, match="parameter: expected one of"):
        make_policy("harbor", "rlact,speed=3")
    with pytest.raises(ValueError, match="base: expected an adapter"):
        make_policy("harbor", "rlact,base=smollm2")


def test_weights_that_are_cut_off_are_told(folder, tmp_path):
    copied = tmp_path / "model"
    shutil.copytree(folder, copied)
    weights = copied / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(ValueError, match="cannot be loaded"):
        load_model(copied)
    with pytest.raises(PolicyError) as told:
        aucenv.play("harbor", "evaluation-single", [f"rlact:{copied}", "expact", "persona"])
    assert isinstance(told.value.__cause__, ModelFailure)  # no traceback on the command line


def test_what_it_means_is_said_in_plain_words(states):
    """Also where it says its task again, which the game's own reader may take for two answers."""
    view, plain = states[0].view(), reply_of(int(states[0].row["least"][0]), BID)
    answer = f"{TASKS[BID]} {plain}"
    bidder = RLActBidder("harbor", SimpleNamespace(likeliest=lambda view, phase: answer), BID)
    bidder.reset(view.seat, 0)
    assert bidder.act(view, {}) == plain
    assert bidder.notes["reply"] == answer


def test_the_model_that_comes_with_aucenv_earns_more_than_expact():
    found = [profit_ratio(make_policy("harbor", name), 6) for name in ("rlact", "expact")]
    assert found[0] > found[1] + 2


def test_its_card_says_how_it_is_made_again_and_that_it_decides_well():
    card = (COMMITTED / "README.md").read_text()
    figures = [float(word.strip(" %")) for word in card.splitlines()[-1].split("|")[3:7]]
    right, legal, chance, probe = figures
    assert legal > 98
    assert right >= chance + 0.9 * (probe - chance)
    assert "aucenv train rlact --preset tiny --seed 0" in card
    assert {file.name for file in COMMITTED.iterdir()} >= {"model.safetensors", "tokenizer.json", "rlact.json"}
    assert sum(file.stat().st_size for file in COMMITTED.iterdir()) < 4 << 20
