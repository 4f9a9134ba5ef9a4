// Package rule is the notation for the validation rules of kinds: Go values, nested as the fields
// of the objects are.
//
//	var portRules = rule.Fields{
//		{Key: "name", Is: rule.All{rule.Required{}, rule.Form(syntax.PortName)}},
//		{Key: "port", Is: rule.Range{Min: 1, Max: 65535}},
//		{Key: "protocol", Is: rule.OneOf{"SCTP", "TCP", "UDP"}},
//	}
//
// Violations are reported in the order of the rules, which clients see: each kind has the order of
// the real server. Other checks are functions among the rules (Func, Compare).
//
// Rules are never changed, so they are safe for concurrent use. Nothing is parsed or cached: a
// check costs the rules and the lists of the object, and paths are made only if there is a
// violation.
package rule

import (
	"github.com/tabernetes/tabernetes/core/internal/field"
)

// A Rule is a requirement for a value.
type Rule interface {
	// check returns the violations of v, which is at a path of root, and what is checked next.
	check(root map[string]any, v any, at field.Path) (field.ErrorList, next)
}

// next tells what is checked after a rule.
type next byte

const (
	proceed    next = iota
	stopValue       // no further rule of the All that the rule is in
	stopObject      // nor further fields of the object that the value is a field of
)

// Fields are rules for the fields of an object, in the order in which they are checked. A missing
// object is checked as one without fields.
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
	if at != field.Unnamed && len(fs.violations(root, part, field.Unnamed)) == 0 {
		return nil
	}
	return fs.violations(root, part, at)
}

func (fs Fields) violations(root, obj map[string]any, at field.Path) field.ErrorList {
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
		if next == stopObject {
			break
		}
	}
	return errs
}

func (fs Fields) check(root map[string]any, v any, at field.Path) (field.ErrorList, next) {
	obj, _ := v.(map[string]any)
	return fs.violations(root, obj, at), proceed
}

// All are rules for one value; some of them can end the checks: see Required, IfSet, IfNotEmpty and
// MaxItems.
type All []Rule

func (rs All) check(root map[string]any, v any, at field.Path) (field.ErrorList, next) {
	var errs field.ErrorList
	for _, r := range rs {
		wrong, next := r.check(root, v, at)
		errs.Add(wrong...)
		if next != proceed {
			return errs, next
		}
	}
	return errs, proceed
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
	return errs, proceed
}

// Func is a rule as a function, for what the other rules cannot express.
type Func func(v any, at field.Path) field.ErrorList

func (f Func) check(_ map[string]any, v any, at field.Path) (field.ErrorList, next) {
	return f(v, at), proceed
}

// Object is Func for a value that is an object, or nil if it is missing.
type Object func(obj map[string]any, at field.Path) field.ErrorList

func (f Object) check(_ map[string]any, v any, at field.Path) (field.ErrorList, next) {
	obj, _ := v.(map[string]any)
	return f(obj, at), proceed
}

// Compare is Func for a value that depends on other parts of root.
type Compare func(root map[string]any, v any, at field.Path) field.ErrorList

func (f Compare) check(root map[string]any, v any, at field.Path) (field.ErrorList, next) {
	return f(root, v, at), proceed
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
