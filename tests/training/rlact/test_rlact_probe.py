"""The probe as a bidder: its file, its predictions, its games, and the features of rivals that it learns from."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from aucenv.benchmarks.benchmark.training_deals import checkpoint_digests
from aucenv.training.rlact.judges.rival_features import RIVAL_FEATURES, ranked_rivals, rival_features
from aucenv.training.rlact.judges.simulator import Simulator
from aucenv.training.rlact.learning.generation import ReplyGenerator
from aucenv.training.rlact.models.checkpoints import load_model, write_metadata
from aucenv.training.rlact.models.tiny_llama import tiny_model, tiny_tokenizer
from aucenv.training.rlact.probes.features import MESSAGES, feature_names, probe_features
from aucenv.training.rlact.probes.file import read_probe
from aucenv.training.rlact.probes.probe import fit_trees, probe, save_probe
from aucenv.training.rlact.probes.trees import probability, read_trees, trees_of
from aucenv.training.rlact.states.collect import Collection, collect
from aucenv.training.rlact.states.messages import BID, state_messages
from aucenv.training.rlact.states.states import write_states
from run_command import command
from sklearn.ensemble import HistGradientBoostingClassifier

import aucenv
from aucenv.core.state import WITHDRAW
from aucenv.policy.registry import make_policy
from aucenv.policy.user_code import file_digest
from aucenv.runs.deals import deal_digest

GAMES = {
    "english": ("standard-20k-random", ["rule", "value"]),
    "harbor": ("evaluation-single", ["expact", "persona"]),
}


@pytest.fixture(scope="module")
def judged():
    """Judged states by game, for training and held out; fewer of housing auctions, which take longer."""
    judged = {}
    for game, number in (("english", 240), ("harbor", 128)):
        for seed, split in enumerate(("train", "held out")):
            collection = Collection(number // (1 + 7 * seed), (game,), seed, detail="terse")
            states = list(collect(collection, "train"))
            values = Simulator(samples=16, ladder=1).action_values(states)
            both = zip(states, values, strict=True)
            judged[game, split] = [dataclasses.replace(state, action_values=value) for state, value in both]
    return judged


@pytest.fixture(scope="module")
def results(judged):
    """The results of fitting a probe, by game."""
    return {game: probe(judged[game, "train"], judged[game, "held out"]) for game in GAMES}


@pytest.fixture(scope="module")
def folder(judged, results, tmp_path_factory):
    """A folder with a probe of each game, GAME.json."""
    folder = tmp_path_factory.mktemp("probes")
    for game, result in results.items():
        save_probe(folder / f"{game}.json", result, judged[game, "train"], 0)
    return folder


def changed(folder, path, **changes):
    """Write a copy of the English probe with other values; a callable changes a value in place."""
    data = json.loads((folder / "english.json").read_text())
    for name, change in changes.items():
        if callable(change):
            change(data[name])
        else:
            data[name] = change
    path.write_text(json.dumps(data))
    return path


@pytest.mark.parametrize("game", GAMES)
def test_a_saved_probe_predicts_to_the_bit_what_scikit_learn_predicts(judged, results, folder, game):
    classifier, states = results[game].classifier, [*judged[game, "train"], *judged[game, "held out"]]
    features = np.array([probe_features(state.view()) for state in states])
    saved, _ = read_probe(folder / f"{game}.json", game)
    assert [saved.score(row) for row in features] == classifier._raw_predict(features).ravel().tolist()
    assert saved.scores(features).tolist() == [saved.score(row) for row in features]
    assert [probability(saved.score(row)) for row in features] == pytest.approx(
        classifier.predict_proba(features)[:, 1]
    )
    assert features.shape[1] == len(feature_names(states[0].view()))


def test_missing_values_and_values_at_thresholds_go_where_scikit_learn_sends_them():
    rng = np.random.default_rng(0)
    features = rng.integers(0, 6, (400, 4)).astype(float)
    features[rng.random(features.shape) < 0.3] = np.nan
    decisions = (np.nansum(features, 1) > 7) ^ np.isnan(features[:, 0])
    classifier = HistGradientBoostingClassifier(max_iter=20).fit(features, decisions)
    data = json.loads(json.dumps(trees_of(classifier), allow_nan=False))
    trees = read_trees(data["baseline"], data["trees"], 4, "trees")
    assert trees.number.max() > 1e300, "a split of numbers from NaN, whose threshold is infinite"
    thresholds = trees.number[trees.left != np.arange(len(trees.left))]
    thresholds = thresholds[thresholds < 1e300]
    probed = rng.choice([np.nan, -1e300, 1e300, *thresholds, *np.nextafter(thresholds, np.inf)], (2000, 4))
    assert [trees.score(row) for row in probed] == classifier._raw_predict(probed).ravel().tolist()


@pytest.mark.parametrize("game", GAMES)
def test_a_probe_plays_its_trees_and_its_games_can_be_replayed(folder, game):
    scenario, rivals = GAMES[game]
    name = f"probe:{folder / f'{game}.json'}"
    record = aucenv.play(game, scenario, [name, *rivals], seed=3)
    assert record.to_json() == aucenv.play(game, scenario, [name, *rivals], seed=3).to_json()
    decisions = [decision for decision in record.decisions if decision["seat"] == record.seats[0]["seat"]]
    assert len({decision["amount"] is None for decision in decisions}) == 2
    assert all((d["amount"] is not None) == (d["notes"]["probability"] > 0.5) for d in decisions)
    assert all(("rule" in decision["notes"]) == (game == "harbor") for decision in decisions)


def test_a_probe_bids_the_least_amount_that_it_can_pay(judged, folder):
    bidder = make_policy("english", f"probe:{folder / 'english.json'}")
    views = [state.view() for state in judged["english", "held out"]]
    amounts = [bidder.act(view, {}) for view in views]
    assert set(amounts) <= {-1.0, *(view.least_bid for view in views)}
    view = views[next(place for place, amount in enumerate(amounts) if amount > 0)]
    view.row["budget"][0, view.seat_number] = view.row["least"][0] - 1
    assert bidder.act(view, {}) == -1.0
    with pytest.raises(ValueError, match="probe maximizes profit, but a bidder of the scenario has another objective"):
        aucenv.play("english", "niche-20k", [f"probe:{folder / 'english.json'}", "items", "rule", "rule"])


def test_a_leaderboard_with_a_probe_is_the_same_with_two_workers(folder, tmp_path, capsys):
    games, file = [], Path(shutil.copy(folder / "english.json", tmp_path))
    for workers in (1, 2):
        out = tmp_path / f"{workers}"
        bidders = [f"trees=probe:{file}", "rule", "value"]
        options = [word for name in bidders for word in ("--bidder", name)]
        assert command("leaderboard", *options, "--games", 6, "--workers", workers, "--out", out) == 0
        games.append((out / "games.jsonl").read_bytes())
    assert games[0] == games[1]
    assert "trees" in capsys.readouterr().out
    assert command("replay", tmp_path / "2") == 0
    changed(folder, file, seed=1)
    assert command("leaderboard", *options, "--games", 6, "--out", tmp_path / "2") == 2
    assert "english.json' have changed since that run started" in capsys.readouterr().err


def test_a_probe_lists_the_deals_that_it_learnt_from(judged, folder):
    deals = {deal_digest(state.game, state.scenario, state.seed) for state in judged["harbor", "train"]}
    name = f"probe:{folder / 'harbor.json'}"
    assert checkpoint_digests([name, "rule"]).keys() == deals
    assert file_digest(name) is not None
    assert file_digest("probe:nowhere.json") is None


def columns(name, value):
    """Return a change of the first node of the fourth tree."""
    return {"trees": lambda trees: trees[3][name].__setitem__(0, value)}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "gguf"}, "format: expected one of aucenv-probe, got 'gguf'"),
        ({"version": 9}, "version: expected 1, got 9; save the probe again"),
        ({"env_version": 9}, "env_version: expected 0, got 9"),
        ({"features_version": 1}, "features_version: expected 2, got 1"),
        ({"game": "clock"}, "game: expected one of english, harbor, sealed_bid, got 'clock'"),
        ({"game": "harbor"}, "features: expected 63 of them, got 53"),
        (
            {"features": lambda names: names.__setitem__(2, "luck")},
            r"features\[2\]: expected 'worth/start', got 'luck'",
        ),
        ({"deals": 3}, "deals: expected a list, got 3"),
        (columns("feature", 53), r"trees\[3\].feature\[0\]: expected a feature below 53, got 53"),
        (columns("left", 0), r"trees\[3\].left\[0\]: expected a later node below \d+, got 0"),
        (columns("right", 99), r"trees\[3\].right\[0\]: expected a later node below \d+, got 99"),
        (columns("number", float("nan")), r"trees\[3\].number\[0\]: expected a finite number, got NaN"),
        ({"trees": lambda trees: trees[3]["left"].pop()}, r"trees\[3\].left: expected \d+, as feature has, got \d+"),
        ({"trees": []}, "trees: expected a list of at least 1, got 0"),
    ],
)
def test_a_damaged_probe_is_refused(folder, tmp_path, changes, message):
    path = changed(folder, tmp_path / "damaged.json", **changes)
    with pytest.raises(ValueError, match=rf"^bidder 'probe:\S+damaged.json': \S+damaged.json: {message}"):
        make_policy("english", f"probe:{path}")


def test_bad_names_and_files_of_probes_are_refused(folder, tmp_path, capsys):
    (tmp_path / "words.json").write_text("nope")
    harbor = folder / "harbor.json"
    for name, message in (
        ("probe", "expected probe:FILE, got no file"),
        (f"probe:{harbor}", "game: expected a probe of english, got one of harbor"),
        (f"probe:{tmp_path}", "but there is none"),
        (f"probe:{tmp_path / 'words.json'}", "words.json: not JSON"),
        (f"probe:{harbor},k=3", "probe takes no parameters, got k"),
    ):
        assert command("leaderboard", "--bidder", name, "--bidder", "rule", "--out", tmp_path / "run") == 2
        assert message in capsys.readouterr().err
        assert not (tmp_path / "run").exists()


def test_the_command_saves_a_probe_or_nothing(judged, folder, tmp_path, capsys):
    files = tmp_path / "train.jsonl", tmp_path / "held out.jsonl"
    for file in files:
        write_states(file, judged["english", file.stem])
    for held_out, path, message in (
        (files[1], tmp_path / "probe.txt", "--out: expected a name that ends in .json, got"),
        (files[1], tmp_path / "none" / "probe.json", "--out: expected a file in an existing folder"),
        (files[0], tmp_path / "probe.json", "splits: "),
        (tmp_path / "held.json", tmp_path / "held.json", "--out: expected a file other than its inputs"),
    ):
        assert command("rlact", "probe", files[0], held_out, "--out", path) == 2
        assert message in capsys.readouterr().err
    assert sorted(tmp_path.iterdir()) == sorted(files)
    assert command("rlact", "probe", *files, "--out", tmp_path / "probe.json") == 0
    assert (tmp_path / "probe.json").read_bytes() == (folder / "english.json").read_bytes()
    assert f"bidder: probe:{tmp_path / 'probe.json'}" in capsys.readouterr().out


def test_rival_features_follow_from_the_bids(judged):
    view = judged["english", "train"][0].view()
    me, (a, b) = view.seat_number, [s for s in range(len(view.scenario_text.seats)) if s != view.seat_number][:2]
    row = view.row.copy()
    row["item"], row["start"][0, :3], row["winner"][0, :2] = 2, 1000, (me, -1)
    row["value"][0, 0] = 2000
    history = (
        *((0, 0, me, 1000), (0, 0, a, 1000), (0, 0, b, WITHDRAW)),  # a tie, which the viewer wins: a decides next
        *((0, 1, a, 1100), (0, 2, me, 1200), (0, 3, a, WITHDRAW)),
        *((1, 0, me, WITHDRAW), (1, 0, a, WITHDRAW), (1, 0, b, WITHDRAW), (1, 1, b, WITHDRAW)),
        *((2, 0, a, 1000), (2, 0, b, 1300), (2, 1, a, 1400)),
    )
    features = rival_features(view.replace(row=row, history=history))
    worth = row["estimate"][0, me, 1] / (row["estimate"][0, me, 0] / 2000)
    revealed = dict(zip(RIVAL_FEATURES, zip(*(features[s].values() for s in (a, b)), strict=True), strict=True))
    assert revealed["reached/start"] == pytest.approx((1.1, np.nan), nan_ok=True)
    assert revealed["left/last"] == pytest.approx((1000 / worth, 1000 / worth))
    assert revealed["left/worth"] == pytest.approx(((0.6 + 1000 / worth) / 2, (0.5 + 1000 / worth) / 2))
    assert revealed["passed"] == pytest.approx((0.5, 1.0))
    assert revealed["against/me"] == pytest.approx((1 / 3, 0))
    assert revealed["against/others"] == pytest.approx((1 / 3, 0))
    assert sorted(ranked_rivals(view)) == [*features]


def test_terse_messages_of_version_2_add_numbers_on_active_rivals(judged):
    for game in GAMES:
        for state in judged[game, "train"]:
            view = state.view()
            ((first,), (second,)) = (state_messages(view, BID, detail=detail) for detail in ("terse", "terse-2"))
            before, task, price = first["content"].rpartition(" Bid at ")
            added = second["content"].removeprefix(before).removesuffix(task + price)
            assert state.messages[BID] == [first]
            assert second["content"] == before + added + task + price
            rivals = sum(view.active.values()) - view.active[view.seat]
            assert re.fullmatch(rf"( reached/start {VALUE} left/worth {VALUE} against/me {VALUE}){{{rivals}}}", added)


VALUE = r"(?:\d+%|unknown)"


def test_terse_messages_of_version_3_name_the_game(judged):
    for game in GAMES:
        for state in judged[game, "train"]:
            (message,) = state_messages(state.view(), BID, detail="terse-3")
            assert message["content"] == f"{game} {state.messages[BID][0]['content']}"


@pytest.mark.parametrize("game", GAMES)
def test_a_probe_of_messages_knows_their_numbers_and_decides_in_many_games_at_once(judged, game, tmp_path):
    train, held_out = judged[game, "train"], judged[game, "held out"]
    for state in train:
        text = state.messages[BID][0]["content"].rpartition(" Bid at ")[0]
        numbers = [float(number) for number in re.findall(r" (\d+)(?:%| |$)", text)]
        assert numbers == probe_features(state.view(), MESSAGES)
    result = probe(train, held_out, features=MESSAGES)
    save_probe(tmp_path / "probe.json", result, train, 0)
    bidder = make_policy(game, f"probe:{tmp_path / 'probe.json'}")
    for state in held_out:
        alone = bidder.act(state.view(), {})
        rows = np.concatenate([np.zeros_like(state.full_row), np.zeros_like(state.full_row), state.full_row])
        (amount,) = bidder.act_rows(rows, np.array([2]), np.array([state.seat]))
        assert amount == (WITHDRAW if alone < 0 else round(100 * alone))


def test_a_checkpoint_plays_with_the_version_of_its_messages(judged, tmp_path):
    views = [state.view() for state in judged["harbor", "train"]]
    texts = [state_messages(view, BID, detail="terse-2")[0]["content"] for view in views]
    tokenizer = tiny_tokenizer([*texts, "I bid $1!", "I'm out!"], "terse-2")
    model = tiny_model(tokenizer, 0)
    assert all(tokenizer.unk_token_id not in ids for ids in tokenizer(texts)["input_ids"])
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    style = {"phase": BID, "detail": "terse-2", "profiles": "sentence", "longest": 14}
    write_metadata(tmp_path, style, None, model)
    model, tokenizer, metadata = load_model(tmp_path)
    generator = ReplyGenerator(model, tokenizer, metadata["detail"], metadata["profiles"], metadata["longest"])
    assert [generator.messages(view, BID)[0]["content"] for view in views] == texts
    bidder = make_policy("harbor", f"rlact:{tmp_path}")
    bidder.reset(views[0].seat, 0)
    reply = bidder.act(views[0], {})
    assert bidder.notes.get("reply", reply) == generator.greedy_reply(views[0], BID)


def test_trees_are_fitted_although_a_feature_has_one_value_or_none():
    rng = np.random.default_rng(0)
    values = np.column_stack([rng.normal(size=100), np.full(100, 3.0), np.full(100, np.nan)])
    given = values.copy()
    trees = fit_trees(values, values[:, 0] > 0, 0)
    assert (trees.predict(values) == (values[:, 0] > 0)).all()
    np.testing.assert_array_equal(values, given)
