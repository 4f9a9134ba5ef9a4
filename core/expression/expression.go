// Package expression says what core asks of an evaluator of CEL: rules of custom resources' schemas, and the
// expressions of admission policies and of webhooks' match conditions. It is data and interfaces only, since an
// evaluator is larger than all of core and hosts differ in where they have it: in the same binary, in another one
// that is loaded when it is first needed, or nowhere.
//
// Invariants:
//   - What crosses an interface of this package is trees as core/object makes them, texts and numbers, so that it can
//     be sent as JSON. Nobody changes a tree that was passed.
//   - An evaluation depends on its arguments alone. What has to be asked on the way, of the authorizer, is a Question,
//     which may be asked again.
//
// Costs are in CEL's cost units, as Kubernetes counts them.
package expression

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/internal/traces"
)

// ErrUnavailable is returned when the evaluator cannot be had, such as a binary that could not be loaded.
var ErrUnavailable = errors.New("CEL expressions cannot be evaluated here")

// The budgets of evaluations, in cost units (k8s.io/apiserver/pkg/apis/cel).
const (
	// CallLimit is for one expression.
	CallLimit = 1_000_000
	// PolicyBudget is for all expressions of one policy and one binding.
	PolicyBudget = 10_000_000
	// ConditionsBudget is for all match conditions of one webhook or policy.
	ConditionsBudget = PolicyBudget / 4
)

// An Evaluator evaluates CEL. It is safe for concurrent use.
type Evaluator interface {
	structural.Rules
	// CompileUnit compiles a unit. The problems are those of its variables, then of its expressions, that do not compile;
	// the others can be evaluated all the same. It returns ErrUnavailable, or the cause of ctx once that has ended.
	CompileUnit(ctx context.Context, u *Unit) (Compiled, []Problem, error)
	// Review answers a question about an expression that is being written, in JSON: package trial says what it has. It
	// returns ErrUnavailable, or the cause of ctx.
	Review(ctx context.Context, r *Review) (json.RawMessage, error)
}

// A Review asks about an expression that is being written: one of a unit, or one of the rules of a schema.
type Review struct {
	// Text is the expression, and Offset where someone writes, in UTF-16.
	Text   string
	Offset int
	// Unit is what the expression is part of, at Index of its expressions, or of its variables if Variable is true. Typed
	// is the same with the types that are known; Warns reports whether their problems are warned of.
	Unit, Typed *Unit `json:",omitempty"`
	Variable    bool  `json:",omitempty"`
	Index       int
	Warns       bool `json:",omitempty"`
	// Schema is that of the objects, and At the steps to the part that has the rule, such as properties and spec.
	Schema map[string]any `json:"-"`
	At     []string       `json:",omitempty"`
	// Message is that the expression is that of a message, and Optional that oldSelf is an optional value.
	Message, Optional bool `json:",omitempty"`
}

// A Unit is expressions that are compiled in one environment: those of a policy, or of a webhook. Whether they are
// stored already does not matter: this release lets all be written that it evaluates.
type Unit struct {
	// Variables are the expressions that others refer to as variables.NAME, also later ones of this list.
	Variables []Variable
	// Expressions are what can be evaluated.
	Expressions []Expression
	// Params, Authorizer and Patches say which variables and types there are besides object, oldObject, request and
	// namespaceObject, which is null for what has none, as match conditions: params; authorizer; Object and JSONPatch, of
	// mutations.
	Params, Authorizer, Patches bool
	// Composed declares variables even if the unit has none. A policy is evaluated so; one without variables is checked
	// without it, and so are all match conditions.
	Composed bool
	// Names are the variables of a unit that has no others but the authorizer: of any type.
	Names []string `json:",omitempty"`
	// ObjectType is the type of object and oldObject, and ParamsType that of params; nil: any. With ObjectType the unit is
	// one of type checking, which is only compiled: its expressions may use the authorizer, but not what is about the
	// request's own resource.
	ObjectType, ParamsType *ObjectType `json:",omitempty"`
}

// An ObjectType is the type of whole objects.
type ObjectType struct {
	// Name is what messages call it.
	Name string
	// Schema is the OpenAPI schema of the objects, without references.
	Schema map[string]any
}

// A Variable is a named expression.
type Variable struct{ Name, Expression string }

