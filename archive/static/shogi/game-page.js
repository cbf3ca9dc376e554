// @ts-check
/** Starts the replay on a game's page, and what stands around it. */

import "../archive/js/embed-code.js";
import { showArchiveMoves } from "../archive/js/archive-moves.js";
import { startAutoplay } from "../archive/js/autoplay.js";
import { followOnCharts } from "../archive/js/charts.js";
import { listenToKeys, listenToSwipes, listenToWheel } from "../archive/js/gestures.js";
import { startKeys } from "../archive/js/keys.js";
import { Replay } from "../archive/js/replay.js";
import { shogi } from "./kit.js";
import { startSharing } from "../archive/js/sharing.js";
import { startTabs } from "../archive/js/tabs.js";
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
