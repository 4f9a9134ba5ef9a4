package evaluator

import (
	"math"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/traces"
)

// estimated is what an expression of a schema may cost.
type estimated struct {
	// Cost is that of one value, and Times how many values there can be in an object.
	Cost  uint64 `json:"cost"`
	Times uint64 `json:"times"`
	Total uint64 `json:"total"`
	Limit uint64 `json:"limit"`
}

// estimateParts makes the tree of an expression whose parts have what they contribute to its estimated cost, in all
// turns of their loops.
func estimateParts(env *cel.Env, d *declared, text string, whole uint64) *shown {
	tree, issues := env.Compile(text) // which is changed below
	if issues.Err() != nil {
		return nil
	}
	x := newExplainer(text, tree.NativeRep())
	s := &estimating{env: env, tree: tree, estimator: cost{d}, loops: map[int64]ast.ComprehensionExpr{}}
	for id, e := range x.parts {
		if x.loops[id] != nil {
			s.loops[id] = e.AsComprehension()
		}
	}
	root := x.part(tree.NativeRep().Expr(), x.root, nil)
	if root == nil {
		return nil
	}
	s.parts(x, root)
	s.estimate(x, root, true, whole)
	return root
}

// An estimating finds the costs of parts by putting them in the place of the whole.
type estimating struct {
	env       *cel.Env
	tree      *cel.Ast
	estimator cost
	loops     map[int64]ast.ComprehensionExpr
}

// parts adds what loops ask of each item, which has no turns here, and drops that nothing was evaluated.
func (s *estimating) parts(x *explainer, p *shown) {
	p.Unevaluated = false
	if _, looped := x.written(p.e, false); len(looped) > 0 {
		t := &turn{}
		for _, e := range looped {
			if inner := x.part(e, x.root, nil); inner != nil {
				t.Parts = append(t.Parts, inner)
			}
		}
		p.Loop = []*turn{t}
	}
	for _, inner := range p.inner() {
		s.parts(x, inner)
	}
}

// inner returns the parts directly within one, those of loops too.
func (p *shown) inner() []*shown {
	all := p.Parts
	for _, t := range p.Loop {
		all = append(all[:len(all):len(all)], t.Parts...)
	}
	return all
}

// estimate fills in what parts cost. The whole's own is known, and its place in the tree is what is changed.
func (s *estimating) estimate(x *explainer, p *shown, isWhole bool, whole uint64) {
	if !isWhole {
		whole = s.cost(x.scopes[p.e.ID()], p.e)
	}
	n := shownCost(whole)
	p.Estimate = &n
	for _, inner := range p.inner() {
		s.estimate(x, inner, false, 0)
	}
}

// cost returns what a part costs in the loops around it: what an expression that has nothing else costs, without what
// the loops alone do.
func (s *estimating) cost(in *scope, e ast.Expr) uint64 {
	with, without := s.of(in, e), s.of(in, ast.NewExprFactory().NewLiteral(math.MaxInt64, types.True))
	if with == math.MaxUint64 {
		return with
	}
	return with - min(with, without)
}

func (s *estimating) of(in *scope, e ast.Expr) uint64 {
	factory := ast.NewExprFactory()
	yes := factory.NewLiteral(math.MaxInt64, types.True)
	for ; in != nil; in = in.around {
		c := s.loops[in.loop]
		if c.HasIterVar2() {
			e = factory.NewComprehensionTwoVar(in.loop, c.IterRange(), c.IterVar(), c.IterVar2(), c.AccuVar(), c.AccuInit(),
				yes, e, yes)
		} else {
			e = factory.NewComprehension(in.loop, c.IterRange(), c.IterVar(), c.AccuVar(), c.AccuInit(), yes, e, yes)
		}
	}
	root := s.tree.NativeRep().Expr()
	root.SetKindCase(factory.NewList(root.ID(), []ast.Expr{e}, nil)) // a kind that needs nothing of the root's id
	estimate, err := s.env.EstimateCost(s.tree, s.estimator)
	if err != nil {
		return 0
	}
	return estimate.Max
}

// estimates notes what the expressions of a rule may cost, if someone asks.
func (r *rule) estimates(step *traces.Step, at field.Path, times uint64) {
	add := func(name, text string, cost, times uint64, root *shown) {
		made := traces.Evaluation{Field: string(at.Child(name)), Use: traces.Estimate, Result: marshal(outcome{
			Expression: text,
			Estimate:   &estimated{shownCost(cost), shownCost(times), shownCost(product(cost, times)), ruleEstimate},
		})}
		if root != nil {
			made.Tree = marshal(root)
		}
		step.Add(made)
	}
	if step == nil {
		return
	}
	if r.program != nil {
		add("rule", r.Rule.Rule, r.cost, times, r.parts)
	}
	if r.message != nil {
		add("messageExpression", r.MessageExpression, r.messageCost, 1, r.messageParts)
	}
}
