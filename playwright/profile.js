// Writes processor profiles of what the page measures in its tab, in Chromium, by functions:
//
//   TABERNETES_DIST=SITE node playwright/profile.js [--out DIR] [get|create|together|events]...
//
// For the page's thread and for the worker of the API server each there is a .cpuprofile, for the browser's developer
// tools, and a text that lists what takes most: Go, JavaScript by file, the browser itself. Functions of Go have their
// names if the site was built with --names, as make profile-tab does.
import { mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { chromium } from "@playwright/test";
import { resolveBrowser } from "./engines/browser.js";
import { creates, createsTogether, events, gets } from "./figures.js";
import { startServer } from "./server.js";

/** What can be profiled: the function that runs in the page, what it is called with, and how often. */
const figures = {
  get: { run: gets, argument: true, times: 2 },
  create: { run: creates, argument: true, times: 3 },
  together: { run: createsTogether, argument: undefined, times: 2 },
  events: { run: events, argument: undefined, times: 1 },
};

const { values, positionals } = parseArgs({ allowPositionals: true, options: { out: { type: "string" } } });
const out = values.out ?? ".cache/profiles";
const names = positionals.length ? positionals : Object.keys(figures);
for (const name of names) {
  if (!figures[name]) throw new Error(`${name} is not one of ${Object.keys(figures).join(", ")}`);
}

mkdirSync(out, { recursive: true });
const server = await startServer();
const { executablePath, args } = await resolveBrowser();
// Not in a private window, whose files are in the memory of another process.
const directory = await mkdtemp(join(tmpdir(), "tabernetes-profile-"));
const browser = await chromium.launchPersistentContext(directory, { executablePath, args });
try {
  const page = await browser.newPage();
  const session = await page.context().newCDPSession(page);
  const workers = await followWorkers(session);
  await page.goto(`${server.url}/?link`); // on a first visit without one a scene plays
  await page.waitForFunction(() => window.tabernetes?.state === "ready");
  await page.evaluate(gets, true); // so that what is compiled lazily is compiled
  const threads = { page: (method, params) => session.send(method, params), ...workers() };
  for (const name of names) {
    const { run, argument, times } = figures[name];
    for (const send of Object.values(threads)) {
      await send("Profiler.enable");
      await send("Profiler.setSamplingInterval", { interval: 200 });
      await send("Profiler.start");
    }
    for (let i = 0; i < times; i++) await page.evaluate(run, argument);
    for (const [thread, send] of Object.entries(threads)) {
      const { profile } = await send("Profiler.stop");
      const file = `${out}/tab-${name}-${thread}`;
      writeFileSync(`${file}.cpuprofile`, JSON.stringify(profile));
      const { groups, text } = summary(profile);
      writeFileSync(`${file}.txt`, text);
      console.log(`${name}, ${thread}: ${groups}`);
    }
  }
} finally {
  await browser.close();
  await server.stop();
  await rm(directory, { recursive: true });
}
console.log(`profiles are in ${out}`);

/**
 * Attaches to a page's workers as they come. What it returns gives a function for each of those that are there, by its
 * name, which sends a command of the browser's protocol to it.
 *
 * @param {import("@playwright/test").CDPSession} session
 */
async function followWorkers(session) {
  const answers = new Map();
  const found = {};
  let last = 0;
  session.on("Target.receivedMessageFromTarget", ({ message }) => {
    const { id, result, error } = JSON.parse(message);
    const answer = answers.get(id);
    answers.delete(id);
    if (error) answer?.reject(new Error(error.message));
    else answer?.resolve(result);
  });
  session.on("Target.attachedToTarget", ({ sessionId, targetInfo }) => {
    if (targetInfo.type !== "worker") return;
    const number = Object.keys(found).length; // scripts of workers have one name
    found[number ? `worker-${number + 1}` : "worker"] = (method, params = {}) => {
      const id = ++last;
      return new Promise((resolve, reject) => {
        answers.set(id, { resolve, reject });
        session.send("Target.sendMessageToTarget", { sessionId, message: JSON.stringify({ id, method, params }) })
          .catch(reject);
      });
    };
  });
  await session.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
  return () => found;
}

/** Whether a frame is of a program in Go. */
function isGo({ url }) {
  return url.startsWith("wasm:") || /\.wasm$/.test(url);
}

function fileOf({ url }) {
  return url.replace(/^.*\//, "");
}

/** Where a frame of a stack belongs. */
function groupOf(frame) {
  const { functionName } = frame;
  if (functionName === "(idle)") return "idle";
  if (functionName === "(garbage collector)") return "JavaScript's garbage collector";
  if (functionName === "(program)" || functionName === "(root)") return "the browser";
  return isGo(frame) ? "Go" : fileOf(frame) || "the browser";
}

/** What a profile says: the share of each group of the time that was not idle, and the functions with most of it. */
function summary(profile) {
  const nodes = new Map(profile.nodes.map((n) => [n.id, n]));
  const parents = new Map();
  for (const n of profile.nodes) for (const child of n.children ?? []) parents.set(child, n.id);
  const groups = new Map(), self = new Map(), total = new Map();
  const add = (map, key, n) => map.set(key, (map.get(key) ?? 0) + n);
  let busy = 0;
  for (const [i, id] of profile.samples.entries()) {
    const spent = Math.max(0, profile.timeDeltas[i]);
    const frame = nodes.get(id).callFrame;
    const group = groupOf(frame);
    if (group === "idle") continue;
    busy += spent;
    add(groups, group, spent);
    add(self, nameOf(frame), spent);
    const seen = new Set();
    for (let at = id; at !== undefined; at = parents.get(at)) seen.add(nameOf(nodes.get(at).callFrame));
    for (const name of seen) add(total, name, spent);
  }
  const all = (profile.endTime - profile.startTime) / 1000;
  const share = (n) => `${((100 * n) / (busy || 1)).toFixed(1)} %`;
  const most = (map, n) => [...map].sort((a, b) => b[1] - a[1]).slice(0, n);
  const list = (map) => most(map, 60).map(([name, n]) => `${share(n).padStart(8)}  ${name}\n`).join("");
  const said = most(groups, 8).map(([name, n]) => `${name} ${share(n)}`).join(", ");
  return {
    groups: `${Math.round(busy / 1000)} of ${Math.round(all)} ms; ${said}`,
    text: `${Math.round(busy / 1000)} ms of ${Math.round(all)} ms were not idle: ${said}\n\n` +
      `in the function itself:\n${list(self)}\nwith what it calls:\n${list(total)}`,
  };
}

function nameOf(frame) {
  const { functionName, lineNumber } = frame;
  const file = isGo(frame) ? "" : fileOf(frame);
  return (functionName || `at line ${lineNumber + 1}`) + (file ? ` (${file})` : "");
}
