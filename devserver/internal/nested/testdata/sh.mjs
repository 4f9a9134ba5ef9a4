// The terminal in Node: node sh.mjs wasm_exec.js kubectl.wasm. Each line of the standard input is an order, {session,
// text}: the input runs, and when it has ended a line says {status, dir, exited, out, notes}, where out is all that came to
// the terminal, and notes are what processes had to say beside it.
// {session, text, interrupt: TEXT} interrupts it when that was printed; with {lines} a command that reads gets them, and
// {complete: LINE} asks for completions of it. The environment has the server's address: KUBERNETES_MASTER.
import readline from "node:readline"
import { makeKernel } from "./kernel.mjs"

const kernel = makeKernel(...process.argv.slice(2), process.env.KUBERNETES_MASTER)

for await (const line of readline.createInterface({ input: process.stdin })) {
	const { session = 1, text, interrupt, lines = [], complete } = JSON.parse(line)
	const terminal = kernel.terminal(session)
	let answer
	if (complete !== undefined) {
		answer = await terminal.complete(complete, complete.length)
	} else {
		let out = "", decoder = new TextDecoder()
		const stop = [terminal.onOutput(bytes => {
			out += decoder.decode(bytes, { stream: true })
			if (interrupt && out.includes(interrupt)) terminal.interrupt()
		}), terminal.onReading(reading => {
			if (!reading) return
			if (lines.length) terminal.input(lines.shift())
			else terminal.endInput()
		})]
		const notes = []
		stop.push(kernel.onProcess(event => event.type === "note" && notes.push(event.text)))
		const result = await terminal.run(text)
		answer = { ...result, out, notes }
		for (const f of stop) f?.()
	}
	process.stdout.write(JSON.stringify(answer) + "\n")
}
process.exit(0)
