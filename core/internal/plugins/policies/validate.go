package policies

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/audit"
	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/internal/plugins/match"
	"github.com/tabernetes/tabernetes/core/internal/traces"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/source"
	"github.com/tabernetes/tabernetes/core/status"
)

// A denial is why a policy refuses a request.
type denial struct {
	policy, binding string
	reason, message string
	// expression is the one that was not true, or could not be evaluated; empty if it was no expression.
	expression string
	// index is the position of the validation.
	index int
}

// validate applies all policies; the first denial is the answer.
func (p *Plugin) validate(ctx context.Context, a *admission.Attributes, policies []*policy) error {
	v := &validating{Plugin: p, r: p.request(a), ask: p.Access.Asker(ctx), traces: traces.Of(ctx)}
	for _, one := range policies {
		if err := v.apply(ctx, one); err != nil {
			return err
		}
	}
	if len(v.denials) == 0 {
		return nil
	}
	return v.denials[0].status(a)
}

// validating is one request while policies are applied.
type validating struct {
	*Plugin
	r       *match.Request
	ask     func(expression.Question) expression.Decision
	inputs  map[*schema.Resource]*expression.Input
	denials []denial
	traces  *traces.Traces // or nil
}

// fails notes that a policy cannot be applied, which failurePolicy decides on.
func (v *validating) fails(ctx context.Context, p *policy, b *binding, err error) {
	d := denial{policy: p.name, message: "failed to configure policy: " + err.Error()}
	if b != nil {
		d.binding, d.message = b.name, "failed to configure binding: "+err.Error()
	}
	step := p.begin(v.traces, validatingKind, b, nil)
	if p.ignore {
		step.End(traces.Ignored, d.message)
		note(ctx, d, source.Ignored)
		return
	}
	v.deny(ctx, d, step)
}

func (v *validating) deny(ctx context.Context, d denial, step *traces.Step) {
	step.End(traces.Refused, d.message)
	note(ctx, d, source.Refused)
	v.denials = append(v.denials, d)
}

// note records a decision for a client that asks for it.
func note(ctx context.Context, d denial, did string) {
	if s := source.Of(ctx); s != nil {
		s.Decide(source.Verdict{Policy: d.policy, Binding: d.binding, Did: did, Expression: d.expression})
	}
}

func (v *validating) apply(ctx context.Context, p *policy) error {
	matched, err := v.r.Match(p.criteria)
	if err != nil {
		v.fails(ctx, p, nil, err)
		return nil
	}
	if matched == nil {
		if step := p.begin(v.traces, validatingKind, nil, nil); step != nil {
			step.Skip(v.r.Mismatch(p.criteria))
		}
		return nil
	}
	kind, err := v.paramType(p.params)
	if err != nil {
		v.fails(ctx, p, nil, err)
		return nil
	}
	for _, b := range p.bindings {
		if err := v.bind(ctx, p, b, matched, kind); err != nil {
			return err
		}
	}
	return nil
}

// bind applies a policy by one of its bindings.
func (v *validating) bind(ctx context.Context, p *policy, b *binding, matched, kind *schema.Resource) error {
	if b.criteria != nil {
		also, err := v.r.Match(b.criteria)
		if err != nil {
			v.fails(ctx, p, b, err)
		}
		if also == nil && err == nil {
			if step := p.begin(v.traces, validatingKind, b, nil); step != nil {
				step.Skip("binding." + v.r.Mismatch(b.criteria))
			}
		}
		if also == nil || err != nil {
			return nil
		}
	}
	params, err := v.params(ctx, kind, b.ref, v.r)
	if err != nil {
		v.fails(ctx, p, b, err)
		return nil
	}
	if len(params) == 0 {
		p.begin(v.traces, validatingKind, b, nil).Skip("params")
	}
	namespace, err := namespaceOf(v.r, false)
	if err != nil {
		return err
	}
	for _, param := range params {
		seen, err := v.input(ctx, matched)
		if err != nil {
			return err
		}
		in := *seen
		in.Params, in.NamespaceObject, in.Authorize = param, namespace, v.ask
		step := p.begin(v.traces, validatingKind, b, param)
		found, annotated, err := v.decide(ctx, p, &in, step)
		if err != nil && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil { // no expression decides alone
			found = []denial{{message: err.Error()}}
			if p.ignore {
				note(ctx, denial{policy: p.name, binding: b.name, message: err.Error()}, source.Ignored)
				step.End(traces.Ignored, err.Error())
				found = nil
			}
		}
		v.act(ctx, p, b, found, step)
		for _, d := range annotated {
			d.policy, d.binding = p.name, b.name
			v.deny(ctx, d, step)
		}
		if step != nil && step.Outcome == "" {
			step.End(traces.Allowed, "")
		}
	}
	return nil
}

