// @ts-check
/** The replay in a frame of another site: keys and swipes, and nothing that changes the address. */

import { listenToKeys, listenToSwipes } from "./gestures.js";
import { replayIn } from "./replay.js";

/** @param {import("./replay.js").Kit} kit */
export function startFrame(kit) {
  const replay = replayIn(kit);
  if (!replay) return;
  listenToKeys(replay, { play: () => replay.step("forward") });
  listenToSwipes(replay);
}
