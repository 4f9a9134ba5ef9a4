package trial

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/tabernetes/tabernetes/core/apiserver"
	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/internal/controller"
	"github.com/tabernetes/tabernetes/core/internal/plugins/match"
	"github.com/tabernetes/tabernetes/core/internal/plugins/policies"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/openapi"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// A question is about an expression that is being written.
type question struct {
	Object     json.RawMessage `json:"object"`
	Field      string          `json:"field"`
	Text       string          `json:"text"`
	Offset     int             `json:"offset"`
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`

	Variables json.RawMessage `json:"variables"`
	Evaluate  bool            `json:"evaluate"`
}

// A typeName is a type that a policy matches.
type typeName struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

// review answers a question about an expression.
func (i *instance) review(w http.ResponseWriter, r *http.Request, c apiserver.Call) error {
	asked := question{}
	if err := read(c, &asked); err != nil {
		return err
	}
	about := &expression.Review{Text: asked.Text, Offset: asked.Offset}
	names := []typeName{}
	var err error
	switch {
	case isNone(asked.Object):
		about.Unit, err = asked.plain()
	default:
		names, err = i.place(about, &asked)
	}
	if err != nil {
		return status.NewBadRequest(err.Error())
	}
	text, err := i.CEL.Review(r.Context(), about)
	if errors.Is(err, expression.ErrUnavailable) {
		return status.NewUnavailable(err.Error(), 0)
	}
	if err != nil {
		return err
	}
	more, err := json.Marshal(struct {
		Types []typeName `json:"types"`
	}{names})
	if err != nil {
		return err
	}
	text = append(append(text[:len(text)-1:len(text)-1], ','), more[1:len(more)-1]...)
	if asked.Evaluate && isNone(asked.Object) {
		value, err := i.evaluate(r, about.Unit, &asked)
		if err != nil {
			return err
		}
		text = append(append(text, `,"evaluation":`...), value...)
	}
	w.Header().Set("Content-Type", "application/json")
	_, err = w.Write(append(text, '}'))
	return err
}

// isNone reports whether a member is left out.
func isNone(text json.RawMessage) bool { return len(text) == 0 || string(text) == "null" }

// plain returns the unit of an expression that belongs to no object.
func (q *question) plain() (*expression.Unit, error) {
	values, err := q.values()
	if err != nil {
		return nil, err
	}
	u := &expression.Unit{Names: []string{}, Authorizer: true, Expressions: []expression.Expression{{Text: q.Text}}}
	for name := range values {
		u.Names = append(u.Names, name)
	}
	return u, nil
}

func (q *question) values() (map[string]any, error) {
	if isNone(q.Variables) {
		return nil, nil
	}
	v, err := object.DecodeAny(q.Variables)
	values, ok := v.(map[string]any)
	if err == nil && !ok {
		err = errors.New("it is no object")
	}
	if err != nil {
		return nil, errors.New("variables: " + err.Error())
	}
	return values, nil
}

// evaluate returns what an expression comes to.
func (i *instance) evaluate(r *http.Request, u *expression.Unit, q *question) ([]byte, error) {
	values, err := q.values()
	if err != nil {
		return nil, err
	}
	ctx := r.Context()
	compiled, _, err := i.CEL.CompileUnit(ctx, u)
	if err != nil {
		return nil, err
	}
	in := &expression.Input{Values: values, Trace: true, Authorize: match.Access(i.Access).Asker(ctx)}
	results, _, err := compiled.Evaluate(ctx, []int{0}, in, expression.PolicyBudget)
	if err != nil {
		return nil, err
	}
	if len(results) != 1 || len(results[0].Traces) != 1 {
		return nil, errors.New("the evaluator gave no result")
	}
	return evaluationText(results[0].Traces[0]), nil
}

// place finds the expression of an object's field, and returns the types that it may be about.
func (i *instance) place(about *expression.Review, q *question) (names []typeName, err error) {
	v, err := object.DecodeAny(q.Object)
	obj, ok := v.(map[string]any)
	if err != nil || !ok {
		return nil, errors.New("object: it is no object")
	}
	steps, err := stepsOf(q.Field)
	if err == nil {
		err = put(obj, steps, q.Text)
	}
	if err != nil {
		return nil, errors.New("field: " + err.Error())
	}
	if object.Kind(obj) == "CustomResourceDefinition" {
		return []typeName{}, rule(about, obj, steps)
	}
	found, ok := policies.Find(obj, q.Field)
	if !ok {
		return nil, errors.New("field: no expression is there")
	}
	about.Unit, about.Variable, about.Index = found.Unit, found.Variable, found.Index
	spec := object.GetMap(obj, "spec")
	rules := object.GetList(spec, "matchConstraints", "resourceRules")
	if strings.HasPrefix(q.Field, "webhooks[") {
		hook, _ := lookUp(obj, steps[:2]).(map[string]any)
		rules = object.GetList(hook, "rules")
	}
	var of *schema.Resource
	names = []typeName{}
	for _, row := range controller.Matched(i.Registry.Table, rules) {
		names = append(names, typeName{row.APIVersion(), row.Kind})
		if of == nil || row.APIVersion() == q.APIVersion && row.Kind == q.Kind {
			of = row
		}
	}
	if of != nil {
		typed := *found.Unit
		typed.ObjectType = &expression.ObjectType{Name: of.Kind, Schema: openapi.Whole(of)}
		if row := i.params(spec); row != nil {
			typed.ParamsType = &expression.ObjectType{Name: row.Kind, Schema: openapi.Whole(row)}
		}
		about.Typed = &typed
		about.Warns = object.Kind(obj) == "ValidatingAdmissionPolicy" && strings.HasPrefix(q.Field, "spec.validations[")
	}
	return names, nil
}

// params returns the type of a policy's parameters; nil if it has none, or if it is not known.
func (i *instance) params(spec map[string]any) *schema.Resource {
	kind := object.GetMap(spec, "paramKind")
	if kind == nil {
		return nil
	}
	group, version := object.SplitGroupVersion(object.GetString(kind, "apiVersion"))
	return i.Registry.Table.ByKind(group, version, object.GetString(kind, "kind"))
}

// rule fills in what is asked about the rule of a definition at a field.
func rule(about *expression.Review, obj map[string]any, steps []any) error {
	for n, step := range steps {
		if step != "openAPIV3Schema" || n+4 > len(steps) {
			continue
		}
		about.Schema, _ = lookUp(obj, steps[:n+1]).(map[string]any)
		inner := steps[n+1 : len(steps)-3]
		for _, s := range inner {
			text, ok := s.(string)
			if !ok {
				text = "0" // a place in allOf, which is about what is around it
			}
			about.At = append(about.At, text)
		}
		is, _ := lookUp(obj, steps[:len(steps)-1]).(map[string]any)
		about.Optional, _ = is["optionalOldSelf"].(bool)
		switch steps[len(steps)-1] {
		case "messageExpression":
			about.Message = true
			return nil
		case "rule":
			return nil
		}
	}
	return errors.New("field: no rule is there")
}

// asks is who is asked about.
type asks struct {
	Verb        string `json:"verb"`
	Group       string `json:"group"`
	Resource    string `json:"resource"`
	Subresource string `json:"subresource"`
	Namespace   string `json:"namespace"`
	Name        string `json:"name"`
	Path        string `json:"path"`
	User        *struct {
		Name   string   `json:"name"`
		Groups []string `json:"groups"`
	} `json:"user"`
}

// grants answers who can do something.
func (i *instance) grants(w http.ResponseWriter, r *http.Request, c apiserver.Call) error {
	asked := asks{}
	if err := read(c, &asked); err != nil {
		return err
	}
	if asked.Verb == "" || (asked.Resource == "") == (asked.Path == "") {
		return status.NewBadRequest("a verb is needed, and a resource or a path")
	}
	a := auth.Attributes{Verb: asked.Verb, IsResource: asked.Path == "", Path: asked.Path, Group: asked.Group,
		Resource: asked.Resource, Subresource: asked.Subresource, Namespace: asked.Namespace, Name: asked.Name}
	made := struct {
		Allowed  bool          `json:"allowed"`
		Reason   string        `json:"reason"`
		Grants   []auth.Grant  `json:"grants"`
		Missing  []auth.Grant  `json:"missing"`
		Everyone []auth.Object `json:"everyone"`
	}{Grants: []auth.Grant{}, Missing: []auth.Grant{}, Everyone: []auth.Object{{Kind: "Group", Name: auth.Masters}}}
	if u := asked.User; u != nil {
		a.User = &auth.User{Name: u.Name, Groups: u.Groups}
		access, err := i.Access(r.Context())
		if err != nil {
			return err
		}
		made.Allowed, made.Reason = access.Authorize(a)
	}
	all, missing := i.RBAC().Grants(a)
	made.Grants, made.Missing = append(made.Grants, all...), append(made.Missing, missing...)
	return answer(w, made)
}
