// The kernel with workers that are functions: what processes ask for, and what the panel gets.
import assert from "node:assert/strict";
import { test } from "node:test";
import { HOME } from "../system/constants.js";
import { bytes, fakeShell, kernelOf, text, until } from "./fake.js";

test("an input runs in the shell, and its output comes in order", async () => {
  const { kernel } = kernelOf({
    sh: fakeShell(async ({ call, session }) => {
      await call("write", session.stdout, bytes("one\n"), null);
      await call("write", session.stderr, bytes("two\n"), null);
      await call("write", session.stdout, bytes("three\n"), null);
      return 3;
    }),
  });
  const terminal = kernel.terminal(1);
  const seen = [];
  terminal.onOutput((b, stream) => seen.push(`${stream}: ${text(b).trim()}`));
  assert.deepEqual(await terminal.run("anything"), { status: 3, dir: HOME, command: 1, exited: false });
  assert.deepEqual(seen, ["stdout: one", "stderr: two", "stdout: three"]);
});

test("a command of the shell is a process with a worker of its own, which has the terminal's size", async () => {
  const { kernel, ended } = kernelOf({
    sh: fakeShell(async ({ call, session }) => {
      const env = ["A=b", "COLUMNS=9", "TABERNETES_SESSION=2", "TABERNETES_COMMAND=1"];
      const pid = await call("spawn", "kubectl", ["kubectl", "get"], env, "/tmp", [-1, session.stdout, session.stderr]);
      return call("wait", pid);
    }),
    async kubectl({ call, start, exit }) {
      await call("write", 1, bytes(`${start.argv} in ${start.dir}: ${start.env.join(" ")}`), null);
      exit(7);
    },
  });
  const terminal = kernel.terminal(2);
  await terminal.resize(120, 40);
  let out = "";
  terminal.onOutput((b) => (out += text(b)));
  const events = [];
  kernel.onProcess((event) => events.push(event));
  assert.equal((await terminal.run("kubectl get")).status, 7);
  assert.equal(out, "kubectl,get in /tmp: A=b TABERNETES_SESSION=2 TABERNETES_COMMAND=1 COLUMNS=120 LINES=40");
  const about = { pid: 2, session: 2, command: 1 };
  assert.deepEqual(events, [
    { type: "start", ...about, argv: ["kubectl", "get"] }, { type: "exit", ...about, status: 7 },
  ]);
  assert.deepEqual(ended, ["kubectl"], "its worker was ended");
});

test("a command of the shell knows whether controllers work in the cluster", async () => {
  for (const controlled of [true, false, Promise.resolve(true), Promise.resolve(false)]) {
    let seen;
    const { kernel } = kernelOf({
      sh: fakeShell(async ({ call }) =>
        call("wait", await call("spawn", "kubectl", ["kubectl"], ["CONTROL_PLANE=x", "A=b"], "/", [-1, -1, -1]))),
      kubectl({ start, exit }) {
        seen = start.env;
        exit(0);
      },
    }, { controlled: () => controlled });
    await kernel.terminal(1).run("kubectl");
    assert.deepEqual(seen, ["A=b", ...(await controlled ? ["CONTROL_PLANE=on"] : [])]);
  }
});

test("without a terminal for its output a process has no size", async () => {
  let seen;
  const { kernel } = kernelOf({
    sh: fakeShell(async ({ call }) => {
      const [, writes] = await call("pipe");
      return call("wait", await call("spawn", "kubectl", ["kubectl"], ["LINES=3"], "/", [-1, writes, -1]));
    }),
    kubectl({ start, exit }) {
      seen = start.env;
      exit(0);
    },
  });
  await kernel.terminal(1).run("kubectl | cat");
  assert.deepEqual(seen, []);
});

