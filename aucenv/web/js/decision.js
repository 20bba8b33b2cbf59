/** One decision: what its bidder wrote, why replies were refused, and what it planned and believed. */

import { h, prose } from "./dom.js";
import { seatName } from "./seats.js";
import { table } from "./tables.js";
import { cents, money } from "./text.js";

const TEXTS = { reason: "Reason", reasoning: "Reasoning", plan: "Plan", reflection: "Reflection", thinking: "Thinking" };
const KEPT = ["plan", "priorities", "beliefs", "profiles"];
const SHOWN = new Set(["plan", "priorities", "beliefs", "profiles", "rule", "mistakes", "forfeited"]);
const MOST_ROWS = 100;

/**
 * Return the description of a decision.
 * @param game the game with its record.
 * @param decision an entry of the record's decisions.
 * @param move its number.
 * @param said what the bidder does, in words.
 */
export function renderDecision(game, decision, move, said) {
  const seat = game.seats.findIndex((player) => player.seat === decision.seat);
  const isText = typeof decision.action === "string";
  return [
    h("h3", {}, seatName(seat, game.seats[seat].name), " ", said),
    h("p", { class: "note" }, h("bdi", {}, game.seats[seat].label)),
    decision.action === null && h("p", { class: "bad" }, "No readable, legal reply: it counts as no bid."),
    isText && section("Wrote", prose(decision.action)),
    decision.attempts.length > 0 && section("Refused replies", refusals(decision.attempts)),
    renderNotes(game, decision.notes, decision.seat),
    earlierNotes(game, decision, move),
  ];
}

/** Return the plan, the priorities, the beliefs and the profiles that a bidder noted last, if not with this decision. */
function earlierNotes(game, decision, move) {
  const notes = {};
  for (const name of KEPT) {
    if (decision.notes[name] !== undefined) continue;
    const noted = game.decisions.slice(0, move).findLast((one) => one.seat === decision.seat && one.notes[name] !== undefined);
    if (noted) notes[name] = noted.notes[name];
  }
  if (!Object.keys(notes).length) return null;
  return h("details", { class: "call" }, h("summary", {}, "Noted with earlier decisions"), renderNotes(game, notes, decision.seat));
}

/** Return what a bidder noted: plan, priorities, beliefs, profiles, the rule that it followed, and anything else. */
export function renderNotes(game, notes, seat) {
  const items = game.items ?? [];
  const whole = (name, title, draw) => notes[name] !== undefined && section(title, drawn(draw, notes[name]));
  const isOther = ([name, value]) => (name in TEXTS || name === "rule" ? typeof value !== "string" : !SHOWN.has(name));
  const others = Object.entries(notes).filter(isOther);
  return [
    notes.forfeited && h("p", { class: "bad" }, `Forfeited, ${notes.forfeited}`),
    typeof notes.rule === "string" && section("Rule", h("p", {}, notes.rule)),
    Object.keys(TEXTS)
      .filter((name) => typeof notes[name] === "string" && notes[name])
      .map((name) => section(TEXTS[name], prose(notes[name]))),
    whole("priorities", "Priorities, from 1 to 3", (priorities) => priorityTable(items, priorities)),
    whole("beliefs", "Beliefs", (beliefs) => beliefs.map((belief) => believed(game, seat, belief))),
    whole("profiles", "Profiles of rivals", (profiles) => profileTable(game, profiles)),
    whole("mistakes", "Mistakes", mistakeList),
    others.length > 0 && section("Other notes", otherNotes(others)),
  ];
}

/** Return a note as `draw` shows it; notes of users' policies may have any other form, and are shown as JSON. */
function drawn(draw, note) {
  try {
    return draw(note);
  } catch {
    return prose(JSON.stringify(note));
  }
}

function section(title, ...children) {
  return h("section", { class: "noted" }, h("h4", {}, title), children);
}

