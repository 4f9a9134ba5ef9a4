// @ts-check
/**
 * The page's script. Its siblings on the server, of the same build, are tabernetes.wasm, lab.wasm, wasm_exec.js,
 * worker.js and room.js. What asks for the API before it is there is held by first.js.
 *
 * @import { Tabernetes, Target, Webhook } from "../shim/tabernetes"
 * @import { RoomLink } from "../shim/link/room"
 */
import { link, shared } from "./link.js"; // before anything else sees the address
import { Banners, watchState } from "../shim/banner.js";
import { Boot } from "../shim/boot.js";
import { missingFeatures, tellMissing } from "../shim/features.js";
import { keepStorage } from "../shim/keep.js";
import { keep, takeKept } from "../shim/lasting.js";
import { fetchProgram, loadProgram, takesPacked, unpackerOf } from "../shim/program.js";
import { RoomMemory, linkTo, takeLink } from "../shim/link/link.js";
import { takeShared } from "../panels/share/take.js";
import { freeLocks } from "../shim/ownership.js";
import { Tabs } from "../shim/tabs.js";
import { createFetch } from "../shim/shim.js";
import { Tap } from "../shim/tap.js";
import { begun } from "../app/lab.js";
import { watchSwitch } from "../controlplane/switch.js";
import { watchAccess } from "./access.js";
import "./page.js";
import { fileURL, oneFile } from "../browser/files.js";
import { framed } from "../browser/framed.js";
import { lateScript, notLoaded, watchVersion } from "../browser/late.js";
import { forgiving } from "../browser/stored.js";
import { registerServiceWorker } from "../sw/register.js";

const TARGET = "tabernetes.target";
const ALONE = "tabernetes.alone";

/** The name of the saved cluster. */
const CLUSTER = "default";

const session = forgiving(() => sessionStorage);
const local = forgiving(() => localStorage);

const past = takeKept(session);
const tap = new Tap(past?.page, past?.last, past?.events);
/** The clusters that places had when they were last heard of, by their uids. */
const clusters = new Map(Object.entries(past?.clusters ?? {}));
const held = window.tabernetesHeld;
delete window.tabernetesHeld;
const networkFetch = held?.network ?? window.fetch.bind(window);
const memory = new RoomMemory(session);
let room = memory.read();
/** @param {string | null} wanted @returns {Target} */
const known = (wanted) =>
  (!framed && (wanted === "devserver" || (wanted === "room" && room?.name)) ? wanted : "tab");
let target = known(session.getItem(TARGET));

/** @type {Boot} */
let boot;

/**
 * The replica of the room that the page is in, while its target is the room.
 *
 * @type {{base: string, token: string, replica: Promise<any>} | null}
 */
let copied = null;

/** Begins a replica of the room, and ends that of another one. */
function keepReplica() {
  const wanted = target === "room" ? room : null;
  if (copied?.base === wanted?.base && copied?.token === wanted?.token) return;
  copied?.replica.then((replica) => replica?.close());
  copied = wanted && { base: wanted.base, token: wanted.token, replica: follow(wanted) };
}

/** The cluster of the scene that plays. @type {import("../room/fork.js").Fork | null} */
let scene = null;
/** How many scenes there were. */
let scenes = 0;
/** Whether a scene plays that nobody has asked for: then others' requests are not for its cluster. */
let unasked = false;
/**
 * Who makes a scene's own requests, beside the page, which reads quietly as its owner.
 * @type {(import("../shim/tabernetes").Origin | undefined)[]}
 */
const SCENES = ["lesson", "setup", "sample"];

/** Names the cluster that a target is now. @param {string} to */
const place = (to) => (to === "scene" ? `scene ${scenes}` : to === "room" ? (room?.base ?? "") : to);

/** Ends the cluster of the scene, if there is one. */
function closeScene() {
  scene?.close();
  scene = null;
}

/** @param {NonNullable<typeof room>} wanted @returns {Promise<any>} null if it cannot be: the room is asked itself */
async function follow(wanted) {
  try {
    const { follow } = await lateScript("room.js");
    return follow(wanted, await boot.module);
  } catch (error) {
    console.error(error);
    return null;
  }
}
const fetch = createFetch({
  networkFetch,
  client: () => boot.client,
  target: (note) =>
    (target === "scene" && unasked && !(note?.quiet && note.owner) && !SCENES.includes(note?.origin) ? "tab" : target),
  place,
  scene: () => scene && scene.client,
  room: () => room,
  replica: async () => copied && copied.replica,
  socket: async (shared, path, signal) => (await lateScript("room.js")).answerOf(shared, path, signal),
  tap,
  base: () => document.baseURI,
});
window.fetch = /** @type {typeof window.fetch} */ (fetch);

