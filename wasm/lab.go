//go:build js && wasm

package main

import "github.com/tabernetes/tabernetes/web/lab"

func init() {
	roles["lab"] = func() error {
		lab.Main()
		return nil
	}
}
