package evaluator

import (
	"regexp"
	"regexp/syntax"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"

	"github.com/tabernetes/tabernetes/core/internal/structural"
)

// CEL counts a match by the lengths of the text and of the pattern. How long it takes
// depends on the size of the program that the pattern compiles to, which x{1000} makes a
// thousand times as large: one call would take minutes before its cost is counted.

const (
	// stepsOfUnit is how many steps of a match cost a unit, if that is more than CEL's cost. Steps are the size of the
	// program times the length of the text.
	stepsOfUnit = 100
	// matchLimit is how many steps one match may take: more are beyond the limit of a
	// call, and nothing is matched to find that out.
	matchLimit = callLimit * stepsOfUnit
)

// tooCostly returns the error of a match that would take too long, or whose pattern is larger than those of schemas may
// be; nil if it is neither.
func tooCostly(text, source string) ref.Val {
	if size := patterns.get(source).size; size > structural.MaxProgram || size*(len(text)+1) > matchLimit {
		return types.NewErr("the regular expression takes too much work for a text of %d bytes", len(text))
	}
	return nil
}

// steps returns how many steps it takes to match a text against a pattern.
func steps(text, source string) int {
	return min(patterns.get(source).size, structural.MaxProgram) * (len(text) + 1)
}

// patterns has recent patterns: those that rules spell out as well, for an instruction takes some hundred times as much
// memory as a byte of a rule.
var patterns patternCache

// A patternCache keeps patterns of at most structural.MaxPrograms instructions together; all are dropped when there are
// more.
type patternCache struct {
	sync.Mutex
	known map[string]*knownPattern
	size  int
}

type knownPattern struct {
	size    int                            // the number of instructions
	compile func() (*regexp.Regexp, error) // to be called if the size is at most structural.MaxProgram
}

// leastSize is the size that a pattern counts at the least.
const leastSize = 100

func (c *patternCache) get(source string) *knownPattern {
	c.Lock()
	defer c.Unlock()
	if p := c.known[source]; p != nil {
		return p
	}
	p := &knownPattern{structural.ProgramSize(source), sync.OnceValues(func() (*regexp.Regexp, error) {
		return regexp.Compile(source)
	})}
	takes := max(leastSize, p.size, len(source))
	if takes > structural.MaxPrograms {
		return p
	}
	if c.size += takes; c.size > structural.MaxPrograms || c.known == nil {
		c.known, c.size = map[string]*knownPattern{}, takes
	}
	c.known[source] = p
	return p
}

// guarded is the name of a call of matches that is guarded, by which cel-go does not
// take it for its own.
const guarded = "guarded matches"

// planPatterns puts the bound into each call of matches, and plans calls with a pattern that is known before they are
// evaluated as the real server does: if the text is an error, there is no call, which counts in costs.
func planPatterns(i interpreter.Interpretable) (interpreter.Interpretable, error) {
	call, ok := i.(interpreter.InterpretableCall)
	if !ok || len(call.Args()) < 2 {
		return i, nil
	}
	pattern, known := call.Args()[1].(interpreter.InterpretableConst)
	switch call.Function() {
	case "matches":
		if len(call.Args()) != 2 {
			return i, nil
		}
		if !known {
			return &matchCall{call}, nil
		}
		return interpreter.NewCall(call.ID(), guarded, call.OverloadID(), call.Args(), match), nil
	case "find", "findAll":
		if !known {
			return i, nil
		}
		source, _ := pattern.Value().Value().(string)
		if known := patterns.get(source); known.size <= structural.MaxProgram {
			if _, err := known.compile(); err != nil {
				return nil, err
			}
		}
		implementation := find
		if call.Function() == "findAll" {
			implementation = findAll
		}
		return interpreter.NewCall(call.ID(), call.Function(), call.OverloadID(), call.Args(), implementation), nil
	}
	return i, nil
}

// match matches a text against a pattern.
func match(values ...ref.Val) ref.Val {
	text, isText := values[0].(types.String)
	source, isPattern := values[1].(types.String)
	if isText && isPattern {
		if wrong := tooCostly(string(text), string(source)); wrong != nil {
			return wrong
		}
		if compiled, err := patterns.get(string(source)).compile(); err == nil {
			return types.Bool(compiled.MatchString(string(text)))
		}
	}
	if m, ok := values[0].(traits.Matcher); ok {
		return m.Match(values[1])
	}
	return types.MaybeNoSuchOverloadErr(values[0])
}

// A matchCall is a guarded call of matches whose pattern is computed. All arguments are evaluated, also after an error.
type matchCall struct{ interpreter.InterpretableCall }

func (c *matchCall) Function() string { return guarded }

func (c *matchCall) Eval(in interpreter.Activation) ref.Val {
	text, pattern := c.Args()[0].Eval(in), c.Args()[1].Eval(in)
	for _, v := range []ref.Val{text, pattern} {
		if types.IsUnknownOrError(v) {
			return v
		}
	}
	return types.LabelErrNode(c.ID(), match(text, pattern))
}

// literalPatterns checks the patterns that an expression spells out. It replaces cel.ValidateRegexLiterals, which
// compiles them: one of 3,000 characters may take a hundred megabytes.
type literalPatterns struct{}

// Name implements cel.ASTValidator.
func (literalPatterns) Name() string { return "cel.validator.matches" }

// Validate implements cel.ASTValidator.
func (literalPatterns) Validate(_ *cel.Env, _ cel.ValidatorConfig, a *ast.AST, issues *cel.Issues) {
	for _, call := range ast.MatchDescendants(ast.NavigateAST(a), ast.FunctionMatcher("matches")) {
		all := call.AsCall().Args()
		if len(all) == 0 || all[0].Kind() != ast.LiteralKind {
			continue
		}
		source, _ := all[0].AsLiteral().Value().(string)
		if _, err := syntax.Parse(source, syntax.Perl); err != nil {
			issues.ReportErrorAtID(all[0].ID(), "invalid matches argument")
		} else if size := structural.ProgramSize(source); size > structural.MaxProgram {
			issues.ReportErrorAtID(all[0].ID(), "%s", structural.TooLarge(size, structural.MaxProgram))
		}
	}
}
