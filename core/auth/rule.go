package auth

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/object"
)

// A Rule is a rbac.authorization.k8s.io/v1 PolicyRule.
type Rule struct {
	Verbs, APIGroups, Resources, ResourceNames, NonResourceURLs []string
}

// everything are the rules of a cluster administrator.
var everything = []Rule{
	{Verbs: []string{"*"}, APIGroups: []string{"*"}, Resources: []string{"*"}},
	{Verbs: []string{"*"}, NonResourceURLs: []string{"*"}},
}

// RulesOf returns the rules of a Role or ClusterRole.
func RulesOf(role map[string]any) []Rule {
	list := object.GetList(role, "rules")
	rules := make([]Rule, 0, len(list))
	for _, one := range list {
		tree, _ := one.(map[string]any)
		rules = append(rules, Rule{
			Verbs: object.GetStrings(tree, "verbs"), APIGroups: object.GetStrings(tree, "apiGroups"),
			Resources:       object.GetStrings(tree, "resources"),
			ResourceNames:   object.GetStrings(tree, "resourceNames"),
			NonResourceURLs: object.GetStrings(tree, "nonResourceURLs"),
		})
	}
	return rules
}

// allows reports whether a rule allows a request.
func (r *Rule) allows(a *Attributes) bool {
	if !has(r.Verbs, a.Verb) {
		return false
	}
	if !a.IsResource {
		return slices.ContainsFunc(r.NonResourceURLs, func(url string) bool { return urlCovers(url, a.Path) })
	}
	if len(r.ResourceNames) > 0 && !slices.Contains(r.ResourceNames, a.Name) {
		return false
	}
	return has(r.APIGroups, a.Group) && resourcesCover(r.Resources, a.Resource, a.Subresource)
}

// has reports whether a list contains a word or "*".
func has(list []string, word string) bool {
	for _, one := range list {
		if one == "*" || one == word {
			return true
		}
	}
	return false
}

// resourcesCover reports whether a list contains a resource or subresource: by its name, by "*", or
// for subresources by "*/NAME".
func resourcesCover(list []string, resource, subresource string) bool {
	for _, one := range list {
		if one == "*" {
			return true
		}
		if subresource == "" {
			if one == resource {
				return true
			}
			continue
		}
		name, sub, _ := strings.Cut(one, "/")
		if sub == subresource && (name == resource || name == "*") {
			return true
		}
	}
	return false
}

// urlCovers reports whether a path matches a rule's URL, which may end with a star.
func urlCovers(url, path string) bool {
	return url == "*" || url == path || strings.HasSuffix(url, "*") && strings.HasPrefix(path, strings.TrimRight(url, "*"))
}

// Missing returns the pieces of asked that no rule of held covers, each as small as possible: one
// verb of one resource, name or URL. Those of one resource are joined.
func Missing(held, asked []Rule) []Rule {
	var missing []Rule
	at := map[[3]string]int{} // the indexes of a resource's pieces, by group, resource and name
	for _, rule := range asked {
		for _, piece := range rule.pieces() {
			if slices.ContainsFunc(held, func(h Rule) bool { return h.covers(&piece) }) {
				continue
			}
			if len(piece.NonResourceURLs) > 0 {
				missing = append(missing, piece)
				continue
			}
			key := [3]string{piece.APIGroups[0], piece.Resources[0], strings.Join(piece.ResourceNames, "")}
			if n, ok := at[key]; ok {
				missing[n].Verbs = append(missing[n].Verbs, piece.Verbs...)
				continue
			}
			at[key] = len(missing)
			missing = append(missing, piece)
		}
	}
	return missing
}

// pieces splits a rule into rules with one entry in each list.
func (r *Rule) pieces() []Rule {
	var list []Rule
	for _, group := range r.APIGroups {
		for _, resource := range r.Resources {
			for _, verb := range r.Verbs {
				piece := Rule{Verbs: []string{verb}, APIGroups: []string{group}, Resources: []string{resource}}
				if len(r.ResourceNames) == 0 {
					list = append(list, piece)
				}
				for _, name := range r.ResourceNames {
					piece.ResourceNames = []string{name}
					list = append(list, piece)
				}
			}
		}
	}
	for _, url := range r.NonResourceURLs {
		for _, verb := range r.Verbs {
			list = append(list, Rule{Verbs: []string{verb}, NonResourceURLs: []string{url}})
		}
	}
	return list
}

// covers reports whether a rule grants a piece.
func (r *Rule) covers(piece *Rule) bool {
	if !has(r.Verbs, piece.Verbs[0]) {
		return false
	}
	if len(piece.NonResourceURLs) > 0 {
		return slices.ContainsFunc(r.NonResourceURLs,
			func(url string) bool { return urlCovers(url, piece.NonResourceURLs[0]) })
	}
	if len(r.ResourceNames) > 0 &&
		(len(piece.ResourceNames) == 0 || !slices.Contains(r.ResourceNames, piece.ResourceNames[0])) {
		return false
	}
	resource, subresource, _ := strings.Cut(piece.Resources[0], "/")
	return has(r.APIGroups, piece.APIGroups[0]) && resourcesCover(r.Resources, resource, subresource)
}

// String returns a rule as errors show it.
func (r Rule) String() string {
	var parts []string
	for _, part := range []struct {
		name string
		list []string
	}{
		{"APIGroups", r.APIGroups}, {"Resources", r.Resources}, {"NonResourceURLs", r.NonResourceURLs},
		{"ResourceNames", r.ResourceNames}, {"Verbs", r.Verbs},
	} {
		if len(part.list) > 0 {
			parts = append(parts, fmt.Sprintf("%s:%q", part.name, part.list))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
