package history

import (
	"strconv"
	"strings"
	"time"

	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/tap"
)

// A Source says where an answer came from, as the server reports it.
type Source struct {
	Server   int           // the API server that answered; -1: it did not say
	From     string        // "cache" or "etcd"; empty: it did not say
	Revision int64         // the answer is as of this revision; 0: it did not say
	Head     int64         // the store's newest revision at that moment
	Rule     string        // the row of the tables that applied
	Gone     string        // why the version is too old, if the answer is a 410: a Cause of core/semantics
	Waited   time.Duration // for a cache
	Wrote    []Span        // the revisions that the request made
	More     int64         // how many it made beyond those
}

// A Span is a run of revisions without a gap.
type Span struct{ First, Last int64 }

// sourceOf returns the source in the header of an answer.
func sourceOf(ev tap.Event) Source {
	if t := ev.Source; t != nil {
		s := Source{Server: t.Server, From: t.From, Revision: t.Revision, Head: t.Head, Rule: t.Rule, Gone: t.Gone,
			Waited: t.Waited, More: t.More}
		for _, w := range t.Wrote {
			s.Wrote = append(s.Wrote, Span(w))
		}
		return s
	}
	s := Source{Server: -1}
	if n, err := strconv.Atoi(tap.Get(ev.Header, wellknown.ReplicaHeader)); err == nil && n >= 0 {
		s.Server = n
	}
	return s
}

// String returns the span as people write it: 28, or 30, 31, or 28–95.
func (s Span) String() string {
	switch s.Last - s.First {
	case 0:
		return strconv.FormatInt(s.First, 10)
	case 1:
		return strconv.FormatInt(s.First, 10) + ", " + strconv.FormatInt(s.Last, 10)
	}
	return strconv.FormatInt(s.First, 10) + "–" + strconv.FormatInt(s.Last, 10)
}

// maxSpans are written of the revisions that one request made.
const maxSpans = 3

// spans writes the first of several spans.
func spans(all []Span) string {
	var out []string
	for i, s := range all {
		if i == maxSpans {
			out = append(out, "…")
			break
		}
		out = append(out, s.String())
	}
	return strings.Join(out, ", ")
}
