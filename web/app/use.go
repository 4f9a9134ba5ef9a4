//go:build js && wasm

package app

import (
	"syscall/js"

	"github.com/tabernetes/tabernetes/web/app/dom"
)

// What a hundred places call is not inlined there: it would be as many times in the binary.

// A Use is one use of an element by the reader, which a panel has an action for.
type Use struct {
	El    *dom.Element
	Event dom.Event
}

// OnUse calls f when an element with data-action="name" is used, as Action does.
//
//go:noinline
func (a *App) OnUse(name string, f func(Use)) {
	a.Page.Call("action", name, js.FuncOf(func(_ js.Value, args []js.Value) any {
		f(Use{dom.Wrap(args[0]), dom.WrapEvent(args[1])})
		return nil
	}))
}

// ID returns the element's id.
func (u Use) ID() string { return u.El.ID() }

// Attr returns an attribute of the element, empty if it has none.
func (u Use) Attr(name string) string { return u.El.GetAttribute(name) }

// Int returns an attribute as a number, or 0 if it is not a number.
func (u Use) Int(name string) int64 { return Int(u.El, name) }

// Value returns what the form control holds.
func (u Use) Value() string { return Field{u.El}.Value() }

// In returns what the form control with this name in the element holds, or "" if the element has no such control.
func (u Use) In(name string) string {
	if el := u.El.QuerySelector("[name=" + name + "]"); el != nil {
		return Field{el}.Value()
	}
	return ""
}

// Checked reports whether the box is checked.
func (u Use) Checked() bool { return u.El.Underlying().Get("checked").Truthy() }

// Opens reports whether the menu opens.
func (u Use) Opens() bool { return Text(u.Event.Underlying().Get("newState")) == "open" }

// Type returns the event's type, as "input".
func (u Use) Type() string { return u.Event.Type() }

// Clicks returns how many clicks of the pointer it is; 0 of the keyboard.
func (u Use) Clicks() int {
	if n := u.Event.Underlying().Get("detail"); n.Type() == js.TypeNumber {
		return n.Int()
	}
	return 0
}

// SetValue makes the form control hold v.
func (u Use) SetValue(v string) { Field{u.El}.Set(v) }

// Content returns the text of the element, and SetContent sets it.
func (u Use) Content() string { return u.El.TextContent() }

func (u Use) SetContent(s string) { u.El.SetTextContent(s) }

// Set sets an attribute of the element.
func (u Use) Set(name, value string) { u.El.SetAttribute(name, value) }

// At returns an attribute of what the event happened to, or of the nearest around it that has it, empty if none.
func (u Use) At(name string) string {
	return Use{El: dom.Wrap(u.Event.Underlying().Get("target"))}.Around(name)
}

// Hidden reports whether the element is hidden.
func (u Use) Hidden() bool { return u.El.HasAttribute("hidden") }

// Shown reports whether the element is in view, as far as it has a size.
func (u Use) Shown() bool { return u.El.Underlying().Get("clientHeight").Int() > 0 }

// Text returns the text around the element.
func (u Use) Text() string { return u.El.ParentElement().TextContent() }

// Around returns an attribute of the element, or of the nearest around it that has it, empty if none.
func (u Use) Around(name string) string {
	if el := u.El.Closest("[" + name + "]"); el != nil {
		return el.GetAttribute(name)
	}
	return ""
}

// Press returns the key, and the modifiers that are held.
func (u Use) Press() Press { return PressOf(u.Event.Underlying()) }

// PreventDefault has the browser not do what it would.
func (u Use) PreventDefault() { u.Event.PreventDefault() }

// Stop has neither the browser nor anybody else do anything with the event.
func (u Use) Stop() {
	u.Event.PreventDefault()
	u.Event.StopPropagation()
}

// OnKey calls f when a key is pressed, as Key does.
//
//go:noinline
func (a *App) OnKey(key string, f func(Press) bool) {
	a.Key(key, func(ev js.Value) bool { return f(PressOf(ev)) })
}

// OnEvent calls f with every event of a name that reaches the "window" or the "document".
func (a *App) OnEvent(target, name string, f func(Press)) {
	js.Global().Get(target).Call("addEventListener", name, js.FuncOf(func(_ js.Value, args []js.Value) any {
		f(PressOf(args[0]))
		return nil
	}))
}

// OnRoomLink calls f with every link to a room that the page is opened by: the room's address, and a token.
func (a *App) OnRoomLink(f func(base, token string)) {
	js.Global().Get("tabernetes").Call("onRoomLink", js.FuncOf(func(_ js.Value, args []js.Value) any {
		f(Text(args[0].Get("base")), Text(args[0].Get("token")))
		return nil
	}))
}

