//go:build js && wasm

package app

import (
	"context"
	"syscall/js"

	"github.com/tabernetes/tabernetes/wasm/jsvalue"
)

// Await waits for a promise and returns its value; what it rejects with is the error. It
// blocks: call it in a goroutine.
func Await(promise js.Value) (js.Value, error) {
	return jsvalue.Await(context.Background(), promise)
}

// Command types commands into the terminal, and returns when they have ended. It blocks: call it in a goroutine.
func (a *App) Command(text string) error {
	terminal, err := a.Load("terminal.js")
	if err == nil {
		_, err = Await(terminal.Call("run", text))
	}
	return err
}

// Load fetches one of the site's scripts that are not needed at first, as "fork.js",
// and returns what it exports. It blocks: call it in a goroutine.
func (a *App) Load(name string) (js.Value, error) { return Await(a.Page.Call("load", name)) }
