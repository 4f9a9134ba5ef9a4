// For tests: a kernel with the real one's interface, whose few commands make their requests as kubectl does.

const HOME = "/home/user";
const encode = (text) => new TextEncoder().encode(text);

/** Opens a terminal as web/terminal/host.js does. load: how kubectl is loaded. */
export function openFake({ fetch, progress, edit, load = async () => {} }) {
  const kernel = new FakeKernel(fetch, edit);
  return { kernel, load: async () => {
    await load(progress);
    kernel.loaded = true;
  } };
}

class FakeKernel {
  #listeners = new Set();
  #sessions = new Map();
  #pids = 0;

  constructor(fetch, edit) {
    Object.assign(this, { fetch, edit });
    const files = new Map();
    const listeners = new Set();
    const changed = (path) => listeners.forEach((f) => f(path));
    this.files = {
      list: async () => [...files].map(([path, bytes]) =>
        ({ path, name: path.slice(HOME.length + 1), kind: "file", size: bytes.length })),
      read: async (path) => {
        if (!files.has(path)) throw new Error("no such file");
        return files.get(path);
      },
      write: async (path, bytes) => {
        files.set(path, bytes);
        changed(path);
      },
      remove: async (path) => {
        files.delete(path);
        changed(path);
      },
      onChange: (f) => listeners.add(f),
    };
  }

  onProcess(listener) {
    this.#listeners.add(listener);
  }

