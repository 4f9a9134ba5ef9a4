package evaluator

import (
	"context"
	"fmt"
	"maps"
	"math"
	"net/netip"
	"net/url"
	"reflect"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"

	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/internal/traces"
)

const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run"

// Evaluate implements expression.Compiled.
func (u *unit) Evaluate(ctx context.Context, which []int, in *expression.Input, budget int64) ([]expression.Result,
	int64, error) {
	var seen *recorder
	if in.Trace {
		traced, err := u.traced(ctx)
		if err != nil {
			return nil, budget, err
		}
		u, seen = traced, newRecorder()
		ctx = seen.in(ctx)
	}
	a := newActivation(ctx, u, in)
	results := make([]expression.Result, 0, len(which))
	add := func(r expression.Result) []expression.Result {
		r.Traces = seen.take()
		results = append(results, r)
		return results
	}
	for _, i := range which {
		if i < 0 || i >= len(u.expressions) {
			return nil, budget, fmt.Errorf("the unit has no expression %d", i)
		}
		p := &u.expressions[i]
		if p.program == nil {
			if seen != nil {
				seen.all = append(seen.all, problemOf(p.text, p.problem))
			}
			add(expression.Result{Error: "compilation error: " + p.problem, Kind: expression.NotCompiled})
			continue
		}
		v, details, err := p.program.ContextEval(ctx, a)
		if ctx.Err() != nil {
			return nil, budget, context.Cause(ctx)
		}
		over := func(message string) ([]expression.Result, int64, error) {
			return add(expression.Result{Error: message, Kind: expression.OverBudget}), -1, nil
		}
		for _, cost := range []uint64{a.takeCost(), costOf(details)} {
			if cost > math.MaxInt64 || int64(cost) > budget {
				return over(outOfBudget)
			}
			budget -= int64(cost)
		}
		if err != nil {
			add(expression.Result{
				Error: fmt.Sprintf("expression '%v' resulted in error: %v", p.text, goTypes.Replace(err.Error())),
				Kind:  expression.Failed})
			continue
		}
		add(resultOf(v, p.returns))
	}
	return results, budget, nil
}

// goTypes gives Go types in messages of cel-go the names that they have in the real server.
var goTypes = strings.NewReplacer(
	fmt.Sprintf("%T", boxed[netip.Addr]{}), "cel.IP", fmt.Sprintf("%T", boxed[netip.Prefix]{}), "cel.CIDR",
	fmt.Sprintf("%T", computed{}), "*cel.Quantity", fmt.Sprintf("%T", boxed[*quantity]{}), "cel.Quantity",
	fmt.Sprintf("%T", boxed[*url.URL]{}), "cel.URL",
	fmt.Sprintf("%T", boxed[version]{}), "cel.Semver", fmt.Sprintf("%T", boxed[format]{}), "cel.Format",
	fmt.Sprintf("%T", (*part)(nil)), "*dynamic.ObjectVal",
)

func costOf(details *cel.EvalDetails) uint64 {
	if details == nil || details.ActualCost() == nil {
		return math.MaxUint64
	}
	return *details.ActualCost()
}

// An activation has the values of variables in one Evaluate.
type activation struct {
	values    map[string]any
	variables *variables
}

var _ interpreter.Activation = (*activation)(nil)

func newActivation(ctx context.Context, u *unit, in *expression.Input) *activation {
	a := &activation{values: map[string]any{}}
	for name, tree := range map[string]map[string]any{"object": in.Object, "oldObject": in.OldObject, "params": in.Params,
		"namespaceObject": in.NamespaceObject, "request": in.Request} {
		a.values[name] = nil
		if tree != nil {
			a.values[name] = tree
		}
	}
	maps.Copy(a.values, in.Values)
	if in.Authorize != nil {
		any := asking{answer: in.Authorize}
		a.values["authorizer"] = authorizerBox.wrap(any)
		a.values["authorizer.requestResource"] = resourceCheckBox.wrap(asking{requestQuestion(in.Request), in.Authorize})
	}
	a.variables = &variables{ctx: ctx, unit: u, in: a, known: map[string]ref.Val{}}
	a.values["variables"] = a.variables
	return a
}

