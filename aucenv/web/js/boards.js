/** The boards of a game, rebuilt from packed data; see `aucenv/core/boards/series.py`. */

const NUMBER_SIGN = "\u0001";
const NOBODY = -1; // as in `aucenv/core/state.py`

/** The names of the parts that may be hidden, in which `for_seat` of Python looks, too. */
const PARTS = ["state", "cells", "cell", "marks", "facts", "series", "entries", "lines", "rows", "note", "scale", "items", "charts", "tables"];

/** Return a function of a number that returns this board of a game. */
export function boardsOf({ shape, columns, lists }) {
  const unpacked = lists.map(listOf);
  let place = 0;
  const next = () => {
    const column = columns[place++];
    return Array.isArray(column) ? { numbers: unpacked[column[0]], values: unpacked[column[1]] } : { numbers: [0], values: [column] };
  };
  return reader(shape, next, () => unpacked[columns[place++]]);
}

/** Return the columns of a game, whose others are those of the first game of its shape. */
export function withOthers(first, others) {
  const columns = [...first];
  for (let k = 0; k < others.length; k += 2) columns[others[k]] = others[k + 1];
  return columns;
}

/** Return the values of a list. */
function listOf([form, ...stored]) {
  if (form === 2) return stored.slice(1).map((number) => stored[0][number]);
  if (form === 1) for (let k = 1; k < stored.length; k += 1) stored[k] += stored[k - 1];
  return stored;
}

/** Return a function of a board's number that returns the value at a place with this shape. */
function reader(shape, next, nextList) {
  if (shape === "v") return valueReader(next());
  const [kind, part] = shape;
  const read = (each) => reader(each, next, nextList);
  if (kind === "t") {
    const form = valueReader(next());
    const numbers = part.map(read);
    return (at) => numbers.reduce((text, number) => (text.includes(NUMBER_SIGN) ? text.replace(NUMBER_SIGN, number(at).toLocaleString("en-US")) : text), form(at));
  }
  if (kind === "d") {
    const fields = Object.entries(part).map(([name, each]) => [name, read(each)]);
    return (at) => Object.fromEntries(fields.map(([name, value]) => [name, value(at)]));
  }
  if (kind === "l") {
    const length = valueReader(next());
    const values = part.map(read);
    return (at) => values.slice(0, length(at)).map((value) => value(at));
  }
  if (kind === "?") {
    const isThere = valueReader(next());
    const value = read(part);
    return (at) => (isThere(at) ? value(at) : null);
  }
  const [since, until] = [nextList(), nextList()];
  const entry = read(part);
  return (at) => since.flatMap((first, k) => (first <= at && at < until[k] ? [entry(k)] : []));
}

function valueReader({ numbers, values }) {
  return (at) => values[lastBefore(numbers, at)];
}

/** Return the place of the last number that is not above `at`. */
function lastBefore(numbers, at) {
  let [low, high] = [0, numbers.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (numbers[middle] <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Return what a seat sees of a board that shows everything, as `Board.for_seat` does. */
export function forSeat(board, seat) {
  return { ...withoutHidden(board, seat), seat };
}

/** Return what everybody may see of a board. */
export function forNobody(board) {
  return forSeat(board, NOBODY);
}

function withoutHidden(part, seat) {
  if (Array.isArray(part)) return part.map((each) => withoutHidden(each, seat));
  if (part === null || typeof part !== "object") return part;
  if (isHidden(part, seat)) return "points" in part ? { ...part, points: [] } : { value: null, only: part.only, tone: "", mark: null };
  const seen = { ...part };
  for (const name of PARTS) if (name in seen) seen[name] = withoutHidden(seen[name], seat);
  return seen;
}

/** Return whether a cell or a series is hidden from a seat; null sees everything. */
export function isHidden(part, seat) {
  return seat !== null && part.only !== null && part.only !== undefined && (part.only !== seat || seat === NOBODY);
}
