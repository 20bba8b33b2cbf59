"""Replies of a script in sealed bids, on clocks, in water allocation, and to questions about rivals' bids."""

from __future__ import annotations

import json
import re

from aucenv.baselines.llm.script.tasks import Task, amounts, field_value

from aucenv.core.reader.wording import acts_in_words
from aucenv.envs.single_item.wording import words

HOLD = "I hold."
"""The reply in proxy auctions that keeps the maximum."""


def sealed(task: Task, share: float) -> str:
    """Return a share of the value, in whole units, as a bid."""
    return str(int(_value(task) * share))


def offer(task: Task, share: float) -> str:
    """Return whether a share of the value is at least the price."""
    price = amounts(re.findall(r"the price is (\$[0-9.,]+)", task.text)[-1])[0]
    return "Yes." if _value(task) * share >= price else "No."


def proxy(task: Task, share: float) -> str:
    """Return a share of the value, in whole units, as the maximum; a hold if this does not raise the maximum."""
    least = amounts(re.findall(r"at least (\S+) and", task.text)[-1])[0]
    maximum = int(_value(task) * share)
    return f"I raise my maximum to ${maximum}." if maximum >= least else HOLD


def _value(task: Task) -> float:
    """Return the value, or its estimate, that a task states."""
    known = words(task.language)
    text = task.messages[-1]["content"]
    for template in (known.value, known.signal):
        if (value := field_value(template, text)) is not None:
            return value
    stated = re.findall(r"(?:is worth|prize is worth:) (\$[0-9.]+)", text)
    return amounts(stated[-1])[0] if stated else 0.0


def stays(task: Task) -> bool:
    """Return whether the price of the clock is below the value."""
    known = words(task.language)
    value = _value(task)
    if value == 0.0:
        stated = re.findall(r"is worth (\$[0-9.]+)", task.text)
        value = amounts(stated[-1])[0] if stated else 0.0
    price = field_value(known.clock_at, task.text)
    if price is None:
        price = amounts(re.findall(r"The clock is at (\$[0-9.]+)", task.text)[-1])[0]
    return price < value


def tick(task: Task) -> str:
    """Return whether the script stays in a rising clock."""
    return f"{acts_in_words(task.language)['stay' if stays(task) else 'leave']}."


def falling_tick(task: Task) -> str:
    """Return whether the script takes the prize at the price of a falling clock."""
    return f"{acts_in_words(task.language)['take' if stays(task) else 'wait']}."


def tagged_tick(task: Task) -> str:
    """Return the same between the tags of a preset."""
    answer = "yes" if stays(task) else "no"  # to stay on a rising clock, or to take the prize on a falling one
    return f"<PLAN>Compare price and value.</PLAN>\n<ACTION>{answer}</ACTION>\n<REFLECTION>It pays.</REFLECTION>"


def tagged_move(task: Task, share: float) -> str:
    """Return a share of the value, in whole units, as the maximum, or a hold, between the tags of a preset."""
    maximum = int(_value(task) * share)
    price, own = (
        amounts(stated[-1])[0] if (stated := re.findall(pattern, task.text)) else -1.0
        for pattern in (r"The price is (\S+)\.", r"Your maximum is (\S+):")
    )
    action, amount = ("BID", maximum) if maximum >= price and maximum > own else ("HOLD", 0)
    return f"<PLAN>Compare price and value.</PLAN>\n<ACTION>{action}</ACTION>\n<AMOUNT>{amount}</AMOUNT>"


def predict(task: Task) -> str:
    """Return predictions of the bids of the named bidders."""
    match = re.search(r"(?:will bid now|each of these bidders): ([^.?]+)[.?]", task.text)
    names = match[1].split(", ") if match else []
    deeper = task.phase == "predict deeper"
    return json.dumps({name: 10 * number + deeper if number else None for number, name in enumerate(names)})


def day(task: Task) -> str:
    """Return a bid for water: the share of the balance is that of the health which a day without water costs.

    The script repeats a sentence of its persona, another one each day, so that personas differ in their words.
    """
    own = re.findall(r"(?:Your|Your own state:) balance \$([0-9.,]+), health (\d+)", task.text)[-1]
    balance, health = float(own[0].replace(",", "")), int(own[1])
    left = re.search(r"your health falls to (-?\d+)", task.text)
    lost = health - int(left[1]) if left else 1
    persona = _of_persona(task)
    if lost >= health:
        return f"{persona}Without water I die today, so I bid all that I have. I bid ${balance:.0f}!"
    costs = f"A day without water costs {lost} of {health} health, so I keep money."
    return f"{persona}{costs} I bid ${balance * lost / health:.0f}!"


def _of_persona(task: Task) -> str:
    """Return a sentence of the persona in the first message, by the day; "": there is no persona."""
    persona = re.search(r"(?m)^Who you are, in all that you think and say: (.+)$", task.system)
    number = re.search(r"\bDay (\d+) of \d+", task.text)
    if persona is None or number is None:
        return ""
    sentences = re.split(r"(?<=\.) ", persona[1])
    return f'I am this: "{sentences[int(number[1]) % len(sentences)]}" '
