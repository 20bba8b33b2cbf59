"""Configuration of the documentation site; `make docs` builds it into build/site."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert

HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE))

import aucenv  # noqa: E402

project = "aucenv"
author = "The aucenv authors"
copyright = f"2026, {author}"  # noqa: A001  (the name that Sphinx reads)
release = version = aucenv.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "generated_pages"]
exclude_patterns = ["gallery"]
root_doc = "index"
html_theme = "furo"
html_title = f"aucenv {release}"
html_extra_path = ["gallery"]
html_static_path = ["pictures"]  # those that stand in HTML on a page
html_copy_source = False
smartquotes = False  # options begin with two hyphens
html_show_sphinx = False

myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_dmath_allow_space = False  # "$5 to $10" is money
myst_dmath_allow_digits = False
myst_heading_anchors = 4
nb_execution_mode = "off"  # `make docs-test` runs the notebooks
suppress_warnings = ["myst.header"]  # docstrings of environments begin with their own heading

autodoc_typehints = "description"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "show-inheritance": True}
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True

html_math_renderer = "mathml"
RUNS_IN = re.compile(r"^Runs in about .*$", re.MULTILINE)
"""The line of a notebook after which its page has the link to its file."""
OUTSIDE = {
    "README.md": "index.md",
    "CHANGELOG.md": "about/changelog.md",
    "CONTRIBUTING.md": "about/contributing.md",
    "THIRD_PARTY.md": "about/third_party.md",
    "SECURITY.md": "about/security.md",
}
"""Files outside of docs that have a page of the site."""


def setup(app: Any) -> None:
    """Add what Sphinx does not have: formulas as MathML, and links of pages to files outside of docs."""
    app.add_html_math_renderer("mathml", (_inline_formula, None), (_formula, None))
    app.connect("source-read", _rewrite_links)
    app.connect("source-read", _link_notebook)


def _inline_formula(translator: Any, node: Any) -> None:
    from docutils.nodes import SkipNode

    translator.body.append(convert(node.astext()))
    raise SkipNode


def _formula(translator: Any, node: Any) -> None:
    from docutils.nodes import SkipNode

    translator.body.append(f'<div class="formula">{convert(node.astext(), display="block")}</div>')
    raise SkipNode


def _link_notebook(app: Any, name: str, source: list[str]) -> None:
    """Link the page of a notebook to its file, below the title and the time that it takes."""
    if not (HERE / f"{name}.ipynb").exists():
        return
    notebook = json.loads(source[0])
    first = notebook["cells"][0]
    link = f"\n\n{{download}}`Download this notebook <{Path(name).name}.ipynb>`"
    first["source"] = RUNS_IN.sub(lambda match: match[0] + link, "".join(first["source"]), count=1)
    source[0] = json.dumps(notebook)


def _rewrite_links(app: Any, name: str, source: list[str]) -> None:
    """Point links to files outside of docs to their pages; a file without a page is named, and not linked."""
    page = HERE / f"{name}.md"
    if not page.exists():
        return  # notebooks link only to pages of the site
    included = re.fullmatch(r"```\{include\} \.\./\.\./(\S+)\n```\n", source[0])
    folder = page.parent if included is None else ROOT
    if included is not None:
        source[0] = (ROOT / included[1]).read_text(encoding="utf-8")

    def rewritten(match: re.Match) -> str:
        text, target, anchor = match[1], match[2], match[3] or ""
        if "://" in target or target.startswith("mailto:"):
            return match[0]
        path = (folder / target).resolve()
        if not path.is_relative_to(ROOT):
            return match[0]
        within = path.relative_to(ROOT).as_posix()
        if within in OUTSIDE:
            return f"[{text}]({_relative(name, OUTSIDE[within])}{anchor})"
        if path.parent == HERE / "gallery" and path.suffix == ".html":  # reports, which the site has beside its pages
            return f'<a href="{_relative(name, path.name)}">{text}</a>'
        if path.is_relative_to(HERE) and path.suffix in (".md", ".ipynb", ".png", ".svg"):
            return f"[{text}]({_relative(name, path.relative_to(HERE).as_posix())}{anchor})"
        return text if text.startswith("`") or text == within else f"{text} (`{within}`)"

    source[0] = re.sub(r'(src|srcset)="(?:docs/)?pictures/', rf'\1="{_relative(name, "_static/")}', source[0])
    source[0] = re.sub(r"(?<!!)\[([^\]]+)\]\(([^)#\s]+)(#[^)]*)?\)", rewritten, source[0])


def _relative(name: str, target: str) -> str:
    return "../" * name.count("/") + target
