//go:build js && wasm

package main

import (
	"context"
	"errors"
	"fmt"
	"syscall/js"

	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/expression/remote"
	"github.com/tabernetes/tabernetes/wasm/jsvalue"
)

// celOf returns the evaluator of CEL that the host has: another program, which it loads when it is first called. A call
// that needs it waits for that.
func celOf(host js.Value) expression.Evaluator {
	if host.Get("cel").Type() != js.TypeFunction {
		return expression.None{}
	}
	var running js.Value // as long as it answers
	return &remote.Client{Call: func(ctx context.Context, message []byte) ([]byte, error) {
		run := running
		if run.IsUndefined() {
			var err error
			if run, err = jsvalue.Await(ctx, host.Call("cel")); err != nil {
				return nil, err
			}
		}
		answer, err := callCEL(run, message)
		if running = run; err != nil {
			running = js.Undefined()
		}
		return answer, err
	}}
}

// callCEL calls the program, which answers at once unless it ends.
func callCEL(run js.Value, message []byte) (answer []byte, err error) {
	defer func() {
		switch thrown := recover().(type) {
		case nil:
		case js.Error:
			err = fmt.Errorf("the evaluator of CEL expressions: %w", thrown)
		default:
			panic(thrown)
		}
	}()
	v := run.Invoke(jsvalue.Of(message))
	if v.Type() != js.TypeObject {
		return nil, errors.New("the evaluator of CEL expressions has ended")
	}
	return jsvalue.Bytes(v), nil
}
