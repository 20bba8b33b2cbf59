/** Dark or light colors. */

import { h } from "./dom.js";

const THEMES = ["light", "dark"];

/** Return the button that changes between dark and light colors. */
export function themeButton() {
  const prefersDark = matchMedia("(prefers-color-scheme: dark)").matches;
  let theme = prefersDark ? 1 : 0;
  const button = h("button", { type: "button" }, "Dark or light");
  button.addEventListener("click", () => {
    theme = 1 - theme;
    document.documentElement.dataset.theme = THEMES[theme];
  });
  return button;
}
