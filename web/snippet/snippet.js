// @ts-check
/**
 * What a snippet shows: each request of its block in a field where it can be changed, Run or Stop, and its answer as
 * the API gave it.
 *
 * @import { FromFrame } from "./messages"
 * @import { Request } from "./http.js"
 */
import { answerOf } from "./answer.js";
import { ask } from "./ask.js";
import { isWatch, parse } from "./http.js";
import { make } from "./make.js";

export class Snippet {
  /** @type {typeof globalThis.fetch | null} */ fetch = null;
  /** Exchanges of requests with a name. @type {Map<string, unknown>} */ answers = new Map();
  /** @type {Field[]} */ fields = [];
  #note = make("p", { role: "status", class: "note" });
  /** The field that is run as soon as there is a cluster. @type {Field | null} */ #first = null;

  /**
   * @param {HTMLElement} place
   * @param {string} text a block
   * @param {() => void} reset begins the page's cluster again
   */
  constructor(place, text, reset) {
    const again = make("button", { type: "button", class: "quiet",
      title: "Begin again with a new cluster, for all snippets of this page" }, "Reset");
    again.onclick = reset;
    place.append(this.#note);
    try {
      const requests = parse(text);
      if (requests.length === 0) throw new Error("There is no request here.");
      this.fields = requests.map((request) => new Field(this, request));
      this.#first = this.fields[0];
    } catch (error) {
      this.#note.textContent = words(error);
      this.#note.classList.add("error");
    }
    place.append(...this.fields.map(({ section }) => section), make("div", { class: "foot" }, again));
    this.#first?.button.focus();
  }

  /** @param {typeof globalThis.fetch} fetch */
  connect(fetch) {
    this.fetch = fetch;
  }

  /** Says how the cluster is, and runs the first request when it is ready. @param {FromFrame} state */
  tell(state) {
    if (this.fields.length === 0) return;
    this.#note.classList.toggle("error", state.tabernetes === "failed");
    if (state.tabernetes === "loading") {
      const come = state.loaded > 0 ? ` (${(state.loaded / 1e6).toFixed(0)} MB unpacked)` : "";
      if (!this.#note.textContent || come) this.#note.textContent = `Starting an API server in this page …${come}`;
    } else if (state.tabernetes === "failed") this.#note.textContent = `The API server did not start: ${state.reason}`;
    else if (state.tabernetes === "ready") {
      this.#note.textContent = "";
      const first = this.#first;
      this.#first = null;
      first?.run();
    }
  }

  /** Forgets all answers: the cluster is another one. */
  clear() {
    this.answers.clear();
    for (const field of this.fields) field.clear();
    this.#first = null;
  }
}

const words = (/** @type {unknown} */ error) => (error instanceof Error ? error.message : String(error));

let fields = 0;

/** A request of a snippet. */
class Field {
  /** @type {AbortController | null} */ #running = null;

  /** @param {Snippet} snippet @param {Request} request */
  constructor(snippet, request) {
    this.snippet = snippet;
    const name = request.name || `${request.method} ${request.target.split("?")[0]}`;
    const id = `request-${++fields}`;
    this.text = make("textarea", { id, "aria-label": `Request: ${name}`, spellcheck: "false", autocapitalize: "off",
      rows: String(request.source.split("\n").length) });
    this.text.value = request.source;
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

  async run() {
    const { fetch, answers } = this.snippet;
    if (!fetch) return;
    this.clear();
    const running = (this.#running = new AbortController());
    this.#label("Stop");
    const mine = () => this.#running === running;
    const say = (/** @type {string} */ text, bad = false) => {
      if (!mine()) return;
      this.status.textContent = text;
      this.status.classList.toggle("error", bad);
    };
    try {
      const [request, ...others] = parse(this.text.value);
      if (!request || others.length > 0) throw new Error("One request is needed here.");
      for (let index = 1; index <= request.repeat; index++) {
        const begun = performance.now();
        const { response, target } = await ask(fetch, request, index, (name) => answers.get(name), running.signal);
        if (!mine()) return;
        const took = performance.now() - begun;
        const part = request.repeat > 1 ? `${index} of ${request.repeat}: ` : "";
        const tell = (/** @type {string} */ text) => say(part + text);
        const exchange = await answerOf(response, isWatch(target), this.answer, tell, took);
        if (request.name) answers.set(request.name, exchange);
      }
    } catch (error) {
      if (running.signal.aborted) say(`${this.status.textContent}, stopped`.replace(/^, s/, "S"));
      else say(words(error), true);
    } finally {
      if (mine()) {
        this.#running = null;
        this.#label("Run");
      }
    }
  }
}
