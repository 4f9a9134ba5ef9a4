package policies

import (
	"slices"

	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/traces"
	"github.com/tabernetes/tabernetes/core/object"
)

// The kinds of policies.
const (
	validatingKind = "ValidatingAdmissionPolicy"
	mutatingKind   = "MutatingAdmissionPolicy"
)

// placed returns what an expression of the unit came to, or a variable that it asked for, with its field.
func (p *policy) placed(at int, e traces.Evaluation) traces.Evaluation {
	if e.Use == traces.Variable {
		i := slices.IndexFunc(p.unit.Variables, func(v expression.Variable) bool { return v.Name == e.Field })
		e.Field = string(field.Path("spec.variables").Index(i).Child("expression"))
		return e
	}
	set := func(use, list string, i int, key string) {
		e.Use, e.Field = use, string(field.Path("spec").Child(list).Index(i).Child(key))
	}
	if i := slices.Index(p.conditions, at); i >= 0 {
		set(traces.MatchCondition, "matchConditions", i, "expression")
	}
	for i, v := range p.validations {
		switch at {
		case v.at:
			set(traces.Validation, "validations", i, "expression")
		case v.messageAt:
			set(traces.Message, "validations", i, "messageExpression")
		}
	}
	for i, a := range p.annotations {
		if a.at == at {
			set(traces.AuditAnnotation, "auditAnnotations", i, "valueExpression")
		}
	}
	for i, m := range p.mutations {
		if m.at == at {
			set(traces.Mutation, "mutations", i, m.key+".expression")
		}
	}
	return e
}

// begin begins a step of a policy by a binding, with a parameter; these may be missing.
func (p *policy) begin(t *traces.Traces, kind string, b *binding, param map[string]any) *traces.Step {
	step := t.Begin(kind, p.name)
	if step != nil && b != nil {
		step.Binding, step.Actions = b.name, b.actions
	}
	if step != nil && param != nil {
		step.Param = object.Name(param)
		if namespace := object.Namespace(param); namespace != "" {
			step.Param = namespace + "/" + step.Param
		}
	}
	return step
}
