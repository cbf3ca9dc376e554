// @ts-check
/// <reference lib="webworker" />
/**
 * The service worker: the last games stay readable without a network, what another app shares comes to the upload
 * page, and uploads wait for the network. `archive.web.pages.offline` serves it behind its `PLACES`.
 *
 * Everything asks the network first, so nobody who is online sees an old version. Pages of an account are in a cache
 * of their own: another account that shows itself in the browser (the header `Kifu-Account`) deletes it.
 */

/** @type {{version: string, files: string[], offline: string, pages: string[], upload: string, share: string,
 *   api: string, games: string, statics: string, languages: string[], headers: {account: string}}} */
const places = /** @type {any} */ (self).PLACES;
const scope = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));

const SHELL = `shell ${places.version}`;
const PAGES = "pages ";
const STRANGER = "-";
const MOST_GAMES = 50;
const GAME = new RegExp(places.games);
const LATER = [408, 429, 500, 502, 503, 504, 507];

// --- what is stored besides pages ---

const STORES = /** @type {const} */ (["facts", "waiting", "shared"]);
/** @typedef {typeof STORES[number]} Store */
/** @typedef {{id: number, account: string, file: File, space: string, made: number, refused?: string}} Waiting */

/** @returns {Promise<IDBDatabase>} */
function database() {
  return new Promise((done, failed) => {
    const opening = indexedDB.open("archive", 1);
    opening.onupgradeneeded = () => {
      opening.result.createObjectStore("facts");
      for (const name of STORES.slice(1)) opening.result.createObjectStore(name, { autoIncrement: true, keyPath: "id" });
    };
    opening.onsuccess = () => done(opening.result);
    opening.onerror = () => failed(opening.error);
  });
}

/**
 * @template T
 * @param {Store} store @param {(rows: IDBObjectStore) => IDBRequest<T>} action @returns {Promise<T>}
 */
async function stored(store, action) {
  const open = await database();
  try {
    const transaction = open.transaction(store, "readwrite");
    const request = action(transaction.objectStore(store));
    await new Promise((done, failed) => {
      transaction.oncomplete = done;
      transaction.onabort = transaction.onerror = () => failed(transaction.error);
    });
    return request.result;
  } finally {
    open.close();
  }
}

/** @param {"account" | "language"} name @returns {Promise<string>} */
const fact = async (name) => (await stored("facts", (rows) => rows.get(name))) || "";

/** @param {"account" | "language"} name @param {string} value */
const setFact = (name, value) => stored("facts", (rows) => rows.put(value, name));

// --- pages ---

/** @param {Request} request @param {Response} response what the network answered with, a page or not */
async function afterAnswer(request, response) {
  const path = new URL(request.url).pathname;
  if (GAME.test(path) && [401, 403, 404, 410].includes(response.status)) await uncachePage(path);
  const account = response.headers.get(places.headers.account);
  if (response.status !== 200 || !account) return;
  if (account !== await fact("account")) await setAccount(account);
  await setFact("language", response.headers.get("Content-Language") || "");
  if (GAME.test(path) || places.pages.includes(path)) await cachePage(path, account, response);
  for (const one of places.pages) await cacheUnvisited(one, account);
}

/** @param {string} account is the one that the browser has now; what others could read is deleted */
async function setAccount(account) {
  for (const name of await caches.keys()) {
    const owner = name.startsWith(PAGES) ? name.slice(PAGES.length) : STRANGER;
    if (![STRANGER, account].includes(owner)) await caches.delete(name);
  }
  await setFact("account", account);
}

/** @param {string} path @param {string} account @param {Response} response */
async function cachePage(path, account, response) {
  // A stranger may read a private game by a link, which others who use the browser may not have.
  if (account === STRANGER && response.headers.get("Cache-Control")?.includes("no-store")) return;
  const cache = await caches.open(PAGES + account);
  // The last page is behind the others.
  await cache.delete(path, { ignoreVary: true });
  await cache.put(path, response);
  const games = (await cache.keys()).filter((one) => GAME.test(new URL(one.url).pathname));
  for (const one of games.slice(0, -MOST_GAMES)) await cache.delete(one, { ignoreVary: true });
}

