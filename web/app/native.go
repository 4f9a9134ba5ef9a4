//go:build !js

package app

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"github.com/a-h/templ"
)

// screen is the page where there is no browser.
type screen struct{ Page *Page }

// A Page stands for the browser's page, so that tests see what panels decide: it notes what they ask of it, and holds
// what they would read there.
type Page struct {
	// Calls are what was asked, in its order, as "focus st-ruler".
	Calls []string
	// Holds are the answers of calls, by their words as in Calls; and contents of elements and fields, by their ids.
	Holds map[string]string
	// Drawn makes what was drawn last into an element, by its id.
	Drawn map[string]func() templ.Component
	// Marks are the attributes of elements, as "st-tables hidden".
	Marks map[string]string
	// Serve answers the page's requests; nil: nobody does.
	Serve func(Request) (Response, error)

	// Uses and Keys are what panels do with the reader's actions and keys.
	Uses map[string]func(Use)
	Keys map[string][]func(Press) bool
	// Events are what panels do with events of the whole page, and Link with a link to a room.
	Events map[string]func(Press)
	Link   func(base, token string)
	// Look and Ask are what the page's scripts call: see App.shareViews.
	Look func() string
	Ask  func(name string, text func(i int) string)
}

// New returns a lab without a browser. As the page has one thread, the program has one from then on, and tests are run
// in bubbles of synctest: what panels do later does not run beside what the test does.
func New() *App {
	runtime.GOMAXPROCS(1)
	return begin(screen{&Page{Holds: map[string]string{}, Drawn: map[string]func() templ.Component{},
		Marks: map[string]string{}, Uses: map[string]func(Use){}, Events: map[string]func(Press){},
		Keys: map[string][]func(Press) bool{}}}, "tab", "page")
}

// Press presses a key, and reports whether a panel used it.
func (p *Page) Press(k Press) bool {
	all := p.Keys[k.Key]
	for i := len(all) - 1; i >= 0; i-- {
		if all[i](k) {
			return true
		}
	}
	return false
}

// Shows returns what an element shows, as HTML.
func (p *Page) Shows(id string) string {
	make := p.Drawn[id]
	if make == nil {
		return ""
	}
	var b strings.Builder
	if err := make().Render(context.Background(), &b); err != nil {
		return err.Error()
	}
	return b.String()
}

// Take returns the calls so far, and forgets them.
func (p *Page) Take() []string {
	calls := p.Calls
	p.Calls = nil
	return calls
}

// A Returned is what a call of the page returns.
type Returned string

// Bool reports whether it is true.
func (r Returned) Bool() bool { return r == "true" }

// String returns it as a text.
func (r Returned) String() string { return string(r) }

// Call notes a call, and returns what Holds has for it.
func (p *Page) Call(name string, args ...any) Returned {
	words := name
	for _, arg := range args {
		words += " " + fmt.Sprint(arg)
	}
	p.Calls = append(p.Calls, words)
	return Returned(p.Holds[words])
}

// Use is one use of an element by the reader.
type Use struct {
	// Name is the element's id, Holds what it holds, Event the event's type.
	Name, Holds, Event string
	Attributes, Fields map[string]string
	Pressed            Press
	Pointer            int // how many clicks of the pointer it is
}

// The methods of a Use are those that it has in a browser.

func (u Use) ID() string              { return u.Name }
func (u Use) Attr(name string) string { return u.Attributes[name] }
func (u Use) Int(name string) int64 {
	n, _ := strconv.ParseInt(u.Attributes[name], 10, 64)
	return n
}
func (u Use) Value() string             { return u.Holds }
func (u Use) In(name string) string     { return u.Fields[name] }
func (u Use) Checked() bool             { return u.Holds == "true" }
func (u Use) Opens() bool               { return u.Holds == "open" }
func (u Use) Type() string              { return u.Event }
func (u Use) Clicks() int               { return u.Pointer }
func (u Use) SetValue(v string)         { u.Attributes["value"] = v }
func (u Use) Content() string           { return u.Attributes["content"] }
func (u Use) SetContent(s string)       { u.Attributes["content"] = s }
func (u Use) Set(name, value string)    { u.Attributes[name] = value }
func (u Use) At(name string) string     { return u.Attributes[name] }
func (u Use) Shown() bool               { return u.Holds == "shown" }
func (u Use) Text() string              { return u.Holds }
func (u Use) Around(name string) string { return u.Attributes[name] }
func (u Use) Press() Press              { return u.Pressed }
func (u Use) Hidden() bool              { return u.Attributes["hidden"] != "" }
func (u Use) Stop()                     {}
func (u Use) PreventDefault()           {}

