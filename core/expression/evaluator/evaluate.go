package evaluator

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/internal/traces"
)

// Compile returns a program whose rules are compiled when the first object is checked.
func (e Evaluator) Compile(s *structural.Schema, _ string) structural.Program {
	made := func(w watching) func() *node {
		return sync.OnceValue(func() *node {
			root, _ := compile(context.Background(), s, w) // which does not end
			return root
		})
	}
	return &compiled{s, made(watching{watch: e.Watch}), made(watching{watch: e.Watch, traced: true})}
}

type compiled struct {
	schema       *structural.Schema
	root, traced func() *node
}

// Validate implements structural.Program.
func (p *compiled) Validate(obj, old map[string]any, step *traces.Step) (field.ErrorList, []string) {
	e := evaluation{budget: objectLimit, left: maxEvaluations, step: step}
	root := p.root
	if step != nil {
		root, e.seen = p.traced, newRecorder()
	}
	var before any // nil, and no map that is nil
	was := oldValue{}
	if old != nil {
		before, was = old, oldValue{value: old, schema: p.schema, root: true}
	}
	e.node(root(), func() field.Path { return "" }, obj, before, was)
	return e.errs, e.warnings
}

// maxEvaluations limits how often rules are evaluated for one object: those that cost nothing in the units of CEL take
// time, too.
const maxEvaluations = 500_000

// maxSaid is how long the paths of the rules that an object breaks may be together, in bytes; one may exceed it.
const maxSaid = 1 << 20

// An evaluation evaluates all rules on one object.
type evaluation struct {
	budget   int64
	left     int // how many rules may be evaluated yet
	said     int // the length of all paths
	errs     field.ErrorList
	warnings []string
	// step gets what seen has recorded; nil if nobody asks.
	step *traces.Step
	seen *recorder
}

// node evaluates the rules on a value and on what is in it. old is the old value if there is one that corresponds to
// it. Its path is made only for a rule that is broken: names can be long, and many values may be below them.
func (e *evaluation) node(n *node, at func() field.Path, v, old any, was oldValue) {
	if n == nil || v == nil || e.budget < 0 {
		return
	}
	e.rules(n, at, v, old, was)
	for _, one := range n.allOf {
		e.node(one, at, v, old, was.around())
	}
	same := was.within(v)
	switch v := v.(type) {
	case map[string]any:
		before, _ := old.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(v)) {
			at := func() field.Path { return at().Child(name) }
			e.node(n.properties[name], at, v[name], before[name], was.field(name, same))
		}
		if n.additional != nil {
			for _, name := range slices.Sorted(maps.Keys(v)) {
				at := func() field.Path { return at().Key(name) }
				e.node(n.additional, at, v[name], before[name], was.field(name, same))
			}
		}
	case []any:
		if n.items == nil {
			return
		}
		before := n.index(old)
		for i, item := range v {
			if e.budget < 0 {
				return
			}
			old := before(item)
			e.node(n.items, func() field.Path { return at().Index(i) }, item, old, was.item(old, same))
		}
	}
}

// index returns a function that finds the old value of an item: known only in lists that are maps.
func (n *node) index(old any) func(any) any {
	items, _ := old.([]any)
	if n.schema.ListType != "map" {
		return func(any) any { return nil }
	}
	l := &list{items, n.schema}
	all := map[any]any{}
	for _, item := range items {
		all[l.identity(item)] = item
	}
	return func(v any) any { return all[l.identity(v)] }
}

const exhausted = "validation failed due to running out of cost budget, no further validation rules will be run"

// rules evaluates the rules on one value.
func (e *evaluation) rules(n *node, path func() field.Path, v, old any, was oldValue) {
	if len(n.rules) == 0 {
		return
	}
	self := valueOf(v, n.schema)
	var oldSelf ref.Val
	optional := ref.Val(types.OptionalNone)
	if old != nil {
		oldSelf = valueOf(old, n.schema)
		optional = types.OptionalOf(oldSelf)
	}
	at := func() field.Path {
		at := path()
		if at == "" {
			at = "<nil>" // as the real server has it
		}
		if e.said += len(at); e.said > maxSaid { // one more is reported, and then no rule is evaluated
			e.left = 0
		}
		return at
	}
	for i := range n.rules {
		r := &n.rules[i]
		if r.problem != "" || r.program == nil { // which Check would not let pass
			e.errs.Add(field.Invalid(at(), n.schema.Type, "rule compile error: "+r.problem))
			continue
		}
		if r.usesOld && old == nil && !r.optional() {
			continue
		}
		variables := map[string]any{"self": self}
		switch {
		case r.optional():
			variables["oldSelf"] = optional
		case old != nil:
			variables["oldSelf"] = oldSelf
		}
		tolerated := len(e.warnings)
		further := e.rule(n, r, at, v, variables, was)
		if e.seen != nil {
			e.note(n, i, path, len(e.warnings) > tolerated)
		}
		if !further {
			e.budget = -1
			return
		}
	}
}

