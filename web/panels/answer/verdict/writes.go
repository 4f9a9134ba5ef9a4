package verdict

import (
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/text"
)

// wrote reports whether the request was a write that the server has carried out.
func (f *facts) wrote() bool { return f.over() && f.writes() }

// did returns what fits writes whose effect on their object was this.
func did(verb revisions.Verb, more ...func(*facts) bool) func(*facts) bool {
	return func(f *facts) bool {
		if !f.wrote() {
			return false
		}
		if got, _ := f.effect(); got != verb {
			return false
		}
		for _, fits := range more {
			if !fits(f) {
				return false
			}
		}
		return true
	}
}

// writeRows are those of writes that were carried out.
var writeRows = []row{
	{"dry run of a deletion", func(f *facts) bool { return f.wrote() && f.dry() && f.deletes() }, Plain, "dry deletion",
		(*facts).dryRun},
	{"dry run", func(f *facts) bool { return f.wrote() && f.dry() }, Plain, "dry run", (*facts).dryRun},

	{"nothing to delete", func(f *facts) bool {
		return f.wrote() && f.Info.Verb == "deletecollection" && f.reported && f.made == 0
	}, Plain, "collection", title("Nothing was deleted.", "No object matched, so no revision was made.")},
	{"still marked", func(f *facts) bool {
		return f.wrote() && f.deletes() && f.reported && f.made == 0 && f.answer.Metadata.DeletionTimestamp != ""
	}, Warn, "still marked", func(f *facts, v *Verdict) {
		v.Title = "Still marked for deletion, at " + itoa(f.answer.revision()) + ": nothing changed."
		v.Words = "Asking again does not help. " + f.waitsFor()
		v.Next = f.release()
	}},
	{"unchanged", func(f *facts) bool { return f.wrote() && f.reported && f.made == 0 }, Plain, "unchanged",
		func(f *facts, v *Verdict) {
			v.Title = "Nothing changed: no revision was made."
			if at := f.answer.revision(); at > 0 {
				v.Title = "Nothing changed: still at " + itoa(at) + "."
			}
			if f.applies() {
				v.Step = steps["unchanged by apply"]
			}
			v.Words = "The object is as the request wants it."
			switch paths, known := f.unset(); {
			case len(paths) > 0:
				v.Tone, v.Step, v.Words = Warn, steps["subresource"], unsettable+strings.Join(paths, ", ")+"."
				if f.Info.Subresource == "" {
					v.Words += " /status sets such fields, or the server."
				}
			case !known || len(f.warnings) > 0:
				v.Words = "The object is as the request wants it, or what it wants is ignored."
			}
			v.Words += " Nothing was stored, and no watch receives anything."
		}},

	{"collection", func(f *facts) bool { return f.wrote() && f.Info.Verb == "deletecollection" }, Good, "collection",
		(*facts).collection},
	{"deleted", did(revisions.Deleted, (*facts).deletes), Good, "deleted", func(f *facts, v *Verdict) {
		v.Title = "Deleted" + f.at() + "."
		v.Words = f.subject() + " is gone. " + f.received("DELETED")
		f.ignored(v)
	}},
	{"removed", did(revisions.Deleted), Good, "removed", func(f *facts, v *Verdict) {
		v.Title = "Removed" + f.at() + ", with its last finalizer."
		v.Words = "It was marked for deletion before, and nothing else held it. " + f.received("DELETED")
	}},
	{"marked", did(revisions.Modified, (*facts).deletes), Warn, "marked", func(f *facts, v *Verdict) {
		v.Title = "Marked for deletion" + f.at() + "."
		v.Words = f.waitsFor() + " It is still there. " + f.received("MODIFIED, not DELETED")
		switch {
		case len(f.answer.Metadata.Finalizers) > 0:
			what := f.answer.Metadata.Finalizers[0]
			if n := len(f.answer.Metadata.Finalizers); n > 1 {
				what = strconv.Itoa(n) + " finalizers"
			}
			v.Title += " It waits for " + what + "."
		case len(f.answer.Spec.Finalizers) > 0:
			v.Title += " It waits for its content."
			v.Step = steps["marked namespace"]
		case f.answer.grace() > 0:
			v.Title = strings.TrimSuffix(v.Title, ".") + ", with " + text.Plural(f.answer.grace(), "second", "seconds") +
				" left."
			v.Step = steps["grace"]
		}
		v.Next = f.release()
		f.ignored(v)
	}},
	{"created", did(revisions.Added), Good, "created", func(f *facts, v *Verdict) {
		v.Title = "Created" + f.at() + "."
		v.Words = f.subject() + " is new. " + f.received("ADDED")
		switch {
		case f.applies():
			v.Title = "Created" + f.at() + ", by apply."
			v.Words = "There was no " + f.subject() + ". " + f.received("ADDED")
			v.Step = steps["created by apply"]
		case f.Info.Verb == "update":
			v.Title = "Created" + f.at() + ", by a PUT."
			v.Words = "There was no " + f.subject() + ". " + f.received("ADDED")
			v.Step = steps["created by PUT"]
		}
	}},
	{"changed", did(revisions.Modified), Good, "changed", func(f *facts, v *Verdict) {
		v.Title = "Changed" + f.at() + "."
		v.Words = f.received("MODIFIED")
		switch {
		case f.answer.Metadata.DeletionTimestamp != "":
			v.Words += " It is still marked for deletion. " + f.waitsFor()
			v.Step = steps["changed while marked"]
			v.Next = f.release()
		case f.Info.Subresource != "":
			v.Step = steps["subresource"]
			if f.Info.Subresource == "status" {
				v.Words += " This path never changes the spec; labels and annotations only of some types."
			}
		case f.applies():
			v.Step = steps["force"]
		}
		if paths, _ := f.unset(); len(paths) > 0 {
			v.Words += " " + unsettable + strings.Join(paths, ", ") + "."
		}
	}},
	{"stored", func(f *facts) bool { return f.wrote() && f.made > 0 }, Good, "changed", func(f *facts, v *Verdict) {
		v.Title = "Stored" + f.at() + "."
		v.Words = f.several()
	}},
	{"carried out", (*facts).wrote, Plain, "", func(f *facts, v *Verdict) {
		v.Title = "Carried out."
		v.Words = "The server does not say whether anything was stored."
	}},
}

