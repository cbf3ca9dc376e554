// @ts-check
/**
 * The replay of one game: steps through the stored record, keeps board, move list, comment and address together.
 *
 * One mutable state (the node and the position), one function that shows it, at most once per frame.
 * Texts are the server's: the move list holds them, with the node's key in `data-key`.
 */

import { keepAddress } from "./address.js";
import { linkLines, markLines } from "./thoughts.js";
import { buildTree, lineTo, nodeKey, recorded, route } from "./tree.js";

/** @typedef {import("./tree.js").Node} Node */
/** @typedef {import("./tree.js").Place} Place */

const SETTLE = 90;
/** As many own moves as the server takes from an address (archive/web/replay/lines.py). */
const TRIED = 150;
/** Parameters that stay in the addresses of a game's page: whose scores are shown, which mistake, the
 * collection in which it is read, and whose moves are guessed. */
const KEPT = ["engine", "scores", "side", "at", "collection", "guess"];

/**
 * What a board shows; `marked` are names of squares, `shapes` the circles and arrows of comments.
 * @typedef {{position: any, played: number, move: any, label: string, marked: string[], shapes: string[]}} Shown
 */

/**
 * What the replay has to know of a kind of game, whose positions and moves it only hands on.
 * @typedef {object} Kit
 * @property {(root: HTMLElement) => any} start the position where the record begins
 * @property {(host: HTMLElement, config: {flip?: boolean, ranks?: string, hands?: [HTMLElement, HTMLElement]}) => any} board
 * @property {(position: any, move: any) => void} play
 * @property {(position: any, move: any) => void} takeBack
 * @property {(host: HTMLElement, board: any, shown: Shown) => void} show
 * @property {(position: any) => string | null} code as addresses have it; null where there is none
 * @property {(position: any, played: number) => Record<string, string>} texts names of a position, by their elements' class
 * @property {(position: any, japanese: boolean) => string} words
 */

/** The replay of a page; other modules of the page hold on to it. Its position is to be looked at, not to be changed. */
export class Replay {
  /**
   * @param {HTMLElement} root
   * @param {Parameters<typeof buildTree>[0]} record
   * @param {Kit} kit
   */
  constructor(root, record, kit) {
    const { root: first, nodes } = buildTree(record, Number(root.dataset.started || 0));
    this.root = root;
    this.kit = kit;
    this.first = first;
    this.nodes = nodes;
    this.position = this.kit.start(this.root);
    this.list = /** @type {HTMLElement} */ (this.root.querySelector(".moves"));
    this.items = itemsByKey(this.list);
    this.clocks = clocksByKey(this.first, this.items, (this.root.dataset.clocks || "|").split("|"));
    this.parts = findParts(this.root);
    this.solution = /** @type {HTMLDetailsElement | null} */ (this.root.querySelector("details.solution"));
    this.board = this.kit.board(this.parts.board, {
      flip: this.root.classList.contains("flipped"),
      ranks: this.root.dataset.ranks,
      hands: [this.parts.hands[0], this.parts.hands[1]],
    });
    /** @type {((node: Node) => void)[]} */
    this.showListeners = [];
    /** @type {((node: Node) => void)[]} */
    this.settleListeners = [];
    /** @type {Node} */
    this.shown = this.first;
    /** @type {Node | null} whose comment is shown */
    this.commented = null;
    this.target = this.nodes.get(this.root.dataset.node || "") || this.first;
    /** The keys of the nodes shown so far, in a problem. @type {Set<string>} */
    this.seen = new Set();
    this.drawn = false;
    this.scheduled = false;
    this.settleTimer = 0;
    /** Whether a message about the shown node must not be replaced by its description. */
    this.announced = false;
    /** The node whose continuations the server has listed by pages. */
    this.listed = new URLSearchParams(location.search).has("from") ? this.target : null;
    // Before the first frame the address still has own moves, which are shown in that frame.
    this.setAddress = keepAddress(() =>
      (this.scheduled || root.dataset.page || this.shown === this.listed ? null : this.addressOf(this.shown)));
    this.listen();
  }

