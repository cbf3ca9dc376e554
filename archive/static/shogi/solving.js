// @ts-check
/**
 * Problems are solved on the board: the reader's move is compared with the record, whose reply is played. Hints come
 * one after the other; the solution is the record's own list.
 */

import { isMove } from "./playing.js";
import { fromSfen, square } from "./position.js";

/** @typedef {import("../archive/js/tree.js").Node} Node */

/** Milliseconds after which the reply is played: long enough to see one's own move. */
const REPLY = 450;

/**
 * @param {import("../archive/js/replay.js").Replay} replay
 * @returns {{judge: (usi: string) => boolean} | null} null for games that are no problems; whether a move of the reader
 *   has been judged, and is not one that is only tried
 */
export function startSolving(replay) {
  const { root, first } = replay;
  const place = /** @type {HTMLElement | null} */ (root.querySelector(".solve"));
  const solution = /** @type {HTMLDetailsElement | null} */ (root.querySelector("details.solution"));
  if (!place || !solution) return null;
  const news = /** @type {HTMLElement} */ (place.querySelector(".solve-news"));
  const hint = /** @type {HTMLButtonElement} */ (place.querySelector("button.hint"));
  /** The side that solves: the one that moves first in the record. */
  const solver = (fromSfen(root.dataset.start || "").turn + first.played) % 2;
  let hinted = 0;

  /** @param {string} name of the text, in the page's language @param {string} [more] */
  function say(name, more = "") {
    news.textContent = (news.dataset[name] || "") + more;
    news.classList.toggle("wrong", name === "wrong");
    news.classList.toggle("solved", name === "solved");
  }

  /** @returns {Node[]} the continuations of the shown node in the record; none if the other side is to move */
  function solutions() {
    if (replay.position.turn !== solver || replay.shown.tried) return [];
    return movesAfter(replay.shown);
  }

  /** @param {string} usi @returns {boolean} */
  function judge(usi) {
    const nodes = solution?.open ? [] : solutions();
    if (!nodes.length) return false;
    const node = nodes.find((node) => isMove(node, usi));
    if (!node) {
      say("wrong");
      return true;
    }
    replay.go(node);
    const reply = movesAfter(node)[0];
    say(reply && movesAfter(reply).length ? "right" : "solved");
    if (reply) setTimeout(() => replay.shown === node && replay.go(reply), REPLY);
    return true;
  }

  /** First the piece that moves, then its target. */
  function giveHint() {
    const node = solutions()[0];
    const move = node?.move;
    if (!move) return;
    const from = move.from ? square(move.from) : null;
    hinted++;
    replay.board.mark(from, hinted > 1 ? [square(move.to)] : []);
    if (hinted > 1) say("move", ` ${replay.labelOf(node)}`);
    else say(move.from ? "from" : "drop");
  }

  hint.addEventListener("click", giveHint);
  solution.addEventListener("toggle", () => (place.hidden = solution.open));
  replay.onShow((node) => {
    if (hinted) replay.board.mark(null, []);
    hinted = 0;
    hint.disabled = !solutions().length;
    if (!node.ply) say("begin");
  });
  hint.disabled = !solutions().length;
  return { judge };
}

/** @param {Node} node @returns {Node[]} */
function movesAfter(node) {
  return node.children.filter((child) => child.move && !child.tried);
}
