// @ts-check
/** The upload page: files can be dropped or pasted anywhere, pasted records land in the text field. */

const SHOWN = 20;
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
  const found = [];
  // A folder is told of piece by piece; the last piece is empty.
  for (;;) {
    /** @type {FileSystemEntry[]} */
    const some = await new Promise((done, failed) => reader.readEntries(done, failed));
    if (!some.length) return found;
    for (const one of some) found.push(...(await filesIn(one)));
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
  const names = Array.from(input.files || [], (file) => file.name);
  const shown = names.slice(0, SHOWN);
  if (names.length > SHOWN) shown.push(`+ ${names.length - SHOWN}`);
  chosen?.replaceChildren(...shown.map((name) => {
    const item = document.createElement("li");
    item.textContent = name;
    return item;
  }));
}

/** More files than one request may have go in several; the page shows how far that is. */
async function sendInParts(/** @type {HTMLFormElement} */ form, /** @type {File[]} */ files, /** @type {number} */ size) {
  const token = /** @type {HTMLInputElement | null} */ (form.querySelector("[name=csrfmiddlewaretoken]"));
  const headers = { "X-CSRFToken": token?.value || "" };
  /** @type {number[]} */
  const sent = [];
  let refused = 0;
  for (let first = 0; first < files.length; first += size) {
    const body = new FormData();
    for (const file of files.slice(first, first + size)) body.append("file", file, file.name);
    const answer = await fetch(form.dataset.api || "", { method: "POST", body, headers });
    if (answer.ok) sent.push(...(await answer.json()).uploads.map((/** @type {{id: number}} */ one) => one.id));
    else refused += Math.min(size, files.length - first);
    const shown = document.createElement("li");
    shown.textContent = `${sent.length} / ${files.length}${refused ? ` (${form.dataset.refused} ${refused})` : ""}`;
    chosen?.replaceChildren(shown);
  }
  if (!refused) location.assign(`${form.action.split("?")[0]}?sent=${sent.slice(-size).join(",")}`);
}

if (form && drop) {
  form.addEventListener("submit", (event) => {
    const files = input instanceof HTMLInputElement ? Array.from(input.files || []) : [];
    const most = form instanceof HTMLFormElement ? Number(form.dataset.files) : 0;
    if (!(form instanceof HTMLFormElement) || files.length <= most) return;
    event.preventDefault();
    sendInParts(form, files, most);
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
