/** The form in which people rate their own play. */

import { h } from "./dom.js";

/**
 * Return the form.
 * @param message {scales, least, most, scores}; scores: what was rated already, or null.
 * @param rate called with the score of each scale.
 */
export function rubricsForm(message, rate) {
  const numbers = Array.from({ length: message.most - message.least + 1 }, (_, k) => message.least + k);
  const form = h(
    "form",
    { class: "card rubrics" },
    h("h2", {}, "How did you play?"),
    message.scales.map((scale) =>
      h(
        "fieldset",
        {},
        h("legend", {}, scale.name),
        h("ol", { class: "note", start: message.least }, scale.levels.map((level) => h("li", {}, level))),
        numbers.map((number) => h("label", { class: "field" }, h("input", { type: "radio", name: scale.name, value: number, required: true, checked: message.scores?.[scale.name] === number }), number)),
      ),
    ),
    h("button", { type: "submit" }, "Save my ratings"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    rate(Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, Number(value)])));
  });
  return form;
}
