// Package shape prints objects as Go prints the real server's structs, without JSON names: for
// violations that show a whole struct, and diffs of two of them. The structs are generated from the
// sources of Kubernetes.
//
// Printing costs the number of fields in the struct, set or not. It happens only if there is
// something to report.
package shape

import (
	"strconv"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/field"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/object"
)

// A Struct is a Go struct: one of the table, by its name, or one of Of.
type Struct struct{ name, text string }

// Of returns a struct with the fields in a text, written as in the table.
func Of(fields string) Struct { return Struct{text: fields} }

// LabelSelector is meta/v1.LabelSelector.
var LabelSelector = Struct{name: "metaLabelSelector"}

// Print prints an object as this struct.
func (s *Struct) Print(obj map[string]any) field.Raw {
	var b strings.Builder
	s.print(&b, obj)
	return field.Raw(b.String())
}

// PrintList prints a list of objects as this struct.
func (s *Struct) PrintList(list []any) field.Raw {
	var b strings.Builder
	s.printList(&b, list)
	return field.Raw(b.String())
}

func (s *Struct) print(b *strings.Builder, obj map[string]any) {
	b.WriteByte('{')
	s.printFields(b, obj, true)
	b.WriteByte('}')
}

// printFields prints the fields without braces; first tells that none is before them, and the result
// whether that is still so.
func (s *Struct) printFields(b *strings.Builder, obj map[string]any, first bool) bool {
	for _, f := range s.all() {
		v := obj[f.key]
		switch {
		case f.holds == embedded:
			first = f.inner.printFields(b, tree.Map(v), first)
			continue
		case f.omitEmpty && empty(v):
			continue
		case !first:
			b.WriteByte(',')
		}
		first = false
		b.WriteString(strconv.Quote(f.name))
		b.WriteByte(':')
		f.print(b, v)
	}
	return first
}

// empty reports whether a value is missing, or an empty list or map. A pointer to an empty struct is
// not distinguished: no struct that is printed under its names in the API has one.
func empty(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	case object.Emptiness:
		return true
	}
	return v == nil
}

func (f *shapeField) print(b *strings.Builder, v any) {
	if f.inner != nil {
		switch v := v.(type) {
		case map[string]any:
			f.inner.print(b, v)
			return
		case []any:
			f.inner.printList(b, v)
			return
		case nil:
			if f.holds == value {
				f.inner.print(b, nil)
				return
			}
		}
	}
	switch zero := zeroes[f.holds]; {
	case v != nil:
		b.WriteString(tree.JSON(v))
	case zero != "":
		b.WriteString(zero)
	default:
		b.WriteString("null")
	}
}

func (s *Struct) printList(b *strings.Builder, list []any) {
	b.WriteByte('[')
	for i, v := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		obj, _ := v.(map[string]any)
		s.print(b, obj)
	}
	b.WriteByte(']')
}