test("an interrupt ends processes, reads of the terminal, and the shell's command", async () => {
  let interrupted = 0;
  const { kernel, ended } = kernelOf({
    sh: fakeShell(async ({ call, session }) => {
      const pid = await call("spawn", "kubectl", ["kubectl"], ["TABERNETES_SESSION=1"], "/", [session.stdin, 1, 2]);
      assert.equal((await call("read", session.stdin, 10, null)).length, 0, "the read ends as at the end of a file");
      return call("wait", pid);
    }, { interrupt: () => interrupted++ }),
    kubectl() {},
  });
  const terminal = kernel.terminal(1);
  const running = terminal.run("kubectl get -w");
  await until(() => terminal.reading);
  await terminal.interrupt();
  assert.equal((await running).status, 130);
  assert.equal(interrupted, 1);
  assert.deepEqual(ended, ["kubectl"]);
});

test("an interrupt leaves the job of an input before, and the end of the terminal does not", async () => {
  const { kernel, ended } = kernelOf({
    sh: fakeShell(async ({ call, text, session }) => {
      const env = ["TABERNETES_SESSION=1", `TABERNETES_COMMAND=${text === "job &" ? 1 : 2}`];
      const pid = await call("spawn", "kubectl", [text], env, "/", [session.stdin, 1, 2]);
      return text === "job &" ? 0 : call("wait", pid);
    }),
    "job &"() {},
    front() {},
  });
  const begun = [];
  kernel.onProcess((event) => event.type === "start" && begun.push(event.argv[0]));
  const terminal = kernel.terminal(1);
  await terminal.run("job &");
  const running = terminal.run("front");
  await until(() => begun.length === 2);
  await terminal.interrupt();
  assert.equal((await running).status, 130);
  assert.ok(!ended.includes("job &"));
  await terminal.close();
  await until(() => ended.includes("job &"));
});

test("a shell that does not take note of an interrupt is ended, and the next input has another", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const turns = async () => {
    for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
  };
  let busy = true;
  let shells = 0;
  const { kernel } = kernelOf({
    sh: fakeShell(() => (busy ? new Promise(() => {}) : 0), {
      begin: () => shells++,
      get silent() {
        return busy;
      },
    }),
  });
  const terminal = kernel.terminal(1);
  const events = [];
  kernel.onProcess((event) => events.push(event));
  let asked = false;
  const running = terminal.run("while true; do :; done").finally(() => (asked = true));
  await turns();
  assert.deepEqual([shells, asked], [1, false]);
  const interrupt = terminal.interrupt();
  await turns();
  t.mock.timers.tick(4000);
  await interrupt;
  assert.equal((await running).status, 130);
  assert.match(events.find((e) => e.type === "fault").sentence, /^The shell was busy .* so it was ended\./);
  busy = false;
  assert.equal((await terminal.run("true")).status, 0);
  assert.equal(shells, 2);
});

