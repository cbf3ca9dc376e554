// @ts-check
/**
 * The position editor: pieces are moved by tap, drag or keyboard between board, hands and the box.
 * What is odd about a position the server says.
 */

import { createBoard } from "./board.js";
import { startPointing } from "./pointing.js";
import { fromSfen, toSfen } from "./position.js";
import { encode } from "./shogi64.js";
import { pieceWord } from "./wording.js";

/** @typedef {import("./pointing.js").Spot} Spot */

const FULL_SET = [0, 18, 4, 4, 4, 4, 2, 2, 2];
const PROMOTED = [0, 9, 10, 11, 12, 0, 13, 14];
const UNPROMOTED = [0, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 6, 7];
const LETTERS = " plnsgbrk";
const PAUSE = 250;

const root = document.getElementById("editor");
if (root) startEditor(root);

/** @param {HTMLElement} root */
function startEditor(root) {
  const host = /** @type {HTMLElement} */ (root.querySelector(".board-host"));
  const hands = /** @type {HTMLElement[]} */ ([0, 1].map((color) => root.querySelector(`[data-hand="${color}"]`)));
  const field = /** @type {HTMLInputElement} */ (document.getElementById("sfen"));
  const side = /** @type {HTMLButtonElement} */ (root.querySelector("button.side"));
  const undo = /** @type {HTMLButtonElement} */ (root.querySelector("button.undo"));
  const board = createBoard(host, { ranks: root.dataset.ranks, hands: [hands[0], hands[1]] });
  const news = /** @type {HTMLElement} */ (document.getElementById("cursor"));
  let position = fromSfen(root.dataset.sfen || "");
  /** @type {string[]} */
  const before = [];
  let cursor = 40;
  /** Whether the keyboard is at work: fingers and mice need no cursor. */
  let typing = true;
  let flipped = false;
  let timer = 0;
  const pointing = startPointing({ area: /** @type {HTMLElement} */ (root.querySelector(".table")), host, hands, board }, {
    pieceAt,
    targets: () => [],
    move,
    again: (spot) => "board" in spot && turnOver(spot.board),
    changed: draw,
  });

  function draw() {
    const chosen = pointing.chosen();
    const at = chosen && "board" in chosen ? chosen.board : null;
    board.show({ position, from: null, to: null, label: host.getAttribute("aria-label") || "" });
    board.mark(at, typing && document.activeElement === host ? [cursor] : []);
    const handChosen = chosen && "hand" in chosen ? chosen.hand : -1;
    hands.forEach((hand, color) => hand.classList.toggle("chosen", color === handChosen));
    const left = leftOver();
    for (const button of boxButtons()) {
      const kind = Number(button.dataset.box);
      /** @type {HTMLElement} */ (button.querySelector(".left")).textContent = String(Math.max(0, left[kind]));
      button.disabled = left[kind] <= 0;
      button.classList.toggle("chosen", Boolean(chosen && "box" in chosen && chosen.box === kind));
    }
    /** @type {HTMLElement} */ (root.querySelector(".whose")).textContent = position.turn ? "☖" : "☗";
    undo.disabled = !before.length;
  }

  /** @returns {HTMLButtonElement[]} */
  function boxButtons() {
    return [.../** @type {NodeListOf<HTMLButtonElement>} */ (root.querySelectorAll("[data-box]"))];
  }

  /** @returns {number[]} by kind, what a full set still has */
  function leftOver() {
    const left = [...FULL_SET];
    for (const piece of position.board) if (piece) left[UNPROMOTED[Math.abs(piece)]]--;
    for (const hand of position.hands) hand.forEach((count, kind) => (left[kind] -= count));
    return left;
  }

  /** @param {() => void} edit changes the position */
  function change(edit) {
    before.push(toSfen(position, 1));
    edit();
    pointing.release();
    changed();
  }

  function changed() {
    const sfen = toSfen(position, 1);
    field.value = sfen;
    history.replaceState(null, "", `?${new URLSearchParams({ sfen })}`);
    draw();
    const code = encode(position);
    const search = /** @type {HTMLAnchorElement | null} */ (root.querySelector("#hints a"));
    if (search && code) search.href = (root.dataset.positionUrl || "").replace("CODE", code);
    clearTimeout(timer);
    timer = window.setTimeout(() => showHints(sfen), PAUSE);
  }

  /** @param {string} sfen */
  async function showHints(sfen) {
    const answer = await fetch(`?${new URLSearchParams({ sfen, part: "hints" })}`);
    if (!answer.ok || sfen !== toSfen(position, 1)) return;
    const html = await answer.text();
    /** @type {HTMLElement} */ (document.getElementById("hints")).innerHTML = html;
  }

  /** @param {Spot} spot @returns {number} signed; 0 where nothing lies */
  function pieceAt(spot) {
    if ("board" in spot) return position.board[spot.board];
    if ("hand" in spot) return position.hands[spot.hand][spot.kind] ? (spot.hand ? -spot.kind : spot.kind) : 0;
    return side.getAttribute("aria-pressed") === "true" ? -spot.box : spot.box;
  }

  /** @param {Spot} spot */
  function take(spot) {
    if ("board" in spot) position.board[spot.board] = 0;
    else if ("hand" in spot) position.hands[spot.hand][spot.kind]--;
  }

  /** @param {Spot} from @param {number} to */
  function toBoard(from, to) {
    change(() => {
      const piece = pieceAt(from);
      take(from);
      position.board[to] = piece;
    });
  }

  /** @param {Spot} from @param {number} color */
  function toHand(from, color) {
    const kind = UNPROMOTED[Math.abs(pieceAt(from))];
    if (!kind || kind === 8) return;
    change(() => {
      take(from);
      position.hands[color][kind]++;
    });
  }

  /** Turned over, given to the other side, turned over again. @param {number} at */
  function turnOver(at) {
    change(() => {
      const piece = position.board[at];
      const kind = Math.abs(piece);
      const sign = Math.sign(piece);
      if (PROMOTED[kind]) position.board[at] = sign * PROMOTED[kind];
      else position.board[at] = -sign * UNPROMOTED[kind];
    });
    pointing.choose({ board: at });
  }

  /** @param {Spot} from @param {Spot} to @returns {boolean} */
  function move(from, to) {
    if (!pieceAt(from) || "box" in to) return false;
    if ("board" in to) toBoard(from, to.board);
    else toHand(from, to.hand);
    return true;
  }

  root.addEventListener("pointerdown", (event) => {
    typing = false;
    const at = event.target instanceof Node && host.contains(event.target) ? board.squareAt(event) : null;
    if (at !== null) cursor = at;
  });
  for (const button of boxButtons()) {
    button.addEventListener("click", () => pointing.press({ box: Number(button.dataset.box) }));
  }
  root.querySelector("button.remove")?.addEventListener("click", () => {
    const spot = pointing.chosen();
    if (spot) change(() => take(spot));
  });
  side.addEventListener("click", () => {
    const white = side.getAttribute("aria-pressed") !== "true";
    side.setAttribute("aria-pressed", String(white));
    side.textContent = white ? "☖" : "☗";
  });
  root.querySelector("button.turn-toggle")?.addEventListener("click", () => {
    change(() => (position.turn = position.turn ? 0 : 1));
  });
  root.querySelector("button.flip")?.addEventListener("click", () => {
    flipped = !flipped;
    root.querySelector(".table")?.classList.toggle("flipped", flipped);
    board.flip(flipped);
    draw();
  });
  undo.addEventListener("click", () => {
    const last = before.pop();
    if (!last) return;
    position = fromSfen(last);
    pointing.release();
    changed();
  });
  root.querySelector("select.preset")?.addEventListener("change", (event) => {
    const menu = /** @type {HTMLSelectElement} */ (event.target);
    if (menu.value) change(() => (position = fromSfen(menu.value)));
    menu.value = "";
  });

  host.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const steps = /** @type {Record<string, number>} */ ({ ArrowLeft: -1, ArrowRight: 1, ArrowUp: -9, ArrowDown: 9 });
    const kind = LETTERS.indexOf(event.key.toLowerCase());
    typing = true;
    if (event.key in steps) moveCursor(flipped ? -steps[event.key] : steps[event.key]);
    else if (event.key === " " || event.key === "Enter") pointing.press({ board: cursor });
    else if (event.key === "Delete" || event.key === "Backspace") change(() => (position.board[cursor] = 0));
    else if (event.key === "+" && position.board[cursor]) turnOver(cursor);
    else if (event.key === "Escape") pointing.release();
    else if (kind > 0) change(() => (position.board[cursor] = event.shiftKey ? -kind : kind));
    else return;
    event.preventDefault();
    draw();
    say();
  });
  host.addEventListener("focus", draw);
  host.addEventListener("blur", () => {
    typing = true;
    draw();
  });

  /** @param {number} step */
  function moveCursor(step) {
    const column = (cursor % 9) + (step % 9);
    const next = cursor + step;
    if (next < 0 || next > 80 || (Math.abs(step) === 1 && (column < 0 || column > 8))) return;
    cursor = next;
  }

  function say() {
    const piece = position.board[cursor];
    const place = `${9 - (cursor % 9)}${(root.dataset.ranks || "")[Math.floor(cursor / 9)]}`;
    const word = pieceWord(Math.abs(piece), document.documentElement.lang === "ja");
    const name = piece ? (piece > 0 ? "☗" : "☖") + word : root.dataset.empty;
    news.textContent = `${place} ${name}`;
  }

  draw();
}