/** Links to rooms that nobody has heard of yet. */
const waiting = link ? [link] : [];
/** @type {((link: RoomLink) => void) | null} */
let onLink = null;

/** @type {Map<string, Webhook>} */
const webhooks = new Map();

/** @type {HTMLMetaElement | null} */
const program = document.querySelector('meta[name="program"]');
/** @type {import("../shim/program.js").Open} */
const open = (url, cache) =>
  fetchProgram(networkFetch, url, !cache && takesPacked(program), unpackerOf(program), cache);
let early = held?.program;
boot = new Boot({
  fetch: (url, cache) => {
    const first = early;
    early = undefined;
    return first ?? open(url, cache);
  },
  createWorker: () => new Worker(fileURL("worker.js")),
  wasm: fileURL("tabernetes.wasm"),
  wasmExec: fileURL("wasm_exec.js"),
  size: Number(program?.dataset.size ?? 0),
  locks: framed ? freeLocks : navigator.locks,
  cluster: framed ? "" : CLUSTER,
  webhooks,
  page: tap.page,
  alone: session.getItem(ALONE) !== null,
  tabs: framed ? null : navigator.locks && globalThis.BroadcastChannel && ((named) => new Tabs({
    cluster: CLUSTER, page: tap.page, locks: navigator.locks, channel: (name) => new BroadcastChannel(name), named,
  })),
});

/** @type {Tabernetes} */
const tabernetes = {
  fetch,
  networkFetch,
  onTap: (listener) => tap.subscribe(listener),
  abort: (id) => tap.abort(id),
  cut: (id) => tap.cut(id),
  page: tap.page,
  forget: (place) => tap.clear(place),
  clusters,
  get state() {
    return boot.status.state;
  },
  get status() {
    return boot.status;
  },
  onState: (listener) => boot.onState(listener),
  ready: boot.ready,
  restart: (onDamage) => boot.restart(onDamage),
  get target() {
    return target;
  },
  get place() {
    return place(target);
  },
  setTarget(wanted) {
    closeScene();
    target = known(wanted);
    session.setItem(TARGET, target);
    keepReplica();
  },
  async openScene(byItself, programs) {
    const [{ Fork }, module] = await Promise.all([lateScript("fork.js"), boot.module]);
    closeScene();
    scene = new Fork(module);
    scenes++;
    unasked = byItself;
    target = "scene";
    keepReplica();
    if (programs) await (await lateScript("controlplane.js")).controlPlane(tabernetes).playIn(scene, programs);
  },
  get room() {
    return room;
  },
  setRoom(entered) {
    if (framed) return;
    room = entered;
    memory.write(room);
    if (target !== "scene") tabernetes.setTarget(target);
  },
  onRoomLink(listener) {
    onLink = listener;
    const links = waiting.splice(0);
    for (const found of links) listener(found);
  },
  roomLink: (token) =>
    location.origin + location.pathname + linkTo(room?.base ?? "", token, location.origin),
  webhooks,
  get tabs() {
    return boot.tabs;
  },
  setAlone(on) {
    session.setItem(ALONE, on ? "1" : "");
    return boot.setAlone(on);
  },
  crash: () => boot.crash(),
  get leads() {
    return boot.leads;
  },
  connect: (program) => boot.connect(program),
  disconnect: (program) => boot.disconnect(program),
  setKubelets: (port) => boot.setKubelets(port),
  get module() {
    return boot.module;
  },
  setAsides: () => boot.storage("listAside"),
  setAsideFile: async (name) => new Blob([await boot.storage("readAside", name)]),
  removeSetAside: (name) => boot.storage("removeAside", name),
  savedLog: () => boot.storage("log"),
  erase: () => boot.erase(),
  note: (change) => boot.note(change),
};
window.tabernetes = tabernetes;
held?.take(fetch);
held?.repeat();
keepReplica();

/** Whether the address is that of the bench, which is a page beside this one where there is a server. */
const asksForBench = () => /^#bench\b/.test(location.hash);