test("a process that writes to a pipe which nobody reads is ended by SIGPIPE", async () => {
  const { kernel } = kernelOf({
    sh: fakeShell(async ({ call }) => {
      const [reads, writes] = await call("pipe");
      const pid = await call("spawn", "kubectl", ["kubectl"], [], "/", [-1, writes, -1]);
      await call("close", writes);
      await call("close", reads);
      return call("wait", pid);
    }),
    async kubectl({ call }) {
      for (;;) {
        await call("write", 1, bytes("x"), null);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  });
  assert.equal((await kernel.terminal(1).run("kubectl | true")).status, 141);
});

test("a fault of a command is told with what the runtime said of it", async () => {
  const { kernel } = kernelOf({
    sh: fakeShell(async ({ call, session }) =>
      call("wait", await call("spawn", "kubectl", ["kubectl"], [], "/", [-1, session.stdout, -1]))),
    kubectl: ({ post }) => post({ type: "exit", status: 2, said: "panic: nil map" }),
  });
  const faults = [];
  kernel.onProcess((event) => event.type === "fault" && faults.push(event));
  assert.equal((await kernel.terminal(1).run("kubectl")).status, 2);
  assert.deepEqual(faults.map(({ sentence, text }) => [sentence, text]),
    [["kubectl has stopped because of a fault in it.", "panic: nil map"]]);
});

test("programs of the shell run in it, with the descriptors of who started them", async () => {
  const { kernel } = kernelOf({
    sh: fakeShell(async ({ call, session }) => {
      assert.equal(await call("which", "diff"), "/bin/diff");
      await assert.rejects(call("which", "helm"), { code: "ENOENT" });
      await assert.rejects(call("spawn", "/bin/helm", ["helm"], [], "/", []), { code: "ENOENT" });
      return call("wait", await call("spawn", "/bin/diff", ["diff", "a"], ["X=1"], "/tmp", [-1, session.stdout]));
    }, {
      programs: ["diff"],
      async program({ call, argv, env, dir, fds }) {
        assert.equal(fds[0], -1);
        await call("write", fds[1], bytes(`${argv} ${dir} ${env[0]}`), null);
        return 1;
      },
    }),
  });
  const terminal = kernel.terminal(1);
  let out = "";
  terminal.onOutput((b) => (out += text(b)));
  assert.equal((await terminal.run("diff")).status, 1);
  assert.equal(out, "diff,a /tmp X=1");
});

test("edit opens the page's editor, and waits for it", async () => {
  const asked = [];
  const { kernel } = kernelOf({
    sh: fakeShell(async ({ call }) => call("wait", await call("spawn", "edit", ["edit", "a.yaml"], [], "/tmp", []))),
  }, { edit: async (path) => void asked.push(path) });
  assert.equal((await kernel.terminal(1).run("edit a.yaml")).status, 0);
  assert.deepEqual(asked, ["/tmp/a.yaml"]);
});

test("an input that waits for the download can be interrupted, and does not run later", async () => {
  let arrived;
  let runs = 0;
  const { kernel } = kernelOf({ sh: fakeShell(() => runs++) }, { module: () => new Promise((r) => (arrived = r)) });
  const terminal = kernel.terminal(1);
  const running = terminal.run("kubectl delete pods --all");
  await until(() => arrived);
  await terminal.interrupt();
  assert.equal((await running).status, 130);
  arrived();
  await terminal.incomplete(""); // the shell has started
  assert.equal(runs, 0);
});

test("the editor is told when the command that waits for it is interrupted", async () => {
  let signal;
  const { kernel } = kernelOf({
    sh: fakeShell(async ({ call }) =>
      call("wait", await call("spawn", "edit", ["edit", "a"], ["TABERNETES_SESSION=1"], "/tmp", []))),
  }, { edit: (_, given) => (signal = given, new Promise(() => {})) });
  const running = kernel.terminal(1).run("edit a");
  await until(() => signal);
  await kernel.terminal(1).interrupt();
  assert.equal((await running).status, 130);
  assert.equal(signal.aborted, true);
});

test("an input without the binary is rejected, and the next one tries again", async () => {
  let there = false;
  const { kernel } = kernelOf({ sh: fakeShell(() => 0) }, {
    module: async () => {
      if (!there) throw new Error("There is no kubectl in this site.");
    },
  });
  await assert.rejects(kernel.terminal(1).run("kubectl"), /There is no kubectl/);
  there = true;
  assert.equal((await kernel.terminal(1).run("kubectl")).status, 0);
});

test("history prints what was typed, numbered, all of it or the newest", async () => {
  const inputs = ["kubectl get pods", "curl /api", "history 2"];
  const { kernel } = kernelOf({
    sh: fakeShell(async ({ call, text: input, session }) => {
      const env = ["TABERNETES_SESSION=1"];
      const fds = [-1, session.stdout, session.stderr];
      return call("wait", await call("spawn", "/bin/history", input.split(" "), env, HOME, fds));
    }),
  }, { history: () => inputs });
  const terminal = kernel.terminal(1);
  let out = "";
  terminal.onOutput((b, stream) => (out += `${stream}\n${text(b)}`));
  for (const [input, status, want] of [
    ["history", 0, "stdout\n    1  kubectl get pods\n    2  curl /api\n    3  history 2\n"],
    ["history 2", 0, "stdout\n    2  curl /api\n    3  history 2\n"],
    ["history 9", 0, "stdout\n    1  kubectl get pods\n    2  curl /api\n    3  history 2\n"],
    ["history -c", 1, "stderr\nbash: history: -c: numeric argument required\n"],
    ["history 1 2", 1, "stderr\nbash: history: too many arguments\n"],
  ]) {
    out = "";
    assert.equal((await terminal.run(input)).status, status, input);
    assert.equal(out, want, input);
  }
});
