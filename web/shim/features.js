// @ts-check
/**
 * What the page uses of a browser, checked once at its start. web/README.md has the table of engines and versions,
 * and of what has another way: byte streams, streaming compilation, the private file system, the clipboard. Locks and
 * storage are looked for where they are used (ownership.js, wasm/host/storage.js): they can fail in more ways than by
 * not being there, and what that means is in the cluster's status.
 */

/**
 * @typedef {object} Feature
 * @property {string} name for people
 * @property {(scope: any) => unknown} has reports whether it is there; one that throws says no
 * @property {string} [lost] what cannot be done without it; a feature without this is needed
 */

/** @type {Feature[]} */
export const FEATURES = [
  { name: "WebAssembly", has: (w) => w.WebAssembly.instantiate },
  { name: "Web Workers", has: (w) => w.Worker },
  { name: "message channels", has: (w) => w.MessageChannel },
  { name: "streams in answers", has: (w) => new w.Response(new w.ReadableStream()).body },
  { name: "random numbers", has: (w) => w.crypto.getRandomValues },
  { name: "service workers", has: (w) => w.tabernetesFiles || w.navigator.serviceWorker,
    lost: "the page does not open without the network" },
  { name: "localStorage", has: (w) => w.localStorage, lost: "progress in lessons and the colours chosen are not kept" },
  { name: "popovers", has: (w) => "popover" in w.HTMLElement.prototype,
    lost: "menus are shown open at the end of the page" },
  {
    name: "the style sheets' newer rules",
    has: (w) => w.CSS.supports("selector(:has(a))") && w.CSS.supports("color", "color-mix(in srgb, red, blue)"),
    lost: "parts of the page are not where they should be",
  },
  { name: "observers of sizes", has: (w) => w.ResizeObserver,
    lost: "lists are not redrawn when a panel is resized" },
];

/** The oldest browsers that have all of it. */
export const ENGINES = "Chrome 120, Edge 120, Firefox 125 or Safari 17.2";

/**
 * @param {any} scope the page's global scope
 * @returns {{needed: Feature[], lost: Feature[]}} what is missing
 */
export function missingFeatures(scope) {
  const missing = FEATURES.filter(({ has }) => {
    try {
      return !has(scope);
    } catch {
      return true;
    }
  });
  return { needed: missing.filter((f) => !f.lost), lost: missing.filter((f) => f.lost) };
}

/**
 * Says across the top of the page what is missing.
 *
 * @param {{needed: Feature[], lost: Feature[]}} missing
 * @param {import("./banner.js").Banners} banners
 */
export function tellMissing({ needed, lost }, banners) {
  if (needed.length > 0) {
    const names = needed.map((f) => f.name).join(", ");
    const text = `This browser cannot run the API server: it has no ${names}. ${ENGINES}, or newer, can.`;
    banners.set("needed", { kind: "error", text, lasting: true });
  }
  if (lost.length > 0) {
    const text = "This browser lacks some features that the page uses.";
    const detail = lost.map((f) => `Without ${f.name} ${f.lost}.`).join(" ");
    banners.set("lost", { kind: "notice", text, detail, remember: true });
  }
}
