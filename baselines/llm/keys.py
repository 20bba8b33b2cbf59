"""Secrets of endpoints: keys and headers, in environment variables."""

from __future__ import annotations

import os
import re

HEADER_VARIABLE = "env:"
"""The beginning of a header's value that names an environment variable."""
HEADER_VALUE = "[!-~]+(?: +[!-~]+)*"
"""Pattern of the values of headers."""


def read_key(variable: str | None, where: str) -> str | None:
    """Return the key in an environment variable; None if `variable` is None.

    Raises:
        ValueError: if the variable holds no valid key; the message names the variable.
    """
    return None if variable is None else _variable(variable, where, "key_env", "a key", "[!-~]+")


def _variable(name: str, where: str, option: str, kind: str, pattern: str) -> str:
    """Return the secret in an environment variable."""
    if not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name):
        raise ValueError(f"{where}, {option}: expected the name of an environment variable, got something else")
    value = os.environ.get(name, "").strip()
    if not value:
        raise ValueError(f"{where}: expected {kind} in the environment variable {name}, which is not set")
    if not re.fullmatch(pattern, value):
        raise ValueError(f"{where}: expected {kind} of printable ASCII in the environment variable {name}")
    return value


def header_value(name: str, text: str, where: str) -> str:
    """Return the value of a header.

    Args:
        name: the header's name.
        text: the value, or `env:VARIABLE` for the value of an environment variable.
        where: the bidder or the endpoint, for errors.

    Raises:
        ValueError: if the value is not printable ASCII, or the variable is not set; the message does not contain the
            value.
    """
    option = f"header.{name}"
    if text.startswith(HEADER_VARIABLE):
        return _variable(text.removeprefix(HEADER_VARIABLE), where, option, f"the header {name}", HEADER_VALUE)
    if not re.fullmatch(HEADER_VALUE, text):
        raise ValueError(f"{where}, {option}: expected a value of printable ASCII, or env:VARIABLE, got something else")
    return text
