//go:build js && wasm

// Package asset downloads files of the site that only some visitors need.
package asset

import (
	"context"
	"errors"
	"fmt"
	"syscall/js"

	"github.com/tabernetes/tabernetes/wasm/jsvalue"
)

// Fetch downloads a file by the method fetch of an object, such as the global one. It waits for what
// JavaScript promises, so it must not be called where JavaScript waits for Go.
func Fetch(ctx context.Context, from js.Value, url string) ([]byte, error) {
	response, err := promised(ctx, from.Call("fetch", url))
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
	return jsvalue.Bytes(js.Global().Get("Uint8Array").New(content)), nil
}

func promised(ctx context.Context, promise js.Value) (js.Value, error) {
	v, err := jsvalue.Await(ctx, promise)
	var rejected *jsvalue.Rejected
	if errors.As(err, &rejected) {
		err = errors.New(rejected.Full())
	}
	return v, err
}
