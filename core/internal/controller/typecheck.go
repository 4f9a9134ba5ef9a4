package controller

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/expression"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/openapi"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// typeCheckManager is the field manager of the status of ValidatingAdmissionPolicies.
const typeCheckManager = "validatingadmissionpolicy-status"

// maxCheckedTypes is how many types a rule of a policy may name before no further ones are checked.
const maxCheckedTypes = 10

// typeCheck checks the expressions of ValidatingAdmissionPolicies by the types of the objects that they match, and
// writes what it finds to their status, once for each generation. Of MutatingAdmissionPolicies, which have no status,
// nothing is checked.
func typeCheck(r *registry.Registry, evaluator expression.Evaluator) plan {
	c := typeChecker{client{r}, evaluator, registry.Target{Resource: r.Table.Resource("admissionregistration.k8s.io", "v1",
		"validatingadmissionpolicies")}}
	return plan{
		buckets:   func() []string { return []string{c.policies.Resource.Bucket()} },
		notice:    func(e *mvcc.Event, add add) { add(e.Key, 0) },
		reconcile: c.reconcile,
	}
}

type typeChecker struct {
	client
	evaluator expression.Evaluator
	policies  registry.Target
}

func (c typeChecker) reconcile(ctx context.Context, name string) (time.Duration, error) {
	at := c.policies
	at.Name = name
	policy, err := c.get(ctx, at)
	if policy == nil || err != nil {
		return 0, err
	}
	generation, _ := object.GetInt(policy, "metadata", "generation")
	if observed, _ := object.GetInt(policy, "status", "observedGeneration"); generation <= observed {
		return 0, nil
	}
	warnings, err := c.check(ctx, object.GetMap(policy, "spec"))
	if err != nil {
		return 0, err
	}
	found := map[string]any{}
	if len(warnings) > 0 {
		found["expressionWarnings"] = warnings
	}
	return 0, c.apply(ctx, name, map[string]any{"observedGeneration": generation, "typeChecking": found})
}

// apply applies the status of a policy if it still exists.
func (c typeChecker) apply(ctx context.Context, name string, is map[string]any) error {
	t := c.policies
	t.Name, t.Subresource = name, "status"
	policy := map[string]any{"apiVersion": t.APIVersion(), "kind": t.Kind, "metadata": map[string]any{"name": name},
		"status": is}
	o := options("PatchOptions")
	o.Manager = typeCheckManager
	_, _, err := c.registry.Apply(ctx, t, registry.Configuration{Object: policy, Force: true}, o)
	if status.Is(err, status.NotFound) {
		return nil
	}
	return err
}

// check returns the warnings of a policy's expressions: one for each that is wrong for some type.
func (c typeChecker) check(ctx context.Context, spec map[string]any) ([]any, error) {
	var texts, places []string
	for i, v := range object.GetList(spec, "validations") {
		v, _ := v.(map[string]any)
		for _, key := range []string{"expression", "messageExpression"} {
			if text := object.GetString(v, key); text != "" || key == "expression" {
				texts = append(texts, text)
				places = append(places, string(field.Path("spec.validations").Index(i).Child(key)))
			}
		}
	}
	u := expression.Unit{Authorizer: true, Composed: true}
	for _, v := range object.GetList(spec, "variables") {
		v, _ := v.(map[string]any)
		u.Variables = append(u.Variables, expression.Variable{Name: object.GetString(v, "name"),
			Expression: object.GetString(v, "expression")})
	}
	for _, text := range texts {
		u.Expressions = append(u.Expressions, expression.Expression{Text: text})
	}
	if kind := object.GetMap(spec, "paramKind"); kind != nil {
		u.Params = true
		group, version := object.SplitGroupVersion(object.GetString(kind, "apiVersion"))
		if row := c.registry.Table.ByKind(group, version, object.GetString(kind, "kind")); row != nil {
			u.ParamsType = c.typeOf(row)
		}
	}
	wrong := make([]string, len(texts))
	for _, row := range Matched(c.registry.Table, object.GetList(spec, "matchConstraints", "resourceRules")) {
		u.ObjectType = c.typeOf(row)
		_, problems, err := c.evaluator.CompileUnit(ctx, &u)
		if err != nil {
			return nil, err
		}
		for _, p := range problems {
			if p.Variable {
				continue
			}
			if wrong[p.Index] != "" {
				wrong[p.Index] += "\n"
			}
			wrong[p.Index] += fmt.Sprintf("%s/%s, Kind=%s: %s\n", row.Group, row.Version, row.Kind, p.Message)
		}
	}
	var warnings []any
	for i, text := range wrong {
		if text != "" {
			warnings = append(warnings, map[string]any{"fieldRef": places[i], "warning": text})
		}
	}
	return warnings, nil
}

// typeOf returns the type of a resource's objects. Its name has a number that others do not have, as in the real
// server.
func (c typeChecker) typeOf(row *schema.Resource) *expression.ObjectType {
	return &expression.ObjectType{Name: fmt.Sprintf("%s%d", row.Kind, c.registry.Clock.Now().Nanosecond()),
		Schema: openapi.Whole(row)}
}

// Matched returns the resources that the rules of a policy or of a webhook name, one of each kind, in the order of
// group, version and kind. Rules with wildcards and subresources name none.
func Matched(table *schema.Table, resourceRules []any) (rows []*schema.Resource) {
	add := func(row *schema.Resource) {
		same := func(r *schema.Resource) bool { return r.APIVersion() == row.APIVersion() && r.Kind == row.Kind }
		if !slices.ContainsFunc(rows, same) {
			rows = append(rows, row)
		}
	}
rules:
	for _, rule := range resourceRules {
		rule, _ := rule.(map[string]any)
		groups, versions := namesOf(rule, "apiGroups"), namesOf(rule, "apiVersions")
		if slices.ContainsFunc(slices.Concat(groups, versions), isPattern) {
			continue
		}
		count := 0
		for _, group := range groups {
			for _, version := range versions {
				for _, resource := range namesOf(rule, "resources") {
					if isPattern(resource) || strings.Contains(resource, "/") {
						continue
					}
					for _, row := range kindsFor(table, group, version, resource) {
						add(row)
						if count++; count == maxCheckedTypes {
							break rules
						}
					}
				}
			}
		}
	}
	slices.SortFunc(rows, func(a, b *schema.Resource) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Kind, b.Kind))
	})
	return rows
}

// kindsFor returns the resources of a name in a group version. The legacy group's are those of all groups with that
// version, since it has no name.
func kindsFor(table *schema.Table, group, version, resource string) (rows []*schema.Resource) {
	resource = strings.ToLower(resource)
	for _, row := range table.Resources() {
		if (group == "" || row.Group == group) && row.Version == version &&
			(row.Plural == resource || row.Singular == resource) {
			rows = append(rows, row)
		}
	}
	return rows
}

func namesOf(rule map[string]any, key string) []string {
	return slices.Sorted(slices.Values(object.GetStrings(rule, key)))
}

func isPattern(name string) bool { return strings.Contains(name, "*") }
