// @ts-check
/**
 * The board of a position's page, played on: a move is shown at once, its list comes from the server. The line that
 * led here is the server's too (archive/web/replay/lines.py), in the page's links.
 */

import { arrowsOf, isOn, startToggle } from "../archive/js/archive-moves.js";
import { createBoard } from "./board.js";
import { isCovered, startKeys } from "../archive/js/keys.js";
import { Playing } from "./playing.js";
import { fromSfen, moveOf, play, squareOf, toSfen } from "./position.js";
import { Selecting } from "./selecting.js";

/** @typedef {import("./playing.js").Legal} Legal */
/** @typedef {import("./board.js").View} View */

/** The board of a position's page, and the parts of the page that change with it. */
export class Explorer {
  /**
   * @param {HTMLElement} place what changes from one position to the next
   * @param {HTMLElement} host of the board
   * @param {(address: string) => Promise<void>} go
   */
  constructor(place, host, go) {
    this.place = place;
    this.host = host;
    this.go = go;
    const [black, white] = ["black", "white"].map((side) =>
      /** @type {HTMLElement} */ (place.querySelector(`.seat.${side} .hand-host`)));
    this.label = this.host.querySelector("svg")?.getAttribute("aria-label") || "";
    this.board = createBoard(this.host, { flip: this.isFlipped(), ranks: this.host.dataset.ranks, hands: [black, white] });
    this.position = fromSfen(this.host.dataset.sfen || "");
    /** What is on its way from the server, so that moves made meanwhile follow it. */
    this.coming = Promise.resolve();
    /** Moves on the board for which no page has been requested yet. */
    this.ahead = 0;
    this.playing = new Playing({
      root: place,
      board: this.board,
      legalUrl: this.host.dataset.legalUrl || "",
      position: () => this.position,
      here: () => this.position,
      play: (move) => this.playMove(move),
    });
    this.selecting = new Selecting({ root: place, board: this.board, position: () => this.position });
    this.toggle = toggleIn(this.place);
    this.listen();
  }

  /** @returns {boolean} */
  isFlipped() {
    return Boolean(this.place.querySelector(".table.flipped"));
  }

  /** @param {string} usi the last move; empty at the start of a line */
  show(usi) {
    const from = usi && usi[1] !== "*" ? squareOf(usi.slice(0, 2)) : null;
    this.board.show({ position: this.position, from, to: usi ? squareOf(usi.slice(2, 4)) : null, label: this.label });
  }

  /** @param {Legal} move */
  playMove({ move: usi, code }) {
    const after = fromSfen(toSfen(this.position, 1));
    play(after, moveOf(this.position, usi));
    this.position = after;
    this.playing.release();
    this.board.arrows([]);
    this.show(usi);
    this.ahead++;
    this.coming = this.coming.then(() => {
      this.ahead--;
      return this.go(this.addressAfter(usi, code));
    });
  }

  /** @param {string} usi @param {string} code @returns {string} */
  addressAfter(usi, code) {
    const row = this.place.querySelector(`tr[data-move="${usi}"] a`);
    const next = this.place.querySelector(".walk li:has([aria-current]) + li a");
    if (next instanceof HTMLAnchorElement && next.dataset.move === usi) return next.href;
    if (row instanceof HTMLAnchorElement) return row.href;
    const pattern = /** @type {HTMLElement} */ (this.place.querySelector(".walk")).dataset.next || "";
    return pattern.replace("CODE", code).replace(/([?&]line=[^&]*)MOVE/, `$1${encodeURIComponent(usi)}`);
  }

  drawArrows() {
    this.board.arrows(this.toggle && isOn(this.toggle) ? arrowsOf(this.place) : []);
  }

  begin() {
    this.toggle = toggleIn(this.place);
    if (this.toggle) startToggle(this.toggle, () => this.drawArrows());
    const current = /** @type {HTMLElement | null} */ (this.place.querySelector(".walk [aria-current]"));
    if (!this.ahead) {
      this.show(current?.dataset.move || "");
      this.drawArrows();
    }
    const list = current?.closest("ol");
    if (!current || !list) return;
    list.scrollTop = current.offsetTop - list.offsetTop - (list.clientHeight - current.offsetHeight) / 2;
  }

  /** Everything but the table, which may have a piece in the air. @param {HTMLElement} part */
  fill(part) {
    this.selecting.leave();
    for (const name of [".walk", ".under-board", ".position-right"]) {
      this.place.querySelector(name)?.replaceWith(/** @type {HTMLElement} */ (part.querySelector(name)));
    }
    this.place.querySelectorAll(".position-page ~ *").forEach((old) => old.remove());
    this.place.append(...part.querySelectorAll(".position-page ~ *"));
    this.playing.renew();
    if (!this.ahead) this.takeOver(/** @type {HTMLElement} */ (part.querySelector(".table")));
    this.begin();
  }

  /** @param {HTMLElement} table of the position that the page is about now */
  takeOver(table) {
    const own = /** @type {HTMLElement} */ (this.place.querySelector(".table"));
    const sfen = table.querySelector(".board-host")?.getAttribute("data-sfen") || "";
    this.host.dataset.sfen = sfen;
    for (const side of [".black", ".white"]) {
      own.querySelector(`${side} .who`)?.replaceWith(/** @type {Element} */ (table.querySelector(`${side} .who`)));
    }
    const flipped = own.classList.toggle("flipped", table.classList.contains("flipped"));
    if (flipped !== this.board.flipped()) this.board.flip(flipped);
    if (sfen !== toSfen(this.position, 1)) {
      this.position = fromSfen(sfen);
      this.playing.release();
    }
    this.playing.legal().catch(() => []);
  }

  listen() {
    document.addEventListener("keydown", (event) => {
      const held = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
      if (held || event.defaultPrevented || isCovered()) return;
      if (event.target instanceof Element && event.target.closest("input, textarea, select")) return;
      const name = { ArrowLeft: "back", ArrowRight: "forward" }[event.key];
      const link = this.place.querySelector(name ? `.walk [data-go="${name}"][href]` : event.key === "f" ? "a.flip" : "none");
      if (!(link instanceof HTMLAnchorElement)) return;
      event.preventDefault();
      // Keys that are held down would be further than the page.
      if (!this.place.hasAttribute("aria-busy")) link.click();
    });
    this.begin();
    startKeys();
  }
}

/**
 * @param {HTMLElement} place what changes from one position to the next
 * @param {{go: (address: string) => Promise<void>}} page
 * @returns {Explorer}
 */
export function startExplorer(place, { go }) {
  return new Explorer(place, /** @type {HTMLElement} */ (place.querySelector(".board-host")), go);
}

/** @param {HTMLElement} place @returns {HTMLButtonElement | null} */
function toggleIn(place) {
  return place.querySelector("button.arrows");
}
