//go:build js && wasm

// Command main is the page's second WebAssembly binary, the lab: it draws what the
// cluster does. It comes after the first, the API server alone (wasm), so that the
// page's first request is answered without it.
package main

import (
	"runtime/debug"

	"github.com/tabernetes/tabernetes/web/lab"
)

func main() {
	debug.SetMemoryLimit(128 << 20)             // beyond it, memory is worth more than time
	debug.SetGCPercent(500)                     // below 20 MB, starting has nothing worth collecting
	lab.Main(func() { debug.SetGCPercent(50) }) // what it takes it never gives back
}
