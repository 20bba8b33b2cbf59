"""A Sphinx extension that writes the pages of games, bidders, commands and modules from the package itself."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import json
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click
from typer.main import get_command

from aucenv.records import VERSION

FOLDER = "generated"
API = {
    "theory": "aucenv.theory",
    "testing": "aucenv.testing",
    "records": "aucenv.records",
    "play": "aucenv.play",
    "studies": "aucenv.benchmarks.studies",
}
"""Page of the API -> the module that it describes."""
RULES = {
    "aucenv.core.kernel": ("kernel", "inlined", "draw", "draw_below", "subkey"),
    "aucenv.core.state": ("seats_of", "seat_room", "rekey", "break_tie", "count_round"),
    "aucenv.baselines.scripted.policy": ("RuleBidder", "Parameter"),
}
"""Modules -> their functions and classes that the rules and the rule bidders of a game use."""
PURPOSES = ("TIE", "ORDER", "ESTIMATE", "RESAMPLE", "VALUE", "SUPPLY", "PERSONA", "HOUSE")
"""The purposes of random numbers that games use; the others belong to aucenv."""
REPEATED = ("records", "play")
"""Pages whose names are partly those of the package."""
TITLES = {
    "games": "Games",
    "bidders": "Bidders",
    "commands": "Commands",
    "api": "Python API",
    "records": "Records",
}
RECORDS_PAGE = f"""A results folder has a game on each line of `games.jsonl`, a call of a model on each line of
`calls.jsonl`, and the settings and versions of the run in `run.json`. These pages have their JSON Schema (draft
2020-12), which `aucenv records schema` prints, and `aucenv.records.file_schema` returns. The format of records has a
version, which each record states; it is now {VERSION}. Later versions of aucenv read all earlier ones. JSON Schema
describes fields, types and ranges; `aucenv.records.read_records` also checks that a record does not contradict itself,
and `aucenv.records.replay` that the rules lead to its outcome.

"""
PICTURE_ROUNDS = 6
"""The number of rounds before the picture of a game."""
PRIVATE_VALUES = ("sealed_bid", "clock", "ebay")
"""The games whose bids a picture shows against private values."""
BIDS = 60
"""The least number of bids of each bidder in this picture."""
BID_GAMES = 20
"""The largest number of games that they come from."""


def setup(app: Any) -> dict[str, Any]:
    """Write the pages when the build starts."""
    app.connect("builder-inited", lambda app: write_pages(Path(app.srcdir) / FOLDER))
    return {"parallel_read_safe": True}


def write_pages(folder: Path) -> None:
    """Write all generated pages into a folder, which is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    pages = {**dict(game_pages(folder)), **dict(bidder_pages()), **dict(command_pages()), **dict(api_pages())}
    pages |= dict(record_pages())
    for name, text in pages.items():
        path = folder / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for kind, title in TITLES.items():
        names = [name.partition("/")[2] for name in pages if name.startswith(f"{kind}/")]
        text = _index(title, names, RECORDS_PAGE if kind == "records" else "")
        (folder / kind / "index.md").write_text(text, encoding="utf-8")


def _index(title: str, names: Iterable[str], text: str = "") -> str:
    return f"# {title}\n\n{text}```{{toctree}}\n:maxdepth: 1\n\n" + "\n".join(names) + "\n```\n"


