//go:build js && wasm

// Command wasm is the one WebAssembly binary of the page, run in the role its
// first argument names: "api" in the worker, where it holds the cluster, or
// "lab" in the page, where it draws what the cluster does. One download and one
// compilation serve both.
package main

import (
	"fmt"
	"os"
	"slices"
)

// roles are filled in by the files of this package.
var roles = map[string]func() error{}

func main() {
	role := ""
	if len(os.Args) > 1 {
		role = os.Args[1]
	}
	run := roles[role]
	if run == nil {
		var names []string
		for name := range roles {
			names = append(names, name)
		}
		slices.Sort(names)
		fmt.Fprintf(os.Stderr, "no role %q; there are %q\n", role, names)
		os.Exit(2)
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
