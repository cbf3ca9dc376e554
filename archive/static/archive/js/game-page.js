// @ts-check
/** Starts the replay on a game's page, and the parts around it. */

import { showArchiveMoves } from "./archive-moves.js";
import { startAutoplay } from "./autoplay.js";
import { followOnCharts } from "./charts.js";
import { followEmbedCode } from "./embed-code.js";
import { listenToKeys, listenToSwipes, listenToWheel } from "./gestures.js";
import { startKeys } from "./keys.js";
import { followPicture } from "./picture.js";
import { replayIn } from "./replay.js";
import { startTabs } from "./tabs.js";
import { recorded } from "./tree.js";

/** @typedef {import("./replay.js").Replay} Replay */
/** @typedef {import("./replay.js").Kit} Kit */

/** The link to the form that corrects a comment leads to that of the shown move. @param {Replay} replay */
function followCorrecting(replay) {
  const link = /** @type {HTMLAnchorElement | null} */ (replay.root.querySelector(".correct-here"));
  replay.onSettle((node) => {
    if (link) link.search = new URL(replay.addressOf(recorded(node)), location.href).search;
  });
}

/**
 * @param {Kit} kit
 * @param {(replay: Replay) => {play: (name: string) => void}} startTrials own moves, by their names
 * @param {((replay: Replay) => void)[]} more what else the game's page has
 */
export function startGamePage(kit, startTrials, ...more) {
  const replay = replayIn(kit);
  if (!replay) return;
  const autoplay = startAutoplay(replay);
  const trials = startTrials(replay);
  listenToKeys(replay, { play: autoplay.toggle });
  listenToWheel(replay);
  listenToSwipes(replay);
  showArchiveMoves(replay, trials.play);
  followOnCharts(replay);
  followEmbedCode(replay);
  followPicture(replay);
  followCorrecting(replay);
  for (const start of more) start(replay);
  startTabs(replay.root);
  startKeys();
}
