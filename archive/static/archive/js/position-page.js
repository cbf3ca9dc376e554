// @ts-check
/**
 * The page of a position: links to other positions change board, table, games and address without a load. What changes
 * is the server's own page; without this module the same links load it. A game may make its board one to play on.
 */

import "./embed-code.js";
import "./picture.js";

const KEPT = 60;
/** Asks for what stands below the header alone (archive/web/pages/views.py). */
const PART = { "X-Part": "position" };

/** @type {Map<string, Promise<HTMLElement>>} */
const parts = new Map();
const place = /** @type {HTMLElement} */ (document.getElementById("position"));
/** @type {{fill: (part: HTMLElement) => void} | null} */
let explorer = null;

/** @typedef {(place: HTMLElement, page: {go: (address: string) => Promise<void>}) => typeof explorer} Explorer */

/** @param {Explorer} start makes the board one to play on, and gives what shows another page in the place */
export function playOn(start) {
  explorer = start(place, { go: (address) => show(address, { push: true, follows: true }) });
}

/** @param {string} address @returns {Promise<HTMLElement>} */
function partAt(address) {
  const known = parts.get(address);
  if (known) return known;
  if (parts.size >= KEPT) parts.clear();
  const part = load(address);
  parts.set(address, part);
  part.catch(() => parts.delete(address));
  return part;
}

/** @param {string} address @returns {Promise<HTMLElement>} */
async function load(address) {
  const answer = await fetch(address, { headers: PART });
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const found = page.getElementById("position");
  if (!found) throw new Error(`${answer.url}: no position`);
  return found;
}

/** The address that was asked for last; an answer that comes later than the next question is not shown. */
let wanted = location.href;

/**
 * @param {string} address
 * @param {{push: boolean, follows?: boolean}} how whether the browser's history gets an entry, and whether the
 *   board was played on, so that nobody looks for what changed
 */
async function show(address, { push, follows = false }) {
  const asked = new URL(address, location.href).href;
  wanted = asked;
  place.setAttribute("aria-busy", "true");
  let part;
  try {
    part = await partAt(asked);
  } catch {
    // The browser says better than we could what is wrong with the address or the network.
    location.assign(asked);
    return;
  }
  if (asked !== wanted) return;
  if (push) history.pushState(null, "", asked);
  fill(/** @type {HTMLElement} */ (part.cloneNode(true)));
  announce(follows);
}

/** Puts a page in the place of the shown one; what the visitor had opened or was at stays. @param {HTMLElement} part */
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
