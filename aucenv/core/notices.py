"""Warnings that are no errors in the user's code, which commands print in one line."""

from __future__ import annotations


class Notice(UserWarning):
    """A warning about the surroundings of a program, such as an endpoint that lacks a feature."""
