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

// Load fetches one of the site's scripts that are not needed at first, as "fork.js",
// and returns what it exports. It blocks: call it in a goroutine.
func (a *App) Load(name string) (js.Value, error) { return Await(a.Page.Call("load", name)) }

// Promise calls one of the page's functions that returns a promise of a text, and waits for the text. It blocks: call
// it in a goroutine.
func (a *App) Promise(function string, args ...any) (string, error) {
	v, err := Await(a.Page.Call(function, args...))
	if err != nil {
		return "", err
	}
	return Text(v), nil
}

// beginScene begins the cluster of a scene, and waits until it answers. byItself says that nobody has asked for it,
// programs that those of the control plane run there.
func (a *App) beginScene(byItself bool, programs string) error {
	_, err := Await(js.Global().Get("tabernetes").Call("openScene", byItself, programs))
	return err
}
