package verdict

import (
	"iter"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/semantics"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
	"github.com/tabernetes/tabernetes/web/text"
)

// A Verdict is an answer in one sentence, what follows from it, and the next thing to do.
type Verdict struct {
	Tone  Tone
	Title string
	Words string
	Next  *Next
	Step  Step // the step of the course that teaches it
	Badge *Badge
	// Warnings are those of the answer, as kubectl prints them.
	Warnings []string
	// Policies are what admission policies did to a write, in their order.
	Policies []Policy
}

// Tone is the colour of a verdict.
type Tone string

// The tones.
const (
	Plain Tone = ""     // something was read, or nothing was stored
	Good  Tone = "good" // it was stored, or is allowed
	Warn  Tone = "warn" // what people get wrong
	Bad   Tone = "bad"  // it was refused, or something is lost
)

// A Next is a request that continues from here.
type Next struct {
	Label  string
	Method string // anything but GET is not sent, but put into the console
	Path   string
	Type   string // of Body
	Body   string
}

// A Badge says where an answer came from.
type Badge struct {
	Server   string // "C2", empty where there is only one
	From     string // "its watch cache", "etcd"
	Revision int64
	Head     int64
	Waited   string
	Rule     string // in a line
	Link     string // where Kubernetes documents it
}

// Facts are what is known of an exchange.
type Facts struct {
	*tap.Exchange
	// Commits returns the commits from one revision to another, as far as they are known. Nil: none is.
	Commits func(first, last int64) iter.Seq[revisions.Commit]
	// List reads the answer of a list. Nil: it is read now.
	List func(*tap.Exchange) (tap.ListAnswer, error)
	// State is that of the cluster, as far as it is known.
	State revisions.State
	// Meant returns the path that is meant by one that leads nowhere; empty if that is not known. It may be nil.
	Meant func(path string) string
}

// Of returns the verdict on an exchange; the zero Verdict if there is nothing to say.
func Of(known Facts) Verdict {
	f := &facts{Facts: known}
	f.read()
	var v Verdict
	for i := range rows {
		if r := &rows[i]; r.fits(f) {
			v.Tone, v.Step = r.tone, steps[r.step]
			r.say(f, &v)
			break
		}
	}
	if f.Phase != tap.Pending {
		v.Badge = f.badge()
	}
	v.Policies = f.policies()
	v.Warnings = f.warnings
	if n := len(v.Warnings); n > 0 && v.Title != "" && f.Status < 300 {
		if v.Tone != Bad {
			v.Tone = Warn
		}
		v.Title = strings.TrimSuffix(v.Title, ".") + ", with " + text.Plural(int64(n), "warning", "warnings") + "."
	}
	return v
}

// badge says where the answer came from; nil if nothing is known of that.
func (f *facts) badge() *Badge {
	s := f.Source
	r, ok := semantics.RuleOf(s.Rule)
	if s.From == "" && s.Rule == "" || f.lever() {
		return nil
	}
	b := &Badge{Revision: s.Revision, Head: s.Head}
	if len(f.State.Caches) > 1 || s.Server > 0 {
		b.Server = "C" + strconv.Itoa(s.Server)
	}
	switch {
	case ok && r.Verb == semantics.Write: // not an answer that was read somewhere
	case s.From == "cache":
		b.From = "its watch cache"
	case s.From == "etcd":
		b.From = "etcd"
	}
	if s.Waited > 0 {
		b.Waited = s.Waited.String()
	}
	if ok {
		b.Rule, b.Link = r.Sentence, r.Reference
	}
	return b
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
