// @ts-check
/** Updates the page's address to the shown node, also for fast steps and when the page is left soon. */

/** Browsers refuse more than about a hundred changes of the address in 30 seconds. */
const INTERVAL = 350;

/**
 * @param {() => string | null} read the address of what is shown; null where the address is to stay for now
 * @returns {() => void} to be called where something else is shown
 */
export function keepAddress(read) {
  let timer = 0;
  let changed = -INTERVAL;

  function write() {
    clearTimeout(timer);
    const address = read();
    if (address === null || address === location.pathname + location.search) return;
    changed = performance.now();
    history.replaceState(null, "", address);
  }

  // Who follows a link at once must find on the way back what was shown.
  window.addEventListener("pagehide", write);
  return () => {
    clearTimeout(timer);
    const wait = changed + INTERVAL - performance.now();
    if (wait > 0) timer = window.setTimeout(write, wait);
    else write();
  };
}
