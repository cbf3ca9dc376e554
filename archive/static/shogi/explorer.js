// @ts-check
/**
 * The board of a position's page, played on: a move is shown at once, its list comes from the server. The line that
 * led here is the server's too (archive/web/lines.py), in the page's links.
 */

import { arrowsOf, isOn, startToggle } from "../archive/js/archive-moves.js";
import { createBoard } from "./board.js";
import { isCovered, startKeys } from "../archive/js/keys.js";
import { startPlaying } from "./playing.js";
import { fromSfen, moveOf, play, squareOf, toSfen } from "./position.js";

/** @typedef {import("./playing.js").Legal} Legal */
/** @typedef {import("./board.js").View} View */

/**
 * @param {HTMLElement} place what changes from one position to the next
 * @param {{go: (address: string) => Promise<void>}} page
 * @returns {{fill: (part: HTMLElement) => void}} shows another page in the place
 */
export function startExplorer(place, { go }) {
  const host = /** @type {HTMLElement} */ (place.querySelector(".board-host"));
  const [black, white] = ["black", "white"].map((side) =>
    /** @type {HTMLElement} */ (place.querySelector(`.seat.${side} .hand-host`)));
  const label = host.querySelector("svg")?.getAttribute("aria-label") || "";
  const board = createBoard(host, { flip: isFlipped(), ranks: host.dataset.ranks, hands: [black, white] });
  let position = fromSfen(host.dataset.sfen || "");
  /** What is on its way from the server, so that moves made meanwhile follow it. */
  let coming = Promise.resolve();
  /** How many moves on the board the page has not been asked for yet. */
  let ahead = 0;
  const playing = startPlaying({
    root: place,
    board,
    legalUrl: host.dataset.legalUrl || "",
    position: () => position,
    here: () => position,
    play: playMove,
  });
  let toggle = toggleIn(place);

  /** @returns {boolean} */
  function isFlipped() {
    return Boolean(place.querySelector(".table.flipped"));
  }

  /** @param {string} usi the last move; empty at the start of a line */
  function show(usi) {
    const from = usi && usi[1] !== "*" ? squareOf(usi.slice(0, 2)) : null;
    board.show({ position, from, to: usi ? squareOf(usi.slice(2, 4)) : null, label });
  }

  /** @param {Legal} move */
  function playMove({ usi, code }) {
    const after = fromSfen(toSfen(position, 1));
    play(after, moveOf(position, usi));
    position = after;
    playing.release();
    board.arrows([]);
    show(usi);
    ahead++;
    coming = coming.then(() => {
      ahead--;
      return go(addressAfter(usi, code));
    });
  }

  /** @param {string} usi @param {string} code @returns {string} */
  function addressAfter(usi, code) {
    const row = place.querySelector(`tr[data-usi="${usi}"] a`);
    const next = place.querySelector(".walk li:has([aria-current]) + li a");
    if (next instanceof HTMLAnchorElement && next.dataset.usi === usi) return next.href;
    if (row instanceof HTMLAnchorElement) return row.href;
    const pattern = /** @type {HTMLElement} */ (place.querySelector(".walk")).dataset.next || "";
    return pattern.replace("CODE", code).replace(/([?&]line=[^&]*)MOVE/, `$1${encodeURIComponent(usi)}`);
  }

  function drawArrows() {
    board.arrows(toggle && isOn(toggle) ? arrowsOf(place) : []);
  }

  function begin() {
    toggle = toggleIn(place);
    if (toggle) startToggle(toggle, drawArrows);
    const current = /** @type {HTMLElement | null} */ (place.querySelector(".walk [aria-current]"));
    if (!ahead) {
      show(current?.dataset.usi || "");
      drawArrows();
    }
    const list = current?.closest("ol");
    if (current && list) list.scrollTop = current.offsetTop - list.offsetTop - (list.clientHeight - current.offsetHeight) / 2;
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.defaultPrevented || isCovered()) return;
    if (event.target instanceof Element && event.target.closest("input, textarea, select")) return;
    const name = { ArrowLeft: "back", ArrowRight: "forward" }[event.key];
    const link = place.querySelector(name ? `.walk [data-go="${name}"][href]` : event.key === "f" ? "a.flip" : "none");
    if (!(link instanceof HTMLAnchorElement)) return;
    event.preventDefault();
    // Keys that are held down would be further than the page.
    if (!place.hasAttribute("aria-busy")) link.click();
  });
  /** Everything but the table, which may have a piece in the air. @param {HTMLElement} part */
  function fill(part) {
    for (const name of [".walk", ".under-board", ".position-right"]) {
      place.querySelector(name)?.replaceWith(/** @type {HTMLElement} */ (part.querySelector(name)));
    }
    place.querySelectorAll(".position-page ~ *").forEach((old) => old.remove());
    place.append(...part.querySelectorAll(".position-page ~ *"));
    playing.renew();
    if (!ahead) takeOver(/** @type {HTMLElement} */ (part.querySelector(".table")));
    begin();
  }

  /** @param {HTMLElement} table of the position that the page is about now */
  function takeOver(table) {
    const own = /** @type {HTMLElement} */ (place.querySelector(".table"));
    const sfen = table.querySelector(".board-host")?.getAttribute("data-sfen") || "";
    host.dataset.sfen = sfen;
    for (const side of [".black", ".white"]) {
      own.querySelector(`${side} .who`)?.replaceWith(/** @type {Element} */ (table.querySelector(`${side} .who`)));
    }
    if (own.classList.toggle("flipped", table.classList.contains("flipped")) !== board.flipped()) board.flip(isFlipped());
    if (sfen !== toSfen(position, 1)) {
      position = fromSfen(sfen);
      playing.release();
    }
    playing.legal().catch(() => []);
  }

  begin();
  startKeys();
  return { fill };
}

/** @param {HTMLElement} place @returns {HTMLButtonElement | null} */
function toggleIn(place) {
  return place.querySelector("button.arrows");
}
