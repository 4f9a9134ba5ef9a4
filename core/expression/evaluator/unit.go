package evaluator

import (
	"context"
	"fmt"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"

	"github.com/tabernetes/tabernetes/core/expression"
)

// maxUnitExpression is how long an expression of a unit may be, in characters, as in the real server.
const maxUnitExpression = 100_000

// variablesName is the name of the type of variables.
const variablesName = "kubernetes.variables"

// A unit is a compiled one.
type unit struct {
	expressions []unitProgram
	variables   map[string]*unitProgram
	// traced returns the same, whose programs are.
	traced func(context.Context) (*unit, error)
}

var _ expression.Compiled = (*unit)(nil)

// A unitProgram is a compiled expression, or the problem that it has instead.
type unitProgram struct {
	text    string
	returns expression.Type
	program cel.Program
	problem string
}

// CompileUnit implements expression.Evaluator.
func (e Evaluator) CompileUnit(ctx context.Context, u *expression.Unit) (expression.Compiled, []expression.Problem,
	error) {
	made, problems, err := newUnit(ctx, u, watching{watch: e.Watch})
	if err != nil {
		return nil, nil, err
	}
	var mu sync.Mutex
	var known *unit
	made.traced = func(ctx context.Context) (_ *unit, err error) {
		mu.Lock()
		defer mu.Unlock()
		if known == nil {
			known, _, err = newUnit(ctx, u, watching{watch: e.Watch, traced: true})
		}
		return known, err
	}
	return made, problems, nil
}

func newUnit(ctx context.Context, u *expression.Unit, w watching) (*unit, []expression.Problem, error) {
	leave, err := enter(ctx, workOf(u))
	if err != nil {
		return nil, nil, err
	}
	defer leave()
	c, err := newUnitCompilation(u, w)
	if err != nil {
		return nil, nil, fmt.Errorf("making the environment of expressions: %w", err)
	}
	made := &unit{variables: map[string]*unitProgram{}}
	var problems []expression.Problem
	for i, v := range u.Variables {
		p, t, internal := c.compile(expression.Expression{Text: v.Expression})
		c.variables.fields[v.Name] = &declared{Type: variableType(t)}
		made.variables[v.Name] = &p
		if p.problem != "" {
			problems = append(problems, expression.Problem{Variable: true, Index: i, Message: p.problem, Internal: internal})
		}
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
	}
	for i, e := range u.Expressions {
		p, _, internal := c.compile(e)
		made.expressions = append(made.expressions, p)
		if p.problem != "" {
			problems = append(problems, expression.Problem{Index: i, Message: p.problem, Internal: internal})
		}
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
	}
	return made, problems, nil
}

// workOf returns about how much work it is to compile a unit, in that of structural.RuleWork.
func workOf(u *expression.Unit) (work int64) {
	add := func(text string) { work += int64(len(text))*1000 + int64(len(text))*int64(len(text)) }
	for _, v := range u.Variables {
		add(v.Expression)
	}
	for _, e := range u.Expressions {
		add(e.Text)
	}
	return work
}

// A unitCompilation compiles the expressions of a unit.
type unitCompilation struct {
	variables *declared
	plan      *cel.Env
	env       *cel.Env // without the authorizer
	asking    *cel.Env // with it, if the unit has it
	// typed reports that types are checked, and nothing is evaluated.
	typed bool
	watch watching
	known *provider
}

func newUnitCompilation(u *expression.Unit, w watching) (c unitCompilation, err error) {
	c.watch = w
	base := environment()
	if u.Patches {
		base = patching()
	}
	c.variables = structOf(variablesName, map[string]*declared{})
	known := &provider{base.CELTypeProvider(), map[string]*declared{}}
	object, params := declareWhole(u.ObjectType), declareWhole(u.ParamsType)
	for _, d := range []*declared{requestType(), namespaceType(), c.variables, object, params} {
		known.add(d)
	}
	var types types.Provider = known
	if u.Patches {
		types = mutationProvider{types}
	}
	c.known = known
	options := w.with(cel.CustomTypeProvider(types), cel.ParserExpressionSizeLimit(maxUnitExpression))
	for _, name := range u.Names {
		options = append(options, cel.Variable(name, cel.DynType))
	}
	if u.Names == nil {
		options = append(options, cel.Variable("object", object.orAny()), cel.Variable("oldObject", object.orAny()),
			cel.Variable("namespaceObject", namespaceType().Type), cel.Variable("request", requestType().Type))
	}
	if u.Params {
		options = append(options, cel.Variable("params", params.orAny()))
	}
	if u.Composed || len(u.Variables) > 0 {
		options = append(options, cel.Variable("variables", c.variables.Type))
	}
	if c.plan, err = planning().Extend(cel.CustomTypeProvider(types)); err != nil {
		return c, err
	}
	if c.env, err = base.Extend(options...); err != nil {
		return c, err
	}
	c.asking, c.typed = c.env, u.ObjectType != nil
	switch {
	case c.typed && u.Authorizer:
		c.asking, err = c.env.Extend(cel.Variable("authorizer", authorizerBox.Type))
	case u.Authorizer && u.Names != nil:
		c.asking, err = c.env.Extend(cel.Variable("authorizer", authorizerBox.Type))
	case u.Authorizer:
		c.asking, err = c.env.Extend(cel.Variable("authorizer", authorizerBox.Type),
			cel.Variable("authorizer.requestResource", resourceCheckBox.Type))
	}
	return c, err
}

// returnTypes are the types of CEL that an expression may have; none: all.
var returnTypes = map[expression.Type][]*cel.Type{
	expression.Bool:               {cel.BoolType},
	expression.String:             {cel.StringType},
	expression.StringOrNull:       {cel.StringType, cel.NullType},
	expression.ApplyConfiguration: {objectType},
	expression.JSONPatches:        {cel.ListType(patchType)},
}

// compile compiles an expression, and returns its type.
func (c *unitCompilation) compile(e expression.Expression) (p unitProgram, t *cel.Type, internal bool) {
	p.text, p.returns = e.Text, e.Returns
	env := c.asking
	if e.NoAuthorizer {
		env = c.env
	}
	tree, issues := env.Compile(e.Text)
	if issues.Err() != nil {
		p.problem = issues.String()
		if !c.typed {
			p.problem = "compilation failed: " + p.problem
		}
		return p, nil, false
	}
	t = tree.OutputType()
	if c.typed {
		return p, t, false
	}
	if p.problem = wrongReturn(t, returnTypes[e.Returns]); p.problem != "" {
		return p, nil, false
	}
	program, err := c.watch.program(c.plan, e.Text, tree)
	if err != nil {
		p.problem = "program instantiation failed: " + err.Error()
		return p, nil, true
	}
	p.program = program
	return p, t, false
}

// wrongReturn says what is wrong with a type if it is not one of some.
func wrongReturn(is *cel.Type, may []*cel.Type) string {
	for _, t := range may {
		if is.IsExactType(t) {
			return ""
		}
	}
	switch len(may) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("must evaluate to %v but got %v", may[0], is)
	}
	return fmt.Sprintf("must evaluate to one of %v but got %v", may, is)
}
