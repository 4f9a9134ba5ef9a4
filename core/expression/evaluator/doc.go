// Package evaluator evaluates the CEL rules of custom resources' schemas (x-kubernetes-validations), and the CEL
// expressions of admission, with cel-go. It implements expression.Evaluator, which the server's binary of the page
// does not have, since cel-go is too large for it.
//
// It follows apiextensions-apiserver: which values a rule is about, what self and oldSelf are, how
// values become CEL's (types.go, value.go), which functions there are (the files named after their
// subject), cost limits (cost.go), and the texts of errors. core/conformance/upstream/celrules compares
// the two.
//
// What an evaluation came to in its parts (trace.go) is seen by a second one, if someone asks.
//
// The expressions of admission (unit.go) follow apiserver's plugins for policies and match conditions.
//
// Costs: a schema's rules are compiled once, and those of one schema at a time (turn.go);
// core/internal/structural limits what that takes. An evaluation is limited by CEL's cost units, and matching
// a pattern by the sizes of pattern and text.
package evaluator

import (
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/ext"

	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/internal/structural"
)

// Evaluator implements expression.Evaluator. The zero value is ready.
type Evaluator struct {
	// Watch is given each program that is evaluated, and returns the one to evaluate in its place, which has the same
	// results and costs. It is nil if nobody watches.
	Watch Watch
}

// A Watch is given the text of an expression, what it was compiled to, with the calls of its macros, and its program.
// again makes another program of it, without costs, with some options more.
type Watch func(text string, tree *cel.Ast, p cel.Program,
	again func(...cel.ProgramOption) (cel.Program, error)) (cel.Program, error)

// program makes the program of an expression that was compiled.
func (w Watch) program(plan *cel.Env, text string, tree *cel.Ast) (cel.Program, error) {
	p, err := plan.Program(tree, append(programOptions(tree), costOptions()...)...)
	if err != nil || w == nil {
		return p, err
	}
	return w(text, tree, p, func(more ...cel.ProgramOption) (cel.Program, error) {
		return plan.Program(tree, append(programOptions(tree), more...)...)
	})
}

var _ expression.Evaluator = Evaluator{}

// environment is what all rules have in common. It takes some milliseconds to make.
var environment = sync.OnceValue(func() *cel.Env {
	options := []cel.EnvOption{
		cel.HomogeneousAggregateLiterals(),
		cel.EagerlyValidateDeclarations(true),
		cel.DefaultUTCTimeZone(true),
		cel.CrossTypeNumericComparisons(true),
		cel.OptionalTypes(),
		cel.ParserExpressionSizeLimit(structural.MaxExpression),
		cel.CostEstimatorOptions(checker.PresenceTestHasCost(false)),
		cel.ASTValidators(cel.ValidateDurationLiterals(), cel.ValidateTimestampLiterals(),
			literalPatterns{}, cel.ValidateHomogeneousAggregateLiterals()),
		ext.Strings(ext.StringsVersion(2)), ext.Sets(), ext.TwoVarComprehensions(), ext.Lists(ext.ListsVersion(3)),
	}
	for _, functions := range [][]cel.EnvOption{lists, regexFunctions, urls, addresses, quantities, versions,
		formatFunctions(), authorizers} {
		options = append(options, functions...)
	}
	env, err := cel.NewEnv(options...)
	if err != nil {
		panic(err) // the options are all here
	}
	return env
})
