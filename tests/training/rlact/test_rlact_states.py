"""Decision states: their collection, messages and files; the audit, the probe and the commands."""

from __future__ import annotations

import dataclasses
import json
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from aucenv.baselines.population.families import load_population
from aucenv.baselines.scripted.harbor import rule_followed
from aucenv.benchmarks.timings.loopback import Loopback
from aucenv.training.rlact.judges.judges import JudgeFailure
from aucenv.training.rlact.judges.model_judge import model_client
from aucenv.training.rlact.judges.simulator import Simulator
from aucenv.training.rlact.probes.audit import CLASSES, PUBLISHED, audit_records, audit_replies, audit_words, shares
from aucenv.training.rlact.probes.features import probe_features
from aucenv.training.rlact.probes.probe import probe
from aucenv.training.rlact.states.collect import Collection, collect
from aucenv.training.rlact.states.messages import BID, PHASES, TASKS, plain_reply, read_reply, state_messages
from aucenv.training.rlact.states.states import (
    ActionValues,
    DecisionState,
    bounds,
    check_disjoint,
    persona_ids,
    read_states,
    write_states,
)
from mutations import pattern, sample
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
    """Judged states of housing auctions, by split."""
    judged = {}
    for split in ("train", "evaluation"):
        states = list(collect(Collection(300, detail="brief"), split))
        values = Simulator(samples=16, ladder=1).action_values(states)
        judged[split] = [dataclasses.replace(s, action_values=v) for s, v in zip(states, values, strict=True)]
    return judged


def cli(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], env={"COLUMNS": "200"})


def test_splits_have_the_requested_sizes_and_are_disjoint(splits):
    assert {split: len(states) for split, states in splits.items()} == {"train": 48, "validation": 6, "evaluation": 6}
    assert len({state.id for states in splits.values() for state in states}) == 60
    for name, states in splits.items():
        assert all(state.split == name for state in states)
        check_disjoint(splits["train"] if name != "train" else splits["evaluation"], states)
    houses = [{s.scenario.get("houses") for s in splits[name]} - {None} for name in ("train", "evaluation")]
    assert not houses[0] & houses[1]
    assert {state.game for state in splits["train"]} == {"harbor", "english"}


def test_states_are_spread_over_kinds_of_decision_points():
    kinds = Counter(state.stratum for state in collect(Collection(250, detail="brief"), "train"))
    assert len(kinds) > 40
    assert max(kinds.values()) <= 3 * 200 / len(kinds)


def test_bidders_are_of_the_splits_families_and_only_the_learner_decides(splits, tmp_path):
    population = load_population()
    for split, families in (("train", "train"), ("validation", "validation"), ("evaluation", "held-out")):
        for state in splits[split]:
            kinds = {family.bidder for family in population.families(state.game, families)}
            assert {name.partition(",")[0] for name in state.bidders} <= kinds
    learner = "value,margin=0.123"
    states = list(collect(dataclasses.replace(COLLECTION, learner=learner), "train"))
    assert len({state.seat for state in states}) > 1
    assert all(state.bidders[state.seat] == learner for state in states)
    assert all(state.bidders.count(learner) == 1 for state in states)
    (tmp_path / "curious.py").write_text(
        "class Curious:\n    interface = 'amount'\n    act = reset = close_game = print\n"
    )
    with pytest.raises(ValueError, match=r"curious.*expected one that makes later decisions from the View alone"):
        Collection(learner=f"py:{tmp_path / 'curious.py'}:Curious")


def test_the_same_seed_gives_the_same_bytes_and_files_can_be_read(splits):
    again = list(collect(COLLECTION, "evaluation"))
    lines = [state.to_json() for state in splits["evaluation"]]
    assert [state.to_json() for state in again] == lines
    assert [DecisionState.from_json(line).to_json() for line in lines] == lines
    other = next(iter(collect(dataclasses.replace(COLLECTION, seed=2), "evaluation")))
    assert other.to_json() != lines[0]


def test_a_state_recurs_when_its_game_is_played_again(splits):
    """The game with the state's seed and bidders reaches the same state, with the same view and messages."""
    for state in splits["train"][:6]:
        family = getattr(aucenv, f"{state.game}_v0")
        game = family.game
        from aucenv.core.play.table import Table

        table = Table(game, game.load_scenario(state.scenario), ["amount"] * len(state.bidders))
        table.reset(state.seed)
        policies = [aucenv.make_policy(state.game, name) for name in state.bidders]
        reached = False
        while not table.over and not reached:
            for seat in table.pending:
                view = table.view(seat)
                if seat == state.seat and (table.state == state.full_row).all():
                    reached = True
                    assert game.words.describe(view) == game.words.describe(state.view())
                    assert {phase: state_messages(view, phase) for phase in PHASES} == state.messages
                table.submit(seat, policies[seat].act(view, {}))
        assert reached


