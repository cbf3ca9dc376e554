// @ts-check
/**
 * Moves by the rules on a board of shogi: legal targets, promotion, drops, and a menu of all moves for those who
 * have no pointer. The replay, its problems and the explorer are played on with it. The rules are the server's.
 */

import { squareOf, usiOf, usiSquare, western } from "./position.js";
import { startPointing } from "./pointing.js";
import { encode } from "./shogi64.js";

/** @typedef {import("./pointing.js").Spot} Spot */
/** @typedef {{usi: string, text: string, code: string}} Legal a move, in Japanese, and where it leads */

const KIND_LETTERS = ["", "P", "L", "N", "S", "G", "B", "R"];
const KEPT = 300;

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

/**
 * @typedef {object} Playing
 * @property {() => Promise<Legal[]>} legal the legal moves of what is shown
 * @property {() => void} release lets go of what was begun; to be called when another position is shown
 * @property {() => void} refill fills the menu where it is in use; to be called when that position stays
 * @property {() => void} renew takes the menu up again after the page's parts have changed
 */

/**
 * @param {Game} game
 * @returns {Playing}
 */
export function startPlaying({ root, board, legalUrl, position, here, play, swiped }) {
  const area = /** @type {HTMLElement} */ (root.querySelector(".table"));
  const choice = /** @type {HTMLElement} */ (root.querySelector(".promotion"));
  const hands = /** @type {HTMLElement[]} */ (["black", "white"].map((side) => root.querySelector(`.seat.${side} .hand-host`)));
  const host = /** @type {HTMLElement} */ (root.querySelector(".board-host"));
  /** @type {Map<string, Promise<Legal[]>>} */
  const answers = new Map();
  const pointing = startPointing({ area, host, hands, board, swiped }, { pieceAt, targets, move });
  let menu = menuIn(root);

  /** @returns {Promise<Legal[]>} */
  function legal() {
    const code = encode(position());
    if (!code) return Promise.resolve([]);
    const known = answers.get(code);
    if (known) return known;
    if (answers.size >= KEPT) answers.clear();
    const answer = ask(legalUrl.replace("CODE", code));
    answers.set(code, answer);
    answer.catch(() => answers.delete(code));
    return answer;
  }

  /** @param {Spot} spot @returns {number} */
  function pieceAt(spot) {
    const { board: squares, hands: held, turn } = position();
    if ("hand" in spot) return spot.hand === turn && held[turn][spot.kind] ? (turn ? -spot.kind : spot.kind) : 0;
    const piece = "board" in spot ? squares[spot.board] : 0;
    return (piece < 0) === (turn === 1) ? piece : 0;
  }

  /** @param {Spot} spot */
  async function targets(spot) {
    const moves = await movesFrom(halfOf(spot));
    return [...new Set(moves.map(({ usi }) => squareOf(usi.slice(2, 4))))];
  }

  /** @param {string} half @returns {Promise<Legal[]>} none where the server does not answer */
  async function movesFrom(half) {
    const moves = await legal().catch(() => /** @type {Legal[]} */ ([]));
    return moves.filter(({ usi }) => usi.startsWith(half));
  }

  /** @param {Spot} from @param {Spot} to @returns {Promise<boolean>} */
  async function move(from, to) {
    if (!("board" in to)) return false;
    const before = here();
    const moves = await movesFrom(halfOf(from) + usiSquare(to.board));
    if (before !== here()) return true;
    if (!moves.length) return false;
    const all = await legal();
    release();
    if (moves.length > 1) askPromotion(moves, all);
    else play(moves[0], all);
    return true;
  }

  /** @param {Legal[]} moves with and without promotion @param {Legal[]} all */
  function askPromotion(moves, all) {
    const buttons = /** @type {HTMLButtonElement[]} */ ([...choice.querySelectorAll("button")]);
    for (const button of buttons) {
      const promotes = button.dataset.promote === "1";
      button.onclick = () => {
        choice.hidden = true;
        const found = moves.find(({ usi }) => usi.endsWith("+") === promotes);
        if (found) play(found, all);
      };
    }
    choice.hidden = false;
    buttons[0]?.focus();
  }

  function release() {
    pointing.release();
    choice.hidden = true;
    if (menu && menu.options.length > 1) menu.replaceChildren(menu.options[0]);
  }

  async function fillMenu() {
    const before = here();
    const moves = await movesFrom("");
    if (before !== here() || !menu) return;
    const usis = moves.map(({ usi }) => usi);
    menu.replaceChildren(menu.options[0], ...moves.map((one) => new Option(wordsOf(position(), one, usis), one.usi)));
  }

  function renew() {
    menu = menuIn(root);
    menu?.addEventListener("focus", fillMenu);
    // Where the arrow keys choose in a closed menu, the first press would play the first move.
    menu?.addEventListener("keydown", (event) => {
      if (event.altKey || !["ArrowUp", "ArrowDown"].includes(event.key) || !menu || !("showPicker" in menu)) return;
      event.preventDefault();
      menu.showPicker();
    });
    menu?.addEventListener("change", async () => {
      const wanted = menu?.value;
      const moves = await legal();
      const found = moves.find(({ usi }) => usi === wanted);
      if (menu) menu.value = "";
      if (found) play(found, moves);
    });
    refill();
  }

  function refill() {
    if (menu && document.activeElement === menu) fillMenu();
  }

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") choice.hidden = true;
  });
  area.addEventListener("pointerenter", () => void legal().catch(() => []));
  area.classList.add("played-on");
  renew();
  return { legal, release, refill, renew };
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
export function wordsOf(position, { usi, text }, legal) {
  return document.documentElement.lang === "ja" ? text : western(position, usi, legal);
}

/** @param {import("../archive/js/tree.js").Node} node @param {string} usi @returns {boolean} whether this move leads to the node */
export function isMove(node, usi) {
  return node.usi ? node.usi === usi : Boolean(node.move) && usiOf(/** @type {any} */ (node.move)) === usi;
}

/** @param {string} address @returns {Promise<Legal[]>} */
async function ask(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
  return (await answer.json()).moves;
}
