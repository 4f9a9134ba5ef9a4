// Package client is the lab's panel of that name: a reference client that lists and
// watches a collection, with its cache drawn against the server's objects, so that a
// lost event is seen.
//
// Invariants: what is drawn as a picture is in the table too; each mark has a shape
// and a word, colour only repeats them.
//
// Costs: a View costs the objects of the collection; drawing costs at most maxCells
// cells and maxRows rows.
package client

//go:generate go tool templ generate -path .

import (
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/web/panels/client/reflector"
	"github.com/tabernetes/tabernetes/web/text"
)

// FirstPath is the collection that is proposed.
const FirstPath = "/api/v1/namespaces/default/pods"

const (
	maxCells = 96  // of the picture
	maxRows  = 200 // of the table
	// fewRows is how many objects are all shown; of more only those that differ.
	fewRows = 40
)

// A View is what is drawn of a client.
type View struct {
	Path    string
	Paths   []string // what could be chosen
	Mode    reflector.ModeInfo
	Running bool
	Problem string // why it cannot start
	State   reflector.State
	// Totals are how many objects have each mark, without those that none has.
	Totals []Total
	// Rows are in the order of the keys; Others is how many are not among them.
	Rows   []Row
	Others int
}

// A Total is a number of objects with a mark.
type Total struct {
	Mark reflector.Mark
	N    int
}

// A Row is an object.
type Row struct {
	reflector.Row
	Refs string
}

// New returns the view of a client. resource is that of its objects, as in
// "deployments.apps".
func New(c *reflector.Client, running bool, server reflector.Server, resource string) View {
	v := View{Path: c.Path, Mode: reflector.Modes[c.Mode], Running: running, State: c.State()}
	rows := c.Diff(server)
	var counts [len(reflector.Marks)]int
	for _, r := range rows {
		counts[r.Mark]++
	}
	for mark, n := range counts {
		if n > 0 {
			v.Totals = append(v.Totals, Total{reflector.Mark(mark), n})
		}
	}
	few := len(rows) <= fewRows
	for _, r := range rows {
		if len(v.Rows) == maxRows || !few && r.Mark == reflector.Same {
			v.Others++
			continue
		}
		v.Rows = append(v.Rows, Row{r, refs(resource, r)})
	}
	return v
}

// refs name an object and its revisions in the shared selection.
func refs(resource string, r reflector.Row) string {
	ns := r.Namespace
	if ns == "" {
		ns = "_"
	}
	s := "obj-" + resource + "/" + ns + "/" + r.Name
	for _, rev := range []int64{r.Cached, r.Server} {
		if rev > 0 {
			s += " rev-" + strconv.FormatInt(rev, 10)
		}
	}
	return s
}

// Summary says in a few words how the cache compares with the server; bad, that it
// will stay different.
func (v View) Summary() (words string, bad bool) {
	var parts []string
	for _, t := range v.Totals {
		if word := short[t.Mark]; word != "" {
			parts = append(parts, text.Count(t.N)+" "+word)
			bad = bad || t.Mark != reflector.Late
		}
	}
	if parts == nil {
		return "as on the server", false
	}
	return strings.Join(parts, ", "), bad
}

// short are the marks in a word.
var short = [len(reflector.Marks)]string{
	reflector.Late: "not received yet", reflector.Lost: "lost", reflector.Stale: "stale", reflector.Ghost: "ghost",
}

// cells returns the rows of the picture.
func (v View) cells() []Row { return v.Rows[:min(len(v.Rows), maxCells)] }

// shape returns a mark's.
func shape(m reflector.Mark) string {
	return [...]string{
		reflector.Same: "●", reflector.Late: "◔", reflector.Lost: "○", reflector.Stale: "◐", reflector.Ghost: "✕",
	}[m]
}

// class returns a mark's in the style sheet.
func class(m reflector.Mark) string {
	return "m-" + [...]string{
		reflector.Same: "same", reflector.Late: "late", reflector.Lost: "lost", reflector.Stale: "stale",
		reflector.Ghost: "ghost",
	}[m]
}

// phase returns the class of what the client is doing.
func (v View) phase() string {
	switch v.State.Phase {
	case reflector.Watching:
		return "client-dot is-open"
	case reflector.Waiting:
		return "client-dot is-waiting"
	case reflector.Stopped:
		return "client-dot"
	}
	return "client-dot is-busy"
}

// done returns what the client has done, in words.
func (v View) done() string {
	c := v.State.Counts
	s := counted(c.Lists, "list") + ", " + counted(c.Watches, "watch") + ", " + counted(c.Events, "event")
	if c.Bookmarks > 0 {
		s += ", of them " + counted(c.Bookmarks, "bookmark")
	}
	return s
}

func counted(n int, what string) string {
	switch {
	case n == 1:
	case what == "watch":
		what += "es"
	default:
		what += "s"
	}
	return text.Count(n) + " " + what
}

// revision returns a revision, or a dash where the object is not.
func revision(n int64) string {
	if n == 0 {
		return "–"
	}
	return strconv.FormatInt(n, 10)
}

// name returns an object's, with its namespace if it has one.
func name(r reflector.Row) string {
	if r.Namespace == "" {
		return r.Name
	}
	return r.Namespace + "/" + r.Name
}
