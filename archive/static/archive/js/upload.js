// @ts-check
/** The upload page: files can be dropped or pasted anywhere, pasted records land in the text field. */

const SHOWN = 20;
/** The most bytes of a request without its files, and of each file without its content and name. */
const FORM_HEAD = 10_000;
const FILE_HEAD = 1_000;
/** The service worker keeps a copy of uploads with up to so many bytes until they are sent. */
const COPIED_BYTES = 16_000_000;
const form = document.querySelector("form.upload");
const drop = document.querySelector(".drop");
const input = document.getElementById("file");
const folder = document.getElementById("folder");
const text = document.getElementById("text");
const chosen = document.querySelector(".chosen");

/** @param {DataTransfer | null} data @returns {boolean} whether there were files */
function takeFiles(data) {
  if (!data?.files.length || !(input instanceof HTMLInputElement)) return false;
  const entries = Array.from(data.items, (item) => item.webkitGetAsEntry());
  if (entries.some((entry) => entry?.isDirectory)) takeFolders(entries);
  else choose(Array.from(data.files));
  return true;
}

/** @param {(FileSystemEntry | null)[]} entries */
async function takeFolders(entries) {
  choose((await Promise.all(entries.map((entry) => (entry ? filesIn(entry) : [])))).flat());
}

/** @param {FileSystemEntry} entry @returns {Promise<File[]>} the files of a dropped folder, in all folders below */
async function filesIn(entry) {
  if (entry.isFile) {
    return [await new Promise((done, failed) =>
      /** @type {FileSystemFileEntry} */ (entry).file(done, failed))];
  }
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
  /** @type {File[]} */
  const files = [];
  // A folder is read in pieces; the last piece is empty.
  for (;;) {
    /** @type {FileSystemEntry[]} */
    const some = await new Promise((done, failed) => reader.readEntries(done, failed));
    if (!some.length) return files;
    for (const one of some) files.push(...(await filesIn(one)));
  }
}

/** @param {File[]} files */
function choose(files) {
  if (!(input instanceof HTMLInputElement)) return;
  const data = new DataTransfer();
  for (const file of files) data.items.add(file);
  input.files = data.files;
  input.dispatchEvent(new Event("change"));
}

function showChosen() {
  if (!(input instanceof HTMLInputElement)) return;
  show(shortened(Array.from(input.files || [], (file) => file.name)));
}

/** @param {string[]} names @returns {string[]} the first of them, and how many there are more */
function shortened(names) {
  const more = names.length > SHOWN ? [`+ ${names.length - SHOWN}`] : [];
  return [...names.slice(0, SHOWN), ...more];
}

/** @param {number[]} numbers @returns {string} `1-3,7` for 1, 2, 3 and 7 */
function ranges(numbers) {
  /** @type {number[][]} */
  const ends = [];
  for (const number of [...new Set(numbers)].sort((one, other) => one - other)) {
    const last = ends.at(-1);
    if (last && last[1] === number - 1) last[1] = number;
    else ends.push([number, number]);
  }
  return ends.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
}

/** @param {string[]} lines */
function show(lines) {
  chosen?.replaceChildren(...lines.map((line) => {
    const item = document.createElement("li");
    item.textContent = line;
    return item;
  }));
}

/**
 * Repeats a request after `Retry-After`: thousands of files exceed the limits of requests for a while.
 * @param {() => Promise<Response>} request @returns {Promise<Response | null>} null without a response
 */
async function retried(request) {
  for (;;) {
    const answer = await request().catch(() => null);
    const seconds = answer?.status === 429 ? Number(answer.headers.get("Retry-After")) : 0;
    if (!seconds) return answer;
    await new Promise((done) => { setTimeout(done, seconds * 1000); });
  }
}

/**
 * The files as requests may have them: so many and so many bytes at most. A file that is too large for any is alone.
 * @param {File[]} files @param {DOMStringMap} limits @returns {File[][]}
 */
