//go:build js && wasm

// Package asset downloads files of the site that only some visitors need.
package asset

import (
	"context"
	"errors"
	"fmt"
	"syscall/js"
)

// Fetch downloads a file. It waits for what JavaScript promises, so
// it must not be called where JavaScript waits for Go.
func Fetch(ctx context.Context, url string) ([]byte, error) {
	response, err := promised(ctx, js.Global().Call("fetch", url))
	if err != nil {
		return nil, err
	}
	if !response.Get("ok").Bool() {
		return nil, fmt.Errorf("%s: %d", url, response.Get("status").Int())
	}
	content, err := promised(ctx, response.Call("arrayBuffer"))
	if err != nil {
		return nil, err
	}
	array := js.Global().Get("Uint8Array").New(content)
	b := make([]byte, array.Length())
	js.CopyBytesToGo(b, array)
	return b, nil
}

// promised waits for a promise.
func promised(ctx context.Context, promise js.Value) (js.Value, error) {
	type outcome struct {
		value js.Value
		err   error
	}
	settled := make(chan outcome, 1)
	var kept, broken js.Func
	release := func() {
		kept.Release()
		broken.Release()
	}
	kept = js.FuncOf(func(_ js.Value, args []js.Value) any {
		release()
		settled <- outcome{value: args[0]}
		return nil
	})
	broken = js.FuncOf(func(_ js.Value, args []js.Value) any {
		release()
		settled <- outcome{err: errors.New(args[0].Call("toString").String())}
		return nil
	})
	promise.Call("then", kept, broken)
	select {
	case o := <-settled:
		return o.value, o.err
	case <-ctx.Done():
		return js.Value{}, ctx.Err()
	}
}
