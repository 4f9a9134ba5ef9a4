// @ts-check
/**
 * The terminal, as a person sees it: several terminals under numbers, one field for all of them, files, a search.
 *
 * Nothing here knows kubectl's binary: the kernel runs commands (web/terminal/kernel), and what is in explain says
 * why they made their requests. What is chosen in the lab is chosen here too, by the names in data-ref.
 *
 * @import { TapEvent } from "../../shim/tabernetes"
 *
 * @typedef {object} Lab what the page's script offers (web/app/lab.js)
 * @property {(refs: string, lit?: boolean) => void} choose
 * @property {(panel: string) => void} open brings a panel into view
 * @property {(name: string) => Promise<any>} load imports a script of the page's build
 * @property {(text: string) => void} copy
 * @property {(text: string) => void} toast
 *
 * @typedef {object} Progress of what is loaded
 * @property {number} loaded
 * @property {number} total
 * @property {number} [download] how many bytes are downloaded for it
 * @property {boolean} [kept] nothing has to be downloaded
 * @property {boolean} [building] the server is building it
 *
 * @typedef {object} Options
 * @property {HTMLElement} panel
 * @property {Lab} lab
 * @property {(listener: (event: TapEvent) => void) => () => void} onTap
 * @property {() => string} place the cluster that commands speak with
 * @property {{getItem(key: string): string | null, setItem(key: string, value: string): void}} storage
 * @property {string} home the folder of the files
 * @property {(progress: (p: Progress) => void, edit: (path: string) => Promise<number>, history: () => string[]) =>
 *   {kernel: any, load: () => Promise<unknown>}} open makes the kernel; load may be called again after a failure
 *
 * @typedef {object} Host what the parts of the panel share
 * @property {Lab} lab
 * @property {string} home
 * @property {Exchanges} exchanges
 * @property {() => Promise<any>} kernel once it can run commands
 * @property {() => boolean} ready
 * @property {(session: Session) => void} changed what a terminal does has changed
 * @property {(session: Session, follow?: boolean) => void} drawn something was added to a terminal
 * @property {(session: Session) => void} exit the shell was left
 * @property {() => {columns: number, lines: number}} size
 * @property {(block: import("./block.js").Block) => void} select
 * @property {(id: number) => string} lane the name of the lane that shows a watch, "" if no lane does
 * @property {(id: number, as: string) => void} copy
 * @property {(path: string) => Promise<number>} edit
 */
import { Exchanges } from "./explain/exchanges.js";
import { httpBlock } from "./copyas.js";
import { edit } from "./edit.js";
import { h, icon } from "./dom.js";
import { FilesMenu } from "./files.js";
import { Find } from "./find.js";
import { History } from "./history.js";
import { Keys } from "./keys.js";
import { leadToField } from "./lead.js";
import { Prompt } from "./prompt.js";
import { Session } from "./session.js";
import { LoadStatus } from "./status.js";
import { laneOf, press, quoted } from "./page.js";
import { walk } from "./walk.js";

/** What the tools need of the dock's head, in pixels. */
const ROOM = 320;

/** @param {Options} options */
export function start(options) {
  return new Panel(options);
}

class Panel {
  /** @type {Session[]} */ sessions = [];
  #last = 0;
  #ready = false;
  /** @type {Promise<any> | null} */ #kernel = null;

