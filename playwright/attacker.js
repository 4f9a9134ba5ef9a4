// A page of somebody else's that frames files of the site, and has what is in them do what it can.
import { createServer } from "node:http";
import { listenOnLoopback } from "./loopback.js";

/**
 * Runs where the capstone's guest runs, as a module that is imported: says what it reaches.
 *
 * @param {string} site its URL, without a slash at the end
 */
async function probe(site) {
  const scope = /** @type {any} */ (globalThis);
  console.log(JSON.stringify({ begun: true }));
  const within = (promise) => Promise.resolve(promise).then(() => true, () => false);
  // What was taken from the global scope only so that mistakes show is still in what that inherits from.
  const of = (name) => {
    delete scope[name];
    return scope[name];
  };
  const tries = {
    caches: async () => (await of("caches").open("foul")).put(`${site}/foul`, new Response("foul")),
    indexedDB: () => new Promise((done, failed) => {
      const open = of("indexedDB").open("foul");
      open.onsuccess = done;
      open.onerror = failed;
    }),
    files: async () => (await navigator.storage.getDirectory()).getFileHandle("foul", { create: true }),
    fetch: () => of("fetch").call(scope, `${site}/api/v1/namespaces`, { method: "POST", mode: "no-cors", body: "{}" }),
    script: () => import(`${site}/embed/embed.js`),
  };
  const reached = [];
  for (const [name, attempt] of Object.entries(tries)) {
    if (await within((async () => attempt())())) reached.push(name);
  }
  console.log(JSON.stringify({ origin: scope.origin, reached }));
}

/** Runs in the attacker's page. @param {string} code of probe */
function attack(code) {
  const scope = /** @type {any} */ (globalThis);

  /**
   * Frames a file.
   *
   * @param {string} url
   * @param {string | null} sandbox the value of the attribute; null: without it
   */
  const frameOf = async (url, sandbox) => {
    const frame = document.createElement("iframe");
    if (sandbox !== null) frame.setAttribute("sandbox", sandbox);
    const heard = [];
    addEventListener("message", ({ source, origin, data }) => {
      if (source === frame.contentWindow) heard.push({ origin, data });
    });
    frame.src = url;
    const loaded = new Promise((done) => (frame.onload = done));
    document.body.append(frame);
    await loaded; // which is also when the browser refuses to show it
    return { frame, heard };
  };

  /**
   * Sends code to a frame as the judge does; resolves to what it prints.
   *
   * @param {() => void} [begun] is called when it runs
   * @returns {Promise<any>}
   */
  const send = (frame, site, begun = () => {}) => new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => {
      begun();
      const said = data.type === "print" ? JSON.parse(data.text) : data;
      if (!said.begun) done(said);
    };
    port1.postMessage({ type: "load", seed: "1", code: `await (${code})(${JSON.stringify(site)});
export const reflect = () => {};` });
    frame.contentWindow.postMessage(null, "*", [port2]);
  });

  /**
   * What a frame lets its parent do: what its code says it reaches, null if it does not run; what the parent itself
   * reaches in it; what it says.
   *
   * @param {string} site its URL, without a slash at the end
   * @param {string} path
   * @param {string | null} sandbox
   */
  scope.attack = async (site, path, sandbox) => {
    const { frame, heard } = await frameOf(site + path, sandbox);
    let runs = false;
    const said = send(frame, site, () => (runs = true));
    const inside = [];
    for (const name of ["document", "localStorage", "caches", "tabernetes", "fetch"]) {
      try {
        void frame.contentWindow[name];
        inside.push(name);
      } catch {
        // the browser keeps it apart
      }
    }
    // One that runs its code was begun later: when that has been heard of, the other would have been.
    for (let i = 0; i < 2; i++) {
      const other = await frameOf(`${site}/embed/capstone-frame.html`, "allow-scripts");
      await send(other.frame, site);
      other.frame.remove();
    }
    const guest = runs ? await said : null;
    frame.remove();
    return { guest, inside, heard };
  };

  /**
   * Has a frame of snippets be a cluster whose setup writes, and asks it over a separate port. Resolves to both
   * results.
   *
   * @param {string} site
   * @param {string[]} setup
   * @param {{method: string, url: string}[]} requests
   */
  scope.cluster = async (site, setup, requests) => {
    const { frame, heard } = await frameOf(`${site}/embed/frame.html`, null);
    const tell = (m, ports = []) => frame.contentWindow.postMessage(m, "*", ports);
    const end = () => heard.find(({ data }) => data?.tabernetes === "ready" || data?.tabernetes === "failed");
    const ended = new Promise((done) => addEventListener("message", () => end() && done(end())));
    tell({ tabernetes: "cluster", setup });
    const { data } = await ended;
    if (data.tabernetes === "failed") return { setup: data.reason, answers: [] };
    const { port1, port2 } = new MessageChannel();
    tell({ tabernetes: "connect", to: "api" }, [port2]);
    const answers = [];
    for (const [at, { method, url }] of requests.entries()) {
      answers.push(await new Promise((done) => {
        port1.onmessage = ({ data }) => done(data.type === "fail" ? data.message : data.status);
        port1.postMessage({ type: "request", id: at + 1, method, url, headers: "", body: null });
      }));
    }
    return { setup: "", answers };
  };

  /** The result of running the site's workers from here. @param {string} site @param {string[]} paths */
  scope.workers = async (site, paths) => {
    const begun = [];
    for (const path of paths) {
      for (const Kind of [Worker, globalThis.SharedWorker].filter(Boolean)) {
        await new Promise((done) => {
          try {
            const worker = new Kind(site + path);
            worker.onerror = done;
            if (worker.port) worker.port.onmessage = () => done(begun.push(path));
            else worker.onmessage = () => done(begun.push(path));
          } catch {
            done(null);
          }
        });
      }
      await navigator.serviceWorker?.register(site + path).then(() => begun.push(path), () => {});
    }
    return begun;
  };
}

/** Serves the attacker's page. */
export async function startAttacker() {
  const server = createServer((request, response) => {
    if (request.url !== "/") return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    const script = `(${attack})(${JSON.stringify(String(probe))})`.replaceAll("</", "<\\/");
    response.end(`<!doctype html><html lang="en"><title>A game</title><body><script>${script}</script>`);
  });
  const { port, stop } = await listenOnLoopback(server);
  return {
    /** Another port of the site's host: another origin, but the same site, whose storage browsers do not part. */
    port: `http://127.0.0.1:${port}/`,
    /** Another site. */
    site: `http://localhost:${port}/`,
    stop,
  };
}

/** Runs in a page of the site: what is kept there. */
export async function kept() {
  const found = [...(await caches.keys())];
  for (const { name } of (await indexedDB.databases?.()) ?? []) found.push(`indexedDB ${name}`);
  for (const name of Object.keys(localStorage)) found.push(`localStorage ${name}`);
  try {
    const root = /** @type {any} */ (await navigator.storage.getDirectory());
    for await (const name of root.keys()) found.push(`file ${name}`);
  } catch {
    // the browser has none here
  }
  return found;
}

/**
 * The expected result of framing the capstone's file, by its path: with headers, and without.
 *
 * @param {string} path
 * @param {string | null} sandbox
 * @param {boolean} headers
 */
export function expected(path, sandbox, headers) {
  const runs = headers ? path.startsWith("/embed/") : sandbox === "allow-scripts";
  return runs ? { origin: "null", reached: [] } : null;
}

/** The ways to frame a file. */
export const SANDBOXES = [null, "allow-scripts", "allow-scripts allow-same-origin"];
