"""Classes that users make: they have their public names, and every field is explained."""

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
def test_every_field_is_explained(kind):
    explained = set()
    for each in kind.__mro__[:-1]:
        _, _, attributes = inspect.getdoc(each).partition("Attributes:")
        for names in re.findall(r"^    ([a-z_, ]+): \S", attributes, flags=re.MULTILINE):
            explained |= set(names.split(", "))
    assert {part.name for part in dataclasses.fields(kind)} <= explained
