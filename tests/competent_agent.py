"""A scripted model that understands the built-in prompts and plays competently; tests can replace its replies."""

from __future__ import annotations

import asyncio
import json
import re

from aucenv.benchmarks.loopback import Loopback

PHASES = {
    "predict": "You are not asked for your bid yet",
    "predict deeper": "Suppose that each bidder counts on these bids",
    "plan": "Make a plan for the auction",
    "replan": "Decide whether your priorities should change",
    "belief": "bring your beliefs up to date",
    "rule": "Which of the rules A to F",
    "profile": "what kind of buyer is it",
    "second_order": "Put yourself in the place",
    "lessons": "Write down what you should know",
    "rivals": "one sentence that will help you",
    "reflect": "Look back at the round that was played last",
    "new plan": "Write down your plan for the rounds to come",
    "first plan": "write down a plan: how you will choose",
    "tick": "Answer 'I stay' or 'I leave'.",
    "falling tick": "Answer 'I wait' or 'I take it'.",
    "day": "today your health falls to",
    "sealed": "Answer with your bid as one number",
    "bid": '"I bid $X!" with your bid',
}
"""A text by which each phase's task is recognized; earlier entries take precedence."""
PUBLISHED = {
    "plan": "Work out a strategy for the auction",
    "replan": "Go over your strategy in the light of this",
    "belief": "First note what was remarkable",
    "bid": "The auctioneer says:",
    "day": "before you choose today's bid",
    "reflect": "Analyze this round as if you had bid otherwise",
    "new plan": "Which ways of bidding will you try out now",
    "first plan": "will you try out? Write it down as your plan",
    "sealed": "Reply with your bid alone",
    "tagged tick": "Reply with three parts between tags",
}
"""The same for the prompts of presets, if no entry of PHASES fits."""


def amounts(text):
    return [float(match.replace(",", "")) for match in re.findall(r"\$([0-9][0-9,]*(?:\.[0-9]+)?)", text)]


def phase_of(messages):
    """Return the phase of the latest task in the messages, and the task; a repeated request has its task's phase."""
    for message in reversed([m for m in messages if m["role"] != "assistant"]):
        for phase, words in (*PHASES.items(), *PUBLISHED.items()):
            if words in message["content"]:
                return phase, message["content"]
    raise AssertionError(f"no known task: {messages[-1]['content']!r:.300}")


class Barrier:
    """Holds the requests of a kind until a given number of them are waiting, so sequential requests get no reply."""

    def __init__(self, together):
        self.kinds = together
        self._waiting = {kind: [] for kind in together}

    async def hold(self, kind):
        if kind not in self.kinds:
            return
        waiting, released = self._waiting[kind], asyncio.Event()
        waiting.append(released)
        if len(waiting) == self.kinds[kind]:
            for event in waiting:
                event.set()
            waiting.clear()
        await released.wait()


