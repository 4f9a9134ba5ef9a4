// The kernel with the real binary, in threads of Node, and a server: TABERNETES_KUBECTL names the directory that
// `devserver kubectl` has built, TABERNETES_DEVSERVER that program.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { bytes, text, until } from "./kernel/fake.js";
import { Kernel } from "./kernel/kernel.js";
import { Thread } from "./threads.js";

const { TABERNETES_KUBECTL: parts, TABERNETES_DEVSERVER: devserver } = process.env;
const skip = !parts || !devserver;

let kernel;
let server;
let requests = 0;
const events = [];

before(async () => {
  if (skip) return;
  server = spawn(devserver, ["--api-only", "--addr", "127.0.0.1:0"]);
  const origin = await new Promise((resolve) => {
    server.stdout.on("data", (said) => {
      const found = /listening on (\S+)/.exec(said);
      if (found) resolve(found[1]);
    });
  });
  const list = JSON.parse(readFileSync(join(parts, "kubectl.json"), "utf8"));
  const wasmExec = join(execFileSync("go", ["env", "GOROOT"], { encoding: "utf8" }).trim(), "lib/wasm/wasm_exec.js");
  const module = WebAssembly.compile(Buffer.concat(list.parts.map(({ name }) => readFileSync(join(parts, name)))));
  kernel = new Kernel({
    fetch: (url, init) => {
      init.tabernetes.id = ++requests;
      return fetch(url, init);
    },
    module: () => module,
    makeWorker: () => new Thread(wasmExec),
    edit: async (path) => {
      await kernel.files.write(path, bytes(text(await kernel.files.read(path)).replace('a: "1"', 'a: "2"')));
    },
    history: () => ["kubectl get pods", "curl /api", "history"],
    origin,
  });
  kernel.onProcess((event) => events.push(event));
});

after(async () => {
  if (skip) return;
  kernel.close();
  server.kill();
  await once(server, "exit");
});

/** Runs an input in a terminal, and returns what it wrote, and its status if that is not 0. */
async function run(input, n = 1) {
  const terminal = kernel.terminal(n);
  let out = "";
  const off = terminal.onOutput((b) => (out += text(b)));
  const { status } = await terminal.run(input);
  off();
  return out.trim() + (status ? ` [${status}]` : "");
}

test("a command, its requests, and what it keeps", { skip }, async () => {
  assert.match(await run("kubectl get namespaces"), /^NAME +STATUS +AGE\ndefault +Active/);
  const asked = events.filter((e) => e.type === "request").map((e) => new URL(e.url).pathname);
  assert.deepEqual(asked, ["/api", "/apis", "/api/v1/namespaces"]);
  events.length = 0;
  await run("kubectl get namespaces");
  assert.deepEqual(events.filter((e) => e.type === "request").map((e) => [e.session, e.command]), [[1, 2]]);
  assert.ok(events.some((e) => e.type === "file" && e.op === "read"), "discovery came from the cache");
  assert.deepEqual((await kernel.files.list("/home/user/.kube/cache")).map((f) => f.name), ["discovery", "http"]);
});

test("the root of the API, and the history", { skip }, async () => {
  for (const url of ["localhost", "http://localhost:8080/"]) {
    assert.match(await run(`curl -s ${url} | head -n 4`), /^\{\n +"paths": \[\n.*\n +"\/api/);
  }
  assert.equal(await run("history | grep --color=never curl"), "2  curl /api");
  assert.equal(await run("history 1"), "3  history");
});

test("a heredoc, a file, a pipe, a loop", { skip }, async () => {
  const manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\ndata: {a: '1'}\n";
  assert.equal(await run(`kubectl apply -f - <<END\n${manifest}END`), "configmap/one created");
  await kernel.files.write("/home/user/one.yaml", bytes(manifest));
  assert.equal(await run("kubectl apply -f one.yaml"), "configmap/one unchanged");
  assert.equal(await run("kubectl get configmap one -o name | cat | grep -c one"), "1");
  assert.equal(await run("for n in a b; do kubectl get configmap $n --ignore-not-found; echo $n; done"), "a\nb");
  assert.match(await run("kubectl get configmap none"), /NotFound.* \[1\]$/);
});

test("a watch streams through a pipe while another terminal writes, and Ctrl-C ends it", { skip }, async () => {
  const first = kernel.terminal(2);
  let out = "";
  first.onOutput((b) => (out += text(b)));
  const watching = first.run("kubectl get configmaps -w -o name | grep two");
  await until(() => events.some((e) => e.type === "request" && e.session === 2 && e.url.includes("watch=true")));
  assert.equal(await run("kubectl create configmap two"), "configmap/two created");
  await until(() => out.includes("two"));
  const begun = performance.now();
  await first.interrupt();
  assert.equal((await watching).status, 130);
  assert.ok(performance.now() - begun < 1000);
});

test("lines that are typed are read, up to Ctrl-D", { skip }, async () => {
  const terminal = kernel.terminal(3);
  let out = "";
  terminal.onOutput((b) => (out += text(b)));
  const running = terminal.run("kubectl create -f - && cat");
  await until(() => terminal.reading);
  for (const line of ["apiVersion: v1", "kind: ConfigMap", "metadata: {name: typed}"]) terminal.input(line);
  terminal.endInput();
  await until(() => out.includes("configmap/typed created"));
  await until(() => terminal.reading);
  terminal.input("hello");
  await until(() => out.includes("hello"));
  terminal.endInput();
  assert.equal((await running).status, 0);
});

test("kubectl edit opens the page's editor", { skip }, async () => {
  await run("kubectl create configmap edited --from-literal=a=1");
  assert.equal(await run("kubectl edit configmap edited"), "configmap/edited edited");
});

test("arguments that wasm_exec.js has no room for", { skip }, async () => {
  const long = "x".repeat(20_000);
  await run(`kubectl create configmap long --from-literal=a=${long}`);
  assert.equal(await run("kubectl get configmap long -o jsonpath={.data.a}"), long);
});