def game_pages(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield a page for each game: its board, replays, bids against values, and its environment's docstring."""
    from aucenv.registration import FAMILIES

    for family in FAMILIES.values():
        draw(family, folder / "games" / f"{family.name}.svg")
        text = inspect.cleandoc(family.__doc__ or "")
        head, _, rest = text.partition("\n")
        title = head if head.startswith("# ") else f"# {family.label}\n\n{head}"
        yield (
            f"games/{family.label}",
            f"{title}\n\n![A board of {family.name} between rule bidders]({family.name}.svg)\n\n"
            f"{_replays(family.name)}\n{_bids(family, folder / 'games')}{rest}\n",
        )


def _bids(family: Any, folder: Path) -> str:
    """Draw values against bids of the rule bidders of a game with private values, and return the picture."""
    from aucenv.benchmarks.studies.labs.bid_functions import bids_of
    from matplotlib.figure import Figure

    import aucenv
    from aucenv.policy.registry import playable_bidders

    if family.name not in PRIVATE_VALUES:
        return ""
    name = family.game.default_scenario
    scenario = family.game.load_scenario(name)
    bidders = [each for each in playable_bidders(family.name, scenario) if each != "random"]
    figure = Figure(figsize=(2.2 * len(bidders), 2.6), layout="constrained")
    panels = figure.subplots(1, len(bidders), sharex=True, sharey=True, squeeze=False)[0]
    for bidder, axes in zip(bidders, panels, strict=True):
        lineup = [bidder] * len(scenario.bidders)
        bids: list[tuple[float, float]] = []
        for seed in range(BID_GAMES):
            if len(bids) < BIDS:
                bids += bids_of(aucenv.play(family.name, name, lineup, seed=seed))
        axes.axline((0, 0), slope=1, color="0.7", linewidth=0.8)
        axes.plot(*zip(*bids, strict=True), ".", markersize=3)
        axes.set(title=bidder, xlabel="value, $")
    panels[0].set_ylabel("bid, $")
    file = f"{family.name}-bids.svg"
    figure.savefig(folder / file)
    alternative = f"Bids against values of {', '.join(bidders)} in games of {name}, and the line bid = value"
    return f"![{alternative}]({file})\n\n"


def draw(family: Any, file: Path) -> None:
    """Draw a game between rule bidders after a few rounds."""
    from aucenv.core.boards.drawing import to_svg
    from aucenv.policy.registry import playable_bidders

    scenario = family.game.load_scenario(family.game.default_scenario)
    names = playable_bidders(family.name, scenario)
    seats = len(scenario.bidders)
    rivals = {f"bidder_{seat}": names[seat % len(names)] for seat in range(1, seats)}
    env = family.raw_env(rivals=rivals)
    env.reset(seed=1)
    for _ in range(PICTURE_ROUNDS):
        if env.agents and not any(env.terminations.values()):
            mask = env.action_mask(env.agent_selection)
            env.step(int(mask.nonzero()[0][min(1, mask.sum() - 1)]))
    file.parent.mkdir(parents=True, exist_ok=True)
    board = family.game.board.board(env.table.view(0, reveal=True))
    file.write_text(to_svg(board), encoding="utf-8")


def _replays(game: str) -> str:
    """Return a link to the report of a game in the gallery, if it has one."""
    is_there = (Path(__file__).parent / "gallery" / f"{game}.html").exists()
    return f'<a href="../../{game}.html">Replays of games</a>\n' if is_there else ""


def bidder_pages() -> Iterator[tuple[str, str]]:
    """Yield a page for each rule bidder: how it bids, its parameters, and a command."""
    from aucenv.policy.registry import rule_bidders, scripted_bidders
    from aucenv.registration import FAMILIES

    for game in FAMILIES:
        built_in = scripted_bidders(game)
        for name, bidder in rule_bidders(game).items():
            lines = [f"# `{name}` ({game})", "", f"{bidder.about}.", ""]
            if bidder.cheats:
                lines += ["It cheats: it reads what a bidder may not know, and belongs in no ranking.", ""]
            if name not in built_in:
                lines += ["It is a family of the [population](../../population.md).", ""]
            if bidder.parameters:
                lines += ["| parameter | default | range |", "|---|---|---|"]
                lines += [
                    f"| `{each.name}` | {each.about_default or f'{each.default:g}'} | {each.least:g} to {each.most:g} |"
                    for each in bidder.parameters
                ]
                lines.append("")
            lines += ["```text", f"aucenv leaderboard --game {game} --bidder {name} --bidder random", "```", ""]
            yield f"bidders/{game}-{name}", "\n".join(lines)


def command_pages() -> Iterator[tuple[str, str]]:
    """Yield a page for each command, from its help."""
    from aucenv.cli import app

    root = get_command(app)
    for words, command in _commands(root, ()):
        yield f"commands/{'-'.join(words)}", _command_page(words, command)


def _commands(group: Any, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, command in group.commands.items():
        if command.hidden:
            continue
        if hasattr(command, "commands"):
            if command.callback is not None and command.invoke_without_command:
                yield (*words, name), command
            yield from _commands(command, (*words, name))
        else:
            yield (*words, name), command


def _command_page(words: tuple[str, ...], command: Any) -> str:
    context = click.Context(command, info_name=" ".join(("aucenv", *words)))
    usage = " ".join(("aucenv", *words, *command.collect_usage_pieces(context)))
    lines = [f"# aucenv {' '.join(words)}", "", inspect.cleandoc(command.help or ""), "", "```text", usage, "```", ""]
    rows = []
    for parameter in command.params:
        if getattr(parameter, "hidden", False):
            continue
        record = parameter.get_help_record(context)
        names = record[0] if record else parameter.human_readable_name
        text = record[1] if record else getattr(parameter, "help", "") or ""
        if "--help" not in names:
            about = _cell(text).replace("<", "&lt;").replace("*", "\\*")
            rows.append(f"| `{_cell(names)}` | {about} |")
    if rows:
        lines += ["| option | meaning |", "|---|---|", *rows, ""]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def record_pages() -> Iterator[tuple[str, str]]:
    """Yield a page with the JSON Schema of each file of a results folder, and of the records of each game."""
    from aucenv.records import file_schema
    from aucenv.registration import FAMILIES

    subjects = {game: ("games", game) for game in FAMILIES} | {"calls": ("calls", None), "run": ("run", None)}
    for name, (file, game) in subjects.items():
        schema = file_schema(file, game)
        command = f"aucenv records schema {file}{f' --game {game}' if game else ''}"
        text = json.dumps(schema, indent=2)
        yield f"records/{name}", f"# {schema['title']}\n\n`{command}` prints it.\n\n```json\n{text}\n```\n"


def api_pages() -> Iterator[tuple[str, str]]:
    """Yield the pages of the Python API: the names of the package, and public modules."""
    import aucenv
    from aucenv.registration import FAMILIES

    labels = {family.label for family in FAMILIES.values()}
    directives = []
    for name in aucenv.__all__:
        if name in labels:
            continue
        value = getattr(aucenv, name)
        kind = "autoclass" if inspect.isclass(value) else "autofunction"
        directives.append(f"```{{eval-rst}}\n.. {kind}:: {value.__module__}.{value.__qualname__}\n```\n")
    yield (
        "api/aucenv",
        "# aucenv\n\nThe names of `import aucenv`; the environments have [pages of their own](../games/index.md).\n\n"
        + "\n".join(directives),
    )
    views, seen = [], set()
    for family in FAMILIES.values():
        views.append(f"## {family.name}\n")
        for value in vars(family.game.view).values():
            is_view = isinstance(value, type) and value.__module__.endswith(".view") and dataclasses.is_dataclass(value)
            if is_view and value not in seen:
                seen.add(value)
                members = "   :inherited-members:\n" if value is family.game.view.View else ""
                name = f"{value.__module__}.{value.__qualname__}"
                views.append(f"```{{eval-rst}}\n.. autoclass:: {name}\n{members}```\n")
    yield (
        "api/views",
        "# Views\n\nWhat a bidder may know: the argument `view` of `act`, which `help(type(view))` describes, too.\n\n"
        + "\n".join(views),
    )
    yield "api/rules", rules_page()
    yield "api/rlact", rlact_page()
    for page, module in API.items():
        options = "   :imported-members:\n" + ("   :no-index:\n" if page in REPEATED else "")
        yield f"api/{page}", f"# {module}\n\n```{{eval-rst}}\n.. automodule:: {module}\n{options}```\n"


def rules_page() -> str:
    """Return the page of what rules and rule bidders are made of: kernels, random numbers, the state, and bidders."""
    from aucenv.core import state

    parts = [
        "# Rules and rule bidders",
        "What the modules `rules.py`, `belief.py` and `bidders.py` of a game use; [random numbers](../../games.md"
        "#random-numbers) explains keys and purposes, and [contributing](../../about/contributing.md#add-a-game) the "
        "modules.",
    ]
    for module, names in RULES.items():
        members = [getattr(importlib.import_module(module), name) for name in names]
        kinds = ["autoclass" if inspect.isclass(member) else "autofunction" for member in members]
        directives = [f".. {kind}:: {module}.{name}" for kind, name in zip(kinds, names, strict=True)]
        parts.append(f"## {module}\n\n```{{eval-rst}}\n" + "\n\n".join(directives) + "\n```")
    purposes = ", ".join(f"`{name}` = {getattr(state, name)}" for name in PURPOSES)
    parts.append(f"Purposes of `draw`, in `aucenv.core.state`: {purposes}.")
    return "\n\n".join(parts) + "\n"


TRL_SETTINGS = {
    "GRPOConfig": "https://huggingface.co/docs/trl/grpo_trainer#trl.GRPOConfig",
    "ModelConfig": "https://github.com/huggingface/trl/blob/main/trl/trainer/model_config.py",
}
"""Classes of TRL with settings of a run -> where they are described."""


def rlact_page() -> str:
    """Return the page of the settings of RLAct."""
    from aucenv.training.rlact.config import FIXED, RLActConfig
    from aucenv.training.rlact.settings_files import rlact_names

    fields = {field.name: field for field in dataclasses.fields(RLActConfig)}
    links = " and ".join(f"[`{name}`]({url})" for name, url in TRL_SETTINGS.items())
    lines = [
        "# Settings of RLAct\n",
        "The settings of [`aucenv train rlact`](../commands/train-rlact.md), which presets, `--preset FILE` and "
        "`--set NAME=VALUE` set ([training](../../rlact.md#training)). Besides these, there are those of TRL's "
        f"{links}, such as `warmup_steps`, `save_steps` and `logging_steps`.\n",
        "| setting | default | meaning |",
        "|---|---|---|",
    ]
    for name in rlact_names():
        field = fields[name]
        factory = field.default_factory
        default = field.default if factory is dataclasses.MISSING else factory()
        text = " ".join(default) if isinstance(default, list) else f"{default}"
        lines.append(f"| `{name}` | {text} | {_cell(field.metadata['help'])} |")
    computed = ("max_steps", "beta")
    fixed = ", ".join(f"`{name}={value}`" for name, value in FIXED.items() if name not in computed)
    about = f"{' and '.join(f'`{name}`' for name in computed)} follow from other settings"
    return "\n".join([*lines, f"\nThese settings of TRL are fixed: {fixed}; {about}.\n"])
