"""Call a hostile server with each model's name on standard input, and print how each call ends and grows memory.

It is a program, so that neither the server's memory nor that of the tests is measured.
"""

from __future__ import annotations

import dataclasses
import json
import logging
import sys
import time
import warnings
from pathlib import Path

from aucenv.core.policy import ModelFailure
from aucenv.policy.registry import make_policy
from aucenv.runs.model_calls.calls import Request

REQUEST = Request(({"role": "user", "content": "Least bid: $4,000."},), 0.0, 50, 7)


def status(field):
    """Return a figure of this process in kB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field))


def forget_peak():
    Path("/proc/self/clear_refs").write_text("5")


def call(url, model, options):
    """Return how a call of a model ends, as JSON."""
    pauses = []
    policy = make_policy("english", f"llm:openai:{model},base_url={url}{options}")
    started = time.monotonic()
    try:
        completion = policy.model.complete(REQUEST, lambda seconds, why="": pauses.append(why))
        end = {"completion": dataclasses.asdict(completion)}
    except ModelFailure as failure:
        end = {"failure": str(failure)}
    return {**end, "pauses": pauses, "seconds": time.monotonic() - started}


def main(url, options):
    logging.basicConfig(level=logging.DEBUG)
    warnings.simplefilter("always")
    call(url, "honest", options)
    for model in map(str.strip, sys.stdin):
        forget_peak()
        before = status("VmRSS")
        end = call(url, model, options)
        print(json.dumps({"model": model, "growth": status("VmHWM") - before, **end}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
