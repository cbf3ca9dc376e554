// @ts-check
/**
 * Own moves from any ply: a tap on a piece shows where it may go, a second tap plays. The rules are the server's.
 * A tried line hangs on the tree beside the record's lines; nothing of it is stored or sent.
 */

import { encode } from "./shogi64.js";
import { moveOf, western } from "./position.js";
import { tryMove } from "./tree.js";
import { showTried } from "./tried.js";

/** @typedef {import("./replay.js").Replay} Replay */
/** @typedef {import("./tree.js").Node} Node */
/** @typedef {{usi: string, text: string}} Legal */

const KIND_LETTERS = ["", "P", "L", "N", "S", "G", "B", "R"];
const MARKS = ["▲", "△"];

/**
 * @param {Replay} replay
 * @returns {{tryUsi: (usi: string) => void}}
 */
export function startTrials(replay) {
  const { root, board } = replay;
  const host = /** @type {HTMLElement} */ (root.querySelector(".board-host"));
  const choice = /** @type {HTMLElement} */ (root.querySelector(".promotion"));
  const menu = /** @type {HTMLSelectElement} */ (root.querySelector("select.legal"));
  /** @type {Map<string, Promise<Legal[]>>} */
  const answers = new Map();
  /** The first half of a move in USI: `7g`, or `P*`. */
  let chosen = "";

  /** @returns {Promise<Legal[]>} */
  function legalMoves() {
    const code = encode(replay.position);
    if (!code) return Promise.resolve([]);
    const known = answers.get(code);
    if (known) return known;
    const answer = ask((root.dataset.legalUrl || "").replace("CODE", code));
    answers.set(code, answer);
    answer.catch(() => answers.delete(code));
    return answer;
  }

  /** @param {string} half @param {number | null} at */
  async function choose(half, at) {
    const node = replay.shown();
    // At once, so that a second tap before the legal moves have come is the move's other half.
    chosen = half;
    const moves = (await legalMoves()).filter(({ usi }) => usi.startsWith(half));
    if (node !== replay.shown() || chosen !== half) return;
    chosen = moves.length ? half : "";
    board.mark(moves.length ? at : null, [...new Set(moves.map(({ usi }) => squareOf(usi.slice(2, 4))))]);
  }

  function release() {
    chosen = "";
    choice.hidden = true;
    board.mark(null, []);
  }

  /** @param {string} half the origin @param {number} to */
  async function finish(half, to) {
    const wanted = half + nameOf(to);
    const moves = (await legalMoves()).filter(({ usi }) => usi.startsWith(wanted));
    release();
    if (moves.length > 1) askPromotion(moves);
    else if (moves.length) await tryUsi(moves[0].usi);
    return moves.length > 0;
  }

  /** @param {Legal[]} moves with and without promotion */
  function askPromotion(moves) {
    const buttons = /** @type {HTMLButtonElement[]} */ ([...choice.querySelectorAll("button")]);
    for (const button of buttons) {
      const promotes = button.dataset.promote === "1";
      button.onclick = () => {
        release();
        const move = moves.find(({ usi }) => usi.endsWith("+") === promotes);
        if (move) tryUsi(move.usi);
      };
    }
    choice.hidden = false;
    buttons[0]?.focus();
  }

  /** @param {string} usi */
  async function tryUsi(usi) {
    const node = replay.shown();
    const known = node.children.find((child) => child.move && sameMove(child, usi, replay));
    if (known) {
      replay.go(known);
      return;
    }
    const moves = await legalMoves();
    const found = moves.find((move) => move.usi === usi);
    if (!found || node !== replay.shown()) return;
    const text = document.documentElement.lang === "ja"
      ? found.text : western(replay.position, usi, moves.map((move) => move.usi));
    const move = moveOf(replay.position, usi);
    replay.go(tryMove(replay.nodes, node, move, { usi, text: markedText(move.color, text) }));
  }

  async function fillMenu() {
    const node = replay.shown();
    const moves = await legalMoves();
    if (node !== replay.shown()) return;
    const usis = moves.map((move) => move.usi);
    const japanese = document.documentElement.lang === "ja";
    menu.replaceChildren(menu.options[0], ...moves.map(({ usi, text }) =>
      new Option(japanese ? text : western(replay.position, usi, usis), usi)));
  }

  host.addEventListener("click", async (event) => {
    const at = board.squareAt(event);
    if (at === null) return release();
    if (chosen && (await finish(chosen, at))) return;
    const piece = replay.position.board[at];
    if (piece && (piece < 0) === (replay.position.turn === 1)) choose(nameOf(at), at);
    else release();
  });
  for (const [color, side] of ["black", "white"].entries()) {
    root.querySelector(`.seat.${side} .hand-host`)?.addEventListener("click", (event) => {
      const piece = event.target instanceof Element && event.target.closest("[data-kind]");
      const kind = piece instanceof SVGElement ? Number(piece.dataset.kind) : 0;
      if (kind && replay.position.turn === color) choose(`${KIND_LETTERS[kind]}*`, null);
    });
  }
  menu.addEventListener("focus", fillMenu);
  replay.onSettle(() => {
    if (document.activeElement === menu) fillMenu();
  });
  // Where the arrow keys choose in a closed menu, the first press would play the first move.
  menu.addEventListener("keydown", (event) => {
    if (event.altKey || !["ArrowUp", "ArrowDown"].includes(event.key) || !("showPicker" in menu)) return;
    event.preventDefault();
    menu.showPicker();
  });
  menu.addEventListener("change", () => {
    if (menu.value) tryUsi(menu.value);
    menu.value = "";
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") release();
  });
  showTried(replay);
  replay.onShow(() => {
    if (chosen || !choice.hidden) release();
    if (menu.options.length > 1) menu.replaceChildren(menu.options[0]);
  });
  return { tryUsi };
}

/** @param {string} address @returns {Promise<Legal[]>} */
async function ask(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
  return (await answer.json()).moves;
}

/** @param {number} color @param {string} text @returns {string} */
function markedText(color, text) {
  return text.startsWith(MARKS[0]) || text.startsWith(MARKS[1]) ? text : MARKS[color] + text;
}

/** @param {Node} child @param {string} usi @param {Replay} replay @returns {boolean} */
function sameMove(child, usi, replay) {
  if (child.usi) return child.usi === usi;
  const move = moveOf(replay.position, usi);
  const { from, to, piece, promote } = /** @type {import("./position.js").Move} */ (child.move);
  return to.x === move.to.x && to.y === move.to.y && piece === move.piece && from?.x === move.from?.x &&
    from?.y === move.from?.y && Boolean(promote) === Boolean(move.promote);
}

/** @param {number} at @returns {string} */
function nameOf(at) {
  return `${9 - (at % 9)}${"abcdefghi"[Math.floor(at / 9)]}`;
}

/** @param {string} name @returns {number} */
function squareOf(name) {
  return "abcdefghi".indexOf(name[1]) * 9 + 9 - Number(name[0]);
}
