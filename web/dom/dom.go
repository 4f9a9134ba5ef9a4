//go:build js && wasm

package dom

import "syscall/js"

// Origin is the page's origin, as in http://127.0.0.1:8080.
func Origin() string { return js.Global().Get("location").Get("origin").String() }

// A Document is where elements are found.
type Document struct{ v js.Value }

// GetDocument is the page's document.
func GetDocument() Document { return Document{js.Global().Get("document")} }

// GetElementByID finds an element, nil if there is none.
func (d Document) GetElementByID(id string) *Element {
	return Wrap(d.v.Call("getElementById", id))
}

// QuerySelector finds the first element that a selector matches, nil if none.
func (d Document) QuerySelector(selector string) *Element {
	return Wrap(d.v.Call("querySelector", selector))
}

// QuerySelectorAll finds all elements that a selector matches.
func (d Document) QuerySelectorAll(selector string) []*Element {
	return list(d.v.Call("querySelectorAll", selector))
}

// Underlying is the JavaScript value.
func (d Document) Underlying() js.Value { return d.v }

// An Element is an HTML or SVG element.
type Element struct{ v js.Value }

// Wrap makes an Element of a JavaScript value, nil of null.
func Wrap(v js.Value) *Element {
	if !v.Truthy() {
		return nil
	}
	return &Element{v}
}

func list(v js.Value) []*Element {
	out := make([]*Element, v.Length())
	for i := range out {
		out[i] = Wrap(v.Index(i))
	}
	return out
}

// Underlying is the JavaScript value.
func (e *Element) Underlying() js.Value { return e.v }

// ID is the element's id.
func (e *Element) ID() string { return e.v.Get("id").String() }

// QuerySelector finds the first element inside that a selector matches, nil if none.
func (e *Element) QuerySelector(selector string) *Element {
	return Wrap(e.v.Call("querySelector", selector))
}

// QuerySelectorAll finds all elements inside that a selector matches.
func (e *Element) QuerySelectorAll(selector string) []*Element {
	return list(e.v.Call("querySelectorAll", selector))
}

// Closest is the element itself or the nearest around it that a selector
// matches, nil if none.
func (e *Element) Closest(selector string) *Element { return Wrap(e.v.Call("closest", selector)) }

// ParentElement is the element around it, nil if none.
func (e *Element) ParentElement() *Element { return Wrap(e.v.Get("parentElement")) }

// Contains reports whether other is inside of the element, or the element itself.
func (e *Element) Contains(other *Element) bool { return e.v.Call("contains", other.v).Bool() }

// GetAttribute is an attribute's value, empty if it is not there.
func (e *Element) GetAttribute(name string) string {
	if v := e.v.Call("getAttribute", name); v.Type() == js.TypeString {
		return v.String()
	}
	return ""
}

// HasAttribute reports whether an attribute is there.
func (e *Element) HasAttribute(name string) bool { return e.v.Call("hasAttribute", name).Bool() }

// SetAttribute sets an attribute.
func (e *Element) SetAttribute(name, value string) { e.v.Call("setAttribute", name, value) }

// RemoveAttribute takes an attribute away.
func (e *Element) RemoveAttribute(name string) { e.v.Call("removeAttribute", name) }

// TextContent is the text inside.
func (e *Element) TextContent() string { return e.v.Get("textContent").String() }

// SetTextContent replaces what is inside by text.
func (e *Element) SetTextContent(s string) { e.v.Set("textContent", s) }

// Focus moves the keyboard's focus here.
func (e *Element) Focus() { e.v.Call("focus") }

// An Event is something that happened to an element.
type Event struct{ v js.Value }

// WrapEvent makes an Event of a JavaScript value.
func WrapEvent(v js.Value) Event { return Event{v} }

// Underlying is the JavaScript value.
func (e Event) Underlying() js.Value { return e.v }

// Type is the event's name.
func (e Event) Type() string { return e.v.Get("type").String() }

// PreventDefault keeps the browser from doing what it would do.
func (e Event) PreventDefault() { e.v.Call("preventDefault") }
