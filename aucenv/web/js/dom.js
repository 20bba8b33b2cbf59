/** Elements. All text becomes text nodes and attributes: nothing on the page parses HTML. */

import { visible } from "./text.js";

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

/**
 * Return an HTML element.
 * @param attributes by name; those that begin with "on" are listeners; null and false leave an attribute out.
 * @param children nodes, texts, numbers or lists of them; null and false are left out.
 */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Return an SVG element; see `h`. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG_NAMESPACE, tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false)
      node.setAttribute(name, value === true ? "" : visible(String(value)));
  }
  node.append(...nodes(children));
  return node;
}

/** Replace all children of a node. */
export function show(node, ...children) {
  node.replaceChildren(...nodes(children));
}

function nodes(children) {
  return children
    .flat(Infinity)
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : visible(String(child))));
}

const LONG = 4000;

/** Return a text that keeps its line breaks; of a long one the beginning, with a button that shows the rest. */
export function prose(text, className = "prose") {
  const scrolls = text.length > LONG / 8;
  const start = text.slice(0, LONG).replace(/[\ud800-\udbff]$/, "");
  const node = h("div", { class: className, dir: "auto", tabindex: scrolls ? 0 : null, role: scrolls ? "group" : null, "aria-label": scrolls ? "long text" : null }, start);
  if (text.length > LONG) {
    const rest = text.length - start.length;
    const more = h("button", { type: "button", class: "more" }, `Show ${rest.toLocaleString("en-US")} more characters`);
    more.addEventListener("click", () => {
      show(node, text);
      node.focus();
    });
    node.append(more);
  }
  return node;
}

/** Offer a text or a blob as a file. */
export function download(name, content, type) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = h("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
