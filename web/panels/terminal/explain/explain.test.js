// Requests of the real kubectl v1.36.3, recorded against the server, and what is said of each.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { spans } from "./chips.js";
import { commandOf, nameOf } from "./command.js";
import { Exchanges } from "./exchanges.js";
import { explained } from "./explain.js";
import { rows } from "./rows.js";

const recorded = JSON.parse(readFileSync(new URL("testdata/commands.json", import.meta.url), "utf8"));

/** @param {any} r @param {number} i */
const asked = (r, i) => ({ id: i + 1, headers: [["Accept", r.accept ?? ""], ["Content-Type", r.type ?? ""]], body: "",
  source: "", over: true, ...r });

/** What is said of a recorded command, a line for each request. */
const said = (one, over = true) => {
  const x = explained(one.argv, one.requests.map(asked), over);
  const chip = (c) => (c ? ` [${c.text}]` : "");
  return [`$ ${one.name}: ${nameOf(one.argv)}${chip(x.chip)}`,
    ...x.rows.map((r) => `  ${r.status} ${r.method} ${r.short}: ${r.why}${chip(r.chip)}`)].join("\n");
};

test("every request of the recorded commands is explained", () => {
  const want = readFileSync(new URL("testdata/explained.txt", import.meta.url), "utf8");
  assert.equal(recorded.map((one) => said(one)).join("\n") + "\n", want);
  for (const one of recorded) assert.doesNotMatch(said(one), /: ( \[|$)/m, "a request without a reason");
});

test("each row of the table is needed by a request", () => {
  const used = new Set();
  for (const one of recorded) {
    for (const name of fits(one.argv, one.requests.map(asked))) used.add(name);
  }
  assert.deepEqual(rows.map((r) => r.name).filter((name) => !used.has(name)), []);
});

test("an answer that allows without a role says that nothing is asked of anyone", () => {
  const one = recorded.find((one) => one.name === "auth can-i create pods");
  const answered = (status) => said({ ...one, requests: one.requests.map((r) =>
    ({ ...r, answer: JSON.stringify({ status }) })) });
  assert.match(answered({ allowed: true }), /names no role that allows it, as when authorization is off/);
  for (const status of [{ allowed: false }, { allowed: true, reason: "RBAC: allowed by ClusterRoleBinding x" }]) {
    assert.doesNotMatch(answered(status), /no role/);
  }
});

/** The rows that say why the requests of a command were made. */
function fits(argv, all) {
  const names = [];
  const kept = rows.map((r) => r.is);
  rows.forEach((row, i) => {
    row.is = (...args) => {
      const is = kept[i](...args);
      if (is) names.push(row.name);
      return is;
    };
  });
  explained(argv, all, true);
  rows.forEach((row, i) => (row.is = kept[i]));
  return names;
}

test("a command that has not ended promises nothing", () => {
  const again = recorded.find((one) => one.name === "apply again");
  assert.match(said(again), /what is there now: nothing differs, so no PATCH/);
  assert.match(said(again), /nothing written/);
  assert.doesNotMatch(said(again, false), /nothing differs|nothing written/);
});

test("what was read earlier is said to be", () => {
  const get = recorded.filter((one) => one.name === "get pods")[1];
  const files = ["/home/user/.kube/cache/discovery/tab/servergroups.json"];
  const [first, second] = explained(get.argv, get.requests.map(asked), true, { files }).rows;
  assert.deepEqual([first.short, first.chip.text, first.id], ["/api, /apis", "read earlier", 0]);
  assert.equal(second.short, "pods");
  const fresh = recorded.filter((one) => one.name === "get pods")[0];
  assert.ok(explained(fresh.argv, fresh.requests.map(asked), true, { files }).rows.every((r) => r.id > 0));
});

test("a watch is named by its lane, and a list of requests is not counted once it is open", () => {
  const watch = recorded.find((one) => one.name === "get pods -w");
  const lane = (id) => (id === 2 ? "w3" : "");
  const all = watch.requests.map(asked);
  assert.equal(explained(watch.argv, all, false, { lane }).chip.text, "2 requests, w3");
  assert.equal(explained(watch.argv, all, false, { lane, open: true }).chip.text, "w3");
  assert.equal(explained(watch.argv, all, false, { lane }).rows[1].chip.text, "w3");
});

test("revisions that follow one another are said as a range", () => {
  for (const [all, want] of [
    [[[30, 30]], "30"], [[[30, 30], [31, 31]], "30, 31"], [[[30, 31]], "30, 31"],
    [[[30, 30], [31, 31], [32, 32]], "30–32"],
    [[[33, 33], [30, 31], [40, 45]], "30, 31, 33, 40–45"], [[1, 3, 5, 7, 9].map((n) => [n, n]), "1, 3, 5 … 9"],
  ]) assert.equal(spans(all), want);
});

test("a server that does not say what an answer is of is read", () => {
  const { rows: [read, wrote], refs } = explained(["kubectl", "label", "pod", "web", "a=b"], [
    asked({ method: "GET", url: "/api/v1/namespaces/default/pods/web", status: 200,
      answer: '{"metadata":{"resourceVersion":"7"}}' }, 0),
    asked({ method: "PATCH", url: "/api/v1/namespaces/default/pods/web", type: "application/merge-patch+json",
      body: '{"metadata":{"labels":{"a":"b"}}}', status: 200, answer: '{"metadata":{"resourceVersion":"8"}}' }, 1),
  ], true);
  assert.equal(read.chip.text, "as of 7");
  assert.equal(wrote.chip.text, "→ 8");
  assert.equal(refs, "req-1 req-2 rev-8");
});

test("commands are read as kubectl reads them", () => {
  for (const [line, verb, args, flags] of [
    ["kubectl -n team get po web -o yaml", "get", ["po", "web"], { namespace: "team", output: "yaml" }],
    ["k get pods -Aw", "get", ["pods"], { "all-namespaces": "true", watch: "true" }],
    ["kubectl apply --server-side -f a.yaml -f b.yaml", "apply", [],
      { "server-side": "true", filename: "a.yaml,b.yaml" }],
    ["kubectl rollout status deploy/web", "rollout status", ["deploy/web"], {}],
    ["kubectl create deployment web --image=nginx", "create", ["deployment", "web"], { image: "nginx" }],
    ["kubectl delete pod web --cascade=orphan --wait=false", "delete", ["pod", "web"],
      { cascade: "orphan", wait: "false" }],
    ["kubectl exec web -- ls -l", "exec", ["web"], {}],
    ["kubectl get pods -lapp=web", "get", ["pods"], { selector: "app=web" }],
  ]) {
    const c = commandOf(line.split(" "));
    assert.deepEqual([c.verb, c.args, Object.fromEntries(c.flags)], [verb, args, flags], line);
  }
});

test("it is known which cluster a request went to, also if another one has taken its place", () => {
  let place = "tab";
  let tap = (_) => {};
  const exchanges = new Exchanges((listener) => (tap = listener, () => {}), () => {}, () => place);
  const ask = (id) => tap({ type: "request", id, origin: "terminal", place });
  const move = (to) => {
    place = to;
    exchanges.moved();
  };
  const here = () => [1, 2, 3].filter((id) => exchanges.get(id)?.cluster === exchanges.here);
  ask(1);
  move("scene 1");
  assert.deepEqual(here(), []);
  ask(2);
  assert.deepEqual(here(), [2]);
  move("tab");
  assert.deepEqual(here(), [1]);
  move("tab"); // it was reset
  assert.deepEqual(here(), []);
  ask(3);
  assert.deepEqual(here(), [3]);
});

test("what is deleted and stays is said to stay, though the server says what it has written", () => {
  let tap = (_) => {};
  const exchanges = new Exchanges((listener) => (tap = listener, () => {}), () => {});
  const finalizer = ',"finalizers":["a/b"]';
  const remove = (id, source, more = finalizer) => {
    tap({ type: "request", id, origin: "terminal", method: "DELETE", url: "/api/v1/namespaces/team/configmaps/held" });
    tap({ type: "head", id, status: 200, source });
    tap({ type: "chunk", id, text: `{"metadata":{"deletionTimestamp":"2026-11-26T20:06:50Z"${more}}}` });
    tap({ type: "end", id });
    const [row] = explained(["kubectl", "delete", "configmap", "held"], [exchanges.get(id)], true).rows;
    return `${row.short}: ${row.why}`;
  };
  assert.equal(remove(1, "rule=write, wrote=(7)"),
    "team/configmaps/held: only marks it, with a deletionTimestamp: a finalizer keeps it");
  assert.equal(remove(2, "rule=write-unchanged"), "team/configmaps/held: it is marked already: a finalizer keeps it");
  for (const own of ["orphan", "foregroundDeletion"]) {
    assert.match(remove(5, "rule=write, wrote=(9)", `,"finalizers":["${own}"]`), /what it owns is deleted/);
  }
  const time = ',"deletionGracePeriodSeconds":30';
  assert.equal(remove(3, "rule=write, wrote=(8)", time),
    "team/configmaps/held: only marks it, with a deletionTimestamp: its node has 30 s to end it");
  assert.equal(remove(4, "rule=write-unchanged", time),
    "team/configmaps/held: it is marked already: its node has some time to end it");
});
