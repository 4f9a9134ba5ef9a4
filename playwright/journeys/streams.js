// What a script of the page gets from fetch when an answer is a stream.
import assert from "node:assert/strict";
import { CONTROL_PLANE, MAX_CHUNK } from "../../core/wellknown/wellknown.js";
import { configMap, configMaps } from "./parts.js";

/** @type {import("./parts.js").Journey[]} */
export default [
  {
    name: "watch: the head at once, events as they happen, and its end",
    async run({ page }) {
      await page.open();
      const got = await page.evaluate(async ([path, plane]) => {
        const watch = await fetch(path + "?watch=1&resourceVersion=0&fieldSelector=metadata.name%3Dlate");
        const reader = watch.body.pipeThrough(new TextDecoderStream()).getReader();
        const line = async () => {
          for (let text = ""; ; ) {
            text += (await reader.read()).value; // a network cuts lines into pieces
            if (text.endsWith("\n")) return JSON.parse(text);
          }
        };
        const first = line();
        const early = await Promise.race([first.then(() => "an event"), fetch("/readyz").then(() => "nothing")]);
        const body = JSON.stringify({ metadata: { name: "late" }, data: { k: "ä€😀" } });
        await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body });
        const event = await first;
        await fetch(plane + "/disconnect", { method: "POST", body: "{}" });
        let end = "";
        for (;;) {
          const { done, value } = await reader.read();
          if (done) break;
          end += value;
        }
        return { status: watch.status, early, type: event.type, data: event.object.data.k, end };
      }, [configMaps, CONTROL_PLANE]);
      assert.deepEqual(got, { status: 200, early: "nothing", type: "ADDED", data: "ä€😀", end: "" });
    },
  },
  {
    name: "a slow reader of a long stream gets all of it, and the server waits for it",
    long: true,
    async run({ page }) {
      await page.open();
      const got = await page.evaluate(async (path) => {
        const many = 48;
        const make = (i) => fetch(path,
          { method: "POST", headers: { "Content-Type": "application/json" },
            body: JSON.stringify(
              { metadata: { name: "big-" + i, labels: { big: "yes" } }, data: { k: "x".repeat(30_000) } }),
                tabernetes: { quiet: true } });
        const watch = await fetch(path + "?watch=1&labelSelector=big", { tabernetes: { quiet: true } });
        for (let i = 0; i < many; i++) await make(i); // nobody reads meanwhile: most of it waits at the server
        const reader = watch.body.getReader();
        const decoder = new TextDecoder();
        const names = [];
        let text = "";
        let largest = 0;
        while (names.length < many) {
          const { value } = await reader.read();
          largest = Math.max(largest, value.length);
          text += decoder.decode(value, { stream: true });
          const lines = text.split("\n");
          text = lines.pop();
          for (const line of lines) names.push(JSON.parse(line).object.metadata.name);
          await new Promise((r) => setTimeout(r, 1));
        }
        await reader.cancel();
        return { right: names.every((n, i) => n === "big-" + i), count: names.length, largest,
          after: (await fetch("/readyz")).status };
      }, configMaps);
      assert.deepEqual([got.right, got.count, got.after], [true, 48, 200]);
      assert.ok(got.largest <= MAX_CHUNK, `a part of ${got.largest} bytes`);
    },
  },
  {
    name: "abort: before the head, in the middle, with a reason of one's own",
    async run({ page }) {
      await page.open();
      const got = await page.evaluate(async (path) => {
        const outcome = (promise) => promise.then(() => "answered", (e) => e.name);
        const out = {};
        const waiting = new AbortController();
        const answer = outcome(fetch(path + "?resourceVersion=4000000000", { signal: waiting.signal }));
        await fetch("/readyz"); // by now the other has been sent
        waiting.abort();
        out.waiting = await answer;

        const open = new AbortController();
        const watch = await fetch(path + "?watch=1", { signal: open.signal });
        const text = outcome(watch.text());
        open.abort();
        out.open = await text;

        const reason = new AbortController();
        const own = outcome(fetch(path + "?watch=1", { signal: reason.signal }));
        reason.abort(new RangeError("mine"));
        out.reason = await own;

        for (let i = 0; i < 50; i++) await (await fetch(path + "?watch=1")).body.cancel();
        out.after = (await fetch("/readyz")).status;
        return out;
      }, configMaps);
      assert.deepEqual(got, { waiting: "AbortError", open: "AbortError", reason: "RangeError", after: 200 });
    },
  },
  {
    name: "forty watches and two hundred requests at a time",
    long: true,
    async run({ page, inRoom }) {
      await page.open();
      const got = await page.evaluate(async (path, many) => {
        const watches = await Promise.all(
          Array.from({ length: many }, () => fetch(path + "?watch=1&labelSelector=many")));
        const first = watches.map(async (w) => {
          const reader = w.body.pipeThrough(new TextDecoderStream()).getReader();
          let text = "";
          while (!text.endsWith("\n")) text += (await reader.read()).value;
          await reader.cancel();
          return JSON.parse(text).object.metadata.name;
        });
        const post = (o) => fetch(path,
          { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(o) });
        const all = Array.from({ length: 200 }, async (_, i) => {
          const o = await (await post({ metadata: { name: "n" + i }, data: { i: String(i) } })).json();
          return o.metadata.name === "n" + i && o.data.i === String(i);
        });
        await post({ metadata: { name: "for-all", labels: { many: "yes" } } });
        return { seen: [...new Set(await Promise.all(first))],
          wrong: (await Promise.all(all)).filter((right) => !right).length };
      }, configMaps, inRoom ? 3 : 40); // to a server, browsers open six connections of HTTP/1.1
      assert.deepEqual(got, { seen: ["for-all"], wrong: 0 });
    },
  },
];
