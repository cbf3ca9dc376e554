// @ts-check
/** A part of a page that shows work: while it has `data-poll`, it is loaded from that address every second. */

const MILLISECONDS = 1000;

/** @param {HTMLElement} part */
async function update(part) {
  const answer = await fetch(part.dataset.poll || "", { headers: { "X-Part": part.id } }).catch(() => null);
  if (answer?.redirected) return location.assign(answer.url);
  const page = answer?.ok && new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page && page.getElementById(part.id);
  if (fresh) part.replaceWith(fresh);
  poll(fresh || part);
}

/** @param {HTMLElement} part */
function poll(part) {
  if (part.dataset.poll) setTimeout(() => update(part), MILLISECONDS);
}

for (const part of document.querySelectorAll("[data-poll]")) poll(/** @type {HTMLElement} */ (part));
