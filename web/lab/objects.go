//go:build js && wasm

package lab

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/catalog"
	"github.com/tabernetes/tabernetes/web/dom"
	"github.com/tabernetes/tabernetes/web/objects"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/text"
	"github.com/tabernetes/tabernetes/web/ui"
)

const (
	pageSize = 500
	freshFor = 1500 * time.Millisecond
)

// objectsPanel lists the objects of one type, kept by list and watch.
type objectsPanel struct {
	*app.App
	list, tools *dom.Element
	typ         *catalog.Resource
	want        string // the ID of the type to show
	namespace   string
	store       objects.Store
	stop        context.CancelFunc
	problem     string
	seen        *app.Window
	fading      bool

	one         *oneObject
	showManaged bool // managedFields are shown in full
}

func startObjects(a *app.App) {
	p := &objectsPanel{App: a, list: a.Doc.GetElementByID("objects"), tools: a.Doc.GetElementByID("objects-tools"), want: "pods"}
	p.seen = a.NewWindow(p.list)
	commits := &commitLog{}
	a.RenderFunc(p.tools, p.drawTools)
	cluster := ""
	app.On(a.Bus, func(f revisions.Frame) {
		if f.State != nil && f.State.Cluster != cluster {
			cluster = f.State.Cluster
			*commits = commitLog{}
			p.one = nil
			if p.stop != nil {
				p.stop()
				p.stop = nil
				p.typ = nil
			}
			p.store.Reset()
			a.RenderFunc(p.tools, p.drawTools)
			p.drawList()
		}
		if f.State != nil && f.State.Compacted > commits.horizon {
			commits.horizon = f.State.Compacted
			p.drawOne()
		}
		if f.Commit == nil {
			return
		}
		commits.add(*f.Commit)
		if f.Commit.Resource == "namespaces" {
			a.RenderFunc(p.tools, p.drawTools)
		}
		if p.one != nil && f.Commit.Ref() == p.one.ref {
			p.one.versions = append(p.one.versions, &version{Commit: *f.Commit})
			p.refreshOne()
		}
	})
	app.On(a.Bus, func(e app.Unfolded) {
		p.showManaged = e.On
		p.drawOne()
	})
	app.On(a.Bus, func(app.CatalogChanged) { p.catalogChanged() })
	app.On(a.Bus, func(e app.OpenObject) {
		a.Open("objects")
		p.openRef(e.Ref, commits)
	})
	// A revision that is chosen shows what it was.
	app.On(a.Bus, func(e app.Selected) {
		if ref, ok := strings.CutPrefix(e.Object, "obj-"); ok && e.Revision > 0 && e.From != "objects" {
			p.openVersion(ref, e.Revision, commits)
		}
	})
	a.Action("objects-type", func(el *dom.Element, _ dom.Event) {
		p.want = el.Underlying().Get("value").String()
		p.follow()
	})
	a.Action("objects-namespace", func(el *dom.Element, _ dom.Event) {
		p.namespace = el.Underlying().Get("value").String()
		p.typ = nil
		p.follow()
	})
	a.Action("objects-scroll", func(*dom.Element, dom.Event) {
		if p.one == nil && p.store.Len() > 30 {
			p.seen.Measure()
			p.drawList()
		}
	})
	a.Action("object-open", func(el *dom.Element, _ dom.Event) {
		if p.typ != nil {
			app.Emit(a.Bus, app.OpenObject{Ref: p.typ.ID() + "/" + app.RefKey(el.GetAttribute("data-object"))})
		}
	})
	a.Action("object-back", func(*dom.Element, dom.Event) {
		p.one = nil
		a.RenderFunc(p.tools, p.drawTools)
		p.seen.ToTop()
		p.drawList()
	})
	a.Action("object-view", func(el *dom.Element, _ dom.Event) {
		if p.one != nil {
			p.one.view = el.Underlying().Get("value").String()
			if p.one.view == "history" && len(p.one.versions) > 0 {
				v := p.one.versions[len(p.one.versions)-1]
				v.open = true
				p.fetchVersion(len(p.one.versions) - 1)
			}
			p.drawOne()
		}
	})
	a.Action("object-version", func(el *dom.Element, _ dom.Event) {
		if p.one == nil {
			return
		}
		for i, v := range p.one.versions {
			if strconv.FormatInt(v.Revision, 10) == el.GetAttribute("data-rev") {
				v.open = !v.open
				p.fetchVersion(i)
			}
		}
		p.drawOne()
	})
	a.Action("object-edit", func(*dom.Element, dom.Event) {
		if o := p.one; o != nil {
			lines, _ := text.YAML(o.json)
			app.Emit(a.Bus, app.Compose{Request: app.Request{Method: "PUT", Path: o.typ.Object(o.namespace, o.name), Body: text.Join(text.Unmanaged(lines))}})
		}
	})
	a.Action("object-delete", func(*dom.Element, dom.Event) {
		if o := p.one; o != nil {
			app.Emit(a.Bus, app.Compose{Request: app.Request{Method: "DELETE", Path: o.typ.Object(o.namespace, o.name)}})
		}
	})
	go func() {
		// Ages go on without events.
		for {
			time.Sleep(5 * time.Second)
			if p.one == nil && p.store.Len() > 0 {
				p.drawList()
			}
		}
	}()
}

