"""Decision states: where they come from, what they tell, their files; the audit, the probe and the commands."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from aucenv.baselines.scripted.harbor_rules_followed import followed
from aucenv.benchmarks.loopback import Loopback
from aucenv.training.rlact.audit import CLASSES, PUBLISHED, audit_records, audit_replies, audit_words, shares
from aucenv.training.rlact.collect import Collection, collect
from aucenv.training.rlact.judges import JudgeFailure
from aucenv.training.rlact.messages import BID, PHASES, TASKS, read_reply, reply_of, state_messages
from aucenv.training.rlact.model_judge import asked_by
from aucenv.training.rlact.probe import probe, seen
from aucenv.training.rlact.simulator import Simulator
from aucenv.training.rlact.states import (
    DecisionState,
    Worth,
    bounds,
    check_disjoint,
    own_personas,
    read_states,
    write_states,
)
from typer.testing import CliRunner

import aucenv
from aucenv.cli import app, main
from aucenv.core.state import WITHDRAW

COLLECTION = Collection(60, ("harbor", "english"), seed=1)


@pytest.fixture(scope="module")
def splits():
    return {split: list(collect(COLLECTION, split)) for split in ("train", "validation", "evaluation")}


@pytest.fixture(scope="module")
def judged():
    """Housing auctions, judged."""
    made = {}
    for split in ("train", "evaluation"):
        found = list(collect(Collection(300, detail="brief"), split))
        worths = Simulator(samples=16, ladder=1).worths(found)
        made[split] = [dataclasses.replace(s, worth=w) for s, w in zip(found, worths, strict=True)]
    return made


def cli(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env={"COLUMNS": "200"})


def test_splits_are_as_large_as_asked_and_share_nothing(splits):
    assert {split: len(found) for split, found in splits.items()} == {"train": 48, "validation": 6, "evaluation": 6}
    assert len({state.id for found in splits.values() for state in found}) == 60
    for name, found in splits.items():
        assert all(state.split == name for state in found)
        check_disjoint(splits["train"] if name != "train" else splits["evaluation"], found)
    houses = [{s.scenario.get("houses") for s in splits[name]} - {None} for name in ("train", "evaluation")]
    assert not houses[0] & houses[1]
    assert {state.game for state in splits["train"]} == {"harbor", "english"}


def test_states_are_spread_over_kinds_of_moments():
    kinds = Counter(state.stratum for state in collect(Collection(500, detail="brief"), "train"))
    assert len(kinds) > 40
    assert max(kinds.values()) <= 3 * 400 / len(kinds)


def test_the_same_seed_gives_the_same_bytes_and_lines_read_back(splits):
    again = list(collect(COLLECTION, "evaluation"))
    lines = [state.to_json() for state in splits["evaluation"]]
    assert [state.to_json() for state in again] == lines
    assert [DecisionState.from_json(line).to_json() for line in lines] == lines
    other = next(iter(collect(dataclasses.replace(COLLECTION, seed=2), "evaluation")))
    assert other.to_json() != lines[0]


def test_a_state_is_the_moment_it_was_taken_from(splits):
    """The game of its seed and bidders, played again, comes to it: the same view, the same words."""
    for state in splits["train"][:6]:
        family = getattr(aucenv, f"{state.game}_v0")
        game = family.game
        from aucenv.core.table import Table

        table = Table(game, game.load_scenario(state.scenario), ["amount"] * len(state.bidders))
        table.reset(state.seed)
        policies = [aucenv.make_policy(state.game, name) for name in state.bidders]
        found = False
        while not table.over and not found:
            for seat in table.pending:
                view = table.view(seat)
                if seat == state.seat and (table.state == state.row).all():
                    found = True
                    assert game.text.describe(view) == game.text.describe(state.view())
                    assert {phase: state_messages(view, phase) for phase in PHASES} == state.messages
                table.submit(seat, policies[seat].act(view, {}))
        assert found


def test_messages_tell_what_the_paper_lists(splits):
    state = next(s for s in splits["train"] if s.game == "harbor" and s.descriptions and s.view().item_number > 2)
    view = state.view()
    words = " ".join(message["content"] for message in state.messages["recommendation"])
    assert "Recommendation, a colon, and bid or withdraw" in words
    for told in (*state.descriptions, view.item.description, view.item.name, *view.scenario_text.names):
        assert told in words
    for amount in (view.least_bid, view.budget, view.starting_price, *view.budgets.values(), *view.profits.values()):
        assert f"{amount:,.0f}" in words
    assert "Last round: " in words or view.round == 0
    numbers = state_messages(view, BID, "numbers", "brief")[1]["content"]
    assert "Profile: First-Time Homebuyers " in numbers
    assert view.item.description not in numbers
    english = next(s for s in splits["train"] if s.game == "english")
    assert "seems to want" not in str(english.messages)


def test_replies_mean_what_they_say(splits):
    state = splits["train"][0]
    view, least = state.view(), bounds(state.row, state.seat)[0]
    assert read_reply("Hm.\nRecommendation: withdraw", "recommendation", view) == WITHDRAW
    assert read_reply("Not 'Recommendation: withdraw' but\n**Recommendation:** BID.", "recommendation", view) == least
    assert read_reply("Too dear. My recommendation: withdraw", "recommendation", view) == WITHDRAW
    assert read_reply("<think>Recommendation: bid</think>Recommendation: withdraw", "recommendation", view) == WITHDRAW
    assert read_reply("I bid $1,234.50!", BID, view) == 123450
    assert read_reply("I'm out!", BID, view) == WITHDRAW
    for amount in (WITHDRAW, least):
        assert all(read_reply(reply_of(amount, phase), phase, view) == amount for phase in PHASES)
    hedged = (
        *("Recommendation: bid or withdraw", "Recommendation: bid / withdraw", "Recommendation: bid? No. Withdraw."),
        *("Do not follow the recommendation: bid. Leave!", "I cannot give a recommendation: bid if you like"),
        *("At $5 my recommendation: withdraw. Now, bid!", "<think>" + "x" * 30_000 + " Recommendation: bid</think> no"),
        *(f"<think>{'x' * 90_000}. Recommendation: bid", *TASKS.values()),
    )
    for nothing in ("", "Recommendation: bidding war", "perhaps", "a" * 1_000_000, "\ud800", None, *hedged):
        assert read_reply(nothing, "recommendation", view) is None
    for nothing in ("", "perhaps", "a" * 1_000_000, None, TASKS[BID]):
        assert read_reply(nothing, BID, view) is None


def test_bad_lines_are_refused(splits, tmp_path):
    line = json.loads(splits["train"][0].to_json())

    def refused(match, **changes):
        (tmp_path / "s.jsonl").write_text(
            json.dumps({k: v for k, v in {**line, **changes}.items() if v != "gone"}) + "\n"
        )
        with pytest.raises(ValueError, match=match) as error:
            read_states(tmp_path / "s.jsonl")
        assert str(error.value).startswith(f"{tmp_path / 's.jsonl'}:1")

    refused("layout 0123.* expected|expected the layout .*, got '0123': it was made by another version", layout="0123")
    refused("version: expected one of 1", version=9)
    refused("version of harbor", env_version=3)
    refused("game: expected one of english, harbor", game="chess")
    refused("missing", seat="gone")
    refused("unknown", more=1)
    refused("split: expected", split="test")
    refused("row: expected a packed state", row="!!!")
    refused("row: expected", row="eJwDAAAAAAE=")
    refused("seat: expected a whole number from 0", seat=99)
    refused("bidders: expected", bidders=[])
    refused("not JSON", scenario="{")
    refused("worth", worth={"actions": [None], "means": [1.0, 2.0], "errors": [0.0], "judge": ""})
    refused("seed", seed="x")
    refused("id: expected 16 hexadecimal", id="not hex")
    refused("expected the scenario, row and history of state", id="0" * 16)
    refused("expected the scenario, row and history of state", descriptions=["Somebody else."])
    refused("bidders: expected some text", bidders=[1] * len(line["bidders"]))
    refused("messages", messages={})
    refused("messages: expected each with role and content", messages={"bid": [], "recommendation": [{"role": 1}]})
    refused("history", history=[["a", "b", "c", "d"]])
    refused(
        "worth, means: expected a number",
        worth={"actions": [None, 1], "means": ["a", 2.0], "errors": [0, 0], "judge": ""},
    )
    refused(
        "worth, actions: expected null and a bid",
        worth={"actions": [1, 2], "means": [1, 2], "errors": [0, 0], "judge": ""},
    )
    refused("expected whole characters", stratum="\ud800")
    (tmp_path / "s.jsonl").write_text("\n")
    with pytest.raises(ValueError, match=r"s\.jsonl: expected at least one state, got none"):
        read_states(tmp_path / "s.jsonl")


def test_overlapping_splits_are_refused_with_names(splits):
    train = [state for state in splits["train"] if state.descriptions]
    copied = dataclasses.replace(train[0], split="evaluation", id="0" * 16)
    with pytest.raises(ValueError, match=f"personas described alike in both: {own_personas(train[0])[0]}"):
        check_disjoint(train, [copied])
    with pytest.raises(ValueError, match="1 states stand in both"):
        check_disjoint(train, train[:1])


def test_ties_and_leads():
    worth = Worth((None, 10.0, 20.0), (5.0, 6.0, 4.0), (0.0, 0.4, 0.3), "j")
    assert (worth.best, worth.bid_or_withdraw, worth.lead) == (1, 1, 1.0)
    assert dataclasses.replace(worth, errors=(0.0, 0.5, 0.3)).bid_or_withdraw == 0
    assert dataclasses.replace(worth, means=(8.0, 6.0, 4.0)).bid_or_withdraw == -1


def test_datasets_load_the_files(splits, tmp_path):
    import datasets

    write_states(tmp_path / "train.jsonl", splits["train"])
    loaded = datasets.load_dataset(
        "json", data_files=str(tmp_path / "train.jsonl"), split="train", cache_dir=str(tmp_path / "cache")
    )
    assert loaded.num_rows == 48
    assert loaded[3]["messages"] == splits["train"][3].messages
    assert DecisionState.from_json(json.dumps(loaded[3])).to_json() == splits["train"][3].to_json()


def test_the_audit_agrees_with_the_rules_that_expact_says_it_follows():
    """Where ExpAct itself decides, its reasons are told back."""
    record = aucenv.play("harbor", "evaluation-single", ["expact", "expact", "persona"], 5)
    found = audit_records([record])
    told = Counter(d["notes"]["rule"] for d in record.decisions if d["seat"] != "bidder_2")
    assert found["expact"] == told
    assert found.keys() == {"expact", "persona"}
    assert sum(shares(found["expact"]).values()) == pytest.approx(1)
    assert sum(PUBLISHED.values()) == pytest.approx(1)
    with pytest.raises(ValueError, match="rules A to F are of housing auctions"):
        audit_records([aucenv.play("english", "standard-20k-random", ["rule"] * 3, 0)])


def test_replies_are_audited(splits):
    states = [state for state in splits["train"] if state.game == "harbor"]
    bids = audit_replies(states, ["Recommendation: bid"] * len(states), "recommendation")
    leaves = audit_replies(states, ["Recommendation: withdraw"] * len(states), "recommendation")
    assert set(bids) <= set("ABC")
    assert set(leaves) <= set("DEF")
    assert audit_replies(states, ["?"] * len(states), "recommendation") == {"other": len(states)}
    row = states[0].view().row
    assert followed(row, states[0].seat, True) in "ABC"
    english = [state for state in splits["train"] if state.game == "english"]
    with pytest.raises(ValueError, match="this one is of english"):
        audit_replies(english[:1], ["?"], "recommendation")
    with Loopback(lambda body: '{"rule": "F"}' if "dearer for" in str(body) else "none") as server:
        model = asked_by(f"llm:openai:m,base_url={server.url}")
        assert audit_words(model, ["It gets dearer for you.", "hm"]) == {"F": 1}
        with pytest.raises(JudgeFailure, match="no rule for any of 1 replies"):
            audit_words(model, ["hm"])


def test_a_probe_tells_more_than_chance_and_refuses_what_overlaps(judged):
    found = probe(judged["train"], judged["evaluation"])
    assert found.accuracy > found.chance + 0.1
    assert found.held_out == sum(bool(state.worth.bid_or_withdraw) for state in judged["evaluation"])
    assert len({len(seen(state)) for state in judged["train"]}) == 1
    with pytest.raises(ValueError, match="stand in both"):
        probe(judged["train"], judged["train"])
    unjudged = [dataclasses.replace(state, worth=None) for state in judged["evaluation"]]
    with pytest.raises(ValueError, match="held out states: expected judged ones"):
        probe(judged["train"], unjudged)
    with pytest.raises(ValueError, match="learnt states: expected some that are no ties, got none of 0"):
        probe([], judged["evaluation"])
    bids = [state for state in judged["train"] if state.worth.bid_or_withdraw > 0]
    with pytest.raises(ValueError, match=f"learnt states: expected decisions of both kinds, got {len(bids)} alike"):
        probe(bids, judged["evaluation"])
    with pytest.raises(ValueError, match="expected states of one game, got english, harbor"):
        probe([dataclasses.replace(judged["train"][0], game="english")], judged["evaluation"])


def test_numbers_of_the_probe_are_of_the_view_alone(judged):
    state = judged["train"][0]
    row = state.row.copy()
    row["persona"][0, (state.seat + 1) % len(state.bidders)] = 3
    row["estimate"][0, (state.seat + 1) % len(state.bidders)] = 5
    row["key"] = 1
    assert np.array_equal(seen(dataclasses.replace(state, row=row)), seen(state), equal_nan=True)


def test_the_commands(tmp_path):
    made = cli("rlact", "states", "--out", tmp_path, "--states", 40, "--detail", "brief")
    assert made.exit_code == 0, made.output
    assert "evaluation" in made.output
    train = tmp_path / "train.jsonl"
    first = train.read_bytes()
    ids = [state.id for state in read_states(train)]
    assert ids[:2] == ["aa857169a119cfd6", "38810ab64f7daca1"]  # judges' chance, and the committed model, hang on them
    cli("rlact", "states", "--out", tmp_path / "again", "--states", 40, "--detail", "brief")
    assert (tmp_path / "again" / "train.jsonl").read_bytes() == first
    files = [tmp_path / f"{split}.jsonl" for split in ("train", "evaluation")]
    assert "withdraw" in cli("rlact", "judge", *files, "--samples", 16).output
    judged_bytes = train.read_bytes()
    result = cli("rlact", "judge", train, "--samples", 16, "--workers", 2, "--out", tmp_path / "other.jsonl")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "other.jsonl").read_bytes() == judged_bytes != first
    states = read_states(train)
    assert all(state.worth.judge.startswith("own=expact, rivals=expact+persona, samples=16") for state in states)
    replies = tmp_path / "replies.jsonl"
    replies.write_text("".join(json.dumps({"id": s.id, "reply": "I'm out!"}) + "\n" for s in states))
    scored = cli("rlact", "judge", train, "--replies", replies, "--out", tmp_path / "scores.jsonl", "--samples", 16)
    assert scored.exit_code == 0, scored.output
    lines = [json.loads(line) for line in (tmp_path / "scores.jsonl").read_text().splitlines()]
    assert [line["id"] for line in lines] == [state.id for state in states]
    assert all(2 <= line["score"] <= 5 for line in lines)
    assert "RLAct, published" in cli("rlact", "audit", train, "--replies", replies, "--phase", "bid").output
    probed = cli("rlact", "probe", *files)
    assert probed.exit_code == 0, probed.output


def test_the_commands_refuse_bad_input(tmp_path, splits, capsys):
    write_states(tmp_path / "s.jsonl", splits["train"][:3])
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "alien.jsonl").write_text('{"id": "abc", "reply": "x"}\n')
    write_states(tmp_path / "twice.jsonl", splits["train"][:1] * 2)
    file = tmp_path / "s.jsonl"
    before = file.read_bytes()
    for arguments, said in (
        (("states", "--out", tmp_path / "x", "--states", 3), "states: expected a whole number from 10"),
        (("states", "--out", tmp_path / "x", "--game", "clock"), "game: expected one of english, harbor"),
        (("judge", tmp_path / "empty.jsonl"), "expected at least one state, got none"),
        (("judge", tmp_path / "none.jsonl"), "No such file"),
        (("judge", file, "--replies", tmp_path / "alien.jsonl"), "expected the id of one of 3 states, got 'abc'"),
        (("judge", file, "--replies", tmp_path / "empty.jsonl"), "expected at least one reply, got none"),
        (("judge", file, "--judge", "llm:openai:m"), "expected simulator where there are no --replies"),
        (("judge", file, "--rivals", "nobody"), "rule bidder: expected one of"),
        (("judge", file, "--samples", 1), "samples: expected a whole number from 2"),
        (("audit", file, "--model", "llm:openai:m"), "--model: expected --replies"),
        (("probe", file, file), "stand in both"),
        (("audit", tmp_path / "empty.jsonl"), "expected at least one game, got none"),
        (
            ("judge", file, "--replies", tmp_path / "r.jsonl", "--out", file),
            "--out: expected another file than it reads",
        ),
        (("judge", file, "--own", "expact_true"), "expected one that does not cheat"),
        (("judge", tmp_path / "twice.jsonl"), "twice.jsonl, ids: "),
    ):
        with pytest.raises(SystemExit) as ended:
            main(["rlact", *map(str, arguments)])
        told = capsys.readouterr().err
        assert ended.value.code == 2, (arguments, told)
        assert told.startswith("aucenv: ")
        assert said in told
        assert told.count("\n") == 1
    assert file.read_bytes() == before
    assert not list(Path(tmp_path).glob(".*partial"))


def test_classes_are_the_published_ones():
    assert tuple(PUBLISHED) == CLASSES
