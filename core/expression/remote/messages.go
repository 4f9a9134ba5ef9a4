package remote

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/traces"
	"github.com/tabernetes/tabernetes/core/object"
)

// What is asked for.
const (
	doCheck    = "check"    // the violations of a schema
	doValidate = "validate" // an object, by the rules of a schema
	doCompile  = "compile"  // the problems of a unit
	doEvaluate = "evaluate" // some expressions of a unit
	doReview   = "review"   // what can be said of an expression that is being written
)

// A call is what a Client sends.
type call struct {
	Do string
	// Key names the schema or the unit. One of these is there if the Server does not know it yet.
	Key    string           `json:",omitempty"`
	Schema *tree            `json:",omitempty"`
	Unit   *expression.Unit `json:",omitempty"`
	// At is the path of the schema.
	At string `json:",omitempty"`
	// Trace asks for traces.
	Trace bool `json:",omitempty"`

	// Object and Old are those to validate; those of an evaluation are the values of variables, with the others.
	Object, Old, Params, Namespace, Request tree
	Values                                  tree `json:",omitzero"`
	// Which, Budget and Decisions are of an evaluation. Authorizer says that there is one.
	Which      []int      `json:",omitempty"`
	Budget     int64      `json:",omitempty"`
	Authorizer bool       `json:",omitempty"`
	Decisions  []decision `json:",omitempty"`
	// Review is what is asked.
	Review *expression.Review `json:",omitempty"`
}

// A decision is an answer of the authorizer.
type decision struct {
	Question expression.Question
	Decision expression.Decision
}

// An answer is what a Server returns.
type answer struct {
	// Unknown asks for the schema or the unit.
	Unknown bool `json:",omitempty"`
	// Failed is why there is no result.
	Failed string `json:",omitempty"`

	Errors    []violation           `json:",omitempty"`
	Warnings  []string              `json:",omitempty"`
	Problems  []expression.Problem  `json:",omitempty"`
	Results   []result              `json:",omitempty"`
	Left      int64                 `json:",omitempty"`
	Questions []expression.Question `json:",omitempty"`
	Review    json.RawMessage       `json:",omitempty"`
	// Traces, Estimate and Limit are what a step is given.
	Traces          []traces.Evaluation `json:",omitempty"`
	Estimate, Limit uint64              `json:",omitempty"`
}

// addTo gives a step what it asked for; it may be nil.
func (a *answer) addTo(step *traces.Step) {
	if step != nil {
		step.Estimate, step.Limit = a.Estimate, a.Limit
		step.Add(a.Traces...)
	}
}

// step returns the step of a call; nil if it asks for none.
func (m *call) step() *traces.Step {
	if !m.Trace {
		return nil
	}
	return new(traces.Traces).Begin("", "")
}

// take takes what a step was given; it may be nil.
func (a *answer) take(step *traces.Step) {
	if step != nil {
		a.Traces, a.Estimate, a.Limit = step.Evaluations, step.Estimate, step.Limit
	}
}

// A result is an expression.Result.
type result struct {
	Value tree
	Error string               `json:",omitempty"`
	Kind  expression.ErrorKind `json:",omitempty"`

	Traces []traces.Evaluation `json:",omitempty"`
}

// A violation is a field.Error.
type violation struct {
	Type          field.Type
	Field, Detail string
	Value         tree
	Form          string `json:",omitempty"` // of the value: raw, omitted, or as it is
}

const (
	rawForm     = "raw"
	omittedForm = "omitted"
)

func violations(errs field.ErrorList) (all []violation) {
	for _, e := range errs {
		v := violation{Type: e.Type, Field: e.Field, Detail: e.Detail}
		switch value := e.BadValue.(type) {
		case field.Raw:
			v.Value, v.Form = tree{string(value)}, rawForm
		default:
			if value == field.Omitted {
				v.Form = omittedForm
			} else {
				v.Value = tree{value}
			}
		}
		all = append(all, v)
	}
	return all
}

func errorsOf(all []violation) (errs field.ErrorList) {
	for _, v := range all {
		e := &field.Error{Type: v.Type, Field: v.Field, Detail: v.Detail, BadValue: v.Value.v}
		switch text, _ := v.Value.v.(string); v.Form {
		case rawForm:
			e.BadValue = field.Raw(text)
		case omittedForm:
			e.BadValue = field.Omitted
		}
		errs.Add(e)
	}
	return errs
}

// A tree is a value of core/object in a message.
type tree struct{ v any }

// treeOf is a tree, of which nil stays nil.
func treeOf(m map[string]any) tree {
	if m == nil {
		return tree{}
	}
	return tree{m}
}

func (t tree) object() map[string]any {
	m, _ := t.v.(map[string]any)
	return m
}

// MarshalJSON implements json.Marshaler.
func (t tree) MarshalJSON() ([]byte, error) { return appendTree(nil, t.v), nil }

// UnmarshalJSON implements json.Unmarshaler.
func (t *tree) UnmarshalJSON(text []byte) (err error) {
	t.v, err = object.DecodeAny(text)
	return err
}

// appendTree appends a tree in which floats have a point or an exponent.
func appendTree(dst []byte, v any) []byte {
	switch v := v.(type) {
	case map[string]any:
		dst = append(dst, '{')
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(object.EncodeAny(dst, name), ':')
			dst = appendTree(dst, v[name])
		}
		return append(dst, '}')
	case []any:
		dst = append(dst, '[')
		for i, item := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendTree(dst, item)
		}
		return append(dst, ']')
	case float64:
		start := len(dst)
		if dst = object.EncodeAny(dst, v); !bytes.ContainsAny(dst[start:], ".e") {
			dst = append(dst, ".0"...)
		}
		return dst
	}
	return object.EncodeAny(dst, v)
}

// keyOf names a source.
func keyOf(source []byte) string {
	sum := sha256.Sum256(source)
	return hex.EncodeToString(sum[:])
}
