from __future__ import annotations

import re

import pytest
from aucenv.benchmarks.report.page import FOLDER, join, page_script


def write(folder, **modules):
    for name, text in modules.items():
        (folder / f"{name}.js").write_text(text)
    return folder / f"{next(iter(modules))}.js"


def test_modules_are_joined_in_the_order_of_imports(tmp_path):
    entry = write(
        tmp_path,
        a='import { b } from "./b.js";\nimport { c } from "./c.js";\n\nexport const a = b + c;\n',
        c='export const c = "c";\n',
        b='export const b = "b";\n',
    )
    script = join(entry)
    assert script.index('const b = "b"') < script.index('const c = "c"') < script.index("const a = b")
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
        join(write(tmp_path, **modules))
    assert str(tmp_path) in str(error.value)


def test_all_modules_of_the_pages_join():
    script = page_script() + page_script("live.js", "startTable")
    assert script.count("\nstartPage();\n") == script.count("\nstartTable();\n") == 1
    for module in FOLDER.glob("*.js"):
        assert module.read_text().splitlines()[0] in script, module


def test_modules_are_short_and_parse_no_html():
    for module in FOLDER.glob("*.js"):
        text = module.read_text()
        assert len(text.splitlines()) <= 320, module
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function", text), (
            module
        )
