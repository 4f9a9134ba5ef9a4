package verdict

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/semantics"
	"github.com/tabernetes/tabernetes/core/wellknown"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

// facts are Facts, with what they say.
type facts struct {
	Facts
	answer   answer
	warnings []string

	// reported says that the server has reported which revisions the request made; made is how many those are, and first
	// and last are the ends of their range.
	reported    bool
	made        int64
	first, last int64
	// effects are those on the objects that the request has written, as far as its commits are known; whole says that
	// all are. target is the one on the object that it is about, nil if that is not known.
	effects []revisions.Change
	whole   bool
	target  *revisions.Change
}

// read reads what the rows ask for.
func (f *facts) read() {
	if r, ok := semantics.RuleOf(f.Source.Rule); ok && r.Verb == semantics.Write {
		f.reported = true
	}
	for _, s := range f.Source.Wrote {
		if f.made == 0 {
			f.first = s.First
		}
		f.made += s.Last - s.First + 1
		f.last = s.Last
	}
	f.made += f.Source.More
	if f.Status >= 400 || f.Info.Verb == "get" || f.writes() && f.Info.Verb != "deletecollection" {
		f.answer = readAnswer(f.Exchange)
	}
	for _, h := range f.ResHeader {
		if strings.EqualFold(h.Name, "Warning") {
			f.warnings = append(f.warnings, warnings(h.Value)...)
		}
	}
	if f.made > 0 && f.Commits != nil {
		f.follow()
	}
}

// follow looks at the commits that the request has made.
func (f *facts) follow() {
	var commits []revisions.Commit
	for _, s := range f.Source.Wrote {
		commits = slices.AppendSeq(commits, f.Commits(s.First, s.Last))
	}
	f.whole = int64(len(commits)) == f.made
	f.effects = revisions.Changes(slices.Values(commits))
	for i := range f.effects {
		c := &f.effects[i]
		if f.Info.Verb != "deletecollection" && f.isTarget(&c.Commit) {
			f.target = c
		}
	}
}

// isTarget reports whether a commit is of the object that the request is about.
func (f *facts) isTarget(c *revisions.Commit) bool {
	name := f.Info.Name
	if name == "" {
		name = f.answer.Metadata.Name
	}
	// Events are served in two groups.
	return c.Resource == f.Info.Resource && (c.Group == f.Info.Group || c.Resource == "events") &&
		c.Namespace == f.Info.Namespace && c.Name == name
}

// writes reports whether the request asks for a change.
func (f *facts) writes() bool {
	return slices.Contains([]string{"create", "update", "patch", "delete", "deletecollection"}, f.Info.Verb)
}

// deletes reports whether the request asks for a deletion.
func (f *facts) deletes() bool { return f.Info.Verb == "delete" || f.Info.Verb == "deletecollection" }

// lever reports whether the request is an act on the control plane.
func (f *facts) lever() bool {
	return f.Info.Resource == "controlplanes" && f.Info.Group == wellknown.Group && f.Info.Subresource != ""
}

// over reports whether an answer has come, and is not an error.
func (f *facts) over() bool { return f.Status >= 200 && f.Status < 300 }

// dry reports whether the request was a dry run: as the server says, else as its options do.
func (f *facts) dry() bool {
	switch {
	case f.made > 0:
		return false
	case f.reported:
		return f.Source.Rule == semantics.WriteDryRun
	}
	if !f.deletes() || f.Body == "" {
		return f.Info.Query.Get("dryRun") != ""
	}
	var o struct{ DryRun []string } // the options in the body of a deletion override those in its query
	_ = json.Unmarshal([]byte(f.Body), &o)
	return len(o.DryRun) > 0
}

// overridden returns the options in the query of a deletion that were ignored since there is a body.
func (f *facts) overridden() (out []string) {
	if !f.deletes() || f.Body == "" {
		return nil
	}
	for _, name := range []string{"dryRun", "gracePeriodSeconds", "propagationPolicy", "orphanDependents"} {
		if f.Info.Query.Has(name) {
			out = append(out, name)
		}
	}
	return out
}

// effect returns what the request did to its object, and the revision of that: as its commits say, and as long as they
// are not known, as the answer does; empty if neither says it.
func (f *facts) effect() (revisions.Verb, int64) {
	if f.target != nil && f.target.Verb != "" {
		return f.target.Verb, f.target.Revision
	}
	rev := f.last
	if own := f.answer.revision(); f.made == 0 || own >= f.first && own <= f.last {
		rev = own
	}
	meta := &f.answer.Metadata
	switch {
	case f.effects != nil && f.whole:
		return "", rev // it wrote other objects
	case f.Info.Verb == "create" || f.Status == 201:
		return revisions.Added, rev
	case f.deletes() && meta.DeletionTimestamp != "" && (f.answer.held() || f.answer.grace() > 0):
		return revisions.Modified, rev
	case f.deletes() && f.answer.Kind == "Status":
		return revisions.Deleted, rev
	case !f.deletes() && f.answer.Kind != "" && meta.DeletionTimestamp == "":
		return revisions.Modified, rev
	}
	return "", rev
}

// subject names what the request is about: pods/web.
func (f *facts) subject() string {
	name := f.Info.Name
	if name == "" {
		name = f.answer.Metadata.Name
	}
	if name == "" {
		return f.Info.Resource
	}
	return f.Info.Resource + "/" + name
}

// version returns the resourceVersion that was asked for, 0 if none, any or no number.
func (f *facts) version() int64 {
	n, _ := strconv.ParseInt(f.Info.Query.Get("resourceVersion"), 10, 64)
	return n
}

// behind returns how far the watch cache was behind that has answered, in revisions.
func (f *facts) behind() int64 {
	if s := f.Source; s.From == "cache" && s.Revision > 0 && s.Head > s.Revision {
		return s.Head - s.Revision
	}
	return 0
}

// applies reports whether the request is a server-side apply.
func (f *facts) applies() bool {
	return f.Info.Verb == "patch" && strings.Contains(tap.Get(f.Header, "Content-Type"), "apply-patch")
}

// lost reports whether the request has ended without an answer.
func (f *facts) lost() bool {
	return f.Status == 0 && (f.Phase == tap.Failed || f.Phase == tap.Aborted)
}
