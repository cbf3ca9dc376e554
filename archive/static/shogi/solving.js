// @ts-check
/**
 * Problems are solved on the board: the reader's move is compared with the record, whose reply is played. Hints come
 * one after the other; the solution is the record's own list. In the same way readers guess the moves of a game, of
 * one side or of both: what they found at the first attempt is kept in this browser.
 */

import { isMove } from "./playing.js";
import { fromSfen, square } from "./position.js";

/** @typedef {import("../archive/js/tree.js").Node} Node */

/** Milliseconds after which the reply is played: long enough to see one's own move. */
const REPLY = 450;
/** The sides whose moves are guessed; null for both. @type {Record<string, number | null>} */
const GUESSED = { black: 0, white: 1, both: null };

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
  const guess = place.dataset.guess || "";
  /** The side that solves: the one that moves first in the record, or whose moves are guessed. */
  const solver = guess ? GUESSED[guess] : (fromSfen(root.dataset.start || "").turn + first.played) % 2;
  const score = guess ? startScore(place) : null;
  let hinted = 0;

  /** @param {string} name of the text, in the page's language @param {string} [more] */
  function say(name, more = "") {
    news.textContent = (news.dataset[name] || "") + more;
    news.classList.toggle("wrong", name === "wrong");
    news.classList.toggle("solved", name === "solved");
  }

  /** @returns {Node[]} the continuations of the shown node in the record; none if the other side is to move */
  function solutions() {
    if ((solver !== null && replay.position.turn !== solver) || replay.shown.tried) return [];
    return guess ? movesAfter(replay.shown).slice(0, 1) : movesAfter(replay.shown);
  }

  /** @param {Node} after @param {Node | undefined} node */
  function reply(after, node) {
    if (node) setTimeout(() => replay.shown === after && replay.go(node), REPLY);
  }

  /** @param {string} usi @returns {boolean} */
  function judge(usi) {
    const nodes = solution?.open ? [] : solutions();
    if (!nodes.length) return false;
    const node = nodes.find((node) => isMove(node, usi));
    score?.count(nodes[0].ply, Boolean(node) && !hinted);
    if (!node) {
      say("wrong");
      return true;
    }
    replay.go(node);
    const next = movesAfter(node)[0];
    const last = solver === null ? !next : !next || !movesAfter(next).length;
    say(last ? "solved" : "right");
    if (solver !== null) reply(node, next);
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
  if (guess && solver !== null && replay.position.turn !== solver) reply(replay.shown, movesAfter(replay.shown)[0]);
  return { judge };
}

/**
 * Count the moves that were found at the first attempt, by ply, and show them.
 * @param {HTMLElement} place
 */
function startScore(place) {
  const key = `guessed ${location.pathname}`;
  const shown = /** @type {HTMLElement} */ (place.querySelector(".guess-score"));
  /** @type {Record<string, boolean>} */
  let found = {};
  try {
    found = JSON.parse(localStorage.getItem(key) || "{}");
  } catch {
    // A browser without storage remembers nothing.
  }
  function show() {
    const attempts = Object.values(found);
    shown.hidden = !attempts.length;
    shown.textContent = `${shown.dataset.text} ${attempts.filter(Boolean).length} / ${attempts.length}`;
  }
  show();
  return {
    /** @param {number} ply @param {boolean} right */
    count(ply, right) {
      if (ply in found) return;
      found[ply] = right;
      try {
        localStorage.setItem(key, JSON.stringify(found));
      } catch {
        // As above.
      }
      show();
    },
  };
}

/** @param {Node} node @returns {Node[]} */
function movesAfter(node) {
  return node.children.filter((child) => child.move && !child.tried);
}
