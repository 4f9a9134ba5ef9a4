//go:build js && wasm

package app

import "syscall/js"

// bytesOf returns the bytes of a Uint8Array, as the string that they are.
func bytesOf(v js.Value) string {
	b := make([]byte, v.Length())
	js.CopyBytesToGo(b, v)
	return string(b)
}

// toBytes returns a Uint8Array of a string's bytes.
func toBytes(s string) js.Value {
	v := js.Global().Get("Uint8Array").New(len(s))
	js.CopyBytesToJS(v, []byte(s))
	return v
}
