package registry

import (
	"math"

	"github.com/tabernetes/tabernetes/core/internal/selector"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/schema"
)

// The terms under which the store finds objects are their labels, each with its value and with anyValue, and
// the fields of their type that are indexed. A selector asks for those that it requires; whether an object
// that has them is selected, the selector itself decides.

// anyValue stands for all values of a label: no label has it.
const anyValue = "*"

// Terms implements mvcc.Indexed.
func (a *attrs) Terms(f func(mvcc.Term)) {
	for _, label := range a.labels {
		f(mvcc.Term{Name: label.name, Value: label.value})
		f(mvcc.Term{Name: label.name, Value: anyValue})
	}
	for _, field := range a.fields[:a.indexed] {
		f(mvcc.Term{Name: field.name, Value: field.value})
	}
}

// HasTerm implements mvcc.Indexed.
func (a *attrs) HasTerm(t mvcc.Term) bool {
	if value, ok := a.label(t.Name); ok && (value == t.Value || t.Value == anyValue) {
		return true
	}
	for _, field := range a.fields[:a.indexed] {
		if field.name == t.Name && field.value == t.Value {
			return true
		}
	}
	return false
}

// NumTerms implements mvcc.Indexed.
func (a *attrs) NumTerms() int { return 2*len(a.labels) + a.indexed }

// rarest returns the list of terms that the fewest objects are likely to have: the shortest of those that name values.
func rarest(lists [][]mvcc.Term) (rare []mvcc.Term) {
	weight := func(list []mvcc.Term) int {
		if list[0].Value == anyValue {
			return math.MaxInt
		}
		return len(list)
	}
	for _, list := range lists {
		if len(list) > 0 && (rare == nil || weight(list) < weight(rare)) {
			rare = list
		}
	}
	return rare
}

// terms returns lists of terms: each selected object of a type has one of each list.
func (s Selection) terms(t *schema.Resource) (lists [][]mvcc.Term) {
	if t.Custom != nil && t.Custom.Converter != nil { // which may change labels
		return nil
	}
	for _, r := range s.Labels {
		var values []string
		switch r.Operator {
		case selector.Equals, selector.DoubleEquals, selector.In:
			values = r.Values
		case selector.Exists, selector.GreaterThan, selector.LessThan:
			values = []string{anyValue}
		default: // labels that an object does not have
			continue
		}
		list := make([]mvcc.Term, len(values))
		for i, value := range values {
			list[i] = mvcc.Term{Name: r.Key, Value: value}
		}
		lists = append(lists, list)
	}
	for _, r := range s.Fields {
		if r.Operator == selector.Equals && r.Value != "" && t.Custom == nil && FieldsOf(t).Indexed(r.Field) {
			lists = append(lists, []mvcc.Term{{Name: r.Field, Value: r.Value}})
		}
	}
	return lists
}
