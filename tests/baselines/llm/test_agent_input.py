"""Invalid input to agents (options, templates, memory files, advisers), and languages and currencies."""

from __future__ import annotations

import contextlib
import json
import re
import shutil

import pytest
from agent_games import SHORT, THREE, bidder, notes_of_seat, play_agents
from aucenv.baselines.llm.agents.agent import FORM_VARIABLES
from aucenv.baselines.llm.agents.bdi import BdiAgent
from aucenv.baselines.llm.agents.conversation_memory import LastDays
from aucenv.baselines.llm.agents.reasoning import KLevel
from aucenv.baselines.llm.json_replies import (
    Malformed,
    last_object,
    read_choice,
    read_numbered,
    read_priorities,
    read_profile,
    read_sentences,
    read_status,
)
from aucenv.baselines.llm.prompts import Prompts, prompts
from aucenv.training.rlact.probes.audit import QUESTION
from competent_agent import Competent
from hypothesis import given
from hypothesis import strategies as st
from paths import ROOT
from run_command import command

import aucenv
from aucenv.analysis.agents.transcript import transcript
from aucenv.core.policy import PolicyError
from aucenv.envs.harbor.notes import ASKS_TO_BID, LETTERS
from aucenv.envs.single_item.values import LANGUAGES
from aucenv.policy.registry import make_policy
from aucenv.policy.user_code import file_digest
from aucenv.runs.executors import Match
from aucenv.runs.play import play
from aucenv.runs.records import RecordReader
from aucenv.runs.run_options import RunOptions

BUILT_IN = ROOT / "baselines" / "llm" / "prompts"
MODEL = "llm:openai:m,base_url=http://127.0.0.1:1"


@pytest.mark.parametrize(
    ("game", "options", "expected"),
    [
        ("sealed_bid", "agent=bdi", "expected one that plays sealed_bid: plain, plan-bid-reflect; got 'bdi'"),
        ("english", "agent=harbor", "expected one that plays english: plain, bdi; got 'harbor'"),
        ("english", "agent=bdy", "expected one of plain, bdi, harbor, plan-bid-reflect, resident, got 'bdy'"),
        ("english", "plan=static", "parameter: expected one of agent"),
        ("english", "agent=bdi,plan=sometimes", "plan: expected one of adaptive, static, none, got 'sometimes'"),
        ("english", "agent=bdi,objective=fame", "objective: expected profit, items or item:NAME, got 'fame'"),
        ("english", "agent=bdi,objective=item:", "objective: expected profit, items or item:NAME, got 'item:'"),
        (
            "english",
            "agent=bdi,correct_beliefs=maybe",
            "correct_beliefs: expected one of true, false, yes, no, got 'maybe'",
        ),
        ("english", "agent=bdi,max_corrections=-1", "max_corrections: expected a whole number from 0 to 100, got -1"),
        ("english", "agent=bdi,tom=true", "parameter: expected one of"),
        ("english", "agent=bdi,memory=no/such/folder/m.json", "memory: expected a file in an existing folder"),
        ("english", "agent=bdi,prompts=no/such/folder", "prompts: expected a folder, got 'no/such/folder'"),
        ("harbor", "agent=harbor,tom=third", "tom: expected one of none, true, inferred, second, got 'third'"),
        ("harbor", "agent=harbor,strategy=luck", "strategy: expected none, expact or adviser:BIDDER, got 'luck'"),
        ("harbor", "agent=harbor,strategy=adviser:truthful", "kind: expected one of persona, "),
        ("harbor", "agent=harbor,strategy=adviser:expact;lift=-3", "lift: expected a number from 0 to 10, got '-3'"),
        ("harbor", f"agent=harbor,strategy=adviser:{MODEL.replace(',', ';')};agent=resident", "one that plays harbor"),
        ("sealed_bid", "agent=plan-bid-reflect,language=french", "language: expected one of english, chinese,"),
        ("sealed_bid", "agent=plan-bid-reflect,currency=peso", "currency: expected one of dollar, euro,"),
        ("sealed_bid", "agent=plan-bid-reflect,intervention=luck", "intervention: expected one of none, menu,"),
        ("water_allocation", "agent=resident,language=hindi", "parameter: expected one of"),
    ],
)
def test_invalid_options_are_named(game, options, expected):
    with pytest.raises(ValueError, match="bidder ") as error:
        make_policy(game, f"{MODEL},{options}")
    assert expected in str(error.value)
    assert str(error.value).startswith("bidder ")


