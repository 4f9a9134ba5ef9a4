// WebKitGTK's MiniBrowser, driven over WebDriver (https://www.w3.org/TR/webdriver2/) on its own screen.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** @typedef {import("./driver").Engine} Engine */

/**
 * How long the browser may take for a script or a page, and its driver for a command, in milliseconds: less than
 * others wait, since the driver sometimes never answers again, and a new one is started then.
 */
const PAGE_TIMEOUT = 110_000;
const SILENCE = 120_000;

/** The driver gave no answer, or said that the browser gave none. */
export class NoAnswer extends Error {}

/** Keys that type nothing, as WebDriver writes them. */
const KEYS = {
  Enter: "\uE007",
  Tab: "\uE004",
  Escape: "\uE00C",
  Backspace: "\uE003",
  Shift: "\uE008",
  Control: "\uE009",
  Alt: "\uE00A",
  Meta: "\uE03D",
  End: "\uE010",
  Home: "\uE011",
  ArrowLeft: "\uE012",
  ArrowUp: "\uE013",
  ArrowRight: "\uE014",
  ArrowDown: "\uE015",
};

/**
 * @param {{driver: string, browser: string, screen: string}} programs
 * @returns {Promise<Engine>}
 */
export async function launchWebKit({ driver, browser, screen }) {
  const home = await mkdtemp(join(tmpdir(), "tabernetes-webkit-"));
  /** @type {import("node:child_process").ChildProcess[]} */
  const started = [];
  const end = async () => {
    for (const child of started.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exited = once(child, "exit");
      process.kill(-Number(child.pid)); // with all that it has started
      await exited;
    }
    await rm(home, { recursive: true, force: true });
  };
  try {
    const display = await startScreen(screen, started);
    const port = await freePort();
    const service = spawn(driver, [`--port=${port}`, "--host=127.0.0.1"], {
      stdio: "ignore",
      detached: true,
      env: {
        PATH: process.env.PATH,
        HOME: home,
        XDG_RUNTIME_DIR: home,
        DISPLAY: display,
        LANG: "C.UTF-8",
        GTK_A11Y: "none",
        NO_AT_BRIDGE: "1",
        LIBGL_ALWAYS_SOFTWARE: "1",
        WEBKIT_DISABLE_COMPOSITING_MODE: "1",
      },
    });
    started.push(service);
    const send = sender(`http://127.0.0.1:${port}`);
    await answering(send, service);
    const options = { binary: browser, args: ["--automation"] };
    /** @returns {Promise<{sessionId: string, capabilities: any}>} */
    const session = () =>
      send("POST", "/session", { capabilities: { alwaysMatch: { "webkitgtk:browserOptions": options } } });
    let version = "";
    return {
      name: "webkit",
      manyProfiles: false, // the driver has one session
      get version() {
        return version;
      },
      async profile() {
        const { sessionId, capabilities } = await session();
        version = capabilities.browserVersion;
        const base = `/session/${sessionId}`;
        await send("POST", base + "/timeouts", { script: PAGE_TIMEOUT, pageLoad: PAGE_TIMEOUT });
        const windows = new Windows((method, path, body) => send(method, base + path, body));
        const open = async (/** @type {string} */ type) =>
          (await windows.send("POST", "/window/new", { type })).handle;
        let unused = await windows.send("GET", "/window");
        return {
          async tab(type = "tab") {
            const tab = new WebDriverTab(windows, unused || (await open(type)));
            unused = "";
            await tab.resize(1440, 900);
            return tab;
          },
          async kill() {
            const all = await windows.send("GET", "/window/handles");
            unused = await open("tab");
            for (const handle of all) await windows.command(handle, "DELETE", "/window");
          },
          close: () => send("DELETE", base),
        };
      },
      close: end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** @param {string} base */
function sender(base) {
  return async (/** @type {string} */ method, /** @type {string} */ path, /** @type {any} */ body) => {
    const command = `${method} ${path.replace(/^\/session\/[^/]+/, "")}`;
    const signal = AbortSignal.timeout(SILENCE);
    const init = { method, signal, body: method === "POST" ? JSON.stringify(body ?? {}) : undefined };
    let response, value;
    try {
      response = await fetch(base + path, init);
      ({ value } = await response.json());
    } catch (error) {
      throw signal.aborted ? new NoAnswer(`${command}: no answer within ${SILENCE / 1000} s`) : error;
    }
    if (response.ok) return value;
    const said = `${command}: ${value?.error}: ${value?.message}`;
    throw /timeout/.test(value?.error) ? new NoAnswer(said) : new Error(said);
  };
}

/** A screen that nobody looks at. It chooses its own number. */
async function startScreen(program, started) {
  const child = spawn(program, ["-displayfd", "3", "-screen", "0", "2200x1400x24", "-nolisten", "tcp"],
    { detached: true, stdio: ["ignore", "ignore", "ignore", "pipe"] });
  started.push(child);
  const [number] = await Promise.race([
    once(/** @type {any} */ (child.stdio[3]), "data"),
    once(child, "exit").then(([code]) => Promise.reject(new Error(`${program} ended with ${code}`))),
  ]);
  return ":" + String(number).trim();
}

async function freePort() {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {net.AddressInfo} */ (server.address());
  server.close();
  await once(server, "close");
  return port;
}

async function answering(send, child) {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the driver ended with ${child.exitCode}`);
    try {
      await send("GET", "/status");
      return;
    } catch {
      await new Promise((wake) => setTimeout(wake, 20));
    }
  }
}

/** The windows of a session: a command is for the one that was chosen last, so they wait for one another. */
class Windows {
  #last = Promise.resolve();
  #chosen = "";

  constructor(send) {
    this.send = send;
  }

  /** @returns {Promise<any>} */
  command(handle, method, path, body) {
    const done = this.#last.then(async () => {
      if (this.#chosen !== handle) await this.send("POST", "/window", { handle });
      this.#chosen = handle;
      return this.send(method, path, body);
    });
    this.#last = done.catch(() => {});
    return done;
  }
}

/** @implements {import("./driver").Tab} */
class WebDriverTab {
  constructor(windows, handle) {
    this.command = (method, path, body) => windows.command(handle, method, path, body);
  }
  goto(url) {
    return this.command("POST", "/url", { url });
  }
  reload() {
    return this.command("POST", "/refresh");
  }
  back() {
    return this.command("POST", "/back");
  }
  async evaluate(f, ...args) {
    const script = `const [args, done] = arguments;
      Promise.resolve(args).then((args) => (${f})(...args)).then(
        (value) => done(JSON.stringify({ value })),
        (error) => done(JSON.stringify({ error: String(error?.stack ? error + "\\n" + error.stack : error) })));`;
    const said = JSON.parse(await this.command("POST", "/execute/async", { script, args: [args] }));
    if ("error" in said) throw new Error(said.error);
    return said.value;
  }
  #act(id, type, actions) {
    const parameters = type === "key" ? {} : { parameters: { pointerType: type === "mouse" ? "mouse" : "touch" } };
    return this.command("POST", "/actions",
      { actions: [{ type: type === "key" ? "key" : "pointer", id, ...parameters, actions }] });
  }
  move(x, y) {
    return this.#act("mouse", "mouse", [{ type: "pointerMove", x: Math.round(x), y: Math.round(y), duration: 0 }]);
  }
  down() {
    return this.#act("mouse", "mouse", [{ type: "pointerDown", button: 0 }]);
  }
  up() {
    return this.#act("mouse", "mouse", [{ type: "pointerUp", button: 0 }]);
  }
  touch(x, y) {
    return this.#act("finger", "touch",
      [{ type: "pointerMove", x: Math.round(x), y: Math.round(y), duration: 0 }, { type: "pointerDown", button: 0 },
        { type: "pointerUp", button: 0 }]);
  }
  keyDown(key) {
    return this.#act("keyboard", "key", [{ type: "keyDown", value: KEYS[key] ?? key }]);
  }
  keyUp(key) {
    return this.#act("keyboard", "key", [{ type: "keyUp", value: KEYS[key] ?? key }]);
  }
  type(text) {
    const keys = [...text.replaceAll("\n", KEYS.Enter)].flatMap(
      (value) => [{ type: "keyDown", value }, { type: "keyUp", value }]);
    return this.#act("keyboard", "key", keys);
  }
  async resize(width, height) {
    const inner = () => this.evaluate(() => [innerWidth, innerHeight]);
    const before = await this.command("GET", "/window/rect");
    const [w, h] = await inner();
    // The window is larger than the page in it by its tool bar.
    await this.command("POST", "/window/rect",
      { x: 0, y: 0, width: before.width - w + width, height: before.height - h + height });
    await this.evaluate(
      async ([width, height]) => {
        for (let i = 0; i < 100 && (innerWidth !== width || innerHeight !== height); i++) {
          await new Promise((r) => setTimeout(r, 20));
        }
      },
      [width, height],
    );
  }
  async screenshot(path) {
    await writeFile(path, Buffer.from(await this.command("GET", "/screenshot"), "base64"));
  }
  close() {
    return this.command("DELETE", "/window");
  }
}
