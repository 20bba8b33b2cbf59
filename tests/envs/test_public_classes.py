"""Public classes have their public names, and their docstrings document every field."""

from __future__ import annotations

import dataclasses
import inspect
import re

import pytest

import aucenv
from aucenv.envs.english.scenario import Bidder, Item
from aucenv.envs.harbor.scenario import Bidder as HomeBuyer

SCENARIOS = [name for name in aucenv.__all__ if name.endswith("Scenario")]
PUBLIC = [*(getattr(aucenv, name) for name in SCENARIOS), aucenv.Resident, Item, Bidder, HomeBuyer]


@pytest.mark.parametrize("name", [name for name in aucenv.__all__ if inspect.isclass(getattr(aucenv, name))])
def test_public_classes_have_their_public_names(name):
    assert getattr(aucenv, name).__name__ == name


@pytest.mark.parametrize("kind", PUBLIC, ids=lambda kind: kind.__qualname__)
def test_docstrings_document_every_field(kind):
    documented = set()
    for base in kind.__mro__[:-1]:
        _, _, attributes = inspect.getdoc(base).partition("Attributes:")
        for names in re.findall(r"^    ([a-z_, ]+): \S", attributes, flags=re.MULTILINE):
            documented |= set(names.split(", "))
    assert {field.name for field in dataclasses.fields(kind)} <= documented
