/** Pictures: scales, axes and lines. Every picture has a text that says the same. */

import { svg } from "./dom.js";
import { visible } from "./text.js";

const FONT = 12;
const TICK = 50; // the least space from a tick to the next one

const WIDEST = 1200;

/** Return the width of a picture, in its own units: a narrow page has few, so that text stays legible. */
export function pictureWidth(isWide = false) {
  if (innerWidth < 600) return 400;
  return isWide ? Math.min(innerWidth - 80, WIDEST) : 640;
}

let measure = null;

/** Return the width of a text in a picture. */
export function textWidth(text) {
  if (measure === null) {
    measure = document.createElement("canvas").getContext("2d");
    measure.font = `${FONT}px system-ui, sans-serif`;
  }
  return measure.measureText(visible(text)).width;
}

/** Return a text that is at most `width` wide, cut off if need be. */
export function fitted(text, width) {
  if (textWidth(text) <= width) return text;
  const characters = [...text];
  while (characters.length > 1 && textWidth(`${characters.join("")}…`) > width) characters.pop();
  return `${characters.join("")}…`;
}

/** Return round numbers from about `low` to about `high`; whole ones if `whole`. */
export function ticks(low, high, most = 5, whole = false) {
  const span = high - low || 1;
  const power = 10 ** Math.floor(Math.log10(span / most));
  const sizes = [1, 2, 2.5, 5, 10, 20].map((factor) => factor * power);
  const step = sizes.find((size) => span / size <= most && (!whole || Number.isInteger(size)));
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, k) => (first + k) * step);
}

/**
 * Return a picture with a scale for each axis.
 * @param label what the picture shows, in words.
 * @param x, y {low, high, format, title, whole}; `format` writes a tick, and no axis is drawn without it.
 * @param top the space above the axes, for a title and a legend.
 * @param isWide whether it is as wide as the page.
 * @param draw (toX, toY) => nodes, with functions from values to places.
 */
export function chart({ label, x, y, height = 220, draw, left = 62, top = 12, isWide = false }) {
  const width = pictureWidth(isWide);
  const [right, bottom] = [14, x.format ? 40 : 14];
  const toX = (value) => left + ((value - x.low) / (x.high - x.low || 1)) * (width - left - right);
  const toY = (value) => height - bottom - ((value - y.low) / (y.high - y.low || 1)) * (height - top - bottom);
  const axes = [];
  for (const value of y.format ? ticks(y.low, y.high) : []) {
    axes.push(svg("line", { class: "grid", x1: left, x2: width - right, y1: toY(value), y2: toY(value) }));
    axes.push(svg("text", { class: "tick end", x: left - 6, y: toY(value) + 4 }, y.format(value)));
  }
  for (const value of x.format ? ticks(x.low, x.high, Math.max(2, Math.min(8, Math.floor((width - left - right) / TICK))), x.whole) : []) {
    axes.push(svg("line", { class: "grid", x1: toX(value), x2: toX(value), y1: top, y2: height - bottom }));
    axes.push(svg("text", { class: "tick middle", x: toX(value), y: height - bottom + 17 }, x.format(value)));
  }
  if (y.format) axes.push(svg("line", { class: "axis", x1: left, x2: left, y1: top, y2: height - bottom }));
  if (x.format) axes.push(svg("line", { class: "axis", x1: left, x2: width - right, y1: height - bottom, y2: height - bottom }));
  if (x.title)
    axes.push(svg("text", { class: "tick middle", x: (left + width - right) / 2, y: height - 6 }, x.title));
  return svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, class: isWide ? "chart wide" : "chart", role: "img", "aria-label": label },
    axes,
    draw(toX, toY),
  );
}

/** Return a line through points [x, y]. */
export function line(points, className) {
  return svg("polyline", { class: className, points: points.map((point) => point.map(round).join(",")).join(" ") });
}

function round(value) {
  return value.toFixed(1);
}

/** Return the least and the greatest of some values, with a margin. */
export function range(values, margin = 0.06) {
  const known = values.filter((value) => value !== null && value !== undefined && Number.isFinite(value));
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const space = (high - low || Math.abs(high) || 1) * margin;
  return known.length ? { low: low - space, high: high + space } : { low: 0, high: 1 };
}