def test_messages_contain_what_the_paper_lists(splits):
    state = next(s for s in splits["train"] if s.game == "harbor" and s.descriptions and s.view().item_number > 2)
    view = state.view()
    words = " ".join(message["content"] for message in state.messages["recommendation"])
    assert "Recommendation, a colon, and bid or withdraw" in words
    for text in (*state.descriptions, view.item.description, view.item.name, *view.scenario_text.names):
        assert text in words
    for amount in (view.least_bid, view.budget, view.starting_price, *view.budgets.values(), *view.profits.values()):
        assert f"{amount:,.0f}" in words
    assert "Last round: " in words or view.round == 0
    numbers = state_messages(view, BID, "numbers", "brief")[1]["content"]
    assert "Profile: First-Time Homebuyers " in numbers
    assert view.item.description not in numbers
    english = next(s for s in splits["train"] if s.game == "english")
    assert "seems to want" not in str(english.messages)


def test_replies_are_read(splits):
    state = splits["train"][0]
    view, least = state.view(), bounds(state.full_row, state.seat)[0]
    assert read_reply("Hm.\nRecommendation: withdraw", "recommendation", view) == WITHDRAW
    assert read_reply("Not 'Recommendation: withdraw' but\n**Recommendation:** BID.", "recommendation", view) == least
    assert read_reply("Too dear. My recommendation: withdraw", "recommendation", view) == WITHDRAW
    assert read_reply("<think>Recommendation: bid</think>Recommendation: withdraw", "recommendation", view) == WITHDRAW
    assert read_reply("I bid $1,234.50!", BID, view) == 123450
    assert read_reply("I'm out!", BID, view) == WITHDRAW
    for amount in (WITHDRAW, least):
        assert all(read_reply(plain_reply(amount, phase), phase, view) == amount for phase in PHASES)
    hedged = (
        *("Recommendation: bid or withdraw", "Recommendation: bid / withdraw", "Recommendation: bid? No. Withdraw."),
        *("Do not follow the recommendation: bid. Leave!", "I cannot give a recommendation: bid if you like"),
        *("At $5 my recommendation: withdraw. Now, bid!", "<think>" + "x" * 30_000 + " Recommendation: bid</think> no"),
        *(f"<think>{'x' * 90_000}. Recommendation: bid", *TASKS.values()),
    )
    for unreadable in ("", "Recommendation: bidding war", "perhaps", "a" * 1_000_000, "\ud800", None, *hedged):
        assert read_reply(unreadable, "recommendation", view) is None
    for unreadable in ("", "perhaps", "a" * 1_000_000, None, TASKS[BID]):
        assert read_reply(unreadable, BID, view) is None


def test_bad_lines_are_refused(splits, tmp_path):
    line = json.loads(splits["train"][0].to_json())

    def refused(match, **changes):
        (tmp_path / "s.jsonl").write_text(
            json.dumps({k: v for k, v in {**line, **changes}.items() if v != "gone"}) + "\n"
        )
        with pytest.raises(ValueError, match=match) as error:
            read_states(tmp_path / "s.jsonl")
        assert str(error.value).startswith(f"{tmp_path / 's.jsonl'}:1")

    refused("version: expected 3, got 9", version=9)
    refused("env_version: expected one of 0, got 3", env_version=3)
    refused("game: expected one of english, harbor", game="chess")
    refused("seat: expected this field, got none", seat="gone")
    refused("more: expected no such field, got this one", more=1)
    refused("split: expected", split="test")
    refused("row: expected a packed state", row="!!!")
    refused("row: not JSON", row="eJwDAAAAAAE=")
    refused("seat: expected a whole number from 0 to 2, got 99", seat=99)
    refused("bidders: expected", bidders=[])
    refused("not JSON", scenario="{")
    refused(
        r"worth.actions: expected a list of at least 2, got 1",
        worth={"actions": [None], "means": [1.0, 2.0], "errors": [0.0], "judge": ""},
    )
    refused("seed", seed="x")
    refused("id: expected .*, got 'not hex'", id="not hex")
    refused("id: expected .* as the digest of scenario, row, seat, history and descriptions", id="0" * 16)
    refused("id: expected .* as the digest of", descriptions=["Somebody else."])
    refused(r"bidders\[0\]: expected some text, got 1", bidders=[1] * len(line["bidders"]))
    refused("messages", messages={})
    refused(
        r"messages.recommendation\[0\].content: expected this field",
        messages={"bid": [], "recommendation": [{"role": 1}]},
    )
    refused("history", history=[["a", "b", "c", "d"]])
    refused(
        r"worth.means\[0\]: expected a number",
        worth={"actions": [None, 1], "means": ["a", 2.0], "errors": [0, 0], "judge": ""},
    )
    refused(
        "worth, actions: expected null and at least one bid",
        worth={"actions": [1, 2], "means": [1, 2], "errors": [0, 0], "judge": ""},
    )
    refused("expected valid Unicode text", stratum="\ud800")
    (tmp_path / "s.jsonl").write_text("\n")
    with pytest.raises(ValueError, match=r"s\.jsonl: expected at least one state, got none"):
        read_states(tmp_path / "s.jsonl")


