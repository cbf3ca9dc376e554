// @ts-check
/**
 * The replay of one game: steps through the stored record, keeps board, move list, comment and address together.
 *
 * One mutable state (the node and the position), one function that shows it, at most once per frame.
 * Texts are the server's: the move list holds them, with the node's key in `data-key`.
 */

import { keepAddress } from "./address.js";
import { buildTree, nodeKey, route } from "./tree.js";

/** @typedef {import("./tree.js").Node} Node */
/** @typedef {import("./tree.js").Place} Place */

const SETTLE = 90;
/** As many own moves as the server takes from an address (archive/web/lines.py). */
const TRIED = 150;

/**
 * What the replay has to know of a kind of game, whose positions and moves it only hands on.
 * @typedef {object} Kit
 * @property {(root: HTMLElement) => any} start the position where the record begins
 * @property {(host: HTMLElement, config: {flip?: boolean, ranks?: string, hands?: [HTMLElement, HTMLElement]}) => any} board
 * @property {(position: any, move: any) => void} play
 * @property {(position: any, move: any) => void} takeBack
 * @property {(host: HTMLElement, board: any, shown: {position: any, played: number, move: any, label: string}) => void} show
 * @property {(position: any) => string | null} code as addresses have it; null where there is none
 * @property {(position: any, played: number) => Record<string, string>} texts names of a position, by their elements' class
 * @property {(position: any, japanese: boolean) => string} words
 */

/**
 * What the other modules of the page hold on to.
 * @typedef {object} Replay
 * @property {HTMLElement} root
 * @property {Node} first
 * @property {Map<string, Node>} nodes
 * @property {Kit} kit
 * @property {any} position of the shown node, as the kit has it; look at it, do not change it
 * @property {any} board
 * @property {() => Node} shown
 * @property {(node: Node | null | undefined) => void} go
 * @property {(path: string, ply: number) => void} visit goes to a node, on another page if it is not on this one
 * @property {(name: string) => void} step start, back, forward, end, up, down
 * @property {() => void} flip
 * @property {(node: Node) => string} labelOf
 * @property {(node: Node) => string} addressOf
 * @property {(listener: (node: Node) => void) => void} onShow called in the frame in which a node is drawn
 * @property {(listener: (node: Node) => void) => void} onSettle called when the stepping has paused
 */

/**
 * @param {HTMLElement} root
 * @param {Parameters<typeof buildTree>[0]} record
 * @param {Kit} kit
 * @returns {Replay}
 */
