// The kernel of the page's terminal, in Node.
import fs from "node:fs"
import { Kernel } from "../../../../web/terminal/kernel/kernel.js"
import { Thread } from "../../../../web/terminal/threads.js"

/** Its editor replaces "before" by "after". */
export function makeKernel(script, binary, origin) {
	const module = WebAssembly.compile(fs.readFileSync(binary))
	const kernel = new Kernel({
		fetch: (url, { tabernetes, ...init }) => fetch(url, init), module: () => module, makeWorker: () => new Thread(),
		wasmExec: script, origin,
		edit: async path => kernel.files.write(path, new TextEncoder().encode(
			new TextDecoder().decode(await kernel.files.read(path)).replaceAll("before", "after"))),
	})
	return kernel
}
