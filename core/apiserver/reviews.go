package apiserver

import (
	"net/http"
	"slices"
	"time"

	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/field/syntax"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/managedfields"
	"github.com/tabernetes/tabernetes/core/internal/selector"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// A reviewer answers the review in obj, in place. The error is the answer instead.
type reviewer func(a *auth.Access, u *auth.User, obj map[string]any) error

// The reviewers by the kind of the review.
var reviewers = map[string]reviewer{
	"SubjectAccessReview":      subjectAccess,
	"LocalSubjectAccessReview": subjectAccess,
	"SelfSubjectAccessReview":  subjectAccess,
	"SelfSubjectRulesReview":   subjectRules,
	"TokenReview":              reviewToken,
}

// review answers a review, which is a create of a type that is not stored.
func (s *Server) review(w *answer, r *http.Request, i *info) error {
	obj, o, err := s.readWrite(w, r, i, i.own())
	if err != nil {
		return err
	}
	if err := registry.MatchNamespace(i.Target, obj); err != nil {
		return err
	}
	if err := s.Registry.AdmitVirtual(r.Context(), i.Target, obj, o); err != nil {
		return err
	}
	managedfields.Write{Resource: i.Resource, Manager: o.Manager, Now: s.Registry.Clock.Now()}.Update(nil, obj)
	user := auth.UserOf(r.Context())
	if i.Kind == "SelfSubjectReview" {
		obj = map[string]any{
			"apiVersion": i.APIVersion(), "kind": i.Kind,
			"metadata": map[string]any{"creationTimestamp": s.Registry.Clock.Now().UTC().Format(time.RFC3339)},
			"status":   map[string]any{"userInfo": userInfo(user)},
		}
		return w.stored(http.StatusCreated, object.Encode(nil, obj, i.Type()))
	}
	answer := reviewers[i.Kind]
	if answer == nil {
		return notImplemented(i)
	}
	access := &auth.Access{Authorizer: auth.AlwaysAllow{}}
	if s.Access != nil {
		if access, err = s.Access(r.Context()); err != nil {
			return err
		}
	}
	if err := answer(access, user, obj); err != nil {
		return err
	}
	return w.stored(http.StatusCreated, object.Encode(nil, obj, i.Type()))
}

// userInfo returns a user as authentication.k8s.io shows it.
func userInfo(u *auth.User) map[string]any {
	info := map[string]any{"username": u.Name, "uid": u.UID, "groups": object.ListOf(u.Groups)}
	if len(u.Extra) > 0 {
		info["extra"] = u.ExtraTree()
	}
	return info
}

// subjectAccess answers whether a user is allowed something: the one in the spec, or, for a
// SelfSubjectAccessReview, the request's own.
func subjectAccess(access *auth.Access, u *auth.User, obj map[string]any) error {
	spec, self := object.GetMap(obj, "spec"), object.Kind(obj) == "SelfSubjectAccessReview"
	if errs := validateAccess(obj, spec, self); len(errs) > 0 {
		return status.NewInvalid(status.GroupKind{Group: "authorization.k8s.io"}, "", errs)
	}
	if !self {
		u = &auth.User{Name: object.GetString(spec, "user"), UID: object.GetString(spec, "uid"),
			Groups: object.GetStrings(spec, "groups"), Extra: map[string][]string{}}
		extra := object.GetMap(spec, "extra")
		for key := range extra {
			u.Extra[key] = object.GetStrings(extra, key)
		}
	}
	a := auth.Attributes{User: u}
	result := map[string]any{}
	if resource := object.GetMap(spec, "resourceAttributes"); resource != nil {
		text := func(name string) string { return object.GetString(resource, name) }
		a.IsResource, a.Verb, a.Group, a.Resource = true, text("verb"), text("group"), text("resource")
		a.Subresource, a.Namespace, a.Name = text("subresource"), text("namespace"), text("name")
		if problem := selectorProblems(resource); problem != "" {
			result["evaluationError"] = problem
		}
	} else {
		a.Verb = object.GetString(spec, "nonResourceAttributes", "verb")
		a.Path = object.GetString(spec, "nonResourceAttributes", "path")
	}
	allowed, reason := access.Authorize(a)
	result["allowed"], result["reason"] = allowed, reason
	obj["status"] = result
	return nil
}

// validateAccess returns the violations of an access review.
func validateAccess(obj, spec map[string]any, self bool) (errs field.ErrorList) {
	const at = field.Path("spec")
	resource, isResource := spec["resourceAttributes"].(map[string]any)
	url, isURL := spec["nonResourceAttributes"].(map[string]any)
	shownURL := field.Raw(object.EncodeAny(nil,
		map[string]any{"Path": object.GetString(url, "path"), "Verb": object.GetString(url, "verb")}))
	if isResource && isURL {
		errs.Add(field.Invalid(at.Child("nonResourceAttributes"), shownURL,
			"cannot be specified in combination with resourceAttributes"))
	}
	if !isResource && !isURL {
		errs.Add(field.Invalid(at.Child("resourceAttributes"), nil,
			"exactly one of nonResourceAttributes or resourceAttributes must be specified"))
	}
	if !self && object.GetString(spec, "user") == "" && len(object.GetList(spec, "groups")) == 0 {
		errs.Add(field.Invalid(at.Child("user"), "", "at least one of user or group must be specified"))
	}
	errs.Add(validateSelectors(resource, at.Child("resourceAttributes"))...)

	local, meta := object.Kind(obj) == "LocalSubjectAccessReview", object.Meta(obj)
	empty := map[string]any{}
	for name, value := range meta {
		if name != "managedFields" && !(local && name == "namespace") {
			empty[name] = value
		}
	}
	metaType := schema.TypeOf("authorization.k8s.io", "v1", object.Kind(obj)).Field("metadata").Type
	if string(object.Encode(nil, empty, metaType)) != "{}" {
		why := "must be empty"
		if local {
			why += " except for namespace"
		}
		errs.Add(field.Invalid("metadata", field.Raw(object.Encode(nil, meta, metaType)), why))
	}
	if local {
		if namespace := object.GetString(resource, "namespace"); isResource && namespace != object.Namespace(obj) {
			errs.Add(field.Invalid(at.Child("resourceAttributes", "namespace"), namespace, "must match metadata.namespace"))
		}
		if isURL {
			errs.Add(field.Invalid(at.Child("nonResourceAttributes"), shownURL, "disallowed on this kind of request"))
		}
	}
	return errs
}

// validateSelectors returns the violations of the selectors of resource attributes. Unknown
// operators are for newer servers, not violations.
func validateSelectors(resource map[string]any, at field.Path) (errs field.ErrorList) {
	for _, name := range []string{"fieldSelector", "labelSelector"} {
		s, ok := resource[name].(map[string]any)
		if !ok {
			continue
		}
		at := at.Child(name)
		raw, requirements := object.GetString(s, "rawSelector"), object.GetList(s, "requirements")
		if raw != "" && len(requirements) > 0 {
			errs.Add(field.Invalid(at.Child("rawSelector"), raw, "may not specified at the same time as requirements"))
		}
		if raw == "" && len(requirements) == 0 {
			errs.Add(field.Required(at.Child("requirements"), "when "+string(at)+
				" is specified, requirements or rawSelector is required"))
		}
		for i, one := range requirements {
			r, _ := one.(map[string]any)
			errs.Add(validateRequirement(r, name == "labelSelector", at.Child("requirements").Index(i))...)
		}
	}
	return errs
}

func validateRequirement(r map[string]any, label bool, at field.Path) (errs field.ErrorList) {
	key, values := object.GetString(r, "key"), object.GetStrings(r, "values")
	if !label && key == "" {
		errs.Add(field.Required(at.Child("key"), "must be specified"))
	}
	switch object.GetString(r, "operator") {
	case "In", "NotIn":
		if len(values) == 0 {
			errs.Add(field.Required(at.Child("values"), "must be specified when `operator` is 'In' or 'NotIn'"))
		}
	case "Exists", "DoesNotExist":
		if len(values) > 0 {
			errs.Add(field.Forbidden(at.Child("values"), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"))
		}
	}
	if !label {
		return errs
	}
	for _, why := range syntax.LabelKey(key) {
		errs.Add(field.Invalid(at.Child("key"), key, why))
	}
	for i, value := range values {
		for _, why := range syntax.LabelValue(value) {
			errs.Add(field.Invalid(at.Child("values").Index(i), value, why))
		}
	}
	return errs
}

// selectorProblems returns which selectors of resource attributes an authorizer could not use, or
// only in part. RBAC uses none.
func selectorProblems(resource map[string]any) string {
	var problems string
	for _, name := range []string{"fieldSelector", "labelSelector"} {
		s := object.GetMap(resource, name)
		good, bad := 0, 0
		if raw := object.GetString(s, "rawSelector"); raw != "" {
			_, err := selector.ParseFields(raw)
			if name == "labelSelector" {
				_, err = selector.ParseLabels(raw)
			}
			if err != nil {
				bad++
			}
		}
		known := []string{"In", "NotIn"}
		if name == "labelSelector" {
			known = append(known, "Exists", "DoesNotExist")
		}
		for _, one := range object.GetList(s, "requirements") {
			r, _ := one.(map[string]any)
			if slices.Contains(known, object.GetString(r, "operator")) &&
				(name == "labelSelector" || len(object.GetList(r, "values")) == 1) {
				good++
			} else {
				bad++
			}
		}
		if bad == 0 {
			continue
		}
		if problems != "" {
			problems += "; "
		}
		problems += "spec.resourceAttributes." + name
		if good > 0 {
			problems += " partially"
		}
		problems += " ignored due to parse error"
	}
	return problems
}

// subjectRules answers what the request's user may do in a namespace.
func subjectRules(access *auth.Access, u *auth.User, obj map[string]any) error {
	namespace := object.GetString(obj, "spec", "namespace")
	if namespace == "" {
		return status.NewBadRequest("no namespace on request")
	}
	rules, err := access.RulesFor(u, namespace)
	resourceRules, urlRules := []any{}, []any{}
	for _, rule := range rules {
		if len(rule.Resources) > 0 {
			resourceRules = append(resourceRules, map[string]any{
				"verbs": object.ListOf(rule.Verbs), "apiGroups": object.ListOf(rule.APIGroups),
				"resources": object.ListOf(rule.Resources), "resourceNames": object.ListOf(rule.ResourceNames),
			})
		}
		if len(rule.NonResourceURLs) > 0 {
			urlRules = append(urlRules, map[string]any{"verbs": object.ListOf(rule.Verbs),
				"nonResourceURLs": object.ListOf(rule.NonResourceURLs)})
		}
	}
	result := map[string]any{"resourceRules": resourceRules, "nonResourceRules": urlRules, "incomplete": false}
	if err != nil {
		result["evaluationError"] = err.Error()
	}
	obj["metadata"], obj["spec"], obj["status"] = map[string]any{}, map[string]any{}, result
	return nil
}

// reviewToken answers a TokenReview.
func reviewToken(access *auth.Access, _ *auth.User, obj map[string]any) error {
	spec := object.GetMap(obj, "spec")
	token := object.GetString(spec, "token")
	if token == "" {
		return status.NewBadRequest("token is required for TokenReview in authentication")
	}
	// What was sent of the status stays where there is nothing to say.
	result := tree.Make(obj, "status")
	u, audiences, err := access.Review(token, object.GetStrings(spec, "audiences"))
	result["authenticated"] = u != nil && err == nil
	switch {
	case err != nil:
		result["error"] = err.Error()
	case u != nil:
		result["user"] = userInfo(u)
		if len(audiences) > 0 {
			result["audiences"] = object.ListOf(audiences)
		}
	}
	return nil
}
