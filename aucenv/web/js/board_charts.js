/** The pictures of a board: values on a scale, and series over rounds. */

import { isHidden } from "./boards.js";
import { chart, fitted, line, pictureWidth, range, textWidth } from "./chart.js";
import { svg } from "./dom.js";
import { shownMarks, written } from "./marks.js";
import { seatClass, seatMark } from "./seats.js";
import { short } from "./text.js";

const MARGIN = 14;
const LINE = 17;
const SIGN = 20;
const DASHES = 3;

/** Draw the marks of a board's scale, and a bar up to the first one if it has a tone. */
export function boardScale(board) {
  const scale = { ...board.scale, high: endOf(board.scale) };
  const width = pictureWidth();
  const toX = (value) => MARGIN + (Math.max(0, Math.min(1, (value - scale.low) / (scale.high - scale.low || 1)))) * (width - 2 * MARGIN);
  const marks = shownMarks(board, scale.marks);
  const bar = scale.marks[0] && scale.marks[0].cell.tone && scale.marks[0].cell.value !== null ? scale.marks[0].cell : null;
  const texts = marks.map(({ label, cell }) => `${label} ${written(cell.value, scale.unit, board.sign)}`);
  const places = placesOf(marks.map(({ cell }, k) => ({ x: toX(cell.value), width: Math.min(textWidth(texts[k]), width - 2 * MARGIN) })), width);
  const rows = Math.max(0, ...places.map((place) => place.row + 1));
  const end = (value) => written(value, scale.unit, board.sign);
  const said = `From ${end(scale.low)} to ${end(scale.high)}: ${texts.join("; ") || "nothing known"}.`;
  return svg(
    "svg",
    { viewBox: `0 0 ${width} ${36 + LINE * rows + 6}`, class: "chart scale", role: "img", "aria-label": said },
    svg("text", { class: "tick", x: MARGIN, y: 12 }, end(scale.low)),
    svg("text", { class: "tick end", x: width - MARGIN, y: 12 }, end(scale.high)),
    svg("rect", { class: "track", x: MARGIN, y: 18, width: width - 2 * MARGIN, height: 12, rx: 2 }),
    bar && svg("rect", { class: `bar tone-${bar.tone}`, x: MARGIN, y: 18, width: Math.max(1, toX(bar.value) - MARGIN).toFixed(1), height: 12, rx: 2 }),
    marks.map(({ cell }, k) => svg("line", { class: "leader", x1: toX(cell.value), x2: toX(cell.value), y1: 32, y2: 38 + LINE * places[k].row })),
    marks.map(({ cell, seat }) => (seat === null ? svg("line", { class: "scale-mark", x1: toX(cell.value), x2: toX(cell.value), y1: 15, y2: 33 }) : seatMark(seat, toX(cell.value), 24))),
    texts.map((text, k) => svg("text", { class: "tick halo name", x: places[k].left.toFixed(1), y: 49 + LINE * places[k].row }, fitted(text, width - 2 * MARGIN))),
  );
}

/** Return the high end of a scale, as `Scale.end` of Python does. */
function endOf({ high, marks }) {
  if (high !== null) return high;
  const most = 1.02 * Math.max(0, ...marks.map(({ cell }) => cell.value ?? 0));
  const power = most > 0 ? 10 ** Math.floor(Math.log10(most)) : 1;
  return power * [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].find((step) => step * power >= most || step === 10);
}

/** Place labels below their marks, in as many rows as they need in order not to touch: {left, row} of each. */
function placesOf(labels, width) {
  const ends = []; // of each row, where its last label ends
  const places = [];
  const order = labels.map((_, k) => k).sort((one, other) => labels[one].x - labels[other].x);
  for (const k of order) {
    const label = labels[k];
    const left = Math.max(MARGIN, Math.min(label.x - label.width / 2, width - MARGIN - label.width));
    const free = ends.findIndex((end) => end + 10 <= left);
    const row = free < 0 ? ends.length : free;
    ends[row] = left + label.width;
    places[k] = { left, row };
  }
  return places;
}

/**
 * Draw a chart of a board; null if there is nothing to show.
 * @param open [seat, amount] of decisions of the open round, which are hollow marks.
 */
