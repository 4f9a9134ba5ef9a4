package rules

import (
	"math"
	"regexp"
	"sync"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"

	"github.com/tabernetes/tabernetes/core/structural"
)

// CEL counts a match by the lengths of the text and of the pattern. How long it takes is
// told by the size of the program that the pattern compiles to, which x{1000} makes a
// thousand times as large: one call would take minutes before its cost is counted.

const (
	// stepsOfUnit is how many steps of a match cost a unit, if that is more than CEL's cost. Steps are the size of the
	// program times the length of the text.
	stepsOfUnit = 100
	// matchLimit is how many steps one match may take: more are beyond the limit of a
	// call, and nothing is matched to find that out.
	matchLimit = callLimit * stepsOfUnit
)

// tooCostly returns the error of a match that would take too long; nil if it would not.
func tooCostly(text, pattern string) ref.Val {
	if steps(text, pattern) > matchLimit {
		return types.NewErr("the regular expression takes too much work for a text of %d bytes", len(text))
	}
	return nil
}

func steps(text, pattern string) int {
	size := programs.size(pattern)
	if size > matchLimit {
		return math.MaxInt32
	}
	return size * (len(text) + 1)
}

// programs has the sizes of the programs of recent patterns.
var programs sizes

type sizes struct {
	sync.Mutex
	known map[string]int
}

// maxSizes limits how many sizes are kept; all are dropped when there are more.
const maxSizes = 256

func (s *sizes) size(pattern string) int {
	s.Lock()
	defer s.Unlock()
	if size, ok := s.known[pattern]; ok {
		return size
	}
	size := structural.ProgramSize(pattern)
	if len(s.known) >= maxSizes || s.known == nil {
		s.known = make(map[string]int, maxSizes)
	}
	s.known[pattern] = size
	return size
}

// guarded is the name of a call of matches that is guarded, by which cel-go does not
// take it for its own.
const guarded = "guarded matches"

// guardMatches puts the bound into each call of matches. A pattern that the rule spells
// out is compiled once, as cel-go does it.
func guardMatches(i interpreter.Interpretable) (interpreter.Interpretable, error) {
	call, ok := i.(interpreter.InterpretableCall)
	if !ok || call.Function() != "matches" || len(call.Args()) != 2 {
		return i, nil
	}
	var compiled *regexp.Regexp
	if constant, ok := call.Args()[1].(interpreter.InterpretableConst); ok {
		pattern, _ := constant.Value().Value().(string)
		var err error
		if compiled, err = regexp.Compile(pattern); err != nil {
			return nil, err
		}
	}
	return interpreter.NewCall(call.ID(), guarded, call.OverloadID(), call.Args(), func(values ...ref.Val) ref.Val {
		text, isText := values[0].(types.String)
		pattern, isPattern := values[1].(types.String)
		if isText && isPattern {
			if wrong := tooCostly(string(text), string(pattern)); wrong != nil {
				return wrong
			}
			if compiled != nil {
				return types.Bool(compiled.MatchString(string(text)))
			}
		}
		if m, ok := values[0].(traits.Matcher); ok {
			return m.Match(values[1])
		}
		return types.MaybeNoSuchOverloadErr(values[0])
	}), nil
}
