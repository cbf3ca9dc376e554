// @ts-check
/** The page of a game of Quoridor, which leads to the free board too. */

import { startGamePage } from "../archive/js/game-page.js";
import { startSharing } from "../archive/js/sharing.js";
import { lastOf, lineTo } from "../archive/js/tree.js";
import { packed, quoridor } from "./kit.js";
import { decode, encode, positionCode } from "./qf_code.js";
import { startTrials } from "./trial.js";

startGamePage(quoridor, startTrials, startSharing, leadToBoard);

/** The link to the free board opens it with the shown line at the shown move. @param {import("../archive/js/replay.js").Replay} replay */
function leadToBoard(replay) {
  const link = /** @type {HTMLAnchorElement | null} */ (replay.root.querySelector("a.board-link"));
  if (!link) return;
  const { state } = decode(new URLSearchParams(link.search).get("code") || "");
  replay.onSettle((node) => {
    if (replay.first.before) {
      link.search = String(new URLSearchParams({ code: positionCode(replay.position) }));
      return;
    }
    const line = lineTo(lastOf(node)).flatMap(({ move }) => (move ? [packed(/** @type {any} */ (move))] : []));
    try {
      link.search = String(new URLSearchParams({ code: encode({ state, moves: line }), ply: String(node.played) }));
    } catch {
      link.search = String(new URLSearchParams({ code: positionCode(replay.position) }));
    }
  });
}
