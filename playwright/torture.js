// @ts-check
// Kills the browser while its page writes and watches, and checks that the cluster in the page keeps its promise:
// nothing acknowledged is lost, nothing that was shown disappears, nothing diverges.
//
//   node playwright/torture.js [--minutes N | --kills N] [--engine chromium|firefox] [--storage opfs|indexeddb]...
//
// The storages share the minutes; the kills are those of each. In half of the visits the storage is slow, since what is
// written at once cannot be lost by a kill; --fast leaves it as it is. --tabs kills no browser, but the tab that leads,
// while another one works, which takes over. Two more try the test itself: --gentle kills
// only while nothing is under way, when nothing may be found, and --lying makes a private file system that says
// that it has written what it writes a moment later, when faults must be found.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findEngine } from "./engines/engines.js";
import { startBrowser } from "./engines/puppeteer.js";
import { changedSite, FEATURES } from "./site.js";
import { startServer } from "./server.js";
import { Run } from "./torture/run.js";

const { values } = parseArgs({
  options: {
    minutes: { type: "string" },
    kills: { type: "string", default: "2" },
    engine: { type: "string", default: "chromium" },
    storage: { type: "string", multiple: true },
    fast: { type: "boolean", default: false },
    gentle: { type: "boolean", default: false },
    tabs: { type: "boolean", default: false },
    lying: { type: "boolean", default: false },
  },
});

/** A visit's storage is slow by one of these, in milliseconds. */
const DELAYS = [0, 0, 15, 60];

/** Before the worker's script: what takes each storage its time. */
const slow = {
  opfs: `{ const late = ${JSON.stringify(DELAYS)}[Math.floor(Math.random() * ${DELAYS.length})];
    const { write } = FileSystemSyncAccessHandle.prototype;
    FileSystemSyncAccessHandle.prototype.write = function (...args) {
      for (const until = performance.now() + late; performance.now() < until; );
      return write.apply(this, args);
    }; }`,
  indexeddb: `{ const late = ${JSON.stringify(DELAYS)}[Math.floor(Math.random() * ${DELAYS.length})];
    const { postMessage } = MessagePort.prototype;
    MessagePort.prototype.postMessage = function (message, ...rest) {
      const post = () => postMessage.call(this, message, ...rest);
      if (message?.method && message.bytes && late) setTimeout(post, late);
      else post();
    }; }`,
};

/** Before the worker's script: a private file system that lies. */
const lying = `{ const { write } = FileSystemSyncAccessHandle.prototype;
  FileSystemSyncAccessHandle.prototype.write = function (bytes, options) {
    const copy = bytes.slice();
    setTimeout(() => write.call(this, copy, options), 200);
    return copy.length;
  }; }`;

const storages = /** @type {("opfs" | "indexeddb")[]} */ (values.storage ?? ["opfs", "indexeddb"]);

/** @param {"opfs" | "indexeddb"} storage */
async function torture(storage) {
  const engine = /** @type {"chromium" | "firefox"} */ (values.engine);
  const found = await findEngine(engine);
  if (!found) throw new Error(`${engine} is not here, and cannot be installed`);
  const changes = [
    ...(values.fast ? [] : [{ worker: values.lying ? lying : slow[storage] }]),
    ...(storage === "indexeddb" ? [FEATURES["private file system"]] : []),
  ];
  /** @type {(() => Promise<any>)[]} */
  const ends = [];
  try {
    const site = changes.length > 0 ? await changedSite(changes) : undefined;
    if (site) ends.push(site.remove);
    const server = await startServer(site && { dist: site.dir });
    ends.push(server.stop);
    const profile = await mkdtemp(join(tmpdir(), "tabernetes-profile-"));
    ends.push(() => rm(profile, { recursive: true, force: true, maxRetries: 10 }));
    const run = new Run({
      url: server.url,
      start: () => startBrowser(engine, found.found, { profile }),
      minutes: Number(values.minutes ?? 0) / storages.length,
      kills: values.minutes ? Infinity : Number(values.kills),
      gentle: values.gentle,
      tabs: values.tabs,
    });
    try {
      await run.go();
    } finally {
      for (const text of run.ledger.texts) console.log(text);
      console.log(run.summary(`${engine}, ${storage}${values.tabs ? ", tabs" : ""}`));
    }
    if (await server.apiRequests()) run.ledger.add("diverged", "API requests left the page");
    return run.ledger.findings === 0 && run.ledger.figures.acknowledged > 0;
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

for (const storage of storages) {
  if (!(await torture(storage))) process.exitCode = 1;
}
