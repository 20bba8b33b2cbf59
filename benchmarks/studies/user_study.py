"""Load a user's own study from a file, and explain what its functions raise with file and line."""

from __future__ import annotations

import dataclasses
import json
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from aucenv.benchmarks.studies.study import Study, StudyError

from aucenv.core.checks import MissingExtra
from aucenv.core.policy import PolicyError
from aucenv.core.words.phrases import listed
from aucenv.policy.user_code import load_file
from aucenv.runs.model_calls.journal import RunStopped
from aucenv.runs.play import Match


def load_study(file: Path, known: Sequence[Study]) -> Study:
    """Return the study that a file defines.

    Args:
        file: A Python file.
        known: Studies that it may import, and that are not its own.

    Raises:
        FileNotFoundError: There is no such file.
        StudyError: The file raises, or does not define one study.
    """
    if not file.is_file():
        raise FileNotFoundError(f"study {file}: expected a file with a study, got no such file")
    try:
        defined = vars(load_file(file.resolve()))
    except (Exception, SystemExit) as error:  # the user's code may raise anything
        raise _located(file, "", error) from error
    studies = {name: value for name, value in defined.items() if isinstance(value, Study) and value not in known}
    if len({*studies.values()}) != 1:
        got = listed([*studies]) if studies else "none"
        raise StudyError(f"{file}: expected one Study, such as STUDY = Study(...), got {got}")
    [study] = {*studies.values()}
    functions = {name: value for name, value in vars(study).items() if callable(value)}
    guarded: dict[str, Any] = {name: partial(_call, file, name, function) for name, function in functions.items()}
    return dataclasses.replace(study, file=file, **guarded)


def _call(file: Path, name: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a function of a study returns.

    Raises:
        StudyError: It raises, or returns something else than it should.
    """
    try:
        result = function(*arguments)
    except (PolicyError, RunStopped, MissingExtra):
        raise
    except Exception as error:  # the user's code may raise anything
        raise _located(file, f"{name}: ", error) from error
    if problem := CHECKS.get(name, lambda result: "")(result):
        raise StudyError(f"{file}: {name}: {problem}")
    return result


def _located(file: Path, what: str, error: BaseException) -> StudyError:
    """Return an error with the last line of the file that led to it, if any did."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file.resolve())]
    of_syntax = error.lineno if isinstance(error, SyntaxError) and error.filename == str(file.resolve()) else None
    line = of_syntax or (frames[-1].lineno if frames else None)
    message = error.msg if isinstance(error, SyntaxError) else " ".join(str(error).split())
    at = f"{file}:{line}" if line else str(file)
    return StudyError(f"{at}: {what}{type(error).__name__}{f': {message}' if message else ''}")


def _problem_of_matches(result: Any) -> str:
    if not isinstance(result, list) or not all(isinstance(each, Match) for each in result):
        return f"expected a list of Match, got {_kind(result)}"
    if not result:
        return "expected at least one game, got none"
    wrong = next((number for number, match in enumerate(result) if match.index != number), None)
    return "" if wrong is None else f"expected games with the indices 0, 1, ..., got {result[wrong].index} at {wrong}"


def _problem_of_rows(result: Any) -> str:
    if not isinstance(result, list) or not all(isinstance(each, dict) for each in result):
        return f"expected a list of rows, each a dict, got {_kind(result)}"
    try:
        json.dumps(result)
    except (TypeError, ValueError) as error:
        return f"expected rows that JSON can hold, such as int, float and str: {error}"
    return ""


def _kind(result: Any) -> str:
    """Return the type of a value, and of the members of a list."""
    kinds = sorted({type(each).__name__ for each in result}) if isinstance(result, list) else []
    return f"a list of {listed(kinds)}" if kinds else type(result).__name__


CHECKS: dict[str, Callable[[Any], str]] = {
    "matches": _problem_of_matches,
    **dict.fromkeys(("rows", "rate", "train"), _problem_of_rows),
}
"""Function of a study -> what is wrong with its result; "": nothing."""
