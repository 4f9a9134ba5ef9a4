// Runs a program of a nested module in Node: node run.mjs wasm_exec.js PROGRAM.wasm NAME ARGUMENT… The name is the one
// by which the program is called, such as kubectl. Standard streams are those of the process; there are no files. The
// environment has kubectl's server: KUBERNETES_MASTER, or ORIGIN, that of a page.
import fs from "node:fs"
import { createRequire } from "node:module"
import { Clock, install } from "../../../../web/controlplane/worker/clock.js"

const host = globalThis.process
const [script, binary, ...args] = host.argv.slice(2)

const missing = (...all) => all.at(-1)(Object.assign(new Error("no such file"), { code: "ENOENT" }))
const names = "chmod chown close fchmod fchown fstat fsync ftruncate lchown link lstat mkdir open readdir readlink rename " +
	"rmdir stat symlink truncate unlink utimes"
globalThis.fs = {
	...Object.fromEntries(names.split(" ").map(name => [name, missing])),
	constants: fs.constants,
	writeSync: fs.writeSync,
	write: (fd, bytes, offset, length, position, done) => done(null, fs.writeSync(fd, bytes, offset, length)),
	read: (fd, ...rest) => fd === 0 ? fs.read(fd, ...rest) : missing(...rest),
}
// Go uses no fetch in a process that says its name is node.
globalThis.process = {
	argv0: args[0], pid: -1, ppid: -1, umask: () => 0, cwd: () => "/", chdir: () => {},
	getuid: () => -1, getgid: () => -1, geteuid: () => -1, getegid: () => -1, getgroups: () => [],
}

if (host.env.ORIGIN) globalThis.location = { origin: host.env.ORIGIN }

createRequire(import.meta.url)(script)
const go = new globalThis.Go()
go.argv = args
go.env = { HOME: "/", KUBERNETES_MASTER: host.env.KUBERNETES_MASTER ?? "" }
install(go, new Clock())
let status = 0
go.exit = code => { status = code }
const { instance } = await WebAssembly.instantiate(fs.readFileSync(binary), go.importObject)
await go.run(instance)
host.exit(status)
