/** Labelled values of boards, and decisions, in words; as in `aucenv/core/boards/board.py`. */

import { money } from "./text.js";

/** Return a value in words: `$1,200`, `12`, or a dash for none. */
export function written(value, unit, sign) {
  if (value === null) return "–";
  if (typeof value === "string") return value;
  return unit === "money" ? money(value, sign) : value.toLocaleString("en-US", { maximumFractionDigits: 12 });
}

/** Return a decision in words; null is no bid. */
export function saidOf(said, amount) {
  if (amount === null) return said.nothing;
  if (amount === 0 && said.zero !== null) return said.zero;
  return said.amount.replace("{}", () => money(amount, said.sign));
}

/**
 * Return the values of marks that are not hidden, as {label, cell, seat}.
 *
 * Equal values of one label are shown once; if there are several values, their labels have the names of their seats.
 * `seat` is the seat of a value that belongs to one alone.
 */
export function shownMarks(board, marks) {
  const groups = new Map();
  for (const mark of marks.filter((each) => each.cell.value !== null)) {
    const key = JSON.stringify([mark.label, mark.cell.value]);
    groups.set(key, [...(groups.get(key) ?? []), mark]);
  }
  const values = [...groups.values()];
  return values.map((same) => {
    const [{ label, cell }] = same;
    const seats = same.map((mark) => mark.seat).filter((seat) => seat !== null);
    const isAlone = values.filter(([other]) => other.label === label).length === 1;
    const names = seats.map((seat) => board.rows[seat].name).join(", ");
    return { label: isAlone ? label : `${label} of ${names}`, cell, seat: seats.length === 1 ? seats[0] : null };
  });
}
