package structural

import "github.com/tabernetes/tabernetes/core/field"

// Whoever may define resources may also write a schema and an object that take hours to
// be held against each other: a pattern with thousands of repetitions and a long text, or
// thousands of schemas for each item of a long list. So there is an end to the work that
// is done for one object.

// Work is what one validation may cost, in steps of some nanoseconds.
const Work = 100_000_000

// What is counted for what.
const (
	stepsOfVisit = 50  // holding a value against a schema, besides what follows
	stepsOfWords = 500 // finding that something is wrong, and saying it
	stepsOfFault = 10  // a byte of that, which is written several times
)

// A Budget is how much work may still be done. Nil is no end of it.
type Budget struct{ left int }

// NewBudget returns what one validation may cost.
func NewBudget() *Budget { return &Budget{Work} }

// spend takes from what is left, and says whether there was enough.
func (b *Budget) spend(steps int) bool {
	if b == nil {
		return true
	}
	b.left = max(b.left-steps, -1)
	return b.left >= 0
}

// spent reports whether nothing is left.
func (b *Budget) spent() bool { return b != nil && b.left < 0 }

// exceeded returns what is said of an object instead of all else that might be wrong with it.
func exceeded(at field.Path) field.ErrorList {
	if at == "" {
		at = "<nil>" // as of all errors of whole objects
	}
	return field.ErrorList{field.Invalid(at, field.Omitted,
		"validation of this object needs too much work: make it smaller, or simplify the patterns, enums and "+
			"combinations of its schema")}
}
