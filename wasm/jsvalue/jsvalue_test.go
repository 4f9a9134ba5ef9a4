//go:build js && wasm

package jsvalue

import (
	"context"
	"errors"
	"syscall/js"
	"testing"
)

func TestBytes(t *testing.T) {
	for _, text := range []string{"", "a\x00\xff"} {
		if got := Bytes(Of([]byte(text))); string(got) != text {
			t.Errorf("%q is %q", text, got)
		}
	}
}

func TestAwait(t *testing.T) {
	promises := js.Global().Get("Promise")
	if v, err := Await(t.Context(), promises.Call("resolve", 7)); err != nil || v.Int() != 7 {
		t.Errorf("%v, %v", v, err)
	}
	for _, c := range []struct {
		reason        any
		message, full string
	}{
		{js.Global().Get("TypeError").New("no"), "no", "TypeError: no"},
		{js.Global().Get("Error").New(""), "Error", "Error"},
		{"no", "no", "no"},
	} {
		_, err := Await(t.Context(), promises.Call("reject", c.reason))
		var r *Rejected
		if !errors.As(err, &r) || err.Error() != c.message || r.Full() != c.full {
			t.Errorf("%v: %v", c.reason, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Await(ctx, promises.New(js.FuncOf(func(js.Value, []js.Value) any { return nil }))); !errors.Is(err,
		context.Canceled) {
		t.Error(err)
	}
}
