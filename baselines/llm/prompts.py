"""Prompts of agents: jinja2 templates in one folder per agent, and shared templates that they include."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import resources
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
from aucenv.core.user_files import USER_FILES

Variables = tuple[tuple[str, frozenset[str]], ...]
"""The name of each template, without `.md`, and the variables that it may use."""
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


class Prompts:
    """The templates of one agent.

    Args:
        folder: the folder of the templates, with a file `NAME.md` for each of `variables`; None: `prompts/<agent>` of
            this package. Templates may include each other, and those of this package:
            `{% include "shared/names.md" %}`.
        presets: subfolders of the agent's folder, whose templates replace those of the same name; the first one that
            has a template counts.

    Raises:
        ValueError: if a file is missing, is not a template, or uses an unknown variable; the message names the file.
    """

    def __init__(
        self, agent: str, variables: Variables, folder: str | None = None, presets: tuple[str, ...] = ()
    ) -> None:
        built_in = Path(str(resources.files("aucenv.baselines.llm"))) / "prompts"
        self.user_folder = folder
        self._arguments = agent, variables, folder, presets
        self.folder = built_in / agent if folder is None else USER_FILES.find(folder)
        self._folders = [*(self.folder / preset for preset in presets), self.folder]
        self._environment: Environment = _Environment(
            loader=ChoiceLoader([FileSystemLoader(path) for path in (*self._folders, built_in)]),
            undefined=StrictUndefined,
            keep_trailing_newline=True,
            trim_blocks=True,
            lstrip_blocks=True,
            autoescape=False,
        )
        if not self.folder.is_dir():
            raise ValueError(f"prompts: expected a folder, got {str(folder)!r}")
        for name, known in variables:
            if not any((folder / f"{name}.md").is_file() for folder in self._folders):
                raise ValueError(f"prompts: expected the file {self.folder / f'{name}.md'}")
            self._check(f"{name}.md", known)

    def __reduce__(self) -> tuple:
        return prompts, self._arguments

    def _check(self, name: str, known: frozenset[str]) -> None:
        """Check a template and everything that it includes."""
        accepted = known | {old for old, new in RENAMED.items() if new in known}
        checked, pending = set(), [name]
        assigned: set[str] = set()  # variables set by loops and `set`; included templates may use them, too
        while pending:
            name = pending.pop()
            checked.add(name)
            try:
                assert self._environment.loader is not None
                source, path, _ = self._environment.loader.get_source(self._environment, name)
                tree = self._environment.parse(source, name, path)
                assigned |= {node.name for node in tree.find_all(nodes.Name) if node.ctx == "store"}
                assigned |= {RENAMED[variable] for variable in assigned if variable in RENAMED}
                for variable in sorted(meta.find_undeclared_variables(tree) - accepted - assigned):
                    raise ValueError(
                        f"prompts, {path}: unknown variable {variable!r}; known: {', '.join(sorted(known))}"
                    )
            except TemplateNotFound as error:
                raise ValueError(f"prompts: expected the file {error.name} in {self.folder}") from None
            except TemplateError as error:
                line = getattr(error, "lineno", None)
                raise ValueError(f"prompts, {path}:{line}: {error.message}") from None
            except UnicodeDecodeError as error:
                raise ValueError(f"prompts, {self.folder / name}: not UTF-8: {error.reason}") from None
            for included in meta.find_referenced_templates(tree):
                if included is None:
                    raise ValueError(f"prompts, {path}: expected included templates by their names")
                if included not in checked:
                    pending.append(included)

    def render(self, name: str, **values: object) -> str:
        """Render a template.

        Raises:
            ValueError: if it uses a value in an invalid way; the message names the file.
        """
        try:
            text = self._environment.get_template(f"{name}.md").render(**values)
        except Exception as error:  # a user-defined template may raise anything
            raise ValueError(f"prompts, {self.folder / name}.md: {error}") from None
        return re.sub(r"\n{3,}", "\n\n", text).strip()


@lru_cache(maxsize=64)
def prompts(agent: str, variables: Variables, folder: str | None, presets: tuple[str, ...] = ()) -> Prompts:
    """Return the `Prompts` with these arguments, which are read from files once."""
    return Prompts(agent, variables, folder, presets)
