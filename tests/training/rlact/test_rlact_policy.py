"""A finetuned model as a bidder: its replies, its checkpoint, and invalid checkpoints."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
import torch
from aucenv.baselines.llm.agents.harbor import Adviser
from aucenv.training.rlact import policy
from aucenv.training.rlact.learning.generation import ReplyGenerator
from aucenv.training.rlact.models import checkpoints
from aucenv.training.rlact.models.checkpoints import load_model
from aucenv.training.rlact.policy import BUNDLED_MODEL, RLActBidder
from aucenv.training.rlact.states.messages import BID, RECOMMENDATION, TASKS, plain_reply, read_legal
from aucenv.training.rlact.states.states import read_states

import aucenv
from aucenv.core.policy import ModelFailure, PolicyError
from aucenv.policy.registry import make_policy
from aucenv.policy.user_code import file_digest


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return shutil.copytree(BUNDLED_MODEL, tmp_path_factory.mktemp("runs") / "model")


@pytest.fixture(scope="module")
def held_out(states):
    return read_states(states / "validation.jsonl")


@pytest.fixture(scope="module")
def generator(folder):
    model, tokenizer, metadata = load_model(folder)
    assert metadata["phase"] == BID
    return ReplyGenerator(model, tokenizer, metadata["detail"], metadata["profiles"], metadata["longest"])


@pytest.mark.parametrize("phase", [RECOMMENDATION, BID])
def test_a_confirmed_draft_is_the_reply_of_greedy_decoding(generator, held_out, phase):
    replies = generator.replies(held_out, phase)
    assert [generator.greedy_reply(state.view(), phase) for state in held_out] == replies
    assert any(read_legal(reply, phase, state) is not None for reply, state in zip(replies, held_out, strict=True))


def test_sampled_replies_depend_on_the_seed(generator, held_out):
    assert (
        generator.replies(held_out, BID, 1)
        == generator.replies(held_out, BID, 1)
        != generator.replies(held_out, BID, 2)
    )


def test_generating_replies_does_not_change_the_random_state_of_torch(generator, held_out):
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    generator.replies(held_out[:3], BID, 1)
    generator.sampled_reply(held_out[0].view(), BID, 1)
    generator.greedy_reply(held_out[0].view(), BID)
    assert torch.equal(torch.rand(3), expected)


def test_a_model_in_training_mode_replies_without_dropout_and_stays_in_training_mode(folder, held_out):
    model, tokenizer, metadata = load_model(folder)
    for layer in model.model.layers:
        layer.self_attn.attention_dropout = 0.9
    generator = ReplyGenerator(model, tokenizer, metadata["detail"], metadata["profiles"], metadata["longest"])
    expected = [generator.greedy_reply(state.view(), BID) for state in held_out]
    model.train()
    assert [generator.greedy_reply(state.view(), BID) for state in held_out] == expected
    assert model.training


def test_the_same_seed_gives_the_same_game(folder):
    record = aucenv.play("harbor", "evaluation-single", [f"rlact:{folder}", "expact", "persona"], seed=3)
    again = aucenv.play("harbor", "evaluation-single", [f"rlact:{folder}", "expact", "persona"], seed=3)
    assert record.to_json() == again.to_json()
    decisions = [decision for decision in record.decisions if decision["seat"] == record.seats[0]["seat"]]
    assert decisions
    assert any("rule" in decision["notes"] for decision in decisions)


def test_a_recommendation_to_bid_is_the_least_bid(generator, held_out):
    bidder = RLActBidder("harbor", generator, RECOMMENDATION)
    for state in held_out:
        view = state.view()
        bidder.reset(view.seat, 0)
        reply = bidder.act(view, {})
        amount = read_legal(bidder.notes.get("reply", reply), RECOMMENDATION, view)
        assert amount is None or read_legal(reply, BID, view) == amount


def test_the_model_can_advise_the_agent_of_harbor(folder):
    from competent_agent import Competent

    with Competent() as model:
        name = f"llm:openai:x,base_url={model.url},agent=harbor,strategy=adviser:rlact:{folder}"
        record = aucenv.play("harbor", "evaluation-single", [name, "expact", "persona"], seed=1)
    all_notes = [decision["notes"] for decision in record.decisions if decision["seat"] == record.seats[0]["seat"]]
    advice = [notes["advice"] for notes in all_notes if "advice" in notes]
    assert len(advice) > 3
    assert {reply.split(" $")[0] for reply in advice} <= {"I bid", "I'm out!"}


def test_the_file_digest_changes_with_the_files(folder, tmp_path):
    copied = tmp_path / "model"
    shutil.copytree(folder, copied)
    before = file_digest(f"rlact:{copied}")
    assert before is not None
    metadata = json.loads((copied / "rlact.json").read_text())
    (copied / "rlact.json").write_text(json.dumps(metadata | {"phase": RECOMMENDATION}))
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
def test_invalid_metadata_are_refused(folder, tmp_path, change, message):
    copied = tmp_path / "model"
    shutil.copytree(folder, copied)
    metadata = json.loads((copied / "rlact.json").read_text())
    (copied / "rlact.json").write_text(json.dumps(metadata | change))
    with pytest.raises(ValueError, match=message):
        make_policy("harbor", f"rlact:{copied}")


def test_bad_arguments_of_the_bidder_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"rlact\.json"):
        make_policy("harbor", f"rlact:{tmp_path}")
    with pytest.raises(ValueError, match="game: expected one of"):
        make_policy("clock", "rlact")
    with pytest.raises(ValueError, match="parameter: expected one of"):
        make_policy("harbor", "rlact,speed=3")
    with pytest.raises(ValueError, match="base: expected an adapter"):
        make_policy("harbor", "rlact,base=smollm2")


def test_truncated_weights_are_reported(folder, tmp_path):
    copied = tmp_path / "model"
    shutil.copytree(folder, copied)
    weights = copied / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(ValueError, match="cannot be loaded"):
        load_model(copied)
    with pytest.raises(PolicyError) as error:
        aucenv.play("harbor", "evaluation-single", [f"rlact:{copied}", "expact", "persona"])
    assert isinstance(error.value.__cause__, ModelFailure)  # so the command line prints no traceback


def test_the_bidder_replies_in_plain_words(held_out):
    """The reply is plain even if the model repeats its task, which the game's parser may take for two answers."""
    view, plain = held_out[0].view(), plain_reply(int(held_out[0].full_row["least"][0]), BID)
    answer = f"{TASKS[BID]} {plain}"
    bidder = RLActBidder("harbor", SimpleNamespace(greedy_reply=lambda view, phase: answer), BID)
    bidder.reset(view.seat, 0)
    assert bidder.act(view, {}) == plain
    assert bidder.notes["reply"] == answer


