// @ts-check
import assert from "node:assert/strict";
import test from "node:test";
import { setTimeout } from "node:timers/promises";
import { CONTROL_PLANE } from "../../core/wellknown/wellknown.js";
import { watchAccess } from "./access.js";

/** A page whose cluster has settings. @param {any} spec */
function page(spec) {
  const events = new EventTarget();
  /** @type {any} */ const shown = {};
  /** @type {any[]} */ const asked = [];
  /** @type {(event: any) => void} */ let tap = () => {};
  /** @type {(status: any) => void} */ let state = () => {};
  /** @type {any} */
  const tabernetes = {
    fetch: async (/** @type {string} */ path, /** @type {any} */ { method = "GET", body, tabernetes: note }) => {
      asked.push(method);
      assert.equal(path, CONTROL_PLANE);
      assert.deepEqual([note.owner, note.quiet, note.target], [true, true, "tab"]);
      if (body) for (const [name, value] of Object.entries(JSON.parse(body).spec)) Object.assign(spec[name], value);
      return Response.json({ spec });
    },
    onTap: (/** @type {any} */ f) => (tap = f),
    onState: (/** @type {any} */ f) => (state = f),
  };
  const set = (/** @type {string} */ name, /** @type {any} */ notice) => (shown[name] = notice);
  watchAccess(tabernetes, { set }, events);
  const settled = () => setTimeout(0);
  return { shown, asked, spec, settled, events, tap: (/** @type {any} */ e) => tap(e),
    state: (/** @type {any} */ s) => state(s) };
}

const shut = () => ({ authorization: { mode: "RBAC" }, authentication: { withoutCredentials: "Unauthorized" } });

test("a page that is kept out says so at its start, and gets in at one press", async () => {
  const { shown, state, settled, spec } = page(shut());
  state({ state: "loading" });
  await settled();
  assert.equal(shown.access, undefined);
  state({ state: "ready" });
  await settled();
  assert.match(shown.access.text, /refuses requests without credentials/);
  assert.match(shown.access.detail, /withoutCredentials is Unauthorized, authorization.mode is RBAC/);
  await shown.access.actions[0].run();
  assert.equal(spec.authentication.withoutCredentials, "Admin");
  assert.equal(shown.access, null);
});

test("it is looked at when a request is refused, and when the settings may be others", async () => {
  const { shown, state, settled, spec, tap, asked, events } = page({ authorization: { mode: "RBAC" },
    authentication: { withoutCredentials: "Admin" } });
  state({ state: "ready" });
  await settled();
  assert.equal(shown.access, null);
  spec.authentication.withoutCredentials = "Anonymous";
  tap({ type: "request", id: 1, method: "GET", url: "/api/v1/pods" });
  tap({ type: "head", id: 1, status: 200 });
  tap({ type: "end", id: 1 });
  await settled();
  assert.deepEqual(asked, ["GET"]);
  tap({ type: "request", id: 2, method: "GET", url: "/api/v1/pods" });
  tap({ type: "head", id: 2, status: 403 });
  await settled();
  assert.match(shown.access.text, /what roles allow the anonymous user/);
  spec.authorization.mode = "AlwaysAllow";
  tap({ type: "request", id: 3, method: "PATCH", url: CONTROL_PLANE });
  tap({ type: "head", id: 3, status: 200 });
  tap({ type: "end", id: 3 });
  await settled();
  assert.equal(shown.access, null);
  spec.authentication.withoutCredentials = "Unauthorized";
  events.dispatchEvent(new Event("tabernetes-settings"));
  await settled();
  assert.ok(shown.access);
});
