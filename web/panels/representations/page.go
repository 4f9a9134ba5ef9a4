package representations

import (
	"context"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/core/settings"
	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/objects"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

const (
	// settled is how long an object must stay chosen until it is asked for: a user who steps from one to the next makes
	// no requests on the way.
	settled = 150 * time.Millisecond
	// narrow is the width up to which the style sheet shows one form, in pixels.
	narrow = 720
	// gate is the feature gate with which an API server writes CBOR.
	gate = "CBORServingAndStorage"
)

// A page shows the panel. It asks for an object only while the panel is in view.
type page struct {
	*app.App
	Panel
	seen    bool
	asked   bool // the object has been asked for
	read    int64
	changed int64 // the newest change of the object behind the one that was read
	stop    context.CancelFunc
	due     *time.Timer
	unknown string // an object whose type the catalog does not know yet
}

// Start runs the panel.
func Start(a *app.App) { start(a) }

func start(a *app.App) *page {
	p := &page{App: a, stop: func() {}}
	app.On(a.Bus, func(e app.OpenObject) { p.choose(e.Ref) })
	app.On(a.Bus, func(e app.Selected) {
		ref := e.Object
		if r := a.Requests.Get(e.Request); ref == "" && r != nil {
			ref = r.Info.Ref()
		}
		if ref, ok := strings.CutPrefix(ref, "obj-"); ok {
			p.choose(ref)
		}
	})
	app.On(a.Bus, func(e app.ShowRepresentations) {
		p.show(e.Path, e.Title, e.Ref)
		a.Open("representations")
	})
	app.On(a.Bus, func(app.CatalogChanged) {
		if p.unknown != "" {
			p.choose(p.unknown)
		}
	})
	app.On(a.Bus, func(app.ClusterChanged) { p.show("", "", "") })
	app.On(a.Bus, func(e app.Unfolded) {
		p.Unfolded = e.On
		p.draw()
	})
	app.On(a.Bus, func(f revisions.Frame) {
		if c := f.Commit; c != nil && p.Ref != "" && c.Ref() == p.Ref && c.Revision > p.read && p.read > 0 {
			p.changed = c.Revision
			p.draw()
		}
	})
	// The gate may have been turned, here or by anybody.
	app.On(a.Bus, func(e app.EntryChanged) {
		done := e.Event.Type == tap.End && e.Status == 200
		if done && e.Info.Verb == "patch" && e.Info.Resource == "controlplanes" && strings.Contains(e.Body, gate) {
			p.again()
		}
	})
	a.OnUse("representations-seen", func(u app.Use) {
		if seen := u.Shown(); seen != p.seen {
			p.seen = seen
			p.ask()
		}
	})
	a.NewWindow("reps") // which has the action above called when the panel is shown
	a.OnUse("representations-again", func(app.Use) { p.again() })
	a.OnUse("representations-gate", func(app.Use) {
		patch := func(on bool) string { return settings.Patch(settings.Values{"featureGates." + gate: on}) }
		app.Emit(a.Bus, app.ChangeSetting{Patch: patch(true), Back: patch(false), Label: gate + " on",
			Done: "The API server writes CBOR."})
	})
	a.OnUse("representation", func(u app.Use) {
		form := u.Attr("data-form")
		if p.Width("reps") <= narrow {
			p.Only(form)
		} else {
			p.Toggle(form)
		}
		p.draw()
	})
	a.OnUse("wire-more", func(u app.Use) {
		if form := u.Around("data-form"); form != "" {
			p.More(form)
			p.draw()
		}
	})
	return p
}

// choose shows the object of that name in the shared selection, without "obj-".
func (p *page) choose(ref string) {
	parts := strings.SplitN(ref, "/", 3)
	if len(parts) != 3 || p.Ref == "obj-"+ref {
		return
	}
	typ := p.Catalog.ByID(parts[0])
	if typ == nil {
		p.unknown = ref
		return
	}
	ns, name := strings.TrimPrefix(parts[1], "_"), parts[2]
	title := typ.Kind + " " + name
	if ns != "" {
		title = typ.Kind + " " + ns + "/" + name
	}
	p.show(typ.Object(ns, name), title, ref)
}

// show shows another object; without a path none.
func (p *page) show(path, title, ref string) {
	resource, _, _ := strings.Cut(ref, "/")
	if ref != "" {
		ref = "obj-" + ref
	}
	p.stop()
	p.Panel.Open(path, title, resource, ref)
	p.asked, p.read, p.changed, p.unknown = false, 0, 0, ""
	p.draw()
	if p.due != nil {
		p.due.Stop()
	}
	p.due = time.AfterFunc(settled, p.ask)
}

// again asks for the object again.
func (p *page) again() {
	p.asked = false
	p.ask()
}

// ask asks for the object in all its forms, if that has not been done.
func (p *page) ask() {
	if p.Path == "" || p.asked || !p.seen {
		return
	}
	p.stop()
	ctx, cancel := context.WithCancel(context.Background())
	p.stop, p.asked, p.changed = cancel, true, 0
	p.draw()
	path := p.Path
	go func() {
		for _, f := range Forms {
			a := p.get(ctx, path, f)
			if ctx.Err() != nil {
				return
			}
			if o, err := objects.Read(a.Body); err == nil && f.ID == Forms[0].ID && a.Status == 200 {
				p.read = o.Revision
			}
			p.Take(f.ID, a)
			p.draw()
		}
	}()
}

// get asks for the object in one form. It blocks.
func (p *page) get(ctx context.Context, path string, f Form) Answer {
	res, err := p.Fetch(ctx, app.Request{
		Method: "GET", Path: path + Query, Origin: "console", Header: []tap.Field{{Name: "Accept", Value: f.Accept}},
	})
	a := Answer{Request: res.Request, Status: res.Status, Type: res.Get("Content-Type"), Body: res.Body,
		Size: len(res.Body)}
	if err != nil {
		a.Status, a.Err = 0, err.Error()
		return a
	}
	a.GzipSize = p.GzipSize(res.Body)
	return a
}

func (p *page) draw() {
	p.Draw("reps-head", func() templ.Component { return Head(p.Title, p.Ref, p.changed) })
	p.Draw("reps", func() templ.Component { return Representations(p.View()) })
}
