package objects

import (
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/objects"
	"github.com/tabernetes/tabernetes/web/revisions"
)

// freshFor is how long a row is highlighted after a change.
const freshFor = 1500 * time.Millisecond

// drawEvery is how often the tree is drawn while objects change all the time.
const drawEvery = 100 * time.Millisecond

// panel shows the objects of the cluster.
type panel struct {
	*app.App
	seen     *app.Window
	throttle app.Throttle // of drawing what changes
	shown    bool         // the panel is in view

	tree   objects.Tree
	active string // the key of the row where the keyboard is
	typed  objects.TypeAhead
	// reading counts up with every other cluster or namespace: what was asked for
	// before is not taken.
	reading    int
	counting   bool
	recount    bool // there is more to count
	refreshing bool
	fading     bool

	compacted int64 // of the history, as it was drawn last
	one       *object
	unfolded  bool            // managedFields are shown in full
	off       map[string]bool // managers whose lines are not marked
	past      past
	nodes     byNode
	beside    *object     // it is said beside the nodes why it waits
	answer    *app.Window // the place of that
}

// Start runs the panel.
func Start(a *app.App) { start(a) }

func start(a *app.App) *panel {
	p := &panel{App: a, seen: a.NewWindow("objects"), off: map[string]bool{}, throttle: app.Throttle{Every: drawEvery}}
	p.measure()
	app.On(a.Bus, p.frame)
	app.On(a.Bus, func(app.ClusterChanged) {
		p.one, p.beside = nil, nil
		p.reset(p.tree.Counts.Namespace)
	})
	app.On(a.Bus, func(app.CatalogChanged) { p.types() })
	app.On(a.Bus, func(e app.Unfolded) {
		p.unfolded = e.On
		p.draw()
	})
	app.On(a.Bus, func(e app.OpenObject) {
		a.Open("objects")
		p.open(e.Ref)
	})
	// A revision that is chosen shows what it was.
	app.On(a.Bus, func(e app.Selected) {
		if ref, ok := strings.CutPrefix(e.Object, "obj-"); ok && e.Revision > 0 && e.From != "objects" && a.At == 0 {
			p.openVersion(ref, e.Revision)
		}
	})
	p.treeActions()
	p.nodeActions()
	p.oneActions()
	p.startPast()
	p.draw()
	app.Every(5*time.Second, func() { // ages change without events, too
		if p.shown && p.one == nil {
			p.draw()
		}
	})
	return p
}

// frame takes a frame of the revisions stream.
func (p *panel) frame(f revisions.Frame) {
	if f.State != nil && f.State.Compacted != p.compacted {
		p.compacted = f.State.Compacted
		if p.one != nil {
			p.draw()
		}
	}
	m := f.Commit
	if m == nil {
		return
	}
	if p.tree.Counts.Commit(m) || m.Resource == "namespaces" {
		p.throttle.Do(p.draw)
	}
	p.placed(m)
	for _, id := range p.tree.Opened() {
		if objects.Of(m, id, p.tree.Counts.Namespace) && p.tree.Branch(id).Commit(m, time.Now()) != nil {
			p.changed()
		}
	}
	if p.one != nil {
		p.one.commit(p, m)
	}
	if o := p.beside; o != nil && (o.isIn(m) || o.saysWhy(m)) {
		p.readBeside(o)
	}
}

// changed draws a row that has changed, and draws it again when it is no longer highlighted.
func (p *panel) changed() {
	p.throttle.Do(p.draw)
	if p.fading {
		return
	}
	p.fading = true
	go func() {
		time.Sleep(freshFor)
		p.fading = false
		p.draw()
	}()
}

// reset forgets all objects, and reads those again that are in view.
func (p *panel) reset(namespace string) {
	p.reading++
	for _, b := range p.tree.Reset(namespace) {
		p.read(b)
	}
	p.count()
	p.nodes.read = false
	p.readNodes()
	p.draw()
}

// types takes the resource types of the catalog.
func (p *panel) types() {
	var all []objects.Type
	for _, r := range p.Catalog.Preferred() {
		all = append(all, objects.Type{ID: r.ID(), Group: r.Group, Plural: r.Plural, Namespaced: r.Namespaced})
	}
	p.tree.SetTypes(all)
	p.count()
	p.draw()
}

// draw brings the panel up to date at the next frame, if it is in view.
func (p *panel) draw() {
	if !p.shown {
		return
	}
	p.Draw("objects-tools", p.drawTools)
	p.Draw("objects", p.drawList)
}

func (p *panel) drawTools() templ.Component {
	if p.one != nil {
		return OneTools(Head{View: p.one.view, Gone: p.one.gone})
	}
	if p.Catalog.Empty() {
		return templ.NopComponent
	}
	by := By(p.nodes.on)
	if p.nodes.on {
		return by
	}
	return templ.Join(by, Tools(Choice{Namespaces: p.Seen.Namespaces(), Namespace: p.tree.Counts.Namespace,
		All: p.tree.All, Hidden: p.tree.Hidden()}))
}

func (p *panel) drawList() templ.Component {
	if p.one != nil {
		return p.one.draw(p)
	}
	if p.past.at > 0 {
		return p.drawPast()
	}
	if p.nodes.on && !p.Catalog.Empty() {
		return p.drawNodes()
	}
	p.tree.Layout()
	switch {
	case p.Catalog.Empty():
		return templ.Raw(`<p class="empty">The objects of the cluster are listed here when the API server has started.</p>`)
	case p.tree.Len() == 0 && p.counting:
		return templ.Raw(`<p class="empty">Counting…</p>`)
	case p.tree.Len() == 0:
		return None(p.tree.Counts.Namespace)
	}
	w := p.window()
	return Tree(w)
}

// measure notes where the list is scrolled to, and whether the panel is in view.
func (p *panel) measure() {
	p.seen.Measure()
	was := p.shown
	p.shown = p.seen.Shown()
	if p.shown && !was {
		p.count()
		p.readNodes()
	}
}
