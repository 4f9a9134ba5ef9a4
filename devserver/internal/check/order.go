package check

import "slices"

// rank orders the manifests of a group: what others need comes first.
func (m *manifest) rank(defined map[kind]bool) int {
	switch {
	case m.definition != nil:
		return 0
	case m.is("", "Namespace"):
		return 1
	case defined[m.kind()]: // it may be a parameter of a policy
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
	defined := map[kind]bool{}
	ranks := make(map[*manifest]int, len(group))
	for _, m := range group {
		if d := m.definition; d != nil {
			defined[kind{d.Spec.Group, d.Spec.Names.Kind}] = true
		}
	}
	for _, m := range group {
		ranks[m] = m.rank(defined)
	}
	group = slices.Clone(group)
	slices.SortStableFunc(group, func(a, b *manifest) int { return ranks[a] - ranks[b] })
	return group
}
