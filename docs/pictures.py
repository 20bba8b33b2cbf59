"""The pictures of README and of the documentation, each made by commands.

`python docs/pictures.py` (`make pictures`) runs the commands of all pictures of pictures.toml, or of those that are
named, and writes the pictures into docs/pictures with a digest of the data that they show. tests/docs/test_pictures.py
runs the same commands, and fails if a picture shows other data.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

from PIL import Image
from screenshots import Screenshot

HERE = Path(__file__).parent
FOLDER = HERE / "pictures"
TABLE = HERE / "pictures.toml"
DIGESTS = FOLDER / "digests.json"
SHOWN = "shown.txt"
"""The file with the text of a screenshot."""
COLORS = 256
"""The number of colors of a PNG."""


@dataclasses.dataclass(frozen=True)
class Picture:
    """A picture.

    Attributes:
        name: The name of its file.
        commands: The commands that make it, in one folder, each a line.
        data: The file with what it shows, for a picture whose bytes depend on libraries; None: its text.
        also: Further files that the commands make for the page.
        screenshot: The part of a page that is the picture, after the commands; it shows the text of this part.
    """

    name: str
    commands: tuple[str, ...]
    data: str | None = None
    also: tuple[str, ...] = ()
    screenshot: Screenshot | None = None

    @property
    def files(self) -> tuple[str, ...]:
        """The files that stand in docs/pictures."""
        return (self.name, *self.also)

    @property
    def needs_browser(self) -> bool:
        """Whether Chromium takes or prints it."""
        return self.screenshot is not None or any(file.endswith(".pdf") for file in self.also)

    def make(self, folder: Path) -> None:
        """Run the commands in a folder.

        Raises:
            RuntimeError: A command fails, or makes no picture.
        """
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, "COLUMNS": "120", "PYTHONPATH": ""}
        for command in self.commands:
            words = [word.replace("DOCS", str(HERE)) for word in shlex.split(command)]
            done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)
            if done.returncode:
                raise RuntimeError(f"{self.name}: `{command}` exits with {done.returncode}: {done.stderr[-2000:]}")
        if self.screenshot is not None:
            text = self.screenshot.take(folder, folder / self.name, environment)
            (folder / SHOWN).write_text(text, encoding="utf-8")
        if missing := [name for name in self.files if not (folder / name).is_file()]:
            raise RuntimeError(f"{self.name}: its commands make no {', '.join(missing)}")

    def digest(self, folder: Path) -> str:
        """Return the SHA-256 of what the picture in a folder shows."""
        shown = SHOWN if self.screenshot else self.data or self.name
        return hashlib.sha256((folder / shown).read_bytes()).hexdigest()


def pictures() -> list[Picture]:
    """Return all pictures."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return [
        Picture(
            name,
            tuple(each.get("commands", ())),
            each.get("data"),
            tuple(each.get("also", ())),
            Screenshot(**each["screenshot"]) if "screenshot" in each else None,
        )
        for name, each in table.items()
    ]


def digests() -> dict[str, str]:
    """Return the SHA-256 of what each picture in docs/pictures shows."""
    read: dict[str, str] = json.loads(DIGESTS.read_text(encoding="utf-8")) if DIGESTS.exists() else {}
    return read


def used(page: Path) -> Iterator[tuple[str, str]]:
    """Yield the name and the alternative text of each picture of docs/pictures on a page."""
    text = page.read_text(encoding="utf-8")
    for alternative, name in re.findall(r"!\[([^\]]*)\]\((?:docs/|\.\./)?pictures/([\w.-]+)\)", text):
        yield name, alternative
    for tag in re.findall(r"<img [^>]*>", text):
        if match := re.search(r'src="(?:docs/|\.\./)?pictures/([\w.-]+)"', tag):
            alternative = re.search(r'alt="([^"]*)"', tag)
            yield match[1], alternative[1] if alternative else ""


def shrink(file: Path) -> None:
    """Rewrite a PNG with few colors, which takes a third of the bytes."""
    if file.suffix == ".png":
        with Image.open(file) as image:
            image.convert("RGB").quantize(COLORS).save(file, optimize=True)


def main(names: list[str]) -> None:
    """Make the pictures with these names, or all."""
    FOLDER.mkdir(exist_ok=True)
    known = {picture.name: picture for picture in pictures()}
    if unknown := set(names) - set(known):
        sys.exit(f"pictures: expected names of {TABLE.name}, got {', '.join(sorted(unknown))}")
    for name in names or known:
        picture = known[name]
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            picture.make(folder)
            for file in picture.files:
                shrink(folder / file)
                shutil.copy(folder / file, FOLDER / file)
            kept = {**digests(), name: picture.digest(folder)}
        kept = {each: kept[each] for each in known if each in kept}
        DIGESTS.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")
        print(f"{name}: {sum((FOLDER / file).stat().st_size for file in picture.files) / 1000:,.0f} kB", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
