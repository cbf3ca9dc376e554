// @ts-check
/**
 * The page of a position: links to other positions change board, table, games and address without a load. What changes
 * is the server's own page; without this module the same links load it. A game may make its board one to play on.
 */

import { cached } from "./cached.js";
import "./embed-code.js";
import "./picture.js";

const CACHE_SIZE = 60;
/** Requests the part below the header only (archive/web/pages/views.py). */
const PART = { "X-Part": "position" };

const place = /** @type {HTMLElement} */ (document.getElementById("position"));
/** @type {{fill: (part: HTMLElement) => void} | null} */
let explorer = null;

/** @typedef {(place: HTMLElement, page: {go: (address: string) => Promise<void>}) => typeof explorer} Explorer */

/** @param {Explorer} start makes the board playable, and returns an object that shows other pages in the place */
export function playOn(start) {
  explorer = start(place, { go: (address) => show(address, { push: true, follows: true }) });
}

const partAt = cached(load, CACHE_SIZE);

/** @param {string} address @returns {Promise<HTMLElement>} */
async function load(address) {
  const answer = await fetch(address, { headers: PART });
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const position = page.getElementById("position");
  if (!position) throw new Error(`${answer.url}: no position`);
  return position;
}

/** The address requested last; older responses that arrive later are not shown. */
let latest = location.href;

/**
 * @param {string} address
 * @param {{push: boolean, follows?: boolean}} how whether the browser's history gets an entry, and whether the
 *   board was played on, so that nobody looks for what changed
 */
async function show(address, { push, follows = false }) {
  const url = new URL(address, location.href).href;
  latest = url;
  place.setAttribute("aria-busy", "true");
  let part;
  try {
    part = await partAt(url);
  } catch {
    // The browser's own error page describes a wrong address or network best.
    location.assign(url);
    return;
  }
  if (url !== latest) return;
  if (push) history.pushState(null, "", url);
  fill(/** @type {HTMLElement} */ (part.cloneNode(true)));
  announce(follows);
}

/** Replaces the shown page; opened details and the focus stay. @param {HTMLElement} part */
function fill(part) {
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.keep : "";
  for (const open of place.querySelectorAll("details[open][class]")) {
    part.querySelector(`details.${open.classList[0]}`)?.setAttribute("open", "");
  }
  if (explorer) explorer.fill(part);
  else place.replaceChildren(...Array.from(part.childNodes));
  place.removeAttribute("aria-busy");
  const again = focused && place.querySelector(`[data-keep="${focused}"]`);
  if (again instanceof HTMLElement) again.focus({ preventScroll: true });
}

/** @param {boolean} follows */
function announce(follows) {
  const news = document.getElementById("position-news");
  if (news) news.textContent = place.querySelector(".total p")?.textContent?.trim() || "";
  if (document.activeElement !== document.body || follows) return;
  place.focus({ preventScroll: true });
  if (place.getBoundingClientRect().top < 0) place.scrollIntoView();
}

place.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || !(event.target instanceof Element)) return;
  const link = event.target.closest("a[href]");
  if (!(link instanceof HTMLAnchorElement) || link.hasAttribute("download")) return;
  const url = new URL(link.href);
  if (url.origin !== location.origin || !/^\/positions\/[^/]+\/(?!edit\/)/.test(url.pathname)) return;
  event.preventDefault();
  show(url.href, { push: true, follows: Boolean(link.dataset.keep) });
});
place.addEventListener("submit", (event) => {
  if (!(event.target instanceof HTMLFormElement) || event.target.method !== "get") return;
  event.preventDefault();
  const fields = /** @type {[string, string][]} */ ([...new FormData(event.target)]);
  const query = new URLSearchParams(fields.filter(([, value]) => value !== ""));
  show(`${location.pathname}${query.size ? `?${query}` : ""}`, { push: true });
});
window.addEventListener("popstate", () => show(location.href, { push: false, follows: true }));
