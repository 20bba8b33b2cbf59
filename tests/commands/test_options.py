"""Commands one can remember: their help is short, and each option has one name and one way to say it."""

from __future__ import annotations

import time
from collections import defaultdict

import pytest
from aucenv.benchmarks.rankings.settings import Settings, chosen_scenario
from run_command import command
from typer.main import get_command

from aucenv.cli import app
from aucenv.commands.options.completion import bidders, fields, games, presets, scenarios, studies
from aucenv.commands.options.help_pages import ADVANCED, REPLACED
from aucenv.registration import FAMILIES, find_family

ROOT = get_command(app)
MOST_OPTIONS = 183


def all_commands(group=ROOT, words=()):
    """Yield (words, command), groups included."""
    yield words, group
    for name, each in getattr(group, "commands", {}).items():
        yield from all_commands(each, (*words, name))


COMMANDS = {" ".join(words): each for words, each in all_commands()}


def options_of(each):
    return [param for param in each.params if param.param_type_name == "option"]


@pytest.mark.parametrize("words", COMMANDS)
def test_help_fits_a_screen(words, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    assert command(*words.split(), "--help") == 0
    short = capsys.readouterr().out
    lines = short.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    assert "\x1b" not in short
    assert command(*words.split(), "--help-all") == 0
    full = capsys.readouterr().out
    for option in options_of(COMMANDS[words]):
        assert option.opts[0] in full
        assert (option.opts[0] in short) or option.rich_help_panel == ADVANCED
    ends = lines[-1] == f"Use `aucenv {words} --help-all` for all options with details."
    assert ends == (" ".join(short.split()) != " ".join(full.split())) or not words


def test_options_are_few_and_have_one_name():
    options = [option for each in COMMANDS.values() if not hasattr(each, "commands") for option in options_of(each)]
    assert len(options) <= MOST_OPTIONS
    assert [option.opts for option in options if len(option.opts) + len(option.secondary_opts) != 1] == []


def test_an_option_has_the_same_kind_of_value_everywhere():
    metavars = defaultdict(set)
    for words, each in COMMANDS.items():
        for option in options_of(each):
            if words:
                metavars[option.opts[0]].add(option.metavar)
    differing = {name: kinds for name, kinds in metavars.items() if len(kinds) > 1}
    assert differing == {"--out": {"DIR", "FILE", "PATH"}, "--model": {"MODEL", "MODEL=BIDDER"}}


@pytest.mark.parametrize(
    ("words", "option", "form"),
    [(words, option, form) for commands, option, form in REPLACED for words in commands if words in COMMANDS],
)
def test_an_option_of_before_names_the_new_form(words, option, form, capsys):
    each = COMMANDS[words]
    paths = [words] if not hasattr(each, "commands") else [f"{words} {name}" for name in each.commands]
    for path in paths:
        assert option not in [name for known in options_of(COMMANDS[path]) for name in known.opts]
        assert command(*path.split(), option, "7") == 2
        assert capsys.readouterr().err == f"aucenv: no such option {option}: use {form.format('7')}\n"


SAME = (
    ("english", "num_items=2", {"num_items": 2}),
    ("english", "budget=9000", {"budget": 9000}),
    ("english", "item_order=descending", {"item_order": "descending"}),
    ("english", "overestimate=0", {"overestimate": 0}),
    ("english", "increment=0.2", {"increment": 0.2}),
    ("english", "discount=true", {"discount": True}),
    ("english", "ask_broke=true", {"ask_broke": True}),
    ("harbor", "budget=900000", {"budget": 900_000}),
    ("harbor", "item_order=ascending", {"item_order": "ascending"}),
    *((game, "num_items=3", {"num_items": 3}) for game in FAMILIES),
    *((game, "num_bidders=2", {"num_bidders": 2}) for game in FAMILIES),
)
"""(game, a value of --set, the same change as arguments of `Scenario.changed`), for each option that --set replaces."""


@pytest.mark.parametrize(("game", "text", "changes"), SAME)
def test_set_gives_the_scenario_that_an_option_of_before_gave(game, text, changes):
    modules = find_family(game).game
    scenario = modules.load_scenario(modules.default_scenario)
    assert chosen_scenario(Settings(game, changes=(text,))) == scenario.changed(**changes)


LONG = "x" * 10_000


@pytest.mark.parametrize(
    "line",
    [
        ["leaderboard", f"--{LONG}"],
        ["leaderboard", "--budget", LONG],
        ["leaderboard", "--set", f"{LONG}=1"],
        ["leaderboard", "--set", LONG],
        ["leaderboard", "--bidder", LONG],
        ["leaderboard", "--scenario", LONG],
        ["leaderboard", LONG],
        [LONG],
        ["study", LONG],
        ["study", "labs/revenue", "--set", f"{LONG}=1"],
        ["records", "show", LONG],
        ["records", LONG],
        ["exploit", LONG],
    ],
)
def test_a_long_command_line_has_a_short_error(line, capsys):
    start = time.process_time()
    assert command(*line) == 2
    assert len(capsys.readouterr().err) < 1000
    assert time.process_time() - start < 30


class Context:
    """The context of a command whose --game is known."""

    def __init__(self, **params):
        self.params = params


def test_the_shell_completes_what_the_game_has():
    assert games(Context(), "s") == ["sealed_bid"]
    assert "standard-20k-random" in scenarios(Context(), "standard")
    assert "second-ipv" in scenarios(Context(game="sealed_bid"), "sec")
    assert scenarios(Context(game="no game"), "") == []
    assert fields(Context(), "bud") == ["budget="]
    assert "bid_cap=" in fields(Context(game="sealed_bid"), "bid")
    assert "equilibrium" in bidders(Context(game="sealed_bid"), "eq")
    assert "rule" in bidders(Context(), "ru")
    assert {"harbor/rlact", "harbor"} <= {*studies(Context(), "harbor")}
    assert presets(Context(), "t") == ["tiny", "tiny-dpo"]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("aucenv leaderboard --game ", "english"),
        ("aucenv leaderboard --game clock --scenario ", "ascending-apv"),
        ("aucenv watch --game sealed_bid --set bid_", "bid_cap="),
        ("aucenv exploit --game sealed_bid sha", "shade"),
        ("aucenv study labs/rev", "labs/revenue"),
        ("aucenv train rlact --preset ", "tiny"),
    ],
)
def test_bash_gets_completions(typed, expected, monkeypatch, capsys):
    words = typed.split(" ")
    monkeypatch.setenv("_AUCENV_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "\n".join(words))
    monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
    command()
    assert expected in capsys.readouterr().out.split()
