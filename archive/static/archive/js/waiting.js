// @ts-check
/** Lists of the service worker: uploads that wait for the network, games that can be read without it. */

import { ask } from "./offline.js";

const waiting = document.getElementById("waiting");
const list = waiting?.querySelector("ul");
const games = document.querySelector("#cached-games ol");

/** @param {{id: number, name: string, refused?: string}} one */
function row(one) {
  const item = document.createElement("li");
  const state = one.refused ? `${waiting?.dataset.refused}: ${one.refused}` : waiting?.dataset.waits || "";
  const button = document.createElement("button");
  button.textContent = waiting?.dataset.remove || "";
  button.addEventListener("click", async () => {
    await ask("remove", one.id);
    showWaiting();
  });
  const text = document.createElement("span");
  text.className = "muted";
  text.textContent = state;
  item.append(`${one.name} `, text, " ", button);
  return item;
}

async function showWaiting() {
  const rows = await ask("waiting");
  if (!waiting || !list || !rows) return;
  list.replaceChildren(...rows.map(row));
  waiting.hidden = !rows.length && !waiting.querySelector(".done")?.childElementCount;
}

/** @param {number} number of an upload that waited and is there now */
function showSent(number) {
  const link = document.createElement("a");
  link.href = `${waiting?.dataset.uploads}${number}/`;
  link.textContent = `${waiting?.dataset.sent} ${number}`;
  waiting?.querySelector(".done")?.append(link, " ");
}

/** What another app shared is in the form, and one press adds it. */
async function takeShared() {
  const text = document.getElementById("text"), input = document.getElementById("file");
  if (!(text instanceof HTMLTextAreaElement) || !(input instanceof HTMLInputElement)) return;
  /** @type {{text: string, files: File[]}[]} */
  const shared = await ask("shared") || [];
  if (!shared.length) return;
  const data = new DataTransfer();
  for (const file of shared.flatMap((one) => one.files)) data.items.add(file);
  if (data.files.length) input.files = data.files;
  text.value = [text.value, ...shared.map((one) => one.text)].filter(Boolean).join("\n\n");
  for (const field of [text, input]) field.dispatchEvent(new Event("input", { bubbles: true }));
  input.dispatchEvent(new Event("change"));
  await ask("taken");
  document.querySelector("form.upload .send")?.scrollIntoView({ block: "nearest" });
}

async function showGames() {
  /** @type {{path: string, title: string}[]} */
  const pages = games && await ask("games") || [];
  games?.replaceChildren(...pages.map(({ path, title }) => {
    const item = document.createElement("li"), link = document.createElement("a");
    link.href = path;
    link.textContent = new DOMParser().parseFromString(title, "text/html").documentElement.textContent;
    item.append(link);
    return item;
  }));
}

navigator.serviceWorker?.addEventListener("message", ({ data }) => {
  if (data?.sent) showSent(data.sent);
  showWaiting();
});
showWaiting();
takeShared();
showGames();
