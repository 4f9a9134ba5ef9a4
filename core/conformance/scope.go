package conformance

import (
	"slices"
	"strings"
)

// nothing stands for a missing part in a selection.
const nothing = "(nothing)"

// narrow reduces an answer to what is compared.
func (c *Scope) narrow(p *Response) {
	for _, h := range c.IgnoreHeaders {
		delete(p.Headers, h)
	}
	switch {
	case c.StatusOnly:
		*p = Response{Status: p.Status}
	case len(c.Only)+len(c.Keys) > 0:
		p.Selected, p.Body = c.selection(p.Body), nil
	default:
		for _, path := range c.Ignore {
			p.Body = without(p.Body, path)
		}
	}
}

// narrowEvent does the same for one event of a watch.
func (c *Scope) narrowEvent(e any) any {
	if len(c.Only)+len(c.Keys) > 0 {
		return c.selection(e)
	}
	for _, path := range c.Ignore {
		e = without(e, path)
	}
	return e
}

func (c *Scope) selection(body any) map[string]any {
	out := map[string]any{}
	for _, path := range c.Only {
		v, ok := lookup(body, path)
		if !ok {
			v = nothing
		}
		out[path] = v
	}
	for _, path := range c.Keys {
		var keys any = nothing
		v, _ := lookup(body, path)
		if m, ok := v.(map[string]any); ok {
			l := []any{}
			for _, k := range sorted(m) {
				l = append(l, k)
			}
			keys = l
		}
		out["keys of "+path] = keys
	}
	return out
}

// settleOrder sorts the lists of an answer that have no guaranteed order.
func (c *Scope) settleOrder(body any) {
	for _, path := range c.AnyOrder {
		v, _ := lookup(body, path)
		if l, ok := v.([]any); ok {
			slices.SortStableFunc(l, func(a, b any) int { return strings.Compare(literal(a), literal(b)) })
		}
	}
}

// settleEvents sorts a batch of events, where their order is not guaranteed.
func (c *Scope) settleEvents(events []any) {
	if len(c.AnyOrder) == 0 {
		return
	}
	key := func(e any) string {
		ns, _ := lookup(e, "object.metadata.namespace")
		name, _ := lookup(e, "object.metadata.name")
		typ, _ := lookup(e, "type")
		return literal(ns) + "\x00" + literal(name) + "\x00" + literal(typ)
	}
	slices.SortStableFunc(events, func(a, b any) int { return strings.Compare(key(a), key(b)) })
}
