// @ts-check
/**
 * Own moves from any ply of a game, on its board. A tried line is a branch of the tree;
 * nothing of it is stored or sent.
 */

import { fromSfen, moveOf, play, toSfen } from "./position.js";
import { isMove, Playing, wordsOf } from "./playing.js";
import { startSolving } from "./solving.js";
import { lineOf, linkEngineLines } from "../archive/js/thoughts.js";
import { lineTo, recorded, tryMove } from "../archive/js/tree.js";
import { askedMoves, showTried } from "../archive/js/tried.js";

/** @typedef {import("../archive/js/replay.js").Replay} Replay */
/** @typedef {import("../archive/js/tree.js").Node} Node */
/** @typedef {import("./playing.js").Legal} Legal */

const MARKS = ["▲", "△"];

/**
 * @param {Replay} replay
 * @returns {{play: (usi: string) => void}}
 */
export function startTrials(replay) {
  const { root, board } = replay;
  const solving = startSolving(replay);
  const playing = new Playing({
    root,
    board,
    legalUrl: root.dataset.legalUrl || "",
    position: () => replay.position,
    here: () => replay.shown,
    play: ({ move: usi }) => {
      if (!solving?.judge(usi)) tryUsi(usi);
    },
    swiped: true,
  });

  /** @param {string} usi */
  async function tryUsi(usi) {
    const node = replay.shown;
    const existing = node.children.find((child) => isMove(child, usi));
    if (existing) {
      replay.go(existing);
      return;
    }
    const moves = await playing.legal();
    const legal = moves.find((one) => one.move === usi);
    if (!legal || node !== replay.shown) return;
    const text = wordsOf(replay.position, legal, moves.map((one) => one.move));
    const move = moveOf(replay.position, usi);
    replay.go(tryMove(replay.nodes, node, move, { name: usi, text: markedText(move.color, text) }));
  }

  /** The line of own moves in the page's address. */
  function goOn() {
    follow(replay, askedMoves().map(({ move: name, text }) => ({ name, text })));
  }

  followLines(replay);
  showTried(replay);
  goOn();
  replay.onShow(() => playing.release());
  replay.onSettle(() => playing.refill());
  return { play: tryUsi };
}

/**
 * Plays moves from the shown node; those that the record lacks become a tried line.
 * @param {Replay} replay
 * @param {{name: string, text: string}[]} line
 */
export function follow(replay, line) {
  const position = fromSfen(toSfen(replay.position, 1));
  let node = replay.shown;
  for (const words of line) {
    const move = moveOf(position, words.name);
    node = node.children.find((child) => isMove(child, words.name)) || tryMove(replay.nodes, node, move, words);
    play(position, move);
  }
  replay.go(node);
}

/** @param {number} color @param {string} text @returns {string} */
function markedText(color, text) {
  return text.startsWith(MARKS[0]) || text.startsWith(MARKS[1]) ? text : MARKS[color] + text;
}

/** Moves of engines' lines are played on the board. @param {Replay} replay */
function followLines(replay) {
  const { root } = replay;
  const asked = replay.nodes.get(root.querySelector(".solve")?.getAttribute("data-asked") || "");
  const lines = root.querySelector(".solution .engine-lines");
  if (asked && lines instanceof HTMLElement) linkEngineLines(replay, lines, asked);
  root.addEventListener("click", (event) => {
    const held = event.ctrlKey || event.metaKey || event.shiftKey || event.defaultPrevented;
    const link = event.target instanceof Element && event.target.closest(":is(.comment, .engine-lines) .line a[data-key]");
    if (held || !(link instanceof HTMLElement)) return;
    const begun = replay.nodes.get(link.closest(".engine-lines")?.getAttribute("data-key") || "");
    const from = link.closest(".comment") ? recorded(replay.shown) : begun;
    if (!from) return;
    event.preventDefault();
    followLine(replay, link, from);
  });
}

/**
 * Plays an engine's line up to the move that was clicked; the rest of it lies ahead.
 * @param {Replay} replay @param {HTMLElement} link @param {Node} from the node that the line begins at
 */
function followLine(replay, link, from) {
  const position = fromSfen(replay.root.dataset.start || "");
  for (const { move } of lineTo(from)) if (move) play(position, /** @type {any} */ (move));
  let node = from;
  for (const words of lineOf(link)) {
    const move = moveOf(position, words.name);
    node = tryMove(replay.nodes, node, move, words);
    play(position, move);
  }
  replay.go(replay.nodes.get(link.dataset.key || ""));
}
