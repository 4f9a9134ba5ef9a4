// @ts-check
/**
 * The script of the page that is one file (devserver/internal/site/onefile.go), which has the files of a build in
 * itself, packed: unpacks them, gives each a URL that is good in this page only, and starts the page's script. The page
 * asks no server for a file: browsers let a page from a disk have none.
 */
import { markVisit } from "../../page/visit.js";
import { decode } from "./decode.js";

/** The pieces of the packed files in the page; and the same in its text, which has no "<" in them. */
const PIECES = 'script[type="text/plain"]';
const PIECE = /<script type="text\/plain">([^<]*)</g;

/** The charset of the page, in which each byte is a character. */
const CHARSET = "windows-1252";

/**
 * The worker that loads and fetches files, and what it fetches: DescriptionsFile of core/wellknown; what the evaluator
 * of CEL is, and itself.
 */
const WORKER = "worker.js";
const DESCRIPTIONS = "descriptions.txt";
const CEL = "cel.json";
const CEL_PROGRAM = "cel.wasm.gz";

async function packed() {
  const pieces = [...document.querySelectorAll(PIECES)];
  const texts = pieces.map(({ textContent }) => textContent);
  for (const piece of pieces) piece.remove();
  if (document.characterSet === CHARSET) return texts.join("");
  // Its server has said that it is something else, and so the browser has read it wrongly.
  const page = new TextDecoder(CHARSET).decode(await (await fetch(location.href)).arrayBuffer());
  return Array.from(page.matchAll(PIECE), ([, text]) => text).join("");
}

/**
 * What runs before the worker's script: Chromium lets a worker of a page from a disk load nothing, not even what that
 * page has made. So it has what it would load, and what it would fetch.
 *
 * @param {Record<string, Blob>} blobs
 */
async function preludeOf(blobs) {
  /** @type {Record<string, string>} */
  const fetched = { [DESCRIPTIONS]: await blobs[DESCRIPTIONS].text() };
  let evaluator = "";
  if (blobs[CEL_PROGRAM]) {
    const place = "https://page.invalid/";
    fetched[place + CEL] = await blobs[CEL].text();
    evaluator = `
  self.tabernetesPlace = "${place}";
  files["${place}cel.wasm"] = () => { // without a Blob, which WebKit lets no worker of a page from a disk read
    const { readable, writable } = new DecompressionStream("gzip");
    const writer = writable.getWriter();
    const bytes = Uint8Array.from(atob("${await base64(blobs[CEL_PROGRAM])}"), (c) => c.charCodeAt(0));
    writer.write(bytes).then(() => writer.close(), console.error);
    return readable;
  };`;
  }
  return new Blob([blobs["wasm_exec.js"], `
self.importScripts = () => {};
{
  const files = ${JSON.stringify(fetched)}, { fetch } = self;${evaluator}
  self.fetch = async (url, init) => {
    const file = files[url];
    return file === undefined ? fetch(url, init) : new Response(typeof file === "function" ? file() : file);
  };
}
`]);
}

/** @param {Blob} blob @returns {Promise<string>} */
const base64 = (blob) =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(/** @type {string} */ (reader.result).split(",")[1]);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });

async function start() {
  const text = await packed();
  const stream = new Blob([decode(text)]).stream().pipeThrough(new DecompressionStream("gzip"));
  const all = await new Response(stream).blob();
  const [first] = (await all.slice(0, 1 << 16).text()).split("\n", 1);
  /** @type {Record<string, Blob>} */
  const blobs = {};
  let at = first.length + 1;
  for (const [name, type, size] of JSON.parse(first)) blobs[name] = all.slice(at, (at += size), type);
  const prelude = await preludeOf(blobs);
  /** @type {Record<string, string>} */
  const files = {};
  for (const [name, blob] of Object.entries(blobs)) {
    const parts = name === WORKER ? [prelude, blob] : [blob];
    files[name] = URL.createObjectURL(new Blob(parts, { type: blob.type }));
  }
  /** @type {any} */ (globalThis).tabernetesFiles = files;
  for (const link of document.querySelectorAll("a[href]")) {
    const name = link.getAttribute("href") ?? "";
    if (files[name]) link.setAttribute("href", files[name]);
  }
  await import(files["app.js"]);
}

markVisit();
start().catch((error) => {
  const said = document.createElement("p");
  said.className = "banner banner-error";
  said.setAttribute("role", "alert");
  said.textContent = `This page could not be started: ${error.message}. The file may be damaged, or was changed on ` +
    "its way: get it again, and open it from your disk.";
  document.getElementById("banners")?.append(said);
});
