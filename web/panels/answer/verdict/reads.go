package verdict

import (
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/semantics"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
	"github.com/tabernetes/tabernetes/web/text"
)

// getRows are those of single objects.
var getRows = []row{
	{"get behind", func(f *facts) bool { return f.got() && f.behind() > 0 }, Warn, "stale get", (*facts).stale},
	{"get", func(f *facts) bool { return f.got() && f.answer.revision() > 0 }, Plain, "get", func(f *facts, v *Verdict) {
		v.Title = f.subject() + ", last written at " + itoa(f.answer.revision()) + "."
		if m := &f.answer.Metadata; m.DeletionTimestamp != "" {
			v.Title = f.subject() + " is being deleted."
			v.Words = "It was last written at " + itoa(f.answer.revision()) + ". " + f.waitsFor()
		}
	}},
	{"get in bytes", func(f *facts) bool { return f.got() && f.Binary }, Plain, "bytes", (*facts).bytes},
	{"get of something else", (*facts).got, Plain, "", func(*facts, *Verdict) {}},
}

func (f *facts) got() bool {
	return f.over() && f.Info.Verb == "get" && f.Info.Resource != "" && !f.passed() && !f.lever()
}

// stale says that a cache was behind that has answered.
func (f *facts) stale(v *Verdict) {
	s := f.Source
	v.Title = "As the cache has it: " + text.Plural(f.behind(), "revision", "revisions") + " behind."
	v.Next = &Next{Label: "Ask for ≥ " + itoa(s.Head), Path: with(f.URL, "resourceVersion", itoa(s.Head))}
	since := "; this object may have changed since."
	if f.Info.Verb == "list" {
		since = ". Only the version of the answer shows that."
		v.Next.Path = with(with(f.URL, "resourceVersion", itoa(s.Head), "continue"), "resourceVersionMatch", "NotOlderThan")
	}
	v.Words = "The server’s cache of " + f.Info.Resource + " is at " + itoa(s.Revision) + ", etcd at " + itoa(s.Head) +
		since
}

// bytes says how large an answer is that is no text.
func (f *facts) bytes(v *Verdict) {
	v.Title = "In " + f.format() + ": " + text.Size(f.Size) + "."
	v.Words = "Its version is inside: " + itoa(f.Source.Revision) + " is the state that it shows."
	if f.Source.Revision == 0 {
		v.Words = ""
	}
}

// format names the representation of an answer that is no text.
func (f *facts) format() string {
	if strings.Contains(f.Get("Content-Type"), "cbor") {
		return "CBOR"
	}
	return "protobuf"
}

// listRows is that of lists, whose verdict depends on what is in them.
var listRows = []row{
	{"list", func(f *facts) bool { return f.over() && f.Info.Verb == "list" }, Plain, "list", (*facts).listed},
}

// pinned are the rules by which a list shows exactly one version, whatever came after it.
var pinned = []string{semantics.ListExact, semantics.ListExactByLimit, semantics.ListContinue,
	semantics.ListContinueAny}

func (f *facts) listed(v *Verdict) {
	if f.Live() {
		return
	}
	read := f.List
	if read == nil {
		read = ReadList
	}
	a, err := read(f.Exchange)
	if err != nil || a.Rev == 0 {
		if f.Binary {
			f.bytes(v)
			v.Step = steps["bytes"]
		}
		return
	}
	f.listedAs(v, a)
}

func (f *facts) listedAs(v *Verdict, a tap.ListAnswer) {
	rev, what := itoa(a.Rev), f.Info.Resource
	if a.Count == 1 {
		what = singular(what)
	}
	count := text.Count(a.Count) + " " + what
	switch {
	case a.Continue != "" && a.Remaining >= 0:
		count += ", " + text.Count(a.Remaining) + " remain"
	case a.Continue != "":
		count += ", more remain"
	}
	if a.Continue != "" {
		v.Next = &Next{Label: "Next page", Path: NextPage(f.URL, a.Continue)}
	}
	head := ""
	if f.Source.Head > a.Rev {
		head = "; the head was at " + itoa(f.Source.Head)
	}
	token, page := f.Info.Query.Get("continue"), a.Continue != ""
	step := func(name string) { v.Step = steps[name] }
	switch rule := f.Source.Rule; {
	case rule == semantics.ListContinueInconsistent:
		step("inconsistent")
		v.Tone, v.Title = Warn, "Half of an old list, half of a new one."
		v.Words = "This page is of " + rev + ", those before it are of an older state. Start over for one consistent list."
		v.Next = &Next{Label: "List again", Path: first(f.URL)}
	case token != "":
		step("next page")
		v.Title = count + ", pinned to " + rev + "."
		if !page {
			step("last page")
			v.Title = "The last page: " + count + ", pinned to " + rev + "."
		}
		v.Words = "The token says which version: all pages show " + rev + head + "."
	case slices.Contains(pinned, rule):
		step("exact")
		v.Title = count + ", pinned to " + rev + "."
		v.Words = "The request asks for exactly this version" + head + "."
		if rule == semantics.ListExactByLimit {
			step("exact by limit")
			v.Words = "A limit makes the version an exact one" + head +
				". With resourceVersionMatch=NotOlderThan it is a lower bound."
		}
	case f.behind() > 0:
		step("stale list")
		v.Tone = Warn
		f.stale(v)
		v.Words = strings.ToUpper(count[:1]) + count[1:] + ". " + v.Words
	case a.Count == 0 && f.noNamespace(a.Rev):
		step("empty")
		v.Tone, v.Title = Warn, "No "+f.Info.Resource+": there is no namespace "+f.Info.Namespace+"."
		v.Words = "A list does not look for the namespace. A create there is a 404."
	case a.Count == 0:
		step("empty")
		v.Title = "No " + f.Info.Resource + "."
		v.Words = "Even an empty list has a version, " + rev + ": a watch from there misses nothing."
	case page:
		step("page")
		v.Title = count + "."
		v.Words = "All pages show revision " + rev + ", whatever is written in the meantime, as long as the history is kept."
	default:
		v.Title = count + "."
		v.Words = "One state, that of revision " + rev + ". A watch from there misses nothing."
	}
	if f.Source.Rule == semantics.ListAny && f.Info.Query.Get("limit") != "" && f.Info.Query.Get("limit") != "0" {
		v.Words += " With resourceVersion=0 the limit is ignored."
	}
	if f.Binary {
		v.Words += " In " + f.format() + ", " + text.Size(f.Size) + "."
	}
}

// noNamespace reports whether the request's namespace did not exist at a revision, as far as that is known: it had been
// deleted, or the history is known from its beginning, and nobody has created it.
func (f *facts) noNamespace(at int64) bool {
	if f.Info.Namespace == "" || f.Commits == nil {
		return false
	}
	var known, first int64
	var was revisions.Verb
	for c := range f.Commits(0, at) {
		if known++; first == 0 {
			first = c.Revision
		}
		if c.Resource == "namespaces" && c.Name == f.Info.Namespace {
			was = c.Verb
		}
	}
	return was == revisions.Deleted || was == "" && known == at-1 && first == 2 // etcd begins at 1, with nothing in it
}

// singular returns the name of one object of a resource: plurals are English.
func singular(plural string) string {
	if s, ok := strings.CutSuffix(plural, "ies"); ok {
		return s + "y"
	}
	for _, end := range [...]string{"sses", "shes", "xes"} {
		if strings.HasSuffix(plural, end) {
			return strings.TrimSuffix(plural, "es")
		}
	}
	return strings.TrimSuffix(plural, "s")
}
