//go:build js && wasm

// Command wasm is the page's first WebAssembly binary: the API server, which
// runs in a worker and holds the cluster. What draws it is a separate binary,
// web/lab/main.
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := api(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
