package schema

import (
	_ "embed" // for resources.txt
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Table is the set of resources that one server serves. Readers take no lock and see a consistent
// state; a change copies the state.
type Table struct {
	mu    sync.Mutex // held by callers that change the table
	state atomic.Pointer[state]
}

// state is immutable.
type state struct {
	rows       []*Resource
	groups     []Group
	byResource map[[3]string]*Resource
	byKind     map[[3]string]*Resource
	versions   map[[2]string][]*Resource
}

// Group is one API group with its served versions, the preferred one first.
// The core group has the name "".
type Group struct {
	Name     string
	Versions []string
}

// Builtin returns a new Table of the resources that kube-apiserver serves by default.
func Builtin() *Table {
	t := &Table{}
	resources.Do(func() { resources.state = readResources() })
	t.state.Store(resources.state)
	return t
}

// Clone returns a Table with the same resources, which changes by itself. It costs nothing.
func (t *Table) Clone() *Table {
	c := &Table{}
	c.state.Store(t.state.Load())
	return c
}

// Resources returns all rows in discovery order. The slice must not be changed.
func (t *Table) Resources() []*Resource { return t.state.Load().rows }

// GroupVersion returns the rows of one group version in discovery order, nil if it is not served.
// The slice must not be changed.
func (t *Table) GroupVersion(group, version string) []*Resource {
	return t.state.Load().versions[[2]string{group, version}]
}

// Groups returns the groups in the order of /apis, the core group first. The slice must not be changed.
func (t *Table) Groups() []Group { return t.state.Load().groups }

// Group returns one group, false if nothing of it is served.
func (t *Table) Group(name string) (Group, bool) {
	for _, g := range t.Groups() {
		if g.Name == name {
			return g, true
		}
	}
	return Group{}, false
}

// Resource returns the row of that resource, nil if it is not served.
func (t *Table) Resource(group, version, plural string) *Resource {
	return t.state.Load().byResource[[3]string{group, version, plural}]
}

// ByKind returns the row of that kind, nil if it is not served.
func (t *Table) ByKind(group, version, kind string) *Resource {
	return t.state.Load().byKind[[3]string{group, version, kind}]
}

// Add adds rows, or replaces those of the same group, version and plural. Groups and versions come in
// the order in which they were first added: add a group's preferred version first. Custom resources come last,
// in the order of their names and with the preferred version first.
func (t *Table) Add(rows ...*Resource) { t.Swap(nil, rows) }

// Remove removes the rows of the same group, version and plural; unknown ones are ignored.
func (t *Table) Remove(rows ...*Resource) { t.Swap(rows, nil) }

// Swap removes rows and adds others in one step.
func (t *Table) Swap(old, rows []*Resource) {
	t.mu.Lock()
	defer t.mu.Unlock()
	next := slices.Clone(t.Resources())
	for _, r := range old {
		if !slices.ContainsFunc(rows, func(n *Resource) bool { return same(n, r) }) {
			next = slices.DeleteFunc(next, func(o *Resource) bool { return same(o, r) })
		}
	}
	for _, r := range rows {
		i := slices.IndexFunc(next, func(o *Resource) bool { return same(o, r) })
		if i >= 0 {
			next[i] = r
			continue
		}
		// After the last row of its group version, or else of its group, so that these stay together.
		at := len(next)
		for i, o := range next {
			if o.Group == r.Group && (o.Version == r.Version || t.GroupVersion(r.Group, r.Version) == nil) {
				at = i + 1
			}
		}
		next = slices.Insert(next, at, r)
	}
	slices.SortStableFunc(next, compareCustom)
	t.state.Store(newState(next))
}

func same(a, b *Resource) bool {
	return a.Group == b.Group && a.Version == b.Version && a.Plural == b.Plural
}

func newState(rows []*Resource) *state {
	s := &state{
		rows:       rows,
		byResource: make(map[[3]string]*Resource, len(rows)),
		byKind:     make(map[[3]string]*Resource, len(rows)),
		versions:   map[[2]string][]*Resource{},
	}
	at := map[string]int{} // of groups
	for _, r := range rows {
		s.byResource[[3]string{r.Group, r.Version, r.Plural}] = r
		if r.Custom != nil {
			s.byResource[[3]string{r.Group, anyVersion, r.Plural}] = r.Storage()
		}
		if kind := [3]string{r.Group, r.Version, r.Kind}; s.byKind[kind] == nil {
			s.byKind[kind] = r
		}
		gv := [2]string{r.Group, r.Version}
		if s.versions[gv] == nil {
			i, known := at[r.Group]
			if !known {
				i = len(s.groups)
				at[r.Group], s.groups = i, append(s.groups, Group{Name: r.Group})
			}
			s.groups[i].Versions = append(s.groups[i].Versions, r.Version)
		}
		s.versions[gv] = append(s.versions[gv], r)
	}
	return s
}

// resources are parsed when they are first needed, like columns.
var resources struct {
	sync.Once
	state *state
}

//go:embed resources.txt
var resourcesText string

// readResources parses resources.txt. Its lines are
//
//	= apps v1                                                     a group version
//	deployments deployment Deployment n cdDglpuw short=deploy     a resource: plural, singular, kind, scope, verbs
//	 scale autoscaling/v1/Scale gpu                                 a subresource: name, kind, verbs
//
// Scope is n (namespaced) or c (cluster). Verbs are letters, see verbNames. A resource may have short names,
// categories (in) and the group version it is stored in when that is another (stored, - for not stored).
func readResources() *state {
	var rows []*Resource
	var group, version string
	for line := range strings.Lines(resourcesText) {
		f := strings.Fields(line)
		switch line[0] {
		case '=':
			group, version = dash(f[1]), f[2]
		case ' ':
			r := rows[len(rows)-1]
			r.Subresources = append(r.Subresources, parseSubresource(r, f))
		default:
			rows = append(rows, parseResource(group, version, f))
		}
	}
	for _, r := range rows {
		setBehaviour(r)
		linkStorage(r, rows)
		r.bucket = r.Bucket()
	}
	return newState(rows)
}

// linkStorage finds the row of the version in which the objects of r are stored, if that is another
// one.
func linkStorage(r *Resource, rows []*Resource) {
	for _, s := range rows {
		if s != r && s.Plural == r.Plural && r.storedAs == s.Group+"/"+s.Version {
			r.storage = s
			s.forms = append(s.forms, r)
		}
	}
}

func parseResource(group, version string, f []string) *Resource {
	r := &Resource{
		Group: group, Version: version, Plural: f[0], Singular: f[1], Kind: f[2],
		Namespaced: f[3] == "n",
		Verbs:      verbs(f[4]),
		builtin:    &lazyType{group: group, version: version, kind: f[2]},
	}
	if r.HasVerb("list") {
		r.ListKind = r.Kind + "List"
	}
	stored := group + "/" + version
	for _, attr := range f[5:] {
		key, value, _ := strings.Cut(attr, "=")
		switch key {
		case "short":
			r.ShortNames = strings.Split(value, ",")
		case "in":
			r.Categories = strings.Split(value, ",")
		case "stored":
			stored = value
		}
	}
	r.storedAs = stored
	if stored != "-" {
		g, v, _ := strings.Cut(stored, "/")
		r.StorageVersionHash = StorageVersionHash(g, v, r.Kind)
	}
	return r
}

func parseSubresource(r *Resource, f []string) Subresource {
	s := Subresource{Name: f[0], Group: r.Group, Version: r.Version, Kind: f[1], Verbs: verbs(f[2])}
	if parts := strings.Split(f[1], "/"); len(parts) == 3 {
		s.Group, s.Version, s.Kind = parts[0], parts[1], parts[2]
	}
	s.builtin = &lazyType{group: s.Group, version: s.Version, kind: s.Kind}
	return s
}

var verbNames = [...]struct {
	letter byte
	name   string
}{
	{'c', "create"}, {'d', "delete"}, {'D', "deletecollection"}, {'g', "get"},
	{'l', "list"}, {'p', "patch"}, {'u', "update"}, {'w', "watch"},
}

func verbs(letters string) []string {
	out := make([]string, 0, len(letters))
	for _, v := range verbNames {
		if strings.IndexByte(letters, v.letter) >= 0 {
			out = append(out, v.name)
		}
	}
	return out
}

// TypeOf returns the type of a built-in top-level kind (including lists and the kinds of
// subresources), or nil. The kinds of meta/v1 (Status, DeleteOptions, …) belong to
// every built-in group version, and to meta.k8s.io/v1.
func TypeOf(group, version, kind string) *Type { return builtin.byKind(group, version, kind) }