@pytest.mark.parametrize("recommends", [True, False])
def test_a_model_that_is_trained_to_recommend_does_so_as_an_adviser_and_bids_as_a_player(held_out, recommends):
    view, least = held_out[0].view(), int(held_out[0].full_row["least"][0])
    replies = {RECOMMENDATION: "Recommendation: withdraw", BID: plain_reply(least, BID)}
    bidder = RLActBidder("harbor", SimpleNamespace(greedy_reply=lambda view, phase: replies[phase]), BID, recommends)
    adviser = Adviser("harbor", "expact")
    adviser.policy = bidder
    adviser.reset(view.seat, 0)
    assert bidder.act(view, {}) == replies[BID]
    assert adviser.advise(view) == ("I'm out!" if recommends else replies[BID])


def test_threads_that_play_at_once_load_a_model_once(folder, monkeypatch):
    loaded = []

    def load(path, base):
        loaded.append(path)
        time.sleep(0.05)  # during which the other threads ask for the model
        return load_model(path, base)

    policy.load_generator.cache_clear()
    monkeypatch.setattr(checkpoints, "load_model", load)
    with ThreadPoolExecutor(8) as pool:
        generators = list(pool.map(lambda _: policy._get_generator(str(folder), "", None), range(8)))
    assert loaded == [folder]
    assert len(set(generators)) == 1


def test_the_bundled_model_earns_more_than_expact():
    def profit(name):
        lineups = [name, "persona", "expact"], ["persona", name, "expact"], ["persona", "expact", name]
        games = [(f"fresh-{9001 + deal}", lineup) for deal in range(3) for lineup in lineups]
        records = [aucenv.play("harbor", houses, lineup, 0) for houses, lineup in games]
        outcomes = [record.outcome["seats"] for record in records]
        return sum(seats[g[1].index(name)]["profit"] for seats, g in zip(outcomes, games, strict=True)) / len(games)

    assert profit("rlact") > profit("expact") + 50_000


def test_the_card_of_the_bundled_model_has_its_command_and_good_accuracies():
    card = (BUNDLED_MODEL / "README.md").read_text()
    rows = [line.split(" | ") for line in card.splitlines() if line.startswith(("| harbor |", "| english |"))]
    last = {row[0].strip("| "): [float(each.strip("%")) for each in row[2:7]] for row in rows}
    assert set(last) == {"harbor", "english"}
    for recommended, right, legal, constant, probe in last.values():
        assert min(recommended, right) >= constant + 0.9 * (probe - constant)
        assert legal >= 99
    assert "aucenv train league --set rounds=2 --set updates=700 --set deals=100 --preset tiny-dpo --seed 0" in card
    assert hashlib.sha256((BUNDLED_MODEL / "model.safetensors").read_bytes()).hexdigest() in card
    assert {file.name for file in BUNDLED_MODEL.iterdir()} >= {"model.safetensors", "tokenizer.json", "rlact.json"}
    assert sum(file.stat().st_size for file in BUNDLED_MODEL.iterdir()) < 4 << 20
