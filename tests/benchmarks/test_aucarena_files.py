"""AucArena's two files: their bidders play as the agents that they name, and keep their names in whichever seat."""

from __future__ import annotations

import json
import re
import warnings
from collections import Counter

import pytest
from aucenv.benchmarks.rankings.leaderboard import Settings, chosen_bidders, matches, run, with_bidders_of_file
from competent_agent import Competent
from run_command import command

from aucenv.analysis.statistics.design import deal_numbers
from aucenv.core.words.bidder_name import label_of, parse_bidder
from aucenv.policy.registry import make_policy
from aucenv.runs.records import read_records

ITEMS = [
    {"name": "Widget A", "price": 1000, "desc": "A widget", "id": 1, "true_value": 2000},
    {"name": "Gadget B", "price": 3000, "desc": "A gadget", "id": 2, "true_value": 6000},
]
BIDDERS = [
    {"name": "Ann", "model_name": "gpt-4-0613", "budget": 9000, "desire": "maximize_profit",
     "plan_strategy": "static", "temperature": 0.7, "overestimate_percent": 10, "correct_belief": True,
     "enable_learning": True},
    {"name": "Ben", "model_name": "gpt-3.5", "budget": 8000, "desire": "maximize_items", "plan_strategy": "adaptive",
     "temperature": 0, "overestimate_percent": 20, "correct_belief": False, "enable_learning": True},
    {"name": "Cyd Lee", "model_name": "rule", "budget": 7000, "plan_strategy": "none", "correct_belief": True},
]  # fmt: skip
HERE = ",base_url=http://127.0.0.1:9"
MODELS = (f"gpt-4-0613=llm:openai:a{HERE}", f"gpt-3.5=llm:openai:b,max_tokens=99{HERE}")


@pytest.fixture
def scenario(tmp_path):
    return files(tmp_path)


def files(folder, bidders=BIDDERS, **changes) -> str:
    lines = [{**bidder, **changes.get(bidder["name"].split()[0], {})} for bidder in bidders]
    for name, objects in (("items", ITEMS), ("bidders", lines)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in objects))
    return f"{folder / 'items.jsonl'},{folder / 'bidders.jsonl'}"


def test_bidders_of_a_file_are_the_agents_that_it_names(scenario, tmp_path):
    settings = Settings(scenario=scenario, models=MODELS, memories=str(tmp_path))
    ann, ben, cyd = (parse_bidder(name.replace(HERE, "")) for name in chosen_bidders(settings))
    assert (ann.label, ann.arg, ben.label, ben.arg, cyd.label, cyd.kind) == (
        *("Ann", "openai:a", "Ben", "openai:b"),
        *("Cyd-Lee", "rule"),
    )
    options = {"agent": "bdi", "temperature": "0.7", "plan": "static", "correct_beliefs": "true"}
    assert ann.params == {**options, "memory": str(tmp_path / "Ann.json")}
    options |= {"temperature": "0", "plan": "adaptive", "correct_beliefs": "false"}
    assert ben.params == {**options, "max_tokens": "99", "memory": str(tmp_path / "Ben.json")}
    policy = make_policy("english", chosen_bidders(settings)[0])
    assert (policy.bdi_options.plan, policy.bdi_options.correct_beliefs) == ("static", True)
    assert with_bidders_of_file(with_bidders_of_file(settings)) == with_bidders_of_file(settings)


def test_options_of_the_mapping_come_first(scenario, tmp_path):
    models = (
        "gpt-4-0613=llm:openai:a,plan=none,temperature=1,memory=m.json",
        "gpt-3.5=llm:openai:b,agent=plain,sampling=labs",
    )
    ann, ben, cyd = map(parse_bidder, chosen_bidders(Settings(scenario=scenario, models=(*models, "rule=rule,k=4"))))
    assert ann.params == {
        "plan": "none",
        "temperature": "1",
        "memory": "m.json",
        "agent": "bdi",
        "correct_beliefs": "true",
    }
    assert ben.params == {"agent": "plain", "sampling": "labs"}
    assert cyd.params == {"k": "4"}


def test_missing_fields_have_the_values_of_the_papers_program(tmp_path):
    bare = [{"name": name, "model_name": "x", "budget": 5000} for name in ("Ann", "Ben")]
    ann, _ = map(parse_bidder, chosen_bidders(Settings(scenario=files(tmp_path, bare), models=("x=llm:openai:x",))))
    assert ann.params == {"agent": "bdi", "temperature": "0.7", "plan": "adaptive", "correct_beliefs": "true"}


