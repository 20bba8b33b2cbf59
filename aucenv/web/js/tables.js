/** Tables, each of which can be saved as CSV. */

import { download, h } from "./dom.js";
import { fileName } from "./save.js";

/**
 * Return a table: cells are texts, numbers or nodes. The first column names the row.
 * @param units the unit of each column, "text" for words; without it, cells that begin like a number are numbers.
 */
export function table(headings, rows, { caption = null, units = null } = {}) {
  const isRight = (cell, k) => (units ? units[k] !== "text" : isNumber(cell));
  return h(
    "div",
    { class: "table", tabindex: "0", role: "region", "aria-label": caption ?? "table" },
    h(
      "table",
      {},
      caption && h("caption", {}, caption),
      h("thead", {}, h("tr", {}, headings.map((heading, k) => h("th", { scope: "col", class: rows.length > 0 && !isRight(rows[0][k], k) && "text" }, heading)))),
      h(
        "tbody",
        {},
        rows.map((row) =>
          h("tr", {}, row.map((cell, k) => (k ? h("td", isRight(cell, k) ? {} : { class: "text" }, cell) : h("th", { scope: "row" }, cell)))),
        ),
      ),
    ),
  );
}

/** Return whether a cell begins like a number, so that it is aligned to the right. */
function isNumber(cell) {
  const text = cell instanceof Node ? cell.textContent : String(cell);
  return /^\s*(?:–|[-+±(]?[$€₽₹¥]?[\d.]|-?$)/.test(text);
}

/**
 * Return a table, {title, columns, rows, note, units}, with a button that saves it.
 * @param data its cells are texts, or lists of a text, its number, and the ends of an interval.
 * @param render what to show for the text of a cell.
 */
export function savedTable(data, render = (text) => text, className = "card") {
  const save = h("button", { type: "button", class: "save", "aria-label": `Save CSV: ${data.title}` }, "Save CSV");
  save.addEventListener("click", () => download(`${fileName(data.title)}.csv`, toCsv(csvRows(data)), "text/csv"));
  const shown = (cell) => render(Array.isArray(cell) ? cell[0] : cell);
  return h(
    "section",
    { class: className },
    h("div", { class: "card-head" }, h("h3", {}, data.title), save),
    table(data.columns, data.rows.map((row) => row.map(shown)), { caption: data.title, units: data.units }),
    data.note && h("p", { class: "note" }, data.note),
  );
}

const FIGURE = /^[-+]?[$€₽₹¥]?(?:0|[1-9]\d*|[1-9]\d{0,2}(?:,\d{3})+)(?:\.\d+)?%?$/;

/** Return the rows of a table as they are saved: numbers, and a column for each end of an interval. */
export function csvRows({ columns, rows }) {
  const hasEnds = columns.map((_, k) => rows.some((row) => row[k].length === 4 && Array.isArray(row[k])));
  const cells = (cell, k) => {
    const [text, value = numberIn(text), low = "", high = ""] = Array.isArray(cell) ? cell : [cell];
    return hasEnds[k] ? [value, low, high] : [value];
  };
  const heading = (name, k) => (hasEnds[k] ? [name, `${name}, low`, `${name}, high`] : [name]);
  return [columns.flatMap(heading), ...rows.map((row) => row.flatMap(cells))];
}

/** Return the number that a text is, a percentage as a share; nothing for a dash; otherwise the text. */
function numberIn(text) {
  if (text === "-" || text === "–") return "";
  if (!FIGURE.test(text)) return text;
  const number = Number(text.replace(/[$€₽₹¥,%+]/g, ""));
  return text.endsWith("%") ? Number((number / 100).toFixed(9)) : number;
}

const NUMBER = /^[-+]?[$€₽₹¥]?[\d.,]*%?(?: ±[$€₽₹¥]?[\d.,]+%?)?$/;

/** Return rows as CSV. A cell that a spreadsheet would compute begins with an apostrophe. */
export function toCsv(rows) {
  const cell = (value) => {
    const text = String(value);
    const safe = /^[-=+@\t\r]/.test(text) && !NUMBER.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}
