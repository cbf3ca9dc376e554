// @ts-check
/**
 * Where an unfinished record is stored: at once in the browser, and soon after as a draft of the account.
 * Another tab or device that has sent a later version is never overwritten: whoever edits decides.
 */

import { recall, remember } from "../archive/js/memory.js";

/** @typedef {import("./record-tree.js").Record_} Record_ */
/** @typedef {{id: number, url: string, version: number, record?: Record_, game_id: number | null}} Draft */
/** @typedef {"saved" | "sending" | "local" | "offline" | "conflict" | "refused"} State */

const PAUSE = 900;
const RETRY = 8000;

export class DraftStore {
  /**
   * @param {{api: string, token: string, signedIn: boolean, name: string, draft: {id: number, version: number} | null,
   *   game: number | null}} place `name` is that of the record in the browser
   * @param {(state: State, code?: string) => void} told
   * @param {(id: number) => void} made the draft has got a number
   */
  constructor({ api, token, signedIn, name, draft, game }, told, made) {
    this.api = api;
    this.token = token;
    this.signedIn = signedIn;
    this.name = name;
    this.draft = draft;
    this.game = game;
    this.told = told;
    this.made = made;
    /** @type {Record_ | null} */
    this.waiting = null;
    this.timer = 0;
    /** @type {Promise<void> | null} */
    this.busy = null;
    window.addEventListener("online", () => this.send());
    window.addEventListener("pagehide", () => this.send());
  }

  /** @returns {{record: Record_, version: number, saved: boolean} | null} what the browser has of this record */
  local() {
    const text = recall(this.name);
    try {
      return text ? JSON.parse(text) : null;
    } catch {
      return null;
    }
  }

  /** @param {Record_} record @param {boolean} saved */
  keep(record, saved) {
    remember(this.name, JSON.stringify({ record, saved, version: this.draft?.version || 0 }));
  }

  /** @param {Record_} record it has changed */
  store(record) {
    this.keep(record, false);
    this.waiting = record;
    this.told(this.signedIn ? "sending" : "local");
    clearTimeout(this.timer);
    if (this.signedIn) this.timer = window.setTimeout(() => this.send(), PAUSE);
  }

  /** Sends what is waiting. @returns {Promise<void>} */
  async send() {
    while (this.busy) await this.busy;
    clearTimeout(this.timer);
    if (!this.waiting || !this.signedIn) return;
    const record = this.waiting;
    this.waiting = null;
    this.busy = this.sendOne(record);
    await this.busy;
    this.busy = null;
  }

  /** @param {Record_} record */
  async sendOne(record) {
    const { draft } = this;
    const answer = await this.request(draft ? "PUT" : "POST", draft ? `drafts/${draft.id}` : "drafts", draft
      ? { record, version: draft.version }
      : { record, ...(this.game ? { game_id: this.game } : {}) });
    if (answer.ok) {
      this.took(answer.body, record);
      return;
    }
    this.waiting = this.waiting || record;
    if (answer.status === 412) this.told("conflict");
    else if (answer.status && answer.status !== 429 && answer.status < 500) this.told("refused", answer.body?.code);
    else {
      this.told("offline");
      this.timer = window.setTimeout(() => this.send(), RETRY);
    }
  }

  /** @param {Draft} body @param {Record_} record */
  took(body, record) {
    const isNew = !this.draft;
    this.draft = { id: body.id, version: body.version };
    if (isNew) {
      remember(this.name, "");
      this.name = `draft-${body.id}`;
      this.made(body.id);
    }
    this.keep(this.waiting || record, !this.waiting);
    if (!this.waiting) this.told("saved");
  }

  /** Takes the draft's present version as the one that is replaced. @returns {Promise<Draft | null>} */
  async fetchDraft() {
    if (!this.draft) return null;
    const answer = await this.request("GET", `drafts/${this.draft.id}`);
    if (!answer.ok) return null;
    this.draft.version = answer.body.version;
    return answer.body;
  }

  /** @param {string} method @param {string} path @param {object} [body] @returns {Promise<{ok: boolean, status: number, body: any}>} */
  async request(method, path, body) {
    const headers = { "X-CSRFToken": this.token, ...(body ? { "Content-Type": "application/json" } : {}) };
    const answer = await fetch(this.api + path, {
      method, headers, body: body && JSON.stringify(body), keepalive: !body || JSON.stringify(body).length < 40_000,
    }).catch(() => null);
    if (!answer) return { ok: false, status: 0, body: null };
    const json = answer.status === 204 ? null : await answer.json().catch(() => null);
    return { ok: answer.ok, status: answer.status, body: json };
  }
}