export function boardChart(board, data, open) {
  const series = data.series.map((each, k) => ({ ...each, dash: data.series.slice(0, k).filter((one) => one.seat === null).length % DASHES })).filter((each) => !isHidden(each, board.seat));
  const levels = data.has_levels && board.scale ? shownMarks(board, board.scale.marks.slice(1)).filter(({ cell }) => typeof cell.value === "number") : [];
  const bids = open.filter(([, amount]) => amount !== null);
  const amounts = [...series.flatMap((each) => each.points.map(([, y]) => y)), ...levels.map(({ cell }) => cell.value), ...bids.map(([, amount]) => amount)];
  if (!amounts.length) return null;
  const ends = range(amounts, 0.08);
  const y = { low: data.bottom ?? Math.max(ends.low, amounts.some((amount) => amount < 0) ? -Infinity : 0), high: data.top ?? ends.high };
  const text = (value) => written(value, data.unit, board.sign);
  const legend = legendOf(series, pictureWidth());
  const top = 30 + LINE * legend.rows;
  const seats = board.rows.length;
  return chart({
    label: `${data.title}. ${chartText(board, data, series, levels, bids, text)}`,
    x: { low: data.low, high: data.high, whole: true, format: (value) => value.toLocaleString("en-US"), title: data.x },
    y: { ...y, format: (value) => (data.unit === "money" ? short(value, board.sign) : short(value)) },
    top,
    height: top + 210,
    draw: (toX, toY) => [
      svg("text", { class: "title", x: MARGIN, y: 15 }, fitted(data.title, pictureWidth() - 2 * MARGIN)),
      legend.draw(),
      drawLevels(levels, toY, text),
      series.map((each) => drawSeries(each, toX, toY, seats)),
      bids.map(([seat, amount]) => seatMark(seat, toX(data.now) + shiftOf(seat, toX, seats), toY(amount), { hollow: true, scale: 1.2 })),
    ],
  });
}

/** Return what a chart shows, in words. */
function chartText(board, data, series, levels, bids, text) {
  const point = ([x, y, counts]) => `${data.x} ${x} ${text(y)}${counts === false ? " (does not count)" : ""}`;
  const said = series.filter((each) => each.points.length).map((each) => `${each.label}: ${each.points.map(point).join(", ")}`);
  if (bids.length) said.push(`now: ${bids.map(([seat, amount]) => `${board.rows[seat].name} ${text(amount)}`).join(", ")}`);
  if (levels.length) said.push(`levels: ${levels.map(({ label, cell }) => `${label} ${text(cell.value)}`).join(", ")}`);
  return `${said.join("; ") || "Nothing yet"}.`;
}

/** Return how far the marks of a seat are beside their place, so that equal values of seats stay visible. */
function shiftOf(seat, toX, seats) {
  return (seat - (seats - 1) / 2) * Math.min(13, (0.8 * (toX(1) - toX(0))) / seats);
}

function drawSeries(each, toX, toY, seats) {
  const isLine = each.kind !== "marks";
  const shift = each.seat === null || each.kind !== "marks" ? 0 : shiftOf(each.seat, toX, seats);
  const places = each.points.map(([x, y]) => [toX(x) + shift, toY(y)]);
  const className = each.seat === null ? `series dash-${each.dash}` : `series ${seatClass(each.seat)}`;
  const marked = isLine && each.kind === "line" ? places.slice(-1) : places;
  const mark = ([x, y], k) => {
    const hollow = each.kind !== "line" && each.points[k][2] === false;
    if (each.seat !== null) return seatMark(each.seat, x, y, { hollow, scale: isLine ? 0.9 : 1.2 });
    return svg("circle", { class: `point${hollow ? " hollow" : ""}`, cx: x.toFixed(1), cy: y.toFixed(1), r: each.kind === "line" ? 2 : 3.5 });
  };
  return [isLine && places.length > 1 && line(places, className), marked.map(mark)];
}

/** Draw horizontal lines, with labels at the right that do not touch. */
function drawLevels(levels, toY, text) {
  const right = pictureWidth() - MARGIN;
  const labels = [...new Set(levels.map(({ label }) => label.split(" of ")[0]))];
  const sorted = levels.map((each) => ({ ...each, y: toY(each.cell.value), dash: labels.indexOf(each.label.split(" of ")[0]) % DASHES })).sort((one, other) => other.y - one.y);
  const lines = sorted.map(({ y, dash }) => svg("line", { class: `level level-${dash}`, x1: 62, x2: right, y1: y, y2: y }));
  let last = Infinity;
  const texts = sorted.map(({ label, cell, y }) => {
    last = Math.min(y - 4, last - LINE + 3);
    return svg("text", { class: "tick end halo", x: right - 2, y: last }, fitted(`${label} ${text(cell.value)}`, right - 70));
  });
  return [lines, texts];
}

/** Return the legend of series: how many rows it has, and a function that draws it. */
function legendOf(series, width) {
  let [x, row] = [MARGIN, 0];
  const entries = series.map((each) => {
    const label = fitted(each.label, width - 2 * MARGIN - SIGN);
    const space = SIGN + textWidth(label) + 12;
    if (x > MARGIN && x + space > width) [x, row] = [MARGIN, row + 1];
    const entry = { each, label, x, y: 32 + LINE * row };
    x += space;
    return entry;
  });
  return { rows: entries.length ? row + 1 : 0, draw: () => entries.map(drawEntry) };
}

function drawEntry({ each, label, x, y }) {
  const isLine = each.kind !== "marks";
  const className = each.seat === null ? `series dash-${each.dash}` : `series ${seatClass(each.seat)}`;
  const sign = each.seat !== null ? seatMark(each.seat, x + 7, y - 4) : each.kind !== "line" && svg("circle", { class: "point", cx: x + 7, cy: y - 4, r: 3.5 });
  return [isLine && line([[x, y - 4], [x + 14, y - 4]], className), sign, svg("text", { class: "tick name", x: x + SIGN, y }, label)];
}
