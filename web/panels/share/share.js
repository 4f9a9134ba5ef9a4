// @ts-check
/**
 * The panel "Share": makes links and files, and opens those of others. The page loads it when the panel is first shown,
 * or when its address shares something.
 *
 * @import { Shared } from "./parts.js"
 */
import { FILE_MOST, TooLarge, bytesOf, gathered, inPieces } from "../../browser/bounded.js";
import { fileURL, oneFile } from "../../browser/files.js";
import { download } from "../../browser/download.js";
import { embedded } from "../../browser/framed.js";
import { hideBrought, keptOut, showBrought } from "./brought.js";
import * as has from "./collect.js";
import { keepsOut, merged } from "./keepsout.js";
import { openShared, putBack } from "./open.js";
import { CHAT_LENGTH, LINK_LENGTH, ShareError, fileOf, fromFile, fromLink, linkOf, packed } from "./pack.js";
import { count, told } from "./parts.js";

const lab = () => /** @type {any} */ (globalThis).tabernetesLab;

/** @template {HTMLElement} [T=HTMLElement] @param {string} id */
const $ = (id) => /** @type {T} */ (document.getElementById("share-" + id));

/** The bytes that clusters are compared with. Those of roles come packed. @type {import("./pack.js").Reference} */
async function reference(name) {
  const response = await window.tabernetes.networkFetch(fileURL(`share-reference-${name}.bin`));
  if (!response.ok) throw new Error(`a file of this page has not loaded: ${response.status}`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (name === "1") return bytes;
  return gathered(inPieces(bytes).pipeThrough(new DecompressionStream("deflate-raw")), FILE_MOST);
}

/** @param {string} text @param {boolean} [bad] */
function say(text, bad = false) {
  const el = $("result");
  el.textContent = text;
  el.classList.toggle("error", bad);
}

// --- sharing ----------------------------------------------------------------

const form = /** @type {HTMLFormElement} */ ($("form"));

/** What is shared now: the parts that are chosen. @type {import("./pack.js").Packed | null} */
let made = null;
/** How often it was begun to be made: only the newest counts. */
let making = 0;

/** @param {string} name */
const chosen = (name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name)).checked;

/** Shows what there is of a part, and whether it can be chosen. @param {string} name @param {string} words */
function offer(name, words) {
  $("has-" + name).textContent = words || "none";
  /** @type {HTMLInputElement} */ (form.elements.namedItem(name)).disabled = words === "";
}

/** What the parts of the page are now. @returns {Shared} */
function parts() {
  const { revision, watches, ...looked } = has.looked();
  const selected = looked.selected === `rev-${revision}` ? "" : looked.selected; // it is chosen as well
  return {
    request: has.request(),
    view: { ...(revision && { revision }), ...(selected && { selected }) },
    watches: watches ?? [],
    place: has.place(),
    layout: has.layout(),
  };
}

/** Makes the link of what is chosen. */
async function make() {
  const turn = ++making;
  const here = parts();
  offer("request", here.request ? `${here.request.method} ${here.request.path}` : "");
  offer("view", Object.values(here.view ?? {}).join(", "));
  offer("watches", here.watches?.length ? String(here.watches.length) : "");
  offer("place", here.place ?? "");
  /** @type {Shared} */
  const shared = {};
  const title = String(new FormData(form).get("title")).trim();
  if (title) shared.title = title;
  /** @type {number | null} */
  let secrets = 0;
  try {
    const objects = new FormData(form).get("objects");
    if (objects === "cluster") {
      shared.cluster = await has.cluster();
      secrets = await has.secrets().catch(() => null); // the cluster may refuse to list them
      $("has-cluster").textContent = count(Math.ceil(shared.cluster.length / 1000), "kB", "kB");
    }
    if (objects === "manifests") {
      const text = await has.manifests();
      if (text) shared.manifests = text;
      secrets = has.secretsIn(text);
      $("has-manifests").textContent = text ? count(text.split("\n---\n").length, "object") : "there are none";
    }
    if (chosen("settings")) shared.settings = await has.settings();
    for (const name of /** @type {const} */ (["request", "view", "watches", "place", "layout"])) {
      const box = /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
      if (box.checked && !box.disabled) /** @type {any} */ (shared)[name] = here[name];
    }
    const bytes = Object.keys(shared).some((name) => name !== "title") ? await packed(shared, reference) : null;
    if (turn !== making) return;
    made = bytes;
    show(secrets);
  } catch (/** @type {any} */ error) {
    if (turn !== making) return;
    made = null;
    show(0);
    say(`This cannot be shared: ${error.message}`, true);
  }
}

