//go:build js && wasm

package app

import (
	"strconv"
	"syscall/js"

	"github.com/tabernetes/tabernetes/web/app/dom"
)

// Text returns a JavaScript string, or "" if v is not a string.
func Text(v js.Value) string {
	if v.Type() != js.TypeString {
		return ""
	}
	return v.String()
}

// A Field is a form control.
type Field struct{ El *dom.Element }

// Field finds the form control with that id.
func (a *App) Field(id string) Field { return Field{a.Doc.GetElementByID(id)} }

// Value returns what the field holds.
func (f Field) Value() string { return f.El.Underlying().Get("value").String() }

// Set makes the field hold v.
func (f Field) Set(v string) { f.El.Underlying().Set("value", v) }

// Focus moves the focus to the field.
func (f Field) Focus() { f.El.Underlying().Call("focus") }

// Toggle sets or removes an attribute without a value.
func Toggle(el *dom.Element, attr string, on bool) {
	if el != nil {
		el.Underlying().Call("toggleAttribute", attr, on)
	}
}

// Int returns the value of an attribute as a number, or 0 if it is not a number.
func Int(el *dom.Element, attr string) int64 {
	n, _ := strconv.ParseInt(el.GetAttribute(attr), 10, 64)
	return n
}
