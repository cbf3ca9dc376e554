// Rounds of the Node.js libraries, one at a time, for benchmarks/parse.py.
//
//     node peers.mjs FOLDER_WITH_NODE_MODULES
//
// The first line of the input is {format: [texts]}. The answer is a line per library and format: the plies of the
// games it reads. Then every line of the input is [library, format, text?]: read all those games once, write
// their JSON too if asked, and answer the microseconds that each game took.
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

const require = createRequire(join(resolve(process.argv[2]), "package.json"));
const { Parsers } = require("json-kifu-format");
const tsshogi = require("tsshogi");

const orThrow = (found) => {
  if (found instanceof Error) throw found;
  return found;
};
const LIBRARIES = {
  "json-kifu-format": {
    kif: Parsers.parseKIF,
    ki2: Parsers.parseKI2,
    csa: Parsers.parseCSA,
  },
  tsshogi: {
    kif: (text) => tsshogi.exportJKF(orThrow(tsshogi.importKIF(text))),
    ki2: (text) => tsshogi.exportJKF(orThrow(tsshogi.importKI2(text))),
    csa: (text) => tsshogi.exportJKF(orThrow(tsshogi.importCSA(text))),
  },
};
const WARMING = 30;

/** The games that a library reads, and how many plies they have. */
function readable(read, texts) {
  const games = [];
  let plies = 0;
  for (const text of texts) {
    try {
      plies += read(text).moves.length - 1;
      games.push(text);
    } catch {
      // It rejects the game; then its time counts without it.
    }
  }
  return { games, plies };
}

/**
 * The microseconds that each game takes: elapsed or processor time, whichever is shorter, so that neither what
 * others take of the machine counts nor the help of threads.
 */
function timed(work, games) {
  return games.map((text) => {
    const cpu = process.cpuUsage();
    const began = process.hrtime.bigint();
    work(text);
    const elapsed = Number(process.hrtime.bigint() - began) / 1000;
    const used = process.cpuUsage(cpu);
    return Math.min(elapsed, used.user + used.system);
  });
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const texts = JSON.parse((await lines.next()).value);
const works = new Map();
for (const [library, formats] of Object.entries(LIBRARIES)) {
  for (const [format, read] of Object.entries(formats)) {
    const { games, plies } = readable(read, texts[format]);
    const written = (text) => JSON.stringify(read(text));
    for (let round = 0; round < WARMING; round++) games.forEach((text) => (round % 2 ? written : read)(text));
    works.set(`${library} ${format} false`, () => timed(read, games));
    works.set(`${library} ${format} true`, () => timed(written, games));
    console.log(JSON.stringify({ library, format, plies }));
  }
}
console.log("null");
for await (const line of lines) {
  const [library, format, text] = JSON.parse(line);
  console.log(JSON.stringify(works.get(`${library} ${format} ${text}`)()));
}
