//go:build js && wasm

package bridge

import (
	"syscall/js"
	"time"
)

// workTime is how long Go works before Yield lets JavaScript run: well below what is noticed, and long enough that
// turns cost next to nothing.
const workTime = 15 * time.Millisecond

var (
	// lastTurn is when JavaScript last had a turn, as far as is known.
	lastTurn time.Time
	// resumed is closed at the next turn; nil while nobody waits for it.
	resumed chan struct{}
	// selfPort leads to this very worker: a message posted there comes after the events that have come already.
	selfPort js.Value
)

// Yield lets JavaScript run for a turn of the event loop if it had none for a while. Call it between pieces of long
// work: nothing takes the processor from Go here, and no message comes in while a goroutine can run.
func Yield() {
	if time.Since(lastTurn) >= workTime {
		Turn()
	}
}

// Turn lets JavaScript run for a turn of the event loop: what has come to this worker already is dealt with.
func Turn() {
	if selfPort.IsUndefined() {
		channel := js.Global().Get("MessageChannel").New()
		selfPort = channel.Get("port1")
		channel.Get("port2").Set("onmessage", js.FuncOf(func(js.Value, []js.Value) any {
			lastTurn = time.Now()
			close(resumed)
			resumed = nil
			return nil
		}))
	}
	if resumed == nil {
		resumed = make(chan struct{})
		selfPort.Call("postMessage", js.Null())
	}
	<-resumed
}
