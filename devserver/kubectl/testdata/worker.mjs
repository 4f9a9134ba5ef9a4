// A worker of sh.mjs: runs one instance of the binary.
import { createRequire } from "node:module"
import { parentPort } from "node:worker_threads"
import { Runner } from "../../../web/terminal/worker/instance.js"

const runner = new Runner({
	postMessage: (m, transfer = []) => parentPort.postMessage(m, transfer),
	load: url => void createRequire(import.meta.url)(url),
	global: globalThis,
})
parentPort.on("message", m => runner.receive(m))