// requestQuestion returns the question that is about the resource of a request.
func requestQuestion(request map[string]any) expression.Question {
	resource, _ := request["requestResource"].(map[string]any)
	text := func(tree map[string]any, name string) string { s, _ := tree[name].(string); return s }
	return expression.Question{Group: text(resource, "group"), Resource: text(resource, "resource"),
		Subresource: text(request, "requestSubResource"), Namespace: text(request, "namespace"), Name: text(request, "name")}
}

// ResolveName implements interpreter.Activation.
func (a *activation) ResolveName(name string) (any, bool) {
	v, ok := a.values[name]
	return v, ok
}

// Parent implements interpreter.Activation.
func (a *activation) Parent() interpreter.Activation { return nil }

// takeCost returns what variables have cost since it was called last.
func (a *activation) takeCost() uint64 {
	cost := a.variables.cost
	a.variables.cost = 0
	return cost
}

// variables is the value of the variable of that name. What is in it is evaluated when it is first asked for.
type variables struct {
	ctx   context.Context
	unit  *unit
	in    *activation
	known map[string]ref.Val
	cost  uint64
}

var variablesType = types.NewTypeValue(variablesName, traits.IndexerType|traits.FieldTesterType|traits.IterableType)

// Find implements traits.Mapper.
func (v *variables) Find(key ref.Val) (ref.Val, bool) {
	text, ok := key.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(key), true
	}
	name, ok := unescape(string(text))
	p := v.unit.variables[name]
	if !ok || p == nil {
		return nil, false
	}
	if v.known[name] == nil {
		v.known[name] = v.evaluate(name, p)
	}
	return v.known[name], true
}

func (v *variables) evaluate(name string, p *unitProgram) ref.Val {
	if p.program == nil {
		return types.NewErr("composited variable %q fails to compile: %v", name, p.problem)
	}
	value, details, err := p.program.ContextEval(v.ctx, v.in)
	if e := recorderOf(v.ctx).last(); e != nil && e.Use == "" {
		e.Use, e.Field = traces.Variable, name
	}
	if details == nil {
		return types.NewErr("unable to get evaluation details of variable %q", name)
	}
	if cost := costOf(details); v.cost > math.MaxUint64-cost {
		v.cost = math.MaxUint64
	} else {
		v.cost += cost
	}
	if err != nil {
		return types.NewErr("composited variable %q fails to evaluate: %v", name, err)
	}
	return value
}

// Get implements traits.Indexer.
func (v *variables) Get(key ref.Val) ref.Val { return get(v, key) }

// Contains implements traits.Container.
func (v *variables) Contains(key ref.Val) ref.Val { return contains(v, key) }

// Size implements traits.Sizer.
func (v *variables) Size() ref.Val { return types.Int(len(v.unit.variables)) }

// Iterator implements traits.Iterable.
func (v *variables) Iterator() traits.Iterator {
	var all []ref.Val
	for name := range v.unit.variables {
		all = append(all, v.Get(types.String(name)))
	}
	return types.NewRefValList(types.DefaultTypeAdapter, all).(traits.Lister).Iterator()
}

// ConvertToNative implements ref.Val.
func (v *variables) ConvertToNative(t reflect.Type) (any, error) {
	return nil, fmt.Errorf("disallowed conversion from %q to %q", variablesName, t.Name())
}

// ConvertToType implements ref.Val.
func (v *variables) ConvertToType(t ref.Type) ref.Val {
	switch t {
	case ref.Type(variablesType):
		return v
	case types.TypeType:
		return variablesType
	}
	return types.NewErr("disallowed conversion from %q to %q", variablesName, t.TypeName())
}

// Equal implements ref.Val.
func (v *variables) Equal(other ref.Val) ref.Val {
	o, ok := other.(*variables)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	return types.Bool(v == o)
}

// Type implements ref.Val.
func (v *variables) Type() ref.Type { return variablesType }

// Value implements ref.Val.
func (v *variables) Value() any { return types.NoSuchOverloadErr() }
