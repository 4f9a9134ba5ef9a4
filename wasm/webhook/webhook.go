//go:build js && wasm

// Package webhook lets a cluster call the admission webhooks that are functions of
// the page. JavaScript takes a call by its host's method,
//
//	webhook(id, url, body)
//
// and answers it, whenever it can, by calling answered(id, status, body, error).
// PROTOCOL.md, one directory up, has the whole of it.
package webhook

import (
	"context"
	"errors"
	"sync"
	"syscall/js"

	"github.com/tabernetes/tabernetes/core/admission/webhooks"
	"github.com/tabernetes/tabernetes/wasm/jsvalue"
)

// Calls are the calls that the page has not answered yet.
type Calls struct {
	host js.Value

	mu   sync.Mutex
	last int
	open map[int]chan<- answer
}

type answer struct {
	reply *webhooks.Reply
	err   error
}

// New returns no calls yet. They go to the method webhook of host.
func New(host js.Value) *Calls { return &Calls{host: host, open: map[int]chan<- answer{}} }

// Call returns a webhooks.Caller. The answer to a call that was given up is ignored.
func (c *Calls) Call(ctx context.Context, call *webhooks.Call) (*webhooks.Reply, error) {
	answered := make(chan answer, 1)
	c.mu.Lock()
	c.last++
	id := c.last
	c.open[id] = answered
	c.mu.Unlock()
	c.host.Call("webhook", id, call.URL, jsvalue.Of(call.Body))
	select {
	case a := <-answered:
		return a.reply, a.err
	case <-ctx.Done():
		c.take(id)
		return nil, ctx.Err()
	}
}

// take forgets a call and returns where its answer goes; nil if it is not open.
func (c *Calls) take(id int) chan<- answer {
	c.mu.Lock()
	defer c.mu.Unlock()
	answered := c.open[id]
	delete(c.open, id)
	return answered
}

// Answered returns the function by which JavaScript answers.
func (c *Calls) Answered() js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		answered := c.take(args[0].Int())
		if answered == nil {
			return nil
		}
		if failed := args[3].String(); failed != "" {
			answered <- answer{err: errors.New(failed)}
			return nil
		}
		body := jsvalue.Bytes(args[2])
		answered <- answer{reply: &webhooks.Reply{Code: args[1].Int(), ContentType: "application/json", Body: body}}
		return nil
	})
}
