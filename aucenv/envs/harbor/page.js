/** Housing auctions: English auctions of houses, with personas and the houses that suit them. */

import { englishView, renderEnglish, saidInEnglish } from "../english/page.js";

export const harborPage = { view: harborView, render: renderEnglish, said: saidInEnglish, place: (decision) => `House ${decision.item + 1}, round ${decision.round + 1}` };

/** Return the view of a seat; a seat knows its own personas alone. See `page.py`. */
export function harborView(game, move, seat) {
  const view = englishView(game, move, seat);
  if (seat !== null) for (const [number, player] of view.seats.entries()) if (number !== seat) player.personas = null;
  return view;
}