// unsettable begins a list of fields that were ignored.
const unsettable = "Ignored through this path: "

// at returns " at 28", the revision of what was done; empty if the server does not say what it has committed.
func (f *facts) at() string {
	if f.made == 0 {
		return ""
	}
	_, rev := f.effect()
	return " at " + itoa(rev)
}

// received says who learns of it, and what else the request has written.
func (f *facts) received(what string) string {
	if f.target != nil && f.target.Writes > 1 && what == "DELETED" {
		what = "MODIFIED, then DELETED"
	}
	s := "Each watch that it concerns receives " + what + "."
	if more := f.several(); more != "" {
		s += " " + more
	}
	return s
}

// several says which revisions a request has made that has made more than one.
func (f *facts) several() string {
	if f.made < 2 {
		return ""
	}
	return "The request made " + text.Count(f.made) + " revisions, from " + itoa(f.first) + " to " + itoa(f.last) +
		": one for each write."
}

// waitsFor says what the deletion of the answer's object waits for.
func (f *facts) waitsFor() string {
	a := &f.answer
	switch {
	case len(a.Metadata.Finalizers) > 0:
		who := "someone"
		if a.automatic() {
			who = "a controller"
		}
		return "It waits until " + who + " removes " + strings.Join(a.Metadata.Finalizers, ", ") + " from its finalizers."
	case len(a.Spec.Finalizers) > 0:
		return "Everything in it is deleted first."
	case a.grace() > 0:
		return "Its node has " + text.Plural(a.grace(), "second", "seconds") + " to stop it."
	}
	return "It waits for its controller."
}

