// @ts-check
// What runs in the page: writers, readers and followers. It is sent there as text, so it uses nothing from outside.

/**
 * Puts window.torture into the page. What is answered and shown is said at once, as lines of the console.
 *
 * @param {string} run distinguishes the writes of this visit from those of others
 * @param {boolean} tabs the server may be lost while the page stays: what then fails is no fault
 */
export function install(run, tabs) {
  const collection = "/api/v1/namespaces/default/secrets";
  const say = (/** @type {any[]} */ ...what) => console.debug("torture " + JSON.stringify(what));
  /** The lab need not draw all this. */
  const quiet = /** @type {RequestInit} */ ({ tabernetes: { quiet: true } });
  const ask = (path, init = {}) => fetch(collection + path, { ...quiet, ...init });
  const pick = (list) => list[Math.floor(Math.random() * list.length)];
  let stopped = false;
  let writes = 0;
  /** Counts how often following was begun: what former ones receive does not matter. */
  let following = 0;

  /** Two sums over the characters. @param {string} text */
  const hashOf = (text) => {
    let a = 0x811c9dc5;
    let b = 0x9747b28c;
    for (let i = 0; i < text.length; i++) {
      a = Math.imul(a ^ text.charCodeAt(i), 0x01000193);
      b = Math.imul(b + text.charCodeAt(i), 0x85ebca6b) ^ (b >>> 13);
    }
    return (a >>> 0).toString(36) + (b >>> 0).toString(36);
  };
  /** Objects with their keys in order: the same object may come in several representations. */
  const sorted = (/** @type {any} */ v) =>
    v && typeof v === "object" && !Array.isArray(v)
      ? Object.fromEntries(Object.keys(v).sort().map((k) => [k, sorted(v[k])])) : v;
  const versionOf = ({ kind, apiVersion, ...o }) => ({
    key: o.metadata.name,
    revision: Number(o.metadata.resourceVersion),
    hash: hashOf(JSON.stringify(sorted(o))),
    uid: o.metadata.uid,
    token: o.data?.token ? atob(o.data.token) : "",
  });

  async function list(query = "", limit = 0) {
    const items = [];
    let revision = 0;
    for (let next = query + (limit ? `&limit=${limit}` : ""); ; ) {
      const answer = await ask("?" + next);
      if (!answer.ok) throw new Error(`a list is answered ${answer.status}: ${await answer.text()}`);
      const page = await answer.json();
      const at = Number(page.metadata.resourceVersion);
      if (revision && at !== revision) say("wrong", `a list has a page at revision ${revision} and the next at ${at}`);
      revision = at;
      items.push(...page.items.map(versionOf));
      if (!page.metadata.continue) return { revision, items };
      next = `limit=${limit}&continue=${page.metadata.continue}`;
    }
  }

  /** Passes the events of a watch to f, until that returns true. */
  async function watch(from, f) {
    const answer = await ask(`?watch=1&allowWatchBookmarks=true&timeoutSeconds=4&resourceVersion=${from}`);
    if (!answer.ok || !answer.body) throw new Error(`a watch is answered ${answer.status}`);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const lines = (text + value).split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) {
        const { type, object } = JSON.parse(line);
        if (type === "ERROR") throw new Error(`a watch says ${line}`);
        const mark = { revision: Number(object.metadata.resourceVersion) };
        const v = type === "BOOKMARK" ? mark : { ...versionOf(object), deleted: type === "DELETED" || undefined };
        if (f(type, v)) return void reader.cancel();
      }
    }
  }

  /** Tells the events after a revision, watch after watch. */
  async function follow(name, from, begun) {
    for (let at = from; !stopped && begun === following; ) {
      await watch(at, (type, v) => {
        if (begun !== following) return true;
        at = v.revision;
        say("event", name, type, v);
        return stopped;
      });
    }
  }

  async function write(id, own, shared, known) {
    const doubtful = new Set();
    while (!stopped) {
      const alone = Math.random() < 0.7;
      const key = pick(alone ? own : shared);
      if (alone && doubtful.has(key)) {
        const answer = await ask("/" + key);
        if (answer.ok) known[key] = versionOf(await answer.json());
        else delete known[key];
        doubtful.delete(key);
      }
      const before = known[key];
      const verb = before ? pick(["update", "update", "merge", "apply", "delete"]) : pick(["create", "apply"]);
      const token = `${run}.${id}.${++writes}`;
      const metadata = { name: key, ...(verb === "update" ? { resourceVersion: String(before.revision) } : {}) };
      const filling = "x".repeat(pick([0, 10, 100, 1000, 5000]));
      const object = { apiVersion: "v1", kind: "Secret", ...(verb === "merge" ? {} : { metadata }),
        stringData: { token, filling } };
      const [method, path, type, body] = {
        create: ["POST", "", "application/json", object],
        update: ["PUT", "/" + key, "application/json", object],
        merge: ["PATCH", "/" + key, "application/merge-patch+json", object],
        apply: ["PATCH", `/${key}?fieldManager=w${id}&force=true`, "application/apply-patch+yaml", object],
        delete: ["DELETE", "/" + key, "application/json", { preconditions: { uid: before?.uid } }],
      }[verb];
      const answer = await ask(path, { method, headers: { "Content-Type": type }, body: JSON.stringify(body) });
      const text = await answer.text();
      if (answer.status >= 500 || answer.status === 429) {
        say("unanswered", answer.status, text.slice(0, 300));
        doubtful.add(key);
      } else if (!answer.ok) {
        say("refused", token);
        if (alone) {
          const known = JSON.stringify(before);
          say("wrong", `writer ${id} alone writes ${key}, knows it as ${known}, and is answered ${text}`);
          doubtful.add(key);
        } else delete known[key];
      } else if (verb === "delete") {
        say("deleted", key, before.uid);
        delete known[key];
      } else {
        known[key] = versionOf(JSON.parse(text));
        say("acknowledged", `writer ${id}`, known[key]);
      }
    }
  }

  async function read(name, shared, known) {
    let pinned = 0;
    while (!stopped) {
      if (Math.random() < 0.5) {
        const answer = await ask("/" + pick(shared));
        if (!answer.ok) continue;
        const v = versionOf(await answer.json());
        say("shown", name, v);
        if (!(known[v.key]?.revision > v.revision)) known[v.key] = v;
        continue;
      }
      const exactly = `resourceVersionMatch=Exact&resourceVersion=${pinned}`;
      const { revision, items } =
        await list(pick(["", "", "resourceVersion=0", pinned ? exactly : ""]), pick([0, 3, 10]));
      pinned = revision;
      say("list", name, revision, items);
    }
  }

  const wrong = (error) => void (tabs && /TypeError/.test(error) || say("wrong", String(error?.stack ?? error)));
  Object.assign(window, {
    torture: {
      /** Begins to follow, each from a revision. @param {[string, number][]} from */
      follow(from) {
        following++;
        for (const [name, at] of from) follow(name, at, following).catch((error) => wrong(`${name}: ${error}`));
      },
      list,
      /** What has happened since a revision. @param {number} base @param {string} token */
      async history(base, token) {
        const head = (await list("", 1)).revision;
        const mark = { apiVersion: "v1", kind: "Secret", metadata: { name: "mark" }, stringData: { token } };
        const headers = { "Content-Type": "application/apply-patch+yaml" };
        const answer = await ask("/mark?fieldManager=mark&force=true",
          { method: "PATCH", headers, body: JSON.stringify(mark) });
        if (!answer.ok) throw new Error(`a write after the start is answered ${answer.status}: ${await answer.text()}`);
        const marked = versionOf(await answer.json());
        /** @type {any[]} */ const events = [];
        if (base < marked.revision) {
          await watch(base, (type, v) => {
            if (type !== "BOOKMARK") events.push(v);
            return v.revision >= marked.revision;
          });
        }
        const state = (await list(`resourceVersionMatch=Exact&resourceVersion=${base}`)).items;
        const items = (await list(`resourceVersionMatch=Exact&resourceVersion=${marked.revision}`)).items;
        return { head, marked, events, state, items };
      },
      /**
       * Begins to write and read.
       *
       * @param {Record<string, any>} state
       * @param {number} forget a revision to compact, if it is not 0
       * @param {string} compact the path that compacts
       */
      work(state, forget, compact) {
        const keys = (name, n) => Array.from({ length: n }, (_, i) => `${name}-${i}`);
        const shared = keys("shared", 5);
        const known = structuredClone(state);
        for (let id = 0; id < 6; id++) write(id, keys(`w${id}`, 4), shared, known).catch(wrong);
        for (let id = 0; id < 2; id++) read(`reader ${id}`, shared, known).catch(wrong);
        if (!forget) return;
        const headers = { "Content-Type": "application/json" };
        fetch(compact, { ...quiet, method: "POST", headers, body: JSON.stringify({ revision: forget }) }).catch(wrong);
      },
      /** Ends the writers, readers and followers, each once it has its next answer. */
      stop: () => void (stopped = true),
    },
  });
}
