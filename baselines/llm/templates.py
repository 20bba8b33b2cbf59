"""The jinja2 environment of prompts: a sandbox that also knows old names of variables, and the check of templates."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import (
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    StrictUndefined,
    TemplateError,
    TemplateNotFound,
    meta,
    nodes,
)
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import missing

from aucenv.core.deprecation import warn_renamed

RENAMED = {
    "hammer": "sale_result",
    "known": "personas_known",
    "names": "bidder_names",
    "news": "observation",
    "remembered": "rival_notes",
    "result": "profit",
    "standing": "standing_bid",
    "words": "max_words",
}
"""Old name -> current name of variables and their fields; user-defined templates may still use and set old names."""
_OLD_NAMES = {new: old for old, new in RENAMED.items()}


class _Context(Context):
    """The variables of one template, under their current and their old names."""

    def resolve_or_missing(self, key: str) -> Any:
        """Return a variable, or `missing`."""
        value = super().resolve_or_missing(key)
        if value is missing and key in RENAMED:
            value = super().resolve_or_missing(RENAMED[key])
            if value is not missing:
                _warn(f"prompts, {self.name}: variable", key)
        elif key in _OLD_NAMES:  # agents pass current names only, so an including template has set the old one
            old_value = super().resolve_or_missing(_OLD_NAMES[key])
            if old_value is not missing and old_value is not value:
                _warn(f"prompts, {self.name}: the including template's variable", _OLD_NAMES[key])
                return old_value
        return value


class _Environment(ImmutableSandboxedEnvironment):
    """A sandbox that also finds variables, and fields of dicts, by their old names."""

    context_class = _Context

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Return `obj.attribute`."""
        return super().getattr(obj, _current_field(obj, attribute))

    def getitem(self, obj: Any, argument: Any) -> Any:
        """Return `obj[argument]`."""
        return super().getitem(obj, _current_field(obj, argument))


def _current_field(obj: Any, field: Any) -> Any:
    """Return the current name of a dict's field."""
    if isinstance(obj, dict) and isinstance(field, str) and field not in obj and RENAMED.get(field) in obj:
        _warn("prompts: field", field)
        return RENAMED[field]
    return field


def _warn(usage: str, old: str) -> None:
    warn_renamed(f"{usage} {old!r}", repr(RENAMED[old]))


def environment_of(folders: Sequence[Path]) -> Environment:
    """Return the environment with the templates of these folders; the first one that has a template counts."""
    return _Environment(
        loader=ChoiceLoader([FileSystemLoader(path) for path in folders]),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )


def check_template(environment: Environment, name: str, known: frozenset[str], folder: Path) -> None:
    """Check a template and everything that it includes.

    Args:
        environment: The environment that has the template.
        name: The template.
        known: The variables that it may use.
        folder: The folder of the templates, for errors.

    Raises:
        ValueError: A file is missing, is not a template, or uses an unknown variable; the message names the file.
    """
    accepted = known | {old for old, new in RENAMED.items() if new in known}
    checked, pending = set(), [name]
    assigned: set[str] = set()  # variables set by loops and `set`; included templates may use them, too
    while pending:
        name = pending.pop()
        checked.add(name)
        try:
            assert environment.loader is not None
            source, path, _ = environment.loader.get_source(environment, name)
            tree = environment.parse(source, name, path)
            assigned |= {node.name for node in tree.find_all(nodes.Name) if node.ctx == "store"}
            assigned |= {RENAMED[variable] for variable in assigned if variable in RENAMED}
            for variable in sorted(meta.find_undeclared_variables(tree) - accepted - assigned):
                raise ValueError(f"prompts, {path}: unknown variable {variable!r}; known: {', '.join(sorted(known))}")
        except TemplateNotFound as error:
            raise ValueError(f"prompts: expected the file {error.name} in {folder}") from None
        except TemplateError as error:
            line = getattr(error, "lineno", None)
            raise ValueError(f"prompts, {path}:{line}: {error.message}") from None
        except UnicodeDecodeError as error:
            raise ValueError(f"prompts, {folder / name}: not UTF-8: {error.reason}") from None
        for included in meta.find_referenced_templates(tree):
            if included is None:
                raise ValueError(f"prompts, {path}: expected included templates by their names")
            if included not in checked:
                pending.append(included)
