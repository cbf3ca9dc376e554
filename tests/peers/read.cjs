// Reads records with json-kifu-format and tsshogi, as far as the folder has them.
// Use: node read.cjs FOLDER < requests > answers, a JSON object a line: {"id", "peer", "format", "text"} to
// {"id", "sfen", "lines"} or {"id", "refused"}. `lines` is the tree of the record, see record.py.
"use strict";
const { createInterface } = require("node:readline");
const { createRequire } = require("node:module");
const { join, resolve } = require("node:path");

const load = createRequire(join(resolve(process.argv[2] ?? "."), "package.json"));
const files = "abcdefghi";
const square = (x, y) => `${x}${files[y - 1]}`;
const letters = { FU: "P", KY: "L", KE: "N", GI: "S", KI: "G", KA: "B", HI: "R" };

// --- json-kifu-format ----------------------------------------------------------------------------------

function jkfMove(move) {
  const to = square(move.to.x, move.to.y);
  if (!move.from) return `${letters[move.piece]}*${to}`;
  return square(move.from.x, move.from.y) + to + (move.promote ? "+" : "");
}

function jkfLine(entries) {
  return entries.map((entry) => {
    const found = { comments: entry.comments ?? [], forks: (entry.forks ?? []).map(jkfLine) };
    if (entry.move) found.move = jkfMove(entry.move);
    else if (entry.special) found.special = entry.special;
    return found;
  });
}

function jsonKifuFormat() {
  const { JKFPlayer, Parsers } = load("json-kifu-format");
  const parse = { kif: Parsers.parseKIF, ki2: Parsers.parseKI2, csa: Parsers.parseCSA, jkf: JSON.parse };
  return (format, text) => {
    const record = parse[format](text);
    const player = new JKFPlayer(record);
    player.goto(Infinity);
    return { sfen: player.shogi.toSFENString(), lines: jkfLine(record.moves) };
  };
}

// --- tsshogi -------------------------------------------------------------------------------------------

function tsshogi() {
  const T = load("tsshogi");
  const parse = {
    kif: T.importKIF, ki2: T.importKI2, csa: T.importCSA, jkf: T.importJKFString,
    usi: (text) => T.Record.newByUSI(text.trim()),
  };
  const entry = (node) => {
    const found = { comments: node.comment ? node.comment.split("\n") : [], forks: [] };
    if (node.bookmark) found.bookmark = node.bookmark;
    if (node.move instanceof T.Move) found.move = node.move.usi;
    else if (node.ply) found.special = node.move.type === "any" ? node.move.name : node.move.type;
    return found;
  };
  const line = (first) => {
    const entries = [];
    for (let node = first; node; node = node.next) {
      const found = entry(node);
      if (node.isFirstBranch && node.ply) {
        for (let other = node.branch; other; other = other.branch) found.forks.push(line(other));
      }
      entries.push(found);
    }
    return entries;
  };
  return (format, text) => {
    const record = parse[format](text);
    if (record instanceof Error) throw record;
    const lines = line(record.first);
    record.goto(Infinity);
    return { sfen: record.position.sfen, lines };
  };
}

// --- requests ------------------------------------------------------------------------------------------

const makers = { "json-kifu-format": jsonKifuFormat, tsshogi };
const peers = {};
for (const [name, make] of Object.entries(makers)) {
  try {
    peers[name] = make();
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND") throw error;
  }
}
process.stdout.write(JSON.stringify({ peers: Object.keys(peers) }) + "\n");
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, peer, format, text } = JSON.parse(line);
  let answer;
  try {
    answer = { id, ...peers[peer](format, text) };
  } catch (error) {
    answer = { id, refused: String(error.message ?? error).slice(0, 200) };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
});
