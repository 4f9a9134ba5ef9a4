package evaluator

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"

	"github.com/tabernetes/tabernetes/core/expression/syntax"
	"github.com/tabernetes/tabernetes/core/internal/traces"
)

// watching says how programs are watched: by a Watch, and traced if someone may ask what their parts come to.
type watching struct {
	watch  Watch
	traced bool
	// estimated has the trees of rules made with what their parts may cost.
	estimated bool
}

// with returns the options of an environment whose expressions are watched.
func (w watching) with(options ...cel.EnvOption) []cel.EnvOption {
	if w.watch != nil || w.traced || w.estimated {
		options = append(options, cel.EnableMacroCallTracking())
	}
	return options
}

// program makes the program of an expression that was compiled.
func (w watching) program(plan *cel.Env, text string, tree *cel.Ast) (cel.Program, error) {
	p, err := w.watch.program(plan, text, tree)
	if err != nil || !w.traced {
		return p, err
	}
	return &traced{p, plan, text, tree}, nil
}

// A recorder in the context of evaluations gets those of traced programs.
type recorder struct {
	all []traces.Evaluation
	// passes and fails are how many are recorded of those that are true, and of others, and trees how many bytes of trees
	// are made.
	passes, fails, trees int
}

// What is recorded of the evaluations of one object, or of one call. The rules of a schema may be evaluated for
// thousands of values.
const (
	maxPasses = 50
	maxFails  = 200
	maxTrees  = 1 << 20
)

func newRecorder() *recorder { return &recorder{passes: maxPasses, fails: maxFails, trees: maxTrees} }

// wants reports whether an evaluation is to be recorded.
func (r *recorder) wants(v ref.Val, err error) bool {
	if r == nil {
		return false
	}
	left := &r.fails
	if err == nil && v == types.True {
		left = &r.passes
	}
	*left--
	return *left >= 0
}

type recorderKey struct{}

func (r *recorder) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, recorderKey{}, r)
}

func recorderOf(ctx context.Context) *recorder {
	r, _ := ctx.Value(recorderKey{}).(*recorder)
	return r
}

// last returns what was recorded last; nil without a recorder.
func (r *recorder) last() *traces.Evaluation {
	if r == nil || len(r.all) == 0 {
		return nil
	}
	return &r.all[len(r.all)-1]
}

// take returns what was recorded since it was called last.
func (r *recorder) take() []traces.Evaluation {
	if r == nil {
		return nil
	}
	all := r.all
	r.all = nil
	return all
}

// A traced program is evaluated twice if its context has a recorder: as it was made, and to see its parts.
type traced struct {
	cel.Program
	plan *cel.Env
	text string
	tree *cel.Ast
}

// ContextEval implements cel.Program.
func (t *traced) ContextEval(ctx context.Context, vars any) (ref.Val, *cel.EvalDetails, error) {
	v, details, err := t.Program.ContextEval(ctx, vars)
	if r := recorderOf(ctx); r.wants(v, err) {
		made := t.record(ctx, vars, v, details, err, r.trees > 0)
		r.trees -= len(made.Tree)
		r.all = append(r.all, made)
	}
	return v, details, err
}

// What is made of a traced expression.
type (
	// outcome is what an evaluation came to.
	outcome struct {
		Expression string     `json:"expression"`
		Type       string     `json:"type,omitempty"`
		Value      string     `json:"value,omitempty"`
		Error      string     `json:"error,omitempty"`
		Cost       uint64     `json:"cost"`
		Limit      uint64     `json:"limit,omitempty"`
		Because    []stretch  `json:"because,omitempty"`
		Fields     []stretch  `json:"fields,omitempty"`
		Estimate   *estimated `json:"estimate,omitempty"`
	}
	// A stretch is a range of the text, in UTF-16, and what is there.
	stretch struct {
		Start int    `json:"start"`
		End   int    `json:"end"`
		Value string `json:"value,omitempty"`
		Type  string `json:"type,omitempty"`
	}
	// A shown is a part of an expression as it was written.
	shown struct {
		stretch
		Error       string   `json:"error,omitempty"`
		Unevaluated bool     `json:"unevaluated,omitempty"`
		Parts       []*shown `json:"parts,omitempty"`
		Loop        []*turn  `json:"loop,omitempty"`
		// More is how many turns of the loop are left out.
		More     int     `json:"more,omitempty"`
		Estimate *uint64 `json:"estimate,omitempty"`

		e ast.Expr
		v ref.Val
	}
	// A turn is what a macro found for one item.
	turn struct {
		Key   string   `json:"key,omitempty"`
		Item  string   `json:"item,omitempty"`
		Value string   `json:"value,omitempty"`
		Parts []*shown `json:"parts,omitempty"`
	}
)

