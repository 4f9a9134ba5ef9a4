package structural

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/expression/syntax"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/traces"
)

// Rules evaluates the CEL rules of schemas (x-kubernetes-validations). An evaluator would be larger
// than all of core, so hosts provide it; without one, Unevaluated is used.
type Rules interface {
	// Check returns the violations of the rules of a structural schema, whose RuleWork is at most MaxRuleWork. at is its
	// path. Once ctx has ended it returns an internal error. step gets what they may cost, unless it is nil.
	Check(ctx context.Context, s *Schema, at field.Path, step *traces.Step) field.ErrorList
	// Compile compiles the rules of a schema that has been checked. Warnings name the resource.
	Compile(s *Schema, resource string) Program
}

// A Program is the compiled rules of a schema. It is safe for concurrent use.
type Program interface {
	// Validate returns the violations of the rules by an object. old is the object that it replaces;
	// nil: none. The warnings are the texts of Warning headers: they include violations in unchanged
	// parts. step gets what the rules came to, unless it is nil.
	Validate(obj, old map[string]any, step *traces.Step) (errs field.ErrorList, warnings []string)
}

// A Rule is one rule, as it is written.
type Rule struct {
	Rule, Message, MessageExpression string
	Reason                           *string
	FieldPath                        string
	OptionalOldSelf                  *bool
}

// RuleList returns the rules of the schema itself.
func (s *Schema) RuleList() []Rule {
	var all []Rule
	for _, v := range s.Rules {
		tree, _ := v.(map[string]any)
		text := func(name string) string { v, _ := tree[name].(string); return v }
		r := Rule{Rule: text("rule"), Message: text("message"), MessageExpression: text("messageExpression"),
			FieldPath: text("fieldPath")}
		if v, ok := tree["reason"].(string); ok {
			r.Reason = &v
		}
		if v, ok := tree["optionalOldSelf"].(bool); ok {
			r.OptionalOldSelf = &v
		}
		all = append(all, r)
	}
	return all
}

// Raw returns the rule in the format of errors.
func (r Rule) Raw() field.Raw {
	text, _ := json.Marshal(r) // texts only
	return field.Raw(text)
}

// HasRules reports whether there are rules in the schema or below it.
func (s *Schema) HasRules() bool {
	if s == nil {
		return false
	}
	return len(s.Rules) > 0 || s.Items.HasRules() || s.Additional.HasRules() ||
		slices.ContainsFunc(s.AllOf, (*Schema).HasRules) ||
		slices.ContainsFunc(slices.Collect(maps.Values(s.Properties)), (*Schema).HasRules)
}

// Blocked returns the error that is added if errs keep rules from being evaluated; otherwise nil.
func Blocked(errs field.ErrorList) field.ErrorList {
	for _, e := range errs {
		switch e.Type {
		case field.TypeNotSupported, field.TypeRequired, field.TypeTooLong, field.TypeTooMany, field.TypeWrongType:
			return field.ErrorList{field.Invalid("<nil>", field.Raw("null"),
				"some validation rules were not checked because the object was invalid; "+
					"correct the existing errors to complete validation")}
		}
	}
	return nil
}

// check returns the violations of a rule that can be found without CEL. supported reports whether the
// schema is supported at all.
func (r Rule) check(s *Schema, supported func() bool, at field.Path) field.ErrorList {
	var errs field.ErrorList
	blank := func(text string) bool { return strings.TrimSpace(text) == "" }
	lines := func(text string) bool { return strings.ContainsAny(strings.TrimSpace(text), "\r\n") }
	switch {
	case blank(r.Rule):
		errs.Add(field.Required(at.Child("rule"), "rule is not specified"))
	case r.Message != "" && blank(r.Message):
		errs.Add(field.Invalid(at.Child("message"), r.Message, "must be non-empty if specified"))
	case lines(r.Message):
		errs.Add(field.Invalid(at.Child("message"), r.Message, "must not contain line breaks"))
	case lines(r.Rule) && blank(r.Message):
		errs.Add(field.Required(at.Child("message"), "message must be specified if rule contains line breaks"))
	}
	if r.MessageExpression != "" && blank(r.MessageExpression) {
		errs.Add(field.Required(at.Child("messageExpression"), "messageExpression must be non-empty if specified"))
	}
	if reasons := []string{"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid",
		"FieldValueRequired"}; r.Reason != nil && !slices.Contains(reasons, *r.Reason) {
		errs.Add(field.NotSupported(at.Child("reason"), *r.Reason, reasons...))
	}
	if path := r.FieldPath; path != "" {
		if blank(path) {
			errs.Add(field.Invalid(at.Child("fieldPath"), path, "must be non-empty if specified"))
		}
		if strings.ContainsAny(path, "\r\n") {
			errs.Add(field.Invalid(at.Child("fieldPath"), path, "must not contain line breaks"))
		}
		if _, _, err := FieldPath(path, s, true); err != nil && supported() {
			errs.Add(field.Invalid(at.Child("fieldPath"), path, "must be a valid path"))
		}
	}
	return errs
}

// Unevaluated implements Rules by a syntax check only: its programs do nothing but warn of that.
type Unevaluated struct{}

// Check implements Rules: it returns the syntax errors of the expressions.
func (u Unevaluated) Check(_ context.Context, s *Schema, at field.Path, _ *traces.Step) field.ErrorList {
	return field.Lazily(at, func(at field.Path) field.ErrorList { return u.check(s, at) })
}

// ruleScope has the variables of a rule.
var ruleScope = syntax.ScopeOf("self", "oldSelf")

func (u Unevaluated) check(s *Schema, at field.Path) field.ErrorList {
	var errs field.ErrorList
	budget := NewBudget()
	s.each(at, budget, func(s *Schema, at field.Path) {
		for i, r := range s.RuleList() {
			at := at.Child("x-kubernetes-validations").Index(i)
			if err := ruleScope.CheckUpTo(MaxExpression, r.Rule); err != nil && strings.TrimSpace(r.Rule) != "" {
				errs.Add(field.Invalid(at.Child("rule"), r.Raw(), "compilation failed: "+err.Error()))
			}
			err := ruleScope.CheckUpTo(MaxExpression, r.MessageExpression)
			if err != nil && r.MessageExpression != "" {
				errs.Add(field.Invalid(at.Child("messageExpression"), r.Raw(), "messageExpression compilation failed: "+
					err.Error()))
			}
		}
	})
	if budget.Spent() {
		return TooMuch(at)
	}
	return errs
}

// each calls f for the schema and all structural ones below it, the inner ones first.
func (s *Schema) each(at field.Path, budget *Budget, f func(*Schema, field.Path)) {
	if s == nil || !budget.Visit(at) {
		return
	}
	s.Additional.each(at.Child("additionalProperties"), budget, f)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if budget.Spent() {
			return
		}
		s.Properties[name].each(at.Child("properties").Key(name), budget, f)
	}
	s.Items.each(at.Child("items"), budget, f)
	f(s, at)
}

// Compile implements Rules: the program returns a warning and no errors.
func (u Unevaluated) Compile(_ *Schema, resource string) Program { return unevaluated(resource) }

type unevaluated string

func (u unevaluated) Validate(_, _ map[string]any, _ *traces.Step) (field.ErrorList, []string) {
	return nil, []string{"the rules in the schema of " + string(u) +
		" (x-kubernetes-validations) are not evaluated by this server"}
}
