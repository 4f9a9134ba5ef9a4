package objects

import (
	"context"
	"net/http"
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

// object is the one whose text, history and relatives are shown.
type object struct {
	ref             string
	typ             *catalog.Resource
	namespace, name string
	view            string
	versions        []*version // oldest first
	json            string     // as it is, or was when it was deleted
	self            objects.Member
	gone            bool
	problem         string
	family          family
	why             why
	readings
}

// oneActions registers the actions on one object.
func (p *panel) oneActions() {
	on := func(name string, f func(o *object, u app.Use)) {
		p.OnUse(name, func(u app.Use) {
			if p.one != nil {
				f(p.one, u)
			}
			p.draw()
		})
	}
	on("object-back", func(o *object, _ app.Use) {
		p.one = nil
		p.readNodes()
		p.tree.Layout()
		p.focus("objects-tree")
		if i := p.tree.Index(p.active); i >= 0 {
			p.seen.Reveal(i)
		}
	})
	on("object-view", func(o *object, u app.Use) {
		o.view = u.Value()
		switch n := len(o.versions); {
		case o.view == "history" && n > 0:
			o.versions[n-1].open = true
			p.fetchVersion(n - 1)
		case o.view == "owners":
			p.readFamily(o)
		}
	})
	on("object-version", func(o *object, u app.Use) {
		for i, v := range o.versions {
			if v.Revision == u.Int("data-rev") {
				v.open = !v.open
				p.fetchVersion(i)
			}
		}
	})
	on("object-manager", func(_ *object, u app.Use) {
		name := u.Attr("data-name")
		p.off[name] = !p.off[name]
	})
	on("object-relative", func(_ *object, u app.Use) { p.open(u.Attr("data-object")) })
	on("object-edit", func(o *object, _ app.Use) {
		lines, _ := text.YAML(o.json)
		app.Emit(p.Bus, app.Compose{Request: app.Request{Method: "PUT", Path: o.path(),
			Body: text.Join(text.Unmanaged(lines))}})
	})
	on("object-delete", func(o *object, _ app.Use) {
		app.Emit(p.Bus, app.Compose{Request: app.Request{Method: "DELETE", Path: o.path()}})
	})
}

func (o *object) path() string { return o.typ.Object(o.namespace, o.name) }

// focus moves the focus to an element that is about to be drawn.
func (p *panel) focus(id string) {
	p.draw()
	p.Page.Call("focus", id, true)
}

// open shows an object: ref is as in the shared selection, without "obj-".
func (p *panel) open(ref string) {
	o := p.object(ref)
	if o == nil {
		return
	}
	if p.one != nil {
		o.view = p.one.view
	}
	objects.After(&p.Seen.Commits, 0, o.typ.ID(), o.namespace, func(m revisions.Commit) {
		if m.Name == o.name && m.Namespace == o.namespace {
			o.versions = append(o.versions, &version{Commit: m})
		}
	})
	p.one = o
	p.seen.ToTop()
	p.refreshOne()
}

// object returns the object that ref names, of which nothing is read yet; nil if there is no such type.
func (p *panel) object(ref string) *object {
	parts := strings.SplitN(ref, "/", 3)
	if len(parts) != 3 {
		return nil
	}
	typ := p.Catalog.ByID(parts[0])
	if typ == nil {
		return nil
	}
	return &object{ref: "obj-" + ref, typ: typ, namespace: strings.TrimPrefix(parts[1], "_"), name: parts[2],
		view: "yaml"}
}

// openVersion shows what one revision of an object changed.
func (p *panel) openVersion(ref string, rev int64) {
	if p.one == nil || p.one.ref != "obj-"+ref {
		p.open(ref)
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
	p.draw()
}

// commit takes a commit, of this object or of another one.
func (o *object) commit(p *panel, m *revisions.Commit) {
	if o.saysWhy(m) {
		p.refreshOne()
	}
	if o.isIn(m) {
		o.versions = append(o.versions, &version{Commit: *m})
		p.refreshOne()
	} else if o.view == "owners" {
		p.readFamily(o)
	}
}

// isIn reports whether a commit is of this object.
func (o *object) isIn(m *revisions.Commit) bool {
	return objects.Of(m, o.typ.ID(), "") && m.Name == o.name && m.Namespace == o.namespace
}

// refreshOne reads the shown object again. What changes all the time is read as
// often as it is answered.
func (p *panel) refreshOne() {
	o := p.one
	if !o.ask() {
		return
	}
	go func() {
		for o.next(p.one == o) {
			p.readObject(o)
			p.draw()
		}
		switch n := len(o.versions); {
		case p.one != o:
		case o.view == "history" && n > 0:
			p.fetchVersion(n - 1)
		case o.view == "owners":
			p.readFamily(o)
		}
	}()
	p.draw()
}

// readObject reads an object, and why it waits. It blocks.
func (p *panel) readObject(o *object) {
	res, err := p.Fetch(context.Background(), app.Request{Method: "GET", Path: o.path(), Quiet: true})
	if err == nil {
		o.take(res)
		p.readWhy(o)
	}
}

// take takes an answer to a read of the object.
func (o *object) take(res app.Response) {
	switch res.Status {
	case http.StatusOK:
		o.json, o.gone, o.problem = res.Body, false, ""
		o.self, _ = objects.ReadMember(res.Body, o.typ.ID())
	case http.StatusNotFound:
		o.gone = true
	default:
		o.problem = refusal{res}.Error()
	}
}

// draw returns the object as it is shown.
func (o *object) draw(p *panel) templ.Component {
	title := Title(o.called())
	switch o.view {
	case "history":
		return templ.Join(title,
			ui.Versions(o.history(p.Seen.Compacted, p.Author), o.compactedNote(p.Seen.Compacted)))
	case "owners":
		return templ.Join(title, Relatives(o.relatives(p)))
	}
	switch {
	case o.problem != "":
		return templ.Join(title, ui.Empty(o.problem))
	case o.json == "" && o.gone:
		return templ.Join(title, ui.Empty("It is deleted. Its history shows the revisions that are still kept."))
	case o.json == "":
		return title
	}
	lines, _ := text.YAML(o.json)
	legend := text.Legend(o.json, lines)
	for i := range legend {
		legend[i].Off = p.off[legend[i].Name]
	}
	lines = text.Fold(lines, p.unfolded)
	var blocks []string
	var b strings.Builder
	for part := range slices.Chunk(lines, 200) {
		b.Reset()
		text.OwnersHTML(&b, part, o.typ.ID(), legend)
		blocks = append(blocks, b.String())
	}
	return templ.Join(title, Why(o.why), Legend(legend), ui.Code(blocks, len(lines), len(lines)))
}

func (o *object) called() Name {
	return Name{Kind: o.typ.Kind, Namespace: o.namespace, Name: o.name, Refs: o.ref, Deleting: o.self.Deleting,
		Gone: o.gone}
}

func clockTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format("15:04:05")
}

func number(n int64) string { return strconv.FormatInt(n, 10) }
