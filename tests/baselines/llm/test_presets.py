"""Presets of agents: transcripts against the scripted model as golden files, contradictions, and advice to follow."""

from __future__ import annotations

import itertools

import pytest
from agent_games import SHORT, calls_of_seat, notes_of_seat, play_agents
from aucenv.baselines.llm.options import AGENTS
from paths import GOLDEN
from preset_points import POINTS

import aucenv
from aucenv.policy.registry import make_policy

CASES = {
    "bdi-paper": ("english", "bdi", {"preset": "paper"}),
    "bdi-program": ("english", "bdi", {"preset": "program"}),
    "resident-paper": ("water_allocation", "resident", {"preset": "paper"}),
    "resident-program": ("water_allocation", "resident", {"preset": "program"}),
    "plan-bid-reflect-paper": ("sealed_bid", "plan-bid-reflect", {"preset": "paper"}),
    "plan-bid-reflect-program": ("sealed_bid", "plan-bid-reflect", {"preset": "program"}),
    "plan-bid-reflect-paper-clock": ("clock", "plan-bid-reflect", {"preset": "paper"}),
    "plan-bid-reflect-program-clock": ("clock", "plan-bid-reflect", {"preset": "program"}),
    "plan-bid-reflect-paper-ebay": ("ebay", "plan-bid-reflect", {"preset": "paper"}),
    "plan-bid-reflect-program-ebay": ("ebay", "plan-bid-reflect", {"preset": "program"}),
    "harbor-paper": ("harbor", "harbor", {"preset": "paper", "tom": "second"}),
}
RIVALS = {
    "water_allocation": None,
    "sealed_bid": ["truthful", "truthful"],
    "clock": ["truthful", "truthful"],
    "ebay": ["truthful", "truthful"],
    "english": ["rule", "rule"],
    "harbor": ["persona", "persona"],
}
LIMIT = 2
"""The number of calls of each purpose that a golden transcript shows."""


def phase_of(call):
    return call.purpose.split()[0]


def in_order(calls):
    """Sort neighbouring calls of one phase, because the calls of a phase may be made at the same time."""
    for _, group in itertools.groupby(calls, key=lambda call: phase_of(call[0])):
        yield from sorted(group, key=lambda call: call[0].purpose)


def transcript_of(calls):
    """Return the first calls of each purpose, with all of their messages."""
    lines, shown = [], {}
    for call, messages in in_order(calls):
        purpose = phase_of(call)
        shown[purpose] = shown.get(purpose, 0) + 1
        if shown[purpose] <= LIMIT:
            settings = {name: value for name, value in call.settings.items() if name != "seed"}
            lines.append(f"=== {call.purpose}: {settings}")
            for message in messages:
                lines += [f"--- {message['role']}", message["content"]]
            lines += ["--- reply", call.reply]
    counts = ", ".join(f"{purpose} {number}" for purpose, number in shown.items())
    return "\n".join([f"calls: {counts}", *lines]) + "\n"


@pytest.mark.parametrize("case", CASES)
def test_the_calls_of_a_preset_are_those_of_the_golden_transcript(case, request):
    game, agent, options = CASES[case]
    _, calls = play_agents(game, agent, rivals=RIVALS[game], **options)
    text = transcript_of(calls_of_seat(calls))
    path = GOLDEN / "presets" / f"{case}.txt"
    if request.config.getoption("--write-golden"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert text == path.read_text()


def listed_points():
    """Return the points of each transcript, with the number of the first line that has them."""
    lines = ["# Points of the papers, and the lines of the transcripts that have them", ""]
    for case, points in POINTS.items():
        transcript = (GOLDEN / "presets" / f"{case}.txt").read_text().splitlines()
        lines += [f"## {case}.txt", "", "| point | line | text |", "|---|---|---|"]
        for point, text in points:
            numbers = [number for number, line in enumerate(transcript, 1) if text in line]
            assert numbers, f"{case}, {point}: no line has {text!r}"
            lines.append(f"| {point} | {numbers[0]} | {text} |")
        lines.append("")
    return "\n".join(lines)


def test_transcripts_have_every_point_of_the_papers(request):
    path = GOLDEN / "presets" / "points.md"
    assert set(POINTS) == set(CASES)
    if request.config.getoption("--write-golden"):
        path.write_text(listed_points())
    assert listed_points() == path.read_text()


def test_every_preset_has_a_golden_transcript():
    published = {(agent, preset) for agent, kind in AGENTS.items() for preset in kind.presets}
    assert {(agent, options["preset"]) for _, agent, options in CASES.values()} == published


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("preset=papier", "preset: expected one of default, paper, program, got 'papier' .did you mean 'paper'"),
        (
            "preset=paper,previous_plan=false",
            "previous_plan: expected true, which preset=paper sets, got 'false'; leave one of the two out",
        ),
        ("preset=paper,temperature=0.7", "temperature: expected 0, which preset=paper sets, got '0.7'"),
        ("preset=paper,prompts=mine", "prompts: expected none, which preset=paper sets, got 'mine'"),
        (
            "preset=paper,sampling=labs",
            "temperature: expected 0, which preset=paper sets, got '0.5' from sampling=labs; leave one of the two out",
        ),
        ("sampling=alympics,top_p=0.9", "top_p: expected 0.95, which sampling=alympics sets, got '0.9'"),
    ],
)
def test_options_that_contradict_each_other_are_both_named(options, message):
    with pytest.raises(ValueError, match=message):
        make_policy("english", f"llm:openai:m,base_url=http://h,agent=bdi,{options}")


