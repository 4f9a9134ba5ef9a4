package record

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
)

// A target is a resource type that is recorded.
type target struct {
	group, version, plural, kind string
	namespaced                   bool
	bucket                       string
	// row is that of a built-in type; nil for custom resources.
	row *schema.Resource
}

// name returns "pods" or "deployments.apps".
func (t *target) name() string {
	if t.group == "" {
		return t.plural
	}
	return t.plural + "." + t.group
}

func (t *target) apiVersion() string {
	if t.group == "" {
		return t.version
	}
	return t.group + "/" + t.version
}

func (t *target) isNamespaces() bool { return t.group == "" && t.plural == "namespaces" }

// path returns the path of the collection, in a namespace or in all of them.
func (t *target) path(namespace string) string {
	base := "/apis/" + t.group + "/" + t.version
	if t.group == "" {
		base = "/api/" + t.version
	}
	if t.namespaced && namespace != "" {
		base += "/namespaces/" + namespace
	}
	return base + "/" + t.plural
}

// key returns the key of an object in the store.
func (t *target) key(namespace, name string) string {
	if t.namespaced {
		return namespace + "/" + name
	}
	return name
}

// load returns why an object cannot be read by the version of Kubernetes that this is, if so.
func (t *target) load(value []byte) error {
	_, err := registry.Load(t.row, value)
	return err
}

const (
	definitionsName = "customresourcedefinitions.apiextensions.k8s.io"
	servicesName    = "apiservices.apiregistration.k8s.io"
	leasesName      = "leases.coordination.k8s.io"
)

// definitionsBucket returns the store's bucket of the definitions.
var definitionsBucket = sync.OnceValue(func() string {
	return schema.Builtin().Resource("apiextensions.k8s.io", "v1", "customresourcedefinitions").Bucket()
})

// customBucket returns the store's bucket of a custom resource.
func customBucket(group, plural string) string {
	return (&schema.Resource{Group: group, Plural: plural, Custom: new(schema.Custom)}).Bucket()
}

// Of the built-in types, the version that is stored has to be served by the cluster.
func builtin() (all []*target) {
	seen := map[string]bool{}
	for _, row := range schema.Builtin().Resources() {
		bucket := row.Bucket()
		if seen[bucket] || !row.HasVerb("list") || !row.HasVerb("watch") {
			continue
		}
		seen[bucket] = true
		stored := row.Storage()
		all = append(all, &target{
			group: stored.Group, version: stored.Version, plural: stored.Plural, kind: stored.Kind,
			namespaced: stored.Namespaced, bucket: bucket, row: stored,
		})
	}
	return all
}

// A served is a resource type as discovery shows it.
type served struct {
	group, version, plural, kind string
	namespaced, watched          bool
}

// discover returns what a cluster serves, and the group versions that did not answer, each with the reason.
func (c *client) discover(ctx context.Context) (all []served, silent map[string]error, err error) {
	var core struct{ Versions []string }
	if err := c.get(ctx, "/api", nil, &core); err != nil {
		return nil, nil, fmt.Errorf("discovery: %w", err)
	}
	var groups struct {
		Groups []struct {
			Name     string
			Versions []struct{ Version string }
		}
	}
	if err := c.get(ctx, "/apis", nil, &groups); err != nil {
		return nil, nil, fmt.Errorf("discovery: %w", err)
	}
	silent = map[string]error{}
	read := func(group, version, path string) {
		var list struct {
			Resources []struct {
				Name, Kind string
				Namespaced bool
				Verbs      []string
			}
		}
		if err := c.get(ctx, path, nil, &list); err != nil {
			silent[strings.TrimPrefix(group+"/"+version, "/")] = err
			return
		}
		for _, r := range list.Resources {
			if !strings.Contains(r.Name, "/") && slices.Contains(r.Verbs, "list") {
				all = append(all, served{group, version, r.Name, r.Kind, r.Namespaced, slices.Contains(r.Verbs, "watch")})
			}
		}
	}
	for _, v := range core.Versions {
		read("", v, "/api/"+v)
	}
	for _, g := range groups.Groups {
		for _, v := range g.Versions {
			read(g.Name, v.Version, "/apis/"+g.Name+"/"+v.Version)
		}
	}
	return all, silent, ctx.Err()
}

// aggregated returns the group versions that other API servers than the cluster's own serve.
func (c *client) aggregated(ctx context.Context) (map[string]bool, error) {
	var list struct {
		Items []apiService
	}
	if err := c.get(ctx, "/apis/apiregistration.k8s.io/v1/apiservices", nil, &list); err != nil {
		if code := codeOf(err); code == http.StatusForbidden || code == http.StatusNotFound {
			return nil, nil // then it is not said that they are aggregated
		}
		return nil, err
	}
	all := map[string]bool{}
	for _, s := range list.Items {
		if s.Spec.Service != nil {
			all[s.groupVersion()] = true
		}
	}
	return all, nil
}

