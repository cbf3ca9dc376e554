// @ts-check
/** Starts the replay on a game's page, and what stands around it. */

import "./embed-code.js";
import { showArchiveMoves } from "./archive-moves.js";
import { startAutoplay } from "./autoplay.js";
import { followOnCharts } from "./charts.js";
import { listenToKeys, listenToSwipes, listenToWheel } from "./gestures.js";
import { startKeys } from "./keys.js";
import { Replay } from "./replay.js";
import { shogi } from "./shogi-kit.js";
import { startSharing } from "./sharing.js";
import { startTabs } from "./tabs.js";
import { startTrials } from "./trial.js";

const root = document.getElementById("replay");
const record = document.getElementById("record");
if (root && record) {
  const replay = new Replay(root, JSON.parse(record.textContent || ""), shogi);
  const autoplay = startAutoplay(replay);
  const trials = startTrials(replay);
  listenToKeys(replay, { play: autoplay.toggle });
  listenToWheel(replay);
  listenToSwipes(replay);
  showArchiveMoves(replay, trials.tryUsi);
  followOnCharts(replay);
  startSharing(replay);
  startTabs(root);
  startKeys();
}