NOT_DERIVED = re.compile(r"split|seed.*|bidders\[\]|profiles.*|stratum|messages.*|worth.*")
"""Fields of a state that nothing else in it determines."""


@pytest.mark.parametrize("number", [60, pytest.param(400, marks=pytest.mark.slow)])
def test_a_changed_state_is_an_error_or_another_valid_state(judged, number):
    state = judged["train"][0]
    line = state.to_json()
    counts = Counter()
    for path, kind, changed in sample(json.loads(line), number, 6):
        try:
            again = DecisionState.from_json(changed, "states.jsonl:3").to_json()
        except ValueError as error:
            message = str(error)
        else:
            assert again == line or NOT_DERIVED.fullmatch(pattern(path)), (path, kind)
            counts["same" if again == line else "valid"] += 1
            continue
        assert re.match(r"states\.jsonl:3: \S", message), (path, kind, message)
        assert "\n" not in message, (path, kind)
        counts["error"] += 1
    assert counts["error"] > 0.6 * counts.total(), counts


def test_overlapping_splits_are_refused_with_names(splits):
    train = [state for state in splits["train"] if state.descriptions]
    copied = dataclasses.replace(train[0], split="evaluation", id="0" * 16)
    with pytest.raises(ValueError, match=f"both have the same descriptions of personas: {persona_ids(train[0])[0]}"):
        check_disjoint(train, [copied])
    with pytest.raises(ValueError, match="1 states are in both"):
        check_disjoint(train, train[:1])


def test_ties_and_leads():
    values = ActionValues((None, 10.0, 20.0), (5.0, 6.0, 4.0), (0.0, 0.4, 0.3), "j")
    assert (values.best, values.bid_or_withdraw, values.lead) == (1, 1, 1.0)
    assert dataclasses.replace(values, errors=(0.0, 0.5, 0.3)).bid_or_withdraw == 0
    assert dataclasses.replace(values, means=(8.0, 6.0, 4.0)).bid_or_withdraw == -1


def test_the_datasets_package_loads_the_files(splits, tmp_path):
    import datasets

    write_states(tmp_path / "train.jsonl", splits["train"])
    loaded = datasets.load_dataset(
        "json", data_files=str(tmp_path / "train.jsonl"), split="train", cache_dir=str(tmp_path / "cache")
    )
    assert loaded.num_rows == 48
    assert loaded[3]["messages"] == splits["train"][3].messages
    assert DecisionState.from_json(json.dumps(loaded[3])).to_json() == splits["train"][3].to_json()


def test_the_audit_agrees_with_the_rules_in_the_notes_of_expact():
    record = aucenv.play("harbor", "evaluation-single", ["expact", "expact", "persona"], 5)
    counts = audit_records([record])
    noted = Counter(d["notes"]["rule"] for d in record.decisions if d["seat"] != "bidder_2")
    assert counts["expact"] == noted
    assert counts.keys() == {"expact", "persona"}
    assert sum(shares(counts["expact"]).values()) == pytest.approx(1)
    assert sum(PUBLISHED.values()) == pytest.approx(1)
    with pytest.raises(ValueError, match="rules A to F are for housing auctions"):
        audit_records([aucenv.play("english", "standard-20k-random", ["rule"] * 3, 0)])


