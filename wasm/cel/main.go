//go:build js && wasm

// Command cel is the page's evaluator of CEL expressions: a separate WebAssembly binary, which the server's worker
// loads when the first rule or policy needs it. It is run with the name of an object in the global scope, whose method
// ready takes the function that answers a call: bytes to bytes, at once. See core/expression/remote.
package main

import (
	"context"
	"os"
	"runtime/debug"
	"syscall/js"

	"github.com/tabernetes/tabernetes/core/expression/evaluator"
	"github.com/tabernetes/tabernetes/core/expression/remote"
	"github.com/tabernetes/tabernetes/wasm/jsvalue"
)

// gcThreshold is how much memory Go may have taken before it collects garbage at every turn, in bytes.
const gcThreshold = 128 << 20

func main() {
	name := "tabernetesCEL"
	if len(os.Args) > 1 {
		name = os.Args[1]
	}
	debug.SetMemoryLimit(gcThreshold)
	server := remote.NewServer(evaluator.Evaluator{})
	js.Global().Get(name).Call("ready", js.FuncOf(func(_ js.Value, args []js.Value) any {
		return jsvalue.Of(server.Serve(context.Background(), jsvalue.Bytes(args[0])))
	}))
	select {}
}
