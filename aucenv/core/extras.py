"""The command that installs an extra of aucenv, as it works for the way in which aucenv is installed."""

from __future__ import annotations

import contextlib
import json
import re
import shlex
import shutil
import sys
import threading
from collections.abc import Iterator
from functools import lru_cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from aucenv.core.checks import MissingExtra

LOADING = threading.Lock()
"""Held while a thread loads a model: transformers imports its parts on demand, which fails in two threads at once."""


def missing_extra(what: str, extra: str) -> MissingExtra:
    """Return the error for something that needs packages that are not installed.

    Args:
        what: What needs them, as the user called it, such as "--plot".
        extra: The extra that contains the packages.
    """
    return MissingExtra(f"{what} needs the extra {extra}: {install_command(extra)}")


def check_packages(what: str, extra: str, *modules: str) -> None:
    """Raise MissingExtra if a package of an extra is not installed, before what needs it starts; none is imported.

    Args:
        what: What needs the packages, as the user called it.
        extra: The extra that contains them.
        modules: The modules of the packages.
    """
    for module in modules:
        if find_spec(module) is None:
            raise missing_extra(f"{what} ({module})", extra)


@contextlib.contextmanager
def explain_missing_package(what: str, extra: str | None = None) -> Iterator[None]:
    """Raise MissingExtra in place of the error about a package that is not installed.

    Args:
        what: What needs the package, as the user called it.
        extra: The extra that contains it; None is the first one that does. If there is none, the error stays.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        needed = extra or extra_with(error.name or "")
        if needed is None:
            raise
        raise missing_extra(f"{what} ({error.name})", needed) from None


PACKAGES = {"PIL": "pillow", "pyspiel": "open-spiel", "sklearn": "scikit-learn", "yaml": "pyyaml"}
"""Modules whose package has another name."""
FOR_DEVELOPERS = ("bench", "dev", "docs")
"""Extras that no command needs."""


def extra_with(module: str) -> str | None:
    """Return the first extra that contains a module's package; None if there is none."""
    top = module.partition(".")[0]
    package = PACKAGES.get(top, top).replace("_", "-")
    for extra in map(str, metadata.metadata("aucenv").get_all("Provides-Extra") or []):
        names = [re.split(r"[^\w.-]", requirement)[0].lower() for requirement in _packages(extra)]
        if extra not in FOR_DEVELOPERS and package in names:
            return extra
    return None


@lru_cache
def install_command(extra: str) -> str:
    """Return a command that installs an extra in this environment.

    A clone or a wheel that still exists is installed again with the extra, a clone with its constraints; otherwise the
    command lists the packages of the extra.
    """
    source = _source()
    if source is None or not source.exists():
        packages = sorted(_packages(extra))
        return shlex.join([*_pip(), *packages])
    constraints = source / "constraints.txt"
    options = ["--constraint", str(constraints)] if constraints.is_file() else []
    return shlex.join([*_pip(), *options, *(["--editable"] if source.is_dir() else []), f"{source}[{extra}]"])


def _pip() -> list[str]:
    if not sys.executable:  # Python is embedded in another program
        return ["pip", "install"]
    pip = Path(sys.executable).with_name("pip")
    on_path = shutil.which("pip")
    is_ours = on_path is not None and Path(on_path).parent == pip.parent
    return ["pip" if is_ours else str(pip), "install"] if pip.exists() else [sys.executable, "-m", "pip", "install"]


def _source() -> Path | None:
    """Return the clone or the file from which aucenv was installed; None if it came from a package index."""
    clone = Path(__file__).resolve().parents[2]
    if (clone / "pyproject.toml").is_file():
        return clone
    try:
        text = metadata.distribution("aucenv").read_text("direct_url.json")
        url = urlsplit(json.loads(text or "{}")["url"])
    except (metadata.PackageNotFoundError, KeyError, ValueError):
        return None
    return Path(url2pathname(unquote(url.path))) if url.scheme == "file" else None


def _packages(extra: str) -> set[str]:
    """Return the requirements of an extra, including those of the extras that it contains."""
    packages: set[str] = set()
    for requirement in metadata.requires("aucenv") or []:
        package, _, marker = (part.strip() for part in requirement.partition(";"))
        match = re.search(r"""extra == ['"]([^'"]+)['"]""", marker)
        if match is None or match[1] != extra:
            continue
        inner = re.fullmatch(r"aucenv\[([^]]+)\]", package)
        if inner is None:
            packages.add(package)
        else:
            packages.update(*(_packages(name.strip()) for name in inner[1].split(",")))
    return packages
