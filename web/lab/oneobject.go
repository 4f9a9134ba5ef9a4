//go:build js && wasm

package lab

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/catalog"
	"github.com/tabernetes/tabernetes/web/objects"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/text"
	"github.com/tabernetes/tabernetes/web/ui"
)

// oneObject is the object whose text and history are shown.
type oneObject struct {
	ref             string
	typ             *catalog.Resource
	namespace, name string
	view            string
	versions        []*version // oldest first
	json            string     // as it is, or was when it was deleted
	gone            bool
	problem         string
}

// version is a commit of the object; its text is fetched when it is asked for.
type version struct {
	revisions.Commit
	open    bool
	fetched bool
	busy    bool
	json    string
	problem string
}

// commitLog keeps the commits of the revisions stream that are still readable.
type commitLog struct {
	all     []revisions.Commit
	horizon int64
}

// maxCommits bounds them: the newest are kept.
const maxCommits = 50_000

func (l *commitLog) add(c revisions.Commit) {
	l.all = append(l.all, c)
	if len(l.all) > maxCommits+maxCommits/4 {
		l.all = slices.Clone(l.all[len(l.all)-maxCommits:])
	}
}

// openRef shows an object: ref is as in the shared selection, without "obj-".
func (p *objectsPanel) openRef(ref string, commits *commitLog) {
	parts := strings.SplitN(ref, "/", 3)
	if len(parts) != 3 {
		return
	}
	typ := p.Catalog.ByID(parts[0])
	if typ == nil {
		return
	}
	ns := parts[1]
	if ns == "_" {
		ns = ""
	}
	o := &oneObject{ref: "obj-" + ref, typ: typ, namespace: ns, name: parts[2], view: "yaml"}
	if p.one != nil {
		o.view = p.one.view
	}
	for i := range commits.all {
		c := &commits.all[i]
		if c.Name == o.name && c.Resource == typ.Plural && c.Group == typ.Group && c.Namespace == ns {
			o.versions = append(o.versions, &version{Commit: *c})
		}
	}
	if p.typ != nil && p.typ.ID() == typ.ID() {
		if row := p.store.Get(ns, o.name); row != nil {
			o.json = row.JSON
		}
	}
	p.one = o
	p.seen.ToTop()
	p.refreshOne()
}

// openVersion shows what one revision of an object changed.
func (p *objectsPanel) openVersion(ref string, rev int64, commits *commitLog) {
	if p.one == nil || p.one.ref != "obj-"+ref {
		p.openRef(ref, commits)
	}
	if p.one == nil {
		return
	}
	p.one.view = "history"
	for i, v := range p.one.versions {
		if v.open = v.Revision == rev; v.open {
			p.fetchVersion(i)
		}
	}
	p.drawOne()
}

// refreshOne reads the shown object anew.
func (p *objectsPanel) refreshOne() {
	o := p.one
	go func() {
		res, err := p.Fetch(context.Background(), app.Request{Method: "GET", Path: o.typ.Object(o.namespace, o.name), Quiet: true})
		if err == nil {
			switch res.Status {
			case 200:
				o.json, o.gone, o.problem = res.Body, false, ""
			case 404:
				o.gone = true
			default:
				o.problem = strconv.Itoa(res.Status) + " " + app.Message(res.Body)
			}
		}
		p.drawOne()
		if o.view == "history" && len(o.versions) > 0 {
			p.fetchVersion(len(o.versions) - 1)
		}
	}()
	p.drawOne()
}

// fetchVersion reads what the difference of a version needs: itself and the
// one before it, each by an exact list at its revision.
func (p *objectsPanel) fetchVersion(i int) {
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
				p.drawOne()
			}()
			path := o.typ.Collection(o.namespace) + "?resourceVersion=" + strconv.FormatInt(v.Revision, 10) +
				"&resourceVersionMatch=Exact&fieldSelector=metadata.name%3D" + o.name
			res, err := p.Fetch(context.Background(), app.Request{Method: "GET", Path: path, Quiet: true})
			switch {
			case err != nil:
				v.problem = err.Error()
				return
			case res.Status != 200:
				v.problem = strconv.Itoa(res.Status) + " " + app.Message(res.Body)
			default:
				var s objects.Store
				if s.List(res.Body, true) == nil && s.Len() == 1 {
					v.json = s.Rows()[0].JSON
				} else {
					v.problem = "the object is not there at this revision"
				}
			}
			v.fetched = true
		}()
	}
}

func (p *objectsPanel) drawOne() {
	if p.one == nil {
		return
	}
	p.RenderFunc(p.tools, p.drawTools)
	p.RenderFunc(p.list, func() templ.Component {
		if p.one == nil {
			return templ.NopComponent
		}
		return p.oneView()
	})
}

func (p *objectsPanel) oneView() templ.Component {
	o := p.one
	title := ui.ObjectTitle(o.typ.Kind, o.namespace, o.name, o.ref, o.gone)
	if o.view == "history" {
		return templ.Join(title, ui.Versions(o.drawn(p.Seen.Horizon), o.horizonNote(p.Seen.Horizon)))
	}
	switch {
	case o.problem != "":
		return templ.Join(title, ui.Empty(o.problem))
	case o.json == "" && o.gone:
		return templ.Join(title, ui.Empty("It is deleted. Its history shows what is still kept of it."))
	case o.json == "":
		return title
	}
	lines, _ := text.YAML(o.json)
	lines = text.Fold(lines, p.showManaged)
	return templ.Join(title, ui.Code(ui.Blocks(lines, o.typ.ID()), len(lines), len(lines)))
}

func (o *oneObject) horizonNote(horizon int64) string {
	if len(o.versions) == 0 {
		return "No revision of it is kept: they are all compacted."
	}
	if o.versions[0].Verb != revisions.Added {
		return "Older revisions are compacted (gone below " + strconv.FormatInt(horizon, 10) + ")."
	}
	return ""
}

// drawn are the versions as they are shown, newest first.
func (o *oneObject) drawn(horizon int64) []ui.Version {
	out := make([]ui.Version, 0, len(o.versions))
	for i := len(o.versions) - 1; i >= 0; i-- {
		v := o.versions[i]
		d := ui.Version{Revision: strconv.FormatInt(v.Revision, 10), Verb: string(v.Verb), Time: clockTime(v.Time), Open: v.open, Gone: v.Revision < horizon && !v.fetched}
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

// difference is what the version changed.
func (v *version) difference(before *version) (html, note string) {
	var a, b []string
	switch {
	case v.problem != "":
		return "", v.problem
	case v.busy, before != nil && before.busy:
		return "", "reading…"
	}
	if v.json != "" {
		lines, _ := text.YAML(v.json)
		b = text.Strings(text.Fold(lines, false))
	}
	if v.Verb != revisions.Added && before != nil && before.json != "" {
		lines, _ := text.YAML(before.json)
		a = text.Strings(text.Fold(lines, false))
	} else if v.Verb == revisions.Modified {
		note = "The revision before is compacted: this is the whole object."
	}
	if v.Verb == revisions.Deleted {
		b = nil
	}
	var out strings.Builder
	text.DiffHTML(&out, text.Diff(a, b, 2))
	return out.String(), note
}

func clockTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format("15:04:05")
}
