"""The pictures of README and documentation show what their commands make today, and say what they show."""

from __future__ import annotations

import sys

import pytest
from doc_pages import DOCS, GUIDE, PAGES, README, name_of

sys.path.append(str(DOCS))
import pictures

PICTURES = {picture.name: picture for picture in pictures.pictures()}
FILES = {file for picture in PICTURES.values() for file in picture.files}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.web if picture.needs_browser else pytest.mark.docs)
        for name, picture in PICTURES.items()
    ],
)
def test_pictures_show_what_their_commands_make(name, tmp_path):
    PICTURES[name].make(tmp_path)
    assert PICTURES[name].digest(tmp_path) == pictures.digests()[name], f"run `python docs/pictures.py {name}`"


def test_each_picture_has_a_file_and_a_page():
    kept = {path.name for path in pictures.FOLDER.iterdir()} - {pictures.DIGESTS.name}
    assert kept == FILES
    assert set(pictures.digests()) == set(PICTURES)
    shown = {name for page in PAGES for name, _ in pictures.used(page)}
    assert {name for name in PICTURES if name not in shown} == set()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_pictures_say_what_they_show(page):
    for name, alternative in pictures.used(page):
        assert name in FILES, f"{name_of(page)}: {name}"
        assert len(alternative) >= 40, f"{name_of(page)}: {name} needs a text that says what it shows"


def test_pictures_are_small():
    assert "game.svg" in [name for name, _ in pictures.used(README)]
    sizes = {path.name: path.stat().st_size for path in pictures.FOLDER.iterdir()}
    large = {"game.svg", "game-dark.svg", "poster.svg", "poster.pdf"}
    assert {name: size for name, size in sizes.items() if size > (600_000 if name in large else 150_000)} == {}


@pytest.mark.parametrize("page", GUIDE, ids=name_of)
def test_guide_pages_have_a_picture(page):
    assert "![" in page.read_text() or "<img" in page.read_text()
