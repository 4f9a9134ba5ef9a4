//go:build js && wasm

package bridge

import (
	"syscall/js"
	"testing"
	"time"
)

// TestYield checks that an event comes in while goroutines work, once they have for a
// while.
func TestYield(t *testing.T) {
	came := false
	event := js.FuncOf(func(js.Value, []js.Value) any {
		came = true
		return nil
	})
	defer event.Release()
	channel := js.Global().Get("MessageChannel").New()
	defer channel.Get("port1").Call("close")
	channel.Get("port2").Set("onmessage", event)
	channel.Get("port1").Call("postMessage", "")

	// Each works until it has got on twice and the event has come in: on a busy machine that
	// takes longer than the work itself.
	late := time.Now().Add(3 * time.Minute)
	done := make(chan int)
	for range 3 {
		go func() {
			pauses := 0
			for (pauses < 2 || !came) && time.Now().Before(late) {
				Yield()
				pauses++
			}
			done <- pauses
		}()
	}
	for range 3 {
		if pauses := <-done; pauses < 2 {
			t.Errorf("a goroutine got on %d times", pauses)
		}
	}
	if !came {
		t.Error("no event came in")
	}
}

// TestTurn checks that what has come by then is dealt with after a turn, however short the work was.
func TestTurn(t *testing.T) {
	came := 0
	event := js.FuncOf(func(js.Value, []js.Value) any {
		came++
		return nil
	})
	defer event.Release()
	channel := js.Global().Get("MessageChannel").New()
	defer channel.Get("port1").Call("close")
	channel.Get("port2").Set("onmessage", event)
	for i := range 5 {
		for range 10 {
			channel.Get("port1").Call("postMessage", "")
		}
		if Turn(); came != 10*(i+1) {
			t.Fatalf("%d events came in by turn %d", came, i+1)
		}
	}
}
