// Package selector implements label and field selectors: their syntax, the selectable fields of
// each kind, and matching.
//
// Invariants: a parsed selector never changes, so it may be shared. The error texts are those of
// kube-apiserver.
//
// Parsing is linear in the text. Matching costs a lookup per requirement and allocates nothing.
package selector

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
)

// An Operator is the operator of a Requirement, as it is written in a selector.
type Operator string

// The operators of label selectors. Equals and NotEquals are those of field
// selectors too.
const (
	Equals       Operator = "="
	DoubleEquals Operator = "=="
	NotEquals    Operator = "!="
	In           Operator = "in"
	NotIn        Operator = "notin"
	Exists       Operator = "exists"
	DoesNotExist Operator = "!"
	GreaterThan  Operator = "gt"
	LessThan     Operator = "lt"
)

// A Requirement is one term of a label selector. Make them with NewRequirement.
type Requirement struct {
	Key      string
	Operator Operator
	// Values are sorted, without duplicates.
	Values []string
	bound  int64 // the value of GreaterThan and LessThan
}

// NewRequirement validates the parts of a requirement. Values need not be sorted.
func NewRequirement(key string, op Operator, values ...string) (Requirement, error) {
	values = slices.Compact(slices.Sorted(slices.Values(values)))
	r := Requirement{Key: key, Operator: op, Values: values}
	var errs field.ErrorList
	if wrong := syntax.LabelKey(key); wrong != nil {
		errs = append(errs, field.Invalid("key", key, strings.Join(wrong, "; ")))
	}
	at := field.Path("values")
	switch op {
	case In, NotIn:
		if len(values) == 0 {
			errs = append(errs, field.Invalid(at, values, "for 'in', 'notin' operators, values set can't be empty"))
		}
	case Equals, DoubleEquals, NotEquals:
		if len(values) != 1 {
			errs = append(errs, field.Invalid(at, values, "exact-match compatibility requires one single value"))
		}
	case Exists, DoesNotExist:
		if len(values) != 0 {
			errs = append(errs, field.Invalid(at, values, "values set must be empty for exists and does not exist"))
		}
	case GreaterThan, LessThan:
		if len(values) != 1 {
			errs = append(errs, field.Invalid(at, values, "for 'Gt', 'Lt' operators, exactly one value is required"))
		}
		for i, v := range values {
			n, err := strconv.ParseInt(v, 10, 64)
			if err != nil {
				errs = append(errs, field.Invalid(at.Index(i), v, "for 'Gt', 'Lt' operators, the value must be an integer"))
			}
			r.bound = n
		}
	default:
		errs = append(errs, field.NotSupported("operator", string(op),
			In, NotIn, Equals, DoubleEquals, NotEquals, GreaterThan, LessThan, Exists, DoesNotExist))
	}
	for i, v := range values {
		if wrong := syntax.LabelValue(v); wrong != nil {
			errs = append(errs, field.Invalid(at.Index(i).Key(key), v, strings.Join(wrong, "; ")))
		}
	}
	return r, errs.Err()
}

// has reports whether r names a value. It is short, to be compiled into its callers.
func (r *Requirement) has(value string) bool {
	return len(r.Values) == 1 && r.Values[0] == value || r.among(value)
}

func (r *Requirement) among(value string) bool {
	if len(r.Values) > 8 { // to go through fewer is faster than to search
		_, found := slices.BinarySearch(r.Values, value)
		return found
	}
	return slices.Contains(r.Values, value)
}

// Matches reports whether a label with this presence and value satisfies r.
func (r *Requirement) matches(value string, present bool) bool {
	switch r.Operator {
	case Equals, DoubleEquals, In:
		return present && r.has(value)
	case NotEquals, NotIn:
		return !present || !r.has(value)
	case Exists:
		return present
	case DoesNotExist:
		return !present
	case GreaterThan, LessThan:
		n, err := strconv.ParseInt(value, 10, 64)
		if !present || err != nil {
			return false
		}
		return r.Operator == GreaterThan && n > r.bound || r.Operator == LessThan && n < r.bound
	}
	return false
}

