// @ts-check
/**
 * The upload page: what is pasted, or the one file that is chosen, is checked as it stands there; it can be
 * replayed and converted. Nothing of it is stored: `POST api/v1/check` and `convert` forget what they read.
 */

/** @typedef {{code?: string, message: string, detail?: string, severity: string, line?: number | null, column?: number | null, source_line?: string}} Finding */
/** @typedef {{header: Record<string, string>, plies: number, issues: Finding[]}} Checked */
/** @typedef {{record: object | string}} Converted */

const PAUSE = 400;
const SHOWN = 20;
const NAMES = [["先手", "下手"], ["後手", "上手"]];

const place = document.querySelector(".check");
const form = document.querySelector("form.upload");
if (place instanceof HTMLElement && form instanceof HTMLFormElement) watch(place, form);

/** @param {HTMLElement} place @param {HTMLFormElement} form */
function watch(place, form) {
  const text = /** @type {HTMLTextAreaElement} */ (form.elements.namedItem("text"));
  const file = /** @type {HTMLInputElement} */ (document.getElementById("file"));
  const result = /** @type {HTMLElement} */ (place.querySelector(".result"));
  const format = /** @type {HTMLSelectElement} */ (place.querySelector("select"));
  const limit = Number(place.dataset.limit);
  /** @type {Blob | null} */
  let record = null;
  let name = "";
  /** What records of this kind of game are written as. @type {string[]} */
  let formats = [];
  let game = "";
  let timer = 0;
  let requests = 0;

  function changed() {
    clearTimeout(timer);
    timer = setTimeout(check, PAUSE);
  }

  async function check() {
    const request = (requests += 1);
    const chosen = file.files?.length === 1 ? file.files[0] : null;
    const written = text.value.trim() ? new Blob([text.value]) : null;
    record = written || chosen;
    name = written ? "" : chosen?.name || "";
    result.replaceChildren();
    place.hidden = record === null;
    if (record === null) return;
    if (record.size > limit) {
      formats = [];
      show(place, { detail: place.dataset.large }, false);
      return;
    }
    const answer = await post(place.dataset.check || "", {});
    if (request !== requests) return;
    if (answer.seconds) timer = setTimeout(check, answer.seconds * 1000);
    formats = answer.ok ? answer.body.formats : [];
    game = answer.ok ? answer.body.game : "";
    offer(format, formats);
    show(place, answer.body, answer.ok);
  }

  /** @param {string} address @param {Record<string, string>} fields */
  function post(address, fields) {
    const body = new FormData();
    body.set("file", record || new Blob(), name || "record");
    for (const [key, value] of Object.entries(fields)) body.set(key, value);
    const token = /** @type {HTMLInputElement | null} */ (form.querySelector("[name=csrfmiddlewaretoken]"));
    return send(address, body, token?.value || "", place.dataset.later);
  }

  const converted = async (/** @type {string} */ to) => {
    const answer = await post(place.dataset.convert || "", { to });
    if (!answer.ok) show(place, answer.body, false);
    return answer.ok ? answer.body : { games: [] };
  };

  text.addEventListener("input", changed);
  file.addEventListener("change", changed);
  // Pasting anywhere on the page and dropping fill the fields without an event of theirs.
  for (const name of ["paste", "drop"]) document.addEventListener(name, changed);

  place.querySelector(".look")?.addEventListener("click", async () => {
    const { FORMAT, show: showRecord } = await import(`../../${game}/checking.js`);
    const { games } = await converted(FORMAT);
    if (games.length) showRecord(result, games[0].record);
  });

  place.querySelector(".convert")?.addEventListener("click", async () => {
    const { games } = await converted(format.value);
    const texts = games.map((/** @type {Converted} */ game) =>
      typeof game.record === "string" ? game.record : JSON.stringify(game.record, null, 2));
    if (texts.length) result.replaceChildren(fieldOf(texts.join("\n"), format.value));
  });

  changed();
}

/**
 * @param {string} address
 * @param {FormData} body
 * @param {string} token
 * @param {string | undefined} later message if there is no response
 */
async function send(address, body, token, later) {
  const headers = { "X-CSRFToken": token };
  const answer = await fetch(address, { method: "POST", body, headers }).catch(() => null);
  const json = await answer?.json().catch(() => null);
  // Only errors in the record are in the language of the page.
  if (json && (answer?.ok || json.errors?.length)) return { ok: answer?.ok || false, body: json, seconds: 0 };
  const seconds = answer?.status === 429 ? Number(answer.headers.get("Retry-After")) : 0;
  return { ok: false, body: { detail: later }, seconds };
}

/** @param {string} text @param {string} label @returns {HTMLElement} */
function fieldOf(text, label) {
  const field = document.createElement("textarea");
  field.rows = 12;
  field.readOnly = true;
  field.value = text;
  field.setAttribute("aria-label", label);
  return field;
}

/** @param {HTMLSelectElement} select @param {string[]} formats */
function offer(select, formats) {
  for (const option of select.options) option.hidden = option.disabled = !formats.includes(option.value);
  if (select.selectedOptions[0]?.disabled) select.value = [...select.options].find((one) => !one.disabled)?.value || "";
}

/** @param {HTMLElement} place @param {any} answer @param {boolean} ok */
function show(place, answer, ok) {
  const lists = /** @type {HTMLElement[]} */ ([...place.querySelectorAll("ul")]);
  /** @type {Checked[]} */
  const games = ok ? answer.games : [];
  /** @type {Finding[]} */
  const findings = ok
    ? [...answer.issues, ...games.flatMap((game) => game.issues)]
    : answer.errors?.length ? answer.errors : [{ message: answer.detail, severity: "error" }];
  lists[0].replaceChildren(...games.slice(0, SHOWN).map((game) => item(about(place, game, answer.format))));
  lists[1].replaceChildren(...findings.slice(0, SHOWN).map((finding) => {
    const line = finding.line ? ` · ${place.dataset.line?.replace("{}", String(finding.line))}` : "";
    const shown = item(`${finding.message || finding.detail}${line}`);
    if (finding.source_line) shown.append(lineOf(finding.source_line, finding.column || 0));
    // Files in one are nothing wrong: they are read when they are uploaded.
    shown.className = finding.code === "is-container" ? "" : finding.severity || "error";
    return shown;
  }));
  for (const button of place.querySelectorAll("button")) button.disabled = games.length === 0;
  const tools = /** @type {HTMLElement} */ (place.querySelector(".tools"));
  tools.hidden = games.length === 0;
}

/** @param {HTMLElement} place @param {Checked} game @param {string} format */
function about(place, game, format) {
  const names = NAMES.map((keys) => keys.map((key) => game.header[key]).find(Boolean) || "?");
  return `${format.toUpperCase()}  ${names.join(" − ")}  ${place.dataset.plies} ${game.plies}`;
}

/** @param {string} text @param {number} column of the error; 0 for the complete text @returns {HTMLElement} */
function lineOf(text, column) {
  const made = document.createElement("pre");
  const mark = document.createElement("mark");
  mark.textContent = column ? text.charAt(column - 1) : "";
  made.append(...(mark.textContent ? [text.slice(0, column - 1), mark, text.slice(column)] : [text]));
  return made;
}

/** @param {string} text */
function item(text) {
  const made = document.createElement("li");
  made.textContent = text;
  return made;
}
