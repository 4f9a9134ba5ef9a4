package check

import (
	"cmp"
	"encoding/json"
	"slices"
)

// rank orders the manifests of a group: what others need comes first.
func (m *manifest) rank(parameter bool) int {
	switch {
	case m.definition != nil:
		return 0
	case m.is("", "Namespace"):
		return 1
	case parameter:
		return 2
	case admits[m.kind()]:
		return 3
	}
	return 4
}

// A kind is one of a group, in whatever version.
type kind struct{ group, kind string }

func (m *manifest) kind() kind { return kind{m.group(), m.Kind} }

// admits are the kinds that the admission of other objects asks for.
var admits = map[kind]bool{
	{"", "LimitRange"}:                                 true,
	{"", "ResourceQuota"}:                              true,
	{"node.k8s.io", "RuntimeClass"}:                    true,
	{"scheduling.k8s.io", "PriorityClass"}:             true,
	{"storage.k8s.io", "StorageClass"}:                 true,
	{"networking.k8s.io", "IngressClass"}:              true,
	{registration, "ValidatingAdmissionPolicy"}:        true,
	{registration, "MutatingAdmissionPolicy"}:          true,
	{registration, "MutatingAdmissionPolicyBinding"}:   true,
	{registration, "ValidatingAdmissionPolicyBinding"}: true,
}

const registration = "admissionregistration.k8s.io"

// calls are the kinds that have an API server call others. They are not there, so objects of these kinds are not kept.
var calls = map[kind]bool{
	{registration, "ValidatingWebhookConfiguration"}: true,
	{registration, "MutatingWebhookConfiguration"}:   true,
	{"apiregistration.k8s.io", "APIService"}:         true,
}

// inOrder returns the manifests of a group as they are applied.
func inOrder(group []*manifest) []*manifest {
	wanted := parameters(group)
	ranks := make(map[*manifest]int, len(group))
	for _, m := range group {
		ranks[m] = m.rank(slices.ContainsFunc(wanted, func(p parameter) bool { return p.is(m) }))
	}
	group = slices.Clone(group)
	slices.SortStableFunc(group, func(a, b *manifest) int { return ranks[a] - ranks[b] })
	return group
}

// A parameter is what a binding names as the parameters of its policy.
type parameter struct {
	kind kind
	// name is empty if they are selected by labels, and namespace if they are those of the requests' namespaces.
	name, namespace string
}

// is reports whether an object is, or may be, such a parameter.
func (p parameter) is(m *manifest) bool {
	return m.kind() == p.kind && (p.name == "" || p.name == m.Name) &&
		(p.namespace == "" || p.namespace == cmp.Or(m.Namespace, "default"))
}

// parameters returns the parameters of the policies of a group.
func parameters(group []*manifest) (all []parameter) {
	type spec struct {
		ParamKind  Object
		PolicyName string
		ParamRef   *struct{ Name, Namespace string }
	}
	specs := map[*manifest]spec{}
	kinds := map[string]kind{} // by kinds and names of policies
	for _, m := range group {
		if !isPolicy(m) {
			continue
		}
		var p struct{ Spec spec }
		_ = json.Unmarshal(m.body, &p) // what is wrong with it is said when it is applied
		specs[m] = p.Spec
		if of := p.Spec.ParamKind; of.Kind != "" {
			kinds[m.Kind+"Binding/"+m.Name] = (&manifest{Object: of}).kind()
		}
	}
	for m, s := range specs {
		if of, ok := kinds[m.Kind+"/"+s.PolicyName]; ok && s.ParamRef != nil {
			all = append(all, parameter{of, s.ParamRef.Name, s.ParamRef.Namespace})
		}
	}
	return all
}
