package evaluator

import (
	"context"
	"slices"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"
)

// What is kept of an evaluation: so many values are observed until it is stopped, so many turns are kept of a loop and
// the last, and so many of all.
const (
	maxEvents = 200_000
	maxTurns  = 20
	maxFrames = 2000
)

// A frame is the values of parts, by their ids: of one turn of a loop, or of what is in none.
type frame struct {
	scope  *scope
	around *frame
	items  []ref.Val
	values map[int64]ref.Val
	loops  map[int64]*loop
}

// A loop is the turns of a comprehension.
type loop struct {
	turns []*frame
	more  int
}

func newFrame(s *scope, around *frame) *frame {
	return &frame{scope: s, around: around, values: map[int64]ref.Val{}, loops: map[int64]*loop{}}
}

// errEnough stops an evaluation of which enough was seen.
var errEnough = interpreter.EvalCancelledError{Message: "enough was observed"}

// observe evaluates the expression, with cel-go's observer of all of its parts.
func (x *explainer) observe(ctx context.Context, plan *cel.Env, vars interpreter.Activation) {
	x.ctx, x.vars, x.adapter = ctx, vars, plan.CELTypeAdapter()
	d := interpreter.NewDispatcher()
	for _, f := range plan.Functions() {
		found, err := f.Bindings()
		if err != nil || d.Add(found...) != nil {
			return
		}
	}
	if d.Add(called(x.tree)...) != nil {
		return
	}
	provider := plan.CELTypeProvider()
	made, err := interpreter.NewInterpreter(d, plan.Container, provider, x.adapter,
		interpreter.NewAttributeFactory(plan.Container, x.adapter, provider)).NewInterpretable(x.tree,
		interpreter.CustomDecorator(planPatterns), interpreter.CustomDecorator(boundCalls),
		interpreter.CustomDecorator(lazily), interpreter.CustomDecorator(x.decorate),
		interpreter.EvalStateObserver(interpreter.EvalStateFactory(func() interpreter.EvalState { return observations{x} })))
	if err != nil {
		return
	}
	// Of an evaluation that ends so, what was observed is kept: cel-go's own programs have errors in the place of panics,
	// and a request that is tried ends as it would by itself.
	defer func() { _ = recover() }()
	made.Eval(vars)
}

// observations is an EvalState that keeps more than the last value of each part.
type observations struct{ x *explainer }

// IDs implements interpreter.EvalState, as the other methods do.
func (o observations) IDs() []int64 { return nil }

func (o observations) Value(id int64) (ref.Val, bool) {
	v, ok := o.x.root.values[id]
	return v, ok
}

func (o observations) Reset() {}

func (o observations) SetValue(id int64, v ref.Val) {
	x := o.x
	if x.events++; x.events > maxEvents || x.events%1000 == 0 && x.ctx.Err() != nil {
		panic(errEnough)
	}
	s, known := x.scopes[id]
	if !known || v == nil {
		return
	}
	x.frame(s).values[id] = v
	if s != nil && id == s.step {
		x.turned(s)
	}
	if inner := x.loops[id]; inner != nil {
		inner.now = nil // the condition may have begun a turn that did not come
	}
}

// frame returns the current one of a scope.
func (x *explainer) frame(s *scope) *frame {
	if s == nil {
		return x.root
	}
	if s.now == nil {
		s.now = newFrame(s, x.frame(s.around))
	}
	return s.now
}

// turned keeps a turn of a loop.
func (x *explainer) turned(s *scope) {
	around := x.frame(s.around)
	l := around.loops[s.loop]
	if l == nil {
		l = &loop{}
		around.loops[s.loop] = l
	}
	switch {
	case len(l.turns) < maxTurns && x.kept < maxFrames:
		l.turns = append(l.turns, s.now)
		x.kept++
	case len(l.turns) > 0:
		l.turns[len(l.turns)-1] = s.now
		l.more++
	default:
		l.more++
	}
	s.now = nil
}

// decorate has the items of loops noted.
func (x *explainer) decorate(i interpreter.Interpretable) (interpreter.Interpretable, error) {
	if s := x.steps[i.ID()]; s != nil {
		return &step{i, x, s}, nil
	}
	return i, nil
}

// lazily plans or and orValue of optional values as cel-go's programs do: what they are given is evaluated only if
// there is no value, and what is not optional is its own value.
func lazily(i interpreter.Interpretable) (interpreter.Interpretable, error) {
	call, ok := i.(interpreter.InterpretableCall)
	if !ok || len(call.Args()) != 2 {
		return i, nil
	}
	switch overload := call.OverloadID(); call.Function() {
	case "or":
		ok = overload == "" || overload == "optional_or_optional"
	case "orValue":
		ok = overload == "" || overload == "optional_orValue_value"
	default:
		ok = false
	}
	if !ok {
		return i, nil
	}
	return &alternative{call}, nil
}

type alternative struct{ interpreter.InterpretableCall }

// Eval implements interpreter.Interpretable.
func (a *alternative) Eval(vars interpreter.Activation) ref.Val {
	v := a.Args()[0].Eval(vars)
	optional, ok := v.(*types.Optional)
	switch {
	case !ok:
		return v
	case !optional.HasValue():
		return a.Args()[1].Eval(vars)
	case a.Function() == "or":
		return optional
	}
	return optional.GetValue()
}

// A step is the part of a comprehension that is evaluated for each item.
type step struct {
	interpreter.Interpretable
	x *explainer
	s *scope
}