// PressOf reads an event of the keyboard or the pointer.
func PressOf(ev js.Value) Press {
	is := func(name string) bool { return ev.Get(name).Truthy() }
	return Press{Text(ev.Get("key")), is("shiftKey"), is("altKey"), is("ctrlKey"), is("metaKey"), is("repeat")}
}

// Has reports whether the page has an element with an id.
func (a *App) Has(id string) bool { return a.Doc.GetElementByID(id) != nil }

// Mark sets or removes an attribute without a value of the element with an id.
//
//go:noinline
func (a *App) Mark(id, attr string, on bool) { Toggle(a.Doc.GetElementByID(id), attr, on) }

// Describe sets an attribute of the element with an id, and removes it if it is empty.
//
//go:noinline
func (a *App) Describe(id, attr, value string) {
	switch el := a.Doc.GetElementByID(id); {
	case el == nil:
	case value == "":
		el.RemoveAttribute(attr)
	default:
		el.SetAttribute(attr, value)
	}
}

// Attribute returns an attribute of the element with an id, empty if it has none.
func (a *App) Attribute(id, name string) string {
	if el := a.Doc.GetElementByID(id); el != nil {
		return el.GetAttribute(name)
	}
	return ""
}

// Width returns how wide the element with an id is, in pixels.
func (a *App) Width(id string) int {
	return a.Doc.GetElementByID(id).Underlying().Get("clientWidth").Int()
}

// Click does what a click on the first element does that a selector matches.
func (a *App) Click(selector string) {
	if el := a.Doc.QuerySelector(selector); el != nil {
		el.Underlying().Call("click")
	}
}

// Presents reports whether the page is in presenter mode.
func (a *App) Presents() bool { return a.rooted("data-presenting") }

// Greets reports whether the page shows what a first visit begins with.
func (a *App) Greets() bool { return a.rooted("data-intro") }

// rooted reports whether the document's root has an attribute.
func (a *App) rooted(name string) bool {
	return a.Doc.Underlying().Get("documentElement").Call("hasAttribute", name).Bool()
}

// Still reports whether the reader wants nothing to move.
func (a *App) Still() bool {
	return js.Global().Call("matchMedia", "(prefers-reduced-motion: reduce)").Get("matches").Bool()
}

// Origin returns the page's origin, as in http://127.0.0.1:8080.
func (a *App) Origin() string { return dom.Origin() }

// content returns the text of the element with an id.
func (a *App) content(id string) string { return a.Doc.GetElementByID(id).TextContent() }

// dock returns the panel whose tab is open.
func (a *App) dock() string {
	return Text(a.Doc.GetElementByID("dock").Underlying().Get("dataset").Get("tab"))
}

// complain writes to the browser's console.
func (a *App) complain(text string) { js.Global().Get("console").Call("error", text) }

// where returns where requests go: the target, and the place that names the cluster.
func (a *App) where() (target, place string) {
	shim := js.Global().Get("tabernetes")
	return shim.Get("target").String(), shim.Get("place").String()
}

// clusterAt returns the cluster that was last seen at a place, also before the page was reloaded; noteCluster notes it.
func (a *App) clusterAt(place string) string {
	return Text(js.Global().Get("tabernetes").Get("clusters").Call("get", place))
}

func (a *App) noteCluster(place, id string) {
	js.Global().Get("tabernetes").Get("clusters").Call("set", place, id)
}

// tab returns what another page of the same cluster is called.
func (a *App) tab(page string) string {
	return Text(js.Global().Get("tabernetes").Get("tabs").Call("get", page))
}

// pane is the element of a Window.
type pane struct{ el js.Value }

// NewWindow returns the window of the scrolling element with an id.
func (a *App) NewWindow(id string) *Window {
	w := &Window{pane: pane{a.Doc.GetElementByID(id).Underlying()}, observed: js.Global().Get("ResizeObserver").Truthy()}
	w.Measure()
	a.Page.Call("watchSize", w.el)
	return w
}

// Measure reads where the list is scrolled to. It forces a layout: call it when
// that has changed.
func (w *Window) Measure() {
	height := 0
	if row := w.el.Call("querySelector", "tbody tr:not(.spacer) td"); row.Truthy() {
		height = row.Get("offsetHeight").Int()
	}
	w.take(w.el.Get("scrollTop").Int(), w.el.Get("clientHeight").Int(), height)
}

// scroll scrolls the element.
func (w *Window) scroll(top int) { w.el.Set("scrollTop", top) }

// shim calls a function of the shim.
func (a *App) shim(name string, args ...any) { js.Global().Get("tabernetes").Call(name, args...) }

// ToTop scrolls the element with an id to its beginning.
func (a *App) ToTop(id string) { a.Doc.GetElementByID(id).Underlying().Set("scrollTop", 0) }
