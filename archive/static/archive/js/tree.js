// @ts-check
/**
 * A JKF record as linked nodes. A node's key names its place for addresses and for the move list:
 * the fork path and the ply, such as `":15"` on the main line or `"12.0-14.1:15"` inside forks
 * (at ply 12 the fork number 0, in it at ply 14 the fork number 1).
 *
 * Of a long record a page holds only a piece, which may begin later than the record and end before its lines do.
 */

/** @typedef {{color: number, to: any, from?: any}} Move a move as its game's records have it */

/**
 * @typedef {object} Entry an element of JKF's `moves`
 * @property {Move} [move]
 * @property {string} [special]
 * @property {Entry[][] | Record<string, Entry[]>} [forks] other moves instead of this one, each with what follows
 * @property {number} [left] how many of them the page does not hold
 * @property {number} [last] where the line ends, if the page holds nothing of it behind this entry
 * @property {number} [moves] how many moves lead there
 */

/**
 * @typedef {object} Place a node that the page does not hold
 * @property {string} path
 * @property {number} ply
 * @property {number} [played] moves from the start, if known
 */

/**
 * @typedef {object} Node
 * @property {string} key
 * @property {string} path the fork path, empty on the main line
 * @property {number} ply
 * @property {number} played how many moves lead here; an ending adds none
 * @property {Move | null} move
 * @property {Node | null} parent
 * @property {Node[]} children the line's own continuation first, then its forks, then own moves that were tried
 * @property {boolean} [tried] whether it is a move of the visitor's own, which the record does not have
 * @property {string} [text] such a move in words
 * @property {string} [name] such a move in its game's notation
 * @property {Place} [before] of the first node, where the record begins earlier
 * @property {number} [last] where the node's line ends, which goes on where the page does not
 * @property {number} [moves] how many moves lead there
 * @property {number} [left] how many continuations the page does not hold
 */

/**
 * @param {{moves: Entry[], path?: string, ply?: number, above?: string}} record or a piece of one
 * @param {number} [played] how many moves lead to the first entry
 * @returns {{root: Node, nodes: Map<string, Node>}}
 */
export function buildTree(record, played = 0) {
  /** @type {Map<string, Node>} */
  const nodes = new Map();
  const { path = "", ply = 0, above = "", moves } = record;
  const root = add(nodes, path, ply, null, {});
  root.played = played;
  Object.assign(root, { last: moves[0]?.last, moves: moves[0]?.moves });
  if (ply) {
    root.before = { path: above, ply: ply - 1 };
    root.move = moves[0].move || null;
  }
  addLine(nodes, moves.slice(1), path, ply + 1, root);
  return { root, nodes };
}

/** @param {string} path @param {number} ply @returns {string} */
export function nodeKey(path, ply) {
  return `${path}:${ply}`;
}

/**
 * @param {Map<string, Node>} nodes
 * @param {string} path
 * @param {number} ply
 * @param {Node | null} parent
 * @param {Entry} entry
 * @returns {Node}
 */
function add(nodes, path, ply, parent, entry) {
  const move = entry.move || null;
  const played = (parent ? parent.played : 0) + (move ? 1 : 0);
  /** @type {Node} */
  const node = { key: nodeKey(path, ply), path, ply, played, move, parent, children: [] };
  nodes.set(node.key, node);
  if (parent) parent.children.push(node);
  return node;
}

/**
 * @param {Map<string, Node>} nodes
 * @param {Entry[]} entries
 * @param {string} path
 * @param {number} first the ply of the first entry
 * @param {Node} parent
 */
function addLine(nodes, entries, path, first, parent) {
  entries.forEach((entry, index) => {
    const ply = first + index;
    const node = add(nodes, path, ply, parent, entry);
    if (entry.last) Object.assign(node, { last: entry.last, moves: entry.moves });
    if (entry.left) parent.left = (parent.left || 0) + entry.left;
    for (const [number, fork] of Object.entries(entry.forks || {})) {
      const step = `${ply}.${number}`;
      addLine(nodes, fork, path ? `${path}-${step}` : step, ply, parent);
    }
    parent = node;
  });
}

/**
 * The node of a move that the visitor tries, made where the record has none.
 * @param {Map<string, Node>} nodes
 * @param {Node} parent
 * @param {Move} move
 * @param {{name: string, text: string}} words
 * @returns {Node}
 */
export function tryMove(nodes, parent, move, words) {
  const key = `${parent.key}~${words.name}`;
  const existing = nodes.get(key);
  if (existing) return existing;
  /** @type {Node} */
  const node = {
    key, path: parent.path, ply: parent.ply + 1, played: parent.played + 1, move, parent, children: [],
    tried: true, ...words,
  };
  nodes.set(key, node);
  parent.children.push(node);
  return node;
}

/**
 * The nodes from the start to a node.
 * @param {Node} node
 * @returns {Node[]}
 */
export function lineTo(node) {
  const line = [];
  for (let at = /** @type {Node | null} */ (node); at; at = at.parent) line.push(at);
  return line.reverse();
}

/** @param {Node} node @returns {Node} the last node of the record that leads to it */
export function recorded(node) {
  while (node.tried && node.parent) node = node.parent;
  return node;
}

/** @param {Node} node @returns {Node} the end of its line */
export function lastOf(node) {
  while (node.children.length) node = node.children[0];
  return node;
}

/**
 * The moves to take back and to play to come from one node to another.
 * @param {Node} from
 * @param {Node} to
 * @returns {{back: Move[], forward: Move[]}}
 */
export function route(from, to) {
  const back = [];
  const forward = [];
  /** @type {Node | null} */
  let left = from;
  /** @type {Node | null} */
  let right = to;
  while (left !== right) {
    if (left && (!right || left.ply >= right.ply)) {
      if (left.move) back.push(left.move);
      left = left.parent;
    } else if (right) {
      if (right.move) forward.push(right.move);
      right = right.parent;
    }
  }
  return { back, forward: forward.reverse() };
}
