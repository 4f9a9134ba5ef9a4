package evaluator

import (
	"context"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// A node is a part of a schema with its rules and those below it.
type node struct {
	schema *structural.Schema // the structure
	root   bool               // of a whole object
	rules  []rule
	// within is the node that this one is in, by step, and, if it is a field, by its name.
	within     *node
	step, name string

	items, additional *node
	properties        map[string]*node
	allOf             []*node
}

// A rule is a compiled rule, or the problem that kept it from being compiled.
type rule struct {
	structural.Rule
	program, message        cel.Program
	usesOld                 bool
	fieldPath               field.Path
	problem, messageProblem string
	cost, messageCost       uint64
	cardinality             uint64 // how often the value can be in an object, at the most
	undeclared              bool   // values of the schema are not CEL values
	// parts and messageParts are the trees of what the expressions may cost, if they are estimated.
	parts, messageParts *shown
}

// compile compiles the rules of a schema and of what is below, once it is its turn; nil means none. It ends when
// ctx does, with that error.
func compile(ctx context.Context, s *structural.Schema, w watching) (*node, error) {
	work := s.RuleWork()
	leave, err := enter(ctx, work)
	if err != nil {
		return nil, err
	}
	defer leave()
	c := compilation{ctx: ctx, watch: w, wholes: map[*structural.Schema]*structural.Schema{}}
	if work > structural.MaxRuleWork { // it was stored before there was a limit
		c.problem = "the rules of this schema take too much work to compile"
	}
	root := c.node(s, s, node{root: true})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return root, nil
}

// A compilation compiles the rules of one schema until ctx ends.
type compilation struct {
	ctx     context.Context
	watch   watching
	problem string // why none is compiled, if so
	wholes  map[*structural.Schema]*structural.Schema
}

// whole returns the result of withMetadata, which is the same for all that is below allOf.
func (c *compilation) whole(s *structural.Schema) *structural.Schema {
	if c.wholes[s] == nil {
		c.wholes[s] = withMetadata(s)
	}
	return c.wholes[s]
}

// node compiles the rules of a part of a schema. structure is what the part is about: itself, or for what is below
// allOf the schema around it.
func (c *compilation) node(s, structure *structural.Schema, is node) *node {
	if !s.HasRules() || structure == nil || c.ctx.Err() != nil {
		return nil
	}
	n := &is
	n.schema, n.properties = structure, map[string]*node{}
	if n.root {
		n.schema = c.whole(structure)
	}
	n.rules = c.rules(s, structure, n.root)
	if s.Items != nil && structure.Items != nil {
		n.items = c.node(s.Items, structure.Items, node{root: structure.Items.Embedded, within: n, step: "items"})
	}
	if s.Additional != nil && structure.Additional != nil {
		n.additional = c.node(s.Additional, structure.Additional, node{root: structure.Additional.Embedded, within: n,
			step: "additionalProperties"})
	}
	for name, p := range s.Properties {
		is := structure.Properties[name]
		if is == nil || !p.HasRules() {
			continue
		}
		if child := c.node(p, is, node{root: is.Embedded, within: n, step: "properties", name: name}); child != nil {
			n.properties[name] = child
		}
	}
	for i, one := range s.AllOf {
		at := node{root: n.root, within: n, step: "allOf", name: strconv.Itoa(i)}
		if child := c.node(one, structure, at); child != nil {
			n.allOf = append(n.allOf, child)
		}
	}
	return n
}

// at returns where the rules are, from the schema of the version.
func (n *node) at() field.Path {
	if n.within == nil {
		return ""
	}
	at := n.within.at().Child(n.step)
	if n.name != "" {
		at = at.Key(n.name)
	}
	return at
}

// selfName is the name that the type of self has, if it is an object.
const selfName = "selfType"

// rules compiles the rules of a part itself.
func (c *compilation) rules(s, structure *structural.Schema, root bool) []rule {
	if len(s.Rules) == 0 {
		return nil
	}
	var all []rule
	if c.problem != "" {
		for _, r := range s.RuleList() {
			all = append(all, rule{Rule: r, problem: c.problem})
		}
		return all
	}
	d := declare(structure, root, selfName)
	for _, r := range s.RuleList() {
		all = append(all, rule{Rule: r, undeclared: d == nil})
	}
	if d == nil {
		return all
	}
	base := environment()
	provider := newProvider(base.CELTypeProvider(), d)
	defer provider.forget()
	plan, err := planning().Extend(cel.CustomTypeProvider(provider), cel.CustomTypeAdapter(base.CELTypeAdapter()))
	if err != nil {
		panic(err) // the options are all here
	}
	environmentOf := func(oldSelf *cel.Type) func() (*cel.Env, error) {
		return sync.OnceValues(func() (*cel.Env, error) {
			return base.Extend(c.watch.with(cel.CustomTypeProvider(provider), cel.Variable("self", d.Type),
				cel.Variable("oldSelf", oldSelf))...)
		})
	}
	plain, optional := environmentOf(d.Type), environmentOf(types.NewOptionalType(d.Type))
	for i := range all {
		if c.ctx.Err() != nil {
			return nil
		}
		env, err := plain()
		if all[i].optional() {
			env, err = optional()
		}
		if err != nil {
			all[i].problem = "compilation failed: " + err.Error()
			continue
		}
		all[i].compile(env, plan, d, c.watch)
		if path, _, err := structural.FieldPath(all[i].FieldPath, structure, true); err == nil {
			all[i].fieldPath = path
		}
	}
	return all
}

func (r *rule) optional() bool { return r.OptionalOldSelf != nil && *r.OptionalOldSelf }

func (r *rule) compile(env, plan *cel.Env, d *declared, w watching) {
	if strings.TrimSpace(r.Rule.Rule) == "" {
		return
	}
	r.cardinality = uint64(wellknown.MaxBody / (d.least + 1))
	r.program, r.usesOld, r.cost, r.problem = program(w, env, plan, r.Rule.Rule, d, cel.BoolType, "",
		"cel expression must evaluate to a bool")
	if w.estimated && r.problem == "" {
		r.parts = estimateParts(env, d, r.Rule.Rule, r.cost)
	}
	if r.MessageExpression != "" && r.problem == "" {
		r.message, _, r.messageCost, r.messageProblem = program(w, env, plan, r.MessageExpression, d, cel.StringType,
			"messageExpression ", "messageExpression must evaluate to a string")
		if w.estimated && r.messageProblem == "" {
			r.messageParts = estimateParts(env, d, r.MessageExpression, r.messageCost)
		}
	}
}

// program compiles an expression in env, and makes its program in plan. The problem is what is wrong with it.
func program(w watching, env, plan *cel.Env, expr string, d *declared, want *cel.Type, what, wrongType string) (
	p cel.Program, usesOld bool, most uint64, problem string) {
	tree, issues := env.Compile(expr)
	if issues.Err() != nil {
		return nil, false, 0, what + "compilation failed: " + issues.String()
	}
	if tree.OutputType() != want {
		return nil, false, 0, wrongType
	}
	for _, r := range tree.NativeRep().ReferenceMap() {
		usesOld = usesOld || r.Name == "oldSelf"
	}
	p, err := w.program(plan, expr, tree)
	if err != nil {
		instantiation := "program "
		if what != "" {
			instantiation = what
		}
		return nil, usesOld, 0, instantiation + "instantiation failed: " + err.Error()
	}
	estimate, err := env.EstimateCost(tree, cost{d})
	if err != nil {
		return nil, usesOld, 0, "cost estimation failed: " + err.Error()
	}
	return p, usesOld, estimate.Max, ""
}

// product multiplies, up to the largest number.
func product(a, b uint64) uint64 {
	if a != 0 && b > math.MaxUint64/a {
		return math.MaxUint64
	}
	return a * b
}