  /** @param {Node | null | undefined} node */
  go(node) {
    if (!node) return;
    this.target = node;
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => this.show());
  }

  /** Goes to a node, on another page if it is not on this one. @param {string} path @param {number} ply */
  visit(path, ply) {
    const node = this.nodes.get(nodeKey(path, ply));
    if (node) this.go(node);
    else location.assign(this.pageOf({ path, ply }));
  }

  /** @param {Place} place @returns {string} the address at which this page shows another part of the record */
  pageOf({ path, ply }) {
    const query = new URLSearchParams(location.search);
    query.delete("try");
    const flip = Number(this.root.classList.contains("flipped"));
    for (const [name, value] of Object.entries({ ply, fork: path, flip, from: 0 })) {
      if (value || name === "ply") query.set(name, String(value));
      else query.delete(name);
    }
    return `${location.pathname}?${query}`;
  }

  show() {
    this.scheduled = false;
    if (this.drawn && this.shown === this.target) {
      this.setAddress();
      return;
    }
    const { back, forward } = route(this.shown, this.target);
    for (const move of back) this.kit.takeBack(this.position, move);
    for (const move of forward) this.kit.play(this.position, move);
    // Reads geometry, so it comes before anything is changed: the browser lays out once per step, not twice.
    if (isOnScreen(this.list)) keepInSight(this.items.get(this.target.key), this.list);
    markItem(this.items.get(this.shown.key), this.items.get(this.target.key));
    this.shown = this.target;
    if (this.solution) for (const node of lineTo(this.shown)) this.seen.add(node.key);
    this.announced = false;
    this.showBoard();
    this.showTexts();
    for (const listener of this.showListeners) listener(this.shown);
    clearTimeout(this.settleTimer);
    this.settleTimer = window.setTimeout(() => this.settle(), this.drawn ? SETTLE : 0);
    this.drawn = true;
  }

  /** What nobody reads while stepping fast: it waits until the stepping pauses. */
  settle() {
    // Rows that came into sight are as high as they are only now; those that this brings there, two frames later.
    this.keepInSight();
    requestAnimationFrame(() => requestAnimationFrame(() => this.keepInSight()));
    this.showCodes();
    if (!this.announced) this.parts.live.textContent = this.labelOf(this.shown);
    const japanese = document.documentElement.lang === "ja";
    if (this.parts.words) this.parts.words.textContent = this.kit.words(this.position, japanese);
    for (const [name, node] of Object.entries(targets(this.shown))) {
      const link = this.parts.go.get(name);
      if (link) link.href = this.addressOf(!node || this.hides(node) ? this.shown : node);
    }
    this.setAddress();
    for (const listener of this.settleListeners) listener(this.shown);
  }

  /** Tells readers of the screen why nothing moved. @param {string} words */
  announce(words) {
    this.announced = true;
    this.parts.live.textContent = words;
  }

  keepInSight() {
    keepInSight(this.items.get(this.shown.key), this.list);
  }

  showCodes() {
    const link = this.parts.position;
    if (!link) return;
    for (const [name, text] of Object.entries(this.kit.texts(this.position, this.shown.played))) {
      const place = this.root.querySelector(`.${name}`);
      if (place) place.textContent = text;
    }
    const code = this.kit.code(this.position);
    link.hidden = !code;
    if (code) link.href = (this.root.dataset.positionUrl || "").replace("CODE", code);
  }

  showBoard() {
    const { played } = this.shown;
    this.kit.show(this.parts.board, this.board, {
      position: this.position, played, move: lastMove(this.shown), label: this.labelOf(this.shown),
      marked: this.markedAt(this.shown).split(".").filter(Boolean),
      shapes: (this.items.get(this.shown.key)?.dataset.shapes || "").split(" ").filter(Boolean),
    });
  }

  showTexts() {
    const leads = targets(this.shown);
    setText(this.parts.ply, String(this.shown.played));
    setText(this.parts.last, String((leads.end || this.shown).played));
    this.clocks.get(this.shown.key)?.forEach((text, color) => setText(this.parts.clocks[color], text));
    for (const [name, link] of this.parts.go) {
      setAttribute(link, "aria-disabled", String(!leads[name] || this.hides(leads[name])));
    }
    this.showLastMove();
    this.showComment();
    this.showChoices();
  }

  /** For own moves, shows the comment of the node where they leave the record. */
  showComment() {
    const node = recorded(this.shown);
    if (this.commented !== node) this.renewComment(node);
    markLines(this.parts.comment, this.shown);
  }

  /** @param {Node} node */
  renewComment(node) {
    this.commented = node;
    const note = this.items.get(node.key)?.querySelector(":scope > .note");
    if (!note && this.parts.comment.hidden) return;
    this.parts.comment.replaceChildren(...(note ? Array.from(note.cloneNode(true).childNodes) : []));
    this.parts.comment.hidden = !note;
    if (!note) return;
    this.parts.comment.scrollTop = 0;
    if (!this.root.dataset.page) linkLines(this.parts.comment, node, this.addressOf(node));
  }

  /** The shown move in a line, where the list is not in sight. */
  showLastMove() {
    const place = this.parts.lastMove;
    if (!place) return;
    const item = this.items.get(this.shown.key);
    const words = {
      move: this.labelOf(this.shown), t: textIn(item, ":scope > .t"), e: textIn(item, ":scope > .e"),
      words: textIn(item, ":scope > .note > p:not(.thought, .judged)"),
    };
    for (const [name, text] of Object.entries(words)) setText(/** @type {HTMLElement} */ (place.querySelector(`.${name}`)), text);
  }

  /** Where the record branches; of a problem only with its solution open. */
  showChoices() {
    const children = this.solution && !this.solution.open ? [] : this.shown.children.filter((node) => !node.tried);
    if (this.shown === this.listed) return;
    this.listed = null;
    const more = (this.solution && !this.solution.open) || !this.shown.left ? "" : ` +${this.shown.left}`;
    this.parts.choices.hidden = children.length < 2 && !more;
    this.parts.further.replaceChildren(...(more ? [this.furtherChoices(more)] : []));
    if (children.length < 2 && !more) return;
    const links = this.parts.choiceList.getElementsByTagName("a");
    while (links.length < children.length) this.parts.choiceList.append(newChoice());
    while (links.length > children.length) this.parts.choiceList.lastElementChild?.remove();
    children.forEach((node, index) => {
      const link = links[index];
      link.href = this.addressOf(node);
      link.dataset.key = node.key;
      setText(link, this.labelOf(node));
    });
  }

  /** A link to the page that lists all continuations. @param {string} more how many @returns {HTMLElement} */
  furtherChoices(more) {
    const link = document.createElement("a");
    link.href = `${this.pageOf(this.shown)}&from=0`;
    link.textContent = (this.parts.further.dataset.text || "") + more;
    return link;
  }

  /** @param {Node | Place} node @returns {string} the squares that the page's address had marked at this node */
  markedAt(node) {
    const here = "key" in node && node.key === this.root.dataset.node;
    return (here && this.root.dataset.marked) || "";
  }

  /** @param {Node} node @returns {string} */
  labelOf(node) {
    return node.tried ? node.text || "" : linkOf(this.items.get(node.key))?.textContent?.trim() || "";
  }

  /** @param {Node | Place} node @returns {string} the address of the node, with the own moves that lead to it */
  addressOf(node) {
    const own = [];
    for (; "tried" in node && node.tried && node.parent; node = node.parent) own.unshift(node.name);
    const query = new URLSearchParams();
    const here = new URLSearchParams(location.search);
    if (node.ply || this.root.dataset.opening) query.set("ply", String(node.ply));
    if (node.path) query.set("fork", node.path);
    if (this.root.classList.contains("flipped")) query.set("flip", "1");
    const marked = own.length ? "" : this.markedAt(node);
    if (marked) query.set("marked", marked);
    if (own.length) query.set("try", own.slice(0, TRIED).join("."));
    for (const name of KEPT) if (here.has(name)) query.set(name, here.get(name) || "");
    return `${this.root.dataset.page || location.pathname}${query.size ? `?${query}` : ""}`;
  }

  flip() {
    const flipped = this.root.classList.toggle("flipped");
    this.board.flip(flipped);
    this.parts.flip.setAttribute("aria-pressed", String(flipped));
    this.settle();
  }

  /**
   * Whether a place belongs to the closed solution of a problem, and the visitor has not reached it.
   * @param {Node | Place | null} place
   * @returns {boolean}
   */
  hides(place) {
    return Boolean(place && this.solution && !this.solution.open && !("key" in place && this.seen.has(place.key)));
  }

  /** @param {string} name start, back, forward, end, up, down */
  step(name) {
    const target = targets(this.target)[name];
    if (this.hides(target)) {
      this.announce(this.solution?.querySelector("summary")?.textContent?.trim() || "");
      return;
    }
    if (target && !("key" in target)) this.visit(target.path, target.ply);
    else this.go(target);
  }

  /** @param {(node: Node) => void} listener called in the frame in which a node is drawn */
  onShow(listener) {
    this.showListeners.push(listener);
  }

  /** @param {(node: Node) => void} listener called when the stepping has paused */
  onSettle(listener) {
    this.settleListeners.push(listener);
  }

  listen() {
    // What stands around the list comes later than it and takes of its room.
    new ResizeObserver(() => this.keepInSight()).observe(this.list);
    this.root.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || !(event.target instanceof Element)) return;
      const link = event.target.closest("a");
      if (!link) return;
      const key = link.dataset.key ?? link.closest("li")?.dataset.key;
      if (link.dataset.go) this.step(link.dataset.go);
      else if (link === this.parts.flip) this.flip();
      else if (key !== undefined && this.nodes.has(key)) this.go(this.nodes.get(key));
      else return;
      event.preventDefault();
    });
    this.solution?.addEventListener("toggle", () => {
      this.showTexts();
      this.keepInSight();
    });
    window.addEventListener("popstate", () => this.go(nodeAtAddress(this.nodes) || this.first));
    this.show();
    this.root.classList.add("live");
  }
}

/** @returns {HTMLElement} */
function newChoice() {
  const item = document.createElement("li");
  item.appendChild(document.createElement("a")).className = "button";
  return item;
}

/** @param {Element | undefined} item @param {string} selector @returns {string} */
function textIn(item, selector) {
  return item?.querySelector(selector)?.textContent || "";
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
    end: end.last ? { path: end.path, ply: end.last, played: end.moves } : end === node ? null : end,
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
  return root && record && new Replay(root, JSON.parse(record.textContent || ""), kit);
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
  const own = (query.get("try") || "").split(".").filter(Boolean).map((name) => `~${name}`);
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
    const element = root.querySelector(selector);
    if (!(element instanceof HTMLElement)) throw new Error(`the replay page lacks ${selector}`);
    return element;
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
    lastMove: root.querySelector(".last-move"),
    words: root.querySelector(".position-words"),
    choices: one(".choices"),
    choiceList: one(".choices ol"),
    further: one(".choices .further"),
    // Frames on other sites have no codes below the board.
    position: /** @type {HTMLAnchorElement | null} */ (root.querySelector("a.position-link")),
  };
}
