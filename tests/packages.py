"""Packages that tests install into a folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def install(package: Path, site: Path) -> Path:
    """Install a package into a folder, and return the folder."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*pip, "--target", str(site), str(package)], check=True)
    return site
