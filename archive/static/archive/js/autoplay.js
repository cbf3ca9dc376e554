// @ts-check
/** Plays the game by itself, at a chosen speed that is remembered, until its end or until somebody steps. */

import { recall, remember } from "./memory.js";

/** @typedef {import("./replay.js").Replay} Replay */

const MEMORY = "autoplay-seconds";
const GOES_ON = "autoplay-goes-on";
/** Milliseconds in which the page with the next part of a long game is there. */
const SOON = 10_000;

/**
 * @param {Replay} replay
 * @returns {{toggle: () => void}}
 */
export function startAutoplay(replay) {
  const button = /** @type {HTMLButtonElement} */ (replay.root.querySelector("button.play"));
  const speed = /** @type {HTMLSelectElement} */ (replay.root.querySelector("select.speed"));
  const remembered = recall(MEMORY);
  if (remembered && [...speed.options].some((option) => option.value === remembered)) speed.value = remembered;
  let timer = 0;
  /** @type {import("./tree.js").Node | null} */
  let expected = null;

  function toggle() {
    if (timer) stop();
    else start();
  }

  function start() {
    if (!replay.shown.children.length && !replay.shown.last) replay.step("start");
    expected = null;
    timer = window.setInterval(next, Number(speed.value) * 1000);
    button.setAttribute("aria-pressed", "true");
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    button.setAttribute("aria-pressed", "false");
  }

  function next() {
    const shown = replay.shown;
    if (shown.last && (!expected || expected === shown)) {
      remember(GOES_ON, String(Date.now()));
      replay.step("forward");
      return;
    }
    const following = shown.children[0];
    if (!following || replay.hides(following) || (expected && expected !== shown)) {
      stop();
      return;
    }
    expected = following;
    replay.go(following);
  }

  button.addEventListener("click", toggle);
  speed.addEventListener("change", () => {
    remember(MEMORY, speed.value);
    if (!timer) return;
    stop();
    start();
  });
  const since = recall(GOES_ON);
  if (since && Date.now() - Number(since) < SOON) start();
  if (since) remember(GOES_ON, "");
  return { toggle };
}