@pytest.mark.parametrize(
    ("game", "scenario", "options", "expected"),
    [
        ("english", "standard-20k-random", "agent=bdi,objective=item:Widgit A", "expected item:NAME of one item"),
        (
            "sealed_bid",
            "first-ipv",
            "agent=plan-bid-reflect,intervention=menu",
            "expected 'none' unless the pricing is 'second'",
        ),
        (
            "clock",
            "ascending-ipv",
            "agent=plan-bid-reflect,intervention=menu",
            "expected none except in sealed bids, got 'menu'",
        ),
    ],
)
def test_agents_that_cannot_play_a_scenario_give_the_reason(game, scenario, options, expected):
    seats = len(aucenv.registration.find_family(game).game.load_scenario(scenario).bidders)
    with pytest.raises(ValueError, match=expected):
        play(game, scenario, [f"{MODEL},{options}"] * seats)


@pytest.fixture
def prompt_folder(tmp_path):
    """Return the path of a copy of the built-in prompts of bdi."""
    folder = tmp_path / "prompts"
    shutil.copytree(BUILT_IN / "bdi", folder)
    return folder


@pytest.mark.parametrize("missing", ["system", "plan", "replan", "bid", "belief", "again", "lessons"])
def test_a_missing_template_is_named(prompt_folder, missing):
    (prompt_folder / f"{missing}.md").unlink()
    with pytest.raises(ValueError, match="bidder ") as error:
        make_policy("english", f"{MODEL},agent=bdi,prompts={prompt_folder}")
    assert str(error.value).endswith(f"prompts: expected the file {prompt_folder / missing}.md")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Bid for {{ itme }}.", "bid.md: unknown variable 'itme'; known: "),
        ('{% include "mine.md" %}', "prompts: expected the file mine.md"),
        ("{% include item %}", "expected included templates by their names"),
        ("{% if item %}", "bid.md:1: Unexpected end of template"),
        ("\n{{ item", "bid.md:2: unexpected end of template"),
        ("{{ item | shout }}", "bid.md:1: No filter named 'shout'"),
        (b"\xff\xfe", "bid.md: not UTF-8"),
    ],
)
def test_invalid_templates_are_named(prompt_folder, text, expected):
    (prompt_folder / "bid.md").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ValueError, match="bidder ") as error:
        make_policy("english", f"{MODEL},agent=bdi,prompts={prompt_folder}")
    assert expected in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "{{ item.colour.hue }}",
        "{{ item + 5 }}",
        "{{ item.__class__.__mro__ }}",
        "{{ 1 / 0 }}",
        '{% include "bid.md" %}',
        '{{ "%z" | format(1) }}',
    ],
)
def test_templates_that_fail_during_a_game_are_named(prompt_folder, text):
    (prompt_folder / "bid.md").write_text(text)
    with Competent() as server, pytest.raises(Exception, match=r"prompts, .*bid\.md: "):
        play("english", THREE, [bidder(server, "bdi", prompts=prompt_folder), "rule", "rule"])


def test_includes_inside_a_loop_can_use_its_variable(prompt_folder):
    (prompt_folder / "plan.md").write_text(
        '{% for sale in items %}{% include "part.md" %}{% endfor %}{% include "bdi/plan.md" %}'
    )
    (prompt_folder / "part.md").write_text("Mind the {{ sale.name }}!")
    with Competent() as server:
        play("english", THREE, [bidder(server, "bdi", prompts=prompt_folder), "rule", "rule"], max_rounds=1)
        assert any("Mind the Lamp!" in messages[-1]["content"] for _, messages in server.asked)


def test_an_unknown_variable_is_refused_with_the_known_ones(prompt_folder):
    (prompt_folder / "lessons.md").write_text("{{ standing }}")
    with pytest.raises(ValueError, match="unknown variable 'standing'; known: log, profit"):
        Prompts("bdi", BdiAgent.VARIABLES, str(prompt_folder))


