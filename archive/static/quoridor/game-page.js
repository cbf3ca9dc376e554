// @ts-check
/** Starts the replay on a page of a game of Quoridor, and what stands around it. */

import "../archive/js/embed-code.js";
import { showArchiveMoves } from "../archive/js/archive-moves.js";
import { startAutoplay } from "../archive/js/autoplay.js";
import { followOnCharts } from "../archive/js/charts.js";
import { listenToKeys, listenToSwipes, listenToWheel } from "../archive/js/gestures.js";
import { startKeys } from "../archive/js/keys.js";
import { Replay } from "../archive/js/replay.js";
import { startSharing } from "../archive/js/sharing.js";
import { startTabs } from "../archive/js/tabs.js";
import { lineTo } from "../archive/js/tree.js";
import { packed, quoridor } from "./kit.js";
import { decode, encode, positionCode } from "./qf_code.js";
import { readName } from "./rules.js";
import { startTrials } from "./trial.js";

/** @typedef {import("../archive/js/replay.js").Replay} Replay */

const root = document.getElementById("replay");
const record = document.getElementById("record");
if (root && record) {
  const replay = new Replay(root, JSON.parse(record.textContent || ""), quoridor);
  const autoplay = startAutoplay(replay);
  listenToKeys(replay, { play: autoplay.toggle });
  listenToWheel(replay);
  listenToSwipes(replay);
  const trials = startTrials(replay);
  showArchiveMoves(replay, (text) => trials.play(readName(text) || 0));
  followOnCharts(replay);
  startSharing(replay);
  startTabs(root);
  startKeys();
  leadToBoard(replay);
}

/** The link to the free board opens it with the shown line at the shown move. @param {Replay} replay */
function leadToBoard(replay) {
  const link = /** @type {HTMLAnchorElement | null} */ (replay.root.querySelector("a.board-link"));
  if (!link) return;
  const { state } = decode(new URLSearchParams(link.search).get("code") || "");
  replay.onSettle((node) => {
    if (replay.first.before) {
      link.search = String(new URLSearchParams({ code: positionCode(replay.position) }));
      return;
    }
    const line = lineTo(endOf(node)).flatMap(({ move }) => (move ? [packed(/** @type {any} */ (move))] : []));
    try {
      link.search = String(new URLSearchParams({ code: encode({ state, moves: line }), ply: String(node.played) }));
    } catch {
      link.search = String(new URLSearchParams({ code: positionCode(replay.position) }));
    }
  });
}

/** @param {import("../archive/js/tree.js").Node} node @returns {import("../archive/js/tree.js").Node} */
function endOf(node) {
  while (node.children.length) node = node.children[0];
  return node;
}
