// @ts-check
/**
 * The first script of the page, which is written into it: main.js is a module, and other scripts may run before it.
 */
import { framed, keepNothing } from "../browser/framed.js";
import { HeldFetch } from "../shim/held.js";
import { fetchProgram, takesPacked, unpackerOf } from "../shim/program.js";
import { markVisit } from "./visit.js";

// The bench is a page beside this one. (The page that is one file has no bench, and not this script.)
const toBench = () => void (/^#bench\b/.test(location.hash) && location.replace("bench.html" + location.hash));
addEventListener("hashchange", toBench);
toBench();

if (framed) {
  keepNothing();
  document.documentElement.dataset.framed ??= "as it is"; // for the styles; empty where the document is made for it
}

markVisit();

const held = new HeldFetch(window.fetch.bind(window), () => document.baseURI);
window.fetch = /** @type {typeof window.fetch} */ (held.fetch);
window.tabernetesHeld = held;

for (const type of ["click", "change", "submit", "keydown"]) {
  addEventListener(type, (event) => {
    if (held.acts && type === "submit") event.preventDefault(); // else the browser leaves the page
    held.acts?.push(event);
  });
}

// The API server, which takes longest to come.
/** @type {HTMLMetaElement | null} */
const program = document.querySelector('meta[name="program"]');
if (program) {
  held.program = fetchProgram(held.network, program.content, takesPacked(program), unpackerOf(program));
  held.program.catch(() => {}); // main.js says it
}

const fail = (/** @type {string} */ why) => held.fail(`the API server of this page does not start: ${why}`);
const isMain = (/** @type {Event} */ { target }) => target === document.head.querySelector('script[type="module"]');

// Neither bubbles.
document.addEventListener("error", (event) => isMain(event) && fail("its script could not be loaded"), true);
document.addEventListener("load", (event) => isMain(event) && fail("its script has failed"), true);
addEventListener("load", () => fail("this browser does not run its script"));
