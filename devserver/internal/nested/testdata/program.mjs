// kubectl as a program, run by the kernel of the page's terminal in Node:
//   node program.mjs serve SOCKET wasm_exec.js kubectl.wasm   says "ready", and runs commands until its input ends
//   node program.mjs run SOCKET ARGUMENT…                     runs one there: its files are those of the directory
import fs from "node:fs"
import net from "node:net"
import path from "node:path"
import readline from "node:readline"
import { stat } from "../../../../web/terminal/kernel/node.js"
import { S_IFIFO } from "../../../../web/terminal/system/constants.js"
import { makeKernel } from "./kernel.mjs"

const [, , what, socket, ...rest] = process.argv

/** A word of a command as a shell reads it. */
const quoted = word => `'${word.replaceAll("'", `'\\''`)}'`

if (what === "run") {
	const { HOME, KUBECONFIG, KUBERC, KUBE_EDITOR, KUBECTL_APPLYSET, ...others } = process.env
	const env = { HOME, KUBECONFIG, KUBERC, KUBE_EDITOR, KUBECTL_APPLYSET }
	for (const [name, value] of Object.entries(others)) if (name.startsWith("KUBE")) env[name] = value
	const files = {}
	for (const entry of fs.readdirSync(".", { recursive: true, withFileTypes: true })) {
		const name = path.resolve(entry.parentPath, entry.name)
		if (entry.isFile()) files[name] = fs.readFileSync(name, "utf8")
	}
	const line = net.connect(socket)
	line.write(JSON.stringify({ args: rest, env, dir: process.cwd(), files }) + "\n")
	for await (const text of readline.createInterface({ input: line })) {
		const { stream, bytes, status } = JSON.parse(text)
		if (status !== undefined) process.exitCode = status
		else fs.writeSync(stream === "stdout" ? 1 : 2, Buffer.from(bytes, "base64"))
	}
	line.destroy()
} else {
	const kernel = makeKernel(...rest, "http://127.0.0.1:1") // a kubeconfig names the server
	let last = 0
	const server = net.createServer(async connection => {
		const terminal = kernel.terminal(++last)
		connection.on("error", () => {}).on("close", () => terminal.close())
		const say = message => connection.write(JSON.stringify(message) + "\n")
		for await (const text of readline.createInterface({ input: connection })) {
			const { args, env, dir, files } = JSON.parse(text)
			const folders = new Set([dir, ...Object.keys(files).map(path.dirname)])
			await terminal.run(`mkdir -p ${[...folders].map(quoted).join(" ")}`)
			for (const [name, content] of Object.entries(files)) await kernel.files.write(name, new TextEncoder().encode(content))
			terminal.onOutput((bytes, stream) => say({ stream, bytes: Buffer.from(bytes).toString("base64") }))
			terminal.onReading(reading => reading && terminal.endInput())
			const set = Object.entries(env).filter(([, value]) => value !== undefined).map(([name, value]) => `${name}=${quoted(value)}`)
			// As for tests: what goes to a terminal may be another text.
			for (const out of [terminal.terminal.stdout, terminal.terminal.stderr]) {
				out.terminal = undefined
				out.stat = () => stat(S_IFIFO | 0o600)
			}
			const command = `cd ${quoted(dir)}; ${set.join(" ")} kubectl ${args.map(quoted).join(" ")}`
			const { status } = await terminal.run(command)
			say({ status })
			connection.end()
		}
	})
	server.listen(socket, () => console.log("ready"))
	process.stdin.resume().on("end", () => process.exit(0))
}
