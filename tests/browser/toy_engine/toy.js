/* An engine that answers at once: it knows the first moves of two positions, and searches until it is stopped. */
const LINES = {
  b: ["score cp 35 pv 2g2f 8c8d", "score cp -20 pv 7g7f 3c3d", "score mate -5 pv 9i9h 1a1b"],
  w: ["score cp 12 pv 3c3d 2g2f", "score lowerbound cp 90 pv 8c8d", "score mate 3 pv 8c8d 7g7f"],
};
let lines = 1;
let side = "b";
self.onmessage = ({ data }) => {
  const words = data.split(" ");
  if (data === "usi") ["id name Toy", "option name Style type string", "usiok"].forEach((line) => self.postMessage(line));
  if (data === "isready") self.postMessage("readyok");
  if (words[2] === "MultiPV") lines = Number(words[4]);
  if (words[0] === "position") side = words[3];
  if (words[0] === "go") LINES[side].slice(0, lines).forEach((line, index) =>
    self.postMessage(`info depth 7 nodes 1234 nps 5000 multipv ${index + 1} ${line}`));
  if (data === "stop") self.postMessage("bestmove resign");
};