def test_options_that_agree_with_a_preset_are_accepted():
    policy = make_policy("english", "llm:openai:m,base_url=http://h,agent=bdi,preset=paper,temperature=0,plan=static")
    assert (policy.bdi_options.goal, policy.bdi_options.plan, policy.sampling.temperature) == ("relative", "static", 0)


@pytest.mark.parametrize(
    ("game", "options", "message"),
    [
        ("sealed_bid", "reasoner=k-level", "reasoner: expected direct, which preset=program sets, got 'k-level'"),
        ("sealed_bid", "reply=json", "reply: expected words, which preset=program sets, got 'json'"),
        ("clock", "sampling=alympics", "temperature: expected 0.5, which preset=program sets, got '0.7' from sampling"),
    ],
)
def test_the_presets_of_plan_bid_reflect_contradict_other_reasoning(game, options, message):
    with pytest.raises(ValueError, match=message):
        make_policy(game, f"llm:openai:m,base_url=http://h,agent=plan-bid-reflect,preset=program,{options}")


@pytest.mark.parametrize(
    ("preset", "values", "shown"), [("paper", "cv", 0), ("program", "ipv", 0), ("program", "cv", 1)]
)
def test_the_programs_reflection_on_common_values_shows_the_plan(preset, values, shown):
    scenario = SHORT["sealed_bid"].changed(values=values, num_rounds=3)
    _, calls = play_agents(
        "sealed_bid", "plan-bid-reflect", rivals=RIVALS["sealed_bid"], scenario=scenario, preset=preset
    )
    tasks = [messages[-1]["content"] for call, messages in calls if call.purpose == "reflect"]
    assert [task.count("Your plan was:") for task in tasks] == [shown, shown]
    replans = [messages[-1]["content"] for call, messages in calls if call.purpose == "replan"]
    assert [task.count("Your plan was:") for task in replans] == [1, 2]


@pytest.mark.parametrize("game", ["sealed_bid", "clock"])
@pytest.mark.parametrize("language", ["hindi", "chinese", "russian"])
def test_published_prompts_translate_the_rules_alone(game, language):
    record, calls = play_agents(
        game,
        "plan-bid-reflect",
        rivals=RIVALS[game],
        scenario=SHORT[game].changed(language=language),
        preset="paper",
    )
    rules = {messages[0]["content"] for _, messages in calls}
    tasks = [messages[-1]["content"] for _, messages in calls]
    assert len(rules) == 1
    assert not rules.pop().isascii()
    assert all(task.isascii() for task in tasks)
    answered = [decision for decision in record.decisions if decision["seat"] == "bidder_0"]
    assert answered
    assert not any(decision.get("attempts") for decision in answered)


def test_a_clock_reply_without_an_action_is_refused_and_the_task_is_repeated_with_the_reason():
    replies = ["<PLAN>Stay.</PLAN>", "<PLAN> " + "word " * 60 + "</PLAN> <ACTION> [Yes] <ACTION><REFLECTION>1 < 2"]
    record, calls = play_agents(
        "clock", "plan-bid-reflect", {"tagged tick": replies}, RIVALS["clock"], preset="program", max_rounds=1
    )
    first, second = (messages for _, messages in calls_of_seat(calls)[:2])
    reason = "Your answer was not accepted: expected yes or no between <ACTION> and </ACTION>."
    assert [message["role"] for message in second] == ["user"]
    assert second[0]["content"].replace(f"{reason}\n", "") == first[0]["content"]
    assert reason in second[0]["content"]
    notes = notes_of_seat(record)[0]
    assert (len(notes["plan"].split()), notes["reflection"]) == (50, "1 < 2")
    assert [mistake["kind"] for mistake in notes["mistakes"]] == ["too long"]


