/** A board of any game: where it is, the scale, the items, a row for each seat, charts, and what has been closed. */

import { boardChart, boardScale } from "./board_charts.js";
import { isHidden } from "./boards.js";
import { h, svg } from "./dom.js";
import { saidOf, shownMarks, written } from "./marks.js";
import { savedChart } from "./save.js";
import { seatName } from "./seats.js";
import { savedTable, table } from "./tables.js";

/**
 * Return the elements of a board.
 * @param board the data of `aucenv.core.boards.board.Board`.
 * @param open [seat, amount] of each decision of the open round that is known already.
 * @param said how decisions are said; see `aucenv.core.boards.board.Said`.
 */
export function renderBoard(board, open = [], said = null) {
  const now = board.charts.find((chart) => chart.now !== null);
  return [
    h("h3", {}, h("bdi", {}, board.title)),
    board.place && h("p", { class: "note" }, board.place),
    lines(board),
    board.scale && boardScale(board),
    [board.note, ...board.rows.filter((row) => row.seat === board.seat).map((row) => row.note)].map((note) => note.value && h("p", { class: "note", dir: "auto" }, note.value)),
    board.items.length > 0 && strip(board),
    seatTable(board, open, said),
    board.charts.map((chart) => {
      const drawn = boardChart(board, chart, chart === now ? open : []);
      return drawn && savedChart(drawn, chart.title);
    }),
    board.tables.map((each) => closedTable(board, each)),
  ];
}

/** Return the text of a cell; null if it has none. */
function cellText(board, cell, unit = "text") {
  if (isHidden(cell, board.seat)) return "hidden";
  return cell.value === null ? null : written(cell.value, unit, board.sign);
}

function shownText(board, cell, unit) {
  return cellText(board, cell, unit) ?? "–";
}

function lines(board) {
  const known = board.lines.filter((cell) => !isHidden(cell, board.seat) && cell.value);
  return known.map((cell) => h("p", { class: `line ${toneClass(cell.tone)}` }, withNames(board, cell.value)));
}

/** Return a sentence in which each name of a bidder is isolated from the direction of the text around it. */
function withNames(board, text) {
  const names = board.rows.map((row) => row.name).filter(Boolean);
  if (!names.length) return text;
  const escaped = names.sort((one, other) => other.length - one.length).map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const parts = text.split(new RegExp(`(?<![\\p{L}\\p{N}])(${escaped.join("|")})(?![\\p{L}\\p{N}])`, "u"));
  return parts.map((part, k) => (k % 2 ? h("bdi", {}, part) : part));
}

function toneClass(tone) {
  return tone ? `tone-${tone}` : "";
}

function strip(board) {
  const seatOf = (item) => {
    if (item.winner !== null) return seatName(item.winner, board.rows[item.winner].name);
    return item.state === "closed" && item.facts.some((fact) => fact.label === "start") && h("span", {}, "not sold");
  };
  const fact = ({ label, cell }) => h("span", { class: "note" }, label, " ", written(cell.value, typeof cell.value === "string" ? "text" : "money", board.sign));
  return h(
    "ol",
    { class: "strip", "aria-label": "items" },
    board.items.map((item) => h("li", { class: item.state, "aria-current": item.state === "now" && "true" }, h("bdi", { class: "item-name" }, item.name), seatOf(item), shownMarks(board, item.facts).map(fact))),
  );
}

function seatTable(board, open, said) {
  const given = new Map(open);
  const columns = board.columns.map((column, k) => [column, k]).filter(([, k]) => isShown(board, board.rows.map((row) => row.cells[k])));
  const hasStates = board.rows.some((row) => row.state.value !== null) || open.length > 0;
  const rows = board.rows.map((row) => {
    const state = given.has(row.seat) ? h("span", { class: "tone-acting" }, saidOf(said, given.get(row.seat))) : h("span", { class: toneClass(row.state.tone) }, cellText(board, row.state) ?? "");
    const who = h("span", {}, seatName(row.seat, row.name), row.detail && h("span", { class: "note" }, " ", h("bdi", {}, row.detail)));
    return [who, ...(hasStates ? [state] : []), ...columns.map(([column, k]) => valueCell(board, row, column, row.cells[k]))];
  });
  return table([board.heading, ...(hasStates ? ["now"] : []), ...columns.map(([column]) => column.label)], rows, { caption: `${board.heading}s` });
}

/** Return whether a column is drawn: not if all of its cells are hidden. */
function isShown(board, cells) {
  return cells.length === 0 || cells.some((cell) => !isHidden(cell, board.seat));
}

function valueCell(board, row, column, cell) {
  const text = shownText(board, cell, column.unit);
  const toned = h("span", { class: toneClass(cell.tone) }, typeof cell.value === "string" ? h("bdi", {}, text) : text);
  if (column.most === null || typeof cell.value !== "number") return toned;
  return h("span", { class: "metered" }, meter(board, row, column, cell), " ", toned);
}

/** Return a bar from 0 to a value, with the mark of a second value. */
function meter(board, row, column, cell) {
  const place = (value) => 60 * Math.max(0, Math.min(1, value / (column.most || 1)));
  const isMarked = typeof cell.mark === "number" && !isHidden(cell, board.seat);
  const label = `${column.label} of ${row.name}: ${written(cell.value, column.unit, board.sign)}`;
  const said = isMarked ? `${label}, mark at ${written(cell.mark, column.unit, board.sign)}` : label;
  return svg(
    "svg",
    { viewBox: "0 0 60 10", class: "meter", role: "img", "aria-label": said },
    svg("rect", { class: "track", width: 60, height: 10, rx: 2 }),
    svg("rect", { class: `bar ${toneClass(cell.tone)}`, width: place(cell.value).toFixed(1), height: 10, rx: 2 }),
    isMarked && svg("line", { class: "bar-mark", x1: place(cell.mark), x2: place(cell.mark), y1: 0, y2: 10 }),
  );
}

/** Return a table of what has been closed, the last entry first. */
function closedTable(board, { caption, columns, entries }) {
  if (!entries.length) return null;
  const shown = columns.map((column, k) => [column, k]).filter(([, k]) => isShown(board, entries.map((entry) => entry[k])));
  const cell = (column, value) => {
    const text = shownText(board, value, column.unit);
    return typeof value.value === "number" ? [text, value.value] : text;
  };
  const rows = entries.map((entry) => shown.map(([column, k]) => cell(column, entry[k]))).reverse();
  const [labels, units] = [shown.map(([column]) => column.label), shown.map(([column]) => column.unit)];
  return savedTable({ title: caption, columns: labels, rows, units }, (text) => h("bdi", {}, text), "board-table");
}
