//go:build js && wasm

package app

import (
	"errors"
	"syscall/js"
)

// Await waits for a promise and returns its value; what it rejects with is the error. It
// blocks: call it in a goroutine.
func Await(promise js.Value) (js.Value, error) {
	type result struct {
		value js.Value
		err   error
	}
	done := make(chan result, 1)
	then := js.FuncOf(func(_ js.Value, args []js.Value) any {
		done <- result{value: args[0]}
		return nil
	})
	fail := js.FuncOf(func(_ js.Value, args []js.Value) any {
		why := args[0]
		if why.InstanceOf(js.Global().Get("Error")) {
			why = why.Get("message")
		}
		done <- result{err: errors.New(js.Global().Call("String", why).String())}
		return nil
	})
	defer then.Release()
	defer fail.Release()
	promise.Call("then", then, fail)
	r := <-done
	return r.value, r.err
}

// Load fetches one of the site's scripts that are not needed at first, as "fork.js",
// and returns what it exports. It blocks: call it in a goroutine.
func (a *App) Load(name string) (js.Value, error) { return Await(a.Page.Call("load", name)) }
