// @ts-check
/** The list from which a game was opened, so that its page leads to the games before and after it there. */

/** @typedef {{ address: string, games: string[], next: string }} List The address of the list, those of its games
 * as far as they were seen, and that of the rest, empty at the end. */

const KEY = "list";
/** Pages fetched for the next game: pages of a search may be empty. */
const MOST_PAGES = 5;

/** @returns {List | null} */
function stored() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) || "null");
  } catch {
    return null;
  }
}

/** @param {List} list */
function store(list) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(list));
  } catch {
    // A browser without storage has no list.
  }
}

/** @param {ParentNode} page @param {string} address @returns {List} */
function read(page, address) {
  /** @param {string} links */
  const addresses = (links) => [...page.querySelectorAll(links)].map((link) => {
    const { pathname, search } = new URL(link.getAttribute("href") || "", new URL(address, location.href));
    return pathname + search;
  });
  return { address, games: addresses("a.game-row"), next: addresses("main a[rel=next]")[0] || "" };
}

/** Keep a list when somebody goes on from it: to a game, or to its next page, which continues it. */
document.addEventListener("click", (event) => {
  const link = event.target instanceof Element && event.target.closest("main a.game-row, main a[rel=next]");
  if (!link) return;
  const here = location.pathname + location.search;
  const list = read(document, here);
  const rows = link.closest("ol.games");
  if (rows && document.querySelectorAll("ol.games").length > 1) list.games = read(rows, here).games;
  const before = stored();
  const goesOn = before?.next === here;
  if (goesOn) list.games = [...before.games, ...list.games];
  if (goesOn || list.games.length) store(list);
});

/** @param {List} list @returns {Promise<List>} The list with its next page. */
async function continued(list) {
  const answer = await fetch(list.next);
  if (!answer.ok) return { ...list, next: "" };
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const { games, next } = read(page, list.next);
  return { ...list, games: [...list.games, ...games], next };
}

/** @param {string[]} games */
function placeIn(games) {
  return games.findIndex((address) => address.split("?")[0] === location.pathname);
}

/** @param {Element} nav @param {List} list @param {number} place */
function show(nav, list, place) {
  const { previous, back, following } = Object.fromEntries(
    [...nav.querySelectorAll("a")].map((link) => [link.className, link])
  );
  for (const [link, address] of /** @type {[HTMLAnchorElement, string | undefined][]} */ ([
    [previous, list.games[place - 1]], [back, list.address], [following, list.games[place + 1]],
  ])) {
    link.hidden = !address;
    if (address) link.href = address;
  }
  /** @type {HTMLElement} */ (nav.querySelector(".place")).textContent =
    list.next ? String(place + 1) : `${place + 1} / ${list.games.length}`;
  /** @type {HTMLElement} */ (nav).hidden = false;
}

async function showNeighbours() {
  const navs = document.querySelectorAll("nav.neighbours");
  let list = stored();
  let place = placeIn(list?.games || []);
  if (!navs.length || !list || place < 0) return;
  for (const nav of navs) show(nav, list, place);
  for (let pages = 0; pages < MOST_PAGES && place === list.games.length - 1 && list.next; pages += 1) {
    list = await continued(list);
    store(list);
    for (const nav of navs) show(nav, list, place);
  }
}

showNeighbours().catch(() => {});
