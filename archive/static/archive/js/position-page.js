// @ts-check
/**
 * The page of a position: links to other positions change board, table, games and address without a load.
 * The pages are the server's own; without this module the same links load them.
 */

import "./embed-code.js";

const KEPT = 60;

/** @type {Map<string, Promise<Document>>} */
const pages = new Map();

/** @param {string} address @returns {Promise<Document>} */
function pageAt(address) {
  const known = pages.get(address);
  if (known) return known;
  if (pages.size >= KEPT) pages.clear();
  const page = load(address);
  pages.set(address, page);
  page.catch(() => pages.delete(address));
  return page;
}

/** @param {string} address @returns {Promise<Document>} */
async function load(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

/** The address that was asked for last; an answer that comes later than the next question is not shown. */
let wanted = location.href;

/** @param {string} address @param {boolean} push whether the browser's history gets an entry */
async function show(address, push) {
  const place = /** @type {HTMLElement} */ (document.getElementById("position"));
  wanted = address;
  place.setAttribute("aria-busy", "true");
  let page;
  try {
    page = await pageAt(address);
  } catch {
    // The browser says better than we could what is wrong with the address or the network.
    location.assign(address);
    return;
  }
  if (address !== wanted) return;
  const found = page.getElementById("position");
  if (!found) {
    location.assign(address);
    return;
  }
  place.replaceChildren(...Array.from(found.cloneNode(true).childNodes));
  place.removeAttribute("aria-busy");
  if (push) history.pushState(null, "", address);
  announce(place);
}

/** @param {HTMLElement} place */
function announce(place) {
  const news = document.getElementById("position-news");
  if (news) news.textContent = place.querySelector(".total p")?.textContent?.trim() || "";
  place.focus({ preventScroll: true });
  if (place.getBoundingClientRect().top < 0) place.scrollIntoView();
}

document.getElementById("position")?.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || !(event.target instanceof Element)) return;
  const link = event.target.closest("a");
  if (!link || link.hasAttribute("download")) return;
  const url = new URL(link.href);
  if (url.origin !== location.origin || !/^\/positions\/[^/]+\/(?!edit\/)/.test(url.pathname)) return;
  event.preventDefault();
  show(url.href, true);
});
window.addEventListener("popstate", () => show(location.href, false));