// String returns r in the syntax that is parsed.
func (r Requirement) String() string {
	values := strings.Join(r.Values, ",")
	switch r.Operator {
	case Exists:
		return r.Key
	case DoesNotExist:
		return "!" + r.Key
	case In, NotIn:
		return r.Key + " " + string(r.Operator) + " (" + values + ")"
	case GreaterThan:
		return r.Key + ">" + values
	case LessThan:
		return r.Key + "<" + values
	}
	return r.Key + string(r.Operator) + values
}

// MaxRequirements is the maximum number of requirements of a selector in a request. The real server has no such
// limit.
const MaxRequirements = 1000

// Labels is a label selector: all its requirements must be met. Without requirements it selects
// everything.
type Labels []Requirement

// Matches reports whether an object with these labels is selected.
func (l Labels) Matches(labels map[string]string) bool {
	return l.MatchesBy(func(key string) (string, bool) { v, ok := labels[key]; return v, ok })
}

// MatchesTree is Matches for the labels of an object that is a tree.
func (l Labels) MatchesTree(labels map[string]any) bool {
	for i := range l {
		if v, ok := labels[l[i].Key].(string); !l[i].matches(v, ok) {
			return false
		}
	}
	return true
}

// MatchesBy is Matches for labels that a function returns, with whether there is one of a key.
func (l Labels) MatchesBy(label func(key string) (string, bool)) bool {
	for i := range l {
		if v, ok := label(l[i].Key); !l[i].matches(v, ok) {
			return false
		}
	}
	return true
}

// Empty reports whether everything is selected.
func (l Labels) Empty() bool { return len(l) == 0 }

// RequiresExact returns the one value that the label must have for a match, if there
// is such a value.
func (l Labels) RequiresExact(key string) (value string, ok bool) {
	for i := range l {
		if l[i].Key != key {
			continue
		}
		switch l[i].Operator {
		case Equals, DoubleEquals, In:
			if len(l[i].Values) == 1 {
				return l[i].Values[0], true
			}
		}
		return "", false
	}
	return "", false
}

// String returns the selector in the syntax that is parsed.
func (l Labels) String() string {
	texts := make([]string, len(l))
	for i, r := range l {
		texts[i] = r.String()
	}
	return strings.Join(texts, ",")
}

// ParseLabels parses a selector such as "app=x,tier in (a,b),!old,n>3". The requirements are sorted
// by their keys.
//
// A selector with more than MaxRequirements is refused: each is looked at for every object.
func ParseLabels(text string) (Labels, error) {
	l, err := (&parser{lexer: lexer{text: text}}).selector()
	if err != nil {
		return nil, err
	}
	if len(l) > MaxRequirements {
		return nil, fmt.Errorf("a label selector may have at most %d requirements, and this one has %d", MaxRequirements,
			len(l))
	}
	slices.SortStableFunc(l, func(a, b Requirement) int { return strings.Compare(a.Key, b.Key) })
	return l, nil
}

// FromLabelSelector converts a LabelSelector of an object, such as a Deployment's spec.selector. A
// nil one selects nothing, and ok is false; an empty one selects everything.
func FromLabelSelector(tree map[string]any) (l Labels, ok bool, err error) {
	if tree == nil {
		return nil, false, nil
	}
	match, _ := tree["matchLabels"].(map[string]any)
	for key, v := range match {
		value, _ := v.(string)
		r, err := NewRequirement(key, Equals, value)
		if err != nil {
			return nil, true, err
		}
		l = append(l, r)
	}
	expressions, _ := tree["matchExpressions"].([]any)
	for _, e := range expressions {
		e, _ := e.(map[string]any)
		key, _ := e["key"].(string)
		word, _ := e["operator"].(string)
		op, known := expressionOperators[word]
		if !known {
			return nil, true, fmt.Errorf("%q is not a valid label selector operator", word)
		}
		list, _ := e["values"].([]any)
		values := make([]string, len(list))
		for i, v := range list {
			values[i], _ = v.(string)
		}
		r, err := NewRequirement(key, op, values...)
		if err != nil {
			return nil, true, err
		}
		l = append(l, r)
	}
	slices.SortStableFunc(l, func(a, b Requirement) int { return strings.Compare(a.Key, b.Key) })
	return l, true, nil
}

var expressionOperators = map[string]Operator{
	"In": In, "NotIn": NotIn, "Exists": Exists, "DoesNotExist": DoesNotExist,
}
