package match

import (
	"sync"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
	"github.com/tabernetes/tabernetes/core/status"
)

// A Source is where requests look things up.
type Source struct {
	Store *mvcc.Store
	Table *schema.Table
}

// A Request is one write. It looks everything up at most once.
type Request struct {
	*admission.Attributes
	// equivalents are the other resources that serve the same object: in another version, or group.
	equivalents func() []*schema.Resource
	namespace   func() (map[string]any, error)
}

// Request returns the request of a write.
func (s Source) Request(a *admission.Attributes) *Request {
	return &Request{
		Attributes: a,
		equivalents: sync.OnceValue(func() (others []*schema.Resource) {
			for _, row := range s.Table.Resources() {
				if row != a.Resource && row.Storage() == a.Storage() {
					others = append(others, row)
				}
			}
			return others
		}),
		namespace: sync.OnceValues(func() (map[string]any, error) { return s.lookUp(NamespaceOf(a)) }),
	}
}

func (s Source) lookUp(name string) (map[string]any, error) {
	t := s.Table.Resource("", "v1", "namespaces")
	v, _, err := s.Store.Get(t.Bucket(), name, 0)
	if err != nil {
		return nil, err
	}
	if v == nil {
		return nil, status.NewNotFound(status.GroupResource{Resource: "namespaces"}, name)
	}
	obj, _, err := object.Decode(v.Value, t.Type())
	return obj, err
}

// Namespace returns the stored namespace of the request's object; nil for a cluster-scoped one, also for a Namespace.
func (r *Request) Namespace() (map[string]any, error) {
	if r.Attributes.Namespace == "" || r.IsNamespace() {
		return nil, nil
	}
	return r.namespace()
}

// NamespaceOf returns the namespace of a request. That of a Namespace is its own name.
func NamespaceOf(a *admission.Attributes) string {
	if a.IsNamespace() {
		return a.Name
	}
	return a.Namespace
}

// Match returns the resource as which the criteria match a request, its own or an equivalent one; nil if they do not.
// It looks at the object in its present state, which others may have changed.
func (r *Request) Match(c *Criteria) (*schema.Resource, error) {
	resource := r.resourceFor(c)
	if resource == nil {
		return nil, nil
	}
	inNamespace, wrong := r.inNamespace(c)
	switch {
	case wrong == nil && !inNamespace, c.Invalid == nil && !c.selects(r.Attributes):
		return nil, nil
	case c.Invalid != nil:
		return nil, c.Invalid
	case wrong != nil:
		return nil, wrong
	}
	return resource, nil
}

// Mismatch returns why the criteria do not match a request: the field that keeps it out.
func (r *Request) Mismatch(c *Criteria) string {
	switch in, _ := r.inNamespace(c); {
	case r.byRules(c.excluded, c.exact) != nil:
		return "excludeResourceRules"
	case r.resourceFor(c) == nil:
		return "resourceRules"
	case !in:
		return "namespaceSelector"
	}
	return "objectSelector"
}

// resourceFor returns the resource by which the rules match the request's; nil if they do not.
func (r *Request) resourceFor(c *Criteria) *schema.Resource {
	if r.byRules(c.excluded, c.exact) != nil {
		return nil
	}
	if c.any {
		return r.Resource
	}
	return r.byRules(c.rules, c.exact)
}

func (r *Request) byRules(rules []rule, exact bool) *schema.Resource {
	for i := range rules {
		if rules[i].matches(r.Resource, r.Attributes) {
			return r.Resource
		}
	}
	if exact || len(rules) == 0 {
		return nil
	}
	for i := range rules {
		for _, other := range r.equivalents() {
			if rules[i].matches(other, r.Attributes) {
				return other
			}
		}
	}
	return nil
}

// inNamespace reports whether namespaceSelector matches. It always does for cluster-scoped objects except Namespaces.
func (r *Request) inNamespace(c *Criteria) (bool, error) {
	if c.namespaces.Empty() || r.Attributes.Namespace == "" && !r.IsNamespace() {
		return true, nil
	}
	if r.IsNamespace() && r.Attributes.Subresource == "" && r.Object != nil {
		return c.namespaces.MatchesTree(labelsOf(r.Object)), nil
	}
	found, err := r.namespace()
	return c.namespaces.MatchesTree(labelsOf(found)), err
}