def test_a_user_defined_prompt_folder_is_used_and_its_content_is_part_of_the_run(prompt_folder):
    (prompt_folder / "bid.md").write_text('{% include "mine.md" %}\n{% include "bdi/bid.md" %}')
    (prompt_folder / "mine.md").write_text("Bid boldly on {{ item }}!")
    with Competent() as server:
        name = bidder(server, "bdi", prompts=prompt_folder)
        play("english", THREE, [name, "rule", "rule"], max_rounds=1)
        assert any("Bid boldly on Lamp!" in messages[-1]["content"] for _, messages in server.asked)
    adviser = f"llm:openai:m,agent=harbor,strategy=adviser:llm:openai:m;agent=bdi;prompts={prompt_folder}"
    before = {file_digest(name), file_digest(adviser)}
    (prompt_folder / "mine.md").write_text("Bid shyly on {{ item }}!")
    assert len(before | {file_digest(name), file_digest(adviser)}) == 2
    assert file_digest("llm:openai:m,agent=harbor,strategy=adviser:expact;steps=2") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[]", "expected a JSON object"),
        ("{", "not JSON"),
        ('{"lessons": []}', "lessons: expected only the fields auctions, got this one"),
        ('{"auctions": [5]}', "auctions[0]: expected an object"),
        (
            '{"auctions": [{"auction": 5, "after": 0, "name": "A", "lessons": []}]}',
            "auctions[0].auction: expected some text",
        ),
        (
            '{"auctions": [{"after": 3, "name": "A", "lessons": []}]}',
            "[0].after: expected a whole number from 0 to 0, got 3",
        ),
        ('{"auctions": [{"after": 0}]}', "auctions[0].name: expected this field"),
        ('{"auctions": [{"after": 0, "name": "A", "lessons": [1]}]}', "auctions[0].lessons[0]: expected a text, got 1"),
        (
            '{"auctions": [{"after": 0, "name": "A", "lessons": [], "rivals": {"A": 1}}]}',
            "auctions[0].rivals.A: expected a text, got 1",
        ),
    ],
)
def test_invalid_memory_files_are_named_and_not_changed(tmp_path, text, expected):
    file = tmp_path / "m.json"
    file.write_text(text)
    with pytest.raises(ValueError, match="bidder ") as error:
        make_policy("english", f"{MODEL},agent=bdi,memory={file}")
    assert expected in str(error.value)
    assert str(file) in str(error.value)
    assert file.read_text() == text


def test_games_with_a_memory_are_played_one_after_another(tmp_path):
    name = f"{MODEL},agent=bdi,memory={tmp_path / 'm.json'}"
    match = Match("english", THREE, (name, "rule", "rule"), (0,))
    assert RunOptions().check([match]) == 1
    with pytest.raises(ValueError, match="concurrency: expected 1 because a bidder keeps a memory"):
        RunOptions(concurrency=4).check([match])
    assert RunOptions().check([Match("english", THREE, (MODEL, "rule", "rule"), (0,))]) == 16


def test_a_resumed_run_with_a_memory_gives_the_same_results(tmp_path):
    from aucenv.benchmarks.rankings.leaderboard import Settings, run

    records = []
    for cut in (False, True):
        memory, out = tmp_path / f"m{cut}.json", tmp_path / f"out{cut}"
        with Competent() as server:
            settings = Settings(
                bidders=(bidder(server, "bdi", memory=memory), "rule", "value"), games=3, changes=("num_items=2",)
            )
            run(settings, out=out)
            if cut:  # as if the run had stopped after saving the memory and before writing the last record
                lines = (out / "games.jsonl").read_text().splitlines(keepends=True)
                (out / "games.jsonl").write_text("".join(lines[:-1]))
                asked = len(server.requests)
                run(settings, out=out)
                assert len(server.requests) == asked
            records.append((out / "games.jsonl").read_text().replace(server.url, "URL").replace(str(memory), "M"))
            assert len(json.loads(memory.read_text())["auctions"]) == 3
    assert records[0] == records[1]


@pytest.mark.parametrize("language", ["english", "chinese", "spanish", "hindi", "russian"])
@pytest.mark.parametrize("game", ["sealed_bid", "clock"])
def test_rules_and_tasks_are_in_the_language_of_the_option(game, language):
    from aucenv.baselines.llm.script.tasks import PHASES

    def answer(body):
        asked.append(body["messages"])
        return "20" if game == "sealed_bid" else "I leave"

    asked = []
    server = Competent()
    server._answer = answer
    with server:
        name = bidder(server, "plan-bid-reflect", language=language)
        play(game, SHORT[game], [name, *["truthful"] * (SHORT[game].num_bidders - 1)], 1)
    text = "\n".join(message["content"] for messages in asked for message in messages if message["role"] != "assistant")
    for phase in ("plan", "reflect", "replan") if game == "sealed_bid" else ("history",):
        folder = BUILT_IN / "plan-bid-reflect" / ("" if language == "english" else language)
        if phase == "plan":
            templates = prompts(str(folder.relative_to(BUILT_IN)), (), None)
            source = templates.render(phase, num_rounds=3, max_words=170 if language == "chinese" else 100)
        else:
            source = (folder / f"{phase}.md").read_text()
        sentences = [line for line in source.splitlines() if line and "{" not in line]
        assert sentences
        assert all(line in text for line in sentences)
    assert (PHASES["sealed" if game == "sealed_bid" else "tick"] in text) == (language == "english")
    assert ("You are one of" in text or "You are Andy" in text) == (language == "english")


