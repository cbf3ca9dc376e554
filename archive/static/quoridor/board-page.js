// @ts-check
/** The page of the free board: the page's address follows the game, whose moves are listed next to the board. */

import { keepAddress } from "../archive/js/address.js";
import "../archive/js/embed-code.js";
import { showArchiveMoves } from "../archive/js/archive-moves.js";
import { Freeboard } from "./freeboard.js";
import { hintsOf, quoridor } from "./kit.js";
import { readName } from "./rules.js";

const SETTLE = 90;

const root = document.getElementById("board-page");
const element = document.querySelector(".qf_freeboard");
if (root && element instanceof HTMLElement) start(root, element);

/** @param {HTMLElement} page @param {HTMLElement} place */
function start(page, place) {
  const free = new Freeboard(place);
  /** @type {Record<"show" | "settle", ((node: any) => void)[]>} */
  const listeners = { show: [], settle: [] };
  let settleTimer = 0;
  /** @type {string | null} */
  let address = null;
  const setAddress = keepAddress(() => address);

  /** The board as `showArchiveMoves` knows a replay. */
  const replay = /** @type {import("../archive/js/replay.js").Replay} */ (/** @type {unknown} */ ({
    root: page,
    kit: quoridor,
    get position() {
      return free.position();
    },
    board: { arrows: (/** @type {any[]} */ list) => free.board.hints(hintsOf(list)) },
    onShow: (/** @type {(node: any) => void} */ listener) => void listeners.show.push(listener),
    onSettle: (/** @type {(node: any) => void} */ listener) => void listeners.settle.push(listener),
  }));
  showArchiveMoves(replay, (text) => free.play(readName(text) || 0));

  function changed() {
    for (const listener of listeners.show) listener(null);
    clearTimeout(settleTimer);
    settleTimer = window.setTimeout(() => listeners.settle.forEach((listener) => listener(null)), SETTLE);
  }

  place.addEventListener("qf-change", (event) => {
    changed();
    const { code, ply } = /** @type {CustomEvent<{code: string, ply: number}>} */ (event).detail;
    const query = new URLSearchParams(code ? { code } : {});
    if (ply) query.set("ply", String(ply));
    address = location.pathname + (query.size ? `?${query}` : "");
    setAddress();
  });
  changed();
}
