"""The command lines that write files, each with the files; every option of every command that writes one is among them.

`run`, `part1` and so on are of `conftest.py`; MODEL stands for a model at a server, which writes bids and houses.
"""

from __future__ import annotations

ONCE = "--game sealed_bid --scenario first-ipv-once"

WRITTEN: tuple[tuple[str, str], ...] = (
    (
        "leaderboard --games 6 --set num_items=2 --json y.json --csv y.csv --plot y.png --save-config s.json --out new",
        "y.json y.csv y.png s.json new/run.json new/games.jsonl new/table.md new/table.json",
    ),
    ("leaderboard --games 3 --set num_items=2 --json - --csv y.csv --plot y.svg", "y.csv y.svg"),
    ("leaderboard --games 3 --set num_items=2 --csv - --json y.json", "y.json"),
    ("benchmark draw-deals --game clock --games 1 --out deals.jsonl", "deals.jsonl"),
    (
        "benchmark --bidder naive --game clock --size XS --json y.json --csv y.csv --out new",
        "y.json y.csv new/run.json new/games.jsonl new/table.json new/submission.json",
    ),
    (f"exploit shade {ONCE} --json y.json", "y.json"),
    ("replay run --out outcomes.jsonl", "outcomes.jsonl"),
    ("report run --out page.html", "page.html"),
    ("report run", "report.html"),
    ("report run --out page.html --figures new", "page.html new/ranking.svg new/scores.png new/prices.csv"),
    (
        "study labs/revenue --games 2 --json y.json --csv y.csv --out new",
        "y.json y.csv new/figure.png new/figure.svg new/run.json new/games.jsonl new/table.json",
    ),
    ("study labs/revenue --from-records study --csv y.csv", "y.csv"),
    ("study alympics/rubrics --games 1 --set form=form.csv --out new", "form.csv new/games.jsonl new/figure.png"),
    ("records picture run 3 --out board.svg", "board.svg"),
    ("records picture run 3 --out game.gif --animate 0.5", "game.gif"),
    ("records picture run --round 5 --seat 1 --out board.png", "board.png"),
    ("records reports run --json y.json --csv y.csv", "y.json y.csv"),
    ("records table run --json y.json --csv y.csv --plot y.pdf", "y.json y.csv y.pdf"),
    ("records table study --json y.json --csv y.csv", "y.json y.csv"),
    ("records merge part1 part2 --out new", "new/run.json new/games.jsonl new/table.json"),
    ("records repair run --out new", "new/run.json new/games.jsonl"),
    ("records reread called --out new", "new/run.json new/games.jsonl new/calls.jsonl"),
    ("records export run --to inspect --out log.json", "log.json"),
    ("records export run --to parquet --out new", "new/seats.parquet new/decisions.parquet"),
    ("records export called --to sft --out rows.jsonl", "rows.jsonl"),
    ("rlact states --states 10 --out new", "new/train.jsonl new/validation.jsonl new/evaluation.jsonl"),
    ("rlact judge states/train.jsonl --judge simulator,samples=2 --out judged.jsonl", "judged.jsonl"),
    ("rlact probe states/train-judged.jsonl states/validation-judged.jsonl --out probe.json", "probe.json"),
    (f"train ppo {ONCE} --set eval_games=0 --set updates=1 --out new", "new/settings.json new/model.safetensors"),
    ("models check MODEL --json y.json", "y.json"),
    ("new game packages/lottery", "packages/lottery/pyproject.toml"),
    ("new bidder packages/someone", "packages/someone/pyproject.toml"),
    ("new houses --model MODEL --houses 1 --yes --out houses.jsonl", "houses.jsonl"),
)
"""(command line, the files that it writes); the exit status is 0."""

READ = {
    *(
        "--certificate",
        "--config",
        "--deals",
        "--exploit",
        "--from-records",
        "--key",
        "--memories",
    ),
    *("--prices", "--replies", "--suite", "--training"),
}
"""The options of files that are only read."""

ELSEWHERE = {
    "benchmark verify": "a finished benchmark: tests/benchmarks/test_benchmark_verify.py",
    "exploit --out": "as train ppo --out, and slower",
    "host": "people have to come: tests/commands/hosting",
    "play": "somebody has to answer: test_streams.py",
    "records forget": "people have played: tests/runs/test_forget.py",
    "serve": "it ends with a signal: tests/baselines/llm",
    "train league": "minutes: tests/training/rlact",
    "train rlact": "minutes: tests/training/rlact",
}
"""Commands, and options, that are in no table -> why, and where they are tested."""