// record returns what an evaluation came to; it evaluates the parts if these are wanted.
func (t *traced) record(
	ctx context.Context, in any, v ref.Val, details *cel.EvalDetails, err error, parts bool,
) traces.Evaluation {
	x := newExplainer(t.text, t.tree.NativeRep())
	o := outcome{Expression: t.text, Limit: callLimit, Cost: shownCost(costOf(details)),
		Type: x.typeName(t.tree.NativeRep().Expr().ID(), v)}
	if err != nil {
		o.Error = errorText(err)
	} else {
		o.Value = x.text(v)
	}
	if !parts {
		return traces.Evaluation{Result: marshal(o)}
	}
	vars, wrong := interpreter.NewActivation(in)
	if wrong != nil {
		vars = cel.NoVars()
	}
	x.observe(ctx, t.plan, vars)
	root := x.part(x.tree.Expr(), x.root, nil)
	if root == nil { // a literal
		root = &shown{e: x.tree.Expr(), v: v}
		root.Start, root.End = x.places.of(root.e)
		root.Type, root.Value = o.Type, o.Value
	}
	for _, p := range because(root) {
		o.Because = appendStretch(o.Because, stretch{Start: p.Start, End: p.End})
		for _, f := range fieldsIn(p) {
			o.Fields = appendStretch(o.Fields, f.stretch)
		}
	}
	return traces.Evaluation{Result: marshal(o), Tree: marshal(root)}
}

// maxError is how long an error is at most, in bytes: that of a key that is missing has the key, for each part.
const maxError = 1000

// errorText returns what an error says, cut if it is long.
func errorText(err error) string {
	text := goTypes.Replace(err.Error())
	if len(text) <= maxError {
		return text
	}
	return strings.ToValidUTF8(text[:maxError], "") + "…"
}

// problemOf is the record of an expression that does not compile.
func problemOf(text, problem string) traces.Evaluation {
	return traces.Evaluation{Result: marshal(outcome{Expression: text, Error: problem})}
}