export function startReplay(root, record, kit) {
  const { root: first, nodes } = buildTree(record, Number(root.dataset.started || 0));
  const position = kit.start(root);
  const list = /** @type {HTMLElement} */ (root.querySelector(".moves"));
  const items = itemsByKey(list);
  const clocks = clocksByKey(first, items, (root.dataset.clocks || "|").split("|"));
  const parts = findParts(root);
  const solution = /** @type {HTMLDetailsElement | null} */ (root.querySelector("details.solution"));
  const board = kit.board(parts.board, {
    flip: root.classList.contains("flipped"),
    ranks: root.dataset.ranks,
    hands: [parts.hands[0], parts.hands[1]],
  });
  /** @type {((node: Node) => void)[]} */
  const showListeners = [];
  /** @type {((node: Node) => void)[]} */
  const settleListeners = [];
  /** @type {Node} */
  let shown = first;
  let wanted = nodes.get(root.dataset.node || "") || first;
  let drawn = false;
  let scheduled = false;
  let settleTimer = 0;
  /** The node whose continuations the address asks for by pages: the server has listed them. */
  let listed = new URLSearchParams(location.search).has("from") ? wanted : null;

  /** @param {Node | null | undefined} node */
  function go(node) {
    if (!node) return;
    wanted = node;
    if (scheduled) return;
    scheduled = true;
    requestAnimationFrame(show);
  }

  /** @param {string} path @param {number} ply */
  function visit(path, ply) {
    const node = nodes.get(nodeKey(path, ply));
    if (node) go(node);
    else location.assign(pageOf({ path, ply }));
  }

  /** @param {Place} place @returns {string} the address at which this page shows another part of the record */
  function pageOf({ path, ply }) {
    const query = new URLSearchParams(location.search);
    query.delete("try");
    for (const [name, value] of Object.entries({ ply, fork: path, flip: Number(root.classList.contains("flipped")), from: 0 })) {
      if (value || name === "ply") query.set(name, String(value));
      else query.delete(name);
    }
    return `${location.pathname}?${query}`;
  }

  function show() {
    scheduled = false;
    if (drawn && shown === wanted) {
      setAddress();
      return;
    }
    const { back, forward } = route(shown, wanted);
    for (const move of back) kit.takeBack(position, move);
    for (const move of forward) kit.play(position, move);
    // Reads geometry, so it comes before anything is changed: the browser lays out once per step, not twice.
    if (isOnScreen(list)) keepInSight(items.get(wanted.key), list);
    markItem(items.get(shown.key), items.get(wanted.key));
    shown = wanted;
    showBoard();
    showTexts();
    for (const listener of showListeners) listener(shown);
    clearTimeout(settleTimer);
    settleTimer = window.setTimeout(settle, drawn ? SETTLE : 0);
    drawn = true;
  }

  /** What nobody reads while stepping fast: it waits until the stepping pauses. */
  function settle() {
    // Rows that came into sight are as high as they are only now; those that this brings there, two frames later.
    keepInSight(items.get(shown.key), list);
    requestAnimationFrame(() => requestAnimationFrame(() => keepInSight(items.get(shown.key), list)));
    showCodes();
    parts.live.textContent = labelOf(shown);
    if (parts.words) parts.words.textContent = kit.words(position, document.documentElement.lang === "ja");
    for (const [name, node] of Object.entries(targets(shown))) {
      const link = parts.go.get(name);
      if (link) link.href = addressOf(node || shown);
    }
    setAddress();
    for (const listener of settleListeners) listener(shown);
  }

  function showCodes() {
    const link = parts.position;
    if (!link) return;
    for (const [name, text] of Object.entries(kit.texts(position, shown.played))) {
      const place = root.querySelector(`.${name}`);
      if (place) place.textContent = text;
    }
    const code = kit.code(position);
    link.hidden = !code;
    if (code) link.href = (root.dataset.positionUrl || "").replace("CODE", code);
  }

  function showBoard() {
    const { played } = shown;
    kit.show(parts.board, board, { position, played, move: lastMove(shown), label: labelOf(shown) });
  }

  function showTexts() {
    const leads = targets(shown);
    setText(parts.ply, String(shown.ply));
    setText(parts.last, String((leads.end || shown).ply));
    clocks.get(shown.key)?.forEach((text, color) => setText(parts.clocks[color], text));
    for (const [name, link] of parts.go) setAttribute(link, "aria-disabled", String(!leads[name]));
    showComment();
    showChoices();
  }

  function showComment() {
    const note = items.get(shown.key)?.querySelector(":scope > .note");
    if (!note && parts.comment.hidden) return;
    parts.comment.replaceChildren(...(note ? Array.from(note.cloneNode(true).childNodes) : []));
    parts.comment.hidden = !note;
    if (note) parts.comment.scrollTop = 0;
  }

  /** Where the record branches; a problem's solution only to those who asked for it. */
  function showChoices() {
    const children = solution && !solution.open ? [] : shown.children.filter((node) => !node.tried);
    if (shown === listed) return;
    listed = null;
    const more = (solution && !solution.open) || !shown.left ? "" : ` +${shown.left}`;
    parts.choices.hidden = children.length < 2 && !more;
    parts.further.replaceChildren(...(more ? [furtherChoices(more)] : []));
    if (children.length < 2 && !more) return;
    const links = parts.choiceList.getElementsByTagName("a");
    while (links.length < children.length) parts.choiceList.append(newChoice());
    while (links.length > children.length) parts.choiceList.lastElementChild?.remove();
    children.forEach((node, index) => {
      const link = links[index];
      link.href = addressOf(node);
      link.dataset.key = node.key;
      setText(link, labelOf(node));
    });
  }

  /** A link to the page that lists all continuations. @param {string} more how many @returns {HTMLElement} */
  function furtherChoices(more) {
    const link = document.createElement("a");
    link.href = `${pageOf(shown)}&from=0`;
    link.textContent = (parts.further.dataset.text || "") + more;
    return link;
  }

  /** @param {Node} node @returns {string} */
  function labelOf(node) {
    return node.tried ? node.text || "" : linkOf(items.get(node.key))?.textContent?.trim() || "";
  }

  /** @param {Node | Place} node @returns {string} the address of the node, with the own moves that lead to it */
  function addressOf(node) {
    const own = [];
    for (; "tried" in node && node.tried && node.parent; node = node.parent) own.unshift(node.usi);
    const query = new URLSearchParams();
    if (node.ply || root.dataset.opening) query.set("ply", String(node.ply));
    if (node.path) query.set("fork", node.path);
    if (root.classList.contains("flipped")) query.set("flip", "1");
    if (own.length) query.set("try", own.slice(0, TRIED).join("."));
    return `${root.dataset.page || location.pathname}${query.size ? `?${query}` : ""}`;
  }

  // While a frame is to come the address waits for what it shows: of a page that was asked for with own moves, they
  // are shown with it.
  const setAddress = keepAddress(() => (scheduled || root.dataset.page || shown === listed ? null : addressOf(shown)));

  function flip() {
    const flipped = root.classList.toggle("flipped");
    board.flip(flipped);
    parts.flip.setAttribute("aria-pressed", String(flipped));
    settle();
  }

  /** @param {string} name */
  function step(name) {
    const target = targets(wanted)[name];
    if (target && !("key" in target)) visit(target.path, target.ply);
    else go(target);
  }

  // What stands around the list comes later than it and takes of its room.
  new ResizeObserver(() => keepInSight(items.get(shown.key), list)).observe(list);
  root.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || !(event.target instanceof Element)) return;
    const link = event.target.closest("a");
    if (!link) return;
    const key = link.dataset.key ?? link.closest("li")?.dataset.key;
    if (link.dataset.go) step(link.dataset.go);
    else if (link === parts.flip) flip();
    else if (key !== undefined && nodes.has(key)) go(nodes.get(key));
    else return;
    event.preventDefault();
  });
  solution?.addEventListener("toggle", () => {
    showChoices();
    keepInSight(items.get(shown.key), list);
  });
  window.addEventListener("popstate", () => go(nodeAtAddress(nodes) || first));
  show();
  root.classList.add("live");
  return {
    root, first, nodes, kit, position, board, go, visit, step, flip, labelOf, addressOf,
    shown: () => shown,
    onShow: (listener) => void showListeners.push(listener),
    onSettle: (listener) => void settleListeners.push(listener),
  };
}

