// What is missing in a browser is found, and said once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FEATURES, missingFeatures, tellMissing } from "./features.js";

/** A browser that has everything. */
const whole = () => ({
  WebAssembly,
  Worker: class {},
  MessageChannel,
  Response,
  ReadableStream,
  crypto: globalThis.crypto,
  navigator: { serviceWorker: {} },
  localStorage: {},
  HTMLElement: { prototype: { popover: null } },
  CSS: { supports: () => true },
  ResizeObserver: class {},
});

/** How each feature is removed. */
const without = {
  WebAssembly: (w) => delete w.WebAssembly,
  "Web Workers": (w) => delete w.Worker,
  "message channels": (w) => delete w.MessageChannel,
  "streams in answers": (w) => delete w.ReadableStream,
  "random numbers": (w) => delete w.crypto,
  "service workers": (w) => delete w.navigator.serviceWorker,
  localStorage: (w) =>
    Object.defineProperty(w, "localStorage", {
      get() {
        throw new DOMException("The operation is insecure.", "SecurityError");
      },
    }),
  popovers: (w) => delete w.HTMLElement.prototype.popover,
  "the style sheets' newer rules": (w) => (w.CSS.supports = (rule) => rule !== "selector(:has(a))"),
  "observers of sizes": (w) => delete w.ResizeObserver,
};

test("a browser that has everything is told nothing", () => {
  assert.deepEqual(missingFeatures(whole()), { needed: [], lost: [] });
  tellMissing({ needed: [], lost: [] }, /** @type {any} */ ({ set: () => assert.fail("a banner") }));
});

for (const { name, lost } of FEATURES) {
  test(`without ${name}`, () => {
    const scope = whole();
    without[name](scope);
    const missing = missingFeatures(scope);
    assert.deepEqual([...missing.needed, ...missing.lost].map((f) => f.name), [name]);
    assert.equal(missing.lost.length, lost ? 1 : 0);
    const shown = new Map();
    tellMissing(missing, /** @type {any} */ ({ set: (key, notice) => shown.set(key, notice) }));
    const notice = shown.get(lost ? "lost" : "needed");
    assert.equal(shown.size, 1);
    assert.match(notice.text + notice.detail, new RegExp(name));
    if (lost) assert.ok(notice.remember && notice.detail.includes(lost));
    else assert.ok(notice.lasting && notice.kind === "error");
  });
}
