/** The first view: who ranks where, and what the run was. */

import { chart, fitted, line, range } from "./chart.js";
import { h, svg } from "./dom.js";
import { gamesToSee } from "./games.js";
import { savedChart } from "./save.js";
import { savedTable } from "./tables.js";
import { short } from "./text.js";

/** Return the summary of all runs of the page. */
export function renderSummary(summary) {
  return [
    summary.notes.map((note) => h("p", { class: "note" }, note)),
    summary.comparison && savedTable(summary.comparison),
    h(
      "div",
      { class: summary.runs.length > 1 ? "beside" : "" },
      summary.runs.map((run) => h("div", {}, summary.runs.length > 1 && h("h2", {}, run.name), renderRun(run, summary.runs.length === 1))),
    ),
    summary.games.length > 1 && h("section", { class: "card" }, h("h3", {}, "Games to see"), gamesToSee(summary)),
  ];
}

function renderRun(run, isWide) {
  return [
    run.ranking.length > 0 &&
      card(
        "Ranking",
        run,
        intervals(run.ranking, "rating", "TrueSkill rating", (value) => value.toFixed(1), isWide),
        run.ranking.some((row) => row.rating_low !== null) ? "Dot: rating; line: its 95% interval." : "Dot: rating.",
      ),
    run.scores.length > 0 &&
      card(run.score_title, run, spread(run.scores, run.sign, run.score_title, isWide), "Box: half of the games; line: 5% to 95%; mark: median; dot: mean."),
    run.tables.map((each, k) => folded(each.title, savedTable(each, each.shares ? winShare : undefined), k === 0 || run.ranking.length === 0)),
    folded("The run", h("section", { class: "card" }, facts(run.facts)), true),
  ];
}

/** Return a part of the page below its title, which opens and closes it. */
function folded(title, part, isOpen) {
  return h("details", { class: "folded", open: isOpen }, h("summary", {}, title), part);
}

function card(title, run, picture, note) {
  return h("section", { class: "card" }, h("h3", {}, title), savedChart(picture, `${title} of ${run.name}`), h("p", { class: "note" }, note));
}

const ROW = 26;
const [LABELS, NARROW_LABELS] = [190, 120];

/** Draw a figure of each bidder as a dot on a common scale, with its interval. */
function intervals(rows, name, title, format, isWide) {
  const ends = rows.flatMap((row) => [row[name], row[`${name}_low`], row[`${name}_high`]]);
  const said = rows.map((row) => `${row.bidder} ${row[name] === null ? "none" : format(row[name])}`).join(", ");
  return rowChart(rows, `${title}: ${said}`, title, range(ends), format, isWide, (row, toX, y) => [
    row[`${name}_low`] !== null && line([[toX(row[`${name}_low`]), y], [toX(row[`${name}_high`]), y]], "bar-line"),
    row[name] !== null && svg("circle", { class: "dot", cx: toX(row[name]), cy: y, r: 5 }),
  ]);
}

/** Draw the distribution of each bidder's scores: 5%, quartiles, median, 95% and mean. */
function spread(rows, sign, title, isWide) {
  const said = rows.map((row) => `${row.bidder}: median ${short(row.median, sign)}, mean ${short(row.mean, sign)}`).join("; ");
  const ends = range(rows.flatMap((row) => [row.low, row.high, row.mean]));
  return rowChart(rows, `${title}: ${said}`, title, ends, (value) => short(value, sign), isWide, (row, toX, y) => [
    line([[toX(row.low), y], [toX(row.high), y]], "bar-line"),
    svg("rect", { class: "box", x: toX(row.quartile_1), y: y - 7, width: Math.max(1, toX(row.quartile_3) - toX(row.quartile_1)), height: 14 }),
    line([[toX(row.median), y - 7], [toX(row.median), y + 7]], "median"),
    svg("circle", { class: "dot", cx: toX(row.mean), cy: y, r: 3.5 }),
  ]);
}

function rowChart(rows, label, title, ends, format, isWide, drawRow) {
  const [height, left] = [ROW * rows.length + 62, innerWidth < 600 ? NARROW_LABELS : LABELS];
  return chart({
    label,
    height,
    left,
    isWide,
    x: { ...ends, format, title },
    y: { low: 0, high: rows.length },
    draw: (toX) =>
      rows.map((row, k) => {
        const y = 24 + k * ROW;
        return [svg("text", { class: "label end", x: left - 10, y: y + 4 }, fitted(row.bidder, left - 20)), drawRow(row, toX, y)];
      }),
  });
}

/** Return a cell of the win matrix: darker cells are larger shares. */
function winShare(text) {
  const share = /^(\d+)%$/.exec(text);
  return share ? h("span", { class: `share share-${Math.round(Number(share[1]) / 10)}` }, text) : text;
}

function facts(pairs) {
  return h("dl", { class: "facts" }, pairs.map(([name, value]) => [h("dt", {}, name), h("dd", {}, h("bdi", {}, value))]));
}
