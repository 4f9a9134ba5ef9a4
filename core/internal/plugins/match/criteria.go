package match

import (
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/admission"
	"github.com/tabernetes/tabernetes/core/internal/selector"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// Criteria select requests.
type Criteria struct {
	// Invalid is the error of invalid selectors.
	Invalid error

	rules, excluded []rule
	// any is set if no rules match everything.
	any bool
	// exact is matchPolicy Exact: no requests that match only in another version.
	exact               bool
	namespaces, objects selector.Labels
}

// A rule selects requests by what they are for.
type rule struct {
	operations, groups, versions, resources, names []string
	scope                                          string
}

// OfWebhook returns the criteria of a webhook.
func OfWebhook(tree map[string]any) *Criteria { return criteria(tree, "rules") }

// OfResources returns those of matchConstraints and matchResources. Without rules they match everything.
func OfResources(tree map[string]any) *Criteria {
	c := criteria(tree, "resourceRules")
	c.any = len(c.rules) == 0
	return c
}

func criteria(tree map[string]any, rules string) *Criteria {
	c := &Criteria{
		rules: rulesOf(tree, rules), excluded: rulesOf(tree, "excludeResourceRules"),
		exact: object.GetString(tree, "matchPolicy") == "Exact",
	}
	var wrong error
	c.namespaces, _, c.Invalid = selector.FromLabelSelector(object.GetMap(tree, "namespaceSelector"))
	if c.objects, _, wrong = selector.FromLabelSelector(object.GetMap(tree, "objectSelector")); c.Invalid == nil {
		c.Invalid = wrong
	}
	return c
}

func rulesOf(tree map[string]any, key string) (rules []rule) {
	for _, entry := range object.GetList(tree, key) {
		if tree, ok := entry.(map[string]any); ok {
			rules = append(rules, rule{
				operations: object.GetStrings(tree, "operations"), groups: object.GetStrings(tree, "apiGroups"),
				versions: object.GetStrings(tree, "apiVersions"), resources: object.GetStrings(tree, "resources"),
				names: object.GetStrings(tree, "resourceNames"), scope: object.GetString(tree, "scope"),
			})
		}
	}
	return rules
}

// matches reports whether a rule matches a request for a resource.
func (r *rule) matches(resource *schema.Resource, a *admission.Attributes) bool {
	return has(r.operations, a.Operation) && has(r.groups, resource.Group) && has(r.versions, resource.Version) &&
		r.inScope(a) && (len(r.names) == 0 || slices.Contains(r.names, a.Name)) &&
		slices.ContainsFunc(r.resources, func(text string) bool {
			name, sub, _ := strings.Cut(text, "/")
			return (name == "*" || name == resource.Plural) && (sub == "*" || sub == a.Subresource)
		})
}

func has(words []string, word string) bool {
	return slices.Contains(words, "*") || slices.Contains(words, word)
}

// inScope reports whether a request is in the rule's scope. A Namespace is cluster-scoped here, although its requests
// have its own name as the namespace.
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

// selects reports whether objectSelector matches the new object or the old one.
func (c *Criteria) selects(a *admission.Attributes) bool {
	return c.objects.Empty() || selects(c.objects, a.Object) || selects(c.objects, a.Old)
}

func selects(l selector.Labels, obj map[string]any) bool {
	return obj != nil && l.MatchesTree(labelsOf(obj))
}

func labelsOf(obj map[string]any) map[string]any { return object.GetMap(obj, "metadata", "labels") }