class Competent(Loopback):
    """A loopback server that replies to the tasks of all agents.

    Args:
        mistakes: by phase, a list of replies that replace the first competent ones: a text, or a function of the
            competent reply; None keeps the competent reply.
        together: by phase, the number of requests that must be waiting before any of them gets a reply.

    Attributes:
        asked: (phase, messages) of each call, in order.
    """

    def __init__(self, mistakes=None, together=None):
        super().__init__(self.reply)
        self._barrier = Barrier(together or {})
        self.mistakes = {phase: list(list_) for phase, list_ in (mistakes or {}).items()}
        self.asked = []

    async def hold(self, body):
        if self._barrier.kinds:
            await self._barrier.hold(phase_of(body["messages"])[0])

    def reply(self, body):
        messages = body["messages"]
        phase, task = phase_of(messages)
        self.asked.append((phase, messages))
        system = messages[0]["content"]
        ahead = self.mistakes.get(phase)
        instead = ahead.pop(0) if ahead else None
        if isinstance(instead, str):
            return instead
        good = getattr(self, "say_" + phase.replace(" ", "_"))(task, system, messages)
        return good if instead is None else instead(good)

    def bidder_name(self, system):
        return re.search(r"You are (\w+),", system)[1]

    def priorities(self, task):
        items = re.findall(
            r"^- (.+?): starting price \$[0-9,]+, your estimate of its true value \$([0-9,]+)", task, re.M
        )
        estimates = {name: float(value.replace(",", "")) for name, value in items}
        ranked = sorted(estimates, key=lambda name: -estimates[name])
        third = -(-len(ranked) // 3)
        chosen = {name: 3 - ranked.index(name) // third for name in estimates}
        return f"I want what is worth most.\n```json\n{json.dumps(chosen)}\n```"

    def say_plan(self, task, system, messages):
        return self.priorities(task)

    say_replan = say_plan

    def say_belief(self, task, system, messages):
        name = self.bidder_name(system)
        item = re.search(r"The sale of (.+) is over\.|the bidding for (.+) went:", task)
        item = item[1] or item[2]
        status = self.status(task)
        sold = re.search(r"Sold to (\w+) for \$([0-9,.]+?)\. Its true value is \$([0-9,.]+?)\.", task)
        if sold:
            winner = name if sold[1] == "you" else sold[1]
            price, value = (float(part.replace(",", "")) for part in sold.groups()[1:])
            status["total_profits"][winner] += value - price
            status["winning_bids"][winner][item] = price
            status["remaining_budget"] -= price if winner == name else 0
        return f"They bid with care.\n{json.dumps(status)}"

    def status(self, task):
        """Return the agent's earlier beliefs, which the task of a belief update has as JSON or as a list."""
        if "* Budget left:" not in task:
            before = task[task.index("What you believed before:") :]
            return json.JSONDecoder().raw_decode(before, before.index("{"))[0]
        profits = re.findall(r"^  \* (\w+): (-?[0-9.]+)$", task, re.M)
        won = re.findall(r"^  \* (\w+): (none|.+ at [0-9.]+)$", task, re.M)
        items = {name: re.findall(r"([^,]+?) at ([0-9.]+)(?:, )?", text) for name, text in won}
        return {
            "remaining_budget": float(re.search(r"Budget left: ([0-9.]+)", task)[1]),
            "total_profits": {name: float(profit) for name, profit in profits},
            "winning_bids": {
                name: {item.strip(): float(price) for item, price in pairs} for name, pairs in items.items()
            },
        }

    def planned_limit(self, call, messages):
        """Return the limit for the item of a call that does not state its estimate."""
        tasks = "\n".join(message["content"] for message in messages if message["role"] == "user")
        items = re.findall(r"^Now (.+?), from \$", tasks, re.M)
        item = re.escape(items[-1]) if items else "no item"
        estimate = re.findall(rf"^- {item}: .*?your estimate of its true value (\$[0-9,.]+)", tasks, re.M)
        return 0.8 * amounts(estimate[-1])[0] if estimate else float("inf")

    def limit(self, call, messages=()):
        if "true value at" not in call:
            return self.planned_limit(call, messages)
        estimate = amounts(re.search(r"you estimate (?:its|the) true value at (\$[0-9,.]+)", call)[1])[0]
        return 0.8 * estimate

    def least(self, call):
        standing_bid = re.search(
            r"the standing bid of (\$[0-9,.]+)\. A (?:bid must be higher by at least|higher bid for .+ by) (\$[0-9,.]+)",
            call,
        )
        if standing_bid:
            return sum(amounts(" ".join(standing_bid.groups())))
        return amounts(
            re.search(r"(?:starting price (?:of .+ )?is|^Now .+, from) (\$[0-9,]+(?:\.[0-9]+)?)", call, re.M)[1]
        )[0]

    def budget(self, messages):
        text = "\n".join(message["content"] for message in messages if message["role"] == "user")
        left = re.findall(r'(?:"remaining_budget"|Budget left): ([0-9.]+)', text)
        whole = re.search(r"have (\$[0-9,]+) to spend|whole auction is (\$[0-9,]+)", text)
        return float(left[-1]) if left else amounts(whole[0])[0]

    def say_bid(self, task, system, messages):
        asked = ("true value at", "The auctioneer says:")
        calls = [m["content"] for m in messages if m["role"] == "user" and any(text in m["content"] for text in asked)]
        least = self.least(calls[-1])
        advised = re.search(r"Your adviser wants you to (bid|leave)", calls[-1])
        if advised:
            return "As advised, I'm out!" if advised[1] == "leave" else f"As advised, I bid ${least:,.0f}!"
        if least > self.limit(calls[-1], messages) or least > self.budget(messages):
            return "Too dear for me. I'm out!"
        return f"Still cheap. I bid ${least:,.0f}!"

    def say_rule(self, task, system, messages):
        rule = "C" if self.least(task) <= self.limit(task, messages) else "E"
        return json.dumps({"rule": rule, "reason": "The price says so."})

    def say_profile(self, task, system, messages):
        after = task[task.index("Your profile of") :]
        weights = json.JSONDecoder().raw_decode(after, after.index("{"))[0]
        first = next(iter(weights))
        weights[first] = round(min(1.0, weights[first] + 0.25), 2)
        return json.dumps(weights)

    def say_second_order(self, task, system, messages):
        return "They take me for somebody in a hurry, and will wait."

    def say_lessons(self, task, system, messages):
        return "1. Wait for the cheap ones.\n2. Others overbid early."

    def say_rivals(self, task, system, messages):
        names = re.findall(r"^- (\w+) bid on:", task, re.M)
        return json.dumps({name: f"{name} goes far." for name in names})

    def say_first_plan(self, task, system, messages):
        return "Bid two thirds of the value."

    def say_new_plan(self, task, system, messages):
        return "Go on bidding two thirds."

    def say_reflect(self, task, system, messages):
        return "A lower bid would have lost, a higher one would have cost more."

    def say_sealed(self, task, system, messages):
        values = re.findall(r"(?:is worth|prize is worth:) (\$[0-9.]+)", messages[-1]["content"])
        return str(int(amounts(values[-1])[0] * 2 / 3))

    def say_tick(self, task, system, messages):
        value = amounts(re.findall(r"is worth (\$[0-9.]+)", task)[-1])[0]
        price = amounts(re.findall(r"The price is (\$[0-9.]+)", task)[-1])[0]
        return "I stay." if price < value else "I leave."

    def say_tagged_tick(self, task, system, messages):
        value = amounts(re.findall(r"is worth (\$[0-9.]+)", task)[-1])[0]
        price = amounts(re.findall(r"The clock is at (\$[0-9.]+)", task)[-1])[0]
        rises = "Will you stay?" in task
        answer = "yes" if (price < value) == rises else "no"
        return f"<PLAN>Compare price and value.</PLAN>\n<ACTION>{answer}</ACTION>\n<REFLECTION>It pays.</REFLECTION>"

    def say_falling_tick(self, task, system, messages):
        return "I wait." if self.say_tick(task, system, messages) == "I leave." else "I take it."

    def say_predict(self, task, system, messages):
        names = re.search(r"(?:will bid now|each of these bidders): ([^.?]+)[.?]", task)[1].split(", ")
        deeper = "Suppose that each bidder counts" in task
        return json.dumps({name: 10 * number + deeper if number else None for number, name in enumerate(names)})

    say_predict_deeper = say_predict

    def say_day(self, task, system, messages):
        balance = amounts(re.findall(r"(?:Your|Your own state:) balance (\$[0-9.,]+),", task)[-1])[0]
        return f"I keep something for later. I bid ${balance // 3:.0f}!"
