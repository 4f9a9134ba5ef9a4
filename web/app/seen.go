package app

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/web/apipath"
	"github.com/tabernetes/tabernetes/web/catalog"
	"github.com/tabernetes/tabernetes/web/objects"
	"github.com/tabernetes/tabernetes/web/revisions"
)

// Seen is what the lab has learnt of the cluster from its commits: names to complete, and the state of the control
// plane.
type Seen struct {
	Cluster   string
	Head      int64
	Compacted int64           // what is older than this revision is compacted
	State     revisions.State // as last reported
	Token     string          // the newest continue token
	Since     time.Time       // requests from before were made of another cluster; zero: of none
	Forked    int64           // the revision of that one as which this one began; 0: it did not

	// Commits are the writes that were reported, the newest 50,000.
	Commits revisions.Log

	followed int64 // how far the revisions stream was read

	names map[string]map[string][]string // by resource ID and namespace, sorted
}

// maxNames bounds the names kept for a collection.
const maxNames = 500

// maxCommits bounds the commits kept.
const maxCommits = 50_000

func (s *Seen) commit(c *revisions.Commit) {
	s.Head = max(s.Head, c.Revision)
	id := apipath.GroupResource(c.Group, c.Resource)
	if s.names == nil {
		s.names = map[string]map[string][]string{}
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

// Namespaces returns the names of the namespaces.
func (s *Seen) Namespaces() []string { return s.names["namespaces"][""] }

// Commit returns the write of a revision of the cluster that requests go to, as far as it is known.
func (a *App) Commit(revision int64) (revisions.Commit, bool) { return a.Seen.Commits.Find(revision) }

// Had reports whether objects of a resource type were written since the page opened.
func (s *Seen) Had(id string) bool { return s.names[id] != nil }

// Known returns what completion may offer.
func (s *Seen) Known() catalog.Known {
	return catalog.Known{
		Namespaces: s.Namespaces(),
		Names:      func(id, ns string) []string { return s.names[id][ns] },
		Revision:   strconv.FormatInt(s.Head, 10),
		Token:      s.Token,
	}
}

// see keeps the catalog and Seen up to date.
func (a *App) see() {
	due := false
	discover := func() {
		if due {
			return
		}
		due = true
		go func() {
			time.Sleep(30 * time.Millisecond) // definitions come in bursts
			due = false
			a.discover()
		}()
	}
	shown, forking := a.clusterAt(a.last.Place), int64(0)
	On(a.Bus, func(e Forking) { forking = e.At })
	On(a.Bus, func(f revisions.Frame) {
		s := a.Seen
		if f.State != nil {
			if f.State.Cluster != s.Cluster {
				since := time.Time{}
				if was := a.clusterAt(a.last.Place); was != "" && was != f.State.Cluster {
					since = time.Now()
				}
				a.noteCluster(a.last.Place, f.State.Cluster)
				*s = Seen{Cluster: f.State.Cluster, Since: since, Forked: forking, Commits: revisions.Log{Max: maxCommits},
					names: map[string]map[string][]string{}}
				forking = 0
			}
			if before := shown; f.State.Cluster != before {
				shown = f.State.Cluster
				discover()
				if before != "" {
					a.Page.Call("moved")
					Emit(a.Bus, ClusterChanged{})
				}
			}
			s.Head, s.Compacted = f.State.Head, f.State.Compacted
			s.State = *f.State
		}
		if f.Commit != nil {
			s.commit(f.Commit)
			s.Commits.Add(*f.Commit)
			if f.Commit.Resource == "customresourcedefinitions" || f.Commit.Resource == "apiservices" {
				discover()
			}
		}
	})
}

// Discover reads the discovery documents if nothing is known yet. It blocks.
func (a *App) Discover() {
	if a.Catalog.Empty() {
		a.discover()
	}
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
	Emit(a.Bus, CatalogChanged{})
	// Names of namespaces whose commits are compacted. It comes last: a frozen cache is waited for.
	if body := get("/api/v1/namespaces?limit=" + strconv.Itoa(maxNames)); body != "" {
		a.addNamespaces(body)
	}
}

func (a *App) addNamespaces(body string) {
	var list objects.Store
	list.List(body, true)
	for _, o := range list.Rows() {
		name := o.Name
		a.Seen.commit(&revisions.Commit{Verb: revisions.Added, Resource: "namespaces", Name: strings.Clone(name)})
	}
}
