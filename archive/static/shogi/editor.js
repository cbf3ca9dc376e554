// @ts-check
/**
 * The position editor: pieces are moved by tap, drag or keyboard between board, hands and the box.
 * What is odd about a position the server says.
 */

import { createBoard } from "./board.js";
import { Pointing } from "./pointing.js";
import { fromSfen, toSfen } from "./position.js";
import { Selecting } from "./selecting.js";
import { encode } from "./shogi64.js";
import { pieceWord } from "./wording.js";

/** @typedef {import("./pointing.js").Spot} Spot */

const FULL_SET = [0, 18, 4, 4, 4, 4, 2, 2, 2];
const PROMOTED = [0, 9, 10, 11, 12, 0, 13, 14];
const UNPROMOTED = [0, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 6, 7];
const LETTERS = " plnsgbrk";
const PAUSE = 250;

/** The editor of a page. */
class Editor {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.host = /** @type {HTMLElement} */ (this.root.querySelector(".board-host"));
    this.hands = /** @type {HTMLElement[]} */ ([0, 1].map((color) => this.root.querySelector(`[data-hand="${color}"]`)));
    this.field = /** @type {HTMLInputElement} */ (document.getElementById("sfen"));
    this.side = /** @type {HTMLButtonElement} */ (this.root.querySelector("button.side"));
    this.undo = /** @type {HTMLButtonElement} */ (this.root.querySelector("button.undo"));
    this.board = createBoard(this.host, { ranks: this.root.dataset.ranks, hands: [this.hands[0], this.hands[1]] });
    this.news = /** @type {HTMLElement} */ (document.getElementById("cursor"));
    this.position = fromSfen(this.root.dataset.sfen || "");
    /** @type {string[]} */
    this.before = [];
    this.cursor = 40;
    /** Whether the keyboard is at work: fingers and mice need no cursor. */
    this.typing = true;
    this.flipped = false;
    this.timer = 0;
    this.selecting = new Selecting({ root, board: this.board, position: () => this.position });
    this.table = /** @type {HTMLElement} */ (this.root.querySelector(".table"));
    this.pointing = new Pointing({ area: this.table, host: this.host, hands: this.hands, board: this.board }, {
      pieceAt: (spot) => this.pieceAt(spot),
      targets: () => [],
      move: (from, to) => this.move(from, to),
      again: (spot) => "board" in spot && this.turnOver(spot.board),
      changed: () => this.draw(),
    });
    this.listen();
  }

  draw() {
    const { chosen } = this.pointing;
    const at = chosen && "board" in chosen ? chosen.board : null;
    this.board.show({ position: this.position, from: null, to: null, label: this.host.getAttribute("aria-label") || "" });
    this.board.mark(at, this.typing && document.activeElement === this.host ? [this.cursor] : []);
    const handChosen = chosen && "hand" in chosen ? chosen.hand : -1;
    this.hands.forEach((hand, color) => hand.classList.toggle("chosen", color === handChosen));
    const left = this.leftOver();
    for (const button of this.boxButtons()) {
      const kind = Number(button.dataset.box);
      /** @type {HTMLElement} */ (button.querySelector(".left")).textContent = String(Math.max(0, left[kind]));
      button.disabled = left[kind] <= 0;
      button.classList.toggle("chosen", Boolean(chosen && "box" in chosen && chosen.box === kind));
    }
    /** @type {HTMLElement} */ (this.root.querySelector(".whose")).textContent = this.position.turn ? "☖" : "☗";
    this.undo.disabled = !this.before.length;
    this.selecting.draw();
  }

  /** @returns {HTMLButtonElement[]} */
  boxButtons() {
    return [.../** @type {NodeListOf<HTMLButtonElement>} */ (this.root.querySelectorAll("[data-box]"))];
  }

  /** @returns {number[]} by kind, the pieces of a full set that are not placed */
  leftOver() {
    const left = [...FULL_SET];
    for (const piece of this.position.board) if (piece) left[UNPROMOTED[Math.abs(piece)]]--;
    for (const hand of this.position.hands) hand.forEach((count, kind) => (left[kind] -= count));
    return left;
  }

  /** @param {() => void} edit changes the position */
  change(edit) {
    this.before.push(toSfen(this.position, 1));
    edit();
    this.pointing.release();
    this.changed();
  }

  changed() {
    const sfen = toSfen(this.position, 1);
    this.field.value = sfen;
    history.replaceState(null, "", `?${new URLSearchParams({ sfen })}`);
    this.draw();
    const code = encode(this.position);
    const search = /** @type {HTMLAnchorElement | null} */ (this.root.querySelector("#hints a"));
    const enter = /** @type {HTMLAnchorElement | null} */ (this.root.querySelector("a.enter-from"));
    if (enter) enter.search = String(new URLSearchParams({ sfen }));
    if (search && code) search.href = (this.root.dataset.positionUrl || "").replace("CODE", code);
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.showHints(sfen), PAUSE);
  }

  /** @param {string} sfen */
  async showHints(sfen) {
    const answer = await fetch(`?${new URLSearchParams({ sfen, part: "hints" })}`);
    if (!answer.ok || sfen !== toSfen(this.position, 1)) return;
    const html = await answer.text();
    /** @type {HTMLElement} */ (document.getElementById("hints")).innerHTML = html;
  }

  /** @param {Spot} spot @returns {number} signed; 0 where nothing lies */
  pieceAt(spot) {
    if ("board" in spot) return this.position.board[spot.board];
    if ("hand" in spot) return this.position.hands[spot.hand][spot.kind] ? (spot.hand ? -spot.kind : spot.kind) : 0;
    return this.side.getAttribute("aria-pressed") === "true" ? -spot.box : spot.box;
  }

  /** @param {Spot} spot */
  take(spot) {
    if ("board" in spot) this.position.board[spot.board] = 0;
    else if ("hand" in spot) this.position.hands[spot.hand][spot.kind]--;
  }

  /** @param {Spot} from @param {number} to */
  toBoard(from, to) {
    this.change(() => {
      const piece = this.pieceAt(from);
      this.take(from);
      this.position.board[to] = piece;
    });
  }

  /** @param {Spot} from @param {number} color */
  toHand(from, color) {
    const kind = UNPROMOTED[Math.abs(this.pieceAt(from))];
    if (!kind || kind === 8) return;
    this.change(() => {
      this.take(from);
      this.position.hands[color][kind]++;
    });
  }

  /** Cycles a piece: promoted, of the other side, promoted again. @param {number} at */
  turnOver(at) {
    this.change(() => {
      const piece = this.position.board[at];
      const kind = Math.abs(piece);
      const sign = Math.sign(piece);
      if (PROMOTED[kind]) this.position.board[at] = sign * PROMOTED[kind];
      else this.position.board[at] = -sign * UNPROMOTED[kind];
    });
    this.pointing.choose({ board: at });
  }

  /** @param {Spot} from @param {Spot} to @returns {boolean} */
  move(from, to) {
    if (!this.pieceAt(from) || "box" in to) return false;
    if ("board" in to) this.toBoard(from, to.board);
    else this.toHand(from, to.hand);
    return true;
  }

  /** @param {number} step */
  moveCursor(step) {
    const column = (this.cursor % 9) + (step % 9);
    const next = this.cursor + step;
    if (next < 0 || next > 80 || (Math.abs(step) === 1 && (column < 0 || column > 8))) return;
    this.cursor = next;
  }

  say() {
    const piece = this.position.board[this.cursor];
    const place = `${9 - (this.cursor % 9)}${(this.root.dataset.ranks || "")[Math.floor(this.cursor / 9)]}`;
    const word = pieceWord(Math.abs(piece), document.documentElement.lang === "ja");
    const name = piece ? (piece > 0 ? "☗" : "☖") + word : this.root.dataset.empty;
    this.news.textContent = `${place} ${name}`;
  }

  listenToButtons() {
    for (const button of this.boxButtons()) {
      button.addEventListener("click", () => this.pointing.press({ box: Number(button.dataset.box) }));
    }
    this.root.querySelector("button.remove")?.addEventListener("click", () => {
      const spot = this.pointing.chosen;
      if (spot) this.change(() => this.take(spot));
    });
    this.side.addEventListener("click", () => {
      const white = this.side.getAttribute("aria-pressed") !== "true";
      this.side.setAttribute("aria-pressed", String(white));
      this.side.textContent = white ? "☖" : "☗";
    });
    this.root.querySelector("button.turn-toggle")?.addEventListener("click", () => {
      this.change(() => (this.position.turn = this.position.turn ? 0 : 1));
    });
    this.root.querySelector("button.flip")?.addEventListener("click", () => {
      this.flipped = !this.flipped;
      this.table.classList.toggle("flipped", this.flipped);
      this.board.flip(this.flipped);
      this.draw();
    });
    this.undo.addEventListener("click", () => {
      const last = this.before.pop();
      if (!last) return;
      this.position = fromSfen(last);
      this.pointing.release();
      this.changed();
    });
    this.root.querySelector("select.preset")?.addEventListener("change", (event) => {
      const menu = /** @type {HTMLSelectElement} */ (event.target);
      if (menu.value) this.change(() => (this.position = fromSfen(menu.value)));
      menu.value = "";
    });
  }

  listen() {
    this.listenToButtons();
    this.root.addEventListener("pointerdown", (event) => {
      this.typing = false;
      const at = event.target instanceof Node && this.host.contains(event.target) ? this.board.squareAt(event) : null;
      if (at !== null) this.cursor = at;
    });
    this.host.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const steps = /** @type {Record<string, number>} */ ({ ArrowLeft: -1, ArrowRight: 1, ArrowUp: -9, ArrowDown: 9 });
      const kind = LETTERS.indexOf(event.key.toLowerCase());
      this.typing = true;
      if (event.key in steps) this.moveCursor(this.flipped ? -steps[event.key] : steps[event.key]);
      else if (event.key === " " || event.key === "Enter") this.pointing.press({ board: this.cursor });
      else if (event.key === "Delete" || event.key === "Backspace") this.change(() => (this.position.board[this.cursor] = 0));
      else if (event.key === "+" && this.position.board[this.cursor]) this.turnOver(this.cursor);
      else if (event.key === "Escape") this.pointing.release();
      else if (kind > 0) this.change(() => (this.position.board[this.cursor] = event.shiftKey ? -kind : kind));
      else return;
      event.preventDefault();
      this.draw();
      this.say();
    });
    this.host.addEventListener("focus", () => this.draw());
    this.host.addEventListener("blur", () => {
      this.typing = true;
      this.draw();
    });
    this.draw();
  }
}

const root = document.getElementById("editor");
if (root) new Editor(root);
