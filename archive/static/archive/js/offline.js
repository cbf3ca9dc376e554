// @ts-check
/** Pages and the service worker (`service-worker.js`): starts it, and asks it. */

/**
 * @param {string} what @param {number} [id]
 * @returns {Promise<any>} the service worker's answer; null if the browser has none
 */
export async function ask(what, id) {
  const worker = (await navigator.serviceWorker?.ready)?.active;
  if (!worker) return null;
  return new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => done(data);
    worker.postMessage({ do: what, id }, [port2]);
  });
}

const AGAIN = 8000;

/** Uploads that waited go when the browser has a network again, and those that the archive could not take, later. */
async function flush() {
  if (navigator.onLine && await ask("flush")) setTimeout(flush, AGAIN);
}

const address = document.querySelector("link[rel=manifest]")?.getAttribute("data-worker");
if (address && navigator.serviceWorker) {
  navigator.serviceWorker.register(address, { scope: "/" }).then(flush, () => {});
  window.addEventListener("online", flush);
}
