// @ts-check
/** Own moves from any ply of a game of Quoridor, on its board: nothing of them is stored or sent. */

import { tryMove } from "../archive/js/tree.js";
import { askedMoves, showTried } from "../archive/js/tried.js";
import { packed } from "./kit.js";
import { moveAt } from "./pointing.js";
import { copy, cutOffBy, fault, name, PAWN, pawnMoves, play as applied, readName, winner } from "./rules.js";
import { isJapanese, refusal } from "./words.js";

/** As kifu_core/quoridor/texts.py has them. */
const MARKS = ["♙", "♟\ufe0e"];

/**
 * @param {import("../archive/js/replay.js").Replay} replay
 * @returns {{play: (text: string) => void}} plays a move by its name
 */
export function startTrials(replay) {
  const { root, board } = replay;
  const host = /** @type {HTMLElement} */ (root.querySelector(".board-host"));
  /** @type {number | null} */
  let chosen = null;

  /** @param {MouseEvent} event @returns {number | null} */
  function pointed(event) {
    if (winner(replay.position) !== null) return null;
    return moveAt(board.pointAt(event), pawnMoves(replay.position), isTouch(event));
  }

  /** @param {number | null} move */
  function preview(move) {
    board.ghost(move, move !== null && !fault(replay.position, move));
  }

  /** @param {number} move */
  function play(move) {
    const node = replay.shown;
    const existing = node.children.find((child) => child.move && packed(/** @type {any} */ (child.move)) === move);
    const broken = fault(replay.position, move);
    if (existing) replay.go(existing);
    else if (broken) replay.announce(refusal(broken, move, cutOffs(broken, move), isJapanese(root)));
    else {
      const { turn } = replay.position;
      const words = { name: name(move), text: MARKS[turn] + name(move) };
      replay.go(tryMove(replay.nodes, node, /** @type {any} */ (objectOf(move, replay.position)), words));
    }
  }

  /** @param {string} broken @param {number} move @returns {number[]} */
  function cutOffs(broken, move) {
    return broken === "no-path" ? cutOffBy(replay.position, move) : [];
  }

  host.addEventListener("pointermove", (event) => {
    if (!isTouch(event)) preview(pointed(event));
  });
  host.addEventListener("pointerleave", () => preview(chosen));
  host.addEventListener("click", (event) => {
    const move = pointed(event);
    if (move === null) return;
    // A finger hides what it points at: a wall is shown first, a second touch places it.
    const shows = isTouch(event) && !(move & PAWN) && move !== chosen;
    if (!shows) play(move);
    chosen = shows && !fault(replay.position, move) ? move : null;
    if (shows) preview(move);
  });
  replay.onShow(() => {
    chosen = null;
    board.ghost(null);
  });
  /** The line of own moves in the page's address. */
  function goOn() {
    const position = copy(replay.position);
    let node = replay.shown;
    for (const { move: name, text } of askedMoves()) {
      const move = readName(name) || 0;
      const existing = node.children.find((child) => child.move && packed(/** @type {any} */ (child.move)) === move);
      node = existing || tryMove(replay.nodes, node, /** @type {any} */ (objectOf(move, position)), { name, text });
      applied(position, move);
    }
    replay.go(node);
  }

  showTried(replay);
  goOn();
  return { play: (text) => play(readName(text) || 0) };
}

/**
 * @param {number} move
 * @param {import("./rules.js").Position} position before it
 * @returns {import("./kit.js").Move} as records have it
 */
function objectOf(move, { pawns, turn }) {
  if (!(move & PAWN)) return { color: turn, wall: name(move) };
  return { color: turn, from: name(PAWN + pawns[turn]), to: name(move) };
}

/** @param {MouseEvent} event @returns {boolean} */
function isTouch(event) {
  return event instanceof PointerEvent && event.pointerType !== "mouse";
}
