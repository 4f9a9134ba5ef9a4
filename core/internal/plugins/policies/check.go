package policies

import (
	"context"
	"errors"
	"strings"

	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds"
	"github.com/tabernetes/tabernetes/core/internal/plugins/match"
	"github.com/tabernetes/tabernetes/core/object"
)

// Checked are the resources whose expressions Check compiles.
func Checked() []string {
	return []string{validatingPolicies, mutatingPolicies, "validatingwebhookconfigurations",
		"mutatingwebhookconfigurations"}
}

// A place is an expression of an object that is being written: the field key of in.
type place struct {
	at   field.Path
	text string
	in   map[string]any
	key  string
}

// Check returns the violations of the expressions of a policy, or of webhooks' match conditions, that do not compile:
// those that the syntax alone does not show, which the strategies of the kinds know. Without an evaluator it returns
// nil.
func (p *Plugin) Check(ctx context.Context, obj map[string]any) field.ErrorList {
	var errs field.ErrorList
	known := map[string]bool{}
	if strategy := kinds.For(group, object.Kind(obj)); strategy.Validate != nil {
		for _, e := range strategy.Validate(obj) {
			known[e.Field] = true
		}
	}
	for _, u := range unitsOf(obj) {
		_, problems, err := p.CEL.CompileUnit(ctx, u.unit)
		if err != nil {
			continue
		}
		for _, problem := range problems {
			from := u.expressions
			if problem.Variable {
				from = u.variables
			}
			if problem.Index < 0 || problem.Index >= len(from) || known[string(from[problem.Index].at)] {
				continue
			}
			where := from[problem.Index]
			if strings.TrimSpace(where.text) == "" {
				continue // the kind requires it, or what it belongs to
			}
			if problem.Internal {
				errs.Add(field.Internal(where.at, errors.New(problem.Message)))
				continue
			}
			errs.Add(field.Invalid(where.at, where.text, problem.Message))
		}
	}
	return errs
}

// A Found is an expression of an object: one of a unit, at Index of its expressions, or of its variables.
type Found struct {
	Unit     *expression.Unit
	Variable bool
	Index    int
}

// Find returns the expression of a field of a policy or of a webhook configuration; ok is false if it has none there.
func Find(obj map[string]any, at string) (found Found, ok bool) {
	for _, u := range unitsOf(obj) {
		for i, p := range u.variables {
			if string(p.at) == at {
				return Found{u.unit, true, i}, true
			}
		}
		for i, p := range u.expressions {
			if string(p.at) == at {
				return Found{u.unit, false, i}, true
			}
		}
	}
	return Found{}, false
}

// A checked unit knows where its expressions are.
type checkedUnit struct {
	unit                   *expression.Unit
	variables, expressions []place
}

// unitsOf returns the expressions of an object.
func unitsOf(obj map[string]any) []checkedUnit {
	if strings.HasSuffix(object.Kind(obj), "WebhookConfiguration") {
		var units []checkedUnit
		for i, hook := range trees(obj, "webhooks") {
			u := checkedUnit{unit: &expression.Unit{Authorizer: true}}
			u.conditions(hook, field.Path("webhooks").Index(i))
			u.unit.Expressions = match.Conditions(hook)
			if len(u.expressions) > 0 {
				units = append(units, u)
			}
		}
		return units
	}
	made, spec := newPolicy(obj), object.GetMap(obj, "spec")
	u := checkedUnit{unit: &made.unit}
	for i, v := range trees(spec, "variables") {
		u.variables = append(u.variables, newPlace(v, field.Path("spec.variables").Index(i), "expression"))
	}
	// Match conditions are checked by themselves: they may not use variables.
	own := checkedUnit{unit: &expression.Unit{Expressions: match.Conditions(spec), Params: made.unit.Params,
		Authorizer: true}}
	own.conditions(spec, "spec")
	made.unit.Expressions = made.unit.Expressions[len(made.conditions):]
	made.unit.Composed = len(made.unit.Variables) > 0
	for i, v := range trees(spec, "validations") {
		at := field.Path("spec.validations").Index(i)
		u.expressions = append(u.expressions, newPlace(v, at, "expression"))
		if made.validations[i].messageAt >= 0 {
			u.expressions = append(u.expressions, newPlace(v, at, "messageExpression"))
		}
	}
	for i, v := range trees(spec, "auditAnnotations") {
		u.expressions = append(u.expressions, newPlace(v, field.Path("spec.auditAnnotations").Index(i), "valueExpression"))
	}
	for i, v := range trees(spec, "mutations") {
		key := made.mutations[i].key
		one := newPlace(object.GetMap(v, key), field.Path("spec.mutations").Index(i).Child(key), "expression")
		one.text = strings.TrimSpace(one.text)
		u.expressions = append(u.expressions, one)
	}
	return []checkedUnit{own, u}
}

func (u *checkedUnit) conditions(tree map[string]any, at field.Path) {
	for i, c := range trees(tree, "matchConditions") {
		one := newPlace(c, at.Child("matchConditions").Index(i), "expression")
		one.text = strings.TrimSpace(one.text)
		u.expressions = append(u.expressions, one)
	}
}

func newPlace(in map[string]any, at field.Path, key string) place {
	return place{at.Child(key), object.GetString(in, key), in, key}
}

// Break returns a copy of an object in which the syntax of all expressions is wrong, which its kind finds, at the
// fields at which Check finds more.
func Break(obj map[string]any) (broken map[string]any, part func(string) string) {
	broken = object.DeepCopy(obj)
	for _, u := range unitsOf(broken) {
		for _, p := range append(u.variables, u.expressions...) {
			if p.in != nil {
				p.in[p.key] = "!"
			}
		}
	}
	return broken, func(name string) string { return name }
}