// rule evaluates one rule. It returns false if no further ones may be.
func (e *evaluation) rule(n *node, r *rule, at func() field.Path, v any, variables map[string]any, was oldValue) bool {
	fail := func(detail string) { e.errs.Add(field.Invalid(at(), n.schema.Type, detail)) }
	result, details, err := e.eval(r.program, variables)
	if e.left--; !e.spend(details) || e.left < 0 {
		fail(exhausted)
		return false
	}
	name := strings.TrimSpace(r.Rule.Rule)
	if r.Message != "" {
		name = strings.TrimSpace(r.Message)
	}
	switch {
	case err == nil:
	case strings.HasPrefix(err.Error(), "no such overload"):
		fail(fmt.Sprintf("'%v': call arguments did not match a supported operator, function or macro signature for rule: %v",
			err, name))
		return true
	case strings.HasPrefix(err.Error(), "operation cancelled: actual cost limit exceeded"):
		fail(fmt.Sprintf("'%v': no further validation rules will be run due to call cost exceeds limit for rule: %v", err,
			name))
		return false
	default:
		fail(fmt.Sprintf("%v evaluating rule: %v", err, name))
		return true
	}
	if result == types.True {
		return true
	}
	where := at()
	if r.fieldPath != "" {
		where = join(where, r.fieldPath)
	}
	add := func(broken *field.Error) {
		if !r.usesOld && was.equals(v) {
			e.warnings = append(e.warnings, broken.Error())
			return
		}
		e.errs.Add(broken)
	}
	text, problem := e.message(r, variables)
	if problem != "" {
		add(field.Invalid(where, n.schema.Type, problem))
		return false
	}
	switch {
	case text != "":
	case r.Message != "":
		text = name
	default:
		text = "failed rule: " + name
	}
	value := v
	if n.schema.Type == "object" || n.schema.Type == "array" {
		value = field.Omitted
	}
	add(broken(where, value, text, r.Reason))
	return true
}

// eval evaluates a program, and has it recorded if someone asks.
func (e *evaluation) eval(p cel.Program, variables map[string]any) (ref.Val, *cel.EvalDetails, error) {
	if e.seen == nil {
		return p.Eval(variables)
	}
	return p.ContextEval(e.seen.in(context.Background()), variables)
}

// note adds what was recorded of a rule, and of its message.
func (e *evaluation) note(n *node, i int, path func() field.Path, tolerated bool) {
	for j, made := range e.seen.take() {
		made.At, made.Tolerated, made.Use = string(path()), tolerated, traces.Rule
		at := n.at().Child("x-kubernetes-validations").Index(i)
		made.Field = string(at.Child("rule"))
		if j > 0 {
			made.Field, made.Use = string(at.Child("messageExpression")), traces.Message
		}
		e.step.Add(made)
	}
}

// join puts the path of an error below another path.
func join(at, below field.Path) field.Path {
	if at == "<nil>" {
		return below
	}
	return at.Child(string(below))
}

// spend subtracts the cost of an evaluation, and reports whether it was within the budget.
func (e *evaluation) spend(details *cel.EvalDetails) bool {
	if details == nil || details.ActualCost() == nil || *details.ActualCost() > uint64(e.budget) {
		return false
	}
	e.budget -= int64(*details.ActualCost())
	return true
}

// maxMessage is how long a message may be.
const maxMessage = 5 * 1024

// message evaluates the messageExpression; the text is empty without one that can be used. The problem is
// what ends the evaluation.
func (e *evaluation) message(r *rule, variables map[string]any) (text, problem string) {
	if r.message == nil {
		return "", ""
	}
	result, details, err := e.eval(r.message, variables)
	switch {
	case !e.spend(details):
		return "", "messageExpression evaluation failed due to running out of cost budget, " +
			"no further validation rules will be run"
	case err != nil && strings.HasPrefix(err.Error(), "operation cancelled: actual cost limit exceeded"):
		return "", fmt.Sprintf("no further validation rules will be run due to call cost exceeds limit for "+
			"messageExpression: %q", r.MessageExpression)
	case err != nil:
		return "", ""
	}
	text, _ = result.Value().(string)
	if text = strings.TrimSpace(text); len(text) > maxMessage || strings.Contains(text, "\n") {
		return "", ""
	}
	return text, ""
}

func broken(at field.Path, value any, detail string, reason *string) *field.Error {
	if reason != nil {
		switch *reason {
		case "FieldValueForbidden":
			return field.Forbidden(at, detail)
		case "FieldValueRequired":
			return field.Required(at, detail)
		case "FieldValueDuplicate":
			return field.Duplicate(at, value)
		}
	}
	return field.Invalid(at, value, detail)
}