/** Pages that this worker has looked for; strangers do not have all of them. */
const requested = new Set();

/** @param {string} path @param {string} account */
async function cacheUnvisited(path, account) {
  const cache = await caches.open(PAGES + account);
  if (requested.has(account + path) || await cache.match(path, { ignoreVary: true })) return;
  requested.add(account + path);
  const answer = await fetch(path).catch(() => null);
  if (answer?.ok && !answer.redirected && answer.headers.get(places.headers.account) === account) {
    await cachePage(path, account, answer);
  }
}

/** @param {string} path */
async function uncachePage(path) {
  for (const name of await caches.keys()) {
    if (name.startsWith(PAGES)) await (await caches.open(name)).delete(path, { ignoreVary: true });
  }
}

/** @param {string} path @returns {Promise<Response | undefined>} the page that the present account has seen */
async function pageAt(path) {
  for (const account of [await fact("account"), STRANGER]) {
    const name = PAGES + account;
    const page = await caches.has(name) && await (await caches.open(name)).match(path, { ignoreVary: true });
    if (page) return page;
  }
}

/** @param {FetchEvent} event @returns {Promise<Response>} */
async function page(event) {
  try {
    const response = await fetch(event.request);
    event.waitUntil(afterAnswer(event.request, response.clone()));
    return response;
  } catch {
    return await pageAt(new URL(event.request.url).pathname) || offlinePage();
  }
}

/** @returns {Promise<Response>} */
async function offlinePage() {
  const language = await fact("language");
  const chosen = places.languages.includes(language) ? language : places.languages[0];
  return await caches.match(`${places.offline}?${chosen}`, { ignoreVary: true }) || Response.error();
}

/** @param {Request} request @returns {Promise<Response>} a static file: the cached one only without a network */
async function file(request) {
  try {
    return await fetch(request);
  } catch {
    return await caches.match(request, { ignoreVary: true, ignoreSearch: true }) || Response.error();
  }
}

// --- shares and uploads ---

/** @param {Request} request from another app, with text and files. Nothing is sent: the upload page shows it */
async function share(request) {
  const form = await request.formData();
  const text = ["text", "url"].map((name) => form.get(name)).filter(Boolean).join("\n");
  await stored("shared", (rows) => rows.add({ text, files: form.getAll("file") }));
  return Response.redirect(`${places.upload}?shared`, 303);
}

/** @param {FetchEvent} event the form of the upload page: sent now, or when there is a network */
async function sendOrWait(event) {
  const copy = event.request.clone();
  try {
    return await fetch(event.request);
  } catch {
    await wait(await copy.formData());
    // Chromium wakes the worker when there is a network; elsewhere the next page does.
    await /** @type {any} */ (scope.registration).sync?.register("uploads").catch(() => null);
    return Response.redirect(`${places.upload}?waiting`, 303);
  }
}

/** @param {FormData} form */
async function wait(form) {
  const files = form.getAll("file").filter((one) => one instanceof File && one.size);
  const text = String(form.get("text") || "");
  if (text.trim()) files.push(new File([text], "text.txt"));
  const account = await fact("account"), space = String(form.get("space") || "");
  for (const one of files) {
    await stored("waiting", (rows) => rows.add({ account, file: one, space, made: Date.now() }));
  }
}

/** Send what waits, unless somebody else uses the browser now. @returns {Promise<number>} how much still waits */
async function flush() {
  await navigator.locks.request("uploads", async () => {
    const waiting = (await ofAccount()).filter((one) => !one.refused);
    if (!waiting.length) return;
    const page = await fetch(places.upload).catch(() => null);
    const token = page?.ok && /name="csrfmiddlewaretoken" value="(\w+)"/.exec(await page.text());
    if (!token) return;
    for (const one of waiting) {
      if (page.headers.get(places.headers.account) !== one.account || !await send(one, token[1])) return;
    }
  });
  return (await ofAccount()).filter((one) => !one.refused).length;
}

