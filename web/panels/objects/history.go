package objects

import (
	"context"
	"net/http"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/objects"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/text"
	"github.com/tabernetes/tabernetes/web/ui"
)

// version is a commit of an object; its text is read when it is asked for.
type version struct {
	revisions.Commit
	open    bool
	fetched bool
	busy    bool
	json    string
	problem string
}

// fetchVersion reads what the difference of a version needs: itself and the
// one before it, each by an exact list at its revision.
func (p *panel) fetchVersion(i int) {
	o := p.one
	for _, j := range [...]int{i, i - 1} {
		if j < 0 {
			continue
		}
		v := o.versions[j]
		if v.fetched || v.busy || v.Verb == revisions.Deleted {
			continue
		}
		v.busy = true
		go func() {
			defer func() {
				v.busy = false
				p.draw()
			}()
			path := o.typ.Collection(o.namespace) + "?resourceVersion=" + number(v.Revision) +
				"&resourceVersionMatch=Exact&fieldSelector=metadata.name%3D" + o.name
			res, err := p.Fetch(context.Background(), app.Request{Method: "GET", Path: path, Quiet: true})
			switch {
			case err != nil:
				v.problem = err.Error()
				return
			case res.Status != http.StatusOK:
				v.problem = refusal{res}.Error()
			default:
				var s objects.Store
				if s.List(res.Body, true) == nil && s.Len() == 1 {
					v.json = s.Rows()[0].JSON
				} else {
					v.problem = "the object does not exist at this revision"
				}
			}
			v.fetched = true
		}()
	}
}

func (o *object) compactedNote(compacted int64) string {
	if len(o.versions) == 0 {
		return "None of its revisions is kept: they are all compacted."
	}
	if o.versions[0].Verb != revisions.Added {
		return "Older revisions are compacted (gone below " + number(compacted) + ")."
	}
	return ""
}

// history returns the versions as they are shown, newest first.
func (o *object) history(compacted int64, author func(revisions.Commit) string) []ui.Version {
	out := make([]ui.Version, 0, len(o.versions))
	for i := len(o.versions) - 1; i >= 0; i-- {
		v := o.versions[i]
		d := ui.Version{Revision: number(v.Revision), Verb: string(v.Verb), Time: clockTime(v.Time), By: author(v.Commit),
			Open: v.open, Gone: v.Revision < compacted && !v.fetched}
		if v.open {
			var before *version
			if i > 0 {
				before = o.versions[i-1]
			}
			d.Diff, d.Note = v.difference(before)
		}
		out = append(out, d)
	}
	return out
}

// difference returns what the version changed.
func (v *version) difference(before *version) (html, note string) {
	switch {
	case v.problem != "":
		return "", v.problem
	case v.busy, before != nil && before.busy:
		return "", "reading…"
	}
	was, is := "", v.json
	if v.Verb != revisions.Added && before != nil && before.json != "" {
		was = before.json
	} else if v.Verb == revisions.Modified {
		note = "The previous revision is compacted: this is the whole object."
	}
	if v.Verb == revisions.Deleted {
		is = ""
	}
	return text.DiffYAML(was, is, false), note
}
