// @ts-check
/**
 * Moves by the rules on a board of shogi: legal targets, promotion, drops, and a menu of all moves for those who
 * have no pointer. The replay, its problems and the explorer are played on with it. The rules are the server's.
 */

import { cached } from "../archive/js/cached.js";
import { squareOf, usiOf, usiSquare, western } from "./position.js";
import { Pointing } from "./pointing.js";
import { encode } from "./shogi64.js";

/** @typedef {import("./pointing.js").Spot} Spot */
/** @typedef {{move: string, text: string, code: string}} Legal a move, in Japanese, and where it leads */

const KIND_LETTERS = ["", "P", "L", "N", "S", "G", "B", "R"];
const CACHE_SIZE = 300;

/**
 * @typedef {object} Game
 * @property {HTMLElement} root with `.table`, `.board-host`, the hands, `.promotion` and `select.legal`
 * @property {import("./board.js").Board} board
 * @property {string} legalUrl the address of a position's legal moves, with CODE in it
 * @property {() => import("./position.js").Position} position
 * @property {() => unknown} here what is shown; where it has changed meanwhile, an answer comes too late
 * @property {(move: Legal, legal: Legal[]) => void} play
 * @property {boolean} [swiped] whether fingers swipe over the board
 */

/** A board that is played on by the rules. */
export class Playing {
  /** @param {Game} game */
  constructor({ root, board, legalUrl, position, here, play, swiped }) {
    this.root = root;
    this.board = board;
    this.position = position;
    this.here = here;
    this.play = play;
    this.area = /** @type {HTMLElement} */ (root.querySelector(".table"));
    this.choice = /** @type {HTMLElement} */ (this.root.querySelector(".promotion"));
    const hands = /** @type {HTMLElement[]} */ (
      ["black", "white"].map((side) => root.querySelector(`.seat.${side} .hand-host`)));
    const host = /** @type {HTMLElement} */ (root.querySelector(".board-host"));
    this.legalMoves = cached((code) => fetchLegal(legalUrl.replace("CODE", code)), CACHE_SIZE);
    this.pointing = new Pointing({ area: this.area, host, hands, board, swiped }, {
      pieceAt: (spot) => this.pieceAt(spot),
      targets: (spot) => this.targets(spot),
      move: (from, to) => this.move(from, to),
    });
    this.menu = menuIn(this.root);
    this.listen();
  }

  /** @returns {Promise<Legal[]>} the legal moves of the shown position */
  legal() {
    const code = encode(this.position());
    return code ? this.legalMoves(code) : Promise.resolve([]);
  }

  /** @param {Spot} spot @returns {number} */
  pieceAt(spot) {
    const { board: squares, hands: held, turn } = this.position();
    if ("hand" in spot) return spot.hand === turn && held[turn][spot.kind] ? (turn ? -spot.kind : spot.kind) : 0;
    const piece = "board" in spot ? squares[spot.board] : 0;
    return (piece < 0) === (turn === 1) ? piece : 0;
  }

  /** @param {Spot} spot */
  async targets(spot) {
    const moves = await this.movesFrom(halfOf(spot));
    return [...new Set(moves.map((one) => squareOf(one.move.slice(2, 4))))];
  }

  /** @param {string} half @returns {Promise<Legal[]>} none where the server does not answer */
  async movesFrom(half) {
    const moves = await this.legal().catch(() => /** @type {Legal[]} */ ([]));
    return moves.filter((one) => one.move.startsWith(half));
  }

  /** @param {Spot} from @param {Spot} to @returns {Promise<boolean>} */
  async move(from, to) {
    if (!("board" in to)) return false;
    const before = this.here();
    const moves = await this.movesFrom(halfOf(from) + usiSquare(to.board));
    if (before !== this.here()) return true;
    if (!moves.length) return false;
    const all = await this.legal();
    this.release();
    if (moves.length > 1) this.askPromotion(moves, all);
    else this.play(moves[0], all);
    return true;
  }

  /** @param {Legal[]} moves with and without promotion @param {Legal[]} all */
  askPromotion(moves, all) {
    const buttons = /** @type {HTMLButtonElement[]} */ ([...this.choice.querySelectorAll("button")]);
    for (const button of buttons) {
      const promotes = button.dataset.promote === "1";
      button.onclick = () => {
        this.choice.hidden = true;
        const move = moves.find((one) => one.move.endsWith("+") === promotes);
        if (move) this.play(move, all);
      };
    }
    this.choice.hidden = false;
    buttons[0]?.focus();
  }

  /** Cancels an unfinished move; called when another position is shown. */
  release() {
    this.pointing.release();
    this.choice.hidden = true;
    if (this.menu && this.menu.options.length > 1) this.menu.replaceChildren(this.menu.options[0]);
  }

  async fillMenu() {
    const before = this.here();
    const moves = await this.movesFrom("");
    if (before !== this.here() || !this.menu) return;
    const usis = moves.map((one) => one.move);
    const options = moves.map((one) => new Option(wordsOf(this.position(), one, usis), one.move));
    this.menu.replaceChildren(this.menu.options[0], ...options);
  }

  /** Takes the menu up again after the page's parts have changed. */
  renew() {
    this.menu = menuIn(this.root);
    this.menu?.addEventListener("focus", () => this.fillMenu());
    // Where the arrow keys choose in a closed menu, the first press would play the first move.
    this.menu?.addEventListener("keydown", (event) => {
      const isArrow = ["ArrowUp", "ArrowDown"].includes(event.key) && !event.altKey;
      if (!isArrow || !this.menu || !("showPicker" in this.menu)) return;
      event.preventDefault();
      this.menu.showPicker();
    });
    this.menu?.addEventListener("change", async () => {
      const name = this.menu?.value;
      const moves = await this.legal();
      const move = moves.find((one) => one.move === name);
      if (this.menu) this.menu.value = "";
      if (move) this.play(move, moves);
    });
    this.refill();
  }

  /** Fills the menu where it is in use; to be called when the position stays. */
  refill() {
    if (this.menu && document.activeElement === this.menu) this.fillMenu();
  }

  listen() {
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.choice.hidden = true;
    });
    this.area.addEventListener("pointerenter", () => void this.legal().catch(() => []));
    this.area.classList.add("played-on");
    this.renew();
  }
}

/** @param {HTMLElement} root @returns {HTMLSelectElement | null} */
function menuIn(root) {
  return root.querySelector("select.legal");
}

/** @param {Spot} spot @returns {string} the first half of its moves in USI: `7g`, or `P*` */
function halfOf(spot) {
  if ("board" in spot) return usiSquare(spot.board);
  return "hand" in spot ? `${KIND_LETTERS[spot.kind]}*` : "";
}

/**
 * A move as the page's language writes it, without its side.
 * @param {import("./position.js").Position} position before the move
 * @param {Legal} move
 * @param {string[]} legal all legal moves in USI
 * @returns {string}
 */
export function wordsOf(position, { move, text }, legal) {
  return document.documentElement.lang === "ja" ? text : western(position, move, legal);
}

/** @param {import("../archive/js/tree.js").Node} node @param {string} usi @returns {boolean} whether this move leads to the node */
export function isMove(node, usi) {
  return node.name ? node.name === usi : Boolean(node.move) && usiOf(/** @type {any} */ (node.move)) === usi;
}

/** @param {string} address @returns {Promise<Legal[]>} */
async function fetchLegal(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
  return (await answer.json()).moves;
}
