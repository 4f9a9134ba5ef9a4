package tables

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/object"
)

// admission are the kinds of admissionregistration.k8s.io.
var admission = []kind{
	{"admissionregistration.k8s.io", "MutatingAdmissionPolicy", "Name|Mutations:integer|ParamKind|Age",
		policyCells("mutations")},
	{"admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding", "Name|PolicyName|ParamRef|Age", policyBindingCells},
	{"admissionregistration.k8s.io", "MutatingWebhookConfiguration", "Name|Webhooks:integer|Age", webhookCells},
	{"admissionregistration.k8s.io", "ValidatingAdmissionPolicy", "Name|Validations:integer|ParamKind|Age",
		policyCells("validations")},
	{"admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding", "Name|PolicyName|ParamRef|Age",
		policyBindingCells},
	{"admissionregistration.k8s.io", "ValidatingWebhookConfiguration", "Name|Webhooks:integer|Age", webhookCells},
}

func webhookCells(v view) []any { return []any{v.name(), len(v.list("webhooks")), v.age()} }

// policyCells returns the cells of a policy with a field for its action.
func policyCells(field string) func(view) []any {
	return func(v view) []any {
		kind := unset
		if v.has("spec", "paramKind") {
			kind = v.text("spec", "paramKind", "apiVersion") + "/" + v.text("spec", "paramKind", "kind")
		}
		return []any{v.name(), len(v.list("spec", field)), kind, v.age()}
	}
}

func policyBindingCells(v view) []any {
	ref := unset
	if name := v.text("spec", "paramRef", "name"); name != "" {
		ref = v.textOr("*", "spec", "paramRef", "namespace") + "/" + name
	} else if v.has("spec", "paramRef", "selector") {
		ref = goSelector(v.tree("spec", "paramRef", "selector"))
	}
	return []any{v.name(), v.text("spec", "policyName"), ref, v.age()}
}

// goSelector formats a LabelSelector as the real server's Go type does.
func goSelector(tree map[string]any) string {
	var b strings.Builder
	b.WriteString("&LabelSelector{MatchLabels:map[string]string{")
	labels := object.GetMap(tree, "matchLabels")
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		fmt.Fprintf(&b, "%s: %v,", key, labels[key])
	}
	b.WriteString("},MatchExpressions:[]LabelSelectorRequirement{")
	for e := range trees(object.GetList(tree, "matchExpressions")) {
		fmt.Fprintf(&b, "LabelSelectorRequirement{Key:%s,Operator:%s,Values:%v,},",
			object.GetString(e, "key"), object.GetString(e, "operator"), object.GetStrings(e, "values"))
	}
	b.WriteString("},}")
	return b.String()
}
