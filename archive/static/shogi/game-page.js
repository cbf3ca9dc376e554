// @ts-check
import { startGamePage } from "../archive/js/game-page.js";
import { shogi } from "./kit.js";
import { selectIn } from "./selecting.js";
import { startSharing } from "./sharing.js";
import { startTrials } from "./trial.js";

startGamePage(shogi, startTrials, startSharing, selectIn, async (replay) => {
  if (replay.root.querySelector(".browser-engine[data-engine]")) (await import("./engine/pages.js")).startReplayEngine(replay);
});
