"""With the core install alone, every command and every study works, or names its extra before it starts."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess

import pytest
from aucenv.benchmarks.studies.registry import PAPERS, STUDIES
from first_hour.commands import COMMANDS, line_of
from first_hour.core_install import CoreInstall, extra_packages
from first_hour.lines import GOOD
from first_hour.written import WRITTEN

MORE = (
    "benchmark --bidder rule --game english --size XS",
    "benchmark verify run",
    "exploit shade --game sealed_bid",
    "exploit rule",
    "exploit equilibrium --game sealed_bid --method ppo",
    "leaderboard --games 3 --bidder llm:openai:m,base_url=http://127.0.0.1:9 --bidder rule --bidder value",
    "leaderboard --games 3 --bidder llm:litellm:anthropic/m --bidder rule --bidder value",
    "leaderboard --games 3 --bidder llm:local:smollm2 --bidder rule --bidder value",
    "leaderboard --games 3 --bidder llm:scripted --bidder rule --bidder value",
    "leaderboard --game harbor --games 3 --bidder judge-greedy --bidder expact --bidder persona",
    "leaderboard --game harbor --games 3 --bidder rlact --bidder expact --bidder persona",
    "leaderboard --games 3 --bidder ppo --bidder rule --bidder value --set num_items=1",
    "leaderboard --games 156 --set num_items=1 --meta",
    "leaderboard --games 3 --cluster auto",
    "leaderboard --games 3 --plot x.png",
    "leaderboard --config lineup.yaml",
    "host",
    "models check llm:openai:m,base_url=http://127.0.0.1:9",
    "new houses --model llm:openai:m,base_url=http://127.0.0.1:9",
    "play --set num_items=1",
    "records export called --to dpo --out pairs.jsonl",
    "records forget run bidder_0",
    "rlact audit harbor",
    "serve smollm2",
    "studies --model llm:openai:gpt-4.1-mini",
    "train league --preset tiny --out new",
    "train rlact --preset tiny --out new",
    *(
        f"study {paper} --bidder {bidder} --out new"
        for paper, bidder in zip(PAPERS, ("rule", "expact", "shade", "thirst"), strict=True)
    ),
    "study all --offline --out new",
)
"""Lines of commands, and of options that need an extra, besides those of the tables."""
ANSWERED = {
    "benchmark verify": "expected",
    "play": "stopped",
    "records forget": "expected",
}
"""Command that cannot succeed here, because nobody answers or the run is another one -> a word of its error."""


def first_lines():
    """Yield the first line of the tables for each command, without those for models."""
    tables = [line for line, _ in (*GOOD, *WRITTEN, *((line, "") for line in MORE)) if "MODEL" not in line]
    for words in COMMANDS:
        line = line_of(words, tables)
        assert line, f"test_core_install.py, MORE: expected a line of {words}, got none"
        yield line


LINES = [*dict.fromkeys((*first_lines(), *MORE))]
SHORT, LONG = 2.0, 600.0
"""The seconds after which a command is stopped that has named the extra with which it is not slow."""


@pytest.fixture(scope="session")
def core(tmp_path_factory):
    install = CoreInstall(tmp_path_factory.mktemp("core"))
    yield install
    install.close()


@pytest.fixture
def here(completed, tmp_path):
    shutil.copytree(completed, tmp_path / "work")
    return tmp_path / "work"


def names_extra_first(ended):
    """Return whether the first line that a command has printed names an extra, with the command that installs it."""
    return re.match(r".* needs (the extra [a-z]+: \S.*|pyyaml \(pip) install ", ended.printed) is not None


def works(ended):
    """Return whether a command has worked, has named an extra and not started, or has named the one that is faster."""
    if ended.status == 2:
        return names_extra_first(ended) and len(ended.printed.splitlines()) <= 2
    return ended.status == 0 or (ended.status < 0 and names_extra_first(ended))


def test_no_package_of_an_extra_is_installed(core):
    code = "from importlib.metadata import distributions; print(*(each.metadata['Name'].lower() for each in distributions()))"
    done = subprocess.run([core.python, "-P", "-c", code], capture_output=True, text=True)
    assert {"aucenv", "numpy", "typer"} <= {*done.stdout.split()}
    assert not {*done.stdout.split()} & {*extra_packages()}
    assert {"numba", "jinja2", "torch"} <= {*extra_packages()}


@pytest.mark.parametrize("line", LINES)
def test_every_command_works_or_names_its_extra(line, core, here):
    ended = core.run(shlex.split(line), here, SHORT)
    assert "Traceback" not in ended.printed
    word = next((word for words, word in ANSWERED.items() if line.startswith(words)), None)
    assert works(ended) or (word is not None and word in ended.printed), ended


@pytest.mark.parametrize("seconds", [0.3, pytest.param(LONG, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", [name for name, study in STUDIES.items() if not study.trains])
def test_every_study_works_or_names_its_extra(name, seconds, core, here):
    """A bidder of a study that needs no extra plays alone, too: the others may keep the study from starting."""
    bidders = STUDIES[name].bidders
    for chosen in ("", f"--bidder {shlex.quote(bidders[0])}") if len(bidders) > 1 else ("",):
        shutil.rmtree(here / "new", ignore_errors=True)
        ended = core.run(shlex.split(f"study {name} {chosen} --games 1 --out new"), here, seconds)
        assert "Traceback" not in ended.printed
        assert works(ended), ended


@pytest.mark.parametrize("name", [name for name, study in STUDIES.items() if study.trains])
def test_studies_that_train_name_their_extra(name, core, here):
    ended = core.run(shlex.split(f"study {name} --out new"), here, LONG)
    assert (ended.status, names_extra_first(ended)) == (2, True)
    assert not (here / "new").exists()