// automatic reports whether there is a finalizer that one of Kubernetes' own controllers removes.
func (a *answer) automatic() bool {
	for _, name := range a.Metadata.Finalizers {
		if name == "foregroundDeletion" || name == "orphan" || name == "customresourcecleanup.apiextensions.k8s.io" {
			return true
		}
	}
	return false
}

// release returns the PATCH that removes all finalizers, or nil if the object has no finalizers or has one that a
// controller removes.
func (f *facts) release() *Next {
	path, _, _ := strings.Cut(f.URL, "?")
	if len(f.answer.Metadata.Finalizers) == 0 || f.Info.Name == "" || f.answer.automatic() {
		return nil
	}
	return &Next{Label: "Write the PATCH", Method: "PATCH", Path: path, Type: "application/merge-patch+json",
		Body: `{"metadata":{"finalizers":null}}`}
}

// ignored says which options in the query were ignored.
func (f *facts) ignored(v *Verdict) {
	names := f.overridden()
	if len(names) == 0 {
		return
	}
	words := "The body’s options take precedence, so " + strings.Join(names, " and ") + " in the query was ignored. "
	v.Words = words + v.Words
	if names[0] == "dryRun" {
		v.Tone, v.Step = Warn, steps["dryRun"]
		v.Title = strings.TrimSuffix(v.Title, ".") + ": the body’s options apply."
	}
}

func (f *facts) dryRun(v *Verdict) {
	words := map[string]string{"create": "created", "update": "replaced", "patch": "changed", "delete": "deleted",
		"deletecollection": "deleted"}
	does, meta := words[f.Info.Verb], &f.answer.Metadata
	switch {
	case !f.deletes() && meta.DeletionTimestamp != "" && !f.answer.held() && f.answer.grace() == 0:
		does = "removed, with its last finalizer"
	case f.Status == 201:
		does = "created"
	case f.deletes() && meta.DeletionTimestamp != "" && (f.answer.held() || f.answer.grace() > 0):
		does = "marked for deletion"
	}
	v.Title = "A dry run: it would be " + does + ". Nothing is stored."
	v.Words = "It was checked like a real write, including admission."
	if l, err := ReadList(f.Exchange); f.Info.Verb == "deletecollection" && err == nil {
		v.Title = "A dry run: the deletion of " + text.Plural(l.Count, "object", "objects") + ". Nothing is stored."
		v.Words = "Those with finalizers or a grace period would only be marked."
	}
	if f.Source.Head > 0 {
		v.Words += " The head is still " + itoa(f.Source.Head) + "."
	}
	v.Next = &Next{Label: "Send for real", Method: f.Method, Path: without(f.URL, "dryRun"), Body: f.Body}
	if f.deletes() && strings.Contains(f.Body, "dryRun") || f.Bodyless {
		v.Next = nil // the option is in the body
	}
}

// collection says what a deletion of a collection did.
func (f *facts) collection(v *Verdict) {
	var gone, marked int64
	for _, c := range f.effects {
		switch {
		case c.Resource != f.Info.Resource:
		case c.Verb == revisions.Modified:
			marked++
		default:
			gone++
		}
	}
	span := " at " + itoa(f.first)
	if f.last > f.first {
		span = ", from " + itoa(f.first) + " to " + itoa(f.last)
	}
	switch {
	case f.made == 0:
		v.Title = "Carried out."
		v.Words = "The server does not say what was deleted."
	case !f.whole:
		v.Title = text.Plural(f.made, "revision", "revisions") + span + "."
	case marked == 0:
		v.Title = text.Count(gone) + " deleted" + span + "."
	case gone == 0:
		v.Tone, v.Title = Warn, text.Count(marked)+" marked for deletion"+span+"."
	default:
		v.Tone, v.Title = Warn, text.Count(gone)+" deleted, "+text.Count(marked)+" marked for deletion"+span+"."
	}
	if f.made > 0 {
		v.Words = "Each object is a separate write with its own revision, one after another."
	}
	f.ignored(v)
}
