/** The page: what its address names is shown. */

import { h, show } from "./dom.js";
import { renderGames } from "./games.js";
import { createReplay } from "./replay.js";
import { readRoute } from "./route.js";
import { renderSummary } from "./summary.js";
import { themeButton } from "./theme.js";
import { loadCalls, loadGame, takeBlocks, unpack } from "./unpack.js";

/** Start the page. */
export async function startPage() {
  if (typeof DecompressionStream === "undefined") return; // the page says what it needs
  takeBlocks();
  const main = document.getElementById("main");
  const summary = await unpack("summary");
  let replay = null;
  let version = 0;

  async function open() {
    version += 1;
    const route = readRoute(location.hash || (summary.opens === undefined ? "" : `#game=${summary.opens}`));
    replay?.close();
    replay = null;
    for (const link of document.querySelectorAll("nav a"))
      if (link.dataset.view === route.view) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    if (route.view === "summary") show(main, h("h2", { tabindex: "-1" }, "Summary"), renderSummary(summary));
    else if (route.view === "games") show(main, h("h2", { tabindex: "-1" }, "Games"), renderGames(summary));
    else await openReplay(route, version);
    main.querySelector("h2")?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }

  async function openReplay(route, current) {
    const number = summary.games.findIndex((game) => game.run === route.run && game.index === route.game);
    if (number < 0) {
      show(main, h("h2", { tabindex: "-1" }, "Games"), h("p", { class: "bad" }, `This page has no game ${route.game ?? ""}.`), renderGames(summary));
      return;
    }
    const [game, calls] = await Promise.all([loadGame(summary, number), loadCalls(summary, number)]);
    if (current !== version) return; // another view was opened meanwhile
    replay = createReplay(game, calls, route);
    show(main, replay.node);
  }

  const header = h(
    "header",
    {},
    h("h1", {}, h("bdi", {}, summary.title)),
    h("nav", { "aria-label": "views" }, h("a", { href: "#summary", "data-view": "summary" }, "Summary"), h("a", { href: "#games", "data-view": "games" }, "Games"), themeButton()),
  );
  document.body.prepend(header);
  addEventListener("hashchange", open);
  document.addEventListener("click", followInFrame);
  await open();
  document.documentElement.dataset.ready = "yes";
}

/** Follow a link inside a frame of a notebook, where addresses are those of the notebook. */
function followInFrame(event) {
  const link = location.protocol === "about:" && event.target.closest('a[href^="#"]');
  if (!link) return;
  event.preventDefault();
  location.hash = link.getAttribute("href");
}
