"""Names and documentation use the words of the field: private ones stay out."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from pathlib import Path

from paths import ROOT

FOLDERS = ("aucenv", "baselines", "training", "benchmarks", "examples", "tests")
SOURCES = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]

NAMES = {
    "told",
    "tell",
    "tells",
    "seen",
    "made",
    "found",
    "look",
    "moment",
    "gains",
    "unfit",
    "own",
    "anew",
    "whatever",
}
"""Words that stand for too many things to be part of a name."""

NAMES_KEPT = {
    "own": "the parameter of `judge-greedy` that users write",
    "tell": "the method of Python's files",
    "FileNotFoundError": "Python's",
    "ModuleNotFoundError": "Python's",
    "PackageNotFoundError": "Python's",
    "TemplateNotFound": "jinja2's",
}
"""Names with such words that stay, and why."""

PHRASES = (
    r"\banew\b", r"\bunfit\b", r"\bwhatever\b", r"\bgoes? on\b", r"\bhears? why\b", r"\bthe own\b",
    r"\b(?:is|are|was|were|be|been) told\b", r"\btells?\b", r"\bby chance\b", r"\bcome(?:s)? of it\b",
    r"^(?:Nothing|None), (?:if|unless|where)\b", r"^What (?:tells|a|an|the|is|are)\b",
)  # fmt: skip
"""Phrases of no documentation that a reader has to read twice."""


def words_of(name: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


def sentences(path: Path) -> list[str]:
    """The comments and docstrings of a source file."""
    source = path.read_text()
    tree = ast.parse(source)
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)]
    documented = [node.value.value for node in nodes if isinstance(node.value.value, str)]
    comments = [
        token.string.lstrip("# ")
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    ]
    return [line.strip() for text in (*documented, *comments) for line in text.splitlines()]


def test_names_have_no_private_words():
    private = {}
    for path in SOURCES:
        tokens = tokenize.generate_tokens(io.StringIO(path.read_text()).readline)
        names = {token.string for token in tokens if token.type == tokenize.NAME} - set(NAMES_KEPT)
        private[path] = [name for name in names if words_of(name) & NAMES]
    assert not {str(path): names for path, names in private.items() if names}


def test_documentation_has_no_private_phrases():
    private = {}
    for path in [*SOURCES, *PAGES]:
        lines = path.read_text().splitlines() if path.suffix == ".md" else sentences(path)
        private[path] = [line for line in lines if any(re.search(phrase, line) for phrase in PHRASES)]
    assert not {str(path): lines for path, lines in private.items() if lines}
