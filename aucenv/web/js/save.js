/** Files of what the page shows: charts as SVG and PNG. */

import { download, h, svg } from "./dom.js";

const STYLES = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-family", "font-size", "font-weight", "text-anchor", "paint-order"];
const SCALE = 2; // the size of a PNG

/** Return a chart with the buttons that save it. */
export function savedChart(chart, title) {
  const name = fileName(title);
  const button = (text, action) => h("button", { type: "button", class: "save", "aria-label": `${text}: ${title}`, onclick: action }, text);
  return h(
    "figure",
    {},
    chart,
    h("div", { class: "saves" }, button("Save SVG", () => download(`${name}.svg`, svgText(chart), "image/svg+xml")), button("Save PNG", () => savePng(chart, `${name}.png`))),
  );
}

/** Return the beginning of a file's name from a title. */
export function fileName(title) {
  return title.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 40).replace(/^-|-$/g, "") || "aucenv";
}

/** Return a chart as the text of an SVG file, which looks the same without the page's style. */
function svgText(chart) {
  const copy = chart.cloneNode(true);
  const [nodes, copies] = [chart, copy].map((node) => [node, ...node.querySelectorAll("*")]);
  for (const [k, node] of nodes.entries()) {
    const style = getComputedStyle(node);
    for (const name of STYLES) copies[k].setAttribute(name, style.getPropertyValue(name));
    copies[k].removeAttribute("class");
  }
  const { width, height } = chart.viewBox.baseVal;
  const paper = getComputedStyle(chart.closest(".card") ?? document.body).backgroundColor;
  copy.prepend(svg("rect", { width, height, fill: paper }));
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  return new XMLSerializer().serializeToString(copy);
}

async function savePng(chart, name) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(chart))}`;
  await image.decode();
  const canvas = h("canvas", { width: SCALE * image.width, height: SCALE * image.height });
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => download(name, blob, "image/png"));
}
