//go:build js && wasm

package lab

import (
	"context"
	"errors"
	"strings"
	"syscall/js"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/catalog"
	"github.com/tabernetes/tabernetes/web/dom"
	"github.com/tabernetes/tabernetes/web/history"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/tap"
	"github.com/tabernetes/tabernetes/web/ui"
)

// panels are the start functions of all panels, in file name order: every
// panel's file appends its own in init.
var panels []func(*App)

// App is the running lab: what panels share.
type App struct {
	Doc dom.Document

	page    js.Value // bridge.js: batching, patching, delegation
	tap     []func(tap.Event)
	frame   []func(revisions.Frame)
	state   []func(State)
	dirty   map[*dom.Element]*job // renderings due at the next frame
	order   []*dom.Element
	booked  bool
	flushed js.Func // flush, as the page calls it
	last    State
	// Catalog is what discovery says of the cluster.
	Catalog *catalog.Catalog
	// Seen is what the lab has learnt of the cluster on the way.
	Seen *seen
	// Requests are all requests of the page.
	Requests *history.Log

	compose  func(Request) // set by the console
	showNext func(Request) // set by the response panel
	show     func(id int)  // likewise
	applying func([]ui.Applied)

	onEntry    []func(*history.Entry, tap.Event)
	onShow     []func(id int)
	openObject func(ref string)     // set by the objects panel
	drawObject func()               // likewise
	unfolded   bool                 // managedFields are shown in full
	goRevision func(revision int64) // set by the ruler
	// refollow makes the revisions stream be opened again.
	refollow func()
}

// job is one rendering due.
type job struct{ make func() templ.Component }

// State is how the server in the tab is doing, as the shim reports it.
type State struct {
	Phase      string // "loading", "ready", "crashed", "damaged"
	Persistent bool   // whether the cluster is kept between visits
	Evictable  bool   // the browser has not promised to keep it
	SecondTab  bool   // another tab has the saved cluster; this one is a copy in memory
	SetAside   string // name of an unreadable saved state that was put away
	Problem    string // what was wrong with it, or why nothing is kept
	Target     string // "tab" or "devserver"
}

// Request is one API request.
type Request struct {
	Method string
	Path   string // path and query
	Header []tap.Field
	Body   string
	// Origin is put on the tap events: "console", "lesson", "sample", "lever".
	Origin string
	// Quiet requests are the lab's own bookkeeping: they are not tapped.
	Quiet bool
}

// Response is an API server's answer.
type Response struct {
	Status int
	Header []tap.Field
	Body   string
}