// An Expression is a text and what it has to return.
type Expression struct {
	Text    string
	Returns Type
	// NoAuthorizer leaves out the authorizer, as for expressions of messages.
	NoAuthorizer bool
}

// A Type is what an expression has to return.
type Type string

// The types.
const (
	Any          Type = ""
	Bool         Type = "bool"
	String       Type = "string"
	StringOrNull Type = "string or null"
	// ApplyConfiguration is an Object, as mutations construct it.
	ApplyConfiguration Type = "Object"
	// JSONPatches is a list of JSONPatch.
	JSONPatches Type = "list(JSONPatch)"
)

// A Problem is an expression that does not compile.
type Problem struct {
	// Variable reports that it is one of the unit's variables. Index is its place there, or among the expressions.
	Variable bool
	Index    int
	// Message is the real server's text.
	Message string
	// Internal reports that it is an internal error, and not that the expression is invalid.
	Internal bool
}

// Compiled is a unit that has been compiled. It is safe for concurrent use.
type Compiled interface {
	// Evaluate evaluates some of the unit's expressions, by their places, in this order, with their own variables.
	// They share a budget of cost units; left is what is not used of it, negative if it did not suffice: the expression
	// at which that was noticed is the last with a result, whose kind is OverBudget. It returns ErrUnavailable, or the
	// cause of ctx.
	Evaluate(ctx context.Context, which []int, in *Input, budget int64) (results []Result, left int64, err error)
}

// Input is the values of variables; nil is null.
type Input struct {
	Object, OldObject, Params, NamespaceObject map[string]any
	// Request is an AdmissionRequest without uid and its objects. Its requestResource, requestSubResource, namespace and
	// name are what authorizer.requestResource is about.
	Request map[string]any
	// Authorize answers what expressions ask of the authorizer. It is nil if none may.
	Authorize func(Question) Decision
	// Values are those of Names.
	Values map[string]any
	// Trace asks for the Traces of results.
	Trace bool
}

// A Question is what an expression asks of the authorizer.
type Question struct {
	// ServiceAccount is who is asked about, as namespace and name; both are empty for the user of the request.
	ServiceAccountNamespace, ServiceAccount string `json:",omitempty"`
	// Path is that of a request for no resource.
	Path string `json:",omitempty"`
	// Group, Resource and the others are those of a request for a resource.
	Group, Resource, Subresource, Namespace, Name string `json:",omitempty"`
	FieldSelector, LabelSelector                  string `json:",omitempty"`
	Verb                                          string
}

// A Decision answers a Question.
type Decision struct {
	Allowed bool
	Reason  string
	// Error is the text of the authorizer's error.
	Error string `json:",omitempty"`
}

// A Result is that of one expression: a value, or an error.
type Result struct {
	// Value is a tree: of an Object what it sets, without absent optional fields; of a JSONPatch op, path, and from and
	// value if they are set.
	Value any
	// Error is the real server's text.
	Error string `json:",omitempty"`
	// Kind says what kind of error it is.
	Kind ErrorKind `json:",omitempty"`
	// Traces are what the expression came to, after the variables that it was the first to ask for, if they were asked
	// for. The Field of a variable is its name; those of others are empty.
	Traces []traces.Evaluation `json:",omitempty"`
}

// An ErrorKind is a kind of errors of evaluations.
type ErrorKind string

// The kinds of errors.
const (
	// Failed is an error of the expression itself, such as that it exceeds CallLimit.
	Failed ErrorKind = "failed"
	// OverBudget is that the budget did not suffice.
	OverBudget ErrorKind = "over budget"
	// NotCompiled is that the expression did not compile.
	NotCompiled ErrorKind = "not compiled"
)

// None is the Evaluator of a host that has none: rules are checked for their syntax, and only warned of; all else is
// ErrUnavailable.
type None struct{ structural.Unevaluated }

var _ Evaluator = None{}

// CompileUnit returns ErrUnavailable.
func (None) CompileUnit(context.Context, *Unit) (Compiled, []Problem, error) {
	return nil, nil, ErrUnavailable
}

// Review returns ErrUnavailable.
func (None) Review(context.Context, *Review) (json.RawMessage, error) { return nil, ErrUnavailable }