/** @returns {HTMLElement} */
function newChoice() {
  const item = document.createElement("li");
  item.appendChild(document.createElement("a")).className = "button";
  return item;
}

/** @param {HTMLElement} element @param {string} text */
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** @param {HTMLElement} element @param {string} name @param {string} value */
function setAttribute(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/**
 * Where the controls lead from a node; places that are not on this page have no key.
 * @param {Node} node
 * @returns {Record<string, Node | Place | null>}
 */
function targets(node) {
  const end = endOf(node);
  const first = firstOf(node);
  return {
    start: first.before ? { path: "", ply: 0 } : node.parent && first,
    back: node.parent || node.before || null,
    forward: node.last ? { path: node.path, ply: node.ply + 1 } : node.children[0] || null,
    end: end.last ? { path: end.path, ply: end.last } : end === node ? null : end,
    up: sibling(node, -1),
    down: sibling(node, 1),
  };
}

/** @param {Node} node @returns {Node} */
function firstOf(node) {
  while (node.parent) node = node.parent;
  return node;
}

/** @param {Node} node @returns {Node} */
function endOf(node) {
  while (node.children.length) node = node.children[0];
  return node;
}

/** @param {Kit} kit @returns {Replay | null} the replay that the page is about */
export function replayIn(kit) {
  const root = document.getElementById("replay");
  const record = document.getElementById("record");
  return root && record && startReplay(root, JSON.parse(record.textContent || ""), kit);
}

/** @param {Node} node @param {number} offset @returns {Node | null} */
function sibling(node, offset) {
  const all = node.parent?.children || [];
  return all[all.indexOf(node) + offset] || null;
}

/** @param {Node} node @returns {import("./tree.js").Move | null} the move that made the node's position */
function lastMove(node) {
  for (let at = /** @type {Node | null} */ (node); at; at = at.parent) if (at.move) return at.move;
  return null;
}

/** @param {Map<string, Node>} nodes @returns {Node | undefined} */
function nodeAtAddress(nodes) {
  const query = new URLSearchParams(location.search);
  const own = (query.get("try") || "").split(".").filter(Boolean).map((usi) => `~${usi}`);
  return nodes.get(nodeKey(query.get("fork") || "", Number(query.get("ply") || 0)) + own.join(""));
}

/** @param {HTMLElement} list @returns {Map<string, HTMLElement>} */
function itemsByKey(list) {
  const items = new Map();
  for (const item of list.querySelectorAll("li[data-key]")) {
    items.set(/** @type {HTMLElement} */ (item).dataset.key, item);
  }
  return items;
}

/**
 * The time each side has used at every node.
 * @param {Node} first
 * @param {Map<string, HTMLElement>} items
 * @param {string[]} begun what they show at the first node
 * @returns {Map<string, [string, string]>}
 */
function clocksByKey(first, items, begun) {
  const clocks = new Map([[first.key, begun]]);
  const waiting = [...first.children];
  while (waiting.length) {
    const node = /** @type {Node} */ (waiting.pop());
    const own = [...(clocks.get(/** @type {Node} */ (node.parent).key) || ["", ""])];
    const total = items.get(node.key)?.dataset.total;
    if (total && node.move) own[node.move.color] = total;
    clocks.set(node.key, own);
    waiting.push(...node.children);
  }
  return /** @type {Map<string, [string, string]>} */ (clocks);
}

/** @param {Element | undefined} item @returns {HTMLAnchorElement | null} */
function linkOf(item) {
  return item ? item.querySelector(":scope > a") : null;
}

/** @param {HTMLElement | undefined} before @param {HTMLElement | undefined} after */
function markItem(before, after) {
  linkOf(before)?.removeAttribute("aria-current");
  linkOf(after)?.setAttribute("aria-current", "step");
}

/**
 * Below the screen the rows of the list are not laid out, and asking where one is would lay them out.
 * @param {HTMLElement} list
 * @returns {boolean}
 */
function isOnScreen(list) {
  const { top, bottom } = list.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}

/**
 * Scrolls the list alone: scrollIntoView would move the page, and the board with it.
 * A row that leaves the frame comes back a third of the way into it: every scroll is paid for, so there are few.
 * @param {HTMLElement | undefined} item
 * @param {HTMLElement} list
 */
function keepInSight(item, list) {
  const link = linkOf(item);
  if (!link) return;
  const frame = list.getBoundingClientRect();
  const box = link.getBoundingClientRect();
  const third = frame.height / 3;
  if (box.top < frame.top + box.height) list.scrollTop += box.top - frame.bottom + third;
  else if (box.bottom > frame.bottom - box.height) list.scrollTop += box.top - frame.top - third;
}

/** @param {HTMLElement} root */
function findParts(root) {
  /** @param {string} selector @returns {HTMLElement} */
  const one = (selector) => {
    const found = root.querySelector(selector);
    if (!(found instanceof HTMLElement)) throw new Error(`the replay page lacks ${selector}`);
    return found;
  };
  const links = /** @type {HTMLAnchorElement[]} */ ([...root.querySelectorAll("a[data-go]")]);
  return {
    board: one(".board-host"),
    hands: [one('.seat[data-color="0"] .hand-host'), one('.seat[data-color="1"] .hand-host')],
    clocks: [one('.seat[data-color="0"] .clock'), one('.seat[data-color="1"] .clock')],
    go: new Map(links.map((link) => [link.dataset.go || "", link])),
    flip: one("a.flip"),
    ply: one(".ply"),
    last: one(".last-ply"),
    live: one(".live"),
    comment: one(".comment"),
    words: root.querySelector(".position-words"),
    choices: one(".choices"),
    choiceList: one(".choices ol"),
    further: one(".choices .further"),
    // Frames on other sites have no codes below the board.
    position: /** @type {HTMLAnchorElement | null} */ (root.querySelector("a.position-link")),
  };
}