func marshal(v any) json.RawMessage {
	var b bytes.Buffer
	w := json.NewEncoder(&b)
	w.SetEscapeHTML(false)
	if err := w.Encode(v); err != nil {
		panic("evaluator: " + err.Error()) // texts and numbers only
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// maxStretches is how many stretches an outcome has at most.
const maxStretches = 10

func appendStretch(all []stretch, s stretch) []stretch {
	for _, known := range all {
		if known == s {
			return all
		}
	}
	if len(all) >= maxStretches {
		return all
	}
	return append(all, s)
}

// mostSafe is the largest number that JavaScript has without loss.
const mostSafe = 1<<53 - 1

func shownCost(n uint64) uint64 { return min(n, mostSafe) }

// maxParts is how many parts a tree has at most, in all its loops.
const maxParts = 3000

// An explainer makes the tree of an expression's parts, as they were written, of what cel-go observed of it.
type explainer struct {
	tree   *ast.AST
	places *places
	// parts are the expressions by their ids, and scopes the loops that they are in, nil for none; loops are the scopes
	// of comprehensions by their ids, and steps by those of their steps.
	parts               map[int64]ast.Expr
	scopes              map[int64]*scope
	loops, steps        map[int64]*scope
	root                *frame
	vars                interpreter.Activation
	adapter             types.Adapter
	shown, kept, events int
	sorts               int // how many keys may still be looked at
	ctx                 context.Context
}

// A scope is what a comprehension evaluates for each item.
type scope struct {
	loop, step int64
	names      []string
	around     *scope
	now        *frame // the current turn
}

func newExplainer(text string, tree *ast.AST) *explainer {
	x := &explainer{tree: tree, parts: map[int64]ast.Expr{}, scopes: map[int64]*scope{}, loops: map[int64]*scope{},
		steps: map[int64]*scope{}, root: newFrame(nil, nil), adapter: types.DefaultTypeAdapter,
		vars: cel.NoVars(), sorts: maxSorted}
	x.places = newPlaces(syntax.Tokens(text), text, tree.SourceInfo())
	x.enter(tree.Expr(), nil)
	return x
}

// enter notes an expression and those within.
func (x *explainer) enter(e ast.Expr, s *scope) {
	x.parts[e.ID()], x.scopes[e.ID()] = e, s
	if e.Kind() != ast.ComprehensionKind {
		for _, o := range operands(e) {
			x.enter(o, s)
		}
		return
	}
	c := e.AsComprehension()
	inner := &scope{loop: e.ID(), step: c.LoopStep().ID(), names: []string{c.IterVar()}, around: s}
	if c.HasIterVar2() {
		inner.names = append(inner.names, c.IterVar2())
	}
	x.loops[e.ID()], x.steps[inner.step] = inner, inner
	for _, o := range []ast.Expr{c.IterRange(), c.AccuInit(), c.Result()} {
		x.enter(o, s)
	}
	x.enter(c.LoopCondition(), inner)
	x.enter(c.LoopStep(), inner)
}

// operands are the expressions directly within one that is no comprehension.
func operands(e ast.Expr) (all []ast.Expr) {
	switch e.Kind() {
	case ast.CallKind:
		if e.AsCall().IsMemberFunction() {
			all = append(all, e.AsCall().Target())
		}
		return append(all, e.AsCall().Args()...)
	case ast.SelectKind:
		return []ast.Expr{e.AsSelect().Operand()}
	case ast.ListKind:
		return e.AsList().Elements()
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			all = append(all, entry.AsMapEntry().Key(), entry.AsMapEntry().Value())
		}
	case ast.StructKind:
		for _, field := range e.AsStruct().Fields() {
			all = append(all, field.AsStructField().Value())
		}
	}
	return all
}

// written returns the expressions within one as they were written: those evaluated with it, and those evaluated for
// each item of a loop. Of what only reads, which is not broken, these are the keys.
func (x *explainer) written(e ast.Expr, broken bool) (direct, looped []ast.Expr) {
	call, isMacro := x.tree.SourceInfo().GetMacroCall(e.ID())
	switch {
	case !isMacro && reads(e) && !broken:
		return keys(e), nil
	case !isMacro:
		return x.terms(e), nil
	}
	inner := x.loops[e.ID()]
	all := operands(call)
	if inner != nil { // the names of items are no parts
		all = slices.Delete(slices.Clone(all), 1, 1+len(inner.names))
	}
	for _, o := range all {
		for _, is := range x.evaluated(o) {
			if inner != nil && x.scopes[is.ID()] == inner {
				looped = append(looped, is)
			} else {
				direct = append(direct, is)
			}
		}
	}
	return direct, looped
}

// evaluated returns the expressions of the tree that an operand of a macro became.
func (x *explainer) evaluated(e ast.Expr) (all []ast.Expr) {
	if is := x.parts[e.ID()]; is != nil {
		return []ast.Expr{is}
	}
	for _, o := range operands(e) {
		all = append(all, x.evaluated(o)...)
	}
	return all
}

// terms are the operands of an expression. Those of a chain of && or || are all of the chain's.
func (x *explainer) terms(e ast.Expr) []ast.Expr {
	all := operands(e)
	function := logic(e)
	if function == "" {
		return all
	}
	var terms []ast.Expr
	for _, o := range all {
		if _, isMacro := x.tree.SourceInfo().GetMacroCall(o.ID()); !isMacro && logic(o) == function {
			terms = append(terms, x.terms(o)...)
		} else {
			terms = append(terms, o)
		}
	}
	return terms
}
