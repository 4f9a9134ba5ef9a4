package client

import (
	"context"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/objects"
	"github.com/tabernetes/tabernetes/web/panels/client/reflector"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
)

const (
	// atMost is how often a client is compared with the server: once in this time,
	// or in longer where comparing takes more than a tenth of it.
	atMost = 100 * time.Millisecond
	// pageSize is how many objects are asked for at once to know what the server has.
	pageSize = 500
	// retry is after how long that is tried again.
	retry = time.Second
)

// page puts the panel on the screen and runs its client.
type page struct {
	*app.App
	seen    bool
	path    string
	mode    reflector.Mode
	problem string

	client  *reflector.Client
	stop    context.CancelFunc
	running bool
	info    tap.Info // of the client's collection
	tracker *reflector.ServerTracker
	// listing is the tracker that is being listed for.
	listing *reflector.ServerTracker
	view    View // as last compared
	watch   int  // the request of the newest watch
	noted   app.LaneNote
	// comparison is with the server.
	comparison app.Later
}

// Start runs the panel.
func Start(a *app.App) { start(a) }

func start(a *app.App) *page {
	p := &page{App: a, path: FirstPath, stop: func() {}}
	p.comparison = app.Later{Wait: atMost, Run: p.refresh}
	target := a.State().Target
	app.On(a.Bus, func(s app.State) {
		if target != "" && s.Target != target {
			p.stopClient() // otherwise its requests would be sent to the other server
		}
		target = s.Target
	})
	app.On(a.Bus, func(app.ClusterChanged) {
		if p.client != nil {
			p.newTracker()
		}
	})
	app.On(a.Bus, func(app.CatalogChanged) { p.draw() })
	app.On(a.Bus, func(f revisions.Frame) {
		if p.tracker != nil {
			p.tracker.Frame(f)
			p.listIfNeeded()
			p.comparison.Do()
		}
	})
	a.OnUse("client-start", func(u app.Use) {
		if p.running {
			return // Enter in the path
		}
		p.path = u.In("path")
		p.mode = reflector.ByID(u.In("mode"))
		p.run()
	})
	a.OnUse("client-stop", func(app.Use) { p.stopClient() })
	a.OnUse("client-mode", func(u app.Use) {
		p.mode = reflector.ByID(u.Value())
		p.draw()
	})
	a.OnUse("client-seen", func(u app.Use) {
		if seen := u.Shown(); seen != p.seen {
			p.seen = seen
			p.draw()
		}
	})
	a.NewWindow("client") // which has the action above called when the panel is shown
	return p
}

// run starts a client with an empty cache.
func (p *page) run() {
	p.info = tap.Classify("GET", p.path)
	if p.problem = p.wrong(); p.problem != "" {
		p.draw()
		return
	}
	p.stopClient()
	ctx, cancel := context.WithCancel(context.Background())
	c := &reflector.Client{Transport: &transport{p}, Path: p.path, Mode: p.mode, Cache: &objects.Store{}}
	c.Changed = func(*objects.Object) {
		if p.client == c {
			p.comparison.Do()
		}
	}
	p.client, p.stop, p.running, p.view = c, cancel, true, View{}
	p.newTracker()
	p.refresh()
	go c.Run(ctx)
}

// wrong returns why a client cannot be run on the path, or "" if it can.
func (p *page) wrong() string {
	typ := p.Catalog.Resource(p.info.Group, p.info.Version, p.info.Resource)
	switch {
	case p.info.Resource == "" || p.info.Name != "" || p.info.Verb == "watch":
		return "This is not a collection: " + p.path + ". One is " + FirstPath + "."
	case len(p.info.Query) > 0:
		return "Enter the path without a query: the comparison uses all objects of the collection."
	case p.Catalog.Empty():
		return ""
	case typ == nil:
		return "The cluster has no such resource type: " + p.info.GroupResource() + "."
	case !typ.Can("list") || !typ.Can("watch"):
		return "Objects of this type cannot be listed and watched."
	}
	return ""
}

// stopClient ends the client; what is in its cache stays visible.
func (p *page) stopClient() {
	p.stop()
	p.stop, p.running = func() {}, false
	p.note("", false)
	p.comparison.Do()
}

// newTracker starts again to track what the server has.
func (p *page) newTracker() {
	p.tracker = &reflector.ServerTracker{Group: p.info.Group, Resource: p.info.Resource, Namespace: p.info.Namespace}
	p.listIfNeeded()
}

// listIfNeeded lists the collection, without showing the request, if changes may be missing.
func (p *page) listIfNeeded() {
	t, path := p.tracker, p.client.Path
	if p.listing == t || !t.NeedsList() {
		return
	}
	p.listing = t
	go func() {
		for p.tracker == t && t.NeedsList() {
			if !p.list(t, path) {
				time.Sleep(retry)
			}
		}
		if p.listing == t {
			p.listing = nil
		}
	}()
}

// list takes a consistent list, and reports whether there was one.
func (p *page) list(t *reflector.ServerTracker, path string) bool {
	var all objects.Store
	for fresh := true; fresh || all.Continue != ""; fresh = false {
		u := path + "?limit=" + strconv.Itoa(pageSize)
		if all.Continue != "" {
			u += "&continue=" + all.Continue
		}
		res, err := p.Fetch(context.Background(), app.Request{Method: "GET", Path: u, Quiet: true})
		if err != nil || res.Status != 200 || p.tracker != t || all.List(res.Body, fresh) != nil {
			return false
		}
	}
	t.List(all.Rows(), all.Revision)
	p.comparison.Do()
	return true
}

// refresh compares the client with the server, and shows the result.
func (p *page) refresh() {
	if p.client == nil {
		p.draw()
		return
	}
	if p.tracker.NeedsList() {
		p.view.State = p.client.State() // the comparison waits for the list
		p.draw()
		return
	}
	began := time.Now()
	p.view = New(p.client, p.running, p.tracker.Server(), p.info.GroupResource())
	p.comparison.Wait = max(atMost, 10*time.Since(began))
	if p.running {
		words, bad := p.view.Summary()
		if bad != p.noted.Bad {
			p.Announce("Cache of the client: " + words)
		}
		p.note(words, bad)
	}
	p.draw()
}

// note puts a text beside the lane of the client's watch.
func (p *page) note(words string, bad bool) {
	n := app.LaneNote{Request: p.watch, Words: words, Bad: bad}
	if n == p.noted {
		return
	}
	if p.noted.Words != "" && p.noted.Request != n.Request {
		app.Emit(p.Bus, app.LaneNote{Request: p.noted.Request})
	}
	p.noted = n
	if n.Request > 0 {
		app.Emit(p.Bus, n)
	}
}

func (p *page) draw() {
	if !p.seen {
		return
	}
	p.Draw("client", func() templ.Component {
		v := p.view
		v.Path, v.Mode, v.Running, v.Problem = p.path, reflector.Modes[p.mode], p.running, p.problem
		for _, r := range p.Catalog.Preferred() {
			if r.Can("list") && r.Can("watch") {
				v.Paths = append(v.Paths, r.Collection("default"))
			}
		}
		return Client(v)
	})
}
