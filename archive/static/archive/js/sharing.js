// @ts-check
/** Copies of the record and of the link to the shown move. */

import { copyText, sayDone } from "./copying.js";

/** @typedef {import("./replay.js").Replay} Replay */

/**
 * @param {Replay} replay
 * @param {Record<string, (url: string) => string | Promise<string>>} [own] texts that are no files of the server's, by name
 */
export function startSharing(replay, own = {}) {
  const texts = { link: () => location.origin + replay.addressOf(replay.shown), ...own };
  replay.root.addEventListener("click", async (event) => {
    const button = event.target instanceof Element && event.target.closest("button[data-take]");
    if (!(button instanceof HTMLButtonElement)) return;
    const { take = "", url = "" } = button.dataset;
    await copyText(await (texts[take] || fetched)(url));
    sayDone(button);
  });
}

/** @param {string} address @returns {Promise<string>} */
export async function fetched(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
  return answer.text();
}
