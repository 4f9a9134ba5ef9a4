package structural

import (
	"iter"
	"unicode/utf8"
)

// Compiling a CEL expression takes time that grows with the square of its length: for each call, the type
// checker of cel-go copies what it knows of the type parameters of all calls before it. The real server has
// that, too, and its limit of 100,000 characters allows half a minute for a rule. So rules are limited, on hosts
// without an evaluator as well.
const (
	// MaxExpression is the maximum length of an expression in a rule, in characters.
	MaxExpression = 5_000
	// MaxRuleWork is the maximum RuleWork of a definition: what takes about three seconds to compile, and a
	// tenth of that if the expressions are usual ones.
	MaxRuleWork = 100_000_000
)

// The work of compiling, in steps of some 30 nanoseconds. TestRuleWork of core/expression/evaluator measures it.
const (
	workOfCharacter  = 400 // besides the square of their number
	workOfExpression = 20_000
	workOfRules      = 10_000 // the environment that all rules of a schema have
	workOfType       = 60     // of each schema that is part of the type of self
)

// RuleWork returns the approximate work of compiling the rules in a schema and those within, in steps.
func RuleWork(tree map[string]any) int64 { return workOf(tree, false).work }

// RuleWork returns the RuleWork of the schema.
func (s *Schema) RuleWork() int64 { return RuleWork(s.tree) }

// TooManyRules returns why the rules in the schemas of a definition take too much work; empty if they do not.
func TooManyRules(trees ...map[string]any) string {
	var all int64
	for _, tree := range trees {
		if all += RuleWork(tree); all > MaxRuleWork {
			return "must have CEL rules that take less work to compile: shorten the longest, or have fewer of them"
		}
	}
	return ""
}

// ruleWork is what workOf finds.
type ruleWork struct {
	work    int64
	schemas int64 // how many there are
	// ruled is how many schemas with rules there are whose self is what the schema around is about.
	ruled int64
}

// workOf returns the work of a schema; nested says that it is below allOf, where self is that of the schema
// around.
func workOf(tree map[string]any, nested bool) ruleWork {
	w := ruleWork{schemas: 1}
	for key, part := range parts(tree) {
		inner := workOf(part, nested || key == "allOf")
		w.schemas += inner.schemas
		w.work += inner.work
		w.ruled += inner.ruled
	}
	if rules, _ := tree["x-kubernetes-validations"].([]any); len(rules) > 0 {
		w.ruled++
		w.work += workOfRules
		for text := range expressions(rules) {
			w.work += workOfText(text)
		}
	}
	if !nested {
		w.work += w.ruled * workOfType * w.schemas
		w.ruled = 0
	}
	return w
}

// expressions ranges over the expressions in rules, as a schema has them.
func expressions(rules []any) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, rule := range rules {
			r, _ := rule.(map[string]any)
			for _, key := range []string{"rule", "messageExpression"} {
				if text, _ := r[key].(string); text != "" && !yield(text) {
					return
				}
			}
		}
	}
}

// workOfText returns the work of compiling an expression; one that is too long is not compiled.
func workOfText(text string) int64 {
	n := int64(utf8.RuneCountInString(text))
	if n > MaxExpression {
		return workOfExpression
	}
	return workOfExpression + n*workOfCharacter + n*n
}
