//go:build js && wasm

// Package kubelet lets a cluster ask kubelets that JavaScript can reach, by the method kubelet of its host.
// PROTOCOL.md, one directory up, has the whole of it.
package kubelet

import (
	"context"
	"io"
	"net/http"
	"syscall/js"

	"github.com/tabernetes/tabernetes/core"
	"github.com/tabernetes/tabernetes/wasm/bridge/reply"
	"github.com/tabernetes/tabernetes/wasm/jsvalue"
)

// New returns what asks by a host's method. Requests have no bodies.
func New(host js.Value) http.RoundTripper { return kubelets{host} }

type kubelets struct{ host js.Value }

// RoundTrip implements http.RoundTripper. Its errors are core.ErrNoKubelet, the context's, and io.ErrUnexpectedEOF of a
// connection that breaks.
func (k kubelets) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx := r.Context()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	abort := js.Global().Get("AbortController").New()
	stop := context.AfterFunc(ctx, func() { abort.Call("abort") })
	v, err := jsvalue.Await(ctx,
		k.host.Call("kubelet", r.Method, r.URL.String(), reply.Block(r.Header), abort.Get("signal")))
	if err == nil && v.IsNull() {
		err = core.ErrNoKubelet
	} else if err != nil {
		err = broken(ctx)
	}
	if err != nil {
		stop()
		return nil, err
	}
	return &http.Response{
		StatusCode: v.Get("status").Int(), Header: reply.ParseBlock(v.Get("headers").String()),
		Body: &body{ctx: ctx, reader: v.Get("reader"), stop: stop, abort: abort},
	}, nil
}

// broken returns why an answer has ended before its end.
func broken(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return io.ErrUnexpectedEOF
}

// A body reads what a reader of JavaScript's has.
type body struct {
	ctx           context.Context
	reader, abort js.Value
	stop          func() bool
	piece         []byte
}

func (b *body) Read(p []byte) (int, error) {
	for len(b.piece) == 0 {
		v, err := jsvalue.Await(b.ctx, b.reader.Call("read"))
		if err != nil {
			return 0, broken(b.ctx)
		}
		if v.Get("done").Bool() {
			return 0, io.EOF
		}
		b.piece = jsvalue.Bytes(v.Get("value"))
	}
	n := copy(p, b.piece)
	b.piece = b.piece[n:]
	return n, nil
}

// Close ends the request, if it has not ended.
func (b *body) Close() error {
	b.stop()
	b.abort.Call("abort")
	return nil
}