  /** @param {Options} options */
  constructor(options) {
    const { panel, lab } = options;
    this.options = options;
    const get = (/** @type {string} */ selector) => /** @type {any} */ (panel.querySelector(selector));
    this.box = /** @type {HTMLElement} */ (get(".term"));
    this.out = /** @type {HTMLElement} */ (get(".term-out"));
    this.form = /** @type {HTMLFormElement} */ (get("form"));
    this.field = /** @type {HTMLTextAreaElement} */ (get("textarea"));
    this.early = this.field.value;
    this.sign = /** @type {HTMLElement} */ (get(".term-sign"));
    this.status = new LoadStatus(get(".term-status"), () => this.#load());
    const history = new History(options.storage);
    const typed = () => history.of(options.place());
    const opened = options.open((p) => this.status.progress(p), (path) => this.#edit(path), () => typed().all);
    this.opened = opened;
    /** @type {Host} */
    this.host = {
      lab,
      home: options.home,
      exchanges: new Exchanges(options.onTap, (id) => this.#blockOf(id)?.changed(), options.place),
      kernel: () => this.#load(),
      ready: () => this.#ready,
      changed: (session) => this.#changed(session),
      drawn: (session, follow) => session === this.session && this.#follow(follow),
      exit: (session) => this.close(session),
      size: () => this.#size(),
      select: (block) => lab.choose(block.lights, true),
      lane: laneOf,
      copy: (id, as) => this.#copy(id, as),
      edit: (path) => this.#edit(path),
    };
    opened.kernel.onProcess((/** @type {any} */ ev) => this.sessions.find((s) => s.n === ev.session)?.take(ev));
    this.prompt = new Prompt(this.form, this.field, () => this.#shell(), typed);
    this.find = new Find(() => this.session.el, () => this.field.focus());
    this.files = new FilesMenu(this.host);
    this.files.drop(panel, (names) => this.prompt.type(names.map(quoted).join(" ")));
    this.tools = this.#tools();
    panel.prepend(this.find.el);
    document.body.append(this.files.el);
    new Keys(panel, this.prompt);
    this.#place();
    leadToField(panel, this.out, this.prompt);
    this.#choices();
    walk(this.out, this.field);
    new MutationObserver(() => {
      const why = panel.dataset.closed; // a question of an exam is open
      if (why) for (const s of this.sessions) s.halt(why);
    }).observe(panel, { attributeFilter: ["data-closed"] });
    addEventListener("tabernetes-moved", () => {
      this.host.exchanges.moved();
      for (const s of this.sessions) for (const block of s.blocks) block.changed();
    });
    const rows = document.getElementById("st-rows");
    if (rows) {
      // A lane is drawn later than its watch is asked for, or has ended.
      new MutationObserver(() => {
        for (const s of this.sessions) for (const block of s.blocks.slice(-5)) block.changed();
      }).observe(rows, { childList: true });
    }
    this.add();
    new ResizeObserver(() => {
      for (const s of this.sessions) s.resize();
      for (const block of this.session.blocks) block.output.fit();
      this.prompt.fit();
    }).observe(this.out);
    this.#load().catch(() => {}); // said in the panel
    // Enter was pressed before there was anybody to take it.
    const early = this.early;
    if (/\S\n$/.test(early)) {
      this.prompt.set(early.trimEnd());
      this.prompt.enter();
    } else this.prompt.set(early);
  }

  /** Resolves to the kernel when it can run commands. */
  #load() {
    this.#kernel ??= (async () => {
      this.status.begin();
      try {
        await this.opened.load();
      } catch (error) {
        this.#kernel = null;
        this.status.failed(error instanceof Error ? error.message : String(error));
        throw error;
      }
      this.#ready = true;
      this.status.done();
      this.files.follow(this.opened.kernel);
      return this.opened.kernel;
    })();
    return this.#kernel;
  }

  get session() {
    return /** @type {Session} */ (this.shown);
  }

  // --- terminals ------------------------------------------------------------------

  /** Opens another terminal. */
  add() {
    const session = new Session(this.host, ++this.#last);
    this.sessions.push(session);
    this.form.before(session.el, session.waiting);
    this.show(session);
  }

  /**
   * Runs commands as if they were typed, in a terminal in which nothing runs, and resolves to the last request that
   * they have made; 0: none.
   *
   * @param {string} text
   */
  async run(text) {
    const idle = this.session.running ? this.sessions.find((s) => !s.running) : this.session;
    if (!idle) this.add();
    else if (idle !== this.session) this.show(idle);
    // A projector shows what the command does.
    if (!document.documentElement.hasAttribute("data-presenting") && this.options.panel.hidden) {
      this.options.lab.open("terminal");
    }
    const { session } = this;
    await session.run(text);
    return session.blocks.at(-1)?.last ?? 0;
  }

  /** @param {Session} session */
  show(session) {
    if (this.shown) {
      this.shown.draft = this.field.value;
      this.shown.el.hidden = this.shown.waiting.hidden = true;
    }
    this.shown = session;
    session.el.hidden = false;
    this.prompt.set(session.draft);
    this.prompt.restart();
    this.#changed(session);
    this.#drawTabs();
    this.#follow(true);
  }

  /** @param {Session} session */
  close(session) {
    const i = this.sessions.indexOf(session);
    this.sessions.splice(i, 1);
    session.close();
    if (!this.sessions.length) this.add();
    else if (session === this.shown) this.show(this.sessions[Math.max(0, i - 1)]);
    else this.#drawTabs();
  }

  #tools() {
    this.tabs = h("span", { class: "term-tabs", role: "group", "aria-label": "Terminals" });
    const find = h("button", { type: "button", class: "button quiet st-icon", "aria-label": "Search in the output",
      title: "Search in the output", onclick: () => this.find.open() },
    icon("M7 2.500a4.500 4.500 0 1 0 0 9 4.500 4.500 0 0 0 0-9M10.500 10.500l3.500 3.500"));
    return h("div", { class: "term-tools" }, this.tabs, h("span", { class: "term-space" }), this.files.button, find);
  }

  #drawTabs() {
    this.tabs?.replaceChildren(
      ...this.sessions.flatMap((s) => {
        const current = s === this.shown;
        const tab = h("button", {
          type: "button", class: "term-tab", "aria-current": current && "true",
          "aria-label": `Terminal ${s.n}${s.running ? ", a command runs" : ""}`,
          onclick: () => {
            this.show(s);
            this.field.focus();
          },
        }, String(s.n), s.running && h("span", { class: "term-dot", "aria-hidden": "true" }));
        const close = current && this.sessions.length > 1 && h("button", {
          type: "button", class: "term-close", "aria-label": `Close terminal ${s.n}`, title: "Close this terminal",
          onclick: () => {
            this.close(s);
            this.field.focus();
          },
        }, icon("M5 5l6 6M11 5l-6 6"));
        return close ? [tab, close] : [tab];
      }),
      h("button", { type: "button", class: "term-tab", "aria-label": "Another terminal", title: "Another terminal",
        onclick: () => {
          this.add();
          this.field.focus();
        } }, icon("M8 3v10M3 8h10")));
  }

