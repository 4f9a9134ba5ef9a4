package relay

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/auth"
	"github.com/tabernetes/tabernetes/core/wellknown"
)

// Grants are what a member may read: the verbs get, list and watch by resource type, GROUP/RESOURCE,
// either of which may be a star. Rules for single names are not among them.
type Grants struct {
	Cluster    map[string]string            `json:"cluster,omitempty"`
	Namespaces map[string]map[string]string `json:"namespaces,omitempty"`
}

// readVerbs are the verbs of Grants.
var readVerbs = []string{"get", "list", "watch"}

// grantsOf returns the grants of a user.
func grantsOf(authorizer auth.Authorizer, u *auth.User) *Grants {
	rules, _ := authorizer.RulesFor(u, "") // a role that does not exist grants nothing
	g := &Grants{Cluster: grantsIn(rules)}
	scoped, ok := authorizer.(interface{ BoundIn(*auth.User) []string })
	if !ok {
		return g
	}
	for _, namespace := range scoped.BoundIn(u) {
		rules, _ := authorizer.RulesFor(u, namespace)
		here := grantsIn(rules)
		maps.DeleteFunc(here, func(what, verbs string) bool { return g.Cluster[what] == verbs })
		if len(here) == 0 {
			continue
		}
		if g.Namespaces == nil {
			g.Namespaces = map[string]map[string]string{}
		}
		g.Namespaces[namespace] = here
	}
	return g
}

// grantsIn returns what rules grant together.
func grantsIn(rules []auth.Rule) map[string]string {
	all := map[string][]string{}
	for _, r := range rules {
		if len(r.ResourceNames) > 0 {
			continue
		}
		for _, group := range r.APIGroups {
			for _, resource := range r.Resources {
				if strings.Contains(resource, "/") {
					continue
				}
				what := group + "/" + resource
				for _, verb := range readVerbs {
					if !slices.Contains(all[what], verb) && (slices.Contains(r.Verbs, verb) || slices.Contains(r.Verbs, "*")) {
						all[what] = append(all[what], verb)
					}
				}
			}
		}
	}
	granted := make(map[string]string, len(all))
	for what, verbs := range all {
		slices.Sort(verbs)
		granted[what] = strings.Join(verbs, " ")
	}
	return granted
}

// key returns what is equal for equal grants only.
func (g *Grants) key() string {
	text, err := json.Marshal(g) // which sorts maps
	if err != nil {
		panic(err) // strings
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// allow reports whether a verb is granted in a namespace, "" being the cluster.
func (g *Grants) allow(verb, group, resource, namespace string) bool {
	return allows(g.Cluster, verb, group, resource) ||
		namespace != "" && allows(g.Namespaces[namespace], verb, group, resource)
}

func allows(granted map[string]string, verb, group, resource string) bool {
	for _, what := range [...]string{group + "/" + resource, group + "/*", "*/" + resource, "*/*"} {
		if verbs := granted[what]; verbs != "" && slices.Contains(strings.Split(verbs, " "), verb) {
			return true
		}
	}
	return false
}

// relays reports whether objects of a resource type are relayed: those that may be listed and
// watched. The tokens of a room never are.
func (g *Grants) relays(group, resource, namespace string) bool {
	return (group != wellknown.Group || resource != "roomtokens") &&
		g.allow("list", group, resource, namespace) && g.allow("watch", group, resource, namespace)
}
