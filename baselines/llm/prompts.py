"""The prompts of agents: jinja2 templates, one folder for each agent; shared parts are includes."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import resources
from pathlib import Path

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
from jinja2.sandbox import ImmutableSandboxedEnvironment

Variables = tuple[tuple[str, frozenset[str]], ...]
"""Of each template its name, without `.md`, and its variables."""


class Prompts:
    """The templates of one agent.

    Args:
        folder: of the templates, a file `NAME.md` for each of `variables`; None: `prompts/<agent>` of this package.
            They may include each other, and those of this package: `{% include "shared/names.md" %}`.

    Raises:
        ValueError: a file is missing, is no template, or has a variable that it is not given; names the file.
    """

    def __init__(self, agent: str, variables: Variables, folder: str | None = None) -> None:
        built_in = Path(str(resources.files("aucenv.baselines.llm"))) / "prompts"
        self.own = folder
        self._made_of = agent, variables, folder
        self.folder = built_in / agent if folder is None else Path(folder)
        self._environment: Environment = ImmutableSandboxedEnvironment(
            loader=ChoiceLoader([FileSystemLoader(self.folder), FileSystemLoader(built_in)]),
            undefined=StrictUndefined,
            keep_trailing_newline=True,
            trim_blocks=True,
            lstrip_blocks=True,
            autoescape=False,
        )
        if not self.folder.is_dir():
            raise ValueError(f"prompts: expected a folder, got {str(folder)!r}")
        for name, known in variables:
            path = self.folder / f"{name}.md"
            if not path.is_file():
                raise ValueError(f"prompts: expected the file {path}")
            self._check(path.name, known)

    def __reduce__(self) -> tuple:
        return prompts, self._made_of

    def _check(self, name: str, known: frozenset[str]) -> None:
        """Follow a template and all that it includes."""
        checked, ahead = set(), [name]
        set_there: set[str] = set()  # by loops, which includes inside them may use
        while ahead:
            name = ahead.pop()
            checked.add(name)
            try:
                assert self._environment.loader is not None
                source, path, _ = self._environment.loader.get_source(self._environment, name)
                tree = self._environment.parse(source, name, path)
                set_there |= {found.name for found in tree.find_all(nodes.Name) if found.ctx == "store"}
                for variable in sorted(meta.find_undeclared_variables(tree) - known - set_there):
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
                    ahead.append(included)

    def render(self, name: str, **values: object) -> str:
        """A template with its variables filled in.

        Raises:
            ValueError: it uses a value in a way that it does not allow; names the file.
        """
        try:
            text = self._environment.get_template(f"{name}.md").render(**values)
        except Exception as error:  # whatever a template of the user's does
            raise ValueError(f"prompts, {self.folder / name}.md: {error}") from None
        return re.sub(r"\n{3,}", "\n\n", text).strip()


@lru_cache(maxsize=64)
def prompts(agent: str, variables: Variables, folder: str | None) -> Prompts:
    """As `Prompts`; each is read once."""
    return Prompts(agent, variables, folder)
