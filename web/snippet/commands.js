// @ts-check
/**
 * A block of commands: one field, which the page's shell runs (shell.js, in the frame of the cluster), with what it
 * writes as it comes.
 *
 * @import { FromShell } from "./messages"
 */
import { Field } from "./field.js";
import { make } from "./make.js";

/** How much of the output is shown, in characters; the rest is counted. */
const MOST = 200_000;

/**
 * The commands of a block. Where lines begin with the prompt "$ ", as in many documents, the others are what the
 * commands print, and are left out.
 *
 * @param {string} text
 */
export function commandsOf(text) {
  const lines = text.replaceAll("\r\n", "\n").trim().split("\n");
  if (!lines.some((line) => line.startsWith("$ "))) return lines.join("\n");
  return lines.filter((line, i) => line.startsWith("$ ") || (i > 0 && lines[i - 1].endsWith("\\")))
    .map((line) => line.replace(/^\$ /, "")).join("\n");
}

export class Commands extends Field {
  /** @type {MessagePort | null} */ port = null;
  #runs = 0;

  /** @param {string} text */
  constructor(text) {
    const commands = commandsOf(text);
    if (!commands) throw new Error("There is no command here.");
    super("Commands", commands.split("\n")[0], commands);
  }

  get able() {
    return this.port !== null;
  }

  /** @param {AbortSignal} stop @param {(text: string, bad?: boolean) => void} say */
  async perform(stop, say) {
    const port = /** @type {MessagePort} */ (this.port);
    const output = make("pre", { tabindex: "0", class: "output", role: "log" });
    this.answer.replaceChildren(output);
    let length = 0;
    const run = ++this.#runs;
    const begun = performance.now();
    say("Running …");
    try {
      const status = await new Promise((resolve, reject) => {
        stop.addEventListener("abort", () => {
          port.postMessage({ type: "stop", run });
          reject(stop.reason);
        });
        port.onmessage = ({ data }) => {
          const m = /** @type {FromShell} */ (data);
          if (m.run !== run) return; // of one that was stopped
          if (m.type === "loading") say(loading(m));
          else if (m.type === "started") say("Running …");
          else if (m.type === "failed") reject(new Error(m.reason));
          else if (m.type === "ended") resolve(m.status);
          else {
            const shown = m.text.slice(0, Math.max(0, MOST - length));
            length += m.text.length;
            if (shown) output.append(m.stream === "stderr" ? make("span", { class: "error" }, shown) : shown);
          }
        };
        port.postMessage({ type: "run", run, text: this.text.value });
      });
      const more = length > MOST ? `, ${length - MOST} characters are not shown` : "";
      const took = Math.max(1, Math.round(performance.now() - begun));
      say(`${status === 0 ? "Done" : `Failed, exit status ${status}`}, ${took} ms${more}`, status !== 0);
    } finally {
      port.onmessage = null;
    }
  }
}

/** @param {{loaded: number, total: number, building: boolean}} m */
function loading({ loaded, total, building }) {
  if (building) return "kubectl is being built …";
  if (total === 0) return "Loading kubectl …";
  return loaded < total ? `Loading kubectl: ${Math.floor((100 * loaded) / total)} % …` : "Compiling kubectl …";
}
