//go:build js && wasm

package programs

import (
	"context"
	"syscall/js"
	"testing"
	"time"

	"github.com/tabernetes/tabernetes/core/clock"
)

// host notes what it is shown, and has a timer at a time by the clock; without it none, or no answer.
const host = `({shown: [], next: null, clock(...state) { this.shown.push(state); },
  settle() { return this.next === undefined ? new Promise(() => {}) : Promise.resolve(this.next); }})`

func TestPrograms(t *testing.T) {
	at := time.UnixMicro(1_790_000_000_000_500)
	a := clock.NewAdjustable(clock.NewManual(at))
	h := js.Global().Call("eval", host)
	p := New(h)
	expect := func(want string) {
		t.Helper()
		if got := js.Global().Get("JSON").Call("stringify", h.Get("shown")).String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		h.Set("shown", js.Global().Get("Array").New())
	}
	p.Show(a)
	a.Advance(time.Minute)
	p.Show(a)
	expect("[[0,null,1,-62135596800000],[60000,null,1,-62135596800000]]")
	a.Speed(60)
	p.Show(a)
	a.Speed(1)
	p.Show(a)
	expect("[[60000,null,60,1790000000000.5],[60000,null,1,1790000000000.5]]")
	a.Pause(true)
	if next, waiting, err := p.Settle(t.Context(), a); waiting || err != nil {
		t.Error(next, waiting, err)
	}
	expect("[[0,1790000060000.5,1,-62135596800000]]")
	h.Set("next", 1790000061000.25)
	next, waiting, err := p.Settle(t.Context(), a)
	want := at.Add(time.Minute + 999750*time.Microsecond)
	if !next.Equal(want) || !waiting || err != nil {
		t.Error(next, waiting, err)
	}
	h.Set("next", js.Undefined())
	ctx, cancel := context.WithCancel(t.Context())
	js.Global().Call("setTimeout", js.FuncOf(func(js.Value, []js.Value) any { cancel(); return nil }), 0)
	if _, _, err := p.Settle(ctx, a); err != context.Canceled {
		t.Error(err)
	}
}
