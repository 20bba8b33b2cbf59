"""Draw what stands on no page of a report: the chart of speeds, and the poster.

`python docs/poster.py speed OUT.svg` draws the rates of benchmarks/SPEED.md, and writes them as OUT.json.
`python docs/poster.py poster OUT.svg` composes the poster from pictures of docs/pictures, prints it as OUT.pdf in
Chromium, and writes what it shows as OUT.txt.
"""

from __future__ import annotations

import base64
import json
import re
import sys
from html import escape
from pathlib import Path

from pictures import FOLDER, HERE, digests
from screenshots import print_pdf

RATES = {
    "english_v0.batch_env": "english_v0, batch, compiled loop",
    "pgx kuhn_poker": "pgx kuhn_poker, compiled loop",
    "english_v0, raw, no sampling": "english_v0, PettingZoo AEC",
    "tictactoe_v3, raw, no sampling": "PettingZoo tictactoe_v3, AEC",
    "batch_env, values to 99": "sealed_bid_v0, batch",
    "OpenSpiel first_sealed_auction, values to 99": "OpenSpiel first_sealed_auction",
}
"""Rows of benchmarks/SPEED.md, a peer below each form of aucenv -> labels."""
WIDTH, HEIGHT, MARGIN = 1000, 1414, 50
CLAIMS = (
    "Six games of four published systems (AucArena, HARBOR, Synthetic Labs, Alympics), whose rules",
    "agree with the recorded games of these systems bid by bid.",
    "Rule bidders, reinforcement learners, language models and people bid at one table.",
    "Rankings have confidence intervals and costs; theory has exact equilibria to compare with.",
)
PANELS = (
    ("lot.svg", "A game: an English auction", MARGIN, 290, 440, 320),
    ("ranking.svg", "300 games: the ranking, with 95% intervals", 510, 290, 440, 320),
    ("replay.png", "A replay: what a model wrote beside its bid", MARGIN, 630, 440, 470),
    ("theory.svg", "Theory: naive bidders lose with a common value", 510, 630, 440, 330),
)
"""Picture, title, left, top, width, height."""
CODE = (
    "import aucenv",
    "",
    "env = aucenv.english_v0()",
    "env.reset(seed=0)",
    "for agent in env.agent_iter():",
    "    observation, reward, terminated, truncated, info = env.last()",
    "    action = env.action_space(agent).sample(observation['action_mask'])",
    "    env.step(None if terminated or truncated else action)",
)
COMMANDS = (
    "aucenv leaderboard --bidder llm:openai:gpt-4.1-mini --bidder rule --bidder value",
    "aucenv train ppo --game sealed_bid",
    "aucenv study labs/revenue",
    "aucenv host --game sealed_bid --set num_bidders=3",
    "aucenv new game vickrey",
)


LISTINGS = (
    (1120, "An environment is an AECEnv with action masks", CODE),
    (1278, "Rank a model, train an agent, reproduce a paper, play with a class, add a game", COMMANDS),
)
CITE = "MIT license. Please cite aucenv (CITATION.cff) and the paper of the environment that you use."


def speed(out: Path) -> None:
    """Draw the rates on a logarithmic scale."""
    from matplotlib.figure import Figure

    report = (HERE.parent / "benchmarks" / "SPEED.md").read_text(encoding="utf-8")
    medians = dict(re.findall(r"^\| ([^|]+) \| ([\d,]+) \|", report, re.MULTILINE))
    rates = {label: int(medians[row].replace(",", "")) for row, label in RATES.items()}
    figure = Figure(figsize=(8, 3), layout="constrained")
    axes = figure.subplots()
    colors = ["#1f5fa8" if "_v0" in label else "#9aa5b1" for label in rates]
    bars = axes.barh(list(rates), list(rates.values()), color=colors)
    axes.bar_label(bars, [f"{rate:,}" for rate in rates.values()], padding=4)
    axes.set(xscale="log", xlabel="steps, decisions or rounds per second, on 2 CPU cores", xlim=(1e4, 1e9))
    axes.invert_yaxis()
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(out)
    out.with_suffix(".json").write_text(json.dumps(rates, indent=2), encoding="utf-8")


def poster(out: Path) -> None:
    """Compose the poster."""
    parts = [_text(MARGIN, 100, "aucenv", 64, "bold"), _text(MARGIN, 145, "Auctions behind the PettingZoo API", 30)]
    parts += [_text(MARGIN, 185 + 23 * k, line, 18) for k, line in enumerate(CLAIMS)]
    for name, title, left, top, width, height in PANELS:
        parts.append(_text(left, top, title, 16, "bold"))
        kind = "svg+xml" if name.endswith(".svg") else "png"
        data = base64.b64encode((FOLDER / name).read_bytes()).decode()
        parts.append(
            f'<image x="{left}" y="{top + 10}" width="{width}" height="{height - 20}" '
            f'preserveAspectRatio="xMidYMin meet" href="data:image/{kind};base64,{data}"/>'
        )
    for top, title, lines in LISTINGS:
        parts.append(_text(MARGIN, top, title, 17, "bold"))
        parts += [_text(MARGIN, top + 21 + 16 * k, line, 13, family="monospace") for k, line in enumerate(lines)]
    parts.append(_text(MARGIN, 1400, CITE, 13))
    body = "\n".join(parts)
    out.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'font-family="system-ui, sans-serif" fill="#1a202c">\n<title>The poster of aucenv</title>\n'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>\n{body}\n</svg>\n',
        encoding="utf-8",
    )
    print_pdf(out, out.with_suffix(".pdf"), WIDTH, HEIGHT)
    shown = re.findall(r"<text[^>]*>([^<]*)</text>", body) + [f"{name}: {digests()[name]}" for name, *_ in PANELS]
    out.with_suffix(".txt").write_text("\n".join(shown) + "\n", encoding="utf-8")


def _text(x: int, y: int, words: str, size: int, weight: str = "normal", family: str = "system-ui, sans-serif") -> str:
    return (
        f'<text x="{x}" y="{y}" font-size="{size}" font-weight="{weight}" font-family="{family}" '
        f'xml:space="preserve">{escape(words)}</text>'
    )


if __name__ == "__main__":
    {"speed": speed, "poster": poster}[sys.argv[1]](Path(sys.argv[2]))
