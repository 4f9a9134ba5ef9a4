// @ts-check
/** The menu of the terminal's files: they are kept with the cluster. */
import { download } from "../../browser/download.js";
import { h, size } from "./dom.js";

/** What is not shown: kubectl's own. */
const HIDDEN = /^\./;

/** A file larger than this is not taken. */
const LARGEST = 16 << 20;

export class FilesMenu {
  /** @param {import("./panel.js").Host} host */
  constructor(host) {
    this.host = host;
    this.count = h("span", { class: "num" });
    this.button = h("button", {
      type: "button", class: "button quiet term-files-button", popovertarget: "term-files",
      title: "Files of the terminal",
    }, "Files ", this.count);
    this.input = h("input", {
      type: "file", multiple: true, class: "visually-hidden", "aria-label": "Add files", tabindex: "-1",
      onchange: () => this.add([...(this.input.files ?? [])]).then(() => (this.input.value = "")),
    });
    this.list = h("ul", { class: "plain term-file-list" });
    const menu = { id: "term-files", class: "menu term-files", popover: "", role: "dialog", "aria-label": "Files" };
    this.el = h("div", menu, h("h2", {}, "Files"),
      h("p", { class: "soft" }, "They are kept with the cluster. Commands name them: ",
        h("code", {}, "kubectl apply -f FILE")),
      this.list,
      h("p", { class: "menu-line" },
        h("button", { type: "button", class: "button", onclick: () => this.input.click() }, "Add files"), this.input,
        h("span", { class: "soft" }, "or drop them onto the terminal")));
    this.el.addEventListener("toggle", () => {
      this.draw();
      const { right, top, bottom } = this.button.getBoundingClientRect();
      const { style } = this.el;
      style.right = `${Math.max(8, innerWidth - right)}px`;
      style.bottom = top > innerHeight / 2 ? `${innerHeight - top + 4}px` : "auto";
      style.top = top > innerHeight / 2 ? "auto" : `${bottom + 4}px`;
    });
  }

  /** Follows the kernel's files. @param {any} kernel */
  follow(kernel) {
    let booked = false;
    kernel.files.onChange((/** @type {string} */ path) => {
      if (booked || /\/\.kube\//.test(path)) return;
      booked = true;
      setTimeout(() => {
        booked = false;
        this.draw();
      }, 100);
    });
    this.draw();
  }

  async draw() {
    if (!this.host.ready()) return this.list.replaceChildren(h("li", { class: "soft" }, "kubectl is not loaded yet."));
    const kernel = await this.host.kernel();
    const all = (await kernel.files.list(this.host.home)).filter((/** @type {any} */ f) => !HIDDEN.test(f.name));
    this.count.textContent = all.length ? String(all.length) : "";
    this.list.replaceChildren(...all.map((/** @type {any} */ f) => this.#row(f, kernel)));
    if (!all.length) this.list.append(h("li", { class: "soft" }, "There are none yet."));
  }

  /** @param {{name: string, path: string, kind?: string, size: number}} file @param {any} kernel */
  #row({ name, path, kind, size: bytes }, kernel) {
    const act = (/** @type {string} */ label, /** @type {() => void} */ onclick) =>
      h("button", { type: "button", class: "button quiet", "aria-label": `${label} ${name}`, onclick }, label);
    if (kind === "dir") return h("li", {}, h("span", { class: "mono term-file" }, `${name}/`));
    return h("li", {},
      h("span", { class: "mono term-file", title: path }, name), h("span", { class: "num soft" }, size(bytes)),
      act("Edit", () => {
        this.el.hidePopover?.();
        this.host.edit(path);
      }),
      act("Download", async () => download(new Blob([await kernel.files.read(path)]), name)),
      act("Delete", () => kernel.files.remove(path)));
  }

  /** Takes files of the person's own. @param {File[]} files */
  async add(files) {
    const kernel = await this.host.kernel();
    const added = [];
    for (const file of files) {
      if (file.size > LARGEST) {
        this.host.lab.toast(`${file.name} is larger than ${size(LARGEST)}: it was not added.`);
        continue;
      }
      const name = file.name.replace(/[/\0]/g, "_") || "file";
      await kernel.files.write(`${this.host.home}/${name}`, new Uint8Array(await file.arrayBuffer()));
      added.push(name);
    }
    await this.draw();
    const more = added.length > 3 ? ` and ${added.length - 3} more` : "";
    if (added.length) this.host.lab.toast(`Added ${added.slice(0, 3).join(", ")}${more}`);
    return added;
  }

  /** Has files dropped onto an element added. @param {HTMLElement} el @param {(names: string[]) => void} added */
  drop(el, added) {
    const has = (/** @type {DragEvent} */ ev) => ev.dataTransfer?.types.includes("Files");
    el.addEventListener("dragover", (ev) => {
      if (!has(ev)) return;
      ev.preventDefault();
      el.classList.add("is-dropping");
    });
    el.addEventListener("dragleave", (ev) => {
      if (!el.contains(/** @type {Node | null} */ (ev.relatedTarget))) el.classList.remove("is-dropping");
    });
    el.addEventListener("drop", (ev) => {
      el.classList.remove("is-dropping");
      if (!has(ev)) return;
      ev.preventDefault();
      this.add([...(ev.dataTransfer?.files ?? [])]).then(added);
    });
  }
}
