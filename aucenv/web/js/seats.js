/** Colors and shapes of seats: each seat has both, so that nothing depends on color alone. */

import { h, svg } from "./dom.js";

const SHAPES = [
  "M0-5A5 5 0 1 1 0 5A5 5 0 1 1 0-5Z",
  "M-4.5-4.5H4.5V4.5H-4.5Z",
  "M0-5.5L5.5 4.5H-5.5Z",
  "M0-6L6 0L0 6L-6 0Z",
  "M0 5.5L5.5-4.5H-5.5Z",
  "M-1.8-5.5H1.8V-1.8H5.5V1.8H1.8V5.5H-1.8V1.8H-5.5V-1.8H-1.8Z",
  "M-5.5-5.5L0-2L5.5-5.5L2 0L5.5 5.5L0 2L-5.5 5.5L-2 0Z",
  "M0-5.8L5.5-1.8L3.4 4.7H-3.4L-5.5-1.8Z",
];

/** Return the class of a seat's color. */
export function seatClass(seat) {
  return `seat-${seat % SHAPES.length}`;
}

/** Return the mark of a seat at a place of a picture; a hollow one for what is not settled. */
export function seatMark(seat, x, y, { hollow = false, scale = 1 } = {}) {
  const place = `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${scale})`;
  return svg("path", {
    d: SHAPES[seat % SHAPES.length],
    transform: place,
    class: `mark ${seatClass(seat)}${hollow ? " hollow" : ""}`,
  });
}

/** Return the mark of a seat in a line of text. */
export function seatSign(seat) {
  return svg("svg", { viewBox: "-7 -7 14 14", class: "sign", "aria-hidden": "true" }, seatMark(seat, 0, 0));
}

/** Return the name of a seat with its mark. */
export function seatName(seat, name) {
  return h("span", { class: "seat-name" }, seatSign(seat), h("bdi", {}, name));
}
