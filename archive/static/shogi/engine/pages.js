// @ts-check
/** The engine in the browser on the pages of games and of positions. */

import { fromSfen, moveOf, play, toSfen } from "../position.js";
import { encode } from "../shogi64.js";
import { follow } from "../trial.js";
import { EnginePanel, wordsOf } from "./panel.js";

/** @typedef {import("../../archive/js/replay.js").Replay} Replay */

const SELECTOR = ".browser-engine[data-engine]";

/** @param {Replay} replay */
export function startReplayEngine(replay) {
  const place = /** @type {HTMLElement | null} */ (replay.root.querySelector(SELECTOR));
  if (!place) return;
  const panel = new EnginePanel(place, () => "#");
  const sfen = () => toSfen(replay.position, replay.shown.played + 1);
  place.addEventListener("click", (event) => {
    const link = event.target instanceof Element && event.target.closest("a[data-moves]");
    if (!(link instanceof HTMLElement)) return;
    event.preventDefault();
    follow(replay, wordsOf(sfen(), (link.dataset.moves || "").split(".")));
  });
  replay.onShow(() => panel.show(sfen()));
  panel.show(sfen());
}

/**
 * The panel of a position's page. Each position replaces the parts of the page, and the panel moves to the new ones.
 * @param {HTMLElement} place
 */
export function startPositionEngine(place) {
  const own = /** @type {HTMLElement | null} */ (place.querySelector(SELECTOR));
  if (!own) return;
  const panel = new EnginePanel(own, (line) => {
    const position = fromSfen(panel.sfen);
    for (const { name } of line) play(position, moveOf(position, name));
    const code = encode(position);
    return code ? (own.dataset.positionUrl || "").replace("CODE", code) : "";
  });
  const update = () => {
    const fresh = place.querySelector(".browser-engine");
    if (fresh && fresh !== own) fresh.replaceWith(own);
    const host = /** @type {HTMLElement | null} */ (place.querySelector(".board-host[data-sfen]"));
    if (host) panel.show(host.dataset.sfen || "");
  };
  new MutationObserver(update).observe(place, { subtree: true, childList: true, attributeFilter: ["data-sfen"] });
  update();
}
