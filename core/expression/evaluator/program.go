package evaluator

import (
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/ext"
	"github.com/google/cel-go/interpreter"
)

// planning is the environment in which programs are made of expressions that environment has checked. Each
// program has a table of all functions of its environment, which would take ten times as much memory as what
// most rules do. So this one has those libraries only that change how programs are made, and a program gets the
// functions that its expression calls.
var planning = sync.OnceValue(func() *cel.Env {
	env, err := cel.NewCustomEnv(cel.OptionalTypes(), ext.Sets(), ext.Lists(ext.ListsVersion(3)))
	if err != nil {
		panic(err) // the options are all here
	}
	return env
})

// bindings are the implementations of the functions that planning does not have, by the functions' names.
var bindings = sync.OnceValue(func() map[string][]*functions.Overload {
	all := map[string][]*functions.Overload{}
	for name, f := range patching().Functions() { // which has all others, too
		if planning().HasFunction(name) {
			continue
		}
		found, err := f.Bindings()
		if err != nil {
			panic(err) // they are all here
		}
		all[name] = found
	}
	return all
})

// called returns the implementations of the functions that an expression calls.
func called(tree *ast.AST) []*functions.Overload {
	var all []*functions.Overload
	seen := map[string]bool{}
	ast.PostOrderVisit(tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.CallKind {
			return
		}
		if name := e.AsCall().FunctionName(); !seen[name] {
			seen[name] = true
			all = append(all, bindings()[name]...)
		}
	}))
	return all
}

// programOptions returns the options of the program of an expression, but for its costs.
func programOptions(tree *cel.Ast) []cel.ProgramOption {
	return []cel.ProgramOption{
		cel.Functions(called(tree.NativeRep())...),
		cel.InterruptCheckFrequency(100),
		cel.CustomDecorator(planPatterns),
		cel.CustomDecorator(boundCalls),
	}
}

// costOptions returns the options of a program whose costs are counted.
func costOptions() []cel.ProgramOption {
	return []cel.ProgramOption{
		cel.EvalOptions(cel.OptOptimize, cel.OptTrackCost),
		cel.CostLimit(callLimit),
		cel.CostTracking(cost{}),
		cel.CostTrackerOptions(interpreter.PresenceTestHasCost(false)),
	}
}