def test_decisions_without_a_legal_reply_follow_no_rule():
    """They count as withdrawn in the game, but nobody has decided to leave."""
    answers = iter(["I bid everything", *["hm"] * 10_000])
    with Loopback(lambda body: next(answers)) as server:
        bidders = [f"m=llm:openai:m,base_url={server.url}", "expact", "persona"]
        record = aucenv.play("harbor", "evaluation-single", bidders, 5)
    asked = [decision for decision in record.decisions if decision["seat"] == "bidder_0"]
    assert {decision["action"] for decision in asked} == {None}
    assert audit_records([record])["m"] == {"other": len(asked)}


def test_replies_are_audited(splits):
    states = [state for state in splits["train"] if state.game == "harbor"]
    bids = audit_replies(states, ["Recommendation: bid"] * len(states), "recommendation")
    leaves = audit_replies(states, ["Recommendation: withdraw"] * len(states), "recommendation")
    assert set(bids) <= set("ABC")
    assert set(leaves) <= set("DEF")
    assert audit_replies(states, ["?"] * len(states), "recommendation") == {"other": len(states)}
    row = states[0].view().row
    assert rule_followed(row, states[0].seat, True) in "ABC"
    english = [state for state in splits["train"] if state.game == "english"]
    with pytest.raises(ValueError, match="not for english"):
        audit_replies(english[:1], ["?"], "recommendation")
    with Loopback(lambda body: '{"rule": "F"}' if "dearer for" in str(body) else "none") as server:
        model = model_client(f"llm:openai:m,base_url={server.url}")
        assert audit_words(model, ["It gets dearer for you.", "hm"]) == {"F": 1}
        with pytest.raises(JudgeFailure, match="no rule for any of 1 replies"):
            audit_words(model, ["hm"])


def test_a_probe_is_better_than_chance_and_refuses_overlapping_splits(judged):
    result = probe(judged["train"], judged["evaluation"])
    assert result.accuracy > result.chance + 0.1
    assert result.num_held_out == sum(bool(state.action_values.bid_or_withdraw) for state in judged["evaluation"])
    assert len({len(probe_features(state.view())) for state in judged["train"]}) == 1
    with pytest.raises(ValueError, match="states are in both"):
        probe(judged["train"], judged["train"])
    unjudged = [dataclasses.replace(state, action_values=None) for state in judged["evaluation"]]
    with pytest.raises(ValueError, match="held-out states: expected judged ones"):
        probe(judged["train"], unjudged)
    with pytest.raises(ValueError, match="training states: expected some that are not ties, got none of 0"):
        probe([], judged["evaluation"])
    bids = [state for state in judged["train"] if state.action_values.bid_or_withdraw > 0]
    with pytest.raises(
        ValueError, match=f"training states: expected both decisions, got the same one in all {len(bids)}"
    ):
        probe(bids, judged["evaluation"])
    with pytest.raises(ValueError, match="expected states of one game, got english, harbor"):
        probe([dataclasses.replace(judged["train"][0], game="english")], judged["evaluation"])


def test_features_of_the_probe_do_not_depend_on_hidden_values(judged):
    state = judged["train"][0]
    row = state.full_row.copy()
    row["persona"][0, (state.seat + 1) % len(state.bidders)] = 3
    row["estimate"][0, (state.seat + 1) % len(state.bidders)] = 5
    row["key"] = 1
    changed = dataclasses.replace(state, full_row=row)
    assert np.array_equal(probe_features(changed.view()), probe_features(state.view()), equal_nan=True)


