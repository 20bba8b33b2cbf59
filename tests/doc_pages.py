"""The pages of the documentation, and what stands on them, with its place."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterator
from pathlib import Path

from paths import ROOT

README = ROOT / "README.md"
DOCS = ROOT / "docs"
GUIDE = sorted(DOCS.glob("*.md"))
PAGES = [
    README,
    *GUIDE,
    *(page for folder in ("start", "about", "tutorials") for page in sorted((DOCS / folder).glob("*.md"))),
]
GENERATED = "STUDIES.md"
"""The page of all studies, whose commands tests/benchmarks/test_all_studies.py runs at their smallest size."""
QUICK = {README, *(page for page in PAGES if page.parent.name == "start")}
"""The pages whose commands `make test` runs; `make docs-test` runs those of all pages."""
SMALL = os.environ.get("AUCENV_DOCS_SIZE", "small") == "small"
"""Whether commands and notebooks run at a small size."""


@dataclasses.dataclass(frozen=True)
class Block:
    """A block of code on a page.

    Attributes:
        page: The file.
        line: The line of its first line of code.
        language: What follows the backticks.
        text: The code.
    """

    page: Path
    line: int
    language: str
    text: str

    @property
    def place(self) -> str:
        return f"{name_of(self.page)}:{self.line}"


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks_of(page: Path, language: str) -> list[Block]:
    """Return the blocks of a page in a language, in their order."""
    text = page.read_text()
    return [
        Block(page, text.count("\n", 0, match.start(2)) + 1, match[1], match[2])
        for match in re.finditer(r"```(\w+)\n(.*?)```", text, flags=re.DOTALL)
        if match[1] == language
    ]


def all_blocks(language: str) -> list[Block]:
    """Return the blocks of all pages in a language; equal blocks once."""
    blocks = [block for page in PAGES if page.name != GENERATED for block in blocks_of(page, language)]
    return list({block.text: block for block in reversed(blocks)}.values())[::-1]


def commands_of(page: Path) -> Iterator[tuple[str, str]]:
    """Yield the place and the text of each command on a page."""
    for block in blocks_of(page, "bash"):
        for offset, line in enumerate(block.text.splitlines()):
            if line.strip():
                yield f"{name_of(page)}:{block.line + offset}", line.strip()
