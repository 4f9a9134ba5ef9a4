// What is shown of the cluster's state, in as much of a document as that needs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Banners, watchState } from "./banner.js";

class Element {
  children = [];
  attributes = {};
  dataset = {};
  listeners = {};
  constructor(tag) {
    this.tag = tag;
  }
  append(...more) {
    for (const e of more) {
      e.parent = this;
      this.children.push(e);
    }
  }
  prepend(e) {
    e.parent = this;
    this.children.unshift(e);
  }
  remove() {
    this.parent.children = this.parent.children.filter((e) => e !== this);
  }
  setAttribute(name, value) {
    this.attributes[name] = value;
  }
  addEventListener(name, f) {
    this.listeners[name] = f;
  }
  find(text) {
    return this.textContent === text ? this : this.children.map((c) => c.find(text)).find(Boolean);
  }
  click(label) {
    this.find(label).listeners.click();
  }
}

function page() {
  const body = new Element("body");
  const document = {
    body,
    createElement: (tag) => new Element(tag),
    getElementById: (id) => body.children.find((e) => e.id === id) ?? null,
  };
  let listener;
  let restarts = 0;
  const chosen = [];
  const tabernetes = {
    onState: (l) => (listener = l),
    restart: async (onDamage) => (restarts++, chosen.push(onDamage)),
    erase: async () => chosen.push("erase"),
    setAlone: async (on) => chosen.push(on),
  };
  const banners = new Banners(document);
  watchState(tabernetes, banners);
  const fine = { state: "ready", reason: "", sound: "", setAside: "", problem: "", trouble: "", secondTab: false,
    tab: "tab 1", tabs: 1, cel: { loaded: 0, total: 0, problem: "" } };
  const shown = () => (body.children[0]?.children ?? []).map((b) => `${b.dataset.banner} ${b.attributes.role}`);
  return { body, banners, shown, state: (more) => listener({ ...fine, ...more }), restarts: () => restarts, chosen };
}

test("nothing to tell", () => {
  const { shown, state } = page();
  state({ state: "loading" });
  state({});
  assert.deepEqual(shown(), []);
});

test("the evaluator of CEL: how far it is loaded, or why not, until it is there", () => {
  const { shown, state } = page();
  state({ cel: { loaded: 1e6, total: 21e6, problem: "" } });
  assert.deepEqual(shown(), ["cel status"]);
  state({ cel: { loaded: 0, total: 0, problem: "there is no connection" } });
  assert.deepEqual(shown(), ["cel status"]);
  state({});
  assert.deepEqual(shown(), []);
});

test("a crash is an alert that stays until the cluster is back", () => {
  const { body, shown, state, restarts } = page();
  state({ state: "crashed", reason: "panic: it broke" });
  state({ state: "crashed", reason: "panic: it broke" });
  assert.deepEqual(shown(), ["crashed alert"]);
  assert.ok(body.find("panic: it broke"));
  assert.equal(body.find("Dismiss"), undefined);
  body.click("Restart");
  assert.equal(restarts(), 1);
  state({ state: "loading" });
  assert.deepEqual(shown(), []);
});

test("a crash can be answered by a download and by a new cluster", (t) => {
  const { body, state, chosen } = page();
  state({ state: "crashed", reason: "out of memory" });
  assert.ok(body.find("Download what is saved"));
  t.after(() => delete globalThis.confirm);
  globalThis.confirm = () => false;
  body.click("Remove it and start over");
  assert.deepEqual(chosen, []);
  globalThis.confirm = () => true;
  body.click("Remove it and start over");
  assert.deepEqual(chosen, ["erase"]);
});

test("a damaged cluster is asked about", () => {
  const { body, shown, state, chosen } = page();
  state({ state: "damaged", reason: "the log ends at revision 5, and had come to 9",
    sound: "sound are 90 of 120 bytes" });
  assert.deepEqual(shown(), ["damaged alert"]);
  assert.ok(body.find("the log ends at revision 5, and had come to 9; sound are 90 of 120 bytes"));
  assert.equal(body.find("Dismiss"), undefined);
  body.click("Open the intact part");
  body.click("Start a new cluster");
  assert.deepEqual(chosen, ["salvage", "replace"]);
  state({});
  assert.deepEqual(shown(), []);
});

test("a cluster of another release is not offered in part", () => {
  const { body, shown, state, chosen } = page();
  state({ state: "damaged", reason: "it was saved by another release of Tabernetes", sound: "" });
  assert.deepEqual(shown(), ["damaged alert"]);
  assert.ok(body.find("it was saved by another release of Tabernetes"));
  assert.ok(body.find("The saved cluster was not opened. A copy of all of it is kept in any case."));
  assert.equal(body.find("Open the intact part"), undefined);
  body.click("Start a new cluster");
  assert.deepEqual(chosen, ["replace"]);
});

test("trouble with the storage is said while it lasts, in its present words", () => {
  const { body, shown, state } = page();
  state({ trouble: "the disk is full" });
  state({ trouble: "the quota is used up" });
  assert.deepEqual(shown(), ["trouble alert"]);
  assert.ok(body.find("the quota is used up"));
  state({});
  assert.deepEqual(shown(), []);
});

test("a saved state that was set aside is named and can be had", () => {
  const { body, shown, state } = page();
  state({ setAside: "set-aside-1.log", problem: "bad checksum" });
  assert.deepEqual(shown(), ["set-aside alert"]);
  assert.match(body.children[0].children[0].children[0].textContent, /set-aside-1\.log/);
  assert.ok(body.find("bad checksum") && body.find("Download it"));
});

test("a second tab says that it works on a copy; once dismissed it stays away", () => {
  const { body, shown, state } = page();
  state({ secondTab: true });
  assert.deepEqual(shown(), ["second-tab status"]);
  body.click("Dismiss");
  state({ secondTab: true });
  assert.deepEqual(shown(), []);
  state({});
  state({ secondTab: true, problem: "and it is full" });
  assert.deepEqual(shown(), ["problem alert", "second-tab status"]);
});

test("a tab that shares the cluster says so, and offers a copy; one with a copy offers to share", () => {
  const { body, shown, state, chosen } = page();
  state({ tabs: 3 });
  assert.deepEqual(shown(), [], "the first tab has nothing to say");
  state({ tab: "tab 2", tabs: 2 });
  assert.deepEqual(shown(), ["shared status"]);
  assert.match(body.children[0].children[0].children[0].textContent, /^This is tab 2 of one cluster/);
  body.click("Work on a copy");
  state({ tab: "tab 2", secondTab: true });
  body.click("Share the cluster");
  assert.deepEqual(chosen, [true, false]);
});

test("a notice that was dismissed for good stays away until its words change", () => {
  const kept = new Map();
  const memory = { getItem: (k) => kept.get(k) ?? null, setItem: (k, v) => kept.set(k, v) };
  const visit = (text) => {
    const { body, banners } = page();
    new Banners(banners.document, memory).set("lost", { kind: "notice", text, detail: "why", remember: true });
    return body;
  };
  visit("something is missing").click("Dismiss");
  assert.equal(visit("something is missing").find("something is missing"), undefined);
  assert.ok(visit("something else is missing").find("something else is missing"));
});
