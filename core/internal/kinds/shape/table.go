package shape

import (
	_ "embed" // for the table
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// structs is the table of structs. A line is a struct: its name, and its fields in their order. A field
// is its printed name and, if that is not the name in the API but for its first letter, = and the latter;
// a ? if a missing one is left out; and what it holds:
//
//	.name *name [name   a struct, a pointer to one, a list of them; a missing struct is printed with all
//	                    its fields, the others as null
//	" ! # %             "", false, 0 or "0" if it is missing
//	nothing             null if it is missing
//
// +metadata is an embedded struct, metaObjectMeta: its fields are those of the object under that key.
//
//go:embed structs.txt
var structs string

// shapeField is a field of a struct.
type shapeField struct {
	name, key string
	omitEmpty bool
	holds     byte
	inner     *Struct
}

const (
	value    = '.'
	embedded = '+'
)

// zeroes are how missing values are printed, by their signs.
var zeroes = map[byte]string{'"': `""`, '!': "false", '#': "0", '%': `"0"`}

// parsed are the fields of the structs that were printed, by name or text. There are only as many as
// structs.
var parsed sync.Map

// all returns the fields of a struct.
func (s *Struct) all() []shapeField {
	id := s.name + s.text
	if fields, ok := parsed.Load(id); ok {
		return fields.([]shapeField)
	}
	text := s.text
	if s.name != "" {
		_, after, ok := strings.Cut("\n"+structs, "\n"+s.name+" ")
		if !ok {
			return nil // a struct without fields
		}
		text, _, _ = strings.Cut(after, "\n")
	}
	var fields []shapeField
	for word := range strings.FieldsSeq(text) {
		fields = append(fields, parseField(word))
	}
	parsed.Store(id, fields)
	return fields
}

func parseField(word string) shapeField {
	if word == "+metadata" {
		return shapeField{key: "metadata", holds: embedded, inner: &Struct{name: "metaObjectMeta"}}
	}
	end := strings.IndexFunc(word, func(r rune) bool {
		return r != '=' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	rest := ""
	if end >= 0 {
		word, rest = word[:end], word[end:]
	}
	name, key, given := strings.Cut(word, "=")
	if !given {
		first, size := utf8.DecodeRuneInString(name)
		key = string(unicode.ToLower(first)) + name[size:]
	}
	f := shapeField{name: name, key: key}
	rest, f.omitEmpty = strings.CutPrefix(rest, "?")
	if rest != "" {
		f.holds = rest[0]
		if name := rest[1:]; name != "" {
			f.inner = &Struct{name: name}
		}
	}
	return f
}