@pytest.mark.parametrize("num_rounds", [1, 2])
@pytest.mark.parametrize("language", LANGUAGES)
def test_plans_of_auctions_with_one_round_are_about_one_bid(num_rounds, language):
    templates = prompts(f"plan-bid-reflect/{'' if language == 'english' else language}".rstrip("/"), (), None)
    several, one = (templates.render("plan", num_rounds=number, max_words=100) for number in (2, 1))
    assert several != one
    asked = []
    server = Competent()
    server._answer = lambda body: asked.append(body["messages"][-1]["content"]) or "20"
    with server:
        name = bidder(server, "plan-bid-reflect", language=language)
        scenario = SHORT["sealed_bid"].changed(num_rounds=num_rounds)
        play("sealed_bid", scenario, [name, "truthful", "truthful"], 1)
    limit = 170 if language == "chinese" else 100
    assert asked[0] == templates.render("plan", num_rounds=num_rounds, max_words=limit)
    assert len(asked) == 2 + 3 * (num_rounds - 1)  # one round has a plan and a bid


@pytest.mark.parametrize(("language", "limits"), [("chinese", (170, 85)), ("hindi", (100, 50))])
def test_texts_in_chinese_may_have_as_many_characters_as_say_the_same(language, limits):
    def answer(body):
        task = body["messages"][-1]["content"]
        asked.append([int(number) for number in re.findall(r"(?<=最多写)\d+(?=个字)|\d+(?= शब्द)", task)])
        return "字 " * 200 if asked[-1] else "20"

    asked = []
    server = Competent()
    server._answer = answer
    with server:
        name = bidder(server, "plan-bid-reflect", language=language)
        record = play("sealed_bid", SHORT["sealed_bid"], [name, "truthful", "truthful"], 1, max_rounds=2)
    assert [numbers for numbers in asked if numbers] == [[limits[0]], [limits[0]], [limits[1]]]
    plans = [notes["plan"] for notes in notes_of_seat(record) if "plan" in notes]
    assert [plan.count("字") for plan in plans] == list(limits)


def test_bids_are_read_and_refused_in_the_agents_currency():
    replies = {"sealed": ["I bid $20!", "€500", "€20"]}
    record, calls = play_agents(
        "sealed_bid", "plan-bid-reflect", replies, ["truthful", "truthful"], currency="euro", max_rounds=1
    )
    first = record.decisions[0]
    assert first["amount"] == 20
    assert [attempt["kind"] for attempt in first["attempts"]] == ["unreadable", "over_cap"]
    bids = [messages for call, messages in calls if call.purpose == "bid"]
    assert "€500 is above the highest legal bid of €99" in bids[2][-1]["content"]
    assert "$" not in bids[0][0]["content"] + bids[0][-1]["content"]


def test_an_intervention_is_part_of_the_rules():
    scenario = aucenv.sealed_bid_v0.game.load_scenario("second-apv").changed(num_rounds=1)
    _, calls = play_agents("sealed_bid", "plan-bid-reflect", scenario=scenario, intervention="dominant")
    assert "is a dominant strategy" in calls[0][1][0]["content"]


# Parsers of replies.

ANY_TEXT = st.one_of(
    st.text(max_size=60),
    st.lists(
        st.sampled_from(
            ['{"', '":', "{", "}", "[", "]", '"Lamp"', ": 1", ",", "NaN", "1e999", "\\u00", "\n", "<think>"]
        )
    ).map("".join),
)


