// @ts-check
/**
 * The script of frame.html, in a frame of somebody else's page. It learns from embed.js whether it is the page's
 * cluster or one of its snippets. Nothing here keeps anything or asks for storage, and the page around it may tell it
 * what it likes: there is only a cluster in memory, which is that page's.
 *
 * @import { FromFrame, Language, ToFrame } from "./messages"
 */
import { Client } from "../../wasm/host/client.js";
import { createFetch } from "../shim/shim.js";
import { Tap } from "../shim/tap.js";
import { fileURL } from "../browser/files.js";
import { openCluster } from "./cluster.js";
import { Commands } from "./commands.js";
import { Block } from "./requests.js";
import { Snippet } from "./snippet.js";

/** @param {FromFrame} m */
const tell = (m) => parent.postMessage(m, "*"); // no secrets: see above

/** What a frame does with what it gets after the first message. @type {(m: ToFrame, port: MessagePort) => void} */
let next = () => {};

addEventListener("message", ({ source, data, ports }) => {
  if (source === parent && data?.tabernetes) next(data, ports[0]);
});

next = (m) => {
  if (m.tabernetes === "cluster") beCluster(m.setup);
  else if (m.tabernetes === "snippet") beSnippet(m.text, m.theme, m.language);
};

/** @param {string[]} setup */
async function beCluster(setup) {
  /** @type {[ToFrame, MessagePort][]} */
  const early = [];
  next = (...connecting) => void early.push(connecting);
  let resets = 0;
  try {
    const cluster = await openCluster(setup, (loaded) => tell({ tabernetes: "loading", loaded }));
    /** @type {Promise<import("./shell.js").Shell> | null} */
    let shell = null;
    const openShell = () => (shell ??= import(fileURL("snippet-shell.js"))
      .then(({ Shell }) => new Shell(cluster.fetch)));
    next = async (m, port) => {
      if (m.tabernetes === "connect" && m.to === "api") cluster.connect(port);
      else if (m.tabernetes === "connect") {
        openShell().then((shell) => shell.connect(port), (error) => {
          shell = null;
          port.onmessage = ({ data }) => port.postMessage({ run: data.run, type: "failed", reason: error.message });
        });
      } else if (m.tabernetes === "reset") {
        (await shell)?.reset();
        await cluster.reset().catch(failed);
        tell({ tabernetes: "ready", reset: ++resets });
      }
    };
    for (const connecting of early) next(...connecting);
    tell({ tabernetes: "ready", reset: resets });
  } catch (error) {
    failed(error);
  }
}

/** @param {any} error */
const failed = (error) => tell({ tabernetes: "failed", reason: error?.message ?? String(error) });

/** @param {string} text @param {string} theme @param {Language} language */
function beSnippet(text, theme, language) {
  if (theme) document.documentElement.dataset.theme = theme;
  const main = /** @type {HTMLElement} */ (document.querySelector("main"));
  const { read, connect, clear } = language === "kubectl" ? commands(text) : requests(text);
  const snippet = new Snippet(main, read, () => tell({ tabernetes: "reset" }));
  let resets = 0;
  next = (m, port) => {
    if (m.tabernetes !== "state") return;
    if (port) connect(port);
    const { state } = m;
    if (state.tabernetes === "ready" && state.reset !== resets) {
      resets = state.reset;
      clear();
      snippet.clear();
    }
    snippet.tell(state);
  };
  new ResizeObserver(() => tell({ tabernetes: "height", height: Math.ceil(main.getBoundingClientRect().height) }))
    .observe(main);
}

/** @param {string} text */
function requests(text) {
  const block = new Block();
  return {
    read: () => block.read(text),
    connect: (/** @type {MessagePort} */ port) => void (block.fetch = fetchOver(port)),
    clear: () => block.answers.clear(),
  };
}

/** @param {string} text */
function commands(text) {
  /** @type {Commands | null} */
  let field = null;
  return {
    read: () => [(field = new Commands(text))],
    connect: (/** @type {MessagePort} */ port) => void (field && (field.port = port)),
    clear() {},
  };
}

/** A fetch that is answered by the cluster at the other end of a port. @param {MessagePort} port */
function fetchOver(port) {
  const client = new Client(port);
  const fetch = createFetch({
    networkFetch: async () => {
      throw new TypeError("That is no path of the API.");
    },
    client: () => client,
    target: () => "tab",
    tap: new Tap(),
    base: () => "http://tabernetes.invalid",
  });
  /** @type {typeof globalThis.fetch} */
  return (input, init) => fetch(input, { ...init, tabernetes: { quiet: true } });
}

if (parent === window) document.body.classList.add("alone");
else tell({ tabernetes: "opened" });