// input returns what expressions see of the request in a version, made once for all policies that see it in that one.
func (v *validating) input(ctx context.Context, matched *schema.Resource) (*expression.Input, error) {
	if in := v.inputs[matched]; in != nil {
		return in, nil
	}
	form, err := match.FormOf(ctx, matched, v.r.Attributes)
	if err != nil {
		return nil, err
	}
	if v.inputs == nil {
		v.inputs = map[*schema.Resource]*expression.Input{}
	}
	v.inputs[matched] = form.Input(ctx, v.r.Attributes)
	return v.inputs[matched], nil
}

// act does what a binding says of failed validations.
func (v *validating) act(ctx context.Context, p *policy, b *binding, found []denial, step *traces.Step) {
	for _, d := range found {
		d.policy, d.binding = p.name, b.name
		for _, action := range b.actions {
			switch action {
			case "Deny":
				v.deny(ctx, d, step)
			case "Warn":
				step.End(traces.Warned, d.message)
				note(ctx, d, source.Warned)
				v.r.Warn(fmt.Sprintf("Validation failed for ValidatingAdmissionPolicy '%s' with binding '%s': %s", p.name,
					b.name, d.message))
			case "Audit":
				step.End(traces.Audited, d.message)
				note(ctx, d, source.Audited)
				audit.Of(ctx).Annotate(failureAnnotation, d.annotation(b.actions))
			}
		}
	}
}

// failureAnnotation is the audit annotation of a validation that fails.
const failureAnnotation = "validation.policy.admission.k8s.io/validation_failure"

// annotation is what the audit log says of a failed validation.
func (d *denial) annotation(actions []string) string {
	text, err := json.Marshal([]map[string]any{{
		"message": d.message, "policy": d.policy, "binding": d.binding, "expressionIndex": d.index,
		"validationActions": actions,
	}})
	if err != nil {
		panic("policies: " + err.Error()) // texts and numbers only
	}
	return string(text)
}

// decide evaluates a policy: what it finds wrong, by its validations, and by audit annotations that cannot be
// evaluated. An error stands for all of it.
func (v *validating) decide(
	ctx context.Context, p *policy, in *expression.Input, step *traces.Step,
) (found, annotated []denial, err error) {
	compiled, err := p.compile(ctx, v.CEL)
	if err != nil {
		return nil, nil, err
	}
	e := &evaluation{p, compiled, in, step}
	if ok, err := e.matches(ctx); !ok || err != nil {
		return nil, nil, err
	}
	which := make([]int, len(p.validations))
	for i := range p.validations {
		which[i] = p.validations[i].at
	}
	results, left, err := e.evaluate(ctx, which, in, expression.PolicyBudget)
	if err != nil {
		return nil, nil, err
	}
	if failing(results) {
		if found, err = e.explain(ctx, results, left); err != nil {
			return nil, nil, err
		}
	}
	annotated, err = e.annotate(ctx)
	return found, annotated, err
}

func failing(results []expression.Result) bool {
	for _, r := range results {
		if r.Error != "" || r.Value != true {
			return true
		}
	}
	return false
}

