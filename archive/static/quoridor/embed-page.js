// @ts-check
/** A game of Quoridor in a frame of another site. */

import { listenToKeys, listenToSwipes } from "../archive/js/gestures.js";
import { Replay } from "../archive/js/replay.js";
import { quoridor } from "./kit.js";

const root = document.getElementById("replay");
const record = document.getElementById("record");
if (root && record) {
  const replay = new Replay(root, JSON.parse(record.textContent || ""), quoridor);
  listenToKeys(replay, { play: () => replay.step("forward") });
  listenToSwipes(replay);
}
