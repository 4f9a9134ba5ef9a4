// The script of the sandboxed frame, with stand-ins for its window.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import vm from "node:vm";

const source = readFileSync(new URL("sandbox.js", import.meta.url), "utf8");

/** Runs the script in a window of an origin, and says what it does. @param {string} origin */
function open(origin) {
  /** @type {Set<(event: any) => void>} */ const listeners = new Set();
  /** @type {any[]} */ const workers = [];
  const parent = {
    /** @type {any[]} */ heard: [],
    postMessage: (/** @type {any[]} */ ...said) => parent.heard.push(said),
  };
  const window = {
    GUEST: "the guest", origin, parent, Blob,
    addEventListener: (/** @type {string} */ _type, /** @type {(event: any) => void} */ f) => listeners.add(f),
    removeEventListener: (/** @type {string} */ _type, /** @type {(event: any) => void} */ f) => listeners.delete(f),
    URL: { createObjectURL: () => "blob:null/1" },
    Worker: class {
      /** @param {string} url */
      constructor(url) {
        workers.push({ url });
      }
      /** @param {any} m @param {any[]} ports */
      postMessage(m, ports) {
        Object.assign(workers.at(-1), { m, ports });
      }
    },
  };
  vm.runInNewContext(source, { ...window, self: window });
  const tell = (/** @type {any} */ event) => [...listeners].forEach((f) => f({ ports: [], data: null, ...event }));
  return { parent, workers, listeners, tell };
}

for (const origin of ["https://site.example", "http://127.0.0.1:8080", "file://", ""]) {
  test(`with the origin ${JSON.stringify(origin)} it listens to nobody`, () => {
    const { parent, workers, listeners, tell } = open(origin);
    tell({ source: parent, ports: ["port"] });
    assert.equal(listeners.size, 0);
    assert.deepEqual(parent.heard, []);
    assert.deepEqual(workers, []);
  });
}

test("with an opaque origin it takes one port, from the page around it", () => {
  const { parent, workers, tell } = open("null");
  assert.deepEqual(parent.heard, [["ready", "*"]]);
  tell({ source: {}, ports: ["of another window"] });
  tell({ source: parent });
  assert.deepEqual(workers, []);
  tell({ source: parent, ports: ["port"] });
  tell({ source: parent, ports: ["one more"] });
  assert.equal(workers.length, 1);
  assert.deepEqual([...workers[0].ports], ["port"]);
});
