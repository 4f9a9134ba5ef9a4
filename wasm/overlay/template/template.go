// Package template is what the browser's binary has as html/template. The templ
// runtime offers components made of such templates, and templates made of
// components; the page has neither, and needs no interpreter of templates for it.
//
// Nobody imports this package: package overlay puts it in the place of the standard
// library's.
package template

import (
	"errors"
	"io"
)

// HTML is a text that needs no escaping.
type HTML string

// A Template is never there.
type Template struct{}

// Execute fails.
func (*Template) Execute(io.Writer, any) error {
	return errors.New("html/template: not in this binary")
}