// explain returns what failed validations say.
func (e *evaluation) explain(
	ctx context.Context, results []expression.Result, budget int64,
) (found []denial, err error) {
	in := *e.in
	in.Authorize = nil // messages may not ask
	var which []int
	for i := range e.validations {
		if at := e.validations[i].messageAt; at >= 0 {
			which = append(which, at)
		}
	}
	messages, _, failed := e.evaluate(ctx, which, &in, budget)
	if failed != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for i, r := range results {
		var message expression.Result
		v := &e.validations[i]
		if v.messageAt >= 0 && len(messages) > 0 {
			message, messages = messages[0], messages[1:]
		}
		d := denial{reason: v.reason, expression: v.expression, index: i}
		switch {
		case r.Error != "":
			d.reason, d.message = "", r.Error
		case failed != nil:
			d.reason, d.message = "", "failed messageExpression: "+failed.Error()
		case r.Value == true:
			continue
		default:
			d.message = v.text(message)
		}
		if e.ignore && (r.Error != "" || failed != nil) {
			e.step.End(traces.Ignored, d.message)
			continue
		}
		found = append(found, d)
	}
	return found, nil
}

// maxAnnotation is the maximum length of an audit annotation, in bytes.
const maxAnnotation = 10 * 1024

// maxMessage is the maximum length of the message of an expression, in bytes.
const maxMessage = 5 * 1024

// text returns the message of a failed validation, whose message expression has this result.
func (v *validation) text(made expression.Result) string {
	if text, ok := made.Value.(string); ok && made.Error == "" {
		if text = strings.TrimSpace(text); text != "" && len(text) <= maxMessage && !strings.Contains(text, "\n") {
			return text
		}
	}
	if text := strings.TrimSpace(v.message); v.message != "" {
		return text
	}
	return "failed expression: " + strings.TrimSpace(v.expression)
}

// annotate evaluates the audit annotations, which the audit log gets, and returns those that cannot be.
func (e *evaluation) annotate(ctx context.Context) (wrong []denial, err error) {
	which := make([]int, len(e.annotations))
	for i := range e.annotations {
		which[i] = e.annotations[i].at
	}
	results, _, err := e.evaluate(ctx, which, e.in, expression.PolicyBudget)
	if err != nil || e.ignore {
		return nil, err
	}
	for i, r := range results {
		if r.Error != "" {
			wrong = append(wrong, denial{message: r.Error, expression: e.annotations[i].expression})
			continue
		}
		if text, ok := r.Value.(string); ok {
			if text = strings.TrimSpace(text); text != "" {
				audit.Of(ctx).Append(e.name+"/"+e.annotations[i].key, text[:min(len(text), maxAnnotation)])
			}
		}
	}
	return wrong, nil
}

// codes are those of the reasons that a validation may give; 422 is that of others.
var codes = map[string]int{
	"Forbidden": http.StatusForbidden, "Unauthorized": http.StatusUnauthorized,
	"RequestEntityTooLarge": http.StatusRequestEntityTooLarge,
}

// status returns the answer to a request that is refused.
func (d *denial) status(a *admission.Attributes) error {
	message := fmt.Sprintf("ValidatingAdmissionPolicy '%s' denied request: %s", d.policy, d.message)
	if d.binding != "" {
		message = fmt.Sprintf("ValidatingAdmissionPolicy '%s' with binding '%s' denied request: %s", d.policy, d.binding,
			d.message)
	}
	err := a.Forbidden(message)
	err.Status.Reason, err.Status.Code = status.Invalid, http.StatusUnprocessableEntity
	if d.reason != "" {
		err.Status.Reason = status.Reason(d.reason)
	}
	if code, ok := codes[d.reason]; ok {
		err.Status.Code = code
	}
	err.Status.Details.Causes = append(err.Status.Details.Causes, status.Cause{Message: message})
	return err
}
