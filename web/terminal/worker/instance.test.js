// An instance without the binary: a program in its place, which has what wasm_exec.js gives to Go.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Runner } from "./instance.js";

/** An empty program for WebAssembly.instantiate. */
const EMPTY = new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
const turn = () => new Promise((resolve) => setTimeout(resolve, 2));
const bytes = (s) => new TextEncoder().encode(s);
const text = (b) => new TextDecoder().decode(b);

/** Starts a program, which gets its globals and what wasm_exec.js would have. */
function start(program) {
  const sent = [];
  const global = {
    Go: class {
      importObject = {};
      _scheduledTimeouts = new Map();
      resumed = 0;
      _resume() {
        this.resumed++;
      }
      run() {
        return new Promise((resolve) => {
          this.end = (status) => {
            this.exit(status);
            resolve();
          };
          program(global, this);
        });
      }
    },
  };
  const runner = new Runner({ postMessage: (m) => sent.push(m), global });
  runner.receive({ type: "prepare", module: EMPTY });
  const { port1 } = new MessageChannel();
  after(() => port1.close());
  const called = { argv: ["kubectl", "get"], env: ["A=b=c"], dir: "/home", pid: 7, port: port1 };
  const call = (more = {}) => runner.receive({ type: "start", ...called, ...more });
  return { runner, sent, global, call };
}

test("a program starts before it is called, and what it asks waits until then", async () => {
  let seen;
  const { sent, call } = start(({ fs, process }) => {
    fs.stat("/a", () => {});
    process.called(() => (seen = { argv: process.argv, env: process.env, pid: process.pid, dir: process.cwd() }));
  });
  await turn();
  assert.deepEqual([sent, seen], [[], undefined]);
  call();
  assert.deepEqual(seen, { argv: ["kubectl", "get"], env: { A: "b=c" }, pid: 7, dir: "/home" });
  assert.deepEqual(sent, [{ type: "call", id: 1, call: "stat", args: ["/a"] }]);
});

test("paths are those of its directory, and the mask holds", async () => {
  const { sent, call } = start(({ fs, process }) => process.called(() => {
    fs.open("a", 0, 0o666, () => {});
    process.umask(0);
    process.chdir("../tmp");
    fs.mkdir("./b/", 0o777, () => {});
    fs.rename("a", "/c", () => {});
  }));
  await turn();
  call();
  assert.deepEqual(sent.map((m) => m.args), [["/home/a", 0, 0o644], ["/tmp/b", 0o777], ["/tmp/a", "/c"]]);
});

test("answers are errors with codes, or results", async () => {
  const seen = [];
  const { runner, call } = start(({ fs, process }) => process.called(() => {
    fs.stat("/none", (error) => seen.push(error.code));
    fs.stat("/dir", (_, stat) => seen.push(stat.isDirectory()));
    const buffer = new Uint8Array(4);
    fs.read(9, buffer, 1, 3, null, (_, n) => seen.push(n, [...buffer]));
  }));
  await turn();
  call();
  runner.receive({ type: "answer", id: 1, error: "ENOENT", result: null });
  runner.receive({ type: "answer", id: 2, error: null, result: { mode: 0o40755 } });
  runner.receive({ type: "answer", id: 3, error: null, result: new Uint8Array([5, 6]) });
  assert.deepEqual(seen, ["ENOENT", true, 2, [0, 5, 6, 0]]);
});

test("cells of a table are one message, in their order, before what is asked next", async () => {
  const { sent, call } = start(({ fs, process }) => process.called(() => {
    for (const cell of ["NAME", "  ", "AGE", "\n"]) fs.write(1, bytes(cell), 0, cell.length, null, () => {});
    fs.write(2, bytes("warning"), 0, 7, null, () => {});
    fs.write(1, bytes("a"), 0, 1, null, () => {});
    fs.close(5, () => {});
    fs.write(1, bytes("b"), 0, 1, null, () => {});
  }));
  await turn();
  call();
  await turn();
  assert.deepEqual(sent.map((m) => m.call === "write" ? `${m.args[0]} ${text(m.args[1])}` : m.call),
    ["1 NAME  AGE\n", "2 warning", "1 a", "close", "1 b"]);
});