// Eval implements interpreter.Interpretable.
func (s *step) Eval(vars interpreter.Activation) ref.Val {
	f := s.x.frame(s.s)
	f.items = nil
	for _, name := range s.s.names {
		v, _ := vars.ResolveName(name)
		f.items = append(f.items, s.x.adapter.NativeToValue(v))
	}
	return s.Interpretable.Eval(vars)
}

// part makes the part of an expression in a frame, whose value may be known although cel-go did not show it; nil if
// nothing can be said of it.
func (x *explainer) part(e ast.Expr, f *frame, known ref.Val) *shown {
	if e.Kind() == ast.LiteralKind || x.shown >= maxParts {
		return nil
	}
	x.shown++
	p := &shown{e: e, v: known}
	p.Start, p.End = x.places.of(e)
	if v := f.values[e.ID()]; v != nil {
		p.v = v
	}
	p.Type = x.typeName(e.ID(), p.v)
	switch v := p.v.(type) {
	case nil, *types.Unknown:
		p.Unevaluated = true
	case *types.Err:
		p.Error = errorText(v)
	default:
		p.Value = x.text(v)
	}
	direct, looped := x.written(e, p.Error != "")
	for _, o := range direct {
		if inner := x.part(o, f, x.implied(e, p, o, f)); inner != nil {
			p.Parts = append(p.Parts, inner)
		}
	}
	if l := f.loops[e.ID()]; l != nil {
		p.More = l.more
		for _, in := range l.turns {
			p.Loop = append(p.Loop, x.turn(in, looped))
		}
	}
	return p
}

// turn makes a turn of a loop, of which some expressions were written.
func (x *explainer) turn(f *frame, looped []ast.Expr) *turn {
	t := &turn{}
	if n := len(f.items); n > 0 {
		t.Item = x.text(f.items[n-1])
		if n > 1 {
			t.Key = x.text(f.items[0])
		}
	}
	for _, e := range looped {
		if inner := x.part(e, f, nil); inner != nil {
			t.Parts = append(t.Parts, inner)
		}
		if v := f.values[e.ID()]; v != nil && !types.IsUnknownOrError(v) {
			t.Value = x.text(v)
		}
	}
	return t
}

// implied returns the value of an operand that cel-go evaluates without showing it: the variable that a field is of, a
// key, the branch that was taken.
func (x *explainer) implied(e ast.Expr, p *shown, o ast.Expr, f *frame) ref.Val {
	if p.Unevaluated || f.values[o.ID()] != nil {
		return nil
	}
	switch {
	case isConditional(e):
		args := e.AsCall().Args()
		if is := f.values[args[0].ID()]; is == types.True && o.ID() == args[1].ID() ||
			is == types.False && o.ID() == args[2].ID() {
			return p.v
		}
	case e.Kind() == ast.SelectKind, isIndex(e):
		return x.lookUp(o, f)
	}
	return nil
}

// lookUp returns the value of a variable, of a field of one, or of an item; nil if it is not known.
func (x *explainer) lookUp(e ast.Expr, f *frame) ref.Val {
	if v := f.values[e.ID()]; v != nil {
		return v
	}
	switch {
	case e.Kind() == ast.LiteralKind:
		return e.AsLiteral()
	case e.Kind() == ast.IdentKind:
		return x.variable(e.AsIdent(), f)
	case e.Kind() == ast.SelectKind && !e.AsSelect().IsTestOnly():
		return item(x.lookUp(e.AsSelect().Operand(), f), types.String(e.AsSelect().FieldName()))
	case isIndex(e) && e.AsCall().FunctionName() == operators.Index:
		return item(x.lookUp(e.AsCall().Args()[0], f), x.lookUp(e.AsCall().Args()[1], f))
	}
	return nil
}

func item(of, key ref.Val) ref.Val {
	from, ok := of.(traits.Indexer)
	if !ok || key == nil {
		return nil
	}
	if v := from.Get(key); !types.IsUnknownOrError(v) {
		return v
	}
	return nil
}

func (x *explainer) variable(name string, f *frame) ref.Val {
	for ; f != nil; f = f.around {
		if f.scope == nil {
			continue
		}
		if i := slices.Index(f.scope.names, name); i >= 0 && i < len(f.items) {
			return f.items[i]
		}
	}
	if v, ok := x.vars.ResolveName(name); ok {
		return x.adapter.NativeToValue(v)
	}
	return nil
}

// typeName returns the type of a part: that which was checked, or that of the value if any is possible.
func (x *explainer) typeName(id int64, v ref.Val) string {
	t := x.tree.GetType(id)
	if (t == nil || t.Kind() == types.DynKind) && v != nil && !types.IsUnknownOrError(v) {
		return v.Type().TypeName()
	}
	if t == nil {
		return ""
	}
	return cel.FormatCELType(t)
}

// logic returns the function of && and ||, "" for others.
func logic(e ast.Expr) string {
	if e.Kind() == ast.CallKind {
		if f := e.AsCall().FunctionName(); f == operators.LogicalAnd || f == operators.LogicalOr {
			return f
		}
	}
	return ""
}

func isConditional(e ast.Expr) bool {
	return e.Kind() == ast.CallKind && e.AsCall().FunctionName() == operators.Conditional
}

func isIndex(e ast.Expr) bool {
	if e.Kind() != ast.CallKind {
		return false
	}
	switch e.AsCall().FunctionName() {
	case operators.Index, operators.OptIndex, operators.OptSelect:
		return true
	}
	return false
}