func (p *objectsPanel) catalogChanged() {
	p.RenderFunc(p.tools, p.drawTools)
	p.follow()
}

func (p *objectsPanel) changed(*objects.Object) {
	if p.one == nil {
		p.drawList()
	}
	if !p.fading {
		// A row that changed looks so for a moment.
		p.fading = true
		go func() {
			time.Sleep(freshFor)
			p.fading = false
			if p.one == nil {
				p.drawList()
			}
		}()
	}
}

func (p *objectsPanel) drawTools() templ.Component {
	if p.one != nil {
		title := p.one.name
		if p.one.namespace != "" {
			title = p.one.namespace + "/" + title
		}
		return ui.ObjectTools(ui.ObjectHead{Title: title, Refs: "obj-" + p.one.ref, View: p.one.view, Gone: p.one.gone})
	}
	d := ui.ObjectsToolsData{Type: p.want, Namespace: p.namespace}
	for _, r := range p.Catalog.Preferred() {
		name := r.Group
		if name == "" {
			name = "core"
		}
		if n := len(d.Groups); n == 0 || d.Groups[n-1].Name != name {
			d.Groups = append(d.Groups, ui.TypeGroup{Name: name})
		}
		g := &d.Groups[len(d.Groups)-1]
		g.Types = append(g.Types, ui.TypeOption{ID: r.ID(), Label: r.Plural})
	}
	if p.typ != nil {
		if p.typ.Namespaced {
			d.Namespaces = p.Seen.Namespaces()
		}
	}
	return ui.ObjectsTools(d)
}

func (p *objectsPanel) drawList() {
	if p.one != nil {
		p.drawOne()
		return
	}
	p.RenderFunc(p.list, func() templ.Component {
		if p.one != nil {
			return p.oneView()
		}
		count := ""
		if p.typ != nil {
			count = ui.Count(p.store.Len())
		}
		p.Page.Call("text", "objects-count", count)
		switch {
		case p.problem != "":
			return ui.Empty("The list cannot be read: " + p.problem)
		case p.typ == nil:
			return ui.Empty("The objects of a resource type are listed here when the API server has started.")
		case p.store.Len() == 0:
			return ui.Empty("No " + p.typ.Plural + ". POST one, or take the sample data.")
		}
		return ui.ObjectRows(p.window())
	})
}

// window is the part of the list that can be seen, and a little more.
func (p *objectsPanel) window() ui.ObjectsWindow {
	rows := p.store.Rows()
	w := ui.ObjectsWindow{Namespaced: p.typ.Namespaced && p.namespace == "", Total: len(rows)}
	from, to, above, below := p.seen.Rows(len(rows))
	w.First, w.Above, w.Below = from, above, below
	now := time.Now()
	for _, o := range rows[from:to] {
		r := ui.ObjectRow{
			Key: o.Key(), Namespace: o.Namespace, Name: o.Name, Revision: strconv.FormatInt(o.Revision, 10), Deleting: o.Deleting,
			Refs: revisions.ObjectRef(p.typ.Group, p.typ.Plural, o.Namespace, o.Name) + " rev-" + strconv.FormatInt(o.Revision, 10),
		}
		if !o.Created.IsZero() {
			r.Age = objects.Age(now.Sub(o.Created))
		}
		if o.Verb != "" && now.Sub(o.At) < freshFor {
			r.Fresh = strings.ToLower(o.Verb)
		}
		w.Rows = append(w.Rows, r)
	}
	return w
}