/** @param {number | null} secrets how many are in it; null: it is not known */
function show(secrets) {
  const { pathname } = embedded ? new URL("..", location.href) : location; // that of the lab itself
  const link = made && location.origin + pathname + linkOf(made);
  const short = link !== null && link.length <= LINK_LENGTH && !oneFile;
  $("made").hidden = !link;
  $("copy").toggleAttribute("disabled", !short);
  $("file").toggleAttribute("disabled", !made);
  if (!link) return;
  const field = /** @type {HTMLTextAreaElement} */ ($("link"));
  field.value = short ? link : "";
  field.disabled = !short;
  const length = `${count(link.length, "character")}`;
  $("length").textContent = oneFile
    ? "This page is a file, to which no link can lead. Save what you share as a file: others drop that on their page."
    : !short
    ? `It would have ${length}: too long for a link. Save it as a file: others drop that on the page, or open a link ` +
      `to this page that ends in #from= and the file’s address.`
    : link.length > CHAT_LENGTH ? `${length}. Messengers cut links of more than ${CHAT_LENGTH.toLocaleString("en-US")}.`
    : `${length}.`;
  $("secrets").textContent = secrets === null ? "All its Secrets are in it, with all values."
    : secrets ? `${count(secrets, "Secret is", "Secrets are")} in it, with all values.` : "";
}

form.addEventListener("change", () => void make()); // not for each letter of the title: it takes a snapshot
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  await make(); // what is looked at may be something else by now
  const field = /** @type {HTMLTextAreaElement} */ ($("link"));
  if (!field.value) return;
  lab().copy(field.value);
  field.select();
  say("The link is on the clipboard.");
});
$("file").addEventListener("click", async () => {
  await make();
  if (!made) return;
  download(fileOf(made), `shared-${new Date().toISOString().slice(0, 10)}.tabernetes`);
});
$("pick").addEventListener("click", () => $("picked").click());
$("picked").addEventListener("change", () => {
  const input = /** @type {HTMLInputElement} */ ($("picked"));
  const file = input.files?.[0];
  input.value = ""; // the same file again is a change, too
  if (file) openFile(file);
});

/** Shows what can be shared. */
export const shown = () => void make();

// --- what others have shared -------------------------------------------------

/** What waits to be opened. @type {(() => Promise<void>) | null} */
let opening = null;

/**
 * Shows what somebody has shared, and asks.
 *
 * @param {{title: string, brings: string[], warns: string, button: string, open: () => Promise<void>}} what
 */
function propose({ title, brings, warns, button, open }) {
  opening = open;
  hideBrought($("result"));
  $("title").textContent = title;
  $("brings").replaceChildren(...brings.map((line) => {
    const item = document.createElement("li");
    item.textContent = line;
    return item;
  }));
  $("warns").textContent = warns;
  $("open").textContent = button;
  $("opened").hidden = false;
  form.hidden = true;
  lab().open("share");
  $("opened-title").focus();
}

function closeProposal() {
  opening = null;
  $("opened").hidden = true;
  form.hidden = false;
  make();
}

/** What opening does to the cluster that is there. @param {Shared} shared @param {any} here its settings */
function warnsOf({ cluster, manifests, settings, level }, here) {
  const warns = [cluster ? "Your cluster is kept aside until the page is closed, and can be restored."
    : level ? "Your cluster stays, but for those namespaces and settings, and for what a lesson has set up here: " +
      "that is deleted, as whenever another begins. Nothing of a level is a program: it is text, and requests to " +
      "this tab’s cluster."
    : manifests || settings ? "Your cluster stays, with what comes in." : "Your cluster stays as it is."];
  if (cluster) warns.push("Settings that come with it are shown then, and can be undone.");
  else if (settings) warns.push("The settings can be undone.");
  const then = merged(settings ?? {}, here);
  if (settings && keepsOut(then)) warns.push(keptOut(then));
  return warns.join(" ");
}

