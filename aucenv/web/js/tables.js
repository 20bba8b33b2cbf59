/** Tables, each of which can be saved as CSV. */

import { download, h } from "./dom.js";

/** Return a table: cells are texts, numbers or nodes. The first column names the row. */
export function table(headings, rows, { caption = null } = {}) {
  return h(
    "div",
    { class: "table", tabindex: "0", role: "region", "aria-label": caption ?? "table" },
    h(
      "table",
      {},
      caption && h("caption", {}, caption),
      h("thead", {}, h("tr", {}, headings.map((heading) => h("th", { scope: "col" }, heading)))),
      h(
        "tbody",
        {},
        rows.map((row) =>
          h("tr", {}, row.map((cell, k) => (k ? h("td", isNumber(cell) ? {} : { class: "text" }, cell) : h("th", { scope: "row" }, cell)))),
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
 * Return a table of the summary, {title, columns, rows, note}, with a button that saves it.
 * @param render what to show for the text of a cell.
 */
export function savedTable(data, render = (text) => text) {
  const name = `${data.title.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 40).replace(/-$/, "") || "table"}.csv`;
  const save = h("button", { type: "button", class: "save" }, "Save as CSV");
  save.addEventListener("click", () => download(name, toCsv([data.columns, ...data.rows]), "text/csv"));
  return h(
    "section",
    { class: "card" },
    h("div", { class: "card-head" }, h("h3", {}, data.title), save),
    table(data.columns, data.rows.map((row) => row.map(render)), { caption: data.title }),
    data.note && h("p", { class: "note" }, data.note),
  );
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