def test_deep_replies_are_malformed():
    for depth in range(900, 1100, 4):  # around the limit of Python's recursion
        nested = "[" * depth + "]" * depth
        reply = '{"remaining_budget": 1, "total_profits": {"Alex": 0}, "winning_bids": {"Alex": {"x": ' + nested + "}}}"
        with pytest.raises(Malformed):
            read_status(reply, ["Alex"], "Alex")


@given(ANY_TEXT)
def test_parsers_return_a_value_or_raise_malformed(text):
    for read in (
        lambda reply: last_object(reply, bool),
        lambda reply: read_status(reply, ["Alex", "Blair"], "Alex"),
        lambda reply: read_priorities(reply, ["Lamp", "Desk"], 1),
        lambda reply: read_profile(reply, {"eco": "Eco", "urban": "Urban"}),
        lambda reply: read_choice(reply, "rule", ("A", "B")),
        lambda reply: read_sentences(reply, ["Alex"]),
        read_numbered,
    ):
        with contextlib.suppress(Malformed):
            read(text)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"a":' * 100_000,
        "{" * 100_000,
        '{"a": ' + "9" * 10_000 + "}",
        '{"a": "' + "x" * 200_000,
        '{"a":' * 300 + "{" + '"":0,' * 9000 + '"":0}',
        "\n" * 50_000,
        "1. " + "\n " * 25_000,
        "{}" * 50_000,
    ],
)
def test_long_replies_do_not_hang_a_parser(text):
    with contextlib.suppress(Malformed):
        last_object(text, bool)
    with contextlib.suppress(Malformed):
        read_numbered(text)


def test_the_last_fitting_object_counts():
    has_a = lambda data: "a" in data  # noqa: E731
    assert last_object('First {"a": 1}, no: {"a": 2} it is.', has_a) == {"a": 2}
    assert last_object('{"a": 1} {"b": 2} {}', has_a) == {"a": 1}
    assert last_object('{"answer": {"a": 1}, "why": "x"}', has_a) == {"a": 1}
    assert last_object('{"b": 2}', has_a) == {"b": 2}
    assert last_object('{broken {"a": 1}', has_a) == {"a": 1}


# Templates.