def test_each_line_belongs_to_its_bidder_in_every_seat(scenario, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        schedule = matches(Settings(scenario=scenario, models=("gpt-4-0613=value", "gpt-3.5=pace"), games=6))
    entries: dict[str, set] = {}
    for match in schedule:
        for name, entry in zip(match.bidders, match.scenario.bidders, strict=True):
            entries.setdefault(name, set()).add(entry)
    lines = {
        name: (entry.name, entry.budget, entry.objective, entry.overestimate_percent)
        for name, [entry] in entries.items()
    }
    assert lines == {
        "Ann=value": ("Ann", 9000, "profit", 10),
        "Ben=pace": ("Ben", 8000, "items", 20),
        "Cyd-Lee=rule": ("Cyd Lee", 7000, "profit", 10),
    }
    assert len({match.bidders for match in schedule}) == 3
    records = [match.play() for match in schedule]
    assert deal_numbers(records).tolist() == [0, 0, 0, 1, 1, 1]


class Historian(Competent):
    """A model whose lessons state how often each rival bid in the auction."""

    def competent_reply(self, task):
        if task.phase != "lessons":
            return super().competent_reply(task)
        bids = Counter(re.findall(r"(\w+) bid \$", task.text))
        del bids["you"]
        return "\n".join(f"{n}. {name} bid {bids[name]} times." for n, name in enumerate(sorted(bids), 1))


def test_lessons_name_the_right_rivals_while_seats_rotate(tmp_path):
    scenario = files(tmp_path, Cyd={"name": "Cyd", "model_name": "value"})
    with Historian() as server:
        url = f",base_url={server.url},backoff=0.001"
        models = (f"gpt-4-0613=llm:openai:a{url}", f"gpt-3.5=llm:openai:b{url}", "value=value")
        settings = Settings(scenario=scenario, models=models, memories=str(tmp_path), games=3)
        run(settings, out=tmp_path / "out")
        systems = [messages[0]["content"] for phase, messages in server.asked if phase == "plan"]
    records = list(read_records(tmp_path / "out"))
    seats = {tuple(label_of(player["bidder"]) for player in record.seats) for record in records}
    assert len(seats) == 3
    bids = []  # by game: how often each bidder bid
    for record in records:
        names = {player["seat"]: player["name"] for player in record.seats}
        assert all(label_of(player["bidder"]) == player["name"] for player in record.seats)
        bids.append(Counter(names[one["seat"]] for one in record.decisions if one["amount"] is not None))
    assert len({tuple(sorted(counts.items())) for counts in bids}) > 1
    for name in ("Ann", "Ben"):
        entries = json.loads((tmp_path / f"{name}.json").read_text())["auctions"]
        assert [(entry["name"], entry["game"]) for entry in entries] == [(name, "english")] * 3
        for game, entry in enumerate(entries):
            rivals = {rival: count for rival, count in bids[game].items() if rival != name}
            assert entry["lessons"] == [f"{rival} bid {rivals[rival]} times." for rival in sorted(rivals)]
        learned = [system for system in systems if f"You are {name}," in system]
        assert len(learned) == 3
        for game in (1, 2):
            assert all(lesson in learned[game] for lesson in entries[game - 1]["lessons"])


def test_a_memory_of_another_game_is_refused(tmp_path):
    lessons = {"after": 0, "name": "Ann", "lessons": ["Wait."]}
    name = f"llm:openai:m{HERE},agent=bdi,memory="
    cases = (
        ("english", {"game": "harbor"}, "expected lessons of the game english, got harbor"),
        ("harbor", {"game": "english"}, "expected lessons of the game harbor, got english"),
        ("english", {"rivals": {"Ben": "goes far"}}, "expected lessons of the game english, got harbor"),
    )
    for number, (game, entry, message) in enumerate(cases):
        file = tmp_path / f"m{number}.json"
        file.write_text(json.dumps({"auctions": [{**lessons, **entry}]}))
        with pytest.raises(ValueError, match=rf"m{number}.json: auctions\[0\]: {message}"):
            make_policy(game, f"{name}{file}")
    (tmp_path / "old.json").write_text(json.dumps({"auctions": [lessons]}))
    for game in ("english", "harbor"):
        make_policy(game, f"{name}{tmp_path / 'old.json'}")


@pytest.mark.parametrize(
    ("changes", "arguments", "message"),
    [
        ({}, {}, r"bidders.jsonl:1: model_name: expected rule, or a model that --model gives a bidder, got 'gpt-4-0613'"),
        ({}, {"models": MODELS}, r"bidders.jsonl:1: enable_learning: expected --memories FOLDER"),
        ({}, {"models": MODELS, "memories": "nowhere"}, "memories: expected an existing folder .*got 'nowhere'"),
        ({}, {"models": ("gpt-4=value",)}, "models, MODEL: expected one of gpt-4-0613, gpt-3.5, rule, got 'gpt-4'"),
        ({}, {"models": ("gpt-4-0613",)}, "models: expected MODEL=BIDDER, got 'gpt-4-0613'"),
        ({}, {"models": ("gpt-4-0613=a=value",)}, "expected a bidder without a label, .*got 'a=value'"),
        ({}, {"models": ("gpt-4-0613=valu", "gpt-3.5=rule")}, "kind: expected one of .*got 'valu'"),
        ({}, {"models": MODELS, "bidders": ("value",)}, "models: expected a scenario items.jsonl,bidders.jsonl"),
        ({}, {"models": MODELS, "changes": ("num_bidders=4",)}, "num_bidders: expected 3, the number of bidders in the file, got 4"),
        ({"Ann": {"plan_strategy": "dynamic"}}, {}, "bidders.jsonl:1: plan_strategy: expected one of adaptive, .*'dynamic'"),
        ({"Ben": {"temperature": "hot"}}, {}, "bidders.jsonl:2: temperature: expected a number .*got 'hot'"),
        ({"Ben": {"correct_belief": 1}}, {}, "bidders.jsonl:2: correct_belief: expected true or false, got 1"),
        ({"Cyd": {"enable_learning": None}}, {}, "bidders.jsonl:3: enable_learning: expected true or false, got None"),
        ({"Cyd": {"model_name": ""}}, {}, "bidders.jsonl:3: model_name: expected some text, got ''"),
        ({"Cyd": {"model_name": "human"}}, {"models": MODELS, "memories": "."}, "bidders.jsonl:3: model_name: .*'human'"),
    ],
)  # fmt: skip
def test_bad_files_and_mappings_are_refused(tmp_path, changes, arguments, message):
    with pytest.raises(ValueError, match=message):
        matches(Settings(scenario=files(tmp_path, **changes), **arguments))


def test_lines_with_and_without_a_model_are_not_mixed(tmp_path):
    with pytest.raises(ValueError, match=r"bidders.jsonl:2: model_name: expected this field, got none"):
        matches(Settings(scenario=files(tmp_path, [BIDDERS[2], {"name": "Ben", "budget": 900}])))
    plain = files(tmp_path, [{"name": name, "budget": 900} for name in ("Ann", "Ben")])
    assert "rule" in chosen_bidders(Settings(scenario=plain))
    with pytest.raises(ValueError, match=r"memories: expected a scenario .* whose bidders have a model_name"):
        matches(Settings(scenario=plain, memories="."))


def test_the_commands_run_the_bidders_of_the_file(scenario, tmp_path, capsys):
    options = ["--scenario", scenario, "--model", "gpt-4-0613=value", "--model", "gpt-3.5=pace"]
    assert command("watch", *options) == 0
    shown = capsys.readouterr()
    assert "bidder_1: Ben (Ben=pace), budget $8,000, wants items." in shown.out
    assert "ignored" not in shown.err
    saved, out = tmp_path / "saved.json", tmp_path / "out"
    assert command("leaderboard", *options, "--games", "3", "--out", out, "--save-config", saved) == 0
    settings = json.loads(saved.read_text())
    assert settings["bidders"] == ["Ann=value", "Ben=pace", "Cyd-Lee=rule"]
    assert (settings["roles"], "models" in settings) == ("bidders", False)
    assert command("leaderboard", "--config", saved, "--out", tmp_path / "again") == 0
    assert (out / "games.jsonl").read_bytes() == (tmp_path / "again" / "games.jsonl").read_bytes()
    (tmp_path / "models.json").write_text(
        json.dumps({"scenario": scenario, "models": ["gpt-4-0613=value", "gpt-3.5=pace"], "games": 3})
    )
    assert command("leaderboard", "--config", tmp_path / "models.json", "--out", out, "--resume") == 0
    assert command("leaderboard", "--scenario", scenario) == 2
    assert "for example --model 'gpt-4-0613'=llm:openai:MODEL" in capsys.readouterr().err
