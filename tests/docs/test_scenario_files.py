"""The forms of scenario files in docs/games.md, from the classes and lists that check the files."""

from __future__ import annotations

import dataclasses
import json
import re
from contextlib import nullcontext

import pytest
from paths import ROOT

from aucenv.core.declared import declarations
from aucenv.envs.english.files import BIDDERS
from aucenv.envs.harbor.houses.personas import personas
from aucenv.registration import FAMILIES

PAGE = ROOT / "docs" / "games.md"
START, END = "<!-- scenario files: start -->\n", "<!-- scenario files: end -->\n"
WRITE = "pytest tests/docs/test_scenario_files.py --write-golden writes it"


def table(heads, rows):
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def list_table(form):
    rows = [
        (f"`{field.name}`", ", ".join(f"`{name}`" for name in field.also), field.default, field.about)
        for field in form.fields.values()
    ]
    return table(("field", "or", "if it is missing", "meaning"), rows)


def example(family):
    """A scenario with all fields, in JSON: the default one, with the first two objects of each list."""
    scenario = family.game.load_scenario(family.game.default_scenario)
    data = scenario.to_dict()
    for name, each in declarations(type(scenario)).items():
        data[name] = data[name][:2] if each.accepts.kinds and isinstance(data[name], list) else data[name]
    lines = [f" {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in data.items()]
    return "{" + ",\n".join(lines)[1:] + "}"


def section(family):
    page = f"generated/games/{family.label}.md"
    about = (
        f"An `aucenv.{family.game.Scenario.__name__}`; [its page]({page}) has all fields in its tables of arguments:"
    )
    parts = [f"### {family.name}", about, f"```json\n{example(family)}\n```"]
    lists = family.game.lists
    if lists is not None:
        lines = "\n".join(lists.form.example)
        parts += [f"A list of {lists.form.thing}s:", list_table(lists.form), f"```text\n{lines}\n```"]
        parts += [f"What may follow it after a comma, `{lists.second}`:", *second_file(lists.second)]
    return "\n\n".join(parts)


def second_file(name):
    if name == "bidders.jsonl":
        return [list_table(BIDDERS), "```text\n" + "\n".join(BIDDERS.example) + "\n```"]
    first = personas()[0]
    line = {**first.to_dict(), "descriptions": first.descriptions["train"][:1]}
    about = "ten lines with the fields of a `Persona`; `descriptions` is one list of texts."
    return [about, f"```json\n{json.dumps(line, ensure_ascii=False)}\n```"]


def generated():
    return "\n\n".join(section(family) for family in FAMILIES.values()) + "\n"


def test_the_page_has_the_forms_of_all_games(request):
    before, _, rest = PAGE.read_text().partition(START)
    _, _, after = rest.partition(END)
    if request.config.getoption("--write-golden"):
        PAGE.write_text(f"{before}{START}{generated()}{END}{after}")
    assert PAGE.read_text().partition(START)[2].partition(END)[0] == generated(), WRITE


@pytest.mark.parametrize("game", FAMILIES)
def test_the_examples_of_the_page_are_scenarios_with_all_fields(game, tmp_path):
    family = FAMILIES[game]
    part = PAGE.read_text().partition(f"### {game}\n")[2].partition("\n### ")[0]
    shown = json.loads(re.search("```json\n(.*?)\n```", part, re.DOTALL)[1])
    kind = type(family.game.load_scenario(family.game.default_scenario))
    assert shown.keys() == {field.name for field in dataclasses.fields(kind)}
    (tmp_path / "mine.json").write_text(json.dumps(shown))
    assert family.game.load_scenario(str(tmp_path / "mine.json")).name == shown["name"]
    lists = re.findall("```text\n(.*?)\n```", part, re.DOTALL)
    paths = [tmp_path / f"{number}.csv" for number in range(len(lists))]
    for path, text in zip(paths, lists, strict=True):
        path.write_text(text)
    if lists:
        with pytest.warns(match="alike") if game == "harbor" else nullcontext():
            loaded = family.game.load_scenario(",".join(map(str, paths)))
        assert len(loaded.items) == 2
