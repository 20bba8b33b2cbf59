"""Public classes have their public names, and their help has every field."""

from __future__ import annotations

import inspect
import pydoc
import re

import pytest

import aucenv
from aucenv.core.declared import declarations
from aucenv.envs.english.game import Bidder, Item
from aucenv.envs.harbor.game import HarborBidder

SCENARIOS = [name for name in aucenv.__all__ if name.endswith("Scenario")]
PUBLIC = [*(getattr(aucenv, name) for name in SCENARIOS), aucenv.Resident, Item, Bidder, HarborBidder]


@pytest.mark.parametrize("name", [name for name in aucenv.__all__ if inspect.isclass(getattr(aucenv, name))])
def test_public_classes_have_their_public_names(name):
    assert getattr(aucenv, name).__name__ == name


@pytest.mark.parametrize("kind", PUBLIC, ids=lambda kind: kind.__qualname__)
def test_every_field_has_its_declaration_in_help(kind):
    def letters(text):
        return re.sub(r"[^A-Za-z0-9]", "", text)

    text = letters(pydoc.render_doc(kind, renderer=pydoc.plaintext))
    for name, declared in declarations(kind).items():
        assert declared.help.endswith("."), name
        assert letters(declared.help[:30]) in text
