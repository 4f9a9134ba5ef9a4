//go:build js && wasm

package client

import (
	"context"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app"
	"github.com/tabernetes/tabernetes/web/dom"
	"github.com/tabernetes/tabernetes/web/history"
	"github.com/tabernetes/tabernetes/web/objects"
	"github.com/tabernetes/tabernetes/web/reflector"
	"github.com/tabernetes/tabernetes/web/revisions"
)

func init() { Start = start }

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
	body    *dom.Element
	seen    bool
	path    string
	mode    reflector.Mode
	problem string

	client  *reflector.Client
	stop    context.CancelFunc
	running bool
	info    history.Info // of the client's collection
	truth   *reflector.Truth
	// learning is the truth that is being listed for.
	learning *reflector.Truth
	view     View // as last compared
	watch    int  // the request of the newest watch
	noted    app.LaneNote
	booked   bool
	wait     time.Duration
}

func start(a *app.App) {
	p := &page{App: a, body: a.Doc.GetElementByID("client"), path: FirstPath, stop: func() {}, wait: atMost}
	target := a.State().Target
	app.On(a.Bus, func(s app.State) {
		if target != "" && s.Target != target {
			p.halt() // its requests would go on at the other server
		}
		target = s.Target
	})
	app.On(a.Bus, func(app.ClusterChanged) {
		if p.client != nil {
			p.newTruth()
		}
	})
	app.On(a.Bus, func(app.CatalogChanged) { p.draw() })
	app.On(a.Bus, func(f revisions.Frame) {
		if p.truth != nil {
			p.truth.Frame(f)
			p.learn()
			p.later()
		}
	})
	a.Action("client-start", func(el *dom.Element, _ dom.Event) {
		if p.running {
			return // Enter in the path
		}
		p.path = el.QuerySelector("[name=path]").Underlying().Get("value").String()
		p.mode = reflector.ByID(el.QuerySelector("[name=mode]").Underlying().Get("value").String())
		p.run()
	})
	a.Action("client-stop", func(*dom.Element, dom.Event) { p.halt() })
	a.Action("client-mode", func(el *dom.Element, _ dom.Event) {
		p.mode = reflector.ByID(el.Underlying().Get("value").String())
		p.draw()
	})
	a.Action("client-seen", func(el *dom.Element, _ dom.Event) {
		if seen := el.Underlying().Get("clientHeight").Int() > 0; seen != p.seen {
			p.seen = seen
			p.draw()
		}
	})
	a.NewWindow(p.body) // which has the action above called when the panel is shown
}

// run starts a client with an empty cache.
func (p *page) run() {
	p.info = history.Classify("GET", p.path)
	if p.problem = p.wrong(); p.problem != "" {
		p.draw()
		return
	}
	p.halt()
	ctx, cancel := context.WithCancel(context.Background())
	c := &reflector.Client{Transport: &transport{p}, Path: p.path, Mode: p.mode, Cache: &objects.Store{}}
	c.Changed = func(*objects.Object) {
		if p.client == c {
			p.later()
		}
	}
	p.client, p.stop, p.running, p.view = c, cancel, true, View{}
	p.newTruth()
	p.refresh()
	go c.Run(ctx)
}

// wrong returns why the path is none that a client can be run on; empty if it is.
func (p *page) wrong() string {
	typ := p.Catalog.Resource(p.info.Group, p.info.Version, p.info.Resource)
	switch {
	case p.info.Resource == "" || p.info.Name != "" || p.info.Verb == "watch":
		return "This is no collection: " + p.path + ". One is " + FirstPath + "."
	case len(p.info.Query) > 0:
		return "Give the path without a query: the comparison takes all objects of the collection."
	case p.Catalog.Empty():
		return ""
	case typ == nil:
		return "The cluster has no such resource type: " + p.info.GroupResource() + "."
	case !typ.Can("list") || !typ.Can("watch"):
		return "Objects of this type cannot be listed and watched."
	}
	return ""
}

// halt ends the client; what is in its cache stays to be seen.
func (p *page) halt() {
	p.stop()
	p.stop, p.running = func() {}, false
	p.note("", false)
	p.later()
}

// newTruth starts again to know what the server has.
func (p *page) newTruth() {
	p.truth = &reflector.Truth{Group: p.info.Group, Resource: p.info.Resource, Namespace: p.info.Namespace}
	p.learn()
}

// learn lists the collection, unseen by the person, if there may be changes that were
// not told.
func (p *page) learn() {
	t, path := p.truth, p.client.Path
	if p.learning == t || !t.Unsure() {
		return
	}
	p.learning = t
	go func() {
		for p.truth == t && t.Unsure() {
			if !p.list(t, path) {
				time.Sleep(retry)
			}
		}
		if p.learning == t {
			p.learning = nil
		}
	}()
}

// list takes a consistent list. It reports whether there was one.
func (p *page) list(t *reflector.Truth, path string) bool {
	var all objects.Store
	for fresh := true; fresh || all.Continue != ""; fresh = false {
		u := path + "?limit=" + strconv.Itoa(pageSize)
		if all.Continue != "" {
			u += "&continue=" + all.Continue
		}
		res, err := p.Fetch(context.Background(), app.Request{Method: "GET", Path: u, Quiet: true})
		if err != nil || res.Status != 200 || p.truth != t || all.List(res.Body, fresh) != nil {
			return false
		}
	}
	t.List(all.Rows(), all.Revision)
	p.later()
	return true
}

// later has the client compared with the server soon.
func (p *page) later() {
	if p.booked {
		return
	}
	p.booked = true
	time.AfterFunc(p.wait, func() {
		p.booked = false
		p.refresh()
	})
}

// refresh compares the client with the server, and says what comes of it.
func (p *page) refresh() {
	if p.client == nil {
		p.draw()
		return
	}
	if p.truth.Unsure() {
		p.view.State = p.client.State() // the comparison waits for the list
		p.draw()
		return
	}
	began := time.Now()
	p.view = New(p.client, p.running, p.truth.Server(), p.info.GroupResource())
	p.wait = max(atMost, 10*time.Since(began))
	if p.running {
		words, bad := p.view.Summary()
		if bad != p.noted.Bad {
			p.Announce("Cache of the client: " + words)
		}
		p.note(words, bad)
	}
	p.draw()
}

// note puts words beside the lane of the client's watch.
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
	p.RenderFunc(p.body, func() templ.Component {
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
