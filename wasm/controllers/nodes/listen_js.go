package nodes

import (
	"context"
	"flag"
	"net/http"
	"strings"
	"syscall/js"
)

func init() { listening = listenHost }

// listenHost has the kubelets answer what the program's host asks: if it has a global function listen, that gets
// serve(method, url, headers, body, sink), which is described in wasm/PROTOCOL.md. Of a request the method and the URL
// count. Credit does not: a log has a few lines.
func listenHost(*flag.FlagSet) func(context.Context, http.Handler) error {
	return func(ctx context.Context, h http.Handler) error {
		if listen := js.Global().Get("listen"); listen.Type() == js.TypeFunction {
			listen.Invoke(js.FuncOf(func(_ js.Value, args []js.Value) any {
				serve(ctx, h, args[0].String(), args[1].String(), args[4])
				return nil
			}))
		}
		return nil
	}
}

// serve answers a request into a sink.
func serve(ctx context.Context, h http.Handler, method, url string, sink js.Value) {
	ctx, cancel := context.WithCancel(ctx)
	r, err := http.NewRequestWithContext(ctx, method, url, nil)
	if err != nil { // which a server does not send
		cancel()
		sink.Call("fail", err.Error())
		return
	}
	control := js.FuncOf(func(_ js.Value, args []js.Value) any {
		if len(args) == 0 {
			cancel()
		}
		return nil
	})
	sink.Set("pull", control)
	sink.Set("cancel", control)
	go func() {
		defer control.Release()
		defer cancel()
		w := &reply{sink: sink, header: http.Header{}}
		defer func() {
			if p := recover(); p != nil || ctx.Err() != nil {
				sink.Call("fail", "the kubelet has broken the connection")
				return
			}
			w.WriteHeader(http.StatusOK)
			sink.Call("end")
		}()
		h.ServeHTTP(w, r)
	}()
}

// A reply passes what a handler writes on to a sink, at once.
type reply struct {
	sink   js.Value
	header http.Header
	begun  bool
}

func (a *reply) Header() http.Header { return a.header }

func (a *reply) WriteHeader(code int) {
	if a.begun {
		return
	}
	a.begun = true
	var block strings.Builder
	for name, values := range a.header {
		for _, v := range values {
			block.WriteString(name + ": " + v + "\n")
		}
	}
	a.sink.Call("head", code, block.String())
}

func (a *reply) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	if len(p) > 0 {
		bytes := js.Global().Get("Uint8Array").New(len(p))
		js.CopyBytesToJS(bytes, p)
		a.sink.Call("chunk", bytes)
	}
	return len(p), nil
}

// Flush has the head sent, if nothing was written.
func (a *reply) Flush() { a.WriteHeader(http.StatusOK) }