def test_the_commands(tmp_path):
    collected = cli("rlact", "states", "--out", tmp_path, "--states", 100, "--detail", "brief")
    assert collected.exit_code == 0, collected.output
    assert "evaluation" in collected.output
    train = tmp_path / "train.jsonl"
    first = train.read_bytes()
    ids = [state.id for state in read_states(train)]
    assert ids[:2] == ["95070b9b7f52553a", "a5dcbee33a850e46"]  # random numbers of judges depend on ids
    files = [tmp_path / f"{split}.jsonl" for split in ("train", "evaluation")]
    result = cli("rlact", "judge", *files, "--judge", "simulator,samples=16")
    judged = [tmp_path / f"{split}-judged.jsonl" for split in ("train", "evaluation")]
    assert "withdraw" in result.output
    assert f"judged states: {judged[0]}, {judged[1]}\n" in result.output
    assert train.read_bytes() == first
    judged_bytes = judged[0].read_bytes()
    result = cli(
        "rlact", "judge", train, "--judge", "simulator,samples=16", "--workers", 2, "--out", tmp_path / "other.jsonl"
    )
    assert result.exit_code == 0, result.output
    assert (tmp_path / "other.jsonl").read_bytes() == judged_bytes != first
    missing = tmp_path / "no-folder" / "states.jsonl"
    assert cli("rlact", "judge", missing).exception.filename == str(missing)  # not the file to write beside it
    again = cli("rlact", "judge", judged[0], "--judge", "simulator,samples=16")  # judged states can be judged again
    assert f"judged states: {tmp_path / 'train-judged-2.jsonl'}\n" in again.output
    assert f"training reads {judged[0]}, which is an earlier file\n" in again.output
    assert "training reads" not in result.output
    assert judged[0].read_bytes() == (tmp_path / "train-judged-2.jsonl").read_bytes() == judged_bytes
    states = read_states(judged[0])
    assert all(
        state.action_values.judge.startswith("own=expact, rivals=expact+persona, samples=16") for state in states
    )
    replies = tmp_path / "replies.jsonl"
    replies.write_text("".join(json.dumps({"id": s.id, "reply": "I'm out!"}) + "\n" for s in states))
    scored = cli(
        "rlact",
        "judge",
        train,
        "--replies",
        replies,
        "--out",
        tmp_path / "scores.jsonl",
        "--judge",
        "simulator,samples=16",
    )
    assert scored.exit_code == 0, scored.output
    lines = [json.loads(line) for line in (tmp_path / "scores.jsonl").read_text().splitlines()]
    kept = cli("rlact", "judge", train, "--replies", replies, "--judge", "simulator,samples=16")
    assert f"scores: {tmp_path / 'replies-scores.jsonl'}\n" in kept.output
    assert (tmp_path / "replies-scores.jsonl").read_bytes() == (tmp_path / "scores.jsonl").read_bytes()
    assert [line["id"] for line in lines] == [state.id for state in states]
    assert all(2 <= line["score"] <= 5 for line in lines)
    assert "RLAct, published" in cli("rlact", "audit", train, "--replies", replies, "--phase", "bid").output
    probed = cli("rlact", "probe", *judged)
    assert probed.exit_code == 0, probed.output


def test_the_commands_refuse_bad_input(tmp_path, splits, capsys):
    write_states(tmp_path / "s.jsonl", splits["train"][:3])
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "alien.jsonl").write_text('{"id": "abc", "reply": "x"}\n')
    write_states(tmp_path / "twice.jsonl", splits["train"][:1] * 2)
    file = tmp_path / "s.jsonl"
    before = file.read_bytes()
    for arguments, message in (
        (("states", "--out", tmp_path / "x", "--game", "clock"), "game: expected one of english, harbor"),
        (("judge", tmp_path / "empty.jsonl"), "expected at least one state, got none"),
        (("judge", tmp_path / "none.jsonl"), "no such file"),
        (("judge", file, "--replies", tmp_path / "alien.jsonl"), "expected the id of one of 3 states, got 'abc'"),
        (("judge", file, "--replies", tmp_path / "empty.jsonl"), "expected at least one reply, got none"),
        (("judge", file, "--judge", "llm:openai:m"), "expected simulator without --replies"),
        (("judge", file, "--judge", "simulator,rivals=nobody"), "rule bidder: expected one of"),
        (("audit", file, "--judge", "llm:openai:m"), "--judge: expected --replies"),
        (("probe", file, file), "states are in both"),
        (("audit", tmp_path / "empty.jsonl"), "expected at least one game, got none"),
        (
            ("judge", file, "--replies", tmp_path / "r.jsonl", "--out", file),
            "--out: expected a file other than its inputs",
        ),
        (("judge", file, "--out", file), "--out: expected a file other than its inputs"),
        (("judge", file, "--judge", "simulator,own=expact_true"), "expected a bidder that does not cheat"),
        (("judge", tmp_path / "twice.jsonl"), "twice.jsonl, ids: "),
    ):
        with pytest.raises(SystemExit) as ended:
            main(["rlact", *map(str, arguments)])
        error = capsys.readouterr().err
        assert ended.value.code == 2, (arguments, error)
        assert error.startswith("aucenv: ")
        assert message in error
        assert error.count("\n") == 1
    assert file.read_bytes() == before
    assert not list(Path(tmp_path).glob(".*partial"))


def test_classes_are_the_published_ones():
    assert tuple(PUBLISHED) == CLASSES
