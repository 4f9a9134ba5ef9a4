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

// Command types commands into the terminal, and returns when they have ended: the last request that they have made, 0
// if there is none. It blocks: call it in a goroutine.
func (a *App) Command(text string) (last int, err error) {
	terminal, err := a.Load("terminal.js")
	if err == nil {
		var id js.Value
		if id, err = Await(terminal.Call("run", text)); err == nil {
			last = id.Int()
		}
	}
	return last, err
}

// Load fetches one of the site's scripts that are not needed at first, as "fork.js",
// and returns what it exports. It blocks: call it in a goroutine.
func (a *App) Load(name string) (js.Value, error) { return Await(a.Page.Call("load", name)) }
