// @ts-check
/**
 * Tells, across the top of the page, what must not be missed: that the cluster
 * crashed, that a saved state was unreadable, that another tab holds the saved
 * cluster.
 *
 * @import { Tabernetes } from "./tabernetes"
 */

/**
 * @typedef {object} Notice
 * @property {"error" | "notice"} kind errors interrupt a screen reader
 * @property {string} text
 * @property {string} [detail]
 * @property {string} [action] the label of the button, if there is one
 * @property {() => void} [run] what the button does
 * @property {boolean} [lasting] cannot be dismissed
 * @property {boolean} [remember] once dismissed, it stays away on later visits while its words are the same
 */

export class Banners {
  /** @type {Map<string, HTMLElement>} */ #shown = new Map();
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
   * until it has been taken away.
   *
   * @param {string} name
   * @param {Notice | null} notice
   */
  set(name, notice) {
    if (!notice) {
      this.#shown.get(name)?.remove();
      this.#shown.delete(name);
      this.#dismissed.delete(name);
      return;
    }
    if (this.#shown.has(name) || this.#dismissed.has(name)) return;
    const key = `tabernetes.dismissed.${name}`;
    const words = notice.text + (notice.detail ?? "");
    if (notice.remember && this.memory?.getItem(key) === words) return;
    const banner = this.#element("div", `banner banner-${notice.kind}`);
    banner.setAttribute("role", notice.kind === "error" ? "alert" : "status");
    banner.dataset.banner = name;
    banner.append(this.#element("p", "banner-text", notice.text));
    if (notice.detail) banner.append(this.#element("p", "banner-detail", notice.detail));
    if (notice.action && notice.run) banner.append(this.#button(notice.action, notice.run));
    if (!notice.lasting) {
      banner.append(
        this.#button("Dismiss", () => {
          banner.remove();
          this.#shown.delete(name);
          this.#dismissed.add(name);
          if (notice.remember) this.memory?.setItem(key, words);
        }),
      );
    }
    this.#shown.set(name, banner);
    this.#place().append(banner);
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

/**
 * Keeps the banners in step with the cluster's state.
 *
 * @param {Tabernetes} tabernetes
 * @param {Banners} banners
 */
export function watchState(tabernetes, banners) {
  tabernetes.onState(({ state, reason, setAside, problem, secondTab }) => {
    banners.set(
      "crashed",
      state !== "crashed"
        ? null
        : {
            kind: "error",
            text: "The cluster in this tab has stopped. What was saved is kept.",
            detail: reason,
            action: "Restart",
            run: () => void tabernetes.restart().catch(() => {}), // a failure shows as a crash again
            lasting: true,
          },
    );
    if (state !== "ready") return;
    banners.set(
      "set-aside",
      !setAside
        ? null
        : {
            kind: "error",
            text: `The saved cluster could not be read. It was kept as ${setAside}, and a new cluster was started.`,
            detail: problem,
            action: "Download it",
            run: () => void download(tabernetes, setAside),
          },
    );
    banners.set("problem", setAside || !problem ? null : { kind: "error", text: problem });
    banners.set(
      "second-tab",
      !secondTab
        ? null
        : {
            kind: "notice",
            text: "Another tab holds the saved cluster. This tab works on a copy in memory: what you change here is gone when you close or reload it.",
          },
    );
  });
}

/** @param {Tabernetes} tabernetes @param {string} name */
async function download(tabernetes, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await tabernetes.setAsideFile(name));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
