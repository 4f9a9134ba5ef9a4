package stage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/itchyny/gojq"
)

// maxSteps is how many steps of gojq's machine one evaluation of an expression may take. The longest of the Stages here
// takes some hundred for a Pod of ten containers.
const maxSteps = 200_000

// errTooLong is the error of an expression that takes more.
var errTooLong = errors.New("the expression takes too long")

// query is a compiled jq expression.
type query struct{ code *gojq.Code }

func compile(text string) (*query, error) {
	parsed, err := gojq.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("expression %q: %w", text, err)
	}
	code, err := gojq.Compile(parsed)
	if err != nil {
		return nil, fmt.Errorf("expression %q: %w", text, err)
	}
	return &query{code}, nil
}

// outputs returns the expression's outputs but nulls. One that fails for the object, such as an index of a string, has
// none; only one that takes too long is an error.
func (q *query) outputs(object any) ([]any, error) {
	var all []any
	b := &budget{Context: context.Background(), left: maxSteps}
	for iter := q.code.RunWithContext(b, object); ; {
		v, ok := iter.Next()
		switch v := v.(type) {
		case error:
			if errors.Is(v, errTooLong) {
				return nil, v
			}
			return nil, nil
		case nil:
			if !ok {
				return all, nil
			}
		default:
			all = append(all, v)
		}
	}
}

// budget is a context that ends after some steps: gojq asks it once in each of them. So the end does not depend on how
// fast the machine is, and comes on one thread, too.
type budget struct {
	context.Context
	left int
}

var ended = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

func (b *budget) Done() <-chan struct{} {
	if b.left--; b.left < 0 {
		return ended
	}
	return nil
}

func (b *budget) Err() error {
	if b.left < 0 {
		return errTooLong
	}
	return nil
}

// requirement is a compiled Match.
type requirement struct {
	query    *query
	negative bool
	values   []string // none: that there is an output
}

func newRequirement(m Match) (*requirement, error) {
	if m.CEL != nil {
		return nil, errCEL
	}
	q := m.Query
	if m.JQ != nil {
		q = *m.JQ
	}
	r := &requirement{values: q.Values}
	switch q.Operator {
	case "In", "NotIn":
		if len(q.Values) == 0 {
			return nil, fmt.Errorf("operator %s of %q needs values", q.Operator, q.Key)
		}
	case "Exists", "DoesNotExist":
		if len(q.Values) > 0 {
			return nil, fmt.Errorf("operator %s of %q takes no values", q.Operator, q.Key)
		}
	default:
		return nil, fmt.Errorf("operator %q of %q is not one of In, NotIn, Exists, DoesNotExist", q.Operator, q.Key)
	}
	r.negative = q.Operator == "NotIn" || q.Operator == "DoesNotExist"
	var err error
	r.query, err = compile(q.Key)
	return r, err
}

// matches reports whether the object meets the requirement.
func (r *requirement) matches(object any) (bool, error) {
	all, err := r.query.outputs(object)
	if err != nil {
		return false, err
	}
	found := len(all) > 0
	if r.values != nil {
		found = slices.ContainsFunc(all, func(v any) bool {
			switch v := v.(type) {
			case string:
				return slices.Contains(r.values, v)
			case bool:
				return slices.Contains(r.values, strconv.FormatBool(v))
			case int:
				return slices.Contains(r.values, strconv.Itoa(v))
			}
			return false
		})
	}
	return found != r.negative, nil
}

// source is where a number or duration comes from: a fixed value, or an expression with that value for objects in which
// it finds nothing.
type source struct {
	fixed *int64
	query *query
}

func newSource(fixed *int64, from *Expression) (source, error) {
	s := source{fixed: fixed}
	if from == nil {
		return s, nil
	}
	text := from.ExpressionFrom
	if from.JQ != nil {
		text = from.JQ.Expression
	}
	if from.CEL != nil {
		return s, errCEL
	}
	if text == "" {
		return s, nil
	}
	var err error
	s.query, err = compile(text)
	return s, err
}

// first returns the first output of the expression; nil if it has no output.
func (s source) first(object any) (any, error) {
	if s.query == nil {
		return nil, nil
	}
	all, err := s.query.outputs(object)
	if len(all) == 0 {
		return nil, err
	}
	return all[0], nil
}

func (s source) value() (int64, bool) {
	if s.fixed == nil {
		return 0, false
	}
	return *s.fixed, true
}

// number returns the value as a number; false if it has no value.
func (s source) number(object any) (int64, bool, error) {
	found, err := s.first(object)
	if err != nil {
		return 0, false, err
	}
	switch v := found.(type) {
	case string:
		n, err := strconv.ParseInt(v, 0, 0)
		return n, err == nil, nil
	case int:
		return int64(v), true, nil
	case float64:
		return int64(v), true, nil
	}
	n, ok := s.value()
	return n, ok, nil
}

// duration returns the value as a duration; false if it has no value. A time is the duration from now until then.
func (s source) duration(object any, now time.Time) (time.Duration, bool, error) {
	found, err := s.first(object)
	if err != nil {
		return 0, false, err
	}
	if text, ok := found.(string); ok {
		if text == "" {
			return 0, false, nil
		}
		if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
			return t.Sub(now), true, nil
		}
		if d, err := time.ParseDuration(text); err == nil {
			return d, true, nil
		}
	}
	n, ok := s.value()
	return time.Duration(n), ok, nil
}
