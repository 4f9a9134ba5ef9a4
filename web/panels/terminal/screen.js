// @ts-check
/**
 * What a program writes to a terminal, as lines of styled text. It knows what programs of this terminal use: colours,
 * bold, a carriage return, and clearing the screen; other control sequences are left out.
 *
 * Invariants: bytes may be cut anywhere; what is given out as a line has ended, and does not change any more.
 *
 * @typedef {{text: string, style: string}} Run style: class names, "" for none
 *
 * @typedef {object} Sink
 * @property {(runs: Run[]) => void} line a line has ended
 * @property {() => void} clear all lines are to be forgotten
 */

/** The names of colours 30 to 37 and 40 to 47. */
const COLOURS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

const ESCAPE = /^\x1b(?:\[([0-9;?]*)[ -/]*([@-~])|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()*+][ -~]|[@-Z\\^_=>78c])/;
const UNFINISHED = /^\x1b(?:\[[0-9;?]*[ -/]*|\][^\x07\x1b]*\x1b?|[()*+])?$/;

/** A line longer than this is broken: it is no text. */
const LONGEST = 32 << 10;

export class Screen {
  #sink;
  /** The line that has not ended, by its columns. @type {string[]} */ #text = [];
  /** @type {string[]} */ #styles = [];
  #column = 0;
  /** @type {Map<string, {decoder: TextDecoder, rest: string, state: State}>} */ #streams = new Map();

  /** @param {Sink} sink */
  constructor(sink) {
    this.#sink = sink;
  }

  /** @param {Uint8Array} bytes @param {string} stream "stdout" or "stderr" */
  write(bytes, stream) {
    let s = this.#streams.get(stream);
    if (!s) this.#streams.set(stream, (s = { decoder: new TextDecoder(), rest: "", state: plain() }));
    this.#take(s.rest + s.decoder.decode(bytes, { stream: true }), s, stream === "stderr" ? "is-stderr" : "");
  }

  /** Text that the page itself adds, such as what was typed. @param {string} text @param {string} style */
  add(text, style) {
    this.#take(text, { rest: "", state: plain() }, style);
  }

  /** @param {string} text @param {{rest: string, state: State}} s @param {string} base */
  #take(text, s, base) {
    s.rest = "";
    let style = classes(s.state, base);
    for (let i = 0; i < text.length; ) {
      const c = text[i];
      if (c === "\x1b") {
        const m = ESCAPE.exec(text.slice(i, i + 256));
        if (!m) {
          if (text.length - i < 256 && UNFINISHED.test(text.slice(i))) {
            s.rest = text.slice(i);
            return;
          }
          i++;
          continue;
        }
        this.#control(m[1], m[2], s.state);
        style = classes(s.state, base);
        i += m[0].length;
      } else if (c === "\n") {
        this.#end();
        i++;
      } else if (c === "\r") {
        this.#column = 0;
        i++;
      } else if (c === "\b") {
        this.#column = Math.max(0, this.#column - 1);
        i++;
      } else if (c < " " && c !== "\t" || c === "\x7f") {
        i++;
      } else {
        const code = /** @type {number} */ (text.codePointAt(i));
        const one = String.fromCodePoint(code);
        this.#text[this.#column] = one;
        this.#styles[this.#column] = style;
        this.#column++;
        i += one.length;
        if (this.#text.length >= LONGEST) this.#end();
      }
    }
  }

  #end() {
    this.#sink.line(this.open());
    this.#text = [];
    this.#styles = [];
    this.#column = 0;
  }

  /** The line that has not ended. @returns {Run[]} */
  open() {
    /** @type {Run[]} */
    const runs = [];
    for (let i = 0; i < this.#text.length; i++) {
      const text = this.#text[i] ?? " ";
      const style = this.#styles[i] ?? "";
      const last = runs.at(-1);
      if (last && last.style === style) last.text += text;
      else runs.push({ text, style });
    }
    return runs;
  }

  /** @param {string | undefined} given @param {string | undefined} what @param {State} state */
  #control(given, what, state) {
    if (what === "m") return paint(given ?? "", state);
    if (what === "J" && (given === "2" || given === "3")) {
      this.#text = [];
      this.#styles = [];
      this.#column = 0;
      this.#sink.clear();
    } else if (what === "K" && (given === "" || given === "0")) {
      this.#text.length = Math.min(this.#text.length, this.#column);
      this.#styles.length = this.#text.length;
    } else if (what === "K") {
      this.#text.length = given === "2" ? 0 : this.#text.length;
      this.#styles.length = this.#text.length;
    } else if (what === "G") this.#column = Math.max(0, Number(given || 1) - 1);
    else if (what === "C") this.#column += Number(given || 1);
    else if (what === "D") this.#column = Math.max(0, this.#column - Number(given || 1));
  }
}

/** @typedef {{bold: boolean, dim: boolean, italic: boolean, under: boolean, front: string, back: string}} State */

/** @returns {State} */
const plain = () => ({ bold: false, dim: false, italic: false, under: false, front: "", back: "" });

/** The class names of a state. @param {State} s @param {string} base */
function classes(s, base) {
  const out = [base];
  if (s.bold) out.push("is-bold");
  if (s.dim) out.push("is-dim");
  if (s.italic) out.push("is-italic");
  if (s.under) out.push("is-under");
  if (s.front) out.push(`fg-${s.front}`);
  if (s.back) out.push(`bg-${s.back}`);
  return out.filter(Boolean).join(" ");
}

/** Changes a state by what a sequence for colours says. @param {string} given @param {State} s */
function paint(given, s) {
  const codes = given.split(";").map(Number);
  for (let i = 0; i < codes.length; i++) {
    const n = codes[i];
    if (n === 0) Object.assign(s, plain());
    else if (n === 1) s.bold = true;
    else if (n === 2) s.dim = true;
    else if (n === 22) s.bold = s.dim = false;
    else if (n === 3 || n === 23) s.italic = n === 3;
    else if (n === 4 || n === 24) s.under = n === 4;
    else if (n >= 30 && n <= 37) s.front = COLOURS[n - 30];
    else if (n >= 90 && n <= 97) s.front = COLOURS[n - 90];
    else if (n >= 40 && n <= 47) s.back = COLOURS[n - 40];
    else if (n >= 100 && n <= 107) s.back = COLOURS[n - 100];
    else if (n === 39) s.front = "";
    else if (n === 49) s.back = "";
    else if (n === 38 || n === 48) {
      // One of 256, of which the first 16 have names; the others, and those by red, green and blue, are left out.
      const named = codes[i + 1] === 5 && codes[i + 2] < 16 ? COLOURS[codes[i + 2] % 8] : "";
      if (n === 38) s.front = named;
      else s.back = named;
      i += codes[i + 1] === 5 ? 2 : codes[i + 1] === 2 ? 4 : 0;
    }
  }
}
