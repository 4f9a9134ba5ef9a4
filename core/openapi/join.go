package openapi

import (
	"encoding/json"
	"iter"
	"maps"
	"slices"
)

// A joiner makes one document of parts. It encodes each part as it comes, so that of a long document only the
// encoded types and paths are in memory, and the tree of one part.
type joiner struct {
	form  form
	types map[string]*typeText
	paths map[string][]byte
	err   error
}

// A typeText is an encoded type. Parts may know further kinds of a type, so these are apart: they come between two
// pieces of the rest.
type typeText struct {
	before, after []byte
	kinds         []any
}

// A form is how a version of OpenAPI is encoded.
type form interface {
	// schema encodes a type without its kinds: what comes before and after them.
	schema(tree) (before, after []byte, err error)
	// path encodes the operations of a path.
	path(tree) ([]byte, error)
}

// join makes one document of parts, of which the first with a type counts.
func join(f form, parts iter.Seq[map[string]any]) *joiner {
	j := &joiner{f, map[string]*typeText{}, map[string][]byte{}, nil}
	for part := range parts {
		j.add(part)
	}
	return j
}

func (j *joiner) add(part tree) {
	for name, s := range part["components"].(tree)["schemas"].(tree) {
		s := s.(tree)
		known := j.types[name]
		if known == nil {
			known = &typeText{}
			j.types[name] = known
			var err error
			known.before, known.after, err = j.form.schema(s)
			j.fails(err)
		}
		more, _ := s[kindsKey].([]any)
		for _, kind := range more {
			if !slices.ContainsFunc(known.kinds, func(k any) bool { return sameKind(k.(tree), kind.(tree)) }) {
				known.kinds = append(known.kinds, kind)
			}
		}
	}
	for path, item := range part["paths"].(tree) {
		text, err := j.form.path(item.(tree))
		j.fails(err)
		j.paths[path] = text
	}
}

func (j *joiner) fails(err error) {
	if j.err == nil {
		j.err = err
	}
}

const kindsKey = "x-kubernetes-group-version-kind"

func sameKind(a, b tree) bool {
	return a["group"] == b["group"] && a["version"] == b["version"] && a["kind"] == b["kind"]
}

// apart returns the parts of a tree before and after its kinds in the order of the keys.
func apart(s tree) (before, after tree) {
	before, after = make(tree, len(s)), tree{}
	for key, value := range s {
		switch {
		case key < kindsKey:
			before[key] = value
		case key > kindsKey:
			after[key] = value
		}
	}
	return before, after
}

// JSON

// members encodes the members of a JSON object without the braces.
func members(t tree) ([]byte, error) {
	text, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	return text[1 : len(text)-1], nil
}

// schemaJSON is form.schema in JSON.
func schemaJSON(s tree) (before, after []byte, err error) {
	first, last := apart(s)
	if before, err = members(first); err == nil {
		after, err = members(last)
	}
	return before, after, err
}

// writeTypes writes the types as members of a JSON object. They are gone after that, as are the paths.
func (j *joiner) writeTypes(to *Text) {
	for i, name := range slices.Sorted(maps.Keys(j.types)) {
		j.writeName(to, i, name)
		t := j.types[name]
		delete(j.types, name)
		to.add([]byte{'{'})
		written := false
		for _, text := range [][]byte{t.before, j.kinds(t), t.after} {
			if written && len(text) > 0 {
				to.add([]byte{','})
			}
			to.add(text)
			written = written || len(text) > 0
		}
		to.add([]byte{'}'})
	}
}

// kinds encodes the kinds of a type.
func (j *joiner) kinds(t *typeText) []byte {
	if t.kinds == nil {
		return nil
	}
	text, err := members(tree{kindsKey: t.kinds})
	j.fails(err)
	return text
}

func (j *joiner) writePaths(to *Text) {
	for i, path := range slices.Sorted(maps.Keys(j.paths)) {
		j.writeName(to, i, path)
		to.add(j.paths[path])
		delete(j.paths, path)
	}
}

// writeName writes the name of a member of a JSON object, the number i of it.
func (j *joiner) writeName(to *Text, i int, name string) {
	if i > 0 {
		to.add([]byte{','})
	}
	j.writeJSON(to, name)
	to.add([]byte{':'})
}

func (j *joiner) writeJSON(to *Text, value any) {
	text, err := json.Marshal(value)
	j.fails(err)
	to.add(text)
}

// end returns the document, or the first error.
func (j *joiner) end(text Text) (Text, error) {
	if j.err != nil {
		return nil, j.err
	}
	return text.end(), nil
}