/** @param {Shared} shared */
async function proposeShared(shared) {
  const level = shared.level === undefined ? undefined : JSON.parse(lab().levels("read", shared.level));
  if (level?.fault) {
    const { line, text } = level.fault;
    throw new ShareError(`its level is not one of this page (${line ? `line ${line}: ` : ""}${text})`);
  }
  if (level?.full) throw new ShareError(level.full);
  /** @type {any} */
  const here = shared.settings || level ? (await has.planeHere().catch(() => ({}))).spec ?? {} : {};
  propose({
    title: shared.title ?? "", brings: told(shared, here, level), button: "Open it", warns: warnsOf(shared, here),
    async open() {
      const { before, settings } = await openShared(shared);
      say("It is open.");
      if (before) offerBack(before);
      if (settings) await showBrought($("result"), settings);
    },
  });
}

/** Shows what has come with a file that the page has opened itself. */
export { showBrought };

/** @param {number} before */
function offerBack(before) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button";
  button.textContent = "Restore my cluster";
  button.addEventListener("click", async () => {
    button.disabled = true;
    const problem = await putBack(before);
    if (!problem) hideBrought($("result"));
    dispatchEvent(new Event("tabernetes-settings"));
    say(problem ? `It could not be restored: ${problem}` : "Your cluster is back.", problem !== "");
  });
  $("result").append(" ", button);
}

/** @param {unknown} error @param {string} what */
function refuse(error, what) {
  closeProposal();
  lab().open("share");
  const why = error instanceof Error ? error.message : String(error);
  say(`${what} cannot be opened: ${why}. Nothing was changed.`, true);
  if (!(error instanceof ShareError || error instanceof TooLarge)) console.error(error);
}

/** Shows what a link brings. @param {string} hash */
export async function openLink(hash) {
  const from = /^#from=(.+)$/.exec(hash)?.[1];
  try {
    if (from === undefined) return await proposeShared(await fromLink(hash, reference));
    const url = new URL(decodeURIComponent(from), document.baseURI);
    if (url.protocol !== "https:" && url.origin !== location.origin) {
      throw new ShareError("its address is not one of https");
    }
    propose({
      title: "", brings: [`A file of ${url.host}: ${url.pathname}`], button: "Load the file",
      warns: "That server learns that you load it. What the file brings is shown before anything is changed.",
      open: async () => proposeShared(await fromFile(await fetched(url), reference)),
    });
  } catch (error) {
    refuse(error, "The link");
  }
}

/** @param {URL} url */
async function fetched(url) {
  let response;
  try {
    response = await window.tabernetes.networkFetch(url, { credentials: "omit", referrerPolicy: "no-referrer" });
  } catch {
    throw new ShareError(`${url.host} does not answer, or does not let pages of other origins read it (CORS)`);
  }
  if (!response.ok) throw new ShareError(`${url.host} answers with ${response.status}`);
  return response.body ? gathered(response.body, FILE_MOST) : new Uint8Array();
}

/** Shows what a file brings. @param {File} file */
export async function openFile(file) {
  try {
    await proposeShared(await fromFile(await bytesOf(file), reference));
  } catch (error) {
    refuse(error, file.name);
  }
}

$("open").addEventListener("click", async () => {
  const open = opening;
  if (!open) return;
  say("Opening …");
  const button = /** @type {HTMLButtonElement} */ ($("open"));
  button.disabled = true;
  try {
    await open();
    if (opening === open) closeProposal();
  } catch (error) {
    refuse(error, "It");
  } finally {
    button.disabled = false;
    if ($("result").textContent === "Opening …") say("");
  }
});
$("leave").addEventListener("click", () => {
  closeProposal();
  say("It was left. Nothing was changed.");
});