// Get returns the first header of that name, in any case.
func (r Response) Get(name string) string {
	for _, f := range r.Header {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

// ErrAborted is the error of a request whose context was cancelled.
var ErrAborted = errors.New("aborted")

// Main runs the lab until the page goes away.
func Main() {
	a := &App{
		Doc:     dom.GetDocument(),
		page:    js.Global().Get("tabernetesLab"),
		dirty:   map[*dom.Element]*job{},
		Catalog: &catalog.Catalog{}, Requests: &history.Log{}, Seen: newSeen(),
	}
	a.flushed = js.FuncOf(func(js.Value, []js.Value) any {
		a.flush()
		return nil
	})
	for _, start := range panels {
		start(a)
	}
	a.begin()
	select {}
}

// OnTap has f called with every event of every tapped request, from the first
// request of the page on.
func (a *App) OnTap(f func(tap.Event)) { a.tap = append(a.tap, f) }

// OnFrame has f called with every frame of the cluster's revisions stream. When
// the stream breaks it is opened again; frames that came before come again only
// if the cluster is another one (State.Cluster differs).
func (a *App) OnFrame(f func(revisions.Frame)) { a.frame = append(a.frame, f) }

// OnState has f called with the present state and with every change of it.
func (a *App) OnState(f func(State)) { a.state = append(a.state, f) }

// Panel returns the element with the id "panel-<name>", or nil.
func (a *App) Panel(name string) *dom.Element { return a.Doc.GetElementByID("panel-" + name) }

// Render makes the content of el be c at the next animation frame, changing
// only the nodes that differ. Elements are matched by their id or data-key
// among their siblings, otherwise by position. Several calls for one element
// before a frame cost one rendering: the last.
func (a *App) Render(el *dom.Element, c templ.Component) {
	a.RenderFunc(el, func() templ.Component { return c })
}

// RenderFunc is Render with a component that is made only when the frame comes,
// so that a burst of changes costs one.
func (a *App) RenderFunc(el *dom.Element, make func() templ.Component) {
	if el == nil {
		return
	}
	if j := a.dirty[el]; j != nil {
		j.make = make
		return
	}
	a.order = append(a.order, el)
	a.dirty[el] = &job{make}
	if !a.booked {
		a.booked = true
		a.page.Call("soon", a.flushed)
	}
}

// flush does the renderings that are due. It runs once per frame.
func (a *App) flush() {
	a.booked = false
	order, dirty := a.order, a.dirty
	a.order, a.dirty = nil, map[*dom.Element]*job{}
	var b strings.Builder
	for _, el := range order {
		b.Reset()
		if err := dirty[el].make().Render(context.Background(), &b); err != nil {
			js.Global().Get("console").Call("error", "render "+el.ID()+": "+err.Error())
			continue
		}
		a.page.Call("patch", el.Underlying(), b.String())
	}
}

// Action has f called when an element with data-action="name" is used: a form
// on submit, an input, select or textarea on change, anything else on click.
// data-on="input" (or keydown, …) on the element names another event.
// A submitted form does not navigate.
func (a *App) Action(name string, f func(el *dom.Element, ev dom.Event)) {
	a.page.Call("action", name, js.FuncOf(func(_ js.Value, args []js.Value) any {
		f(dom.Wrap(args[0]), dom.WrapEvent(args[1]))
		return nil
	}))
}

// Announce says text to screen readers. Calls within a second are joined.
func (a *App) Announce(text string) { a.page.Call("announce", text, false) }

// Alert says text to screen readers at once: for errors.
func (a *App) Alert(text string) { a.page.Call("announce", text, true) }

// Toast says text for a moment, to everybody.
func (a *App) Toast(text string) {
	a.page.Call("toast", text)
	a.Announce(text)
}

// Open shows the panel of that name: on narrow screens its tab, elsewhere it is
// only scrolled into view.
func (a *App) Open(panel string) { a.page.Call("open", panel) }

// Fetch makes a request and waits for its whole answer. It blocks: call it in a
// goroutine. An error means that there was no answer; a Status of 400 or more
// is an answer.
func (a *App) Fetch(ctx context.Context, r Request) (Response, error) {
	var out Response
	var body strings.Builder
	err := a.Stream(ctx, r, func(h Response) { out = h }, func(s string) { body.WriteString(s) })
	out.Body = body.String()
	return out, err
}

// Stream makes a request and calls onHead with its status and headers, then
// onText with every piece of its body, and returns when it ends. It blocks.
func (a *App) Stream(ctx context.Context, r Request, onHead func(Response), onText func(string)) error {
	if ctx.Err() != nil {
		return ErrAborted
	}
	header := js.Global().Get("Array").New()
	for _, f := range r.Header {
		header.Call("push", f.Name, f.Value)
	}
	type part struct {
		kind string
		head Response
		text string
	}
	// Parts are queued without blocking the callback, which runs on the event loop.
	var queue []part
	wake := make(chan struct{}, 1)
	cb := js.FuncOf(func(_ js.Value, args []js.Value) any {
		p := part{kind: args[0].String()}
		switch p.kind {
		case "head":
			p.head = Response{Status: args[1].Int(), Header: unpackFields(args[2].String())}
		case "text", "fail":
			p.text = args[1].String()
		}
		queue = append(queue, p)
		select {
		case wake <- struct{}{}:
		default:
		}
		return nil
	})
	defer cb.Release()
	abort := a.page.Call("request", r.Method, r.Path, header, r.Body, r.Origin, r.Quiet, cb)
	done := ctx.Done()
	aborted := false
	for {
		select {
		case <-wake:
			parts := queue
			queue = nil
			for _, p := range parts {
				switch p.kind {
				case "head":
					if onHead != nil {
						onHead(p.head)
					}
				case "text":
					if onText != nil {
						onText(p.text)
					}
				case "end":
					return nil
				case "fail":
					if aborted {
						return ErrAborted
					}
					return errors.New(p.text)
				}
			}
		case <-done:
			done = nil
			aborted = true
			abort.Invoke()
		}
	}
}
