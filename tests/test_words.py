"""Names and documentation use the words of the field: private ones stay out."""

from __future__ import annotations

import ast
import functools
import io
import re
import tokenize
from pathlib import Path

from imports import nodes_of
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


@functools.cache
def words_of(name: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


@functools.cache
def tokens_of(path: Path) -> list[tokenize.TokenInfo]:
    return list(tokenize.generate_tokens(io.StringIO(path.read_text()).readline))


def sentences(path: Path) -> list[str]:
    """The comments and docstrings of a source file."""
    nodes = [node for node in nodes_of(path) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)]
    documented = [node.value.value for node in nodes if isinstance(node.value.value, str)]
    comments = [token.string.lstrip("# ") for token in tokens_of(path) if token.type == tokenize.COMMENT]
    return [line.strip() for text in (*documented, *comments) for line in text.splitlines()]


def test_names_have_no_private_words():
    private = {}
    for path in SOURCES:
        words = {word for word in re.findall(r"\w+", path.read_text()) if words_of(word) & NAMES} - set(NAMES_KEPT)
        if words:  # they may stand in comments and texts
            private[path] = words & {token.string for token in tokens_of(path) if token.type == tokenize.NAME}
    assert not {str(path): names for path, names in private.items() if names}


def test_documentation_has_no_private_phrases():
    private, phrases = {}, re.compile("|".join(PHRASES))
    anywhere = re.compile("|".join(PHRASES).replace("^", ""))
    for path in [*SOURCES, *PAGES]:
        text = path.read_text()
        if anywhere.search(text):
            lines = text.splitlines() if path.suffix == ".md" else sentences(path)
            private[path] = [line for line in lines if phrases.search(line)]
    assert not {str(path): lines for path, lines in private.items() if lines}
