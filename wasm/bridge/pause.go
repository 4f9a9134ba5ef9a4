//go:build js && wasm

package bridge

import (
	"syscall/js"
	"time"
)

// stretch is how long Go works before Pause lets JavaScript have its turn: well below
// what is noticed, and long enough that turns cost next to nothing.
const stretch = 15 * time.Millisecond

var (
	// turn is when JavaScript had its last turn that is known of.
	turn time.Time
	// resumed is closed at the next one; nil while nobody waits for it.
	resumed chan struct{}
	// line leads to this very worker: what is posted there comes behind the events that
	// have come already.
	line js.Value
)

// Pause is to be called between pieces of long work. Nothing takes the processor from Go
// here, and no message comes in while a goroutine can run; so it waits for a turn of the
// event loop if there was none for a while.
func Pause() {
	if time.Since(turn) < stretch {
		return
	}
	if line.IsUndefined() {
		channel := js.Global().Get("MessageChannel").New()
		line = channel.Get("port1")
		channel.Get("port2").Set("onmessage", js.FuncOf(func(js.Value, []js.Value) any {
			turn = time.Now()
			close(resumed)
			resumed = nil
			return nil
		}))
	}
	if resumed == nil {
		resumed = make(chan struct{})
		line.Call("postMessage", js.Null())
	}
	<-resumed
}
