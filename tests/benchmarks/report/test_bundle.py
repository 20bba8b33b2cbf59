from __future__ import annotations

import re

import pytest
from aucenv.benchmarks.report.bundle import FOLDER, join
from aucenv.benchmarks.report.page import page_script

from aucenv.registration import FAMILIES

GAMES = sorted({family.name for family in FAMILIES.values()})


def write(folder, **modules):
    for name, text in modules.items():
        (folder / f"{name}.js").write_text(text)
    return folder / f"{next(iter(modules))}.js"


def test_modules_are_joined_in_the_order_of_imports(tmp_path):
    entry = write(
        tmp_path,
        a='import { b } from "./b.js";\nimport { money } from "aucenv/text.js";\n\nexport const a = b + money(1);\n',
        b='export const b = "b";\n',
    )
    script = join([entry])
    assert script.index('const b = "b"') < script.index("function money") < script.index("const a = b")
    assert not re.search(r"^(import|export)\b", script, re.MULTILINE)


@pytest.mark.parametrize(
    ("modules", "problem"),
    [
        ({"a": 'import { c } from "./b.js";\n', "b": "export const b = 1;\n"}, "exports, got 'c'"),
        ({"a": 'import { b } from "./b.js";\nconst b = 1;\n', "b": "export const b = 1;\n"}, "defines b, too"),
        (
            {"a": 'import { b } from "./b.js";\n', "b": 'import { a } from "./a.js";\nexport const b = 1;\n'},
            "no circle",
        ),
        ({"a": 'import b from "./b.js";\n', "b": "export const b = 1;\n"}, "expected `import"),
        ({"a": "export default 1;\n"}, "expected `import"),
    ],
)
def test_a_module_of_another_form_is_refused_by_name(tmp_path, modules, problem):
    with pytest.raises(ValueError, match=problem) as error:
        join([write(tmp_path, **modules)])
    assert str(tmp_path) in str(error.value)


def test_all_modules_of_the_page_and_of_all_games_join():
    script = page_script(GAMES) + page_script(GAMES, "live.js", "startTable")
    assert f"startPage({{ {GAMES[0]}: " in script
    assert f"startTable({{ {GAMES[0]}: " in script
    for module in FOLDER.glob("*.js"):
        assert module.read_text().splitlines()[0] in script, module


def test_modules_are_short_and_parse_no_html():
    from aucenv.benchmarks.report.page_data import script_of

    from aucenv.registration import find_family

    for module in [*FOLDER.glob("*.js"), *(script_of(find_family(game).game) for game in GAMES)]:
        text = module.read_text()
        assert len(text.splitlines()) <= 320, module
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function", text), (
            module
        )
