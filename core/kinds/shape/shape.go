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

	"github.com/tabernetes/tabernetes/core/field"
	"github.com/tabernetes/tabernetes/core/kinds/tree"
)

// A Struct is a Go struct: its fields in their order.
type Struct []Field

// A Field is a field of a struct.
type Field struct {
	// Name is its printed name, and Key its name in the API.
	Name, Key string
	// Zero is how a missing one is printed; empty: null.
	Zero string
	// Of is the struct in the field, in the way that Holds says. Nil: the value is printed as it is.
	Of    *Struct
	Holds Holds
	// OmitEmpty leaves out a missing one.
	OmitEmpty bool
}

// Holds is how a field contains a struct.
type Holds byte

// A field contains a struct itself, a pointer to one, or a list of them. A missing struct is
// printed with all its fields, the others as null.
const (
	Value Holds = iota
	Pointer
	List
)

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
	first := true
	for i := range *s {
		f := &(*s)[i]
		v := obj[f.Key]
		if f.OmitEmpty && v == nil {
			continue
		}
		if !first {
			b.WriteByte(',')
		}
		first = false
		b.WriteString(strconv.Quote(f.Name))
		b.WriteByte(':')
		f.print(b, v)
	}
	b.WriteByte('}')
}

func (f *Field) print(b *strings.Builder, v any) {
	if f.Of != nil {
		switch v := v.(type) {
		case map[string]any:
			f.Of.print(b, v)
			return
		case []any:
			f.Of.printList(b, v)
			return
		case nil:
			if f.Holds == Value {
				f.Of.print(b, nil)
				return
			}
		}
	}
	switch {
	case v != nil:
		b.WriteString(tree.JSON(v))
	case f.Zero != "":
		b.WriteString(f.Zero)
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