test("who writes much waits until it is taken, and exits when all is", async () => {
  let written = 0;
  const much = new Uint8Array(40 << 10);
  const { runner, sent, call } = start(({ fs, process }, go) => process.called(() => {
    fs.write(1, much, 0, much.length, null, () => written++);
    fs.write(1, much, 0, much.length, null, () => {
      written++;
      go.end(0);
    });
  }));
  await turn();
  call();
  await turn();
  assert.deepEqual([written, sent.length], [1, 2]);
  runner.receive({ type: "answer", id: 1, error: null, result: much.length });
  runner.receive({ type: "answer", id: 2, error: null, result: much.length });
  await turn();
  assert.deepEqual([written, sent.at(-1)], [2, { type: "exit", status: 0, said: "" }]);
});

test("nothing reaches a program that has ended", async () => {
  let go;
  const called = [];
  const { runner, call } = start(({ fs, process }, program) => process.called(() => {
    go = program;
    fs.read(0, new Uint8Array(1), 0, 1, null, () => called.push("read"));
    go._scheduledTimeouts.set(1, setTimeout(() => called.push("timer"), 1));
    go.end(3);
  }));
  await turn();
  call();
  runner.receive({ type: "answer", id: 1, error: null, result: new Uint8Array(1) });
  go._resume(); // a promise that Go waited for
  await turn();
  await turn();
  assert.deepEqual([called, go.resumed], [[], 0]);
});

test("what the runtime says of a panic is told with the exit; what prints, is not", async () => {
  for (const [said, want] of [["panic: nil map\n\ngoroutine 1", "panic: nil map\n\ngoroutine 1"], ["printed", ""]]) {
    const { sent, call } = start(({ fs, process }, go) => process.called(() => {
      fs.writeSync(2, bytes(said));
      go.end(2);
    }));
    await turn();
    call();
    await turn();
    assert.deepEqual(sent, [{ type: "exit", status: 2, said: want }]);
  }
});

test("an instance that breaks before it is called says so when it is", async () => {
  const { sent, call } = start(() => {
    throw new RangeError("out of memory");
  });
  await turn();
  assert.deepEqual(sent, []);
  call();
  assert.deepEqual(sent, [{ type: "died", text: "RangeError: out of memory" }]);
});

test("the shell is asked by name", async () => {
  const { runner, sent, call } = start((global) => global.process.called(() => {
    global.shell = {
      programs: () => ["ls"],
      incomplete: (input) => input.endsWith("|"),
      run: (session, input, callback, command) => callback(session + command, input, true),
    };
    global.shellReady();
  }));
  await turn();
  call({ argv: ["sh"] });
  runner.receive({ type: "ask", id: 1, name: "incomplete", args: ["a |"] });
  runner.receive({ type: "ask", id: 2, name: "run", args: [1, "b", 4] });
  runner.receive({ type: "ask", id: 3, name: "complete", args: [] });
  const failed = sent.pop();
  assert.match(failed.error, /^TypeError: /);
  assert.deepEqual(sent, [
    { type: "ready", names: ["ls"] },
    { type: "said", id: 1, result: true, error: "" },
    { type: "said", id: 2, result: { status: 5, dir: "b", exited: true }, error: "" },
  ]);
});

test("files that came when they were opened are read without asking", async () => {
  const seen = [];
  const { runner, sent, call } = start(({ fs, process }) => process.called(() => fs.open("/c", 0, 0, (_, fd) => {
    const buffer = new Uint8Array(4);
    fs.fstat(fd, (_, stat) => seen.push(stat.size, stat.isDirectory()));
    for (let i = 0; i < 2; i++) fs.read(fd, buffer, 0, 4, null, (_, n) => seen.push(text(buffer.subarray(0, n))));
    fs.read(fd, buffer, 0, 4, null, (_, n) => seen.push(n));
    fs.read(fd, buffer, 0, 2, 1, (_, n) => seen.push(text(buffer.subarray(0, n))));
    fs.close(fd, () => seen.push("closed"));
  })));
  await turn();
  call();
  const result = { fd: 9, stat: { mode: 0o100644, size: 6 }, content: bytes("abcdef") };
  runner.receive({ type: "answer", id: 1, error: null, result });
  assert.deepEqual(seen, [6, false, "abcd", "ef", 0, "bc", "closed"]);
  assert.deepEqual(sent.map((m) => m.call), ["open", "close"]);
});