  /** Puts the tools into the head of the dock, or above the output if that has no room for them. */
  #place() {
    const head = document.querySelector(".dock-head");
    const tabs = head?.querySelector(".dock-tabs");
    const put = () => {
      if (!head || !tabs) return this.options.panel.prepend(this.tools);
      const own = tabs.lastElementChild?.previousElementSibling?.getBoundingClientRect();
      const used = own ? own.right - head.getBoundingClientRect().left + tabs.scrollLeft : 0;
      const answer = /** @type {HTMLElement} */ (head.querySelector(".dock-answer"));
      const room = head.clientWidth - used - ROOM - answer.offsetWidth;
      if (room < 0 || !head.clientWidth) {
        if (this.tools.parentElement !== this.options.panel) this.options.panel.prepend(this.tools);
      } else if (this.tools.parentElement !== head) head.insertBefore(this.tools, answer);
    };
    if (head) new ResizeObserver(put).observe(head);
    put();
  }

  // --- what a person does -----------------------------------------------------------

  /** @returns {import("./prompt.js").Shell} */
  #shell() {
    const { session } = this;
    return {
      running: session.running,
      reading: session.reading,
      enter: (text) => session.enter(text),
      endInput: () => session.endInput(),
      interrupt: () => session.interrupt(),
      drop: (typed) => session.drop(typed),
      clear: () => session.clear(),
      complete: (line, cursor) => session.complete(line, cursor),
      incomplete: (text) => session.incomplete(text),
      fold: (key) => {
        const last = session.blocks.findLast((b) => !b.fold.hidden);
        if (!last || last.open === (key === "ArrowRight")) return false;
        last.show(key === "ArrowRight");
        return true;
      },
      move: (step) => {
        const last = session.blocks.at(-1);
        if (step > 0 || !last) return false;
        (last.fold.hidden ? last.head : last.fold).focus();
        return true;
      },
    };
  }

  /** @param {number} id @param {string} as */
  #copy(id, as) {
    const r = this.host.exchanges.get(id);
    if (as === "http block" && r) {
      this.host.lab.copy(httpBlock(r));
      return this.host.lab.toast("Copied as http block");
    }
    // The lab copies the request that is chosen.
    press({ action: "history-pick", id: String(id) });
    press({ action: "history-copy", as });
  }

  /** @param {string} path @returns {Promise<number>} the status of the editor */
  async #edit(path) {
    const { kernel } = this.opened;
    const text = new TextDecoder().decode(await kernel.files.read(path).catch(() => new Uint8Array(0)));
    await edit(this.options.panel, {
      name: path.startsWith(this.host.home + "/") ? path.slice(this.host.home.length + 1) : path,
      text,
      save: (changed) => kernel.files.write(path, new TextEncoder().encode(changed)),
    }, () => this.options.lab.load("editor.js"));
    return 0; // what was given up is as it was: kubectl sees that
  }

  // --- what has changed -------------------------------------------------------------

  /** @param {Session} session */
  #changed(session) {
    this.#drawTabs();
    if (session !== this.shown) return;
    const { running, reading, queue } = session;
    this.sign.textContent = running ? "" : session.dir ? `${session.dir} $` : "$";
    this.box.classList.toggle("is-running", running);
    this.field.placeholder = !running ? "" : reading ? "a line for the command; Ctrl-D ends the input"
      : "Ctrl-C ends the command";
    this.field.setAttribute("aria-label", reading ? "Input of the command" : "Command");
    const lines = queue.filter((line) => line?.trim());
    session.waiting.hidden = lines.length === 0;
    if (lines.length) session.waiting.textContent = `Runs next, when this command has ended: ${lines.join("; ")}`;
  }

  /** Keeps the end in view if it was. @param {boolean} [now] whatever was in view */
  #follow(now) {
    const { out } = this;
    if (now || this.#atEnd) out.scrollTop = out.scrollHeight;
    this.#atEnd = out.scrollHeight - out.scrollTop - out.clientHeight < 40;
    out.onscroll ??= () => (this.#atEnd = out.scrollHeight - out.scrollTop - out.clientHeight < 40);
  }

  #atEnd = true;

  #size() {
    const probe = h("span", { class: "term-probe mono", "aria-hidden": "true" }, "0".repeat(20));
    this.out.append(probe);
    const { width, height } = probe.getBoundingClientRect();
    probe.remove();
    if (!width || !this.out.clientWidth) return { columns: 80, lines: 24 };
    const room = this.out.clientWidth - 56;
    return {
      columns: Math.max(20, Math.floor(room / (width / 20))),
      lines: Math.max(5, Math.floor(this.out.clientHeight / height)),
    };
  }

  // --- one selection ----------------------------------------------------------------

  /** @param {number} id */
  #blockOf(id) {
    for (const s of this.sessions) {
      const block = s.blockOf(id);
      if (block) return block;
    }
  }

  /** What is chosen elsewhere in the lab leads to its command: the tab says so, and it is brought into view. */
  #choices() {
    addEventListener("tabernetes-chosen", (ev) => {
      const refs = /** @type {CustomEvent<string>} */ (ev).detail;
      const id = Number(/(?:^| )req-(\d+)/.exec(refs)?.[1] ?? 0);
      const session = id ? this.sessions.find((s) => s.blockOf(id)) : undefined;
      document.getElementById("tab-terminal")?.classList.toggle("has-chosen", !!session);
      if (!session || this.options.panel.contains(document.activeElement)) return;
      if (session !== this.shown) this.show(session);
      session.blockOf(id)?.el.scrollIntoView({ block: "nearest" });
    });
  }
}
