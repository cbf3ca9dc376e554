// @ts-check
/**
 * "Find these pieces": squares of a shown position are chosen, and what stands there becomes a pattern. It is
 * the same on the page of a game and on that of a position.
 */

import { bitOf, emptyPattern, write } from "./pattern.js";
import { Squares } from "./squares.js";
import { pieceWord, squareName } from "./wording.js";

/** @typedef {import("./position.js").Position} Position */

/**
 * @typedef {object} Shown
 * @property {HTMLElement} root with `.board-frame`, and `button.select-pieces` and `.selecting`, which may be replaced
 * @property {import("./board.js").Board} board
 * @property {() => Position} position
 */

/** The mode of a page in which squares are chosen. */
export class Selecting {
  /** @param {Shown} shown */
  constructor({ root, board, position }) {
    this.root = root;
    this.position = position;
    this.board = board;
    this.cover = document.createElement("div");
    this.cover.className = "select-cover";
    this.cover.tabIndex = 0;
    this.cover.setAttribute("role", "application");
    this.cover.setAttribute("aria-describedby", "select-help");
    this.squares = new Squares(this.cover, board, { adds: true, changed: () => this.draw() });
    this.japanese = document.documentElement.lang === "ja";
    this.listen();
  }

  /** @returns {HTMLElement} */
  get panel() {
    return /** @type {HTMLElement} */ (this.root.querySelector(".selecting"));
  }

  /** @returns {HTMLElement | null} */
  get button() {
    return this.root.querySelector("button.select-pieces");
  }

  get open() {
    return this.cover.isConnected;
  }

  /** @param {boolean} pointed whether by a pointer, which needs no cursor */
  begin(pointed) {
    this.squares.typing = !pointed;
    this.cover.setAttribute("aria-label", this.panel.dataset.label || "");
    this.root.querySelector(".board-frame")?.append(this.cover);
    this.panel.hidden = false;
    this.button?.setAttribute("aria-pressed", "true");
    this.cover.focus({ preventScroll: true });
    this.cover.scrollIntoView({ block: "nearest" });
    this.panel.scrollIntoView({ block: "nearest" });
    this.draw();
  }

  leave() {
    if (!this.open) return;
    const focused = this.cover.contains(document.activeElement) || this.panel.contains(document.activeElement);
    this.cover.remove();
    this.squares.chosen.clear();
    this.squares.draw();
    this.panel.hidden = true;
    this.button?.setAttribute("aria-pressed", "false");
    if (focused) this.button?.focus({ preventScroll: true });
  }

  /** Shows the pattern of the chosen pieces; called when another position is shown. */
  draw() {
    if (!this.open) return;
    this.squares.draw();
    const text = this.text();
    /** @type {HTMLElement} */ (this.panel.querySelector(".pattern-text")).textContent = text;
    for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (this.panel.querySelectorAll("a[data-address]"))) {
      if (text) link.href = `${link.dataset.address}?${new URLSearchParams({ pattern: text })}`;
      else link.removeAttribute("href");
      link.setAttribute("aria-disabled", String(!text));
    }
    if (this.squares.typing) this.say();
  }

  /** Announces the piece under the cursor, and whether it is chosen. */
  say() {
    const { cursor, chosen } = this.squares;
    const piece = this.position().board[cursor];
    const name = piece ? (piece > 0 ? "☗" : "☖") + pieceWord(Math.abs(piece), this.japanese) : this.panel.dataset.empty;
    const news = /** @type {HTMLElement} */ (this.panel.querySelector(".select-cursor"));
    news.textContent = `${squareName(cursor, this.japanese)} ${name}${chosen.has(cursor) ? ` ${this.panel.dataset.chosen}` : ""}`;
  }

  /** @param {string} name of a switch @returns {boolean} */
  isOn(name) {
    return Boolean(/** @type {HTMLInputElement | null} */ (this.panel.querySelector(`[data-switch="${name}"]`))?.checked);
  }

  /** @returns {string} the pattern, seen by the side that sits below; empty without conditions */
  text() {
    const own = this.board.flipped() ? 1 : 0;
    const { board, hands } = this.position();
    const pattern = emptyPattern();
    const [step] = pattern.steps;
    for (const at of this.squares.chosen) {
      const piece = own ? -board[at] : board[at];
      if (piece || this.isOn("empty")) step.squares.set(own ? 80 - at : at, bitOf(piece));
    }
    if (this.isOn("hands")) {
      hands.forEach((hand, color) => hand.forEach((least, kind) => {
        if (least) step.hands.set(color === own ? kind : -kind, { least, most: null });
      }));
    }
    if (!step.squares.size && !step.hands.size) return "";
    pattern.own = this.isOn("either") ? null : own;
    pattern.mirrored = this.isOn("mirrored");
    return write(pattern, document.documentElement.lang === "ja");
  }

  listen() {
    this.root.addEventListener("click", (event) => {
      if (!(event.target instanceof Element)) return;
      const begins = event.target.closest("button.select-pieces") && !this.open;
      if (begins) this.begin(event.detail > 0);
      else if (event.target.closest("button.select-pieces, .selecting button.leave")) this.leave();
    });
    this.root.addEventListener("change", (event) => {
      if (this.open && event.target instanceof Node && this.panel.contains(event.target)) this.draw();
    });
    this.cover.addEventListener("keydown", (event) => {
      if (!this.squares.press(event)) return;
      event.preventDefault();
      event.stopPropagation();
    });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.defaultPrevented || document.querySelector("dialog[open]")) return;
      this.leave();
    });
  }
}

/** @param {import("../archive/js/replay.js").Replay} replay of a game's page */
export function selectIn(replay) {
  const selecting = new Selecting({ root: replay.root, board: replay.board, position: () => replay.position });
  replay.onShow(() => selecting.draw());
}
