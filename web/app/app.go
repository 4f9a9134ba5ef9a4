//go:build js && wasm

package app

import (
	"context"
	"slices"
	"strings"
	"syscall/js"
	"time"

	"github.com/a-h/templ"

	"github.com/tabernetes/tabernetes/web/app/dom"
	"github.com/tabernetes/tabernetes/web/catalog"
	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/revisions"
	"github.com/tabernetes/tabernetes/web/room"
	"github.com/tabernetes/tabernetes/web/tap"
)

// App is the running lab: what panels share.
type App struct {
	Doc dom.Document

	// Bus carries what panels tell each other.
	Bus *Bus
	// Page is lab.js: batching, patching, delegation.
	Page js.Value

	dirty   map[*dom.Element][]Part // renderings due at the next frame
	order   []*dom.Element
	booked  bool
	flushed js.Func // flush, as the page calls it
	last    State
	// Catalog is what discovery says of the cluster.
	Catalog *catalog.Catalog
	// Seen is what the lab has learnt of the cluster on the way, and away what it has of others, by their places.
	Seen *Seen
	away map[string]*Seen
	// Called is what servers call the page, in the commits of its requests.
	Called string
	// Requests are all requests of the page, of all clusters.
	Requests *tap.Log

	showing int // views that are to be shown, once the cluster is known

	// Selection is what is chosen, At the revision that is travelled to; 0: live.
	Selection Selection
	At        int64

	// Lesson is where the learner is, Scene where the scene is that plays.
	Lesson LessonAt
	Scene  SceneAt

	// Room is the room that the page is in; nil: none. Requests may go elsewhere all the same: see InRoom.
	Room *room.State

	// Kubectl says that lessons and scenes are done with kubectl, where it can do the same as their requests.
	Kubectl bool

	// Exam is the exam of a class.
	Exam RoomExam
	// Closed says why people's own requests are refused; empty: they are not.
	Closed string

	course *course.Index

	yields yields
	// refollow makes the revisions stream be opened again.
	refollow func()
}

// New returns the lab of this page. Add the panels, then call Begin.
func New() *App {
	a := &App{
		Doc: dom.GetDocument(), Bus: &Bus{},
		Page:    js.Global().Get("tabernetesLab"),
		Called:  js.Global().Get("tabernetes").Get("page").String(),
		dirty:   map[*dom.Element][]Part{},
		Catalog: &catalog.Catalog{}, Requests: &tap.Log{}, Seen: &Seen{}, away: map[string]*Seen{},
	}
	a.last.Place = js.Global().Get("tabernetes").Get("place").String()
	a.flushed = js.FuncOf(func(js.Value, []js.Value) any {
		a.flush()
		return nil
	})
	a.see()
	a.log()
	return a
}

// log keeps the requests of the page.
func (a *App) log() {
	On(a.Bus, func(ev tap.Event) {
		if e := a.Requests.Add(ev); e != nil {
			Emit(a.Bus, EntryChanged{e, ev})
		}
	})
	On(a.Bus, func(f revisions.Frame) {
		if f.Commit == nil {
			return
		}
		if id := f.Commit.By(a.Called); id > 0 {
			if e := a.Requests.Wrote(id, f.Commit.Revision); e != nil {
				Emit(a.Bus, EntryChanged{Exchange: e})
			}
		}
	})
}

// Here reports whether a request was made of the cluster that is shown, so that its revisions are those of the lab.
func (a *App) Here(x *tap.Exchange) bool {
	return x != nil && x.Place == a.last.Place && x.Started.After(a.Seen.Since)
}

// Panel returns the element with the id "panel-<name>", or nil.
func (a *App) Panel(name string) *dom.Element { return a.Doc.GetElementByID("panel-" + name) }

// Render makes the content of el be c at the next animation frame, changing only the nodes that differ. Elements are
// matched by their id or data-key among their siblings, otherwise by position. Several calls for one element before a
// frame cost one rendering: the last.
func (a *App) Render(el *dom.Element, c templ.Component) {
	a.RenderFunc(el, func() templ.Component { return c })
}

// RenderFunc is Render with a component that is made only when the frame comes,
// so that a burst of changes costs one.
func (a *App) RenderFunc(el *dom.Element, make func() templ.Component) {
	if el != nil {
		a.RenderTogether(Part{el, make})
	}
}

// Part is an element, and what makes its content.
type Part struct {
	El   *dom.Element
	Make func() templ.Component
}