/** @param {Waiting} one @param {string} token @returns {Promise<boolean>} whether the others can be sent, too */
async function send(one, token) {
  const body = new FormData();
  body.append("space", one.space);
  body.append("file", one.file, one.file.name);
  const headers = { "X-CSRFToken": token, "Accept-Language": await fact("language") || "ja" };
  const answer = await fetch(places.api, { method: "POST", body, headers }).catch(() => null);
  if (!answer || LATER.includes(answer.status)) return false;
  const { uploads = [], refused = [], detail = "" } = await answer.json().catch(() => ({}));
  if (uploads.length) await stored("waiting", (rows) => rows.delete(one.id));
  else {
    const why = refused[0]?.detail || detail || String(answer.status);
    await stored("waiting", (rows) => rows.put({ ...one, refused: why }));
  }
  const number = uploads[0]?.id;
  for (const client of await scope.clients.matchAll()) client.postMessage({ sent: number || null });
  return true;
}

/** @returns {Promise<Waiting[]>} what the present account has waiting */
async function ofAccount() {
  const account = await fact("account");
  const waiting = await stored("waiting", (rows) => rows.getAll());
  return waiting.filter((/** @type {Waiting} */ one) => one.account === account);
}

/** @returns {Promise<{path: string, title: string}[]>} the games that can be read, the last one first */
async function games() {
  /** @type {Map<string, Response>} */
  const pages = new Map();
  for (const account of new Set([await fact("account"), STRANGER])) {
    const cache = await caches.open(PAGES + account);
    for (const request of (await cache.keys()).reverse()) {
      const path = new URL(request.url).pathname, answer = await cache.match(request, { ignoreVary: true });
      if (GAME.test(path) && answer && !pages.has(path)) pages.set(path, answer);
    }
  }
  return Promise.all([...pages].map(async ([path, answer]) => {
    const title = /<h1>([^<]*)<\/h1>/.exec(await answer.text());
    return { path, title: title ? title[1] : path };
  }));
}

/** @type {Record<string, (id: number) => Promise<unknown>>} what pages ask for */
const ANSWERS = {
  games,
  flush,
  waiting: async () => (await ofAccount()).map(({ id, file, refused }) => ({ id, name: file.name, refused })),
  remove: (id) => stored("waiting", (rows) => rows.delete(id)),
  shared: () => stored("shared", (rows) => rows.getAll()),
  taken: () => stored("shared", (rows) => rows.clear()),
};

// --- events ---

/** The offline page in each language, without the account. @param {Cache} cache */
async function cacheOfflinePages(cache) {
  for (const language of places.languages) {
    const headers = { "Accept-Language": language };
    const answer = await fetch(places.offline, { credentials: "omit", headers, cache: "no-store" });
    if (!answer.ok) throw new Error(places.offline);
    await cache.put(`${places.offline}?${language}`, answer);
  }
}

scope.addEventListener("install", (event) => {
  event.waitUntil((async () => {
    const cache = await caches.open(SHELL);
    await cache.addAll(places.files.map((one) => new Request(one, { cache: "no-cache" })));
    await cacheOfflinePages(cache);
    await scope.skipWaiting();
  })());
});

scope.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) {
      if (name.startsWith("shell ") && name !== SHELL) await caches.delete(name);
    }
    await scope.clients.claim();
  })());
});

scope.addEventListener("fetch", (event) => {
  const { request } = event, { origin, pathname, searchParams } = new URL(request.url);
  if (origin !== location.origin) return;
  if (request.method === "POST") {
    if (pathname === places.share) event.respondWith(share(request));
    // A page marks what is too large to keep a copy of.
    else if (pathname === places.upload && request.mode === "navigate" && !searchParams.has("large")) {
      event.respondWith(sendOrWait(event));
    }
  } else if (request.method === "GET") {
    if (request.mode === "navigate" && request.destination === "document") event.respondWith(page(event));
    else if (pathname.startsWith(places.statics)) event.respondWith(file(request));
  }
});

scope.addEventListener("message", (event) => {
  const answer = ANSWERS[event.data?.do];
  if (answer) event.waitUntil(answer(event.data.id).then((result) => event.ports[0]?.postMessage(result ?? null)));
});

scope.addEventListener("sync", (/** @type {any} */ event) => {
  event.waitUntil(flush());
});
