// @ts-check
/**
 * Own moves from any ply of a game, on its board. A tried line hangs on the tree beside the record's lines;
 * nothing of it is stored or sent.
 */

import { moveOf } from "./position.js";
import { startPlaying, wordsOf } from "./playing.js";
import { tryMove } from "./tree.js";
import { showTried } from "./tried.js";

/** @typedef {import("./replay.js").Replay} Replay */
/** @typedef {import("./tree.js").Node} Node */
/** @typedef {import("./playing.js").Legal} Legal */

const MARKS = ["▲", "△"];

/**
 * @param {Replay} replay
 * @returns {{tryUsi: (usi: string) => void}}
 */
export function startTrials(replay) {
  const { root, board } = replay;
  const playing = startPlaying({
    root,
    board,
    legalUrl: root.dataset.legalUrl || "",
    position: () => replay.position,
    here: replay.shown,
    play: ({ usi }) => void tryUsi(usi),
    swiped: true,
  });

  /** @param {string} usi */
  async function tryUsi(usi) {
    const node = replay.shown();
    const known = node.children.find((child) => child.move && sameMove(child, usi, replay));
    if (known) {
      replay.go(known);
      return;
    }
    const moves = await playing.legal();
    const found = moves.find((move) => move.usi === usi);
    if (!found || node !== replay.shown()) return;
    const text = wordsOf(replay.position, found, moves.map((move) => move.usi));
    const move = moveOf(replay.position, usi);
    replay.go(tryMove(replay.nodes, node, move, { usi, text: markedText(move.color, text) }));
  }

  showTried(replay);
  replay.onShow(playing.release);
  replay.onSettle(playing.refill);
  return { tryUsi };
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
