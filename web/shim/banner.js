// @ts-check
/**
 * Tells, across the top of the page, what must not be missed: that the cluster
 * crashed, that a saved state was unreadable, that another tab holds the saved
 * cluster.
 *
 * @import { Tabernetes } from "./tabernetes"
 */
import { download } from "../browser/download.js";

/**
 * @typedef {object} Notice
 * @property {"error" | "notice"} kind errors interrupt a screen reader
 * @property {string} text
 * @property {string} [detail]
 * @property {{label: string, run: () => void}[]} [actions] the buttons
 * @property {boolean} [lasting] cannot be dismissed
 * @property {boolean} [remember] once dismissed, it stays away on later visits while its words are the same
 */

export class Banners {
  /** What is shown, and its words. @type {Map<string, {banner: HTMLElement, words: string}>} */ #shown = new Map();
  /** @type {Set<string>} */ #dismissed = new Set();

  /**
   * @param {Document} document
   * @param {Pick<Storage, "getItem" | "setItem">} [memory] where dismissals are kept
   */
  constructor(document, memory) {
    this.document = document;
    this.memory = memory;
  }

  /**
   * Shows a notice; null takes it away again. One that was dismissed stays away
   * until it has been removed.
   *
   * @param {string} name
   * @param {Notice | null} notice
   */
  set(name, notice) {
    if (!notice) {
      this.#shown.get(name)?.banner.remove();
      this.#shown.delete(name);
      this.#dismissed.delete(name);
      return;
    }
    const key = `tabernetes.dismissed.${name}`;
    const words = notice.text + (notice.detail ?? "");
    if (this.#shown.get(name)?.words === words || this.#dismissed.has(name)) return;
    this.#shown.get(name)?.banner.remove();
    if (notice.remember && this.memory?.getItem(key) === words) return;
    const banner = this.#element("div", `banner banner-${notice.kind}`);
    banner.setAttribute("role", notice.kind === "error" ? "alert" : "status");
    banner.dataset.banner = name;
    banner.append(this.#element("p", "banner-text", notice.text));
    if (notice.detail) banner.append(this.#element("p", "banner-detail", notice.detail));
    const buttons = this.#element("div", "banner-buttons");
    for (const { label, run } of notice.actions ?? []) buttons.append(this.#button(label, run));
    if (!notice.lasting) {
      buttons.append(
        this.#button("Dismiss", () => {
          banner.remove();
          this.#shown.delete(name);
          this.#dismissed.add(name);
          if (notice.remember) this.memory?.setItem(key, words);
        }),
      );
    }
    banner.append(buttons);
    this.#shown.set(name, { banner, words });
    this.#place().append(banner);
    banner.scrollIntoView?.({ block: "nearest" }); // a phone has room for one of several
  }

  #place() {
    const place = this.document.getElementById("banners");
    if (place) return place;
    const made = this.#element("div", "banners");
    made.id = "banners";
    this.document.body.prepend(made);
    return made;
  }

  /** @param {string} tag @param {string} className @param {string} [text] */
  #element(tag, className, text = "") {
    const element = this.document.createElement(tag);
    element.className = className;
    element.textContent = text;
    return element;
  }

  /** @param {string} label @param {() => void} run */
  #button(label, run) {
    const button = this.#element("button", "banner-button", label);
    button.setAttribute("type", "button");
    button.addEventListener("click", run);
    return button;
  }
}

/** @param {import("./tabernetes").Status["cel"]} cel @returns {Notice | null} */
function celNotice({ loaded, total, problem }) {
  if (problem) {
    return {
      kind: "notice",
      text: "The evaluator of CEL expressions could not be loaded: rules in CRDs are only warned of, and policies " +
        "follow their failurePolicy. The next write that needs it tries again.",
      detail: problem,
    };
  }
  if (!total) return null;
  const megabytes = (/** @type {number} */ n) => (n / 1e6).toFixed(1);
  return {
    kind: "notice",
    text: `Loading the evaluator of CEL expressions: ${megabytes(loaded)} of ${megabytes(total)} MB.`,
    lasting: true,
  };
}

/**
 * Keeps the banners in step with the cluster's state.
 *
 * @param {Tabernetes} tabernetes
 * @param {Banners} banners
 */
export function watchState(tabernetes, banners) {
  const again = (/** @type {Promise<void>} */ start) => void start.catch(() => {}); // a failure shows as a crash
  const save = { label: "Download what is saved",
    run: async () => download(await tabernetes.savedLog(), "cluster.tabernetes") };
  const question = "Remove the cluster that this page has saved? This cannot be undone, unless you have downloaded it.";
  const reset = { label: "Remove it and start over", run: () => confirm(question) && again(tabernetes.erase()) };
  tabernetes.onState(({ state, reason, sound, setAside, problem, trouble, secondTab, tab, tabs, cel }) => {
    banners.set(
      "crashed",
      state !== "crashed"
        ? null
        : {
            kind: "error",
            text: "The cluster in this tab has stopped. What was saved is kept.",
            detail: reason,
            actions: [{ label: "Restart", run: () => again(tabernetes.restart()) }, save, reset],
            lasting: true,
          },
    );
    banners.set(
      "damaged",
      state !== "damaged"
        ? null
        : {
            kind: "error",
            text: `The saved cluster ${sound && "is damaged, and "}was not opened. ` +
              "A copy of all of it is kept in any case.",
            detail: sound ? `${reason}; ${sound}` : reason, // nothing is wrong with what another release has saved
            actions: [
              ...(sound ? [{ label: "Open the intact part", run: () => again(tabernetes.restart("salvage")) }] : []),
              { label: "Start a new cluster", run: () => again(tabernetes.restart("replace")) },
              save,
            ],
            lasting: true,
          },
    );
    const refusing = {
      kind: /** @type {const} */ ("error"),
      text: "Writes are refused now, since they cannot be saved.",
      detail: trouble,
      lasting: true,
    };
    banners.set("trouble", state === "ready" && trouble ? refusing : null);
    if (state !== "ready") return;
    banners.set("cel", celNotice(cel));
    banners.set(
      "set-aside",
      !setAside
        ? null
        : {
            kind: "error",
            text: `The saved cluster was damaged. All that was saved is kept as ${setAside}; ` +
              "you can find it in Levers.",
            detail: problem,
            actions: [{ label: "Download it",
              run: async () => download(await tabernetes.setAsideFile(setAside), setAside) }],
          },
    );
    banners.set("problem", setAside || !problem ? null : { kind: "error", text: problem });
    banners.set(
      "second-tab",
      !secondTab
        ? null
        : {
            kind: "notice",
            text: "Another tab has the saved cluster. This tab works on a copy in memory: " +
              "changes here are lost when you close or reload it.",
            actions: [{ label: "Share the cluster", run: () => again(tabernetes.setAlone(false)) }],
          },
    );
    banners.set(
      "shared",
      secondTab || tabs < 2 || tab === "tab 1"
        ? null
        : {
            kind: "notice",
            text: `This is ${tab} of one cluster: what you write here is seen in all of them.`,
            actions: [{ label: "Work on a copy", run: () => again(tabernetes.setAlone(true)) }],
            remember: true,
          },
    );
  });
}
