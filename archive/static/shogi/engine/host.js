/**
 * Runs an engine made with Emscripten in this worker: lines of USI come in and go out as messages.
 * The first message is its description, {script, factory}; the files are beside this one.
 */

/* global importScripts */

self.onmessage = async ({ data: { script, factory } }) => {
  /** @type {string[]} */
  const early = [];
  self.onmessage = ({ data }) => early.push(data);
  importScripts(script);
  const engine = await self[factory]({ mainScriptUrlOrBlob: script, locateFile: (/** @type {string} */ name) => name });
  engine.addMessageListener((/** @type {string} */ line) => self.postMessage(line));
  self.onmessage = ({ data }) => engine.postMessage(data);
  for (const line of early) engine.postMessage(line);
};
