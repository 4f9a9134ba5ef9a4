// Package coverage counts what the expressions of policies and rules have come to, and their parts: which conditions
// were never true, never false or never evaluated.
//
// Invariant: watching changes neither results nor costs: what is counted is a second evaluation.
//
// It costs that evaluation, and memory for each text of an expression.
package coverage

import (
	"context"
	"slices"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
	"github.com/google/cel-go/parser"
)

// A Counter counts. The zero value is ready, and safe for concurrent use.
type Counter struct {
	mu    sync.Mutex
	texts map[string]*Expression
}

// An Expression is what the evaluations of a text have come to.
type Expression struct {
	// Evaluations is how often it was evaluated, and Errors how often that failed.
	Evaluations int `json:"evaluations"`
	Errors      int `json:"errors,omitempty"`
	// MaxCost is the most that an evaluation has cost, in CEL's cost units, without variables.
	MaxCost uint64 `json:"maxCost"`
	// Conditions are the parts that decide: operands of && and ||, what is before a question mark, what loops ask of
	// their items; the whole, if it is a bool and has no such operands. They are in the order of the text.
	Conditions []Condition `json:"conditions,omitempty"`
}

// A Condition is a part of an expression that is true or false.
type Condition struct {
	Text string `json:"text"`
	// True and False are how often it was that, in loops too.
	True  int `json:"true"`
	False int `json:"false"`
}

// Problem says what a condition never was, or "".
func (c *Condition) Problem() string {
	switch {
	case c.True == 0 && c.False == 0:
		return "never evaluated"
	case c.True == 0:
		return "never true"
	case c.False == 0:
		return "never false"
	}
	return ""
}

// Of returns what was counted of a text; the zero value if it was never compiled.
func (c *Counter) Of(text string) Expression {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.texts[text]
	if e == nil {
		return Expression{}
	}
	found := *e
	found.Conditions = slices.Clone(e.Conditions)
	return found
}

// Watch is an evaluator.Watch.
func (c *Counter) Watch(text string, tree *cel.Ast, p cel.Program,
	again func(...cel.ProgramOption) (cel.Program, error)) (cel.Program, error) {
	parts := conditions(tree)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.texts == nil {
		c.texts = map[string]*Expression{}
	}
	e := c.texts[text]
	if e == nil || len(e.Conditions) != len(parts) { // in another environment, a part may have another type
		e = &Expression{}
		for _, part := range parts {
			shown, err := cel.ExprToString(part, tree.NativeRep().SourceInfo())
			if err != nil {
				return nil, err
			}
			e.Conditions = append(e.Conditions, Condition{Text: shown})
		}
		c.texts[text] = e
	}
	places := map[int64]int{}
	for i, part := range parts {
		places[part.ID()] = i
	}
	second, err := again(cel.CustomDecorator(func(i interpreter.Interpretable) (interpreter.Interpretable, error) {
		place, ok := places[i.ID()]
		if !ok {
			return i, nil
		}
		return watched(i, func(v ref.Val) ref.Val {
			if b, ok := v.(types.Bool); ok {
				c.mu.Lock()
				defer c.mu.Unlock()
				if b {
					e.Conditions[place].True++
				} else {
					e.Conditions[place].False++
				}
			}
			return v
		}), nil
	}))
	return &program{p, second, c, e}, err
}

// A program is evaluated twice: as it was made, and to count.
type program struct {
	cel.Program
	second  cel.Program
	counter *Counter
	e       *Expression
}

// Eval implements cel.Program.
func (p *program) Eval(vars any) (ref.Val, *cel.EvalDetails, error) {
	return p.ContextEval(context.Background(), vars)
}

// ContextEval implements cel.Program.
func (p *program) ContextEval(ctx context.Context, vars any) (ref.Val, *cel.EvalDetails, error) {
	v, details, err := p.Program.ContextEval(ctx, vars)
	p.counter.mu.Lock()
	p.e.Evaluations++
	if err != nil {
		p.e.Errors++
	}
	if details != nil && details.ActualCost() != nil {
		p.e.MaxCost = max(p.e.MaxCost, *details.ActualCost())
	}
	p.counter.mu.Unlock()
	_, _, _ = p.second.ContextEval(ctx, vars) // which comes to the same
	return v, details, err
}

// watched returns what is evaluated in the place of a part: note is given the result.
func watched(i interpreter.Interpretable, note func(ref.Val) ref.Val) interpreter.Interpretable {
	switch i := i.(type) {
	case interpreter.InterpretableConst:
		return i
	case interpreter.InterpretableAttribute:
		return &attribute{i, note}
	case interpreter.InterpretableCall:
		return &call{i, note}
	}
	return &other{i, note}
}

type attribute struct {
	interpreter.InterpretableAttribute
	note func(ref.Val) ref.Val
}

// Eval implements interpreter.Interpretable, here and below.
func (a *attribute) Eval(vars interpreter.Activation) ref.Val {
	return a.note(a.InterpretableAttribute.Eval(vars))
}

type call struct {
	interpreter.InterpretableCall
	note func(ref.Val) ref.Val
}

func (c *call) Eval(vars interpreter.Activation) ref.Val {
	return c.note(c.InterpretableCall.Eval(vars))
}

type other struct {
	interpreter.Interpretable
	note func(ref.Val) ref.Val
}

func (o *other) Eval(vars interpreter.Activation) ref.Val { return o.note(o.Interpretable.Eval(vars)) }

// conditions returns the parts of an expression that decide.
func conditions(tree *cel.Ast) []ast.Expr {
	f := &finder{tree: tree.NativeRep()}
	f.visit(f.tree.Expr(), f.isBool(f.tree.Expr()))
	return f.found
}

type finder struct {
	tree  *ast.AST
	found []ast.Expr
}

func (f *finder) isBool(e ast.Expr) bool { return f.tree.GetType(e.ID()).Kind() == types.BoolKind }

// visit looks for conditions in a part; decides is whether it is one itself, as far as it is no logic of others.
func (f *finder) visit(e ast.Expr, decides bool) {
	var operands []ast.Expr
	if e.Kind() == ast.CallKind {
		operands = e.AsCall().Args()
		switch e.AsCall().FunctionName() {
		case operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot:
			for _, o := range operands {
				f.visit(o, true)
			}
			return
		case operators.Conditional:
			f.visit(operands[0], true)
			for _, o := range operands[1:] {
				f.visit(o, f.isBool(o))
			}
			return
		}
		if e.AsCall().IsMemberFunction() {
			operands = append([]ast.Expr{e.AsCall().Target()}, operands...)
		}
	}
	if decides && e.Kind() != ast.LiteralKind && !isResult(e) {
		f.found = append(f.found, e)
	}
	switch e.Kind() {
	case ast.SelectKind:
		operands = []ast.Expr{e.AsSelect().Operand()}
	case ast.ListKind:
		operands = e.AsList().Elements()
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			operands = append(operands, entry.AsMapEntry().Key(), entry.AsMapEntry().Value())
		}
	case ast.StructKind:
		for _, field := range e.AsStruct().Fields() {
			operands = append(operands, field.AsStructField().Value())
		}
	case ast.ComprehensionKind:
		operands = []ast.Expr{e.AsComprehension().IterRange(), e.AsComprehension().LoopStep()}
	}
	for _, o := range operands {
		f.visit(o, false)
	}
}

// isResult reports whether a part is the result so far of a loop, which is written nowhere.
func isResult(e ast.Expr) bool {
	return e.Kind() == ast.IdentKind &&
		(e.AsIdent() == parser.AccumulatorName || e.AsIdent() == parser.HiddenAccumulatorName)
}
