//go:build js && wasm

package lab

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/web/catalog"
	"github.com/tabernetes/tabernetes/web/revisions"
)

func init() { panels = append(panels, startCluster) }

// seen is what the lab has learnt of the cluster from its commits: names to
// complete, and where it stands.
type seen struct {
	cluster  string
	head     int64
	horizon  int64
	state    revisions.State // as last told
	token    string
	names    map[string]map[string][]string // by resource ID and namespace, sorted
	discover func()
	changed  []func() // the catalog has changed
}

func newSeen() *seen { return &seen{names: map[string]map[string][]string{}} }

// maxNames bounds the names kept for a collection.
const maxNames = 500

func (s *seen) commit(c *revisions.Commit) {
	s.head = max(s.head, c.Revision)
	id := c.Resource
	if c.Group != "" {
		id += "." + c.Group
	}
	in := s.names[id]
	if in == nil {
		in = map[string][]string{}
		s.names[id] = in
	}
	i, found := slices.BinarySearch(in[c.Namespace], c.Name)
	switch {
	case c.Verb == revisions.Deleted:
		if found {
			in[c.Namespace] = slices.Delete(in[c.Namespace], i, i+1)
		}
	case !found && len(in[c.Namespace]) < maxNames:
		in[c.Namespace] = slices.Insert(in[c.Namespace], i, c.Name)
	}
}

// namespaces are the names of the namespaces.
func (s *seen) namespaces() []string { return s.names["namespaces"][""] }

func (c *console) known() catalog.Known {
	return catalog.Known{
		Namespaces: c.Seen.namespaces(),
		Names:      func(id, ns string) []string { return c.Seen.names[id][ns] },
		Revision:   strconv.FormatInt(c.Seen.head, 10),
		Token:      c.Seen.token,
	}
}

// startCluster keeps the catalog and what is seen up to date.
func startCluster(a *App) {
	due := false
	a.Seen.discover = func() {
		if due {
			return
		}
		due = true
		go func() {
			time.Sleep(30 * time.Millisecond)
			due = false
			a.discover()
		}()
	}
	a.OnFrame(func(f revisions.Frame) {
		s := a.Seen
		if f.State != nil {
			if f.State.Cluster != s.cluster {
				// Another cluster: nothing known holds.
				*s = seen{cluster: f.State.Cluster, names: map[string]map[string][]string{}, discover: s.discover, changed: s.changed}
				s.discover()
			}
			s.head, s.horizon = f.State.Head, f.State.Compacted
			s.state = *f.State
		}
		if f.Commit != nil {
			s.commit(f.Commit)
			if f.Commit.Resource == "customresourcedefinitions" || f.Commit.Resource == "apiservices" {
				s.discover()
			}
		}
	})
}

// discover reads the discovery documents, quietly.
func (a *App) discover() {
	get := func(path string) string {
		res, err := a.Fetch(context.Background(), Request{Method: "GET", Path: path, Quiet: true})
		if err != nil || res.Status != 200 {
			return ""
		}
		return res.Body
	}
	next := &catalog.Catalog{}
	var paths []string
	for _, root := range []string{"/api", "/apis"} {
		more, err := next.AddVersions(get(root))
		if err == nil {
			paths = append(paths, more...)
		}
	}
	bodies := make([]string, len(paths))
	var all sync.WaitGroup
	for i, p := range paths {
		all.Add(1)
		go func() {
			defer all.Done()
			bodies[i] = get(p)
		}()
	}
	all.Wait()
	for _, b := range bodies {
		if b != "" {
			next.AddResources(b)
		}
	}
	if next.Empty() {
		return
	}
	a.Catalog = next
	// Names of namespaces whose commits are compacted.
	if body := get("/api/v1/namespaces?limit=" + strconv.Itoa(maxNames)); body != "" {
		a.addNamespaces(body)
	}
	for _, f := range a.Seen.changed {
		f()
	}
}

func (a *App) addNamespaces(body string) {
	for _, name := range namesIn(body) {
		a.Seen.commit(&revisions.Commit{Verb: revisions.Added, Resource: "namespaces", Name: strings.Clone(name)})
	}
}