def sentences(path):
    text = re.sub(r"\{%.*?%\}", "\n", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    text = re.sub(r"\{\{.*?\}\}", "x", text)
    for line in text.splitlines():
        if line.startswith('{"'):  # the names of fields of JSON objects
            continue
        for sentence in re.split("(?<=[.!?:;\u3002\uff1f\uff01\u0964])\\s*", line):
            plain = " ".join(re.findall(r"[^\W_]+", sentence))
            if len(plain) > 12 and not set(plain) <= {"x", " "}:
                yield plain


def test_no_sentence_occurs_twice_in_the_templates():
    paths = {}
    for path in sorted(BUILT_IN.rglob("*.md")):
        for sentence in sentences(path):
            assert sentence not in paths, f"{sentence!r}: {path} and {paths[sentence]}"
            paths[sentence] = path
    assert len(paths) > 80


def test_templates_repeat_no_rule_of_the_games():
    """Templates get the text of the environments as variables."""
    observations = []
    for case in ("english", "harbor", "water_allocation"):
        env = aucenv.registration.find_family(case).raw_env(interface="text")
        env.reset(seed=0)
        observations.append(env.observe(env.agent_selection)["text"])
    rules = {" ".join(line.split()) for text in observations for line in text.replace(". ", ".\n").splitlines()}
    for path in BUILT_IN.rglob("*.md"):
        for line in path.read_text().replace(". ", ".\n").splitlines():
            assert len(line) < 30 or line not in rules, f"{path}: {line}"


def test_every_template_is_used_and_has_only_known_variables():
    from aucenv.baselines.llm.options import AGENTS, PRESETS

    used = set()
    for name, agent in AGENTS.items():
        for folder in [name, *(f"{name}/{d.name}" for d in (BUILT_IN / name).iterdir() if d.is_dir())]:
            preset = folder.partition("/")[2]
            variables = agent.class_of(preset if preset in PRESETS else "default").VARIABLES
            Prompts(*((name, variables, None, PRESETS[preset]) if preset in PRESETS else (folder, variables)))
            templates = [BUILT_IN / folder / f"{template}.md" for template, _ in variables]
            used |= {path.relative_to(BUILT_IN).as_posix() for path in templates if path.is_file()}
            assert preset in PRESETS or all(path.is_file() for path in templates)
    for folder, kind in (("k-level", KLevel), ("last-days", LastDays)):
        Prompts(folder, kind.VARIABLES)
        used |= {f"{folder}/{template}.md" for template, _ in kind.VARIABLES}
    for file in BUILT_IN.glob("shared/**/answer_in_json.md"):
        Prompts(file.parent.relative_to(BUILT_IN).as_posix(), FORM_VARIABLES)
        used.add(file.relative_to(BUILT_IN).as_posix())
    for path in BUILT_IN.rglob("*.md"):
        used |= set(re.findall(r'include "([^"]+)"', path.read_text()))
    assert used == {path.relative_to(BUILT_IN).as_posix() for path in BUILT_IN.rglob("*.md")}


def test_bidders_lists_the_agents_of_a_game(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    command("bidders", "--game", "harbor")
    output = capsys.readouterr().out
    for name in ("agent=bdi", "agent=harbor", "tom=inferred", "strategy=expact", "max_corrections=4"):
        assert name in output
    assert "agent=resident" not in output


@pytest.mark.parametrize("provider", ["openai", "local"])
def test_every_listed_default_is_parsed_as_the_default(provider):
    from aucenv.baselines.llm.bidder import PROVIDERS
    from aucenv.baselines.llm.options import AGENTS

    for agent, kind in AGENTS.items():
        for option in (*PROVIDERS[provider][1](agent, "m"), *kind.options):
            listed = str(option).partition("=")[2].partition("  (")[0]
            assert option.default is None or option.read("it", listed) == option.default


@pytest.mark.parametrize(
    ("answer", "expected"),
    [("99", "expected a whole number from 0 to 10"), ("-1", "whole number from 0"), ("1 / 0", "division by zero")],
)
def test_an_adviser_that_fails_is_named(tmp_path, answer, expected):
    file = tmp_path / "bad.py"
    file.write_text(
        "class Bad:\n    interface = 'vector'\n    def reset(self, seat, seed): ...\n"
        f"    def act(self, view, observation):\n        return {answer}\n    def close_game(self, view): ...\n"
    )
    with Competent() as server, pytest.raises(PolicyError, match=rf"adviser 'py:.*bad.py:Bad': .*{expected}"):
        play("harbor", SHORT["harbor"], [bidder(server, "harbor", strategy=f"adviser:py:{file}:Bad"), "rule", "rule"])


@pytest.mark.parametrize(
    "notes", ['{"priorities": [1]}', '{"beliefs": [1]}', '{"beliefs": [{"item": 1, "statuses": [{}]}]}']
)
def test_notes_in_the_wrong_form_are_refused(tmp_path, notes):
    file = tmp_path / "noting.py"
    file.write_text(
        f"class Noting:\n    interface = 'amount'\n    notes = {notes}\n    def reset(self, seat, seed): ...\n"
        "    def act(self, view, observation):\n        return -1\n    def close_game(self, view): ...\n"
    )
    with pytest.raises(PolicyError, match=r"notes\.(priorities|beliefs)"):
        play("english", THREE, [f"py:{file}:Noting", "rule", "rule"])
    record = play("sealed_bid", SHORT["sealed_bid"], [f"py:{file}:Noting", "truthful", "truthful"])
    assert list(transcript(record))  # this game gives these names no meaning
    foreign = play("english", THREE, ["rule", "rule", "rule"])
    foreign.decisions[0]["notes"].update(json.loads(notes))
    with pytest.raises(ValueError, match=r"games.jsonl:1: decisions\[0\].notes."):
        RecordReader().parse(foreign.to_json(), "games.jsonl:1")


def test_names_in_tables_are_not_read_as_markup(tmp_path, capsys):
    import dataclasses

    scenario = dataclasses.replace(SHORT["sealed_bid"], name="first [/x]")
    record = play("sealed_bid", scenario, ["truthful"] * 3)
    (tmp_path / "games.jsonl").write_text(record.to_json() + "\n")
    assert not command("records", "figures", tmp_path)
    assert "[/x]" in capsys.readouterr().out


def test_the_rules_in_prompts_ask_for_what_figures_expect():
    prompt = (ROOT / "baselines" / "llm" / "prompts" / "harbor" / "rules.md").read_text()
    for text in (prompt, QUESTION):
        asked = dict(re.findall(r"^([A-Z])\. (Raise|Leave)", text, re.MULTILINE))
        assert {rule: verb == "Raise" for rule, verb in asked.items()} == {rule: ASKS_TO_BID[rule] for rule in LETTERS}
