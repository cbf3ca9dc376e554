// @ts-check
/** Copies of the shown line and position of a game of shogi, and links into other programs. */

import { fetched, startSharing as startCopies } from "../archive/js/sharing.js";
import { lastOf, lineTo } from "../archive/js/tree.js";
import { toSfen, usiOf } from "./position.js";
import { encode } from "./shogi64.js";

/** @typedef {import("../archive/js/replay.js").Replay} Replay */
/** @typedef {import("../archive/js/tree.js").Node} Node */

/** @param {Replay} replay */
export function startSharing(replay) {
  startCopies(replay, {
    usi: (url) => (isPiece(replay) ? fetched(url) : usiText(replay, lastOf(replay.shown))),
    bod: (url) => fetched(url.replace("CODE", encode(replay.position) || "")),
  });
  const links = /** @type {HTMLAnchorElement[]} */ ([...replay.root.querySelectorAll("a[data-open-in]")]);
  replay.onSettle((node) => {
    for (const link of links) link.href = programAddress(replay, node, link.dataset.openIn || "");
  });
}

/** @param {Replay} replay @returns {boolean} whether the page holds only a part of the record */
function isPiece({ first, nodes }) {
  return Boolean(first.before) || [...nodes.values()].some((node) => node.last);
}

/** @param {Replay} replay @param {Node} end @returns {string} the line as USI's position command */
export function usiText(replay, end) {
  const moves = movesTo(end);
  return `position sfen ${replay.root.dataset.start}${moves.length ? ` moves ${moves.join(" ")}` : ""}`;
}

/** @param {Node} node @returns {string[]} the moves to a node from the first one of the page, in USI */
function movesTo(node) {
  return lineTo(node).slice(1).flatMap((one) => (one.move ? [usiOf(one.move)] : []));
}

/**
 * @param {Replay} replay
 * @param {Node} node
 * @param {string} program
 * @returns {string}
 */
function programAddress(replay, node, program) {
  const position = toSfen(replay.position, node.played + 1).replaceAll(" ", "_");
  const start = replay.root.dataset.start || "";
  switch (program) {
    case "lishogi":
      return `https://lishogi.org/analysis/${position}`;
    case "lishogi-editor":
      return `https://lishogi.org/editor/${position}`;
    case "kento": {
      const query = new URLSearchParams({ initpos: start, moves: movesTo(lastOf(node)).join(".") });
      return `https://www.kento-shogi.com/?${query}#${node.played - replay.first.played}`;
    }
    default: {
      const query = new URLSearchParams({ num: String(node.played - replay.first.played), sfen: usiText(replay, lastOf(node)) });
      // This program reads %20, not the plus sign that stands for a blank in forms.
      return `https://www.studiok-i.net/ps/?${String(query).replaceAll("+", "%20")}`;
    }
  }
}
