//go:build js && wasm

package app

import (
	"context"
	"errors"
	"strings"
	"syscall/js"
)

// Fetch makes a request and waits for its whole answer. It blocks: call it in a
// goroutine. An error means that there was no answer; a Status of 400 or more
// is an answer.
func (a *App) Fetch(ctx context.Context, r Request) (Response, error) {
	var out Response
	var body strings.Builder
	err := a.Stream(ctx, r, func(h Response) { out = h }, func(s string) { body.WriteString(s) })
	out.Body = body.String()
	return out, err
}

// GzipSize returns the size of a body with gzip, 0 where the browser cannot tell. It blocks.
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

// Stream makes a request and calls onHead with its status and headers, then
// onBody with every piece of its body, cut anywhere, and returns when it ends. Either may be nil.
// It blocks.
func (a *App) Stream(ctx context.Context, r Request, onHead func(Response), onBody func(string)) error {
	if ctx.Err() != nil {
		return ErrAborted
	}
	if err := a.refuses(r); err != nil {
		return err
	}
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