  tell(event) {
    for (const listener of this.#listeners) listener(event);
  }

  terminal(n) {
    if (!this.#sessions.has(n)) this.#sessions.set(n, new FakeSession(this, n, () => ++this.#pids));
    return this.#sessions.get(n);
  }
}

class FakeSession {
  command = 0;
  reading = false;
  #output = () => {};
  #reading = () => {};
  #line = null;
  #stop = new AbortController();

  constructor(kernel, n, pid) {
    Object.assign(this, { kernel, n, pid });
  }

  onOutput(f) {
    this.#output = f;
  }

  onReading(f) {
    this.#reading = f;
  }

  resize() {}

  close() {
    this.#stop.abort();
  }

  input(line) {
    this.#line?.(line);
  }

  endInput() {
    this.#line?.(null);
  }

  interrupt() {
    this.#stop.abort(new Error("interrupted"));
    this.#line?.(null);
  }

  async incomplete(text) {
    const heredoc = /<<\s*'?(\w+)/.exec(text);
    return heredoc ? !text.split("\n").slice(1).includes(heredoc[1]) : (text.match(/'/g) ?? []).length % 2 === 1;
  }

  async complete(line, cursor) {
    const start = line.lastIndexOf(" ", cursor - 1) + 1;
    const words = start === 0 ? { kubectl: "control the cluster", clear: "" }
      : /get \S*$/.test(line) ? { configmaps: "cm", pods: "po", podtemplates: "" }
      : { apply: "Apply a configuration", get: "Display resources", label: "Update labels" };
    const items = Object.entries(words).filter(([text]) => text.startsWith(line.slice(start, cursor)));
    return { start, end: cursor, items: items.map(([text, description]) => ({ text, description })) };
  }

  print(text, stream = "stdout") {
    this.#output(encode(text), stream);
  }

  async run(text) {
    const command = ++this.command;
    this.#stop = new AbortController();
    const pid = this.pid();
    const argv = text.split("\n")[0].split(/\s+/).filter((word) => !word.startsWith("<<"));
    const about = { pid, session: this.n, command };
    this.kernel.tell({ type: "start", argv, ...about });
    const ask = async (method, url, init = {}) => {
      const note = {
        origin: "terminal",
        set id(id) {
          tell({ type: "request", id, method, url, ...about });
        },
      };
      const tell = (event) => this.kernel.tell(event);
      return this.kernel.fetch(url, { method, signal: this.#stop.signal, tabernetes: note, ...init });
    };
    let status = 0;
    try {
      status = (await this.program(argv, text, ask, about)) ?? 0;
    } catch (error) {
      status = this.#stop.signal.aborted ? 130 : 1;
      if (status === 1) this.print(`${error}\n`, "stderr");
    }
    this.kernel.tell({ type: "exit", status, ...about });
    return { status, dir: HOME, command };
  }

  line() {
    return new Promise((resolve) => {
      this.reading = true;
      this.#reading(true);
      this.#line = (line) => {
        this.reading = false;
        this.#line = null;
        this.#reading(false);
        resolve(line);
      };
    });
  }

  /** Prints all columns that the server has, as kubectl does. */
  async table(kind, ask) {
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const answer = await ask("GET", `/api/v1/namespaces/default/${kind}`, { headers: { Accept: accept } });
    const table = await answer.json();
    const names = table.columnDefinitions.map((c) => c.name.toUpperCase());
    const rows = [names, ...table.rows.map((r) => r.cells.map(String))];
    const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)) + 3);
    this.print(rows.map((row) => row.map((cell, i) => cell.padEnd(widths[i])).join("").trimEnd() + "\n").join(""));
  }

  async program([name, verb, kind, given], text, ask, about) {
    const maps = "/api/v1/namespaces/default/configmaps";
    if (name === "clear") return this.print("\x1b[H\x1b[2J");
    if (name === "cat") {
      for (let line; (line = await this.line()) !== null;) this.print(line + "\n");
      return 0;
    }
    if (name === "seq") {
      this.print(Array.from({ length: Number(verb) }, (_, i) => `${i + 1}\n`).join(""));
      return 0;
    }
    if (name === "colours") {
      this.print("\x1b[31mred\x1b[0m \x1b[1mbold\x1b[0m\n10%\r20%\n");
      this.print("oh no\n", "stderr");
      return 3;
    }
    if (name === "crash") {
      const text = "panic: nil map\n\ngoroutine 1";
      this.kernel.tell({ type: "fault", sentence: "crash has stopped.", text, ...about });
      return 2;
    }
    if (name === "edit") return this.kernel.edit(`${HOME}/${verb}`);
    if (name !== "kubectl") {
      this.print(`${name}: command not found\n`, "stderr");
      return 127;
    }
    if (verb === "apply") {
      const data = JSON.parse(/^\{.*\}$/m.exec(text)?.[0] ?? "{}");
      const { name: object } = data.metadata;
      const read = await ask("GET", `${maps}/${object}`);
      const now = await read.json();
      const same = JSON.stringify(now.data) === JSON.stringify(data.data);
      if (read.status === 404) {
        await (await ask("POST", maps, { body: JSON.stringify(data),
          headers: { "Content-Type": "application/json" } })).text();
      } else if (!same) {
        await (await ask("PATCH", `${maps}/${object}`, { body: JSON.stringify({ data: data.data }),
          headers: { "Content-Type": "application/strategic-merge-patch+json" } })).text();
      }
      this.print(`configmap/${object} ${read.status === 404 ? "created" : same ? "unchanged" : "configured"}\n`);
      return 0;
    }
    const path = `${HOME}/.kube/cache/discovery/tab/servergroups.json`;
    this.kernel.tell({ type: "file", path, op: "read", ...about });
    if (given === "-o") return this.table(kind, ask);
    const list = await (await ask("GET", `/api/v1/namespaces/default/${kind}`)).json();
    if (given !== "-w") {
      this.print(["NAME", ...list.items.map((o) => o.metadata.name)].join("\n") + "\n");
      return 0;
    }
    const from = list.metadata.resourceVersion;
    const watch = await ask("GET", `/api/v1/namespaces/default/${kind}?resourceVersion=${from}&watch=true`);
    for await (const piece of watch.body.pipeThrough(new TextDecoderStream())) {
      for (const line of piece.trim().split("\n")) this.print(`${JSON.parse(line).object.metadata.name}\n`);
    }
  }
}
