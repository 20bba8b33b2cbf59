"""The packages, and the description of the package.

The folders `baselines`, `benchmarks` and `training` stand beside `aucenv` and are installed inside it.
"""

import re
from pathlib import Path

from setuptools import find_packages, setup

BESIDE = ("baselines", "benchmarks", "training")
PICTURE = r"<picture>.*?</picture>\n+|^!\[[^\]]*\]\([^)]*\)\n+"
LINK_INTO_REPOSITORY = r"\[([^\]]+)\]\((?!https?:)[^)\s]+\)"


def description() -> str:
    """Return README without what holds only in the repository: pictures, and the targets of its links to files."""
    readme = Path(__file__).with_name("README.md").read_text(encoding="utf-8")
    return re.sub(LINK_INTO_REPOSITORY, r"\1", re.sub(PICTURE, "", readme, flags=re.DOTALL | re.MULTILINE))


setup(
    long_description=description(),
    long_description_content_type="text/markdown",
    package_dir={"aucenv": "aucenv", **{f"aucenv.{room}": room for room in BESIDE}},
    packages=[
        *find_packages(include=["aucenv", "aucenv.*"]),
        *(f"aucenv.{name}" for room in BESIDE for name in find_packages(include=[room, f"{room}.*"])),
    ],
)
