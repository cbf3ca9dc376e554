// @ts-check
/** The replay in a frame of another site: keys, wheel and swipes, and nothing that changes the address. */

import { listenToKeys, listenToSwipes } from "./gestures.js";
import { Replay } from "./replay.js";
import { shogi } from "./shogi-kit.js";

const root = document.getElementById("replay");
const record = document.getElementById("record");
if (root && record) {
  const replay = new Replay(root, JSON.parse(record.textContent || ""), shogi);
  listenToKeys(replay, { play: () => replay.step("forward") });
  listenToSwipes(replay);
}
