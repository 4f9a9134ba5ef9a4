// Package traces is what the server notes of a request that is tried: which policies, webhooks and rules looked at it,
// and what their expressions came to. A Traces in the context of a request asks for it.
//
// Invariants: without one nothing is noted or computed, and all functions do nothing; noting changes neither results
// nor costs. The trees of parts are limited, and so is the number of steps.
//
// A request that is not tried pays one look into its context for each part of admission.
package traces

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
)

// Traces are the steps of one request. The zero value is ready, and safe for concurrent use.
type Traces struct {
	mu      sync.Mutex
	steps   []*Step
	omitted int
	// The bytes of trees, and of all else.
	trees, others int
}

// What is noted at the most: so many steps, so many evaluations of each, and so many bytes of trees and of all else.
const (
	maxSteps       = 500
	maxEvaluations = 500
	maxTrees       = 1 << 20
	maxOthers      = 8 << 20
)

// A Step is a policy with a binding and a parameter, a webhook, or the rules of a custom resource. Package trial says
// what its fields mean.
type Step struct {
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Binding string `json:"binding,omitempty"`
	Param   string `json:"param,omitempty"`
	// Version is that of the definition whose rules they are.
	Version string `json:"version,omitempty"`
	Outcome string `json:"outcome"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	// Actions are what the binding says of failures.
	Actions []string `json:"actions,omitempty"`
	// Before and After are the object in JSON.
	Before json.RawMessage `json:"before,omitempty"`
	After  json.RawMessage `json:"after,omitempty"`
	// Estimate is the sum of estimated costs, and Limit what it may be.
	Estimate uint64 `json:"estimate,omitempty"`
	Limit    uint64 `json:"limit,omitempty"`

	Evaluations []Evaluation `json:"-"`
	// Omitted is how many evaluations are not noted.
	Omitted int `json:"omitted,omitempty"`

	of *Traces
}

// The values of Step.Outcome.
const (
	Allowed   = "allowed"
	Refused   = "refused"
	Warned    = "warned"
	Audited   = "audited"
	Ignored   = "ignored"
	Changed   = "changed"
	Unchanged = "unchanged"
	Skipped   = "skipped"
	Called    = "called"
	Tolerated = "tolerated"
	Checked   = "checked"
)

// An Evaluation is one of an expression.
type Evaluation struct {
	// Field is where the expression is, or the name of a variable; Use is one of the words below.
	Field, Use string
	// At is where the value is that a rule is about, and Tolerated that it is broken by one that did not change.
	At        string `json:",omitempty"`
	Tolerated bool   `json:",omitempty"`
	// Result is an object of JSON with what the expression came to, and Tree one of its parts; it may be empty.
	Result json.RawMessage
	Tree   json.RawMessage `json:",omitempty"`
}

// The values of Evaluation.Use.
const (
	MatchCondition  = "matchCondition"
	Variable        = "variable"
	Validation      = "validation"
	Message         = "message"
	AuditAnnotation = "auditAnnotation"
	Mutation        = "mutation"
	Rule            = "rule"
	Estimate        = "estimate"
)

type key struct{}

// With returns a context whose request is tried.
func With(ctx context.Context, t *Traces) context.Context { return context.WithValue(ctx, key{}, t) }

// Of returns what is noted of a request; nil if it is not tried.
func Of(ctx context.Context) *Traces {
	t, _ := ctx.Value(key{}).(*Traces)
	return t
}

// Begin adds a step; it returns nil if t is nil, or if there are enough.
func (t *Traces) Begin(kind, name string) *Step {
	if t == nil {
		return nil
	}
	s := &Step{Kind: kind, Name: name, of: t}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.steps) >= maxSteps {
		t.omitted++
		return nil
	}
	t.steps = append(t.steps, s)
	return s
}

// Steps returns the steps in their order, and how many more there were. Nothing may be added to them any more.
func (t *Traces) Steps() (all []*Step, omitted int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.steps, t.omitted
}

// Add adds evaluations; one after the last that is noted counts only. The tree is left out if there are enough.
func (s *Step) Add(all ...Evaluation) {
	if s == nil {
		return
	}
	for _, e := range all {
		if len(s.Evaluations) >= maxEvaluations || !s.of.fits(len(e.Result)+len(e.Field)+len(e.At)) {
			s.Omitted++
			continue
		}
		s.of.mu.Lock()
		if s.of.trees += len(e.Tree); s.of.trees > maxTrees {
			e.Tree = nil
		}
		s.of.mu.Unlock()
		s.Evaluations = append(s.Evaluations, e)
	}
}

// fits reports whether so many bytes can be noted, other than those of trees.
func (t *Traces) fits(n int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n > maxOthers-t.others {
		return false
	}
	t.others += n
	return true
}

// Change notes an object in JSON as it was, and as it is; neither if that is too much.
func (s *Step) Change(before, after json.RawMessage) {
	if s != nil && s.of.fits(len(before)+len(after)) {
		s.Before, s.After = before, after
	}
}

// Skip notes why what the step is about is not for the request.
func (s *Step) Skip(reason string) {
	if s != nil {
		s.Outcome, s.Reason = Skipped, reason
	}
}

// ranks are the outcomes of which one may follow another, weaker ones first.
var ranks = []string{Unchanged, Changed, Allowed, Ignored, Audited, Warned, Refused}

// End notes an outcome and what was said of it, unless there is a stronger one. One of the same strength adds nothing.
func (s *Step) End(outcome, message string) {
	if s == nil || s.Outcome != "" && slices.Index(ranks, outcome) <= slices.Index(ranks, s.Outcome) {
		return
	}
	s.Outcome, s.Message = outcome, message
}
