//go:build js && wasm

package dom

import (
	"syscall/js"

	"honnef.co/go/js/dom/v2"
)

// Origin returns the page's origin, as in http://127.0.0.1:8080.
func Origin() string { return js.Global().Get("location").Get("origin").String() }

// A Document is where elements are found.
type Document struct{ dom.BasicNode }

// GetDocument returns the page's document.
func GetDocument() Document {
	return Document{dom.BasicNode{Value: js.Global().Get("document")}}
}

// GetElementByID returns the element with an id, or nil if the page has no such element.
func (d Document) GetElementByID(id string) *Element { return Wrap(d.Call("getElementById", id)) }

// QuerySelector returns the first element that a selector matches, or nil if it matches none.
func (d Document) QuerySelector(selector string) *Element {
	return Wrap(d.Call("querySelector", selector))
}

// QuerySelectorAll finds all elements that a selector matches.
func (d Document) QuerySelectorAll(selector string) []*Element {
	return list(d.Call("querySelectorAll", selector))
}

// An Element is an HTML or SVG element.
type Element struct {
	dom.BasicHTMLElement

	// What the types above point to, in one piece with them.
	element dom.BasicElement
	node    dom.BasicNode
}

// Wrap makes an Element of a JavaScript value, nil of null.
func Wrap(v js.Value) *Element {
	if !v.Truthy() {
		return nil
	}
	e := &Element{node: dom.BasicNode{Value: v}}
	e.element.BasicNode = &e.node
	e.BasicElement = &e.element
	return e
}

func list(v js.Value) []*Element {
	out := make([]*Element, v.Length())
	for i := range out {
		out[i] = Wrap(v.Index(i))
	}
	return out
}

// QuerySelector finds the first element inside that a selector matches, nil if none.
func (e *Element) QuerySelector(selector string) *Element {
	return Wrap(e.Call("querySelector", selector))
}

// QuerySelectorAll finds all elements inside that a selector matches.
func (e *Element) QuerySelectorAll(selector string) []*Element {
	return list(e.Call("querySelectorAll", selector))
}

// Closest returns the element itself or the nearest around it that a selector
// matches, nil if none.
func (e *Element) Closest(selector string) *Element { return Wrap(e.Call("closest", selector)) }

// ParentElement returns the element around it, nil if none.
func (e *Element) ParentElement() *Element { return Wrap(e.Get("parentElement")) }

// Contains reports whether other is inside of the element, or the element itself.
func (e *Element) Contains(other *Element) bool {
	return e.Call("contains", other.Underlying()).Bool()
}

// An Event is something that happened to an element.
type Event struct{ *dom.BasicEvent }

// WrapEvent makes an Event of a JavaScript value.
func WrapEvent(v js.Value) Event { return Event{&dom.BasicEvent{Value: v}} }
