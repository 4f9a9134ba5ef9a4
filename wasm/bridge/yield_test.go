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

// TestTurn checks that events come in during turns, however short the work between them is. In which of them depends on
// the engine: Node does not keep the order of what is posted to different ports.
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
	for range 10 {
		channel.Get("port1").Call("postMessage", "")
	}
	for turns := 0; came < 10; turns++ {
		if Turn(); turns == 10_000 {
			t.Fatalf("%d of 10 events came in", came)
		}
	}
}

func BenchmarkTurn(b *testing.B) {
	for b.Loop() {
		Turn()
	}
}
