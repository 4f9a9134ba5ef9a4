//go:build js && wasm

// Package jsvalue exchanges bytes and promises with JavaScript.
//
// Bytes are copied, as the two have no memory in common.
package jsvalue

import (
	"context"
	"syscall/js"
)

var uint8Array = js.Global().Get("Uint8Array")

// Bytes returns the bytes of an Uint8Array.
func Bytes(v js.Value) []byte {
	p := make([]byte, v.Length())
	js.CopyBytesToGo(p, v)
	return p
}

// Of returns an Uint8Array with these bytes.
func Of(p []byte) js.Value {
	a := uint8Array.New(len(p))
	js.CopyBytesToJS(a, p)
	return a
}

// A Rejected is the error of a promise that was rejected, with the reason.
type Rejected struct{ Reason js.Value }

// Error returns the Message of the reason.
func (r *Rejected) Error() string { return Message(r.Reason) }

// Full returns the reason with the kind of error that it is, as "TypeError: Failed to fetch".
func (r *Rejected) Full() string { return text(r.Reason) }

// Message returns the text of what JavaScript threw.
func Message(thrown js.Value) string {
	if thrown.Type() == js.TypeObject {
		if m := thrown.Get("message"); m.Type() == js.TypeString && m.String() != "" {
			return m.String()
		}
	}
	return text(thrown)
}

func text(v js.Value) string { return js.Global().Call("String", v).String() }

// Await waits until a promise is settled or ctx is done, and returns its value. The error of
// a promise that is rejected is of type *Rejected. Await must not be called where JavaScript
// waits for Go.
func Await(ctx context.Context, promise js.Value) (js.Value, error) {
	type outcome struct {
		value js.Value
		err   error
	}
	settled := make(chan outcome, 1)
	var kept, broken js.Func
	settle := func(o outcome) any {
		kept.Release()
		broken.Release()
		settled <- o
		return nil
	}
	kept = js.FuncOf(func(_ js.Value, args []js.Value) any { return settle(outcome{value: args[0]}) })
	broken = js.FuncOf(func(_ js.Value, args []js.Value) any { return settle(outcome{err: &Rejected{args[0]}}) })
	promise.Call("then", kept, broken)
	select {
	case o := <-settled:
		return o.value, o.err
	case <-ctx.Done():
		return js.Value{}, ctx.Err()
	}
}
