// @ts-check
/**
 * One terminal of the panel: its commands, one below the other, and what it is doing.
 *
 * @import { Host } from "./panel.js"
 */
import { Block } from "./block.js";
import { h } from "./dom.js";
import { looksOpen } from "./open-input.js";

/** How many commands are kept; the oldest go. */
const MOST = 200;

/** What a person sees of the folder of the files. */
const shown = (/** @type {string} */ dir, /** @type {string} */ home) =>
  dir === home || !dir ? "" : dir.startsWith(home + "/") ? "~" + dir.slice(home.length) : dir;

export class Session {
  /** @type {Block[]} */ blocks = [];
  /** The command that runs. @type {Block | null} */ current = null;
  /**
   * What was typed while a command runs that does not read: the lines are for it if it reads later, else they are run
   * when it has ended. null is the end of the input.
   *
   * @type {(string | null)[]}
   */
  queue = [];
  reading = false;
  draft = "";
  dir = "";
  /** By the number of the input. @type {Map<number, Block>} */ #byCommand = new Map();
  /** @type {any} */ terminal = null;

  /**
   * @param {Host} host
   * @param {number} n
   */
  constructor(host, n) {
    this.host = host;
    this.n = n;
    this.el = h("div", { class: "term-blocks", role: "log", "aria-label": `Terminal ${n}`, hidden: true });
    this.waiting = h("p", { class: "term-hint", hidden: true });
  }

  get running() {
    return this.current !== null;
  }

  /** The kernel's terminal, once it is there. */
  async #open() {
    const kernel = await this.host.kernel();
    if (!this.terminal) {
      this.terminal = kernel.terminal(this.n);
      this.terminal.onOutput((/** @type {Uint8Array} */ bytes, /** @type {any} */ stream) => {
        (this.current ?? this.blocks.at(-1))?.output.write(bytes, stream);
      });
      this.terminal.onReading((/** @type {boolean} */ on) => {
        this.reading = on;
        if (on) for (const line of this.queue.splice(0)) this.#give(line);
        this.host.changed(this);
      });
      this.resize();
    }
    return this.terminal;
  }

  /** Tells programs how large the terminal is. */
  resize() {
    const { columns, lines } = this.host.size();
    this.terminal?.resize(columns, lines);
  }

  /** Takes what was typed. @param {string} text */
  enter(text) {
    if (this.current && this.reading) this.#give(text);
    else if (this.current) {
      this.queue.push(text);
      this.host.changed(this);
    } else if (text.trim()) this.run(text);
  }

  /** Hands a line to the command that reads. @param {string | null} line null: the end of the input */
  #give(line) {
    if (line === null) return this.terminal.endInput();
    this.current?.output.echo(line + "\n");
    this.terminal.input(line);
  }

  /** Runs an input, and what was typed meanwhile after it, and resolves to its status. @param {string} text */
  async run(text) {
    const block = this.#add(text);
    this.current = block;
    this.host.changed(this);
    let status = 0;
    try {
      const terminal = await this.#open();
      if (this.current !== block) return 130; // it was given up before there was a kubectl
      this.#byCommand.set(terminal.command + 1, block); // the next one's number
      const result = await terminal.run(text);
      status = result.status;
      if (result.exited) return this.host.exit(this), status;
      this.dir = shown(result.dir, this.host.home);
    } catch (error) {
      if (this.current !== block) return 130;
      // Why there is no kubectl is said by the panel, too, with a way to try again.
      block.note(error instanceof Error ? error.message : String(error));
      status = 1;
    }
    block.end(status);
    this.current = null;
    this.reading = false;
    if (block.output.cleared && block.output.empty && /(^|[;&|]\s*)clear\b/.test(text)) this.clear();
    this.host.changed(this);
    this.#next();
    return status;
  }

  /** Runs what was typed meanwhile. */
  #next() {
    const text = this.queue.shift();
    if (text?.trim()) this.run(text);
    else if (text !== undefined) this.#next();
  }

  /** @param {string} text */
  #add(text) {
    const block = new Block(this.host, text, this.dir, () => this.host.drawn(this));
    this.blocks.push(block);
    this.el.append(block.el);
    while (this.blocks.length > MOST) this.#drop(this.blocks[0]);
    this.host.drawn(this, true);
    return block;
  }

  /** @param {Block} block */
  #drop(block) {
    this.blocks = this.blocks.filter((b) => b !== block);
    block.el.remove();
    for (const p of block.processes.values()) this.host.exchanges.forget(p.ids);
    for (const [n, b] of this.#byCommand) if (b === block) this.#byCommand.delete(n);
  }

  /** Removes the blocks of commands that have ended. */
  clear() {
    for (const block of [...this.blocks]) if (block !== this.current) this.#drop(block);
    this.host.drawn(this);
  }

  /** A line that was given up. @param {string} text */
  drop(text) {
    const block = this.#add(text + "^C");
    block.end(0);
  }

  interrupt() {
    this.queue = [];
    const block = this.current;
    if (!block) return;
    block.output.echo("^C\n");
    if ([...this.#byCommand.values()].includes(block)) this.terminal.interrupt();
    else {
      // kubectl is not there yet.
      this.current = null;
      block.end(130);
    }
    this.host.changed(this);
  }

  /** Ends what runs, also in the background, and says why. @param {string} why */
  halt(why) {
    if (this.current) {
      this.current.note(`Ended. ${why}`);
      this.interrupt();
    }
    this.terminal?.interrupt(true);
  }

  endInput() {
    if (this.reading) this.#give(null);
    else this.queue.push(null);
  }

  /** @param {string} line @param {number} cursor */
  async complete(line, cursor) {
    return (await this.#open()).complete(line, cursor);
  }

  /** @param {string} text */
  async incomplete(text) {
    if (!this.terminal && !this.host.ready()) return looksOpen(text);
    return (await this.#open()).incomplete(text);
  }

  /** @param {any} event of the kernel, about a process of this terminal */
  take(event) {
    const block = this.#byCommand.get(event.command) ?? (event.type === "fault" ? this.current : null);
    if (!block) return;
    if (event.type === "fault") block.note(event.sentence, false, event.text);
    else if (event.type === "note") block.note(event.text, event.running);
    else block.take(event);
  }

  /** The command that has made a request. @param {number} id */
  blockOf(id) {
    return this.blocks.findLast((b) => b.has(id));
  }

  close() {
    this.terminal?.close();
    for (const block of [...this.blocks]) this.#drop(block);
    this.el.remove();
  }
}
