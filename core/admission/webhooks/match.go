package webhooks

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/selector"
	"github.com/tabernetes/tabernetes/core/status"
)

// A match is the version in which a webhook sees a request.
type match struct {
	*hook
	// resource is the request's own, or an equivalent one.
	resource *schema.Resource
}

// A matcher finds the webhooks for one request. It looks everything up at most once.
type matcher struct {
	// equivalents are the other resources that serve the same object: in another version, or group.
	equivalents func() []*schema.Resource
	namespace   func() (labels map[string]any, err error)
}

func (w *Plugin) newMatcher(a *admission.Attributes) *matcher {
	return &matcher{
		equivalents: sync.OnceValue(func() (others []*schema.Resource) {
			for _, row := range w.Table.Resources() {
				if row != a.Resource && row.Storage() == a.Storage() {
					others = append(others, row)
				}
			}
			return others
		}),
		namespace: sync.OnceValues(func() (map[string]any, error) { return w.namespaceLabels(namespaceOf(a)) }),
	}
}

// match returns how a webhook sees a request; nil if it does not. It looks at the object in its
// present state, which earlier webhooks may have changed. The client is warned if match conditions
// might have excluded the webhook.
func (m *matcher) match(h *hook, a *admission.Attributes) (*match, error) {
	resource := m.resourceFor(h, a)
	if resource == nil {
		return nil, nil
	}
	inNamespace, wrong := m.inNamespace(h, a)
	switch {
	case wrong == nil && !inNamespace, h.selectors == nil && !h.selects(a):
		return nil, nil
	case h.selectors != nil:
		return nil, status.NewInternal(h.selectors)
	case wrong != nil:
		return nil, wrong
	}
	if h.conditional {
		a.Warn(fmt.Sprintf("admission webhook %q was called whatever its matchConditions say: "+
			"this server does not evaluate them", h.name))
	}
	return &match{h, resource}, nil
}

// resourceFor returns the resource by which a webhook's rules match the request's; nil if they do
// not.
func (m *matcher) resourceFor(h *hook, a *admission.Attributes) *schema.Resource {
	for i := range h.rules {
		if h.rules[i].matches(a.Resource, a) {
			return a.Resource
		}
	}
	if h.exact {
		return nil
	}
	for i := range h.rules {
		for _, other := range m.equivalents() {
			if h.rules[i].matches(other, a) {
				return other
			}
		}
	}
	return nil
}

// matches reports whether a rule matches a request for a resource.
func (r *rule) matches(resource *schema.Resource, a *admission.Attributes) bool {
	return has(r.operations, a.Operation) && has(r.groups, resource.Group) && has(r.versions, resource.Version) &&
		r.inScope(a) && slices.ContainsFunc(r.resources, func(text string) bool {
		name, sub, _ := strings.Cut(text, "/")
		return (name == "*" || name == resource.Plural) && (sub == "*" || sub == a.Subresource)
	})
}

func has(words []string, word string) bool {
	return slices.Contains(words, "*") || slices.Contains(words, word)
}

// inScope reports whether a request is in the rule's scope. A Namespace is cluster-scoped here,
// although its reviews have its own name as the namespace.
func (r *rule) inScope(a *admission.Attributes) bool {
	cluster := a.IsNamespace() || a.Namespace == ""
	switch r.scope {
	case "", "*":
		return true
	case "Cluster":
		return cluster
	case "Namespaced":
		return !cluster
	}
	return false
}

// namespaceOf returns the namespace in a review.
func namespaceOf(a *admission.Attributes) string {
	if a.IsNamespace() {
		return a.Name
	}
	return a.Namespace
}

// inNamespace reports whether the webhook's namespaceSelector matches. It always does for
// cluster-scoped objects except Namespaces.
func (m *matcher) inNamespace(h *hook, a *admission.Attributes) (bool, error) {
	if h.namespaces.Empty() || a.Namespace == "" && !a.IsNamespace() {
		return true, nil
	}
	if a.IsNamespace() && a.Subresource == "" && a.Object != nil {
		return h.namespaces.MatchesTree(labelsOf(a.Object)), nil
	}
	labels, err := m.namespace()
	return h.namespaces.MatchesTree(labels), err
}

func (w *Plugin) namespaceLabels(name string) (map[string]any, error) {
	t := w.Table.Resource("", "v1", "namespaces")
	v, _, err := w.Store.Get(t.Bucket(), name, 0)
	if err != nil {
		return nil, err
	}
	if v == nil {
		return nil, status.NewNotFound(status.GroupResource{Resource: "namespaces"}, name)
	}
	obj, err := decode(v.Value, t.Type())
	return labelsOf(obj), err
}

// selects reports whether the webhook's objectSelector matches the new object or the old one.
func (h *hook) selects(a *admission.Attributes) bool {
	return h.objects.Empty() || selects(h.objects, a.Object) || selects(h.objects, a.Old)
}

func selects(l selector.Labels, obj map[string]any) bool {
	return obj != nil && l.MatchesTree(labelsOf(obj))
}

func labelsOf(obj map[string]any) map[string]any { return object.GetMap(obj, "metadata", "labels") }