// A Field is a form control.
type Field struct {
	page *Page
	id   string
}

// Field finds the form control with that id.
func (a *App) Field(id string) Field { return Field{a.Page, id} }

// Value returns what the field holds.
func (f Field) Value() string { return f.page.Holds[f.id] }

// Set makes the field hold v.
func (f Field) Set(v string) { f.page.Holds[f.id] = v }

// Focus moves the focus to the field.
func (f Field) Focus() { f.page.Call("focus", f.id) }

// What follows is what a browser's page does for the panels: see use.go, screen.go and stream.go.

func (a *App) OnUse(name string, f func(Use))              { a.Page.Uses[name] = f }
func (a *App) OnKey(key string, f func(Press) bool)        { a.Page.Keys[key] = append(a.Page.Keys[key], f) }
func (a *App) OnEvent(_, name string, f func(Press))       { a.Page.Events[name] = f }
func (a *App) OnRoomLink(f func(base, token string))       { a.Page.Link = f }
func (a *App) Draw(id string, make func() templ.Component) { a.Page.Drawn[id] = make }
func (a *App) Has(id string) bool                          { return true }
func (a *App) Click(selector string)                       { a.Page.Call("click", selector) }
func (a *App) Presents() bool                              { return a.Page.Holds["presents"] == "true" }
func (a *App) Greets() bool                                { return a.Page.Holds["greets"] == "true" }
func (a *App) Still() bool                                 { return a.Page.Holds["still"] == "true" }
func (a *App) ToTop(id string)                             { a.Page.Call("toTop", id) }
func (a *App) Attribute(id, name string) string            { return a.Page.Marks[id+" "+name] }
func (a *App) Describe(id, attr, value string)             { a.Page.Marks[id+" "+attr] = value }
func (a *App) Abort(id int)                                { a.Page.Call("abort", id) }
func (a *App) Cut(id int)                                  { a.Page.Call("cut", id) }
func (a *App) Yield()                                      {}
func (a *App) Attend()                                     {}
func (a *App) Promise(name string, args ...any) (string, error) {
	return string(a.Page.Call(name, args...)), nil
}
func (a *App) Origin() string                   { return a.Page.Holds["origin"] }
func (a *App) Width(id string) int              { n, _ := strconv.Atoi(a.Page.Holds["width "+id]); return n }
func (a *App) GzipSize(body string) int         { return 0 }
func (a *App) content(id string) string         { return a.Page.Holds[id] }
func (a *App) dock() string                     { return a.Page.Holds["dock"] }
func (a *App) complain(text string)             { a.Page.Call("complain", text) }
func (a *App) where() (target, place string)    { return a.Page.Holds["target"], a.Page.Holds["place"] }
func (a *App) clusterAt(place string) string    { return a.Page.Holds["cluster "+place] }
func (a *App) noteCluster(place, id string)     { a.Page.Holds["cluster "+place] = id }
func (a *App) tab(page string) string           { return a.Page.Holds["tab "+page] }
func (a *App) shim(name string, args ...any)    { a.Page.Call(name, args...) }
func (a *App) shut(why string, panels []string) { a.Page.Call("shut", why) }
func (a *App) views(look func() string, act func(string, func(int) string)) {
	a.Page.Look, a.Page.Ask = look, act
}
func (a *App) beginScene(bool, string) error { return nil }

// Download hands nobody a file.
func Download(content, kind, name string) {}

// DrawTogether draws all of them.
func (a *App) DrawTogether(all ...Drawing) {
	for _, d := range all {
		a.Draw(d.ID, d.Make)
	}
}

// Mark sets or removes an attribute without a value.
func (a *App) Mark(id, attr string, on bool) { a.Describe(id, attr, map[bool]string{true: "true"}[on]) }

// stream has Serve answer a request.
func (a *App) stream(_ context.Context, r Request, onHead func(Response), onBody func(string)) error {
	if a.Page.Serve == nil {
		return ErrAborted
	}
	res, err := a.Page.Serve(r)
	if err != nil {
		return err
	}
	if onHead != nil {
		onHead(res)
	}
	if onBody != nil {
		onBody(res.Body)
	}
	return nil
}

// pane is the element of a Window.
type pane struct{ scrolled, high int }

// NewWindow returns the window of a list that is as high as twenty rows.
func (a *App) NewWindow(string) *Window {
	w := &Window{pane: pane{high: 20 * rowHeight}, observed: true}
	w.Measure()
	return w
}

// Measure takes where the list was scrolled to.
func (w *Window) Measure() { w.take(w.scrolled, w.high, 0) }

func (w *Window) scroll(top int) { w.scrolled = top }
