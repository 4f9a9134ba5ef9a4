// @ts-check
import { make } from "./make.js";

export const words = (/** @type {unknown} */ error) => (error instanceof Error ? error.message : String(error));

let fields = 0;

/**
 * Text of a snippet that can be changed and run: Run or Stop, how it went, and a place for its outcome. A subclass
 * says what running it is.
 */
export class Field {
  /** @type {AbortController | null} */ #running = null;

  /** @param {string} what a word for it, for screen readers @param {string} name @param {string} source */
  constructor(what, name, source) {
    const id = `field-${++fields}`;
    this.text = make("textarea", { id, "aria-label": `${what}: ${name}`, spellcheck: "false", autocapitalize: "off",
      rows: String(source.split("\n").length) });
    this.text.value = source;
    this.button = make("button", { type: "button", "aria-controls": `${id}-answer` }, "Run");
    this.name = name;
    this.#label("Run");
    this.button.onclick = () => (this.#running ? this.#running.abort() : this.run());
    this.text.onkeydown = (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      this.run();
    };
    this.status = make("p", { role: "status", class: "status" });
    this.answer = make("div", { class: "answer" });
    const region = { id: `${id}-answer`, role: "region", "aria-label": `Answer to ${name}` };
    this.section = make("section", { "aria-label": name }, this.text,
      make("div", { class: "bar" }, this.button, this.status), make("div", region, this.answer));
  }

  /** @param {"Run" | "Stop"} what */
  #label(what) {
    this.button.textContent = what;
    this.button.setAttribute("aria-label", `${what}: ${this.name}`);
  }

  clear() {
    this.#running?.abort();
    this.#running = null;
    this.status.textContent = "";
    this.answer.replaceChildren();
  }

  /** Whether there is what it takes to run it. */
  get able() {
    return false;
  }

  /**
   * Runs the text; rejects if that fails.
   *
   * @param {AbortSignal} _stop
   * @param {(text: string, bad?: boolean) => void} _say how it goes
   * @returns {Promise<void>}
   */
  async perform(_stop, _say) {}

  async run() {
    if (!this.able) return;
    this.clear();
    const running = (this.#running = new AbortController());
    const { signal } = running;
    this.#label("Stop");
    const mine = () => this.#running === running;
    const say = (/** @type {string} */ text, bad = false) => {
      if (!mine()) return;
      this.status.textContent = text;
      this.status.classList.toggle("error", bad);
    };
    try {
      await this.perform(signal, say);
    } catch (error) {
      if (signal.aborted) say(`${this.status.textContent}, stopped`.replace(/^, s/, "S"));
      else say(words(error), true);
    } finally {
      if (mine()) {
        this.#running = null;
        this.#label("Run");
      }
    }
  }
}
