import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { registerServiceWorker } from "./register.js";

/** A stand-in for navigator.serviceWorker. */
class Container extends EventTarget {
  controller = null;
  registration = Object.assign(new EventTarget(), { waiting: null, installing: null });
  register = mock.fn(async (_url) => this.registration);
}

/** A worker that is being installed. */
class Installing extends EventTarget {
  state = "installing";
  postMessage = mock.fn();
}

let container;
let reload;
const saved = Object.getOwnPropertyDescriptor(globalThis, "navigator");

beforeEach(() => {
  container = new Container();
  reload = mock.fn();
  Object.defineProperty(globalThis, "navigator", { value: { serviceWorker: container }, configurable: true });
  globalThis.location = { reload };
});
afterEach(() => {
  if (saved) Object.defineProperty(globalThis, "navigator", saved);
  delete globalThis.location;
});

/** Lets a version be found and installed. */
function install() {
  const worker = new Installing();
  container.registration.installing = worker;
  container.registration.dispatchEvent(new Event("updatefound"));
  worker.state = "installed";
  container.registration.waiting = worker;
  worker.dispatchEvent(new Event("statechange"));
  return worker;
}

test("the first version is no update", async () => {
  const onUpdate = mock.fn();
  assert.equal(await registerServiceWorker({ onUpdate }), container.registration);
  assert.deepEqual(container.register.mock.calls[0].arguments, ["sw.js"]);
  install();
  container.dispatchEvent(new Event("controllerchange"));
  assert.equal(onUpdate.mock.callCount(), 0);
  assert.equal(reload.mock.callCount(), 0);
});

test("a newer one is told of, and takes over when asked", async () => {
  container.controller = {};
  const onUpdate = mock.fn();
  await registerServiceWorker({ onUpdate });
  const worker = install();
  assert.equal(onUpdate.mock.callCount(), 1);
  assert.equal(worker.postMessage.mock.callCount(), 0);
  // Another tab lets it take over: this one continues as it is.
  container.dispatchEvent(new Event("controllerchange"));
  assert.equal(reload.mock.callCount(), 0);
  onUpdate.mock.calls[0].arguments[0]();
  assert.deepEqual(worker.postMessage.mock.calls[0].arguments, [{ type: "take-over" }]);
  container.dispatchEvent(new Event("controllerchange"));
  assert.equal(reload.mock.callCount(), 1);
});

test("one that waits already is told of at once", async () => {
  container.controller = {};
  container.registration.waiting = new Installing();
  const onUpdate = mock.fn();
  await registerServiceWorker({ onUpdate });
  assert.equal(onUpdate.mock.callCount(), 1);
});

test("a browser without service workers, or that refuses, is no error", async () => {
  container.register = async () => {
    throw new DOMException("refused", "SecurityError");
  };
  const warn = mock.method(console, "warn", () => {});
  assert.equal(await registerServiceWorker(), null);
  assert.equal(warn.mock.callCount(), 1);
  warn.mock.restore();
  Object.defineProperty(globalThis, "navigator", { value: {}, configurable: true });
  assert.equal(await registerServiceWorker(), null);
});
