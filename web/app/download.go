//go:build js && wasm

package app

import (
	"syscall/js"
	"time"
)

// Download hands a text to the user as a file.
func Download(content, kind, name string) {
	parts := js.Global().Get("Array").New()
	parts.Call("push", content)
	file := js.Global().Get("Blob").New(parts, map[string]any{"type": kind})
	url := js.Global().Get("URL").Call("createObjectURL", file)
	link := js.Global().Get("document").Call("createElement", "a")
	link.Set("href", url)
	link.Set("download", name)
	link.Call("click")
	time.AfterFunc(time.Minute, func() { js.Global().Get("URL").Call("revokeObjectURL", url) })
}
