package policies

import (
	"context"
	"errors"
	"fmt"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/internal/plugins/match"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/source"
	"github.com/tabernetes/tabernetes/core/status"
)

// mutate applies all policies, in their order. What cannot be evaluated does not stop the others: failurePolicy decides
// at the end.
func (p *Plugin) mutate(ctx context.Context, a *admission.Attributes, policies []*policy) error {
	m := &mutating{Plugin: p, r: p.request(a), ask: p.Access.Asker(ctx)}
	var calls []call
	for _, one := range policies {
		calls = append(calls, m.calls(ctx, one)...)
	}
	if len(calls) > 0 {
		if err := m.run(ctx, calls); err != nil {
			return err
		}
	}
	if len(m.denials) == 0 {
		return nil
	}
	return m.status()
}

// mutating is one request while policies are applied.
type mutating struct {
	*Plugin
	r       *match.Request
	ask     func(expression.Question) expression.Decision
	denials []denial
}

// A call is a policy that matches a request, by a binding and with a parameter.
type call struct {
	*policy
	binding string
	matched *schema.Resource
	param   map[string]any
}

// A callKey is what a call is known by in the second pass.
type callKey struct{ policy, binding, paramNamespace, param string }

func (c *call) key() callKey {
	return callKey{c.name, c.binding, object.Namespace(c.param), object.Name(c.param)}
}

// fails notes that a policy cannot be applied, which failurePolicy decides on.
func (m *mutating) fails(ctx context.Context, p *policy, d denial) {
	d.policy = p.name
	if p.ignore {
		note(ctx, d, source.Ignored)
		return
	}
	note(ctx, d, source.Refused)
	m.denials = append(m.denials, d)
}

// calls returns the calls of a policy.
func (m *mutating) calls(ctx context.Context, p *policy) (all []call) {
	matched, err := m.r.Match(p.criteria)
	var kind *schema.Resource
	if err == nil && matched != nil {
		kind, err = m.paramType(p.params)
	}
	if err != nil {
		m.fails(ctx, p, denial{message: "failed to configure policy: " + err.Error()})
		return nil
	}
	if matched == nil {
		return nil
	}
	for _, b := range p.bindings {
		also := matched
		if b.criteria != nil {
			also, err = m.r.Match(b.criteria)
		}
		var params []map[string]any
		if err == nil && also != nil {
			params, err = m.params(ctx, kind, b.ref, m.r)
		}
		if err != nil {
			m.fails(ctx, p, denial{binding: b.name, message: "failed to configure binding: " + err.Error()})
			err = nil
		}
		for _, param := range params {
			all = append(all, call{p, b.name, matched, param})
		}
	}
	return all
}

// run makes the calls; in the second pass those that have to see the object again.
func (m *mutating) run(ctx context.Context, calls []call) error {
	a := m.r.Attributes
	repeats := a.Repeats(m.Plugin)
	repeats.Begin(a)
	defer repeats.End(a)
	namespace, err := namespaceOf(m.r, true)
	if err != nil {
		return err
	}
	patched := false
	for i := range calls {
		c := &calls[i]
		if repeats.Skips(a, c.key()) {
			continue
		}
		form, err := match.FormOf(ctx, c.matched, a)
		if err != nil {
			return err
		}
		in := form.Input(ctx, a)
		in.Params, in.NamespaceObject, in.Authorize = c.param, namespace, m.ask
		did, err := m.call(ctx, c, form, in)
		if err != nil {
			return err
		}
		if !did.ran {
			continue
		}
		patched = patched || did.patched
		if did.changed {
			repeats.Changed(a)
		}
		if c.reinvoke {
			repeats.Ran(c.key())
		}
	}
	if patched { // the real server counts what was written again as changed
		repeats.Changed(a)
	}
	return nil
}

// An effect is what a call did: whether its conditions hold, any of its mutations could be evaluated, and they changed
// the object.
type effect struct{ ran, patched, changed bool }

// call applies one policy to the request in the version that it sees, of which in is what expressions see. An error
// ends the request.
func (m *mutating) call(ctx context.Context, c *call, form *match.Form, in *expression.Input) (did effect, err error) {
	fails := func(expression string, err error) {
		m.fails(ctx, c.policy, denial{binding: c.binding, message: err.Error(), expression: expression,
			reason: string(status.Invalid)})
	}
	compiled, err := c.compile(ctx, m.CEL)
	if err == nil {
		e := &evaluation{c.policy, compiled, in}
		did.ran, err = e.matches(ctx)
	}
	if err != nil {
		if ctx.Err() != nil {
			return effect{}, context.Cause(ctx)
		}
		fails("", err)
		return effect{}, nil
	}
	if !did.ran || in.Object == nil {
		return did, nil
	}
	for i := range c.mutations {
		one := &c.mutations[i]
		made, err := m.make(ctx, &evaluation{c.policy, compiled, in}, one, form)
		if refused := new(status.Error); errors.As(err, &refused) || ctx.Err() != nil {
			return effect{}, err
		}
		if err != nil {
			fails(one.expression, err)
			continue
		}
		did.patched = true
		if !object.Equal(form.Object, made) {
			did.changed = true
			note(ctx, denial{policy: c.name, binding: c.binding, expression: one.expression}, source.Changed)
		}
		form.Object = made
		in = copyOf(in, made)
	}
	if did.patched {
		err = form.Replace(ctx, m.r.Attributes, form.Object)
	}
	return did, err
}

func copyOf(in *expression.Input, obj map[string]any) *expression.Input {
	next := *in
	next.Object = obj
	return &next
}

// status returns the answer to a request that is refused.
func (m *mutating) status() error {
	err := m.r.Forbidden("")
	err.Status.Message = ""
	for _, d := range m.denials {
		text := fmt.Sprintf("policy %q denied request: %s", d.policy, d.message)
		if d.binding != "" {
			text = fmt.Sprintf("policy '%s' with binding '%s' denied request: %s", d.policy, d.binding, d.message)
		}
		if err.Status.Message == "" {
			err.Status.Message = text
			if d.reason != "" {
				err.Status.Reason = status.Reason(d.reason)
			}
		}
		err.Status.Details.Causes = append(err.Status.Details.Causes, status.Cause{Message: text})
	}
	return err
}