type apiService struct {
	Metadata struct{ Name string }
	Spec     struct {
		Group, Version string
		Service        *struct{ Namespace, Name string }
	}
}

func (s *apiService) groupVersion() string { return s.Spec.Group + "/" + s.Spec.Version }

// A choice is what is recorded of what a cluster serves, and what is to be said of the rest.
type choice struct {
	targets []*target
	notes   []note
	// unmatched are the names that --types has and the cluster has not.
	unmatched []string
}

// choose decides what is recorded. names are those of --types; none: all but Leases. Custom resources are chosen when
// their definitions are seen.
func choose(
	all []served, silent map[string]error, aggregated map[string]bool, defined func(name string) bool, o *Options,
) (c choice) {
	has := map[string]served{}
	versions := map[string][]string{} // by group and resource
	for _, s := range all {
		has[s.group+"/"+s.version+"/"+s.plural] = s
		versions[s.plural+"."+s.group] = append(versions[s.plural+"."+s.group], s.version)
	}
	known, absent := map[string]bool{}, []string{}
	for _, row := range schema.Builtin().Resources() {
		known[row.Plural+"."+row.Group] = true // also if others have the same objects
	}
	other := map[string][]string{}
	for _, t := range builtin() {
		name := t.plural + "." + t.group
		_, is := has[t.group+"/"+t.version+"/"+t.plural]
		switch {
		case is && o.selects(t) && (t.namespaced || o.Namespace == "" || t.isNamespaces() || t.name() == definitionsName):
			c.targets = append(c.targets, t)
		case is || !o.selects(t):
		case len(versions[name]) > 0:
			other[strings.Join(versions[name], ", ")] = append(other[strings.Join(versions[name], ", ")], t.name())
		default:
			absent = append(absent, t.name())
		}
	}
	for _, v := range slices.Sorted(maps.Keys(other)) {
		c.say(other[v], "The cluster serves %s only in version %s, and not in the one that Tabernetes "+
			"stores: not recorded.", v)
	}
	c.say(absent, "The cluster does not have %s.")
	foreign, unknown, unwatched := []string{}, []string{}, []string{}
	for _, s := range all {
		gv, name := s.group+"/"+s.version, s.plural+"."+s.group
		name = strings.TrimSuffix(name, ".")
		switch {
		case aggregated[gv]:
			foreign = append(foreign, name)
		case known[s.plural+"."+s.group]:
		case !s.watched:
			unwatched = append(unwatched, name)
		case !defined(name):
			unknown = append(unknown, name)
		}
	}
	c.say(foreign, "Other API servers serve %s (aggregation): not recorded, since their revisions are not of this "+
		"cluster's etcd, if they have any.")
	c.say(unknown, "Tabernetes does not serve %s, and no definition of a custom resource was seen that makes them: not "+
		"recorded.")
	c.say(unwatched, "%s cannot be watched: not recorded.")
	for _, gv := range slices.Sorted(maps.Keys(silent)) {
		why := "aggregated"
		if !aggregated[gv] {
			why = "of the cluster's own server"
		}
		c.notes = append(c.notes, note{Kind: "types", Types: []string{gv}, Text: fmt.Sprintf(
			"Discovery of %s (%s) failed: %v. What it has is not recorded.", gv, why, silent[gv])})
	}
	if len(o.Types) == 0 {
		c.notes = append(c.notes, note{Kind: "types", Types: []string{leasesName}, Text: "Leases are not recorded unless " +
			"--types names them: every node writes one each ten seconds. Their revisions are missing."})
	}
	for _, name := range o.Types {
		if name != "*" && !slices.ContainsFunc(all, func(s served) bool {
			return name == s.plural || name == s.plural+"."+s.group
		}) {
			c.unmatched = append(c.unmatched, name)
		}
	}
	return c
}

// say adds a note about types, if there are any.
func (c *choice) say(types []string, format string, args ...any) {
	if len(types) == 0 {
		return
	}
	slices.Sort(types)
	types = slices.Compact(types)
	c.notes = append(c.notes, note{Kind: "types", Types: types,
		Text: fmt.Sprintf(format, append([]any{listed(types)}, args...)...)})
}

// listed returns names as a text, the first ones of many.
func listed(names []string) string {
	const most = 12
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// selects reports whether the options name a type.
func (o *Options) selects(t *target) bool {
	if len(o.Types) == 0 {
		return t.name() != leasesName
	}
	return slices.ContainsFunc(o.Types, func(name string) bool {
		return name == "*" || name == t.name() ||
			name == t.plural
	})
}