// RenderTogether is RenderFunc for several elements that say one thing: they change in the same frame. Later calls for
// the first of them replace all.
func (a *App) RenderTogether(parts ...Part) {
	first := parts[0].El
	if a.dirty[first] == nil {
		a.order = append(a.order, first)
	}
	a.dirty[first] = parts
	a.book()
}

// book asks for a frame, once.
func (a *App) book() {
	if !a.booked {
		a.booked = true
		a.Page.Call("soon", a.flushed)
	}
}

// drawTime is how long one frame draws before it leaves the rest to the next.
const drawTime = 16 * time.Millisecond

// flush does the renderings that are due, in the order of their first call. It runs once per frame.
func (a *App) flush() {
	a.booked = false
	began := time.Now()
	order, dirty := a.order, a.dirty
	a.order, a.dirty = nil, map[*dom.Element][]Part{}
	var b strings.Builder
	for i, el := range order {
		if i > 0 && time.Since(began) > drawTime {
			a.putOff(order[i:], dirty)
			return
		}
		for _, part := range dirty[el] {
			b.Reset()
			if err := part.Make().Render(context.Background(), &b); err != nil {
				js.Global().Get("console").Call("error", "render "+part.El.ID()+": "+err.Error())
				continue
			}
			a.Page.Call("patch", part.El.Underlying(), b.String())
		}
	}
}

// putOff leaves renderings to the next frame, before those that were asked for meanwhile.
func (a *App) putOff(order []*dom.Element, dirty map[*dom.Element][]Part) {
	later := a.order
	a.order = order
	for _, el := range order {
		if a.dirty[el] == nil {
			a.dirty[el] = dirty[el]
		}
	}
	for _, el := range later {
		if !slices.Contains(order, el) {
			a.order = append(a.order, el)
		}
	}
	a.book()
}

// Action calls f when an element with data-action="name" is used: a form on submit, an input, select or textarea on
// change, anything else on click. data-on="input" (or keydown, …) on the element names another event. A submitted form
// does not navigate.
func (a *App) Action(name string, f func(el *dom.Element, ev dom.Event)) {
	a.Page.Call("action", name, js.FuncOf(func(_ js.Value, args []js.Value) any {
		f(dom.Wrap(args[0]), dom.WrapEvent(args[1]))
		return nil
	}))
}

// Key calls f when a key is pressed anywhere in the page where nothing is typed; f reports whether it used it. Of
// several functions for a key the last one is asked first.
func (a *App) Key(key string, f func(ev js.Value) bool) {
	a.Page.Call("key", key, js.FuncOf(func(_ js.Value, args []js.Value) any { return f(args[0]) }))
}

// Announce announces text to screen readers. Calls within a second are joined.
func (a *App) Announce(text string) { a.Page.Call("announce", text, false) }

// Alert announces text to screen readers at once: for errors.
func (a *App) Alert(text string) { a.Page.Call("announce", text, true) }

// Toast shows text for a moment.
func (a *App) Toast(text string) {
	a.Page.Call("toast", text)
	a.Announce(text)
}

// Open brings the panel of that name into view: its tab, and its place if
// another panel is enlarged over it.
func (a *App) Open(panel string) { a.Page.Call("open", panel) }

// Select sets the selection; from names the panel that did it.
func (a *App) Select(s Selection, from string) {
	a.Selection = s
	Emit(a.Bus, Selected{s, from})
}

// Travel shows everything as of a revision; 0: as it is now.
func (a *App) Travel(at int64) {
	if a.At != at {
		a.At = at
		Emit(a.Bus, Travel{at})
	}
}

// Abort ends the request of that tap id, whoever made it.
func (a *App) Abort(id int) { js.Global().Get("tabernetes").Call("abort", id) }

// Cut breaks the connection of the request of that tap id, as a network does.
func (a *App) Cut(id int) { js.Global().Get("tabernetes").Call("cut", id) }

// Copy puts text on the clipboard; what names it in the message.
func (a *App) Copy(s, what string) {
	a.Page.Call("copy", s)
	a.Toast("Copied " + what)
}

// Send makes a request and shows its answer. It does not block. The answer
// reaches the panels through the tap, as every other does.
func (a *App) Send(r Request) {
	if r.Origin == "" {
		r.Origin = "console"
	}
	Emit(a.Bus, Requesting{r})
	a.Page.Call("showAnswer")
	go a.Stream(context.Background(), r, nil, nil)
}
