//go:build js && wasm

package app

import (
	"context"
	"errors"
	"syscall/js"
)

// GzipSize returns the size of a body with gzip, 0 if the browser cannot compute it. It blocks.
func (a *App) GzipSize(body string) int {
	size := make(chan int, 1)
	cb := js.FuncOf(func(_ js.Value, args []js.Value) any {
		size <- args[0].Int()
		return nil
	})
	defer cb.Release()
	a.Page.Call("zipped", toBytes(body), cb)
	return <-size
}

// stream is Stream for a request that is not refused.
func (a *App) stream(ctx context.Context, r Request, onHead func(Response), onBody func(string)) error {
	header := js.Global().Get("Array").New()
	for _, f := range r.Header {
		header.Call("push", f.Name, f.Value)
	}
	type part struct {
		kind string
		head Response
		text string
	}
	// Parts are queued without blocking the callback, which runs on the event loop.
	var queue []part
	wake := make(chan struct{}, 1)
	cb := js.FuncOf(func(_ js.Value, args []js.Value) any {
		p := part{kind: args[0].String()}
		switch p.kind {
		case "head":
			p.head = Response{Status: args[1].Int(), Header: unpackFields(args[2].String()), Request: args[3].Int()}
		case "bytes":
			p.text = bytesOf(args[1])
		case "fail":
			p.text = args[1].String()
		}
		queue = append(queue, p)
		select {
		case wake <- struct{}{}:
		default:
		}
		return nil
	})
	defer cb.Release()
	body := js.ValueOf(r.Body)
	if r.Bytes {
		body = toBytes(r.Body)
	}
	abort := a.Page.Call("request", r.Method, r.Path, header, body, r.Origin, r.Quiet, r.Target, onBody != nil, cb)
	done := ctx.Done()
	aborted := false
	for {
		select {
		case <-wake:
			parts := queue
			queue = nil
			for _, p := range parts {
				switch p.kind {
				case "head":
					if onHead != nil {
						onHead(p.head)
					}
				case "bytes":
					if onBody != nil {
						onBody(p.text)
					}
				case "end":
					return nil
				case "fail":
					if aborted {
						return ErrAborted
					}
					return errors.New(p.text)
				}
			}
		case <-done:
			done = nil
			aborted = true
			abort.Invoke()
		}
	}
}
