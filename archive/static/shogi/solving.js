// @ts-check
/**
 * Problems are solved on the board: the reader's move is compared with the record, whose reply is played. Hints come
 * one after the other; the solution is the record's own list. In the same way readers guess the moves of a game, of
 * one side or of both, or look for a better one than the game's: what they found at the first attempt is kept in this
 * browser.
 */

import { isMove } from "./playing.js";
import { fromSfen, square, squareOf } from "./position.js";

/** @typedef {import("../archive/js/tree.js").Node} Node */
/** @typedef {{from: number | null, to: number, label: string}} Answer squares of a move, no `from` for a drop */

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
  const say = sayIn(/** @type {HTMLElement} */ (place.querySelector(".solve-news")));
  const hint = /** @type {HTMLButtonElement} */ (place.querySelector("button.hint"));
  const guess = place.dataset.guess || "";
  /** The side that solves: the one that moves first in the record, or whose moves are guessed. */
  const solver = guess ? GUESSED[guess] : (fromSfen(root.dataset.start || "").turn + first.played) % 2;
  const score = guess || place.dataset.accepted ? startScore(place) : null;
  const problem = place.dataset.accepted ? acceptedIn(replay, place) : null;
  let hinted = 0;

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
    if (problem) return judgeAccepted(solution?.open ? null : problem.judge(usi));
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

  /** @param {boolean | null} right null for a move that is only tried, as are those that are accepted @returns {boolean} */
  function judgeAccepted(right) {
    if (right === null) return false;
    score?.count(replay.shown.ply + 1, right && !hinted);
    say(right ? "solved" : "wrong");
    return !right;
  }

  /** @returns {Answer | null} the move that a hint is about */
  const answer = () => (problem ? problem.answer() : answerOf(replay, solutions()[0]));

  /** First the piece that moves, then its target. */
  function giveHint() {
    const move = answer();
    if (!move) return;
    hinted++;
    replay.board.mark(move.from, hinted > 1 ? [move.to] : []);
    if (hinted > 1) say("move", move.label);
    else say(move.from === null ? "drop" : "from");
  }

  hint.addEventListener("click", giveHint);
  solution.addEventListener("toggle", () => (place.hidden = solution.open));
  replay.onShow((node) => {
    if (hinted) replay.board.mark(null, []);
    hinted = 0;
    hint.disabled = !answer();
    if (problem ? problem.isShown() : !node.ply) say("begin");
  });
  hint.disabled = !answer();
  if (guess && solver !== null && replay.position.turn !== solver) reply(replay.shown, movesAfter(replay.shown)[0]);
  return { judge };
}

/** @param {HTMLElement} news @returns {(name: string, more?: string) => void} says a text of the page, by its name */
function sayIn(news) {
  return (name, more = "") => {
    news.textContent = (news.dataset[name] || "") + more;
    news.classList.toggle("wrong", name === "wrong");
    news.classList.toggle("solved", name === "solved");
  };
}

/** @param {import("../archive/js/replay.js").Replay} replay @param {Node | undefined} node @returns {Answer | null} */
function answerOf(replay, node) {
  const move = node?.move;
  if (!node || !move) return null;
  return { from: move.from ? square(move.from) : null, to: square(move.to), label: ` ${replay.labelOf(node)}` };
}

/**
 * A position in which some moves are accepted, whatever the record has.
 * @param {import("../archive/js/replay.js").Replay} replay @param {HTMLElement} place
 */
function acceptedIn(replay, place) {
  const accepted = (place.dataset.accepted || "").split(" ");
  const isShown = () => replay.shown.key === place.dataset.asked;
  return {
    isShown,
    /** @param {string} usi @returns {boolean | null} whether it is accepted; null elsewhere, where moves are only tried */
    judge: (usi) => (isShown() ? accepted.includes(usi) : null),
    /** @returns {Answer | null} */
    answer() {
      const from = accepted[0][1] === "*" ? null : squareOf(accepted[0].slice(0, 2));
      return isShown() ? { from, to: squareOf(accepted[0].slice(2, 4)), label: "" } : null;
    },
  };
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
