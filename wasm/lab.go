//go:build js && wasm

package main

import (
	"runtime/debug"

	"github.com/tabernetes/tabernetes/web/lab"
)

func init() {
	roles["lab"] = func() error {
		debug.SetMemoryLimit(128 << 20) // beyond it, memory is worth more than time
		lab.Main()
		return nil
	}
}