function partsOf(files, limits) {
  /** @type {File[][]} */
  const parts = [];
  let left = 0;
  for (const file of files) {
    const bytes = file.size + FILE_HEAD + 3 * file.name.length;
    const part = parts.at(-1);
    if (part && bytes <= left && part.length < Number(limits.files)) part.push(file);
    else {
      parts.push([file]);
      left = Number(limits.bytes) - FORM_HEAD;
    }
    left -= bytes;
  }
  return parts;
}

/** @typedef {{name: string, code?: string, detail?: string}} Refusal */

/** @param {HTMLElement} form @param {Refusal} refusal @returns {string} the file, and why it is refused */
function refusalOf(form, { name, code, detail }) {
  const reasons = { empty: form.dataset.empty, "too-large": form.dataset.large };
  const reason = reasons[/** @type {keyof typeof reasons} */ (code)] || detail;
  return reason ? `${name}: ${reason}` : name;
}

/** What is too much for one request goes in several; the page shows how far that is. */
async function sendInParts(/** @type {HTMLFormElement} */ form, /** @type {File[][]} */ parts) {
  const token = /** @type {HTMLInputElement | null} */ (form.querySelector("[name=csrfmiddlewaretoken]"));
  const headers = { "X-CSRFToken": token?.value || "" };
  /** @type {number[]} */
  const sent = [];
  /** @type {string[]} */
  const refused = [];
  const all = parts.flat().length;
  const space = /** @type {HTMLSelectElement | null} */ (form.querySelector("[name=space]"));
  for (const part of parts) {
    const body = new FormData();
    body.append("space", space?.value || "");
    for (const file of part) body.append("file", file, file.name);
    const answer = await retried(() => fetch(form.dataset.api || "", { method: "POST", body, headers }));
    const result = await answer?.json().catch(() => null);
    if (answer?.ok) {
      const { uploads, refused: others = [] } = result;
      sent.push(...uploads.map((/** @type {{id: number}} */ one) => one.id));
      refused.push(...others.map((/** @type {Refusal} */ one) => refusalOf(form, one)));
    } else refused.push(...part.map(({ name }) => refusalOf(form, { name, code: result?.code })));
    show([`${sent.length} / ${all}`]);
  }
  const address = `${form.action.split("?")[0]}?sent=${ranges(sent)}`;
  if (!refused.length) return location.assign(address);
  show([`${sent.length} / ${all}`, `${form.dataset.refused} ${refused.length}:`, ...shortened(refused)]);
  if (!sent.length) return;
  const link = document.createElement("a");
  link.href = address;
  link.textContent = form.dataset.sent || "";
  const item = document.createElement("li");
  item.append(link);
  chosen?.append(item);
}

if (form && drop) {
  form.addEventListener("submit", (event) => {
    const files = input instanceof HTMLInputElement ? Array.from(input.files || []) : [];
    if (!(form instanceof HTMLFormElement)) return;
    // What is pasted goes along as the form would send it: as one more record.
    if (text instanceof HTMLTextAreaElement && text.value.trim()) {
      files.push(new File([text.value], form.dataset.pasted || "record"));
    }
    const parts = partsOf(files, form.dataset);
    if (parts.length <= 1) {
      const large = files.reduce((bytes, { size }) => bytes + size, 0) > COPIED_BYTES;
      if (large) form.action += `${form.action.includes("?") ? "&" : "?"}large`;
      return;
    }
    event.preventDefault();
    sendInParts(form, parts);
  });
  input?.addEventListener("change", showChosen);
  folder?.addEventListener("change", () => {
    if (folder instanceof HTMLInputElement) choose(Array.from(folder.files || []));
  });
  for (const name of ["dragenter", "dragover"]) {
    document.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.add("over");
    });
  }
  for (const name of ["dragleave", "drop"]) {
    document.addEventListener(name, () => drop.classList.remove("over"));
  }
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    takeFiles(event.dataTransfer);
  });
  document.addEventListener("paste", (event) => {
    if (takeFiles(event.clipboardData)) return;
    if (!(text instanceof HTMLTextAreaElement) || event.target === text) return;
    text.value = event.clipboardData?.getData("text/plain") || "";
    text.focus();
  });
}
