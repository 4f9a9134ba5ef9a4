package structural

import (
	"iter"

	"github.com/tabernetes/tabernetes/core/internal/field"
)

// Anyone who may define resources may also write a schema and an object whose validation would take
// hours: a pattern with thousands of repetitions and a long text, or thousands of schemas for each
// item of a long list. So the work for one object is limited.

// Work is the budget of one validation, in steps of some nanoseconds.
const Work = 100_000_000

// The steps of each kind of work.
const (
	stepsOfVisit     = 50  // checking a value against a schema, besides what follows
	stepsOfWords     = 500 // a violation
	stepsOfViolation = 10  // a byte of its message, which is written several times
)

// A Budget is the amount of work that is left. Nil is unlimited.
type Budget struct{ left int }

// NewBudget returns the budget of one validation.
func NewBudget() *Budget { return &Budget{Work} }

// spend takes from the budget, and reports whether it was enough.
func (b *Budget) spend(steps int) bool {
	if b == nil {
		return true
	}
	b.left = max(b.left-steps, -1)
	return b.left >= 0
}

// Spent reports whether nothing is left.
func (b *Budget) Spent() bool { return b != nil && b.left < 0 }

// exceeded returns the error for an object that exceeds the budget, instead of all others.
func exceeded(at field.Path) field.ErrorList {
	if at == "" {
		at = "<nil>" // as for all errors of whole objects
	}
	return field.ErrorList{field.Invalid(at, field.Omitted,
		"validation of this object needs too much work: make it smaller, or simplify the patterns, enums and "+
			"combinations of its schema")}
}

// Visit spends what checking a part of a schema costs: for an invalid schema, the path of the part is made
// about as often as there are rules for it. It reports whether the budget was enough.
func (b *Budget) Visit(at field.Path) bool { return b.spend(stepsOfVisit + rulesOfPart*len(at)) }

const rulesOfPart = 20

// TooMuch returns the error for a schema that exceeds the budget, instead of all others.
func TooMuch(at field.Path) field.ErrorList {
	return field.ErrorList{field.Invalid(at, field.Omitted,
		"checking this schema needs too much work: it has errors in many places with long names; correct some of them, "+
			"or shorten the names")}
}

// within ranges over schemas until the budget is spent.
func within(b *Budget, list []*Schema) iter.Seq2[int, *Schema] {
	return func(yield func(int, *Schema) bool) {
		for i, s := range list {
			if b.Spent() || !yield(i, s) {
				return
			}
		}
	}
}
