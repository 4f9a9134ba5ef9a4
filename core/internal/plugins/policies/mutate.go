package policies

import (
	"context"
	"errors"
	"fmt"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/internal/plugins/match"
	"github.com/tabernetes/tabernetes/core/internal/traces"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/source"
	"github.com/tabernetes/tabernetes/core/status"
)

// mutate applies all policies, in their order. What cannot be evaluated does not stop the others: failurePolicy decides
// at the end.
func (p *Plugin) mutate(ctx context.Context, a *admission.Attributes, policies []*policy) error {
	m := &mutating{Plugin: p, r: p.request(a), ask: p.Access.Asker(ctx), traces: traces.Of(ctx)}
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
	traces  *traces.Traces // or nil
}

// A call is a policy that matches a request, by a binding and with a parameter.
type call struct {
	*policy
	binding *binding
	matched *schema.Resource
	param   map[string]any
}

// A callKey is what a call is known by in the second pass.
type callKey struct{ policy, binding, paramNamespace, param string }

func (c *call) key() callKey {
	return callKey{c.name, c.binding.name, object.Namespace(c.param), object.Name(c.param)}
}

// fails notes that a policy cannot be applied, which failurePolicy decides on.
func (m *mutating) fails(ctx context.Context, p *policy, d denial, step *traces.Step) {
	d.policy = p.name
	if p.ignore {
		step.End(traces.Ignored, d.message)
		note(ctx, d, source.Ignored)
		return
	}
	step.End(traces.Refused, d.message)
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
		m.fails(ctx, p, denial{message: "failed to configure policy: " + err.Error()},
			p.begin(m.traces, mutatingKind, nil, nil))
		return nil
	}
	if matched == nil {
		if step := p.begin(m.traces, mutatingKind, nil, nil); step != nil {
			step.Skip(m.r.Mismatch(p.criteria))
		}
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
			m.fails(ctx, p, denial{binding: b.name, message: "failed to configure binding: " + err.Error()},
				p.begin(m.traces, mutatingKind, b, nil))
			err = nil
		} else if len(params) == 0 && m.traces != nil {
			reason := "params"
			if also == nil {
				reason = "binding." + m.r.Mismatch(b.criteria)
			}
			p.begin(m.traces, mutatingKind, b, nil).Skip(reason)
		}
		for _, param := range params {
			all = append(all, call{p, b, matched, param})
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
	step := c.begin(m.traces, mutatingKind, c.binding, c.param)
	fails := func(expression string, err error) {
		m.fails(ctx, c.policy, denial{binding: c.binding.name, message: err.Error(), expression: expression,
			reason: string(status.Invalid)}, step)
	}
	compiled, err := c.compile(ctx, m.CEL)
	if err == nil {
		e := &evaluation{c.policy, compiled, in, step}
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
	before := form.Object
	for i := range c.mutations {
		one := &c.mutations[i]
		made, err := m.make(ctx, &evaluation{c.policy, compiled, in, step}, one, form)
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
			note(ctx, denial{policy: c.name, binding: c.binding.name, expression: one.expression}, source.Changed)
		}
		form.Object = made
		in = copyOf(in, made)
	}
	if step != nil && did.changed {
		step.End(traces.Changed, "")
		step.Change(object.EncodeAny(nil, before), object.EncodeAny(nil, form.Object))
	}
	step.End(traces.Unchanged, "")
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
