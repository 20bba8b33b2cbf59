"""One-field mutations of JSON data, as lines of text: what people, programs and disks do to files."""

from __future__ import annotations

import copy
import json
import random
import re

DUPLICATE = "@duplicate@"
RAW = {
    "@nan@": "NaN",
    "@infinity@": "Infinity",
    "@overflow@": "1e999",
    "@digits@": "9" * 5000,
    "@surrogate@": '"\\ud800"',
}
VALUES = {
    "null": None,
    "true": True,
    "text": "unknown",
    "number": 12345.678,
    "negative": -1,
    "huge": 10**30,
    "list": [],
    "object": {},
    "empty": "",
    "seat": "bidder_9",
    "game": "harbour",
    "deep": None,
    **{name: name for name in RAW},
}
KINDS = ("delete", "extra", "duplicate", *VALUES)


def nested(depth):
    value = 0
    for _ in range(depth):
        value = [value]
    return value


def paths_of(data, path=()):
    """Yield the path of every value in JSON data, except the data itself."""
    children = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, child in children:
        yield (*path, key)
        yield from paths_of(child, (*path, key))


def pattern(path):
    """Return a path without the numbers of lists, such as `decisions[].amount`."""
    text = "".join("[]" if isinstance(key, int) else f".{key}" for key in path).removeprefix(".")
    return re.sub(r"\.(bidder_\d+|Alex|Blair|Casey|Bob|Cindy|David|Eric)\b", ".*", text)


def mutate(data, path, kind):
    """Return the line of `data` with one value changed; None if this kind of change leaves it as it is."""
    changed = copy.deepcopy(data)
    parent = changed
    for key in path[:-1]:
        parent = parent[key]
    key = path[-1]
    if kind == "delete":
        del parent[key]
    elif kind == "extra":
        if not isinstance(parent[key], dict):
            return None
        parent[key]["extra"] = 1
    elif kind == "duplicate":
        if not isinstance(key, str):
            return None
        parent[DUPLICATE] = None
    else:
        value = nested(200) if kind == "deep" else VALUES[kind]
        if type(parent[key]) is type(value) and parent[key] == value:
            return None
        parent[key] = value
    text = json.dumps(changed, ensure_ascii=False, separators=(",", ":"))
    for name, raw in RAW.items():
        text = text.replace(f'"{name}"', raw)
    return text.replace(f'"{DUPLICATE}":null', f"{json.dumps(key)}:null")


def sample(data, number, seed):
    """Yield (path, kind, line) for `number` mutations: every kind of field as often as any other."""
    by_pattern = {}
    for path in paths_of(data):
        by_pattern.setdefault(pattern(path), []).append(path)
    rng = random.Random(seed)
    cases = [(name, kind) for name in by_pattern for kind in KINDS]
    rng.shuffle(cases)
    for name, kind in cases:
        if number == 0:
            return
        path = rng.choice(by_pattern[name])
        line = mutate(data, path, kind)
        if line is not None:
            number -= 1
            yield path, kind, line