@pytest.mark.parametrize(
    ("reply", "dollars", "reason"),
    [
        ("<PLAN>x</PLAN><ACTION> Bid <ACTION><AMOUNT>44<AMOUNT>", 44, None),
        ("<ACTION>BID</ACTION><AMOUNT>$44.00.</AMOUNT>", 44, None),
        ("<CHECK>my last bid is 0</CHECK>\n**<ACTION>HOLD</ACTION>**\n<AMOUNT>0</AMOUNT>", None, None),
        ("<ACTION>HOLD</ACTION><AMOUNT>44</AMOUNT>", None, None),
        ("<ACTION>BID</ACTION>", None, "expected a number between <AMOUNT> and </AMOUNT>"),
        ("<ACTION>BID</ACTION><AMOUNT>up to 30 or 40</AMOUNT>", None, "expected a number between <AMOUNT>"),
        ("<ACTION>BID</ACTION><AMOUNT>-5</AMOUNT>", None, "expected a number between <AMOUNT>"),
        ("<ACTION>BID</ACTION><AMOUNT>7,5</AMOUNT>", None, "expected a number between <AMOUNT>"),
        ("<ACTION>BID</ACTION><AMOUNT>.50</AMOUNT>", None, "expected a number between <AMOUNT>"),
        (f"<ACTION>BID</ACTION><AMOUNT>{'9' * 400}</AMOUNT>", None, "expected a number between <AMOUNT>"),
        ("<AMOUNT>44</AMOUNT>", None, "expected BID or HOLD between <ACTION> and </ACTION>"),
        ("<ACTION>BID or HOLD</ACTION><AMOUNT>44</AMOUNT>", None, "expected BID or HOLD between <ACTION>"),
        ("<ACTION>BID</ACTION><AMOUNT>1,440</AMOUNT>", None, "is above the highest possible maximum of $99"),
        ("<ACTION>BID</ACTION><AMOUNT>44.5</AMOUNT>", None, "$44.50 is not a multiple of $1"),
    ],
)
def test_a_move_in_a_proxy_auction_is_read_from_its_tags_or_refused_with_the_reason(reply, dollars, reason):
    later = "<ACTION>HOLD</ACTION>"
    record, calls = play_agents(
        "ebay",
        "plan-bid-reflect",
        {"tagged move": [reply, *[later] * 9]},
        RIVALS["ebay"],
        preset="program",
        max_rounds=9,
    )
    first = next(decision for decision in record.decisions if decision["seat"] == "bidder_0")
    assert first["amount"] == dollars
    assert bool(first.get("attempts")) is (reason is not None)
    second = calls_of_seat(calls)[1][1][0]["content"]
    assert ("Your answer was not accepted" in second) is (reason is not None)
    assert (reason or "") in second


def test_open_clocks_show_how_many_left_at_each_price_and_blind_ones_do_not():
    for scenario, shows in (("ascending-apv", True), ("ascending-apv-blind", False)):
        _, calls = play_agents(
            "clock",
            "plan-bid-reflect",
            rivals=RIVALS["clock"],
            scenario=aucenv.clock_v0.game.load_scenario(scenario),
            preset="paper",
            max_rounds=60,
        )
        tasks = [messages[-1]["content"] for _, messages in calls_of_seat(calls)]
        assert any("1 left." in task for task in tasks) is shows
        assert any("nobody left." in task for task in tasks) is shows


def followed_calls(adviser, tmp_path=None):
    record, calls = play_agents(
        "harbor", "harbor", rivals=["persona", "persona"], preset="paper", tom="none", strategy=f"adviser:{adviser}"
    )
    bids = [messages[-1]["content"] for call, messages in calls_of_seat(calls) if call.purpose == "bid"]
    return record, bids


def test_an_adviser_that_is_followed_decides_and_the_model_names_the_amount():
    record, bids = followed_calls("rule;k=1")
    advice = [notes["advice"] for notes in notes_of_seat(record) if "advice" in notes]
    assert {("$" in text) for text in advice} == {True, False}
    for text, prompt in zip(advice, bids, strict=True):
        assert ("wants you to bid in this call" in prompt) == ("$" in text)
        assert ("wants you to leave this item" in prompt) == ("$" not in text)
        assert "what it would do in your place" not in prompt


def test_advice_that_is_no_decision_is_a_mistake_and_not_shown(tmp_path):
    file = tmp_path / "vague.py"
    file.write_text(
        "class Vague:\n    interface = 'text'\n    def reset(self, seat, seed): ...\n"
        "    def act(self, view, observation):\n        return 'It depends on the weather.'\n"
        "    def close_game(self, view): ...\n"
    )
    record, bids = followed_calls(f"py:{file}:Vague")
    mistakes = [m for notes in notes_of_seat(record) for m in notes.get("mistakes", []) if m["phase"] == "advice"]
    assert len(mistakes) == len(bids)
    assert not any("dviser" in prompt for prompt in bids)


def test_the_default_prompts_are_neutral():
    _, calls = play_agents("english", "bdi", rivals=["rule", "rule"])
    text = "\n".join(message["content"] for _, messages in calls for message in messages)
    assert "brings nothing" not in text
    assert "any other bidder" not in text
