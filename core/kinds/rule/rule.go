// Package rule is the notation in which a kind says what its objects must be: values
// of Go types, put together as the objects are.
//
//	var portRules = rule.Fields{
//		{Key: "name", Is: rule.All{rule.Required{}, rule.Form(syntax.PortName)}},
//		{Key: "port", Is: rule.Range{Min: 1, Max: 65535}},
//		{Key: "protocol", Is: rule.OneOf{"SCTP", "TCP", "UDP"}},
//	}
//
// Violations are reported in the order in which the rules stand, since clients see them
// in it: each kind has the order of the real server. What rules cannot say is a function
// among them (Func, Compare).
//
// Rules are never changed, so any number of requests may check by the same ones. There
// is nothing to parse and nothing is kept: a check costs what the rules and the lists of
// the object cost, and paths are made only when there is a violation.
package rule

import (
	"github.com/tabernetes/tabernetes/core/field"
)

// A Rule says what a value must be.
type Rule interface {
	// check returns the violations of v, which is at a path of root, and what else is
	// to be looked at.
	check(root map[string]any, v any, at field.Path) (field.ErrorList, next)
}

// next says what is checked after a rule.
type next byte

const (
	goOn    next = iota
	endAll       // no further rule of the All that the rule is in
	endBoth      // nor further fields of the object that the value is a field of
)

// Fields are rules for the fields of an object, in the order in which they are checked.
// An object that is missing is checked as one without fields.
type Fields []Field

// A Field is the rule of one field. One without a key is about the object itself.
type Field struct {
	Key string
	Is  Rule
}

// Check returns the violations of an object that is at a path.
func (fs Fields) Check(obj map[string]any, at field.Path) field.ErrorList {
	return fs.CheckIn(obj, obj, at)
}

// CheckIn is Check for a part of root, which is what Compare gets.
func (fs Fields) CheckIn(root, part map[string]any, at field.Path) field.ErrorList {
	if at != field.Unnamed && len(fs.of(root, part, field.Unnamed)) == 0 {
		return nil
	}
	return fs.of(root, part, at)
}

func (fs Fields) of(root, obj map[string]any, at field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range fs {
		f := &fs[i]
		var v any = obj
		at := at
		if f.Key != "" {
			v, at = obj[f.Key], at.Child(f.Key)
		}
		wrong, next := f.Is.check(root, v, at)
		errs.Add(wrong...)
		if next == endBoth {
			break
		}
	}
	return errs
}

func (fs Fields) check(root map[string]any, v any, at field.Path) (field.ErrorList, next) {
	obj, _ := v.(map[string]any)
	return fs.of(root, obj, at), goOn
}

// All are rules for one value, of which some end the checks of it: see Required, IfSet,
// IfNotEmpty and MaxItems.
type All []Rule

func (rs All) check(root map[string]any, v any, at field.Path) (field.ErrorList, next) {
	var errs field.ErrorList
	for _, r := range rs {
		wrong, next := r.check(root, v, at)
		errs.Add(wrong...)
		if next != goOn {
			return errs, next
		}
	}
	return errs, goOn
}

// Each is the rule of each entry of a list.
type Each struct{ Is Rule }

func (e Each) check(root map[string]any, v any, at field.Path) (field.ErrorList, next) {
	var errs field.ErrorList
	list, _ := v.([]any)
	for i, entry := range list {
		wrong, _ := e.Is.check(root, entry, at.Index(i))
		errs.Add(wrong...)
	}
	return errs, goOn
}

// Func is what the other rules cannot say of a value.
type Func func(v any, at field.Path) field.ErrorList

func (f Func) check(_ map[string]any, v any, at field.Path) (field.ErrorList, next) {
	return f(v, at), goOn
}

// Object is Func for a value that is an object, or nil if there is none.
type Object func(obj map[string]any, at field.Path) field.ErrorList

func (f Object) check(_ map[string]any, v any, at field.Path) (field.ErrorList, next) {
	obj, _ := v.(map[string]any)
	return f(obj, at), goOn
}

// Compare is Func for what also depends on other parts of what is checked: on root.
type Compare func(root map[string]any, v any, at field.Path) field.ErrorList

func (f Compare) check(root map[string]any, v any, at field.Path) (field.ErrorList, next) {
	return f(root, v, at), goOn
}

// Check returns the violations of a value by one rule.
func Check(v any, at field.Path, r Rule) field.ErrorList {
	return CheckIn(nil, v, at, r)
}

// CheckIn is Check for a value that is a part of root.
func CheckIn(root map[string]any, v any, at field.Path, r Rule) field.ErrorList {
	errs, _ := r.check(root, v, at)
	return errs
}