/** Says that one file has no bench, and stays where one was. @param {string} back the address of that */
function sayNoBench(back) {
  history.replaceState(history.state, "", back);
  banners.set("bench", null); // it is said again
  banners.set("bench", {
    kind: "notice",
    text: "This file has no bench.",
    detail: "Policies, rules and roles are tried on the bench of the site that this file was made of.",
  });
}

/** Shows what a link shares, once the lab is there. @param {string} hash */
const openShared = (hash) => begun.then(() => lateScript("share.js")).then(({ openLink }) => openLink(hash));
if (shared) openShared(shared);

// A link to a room, or to something shared, that is opened where the page is open already changes the fragment only.
addEventListener("hashchange", (event) => {
  if (oneFile && asksForBench()) {
    event.stopImmediatePropagation();
    return sayNoBench(event.oldURL);
  }
  const hash = takeShared(location, history);
  if (hash) {
    event.stopImmediatePropagation();
    return void openShared(hash);
  }
  const found = framed ? null : takeLink(location, history);
  if (!found) return;
  event.stopImmediatePropagation();
  onLink ? onLink(found) : waiting.push(found);
});

// A page that the browser keeps to come back to must not keep the saved cluster from others meanwhile.
window.addEventListener("pagehide", () => {
  keep(session, { ...tap.known, clusters: Object.fromEntries(clusters) }, Date.now());
  boot.leave();
});
window.addEventListener("pageshow", (event) => {
  takeKept(session); // it is all here
  if (event.persisted) boot.restart().catch(() => {}); // a failure shows as a crash
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) boot.check();
});

const banners = new Banners(document, local);
const missing = missingFeatures(window);
tellMissing(framed ? { ...missing, lost: [] } : missing, banners); // it keeps nothing anyway
if (oneFile) {
  banners.set("one-file", {
    kind: "notice",
    text: "This page is one file: it needs no server and no network.",
    detail: "It has no rooms, no bench and no kubectl terminal, and makes files to share, not links. Pages from a " +
      "disk may get no storage, or share it with each other: keep what matters with “Save to a file” in Levers.",
    remember: true,
  });
  if (asksForBench()) sayNoBench(location.href.replace(/#.*/, ""));
} else {
  watchVersion(networkFetch, import.meta.url, () => banners.set("version", {
    kind: "error",
    text: "This page is an older version: files that it needs are no longer on its server.",
    actions: [{ label: "Reload the page", run: () => location.reload() }],
    lasting: true,
  }));
}
tabernetes.onState(({ state }) => void (state === "crashed" && notLoaded()));
keepStorage({
  storage: navigator.storage,
  onTap: tabernetes.onTap,
  memory: local,
  tell: (evictable) => boot.note({ evictable }),
});
watchState(tabernetes, banners);
watchAccess(tabernetes, banners, window);
if (!framed && !oneFile) watchSwitch(tabernetes);
// It fetches all files of the site: on a first visit that would take the processor from what draws the page.
Promise.race([begun, lab()]).then(() => {
  if (framed || oneFile || new URLSearchParams(location.search).has("nosw")) return;
  const text = "A newer version of this page is ready.";
  registerServiceWorker({
    onUpdate: (run) => banners.set("update", { kind: "notice", text, actions: [{ label: "Load it", run }] }),
  });
});

/** Lets the page do what it has to between two pieces of work. */
const turn = () => new Promise((resolve) => setTimeout(resolve));

/** Runs the program that draws the page. It is asked for when the API server's has arrived, which comes first. */
async function lab() {
  let reason = "";
  try {
    await boot.module;
    const [module] = await Promise.all(
      [loadProgram(open, fileURL("lab.wasm")), import(fileURL("wasm_exec.js"))]);
    await turn();
    const go = new /** @type {any} */ (globalThis).Go();
    go.argv = ["lab"];
    go.exit = (/** @type {number} */ code) => {
      reason = `it ended with code ${code}`;
    };
    const instance = await WebAssembly.instantiate(module, go.importObject);
    await turn();
    await go.run(instance);
  } catch (error) {
    if (boot.status.state === "crashed") return; // the program could not be had: that is on display
    reason = error instanceof Error ? error.message : String(error);
  }
  notLoaded();
  banners.set("lab", {
    kind: "error",
    text: "The page's own program has stopped. The cluster is not affected.",
    detail: reason,
    actions: [{ label: "Reload the page", run: () => location.reload() }],
    lasting: true,
  });
}
