"""Packages that tests install into a folder."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def install(package: Path, temporary: Path) -> Path:
    """Install a package into a folder, and return the folder.

    A package whose files have not changed since an earlier run is still there, and its kernels are compiled already.

    Args:
        package: the folder of its pyproject.toml.
        temporary: where the folder is, unless kernels are kept.
    """
    files = sorted(path for path in package.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    contents = [(str(path.relative_to(package)), path.read_bytes()) for path in files]
    digest = hashlib.sha256(repr((sys.version, contents)).encode()).hexdigest()
    site = Path(os.environ.get("NUMBA_CACHE_DIR", temporary)) / f"site-{digest[:32]}"
    if not site.exists():
        with tempfile.TemporaryDirectory(dir=site.parent) as folder:
            source = shutil.copytree(package, Path(folder) / "source")  # a build writes into its folder
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
            subprocess.run([*pip, "--target", str(Path(folder) / "site"), str(source)], check=True)
            (Path(folder) / "site").rename(site)
    return site


def with_package(site: Path, **variables: str) -> dict[str, str]:
    """Return the environment of processes that find the package in a folder."""
    path = os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": path, **variables}