function refusals(attempts) {
  return h(
    "ol",
    { class: "refusals" },
    attempts.map((attempt) =>
      h(
        "li",
        {},
        prose(typeof attempt.action === "string" ? attempt.action : JSON.stringify(attempt.action)),
        h("p", { class: "bad" }, h("span", { class: "tag" }, attempt.kind), " ", attempt.refused),
      ),
    ),
  );
}

function priorityTable(items, priorities) {
  if (!priorities.every((one) => one === null || typeof one === "number")) throw new TypeError("priorities");
  const rows = priorities.map((priority, k) => [
    h("bdi", {}, items[k]?.name ?? `item ${k + 1}`),
    priority === null ? "–" : h("span", { class: "priority" }, h("span", { class: "pips", "aria-hidden": "true" }, "■".repeat(Math.max(0, Math.min(3, Math.round(priority))))), ` ${priority}`),
  ]);
  return table(["item", "priority"], rows, { caption: "priorities" });
}

/** Return stated budgets, profits and items, beside the truth. */
function believed(game, seat, belief) {
  const checks = (game.beliefs?.[seat] ?? []).filter((check) => check.item === belief.item);
  return [
    h("p", { class: "note" }, `After item ${belief.item}`),
    belief.statuses.map((status, revision) => {
      const check = checks.find((each) => each.revision === revision);
      if (status === null) return h("p", { class: "bad" }, "An unreadable statement.");
      return [
        revision > 0 && h("p", { class: "note" }, `Revision ${revision}`),
        table(["", "believed", "true"], beliefRows(game, status, check?.true), { caption: `beliefs after item ${belief.item}` }),
        check && check.wrong.length > 0 ? h("ul", { class: "bad" }, check.wrong.map((text) => h("li", {}, text))) : null,
      ];
    }),
  ];
}

function beliefRows(game, stated, truth) {
  const rows = [["own budget", stated.remaining_budget, truth?.remaining_budget]];
  for (const [name, profit] of Object.entries(stated.total_profits ?? {}))
    rows.push([h("span", {}, "profit of ", h("bdi", {}, name)), profit, truth?.total_profits?.[name]]);
  const won = (status, name) => (status ? Object.keys(status.winning_bids?.[name] ?? {}).length : undefined);
  const lines = rows.map(([label, believed, actual]) => {
    const wrong = actual !== undefined && cents(believed) !== cents(actual);
    return [label, h("span", { class: wrong ? "bad" : "" }, amount(game, believed), wrong && " (wrong)"), amount(game, actual)];
  });
  for (const name of Object.keys(stated.winning_bids ?? {}))
    lines.push([h("span", {}, "items of ", h("bdi", {}, name)), won(stated, name), won(truth, name) ?? "–"]);
  return lines;
}

function amount(game, value) {
  return typeof value === "number" ? money(value, game.sign) : "–";
}

function profileTable(game, profiles) {
  const names = game.personas ?? [];
  const seats = Object.keys(profiles);
  if (!seats.every((seat) => Array.isArray(profiles[seat]))) throw new TypeError("profiles");
  const width = Math.min(MOST_ROWS, Math.max(0, ...seats.map((seat) => profiles[seat].length)));
  const label = (seat) => game.seats.find((player) => player.seat === seat)?.name ?? seat;
  const rows = Array.from({ length: width }, (_, k) => [
    names[k] ?? `persona ${k + 1}`,
    ...seats.map((seat) => profiles[seat][k]?.toFixed?.(2) ?? "–"),
  ]);
  return table(["persona", ...seats.map(label)], rows, { caption: "profiles" });
}

function mistakeList(mistakes) {
  return h("ul", { class: "bad" }, mistakes.map((one) => h("li", {}, `${one.phase}: ${one.kind}: ${one.what}`)));
}

function otherNotes(notes) {
  return h(
    "dl",
    {},
    notes.map(([name, value]) => [h("dt", {}, name), h("dd", {}, prose(typeof value === "string" ? value : JSON.stringify(value)))]),
  );
}
