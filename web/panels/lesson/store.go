//go:build js && wasm

package lesson

import (
	"syscall/js"

	"github.com/tabernetes/tabernetes/web/lesson/session"
)

// storePrefix begins the keys of what the lessons keep in localStorage.
const storePrefix = "tabernetes/"

// stored reads what store kept; empty when there is nothing, or the browser
// keeps nothing for this page.
func stored(key string) (value string) {
	defer func() { _ = recover() }() // where storage is forbidden
	if v := localStorage().Call("getItem", storePrefix+key); v.Type() == js.TypeString {
		return v.String()
	}
	return ""
}

// store keeps a value, as far as the browser lets it: progress is a convenience.
func store(key, value string) {
	defer func() { _ = recover() }()
	localStorage().Call("setItem", storePrefix+key, value)
}

// localStorage panics where the browser forbids it. Value.Get would not: an
// exception of a getter ends the program, one of a call becomes a panic.
func localStorage() js.Value {
	return js.Global().Get("Reflect").Call("get", js.Global(), "localStorage")
}

func loadProgress(id string) session.Progress { return session.ParseProgress(stored("lesson/" + id)) }
