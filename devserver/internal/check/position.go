package check

import (
	"bytes"
	"strconv"
	"strings"

	goyaml "sigs.k8s.io/yaml/goyaml.v3"
)

// A document is one of a file.
type document struct {
	file string
	// begin is where text begins in the file.
	begin int
	text  []byte
	// root is what text means, once parsed is set; nil if it cannot be read.
	root   *goyaml.Node
	parsed bool
}

// first returns the line of the first thing in the document that is no comment.
func (d *document) first() int {
	n := d.begin
	for line := range bytes.Lines(d.text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return n
		}
		n++
	}
	return d.begin
}

// lineOf returns the line of a field of an object, which is at a path in the document, "" being all of it. If the field
// is not there, it is the line of the nearest that contains it. Fields are written as validation does,
// "spec.ports[0].name", as server-side apply does, ".spec.ports[containerPort=80,protocol=\"TCP\"].name", or for an
// object as a whole, "".
func (d *document) lineOf(at, field string) int {
	if field == "" && at == "" {
		return d.first()
	}
	if !d.parsed {
		d.parsed = true
		root := new(goyaml.Node)
		if goyaml.Unmarshal(d.text, root) == nil && len(root.Content) > 0 {
			d.root = root.Content[0]
		}
	}
	line := d.first()
	if d.root == nil {
		return line
	}
	w := walk{d.root, d.root.Line}
	w.down(at)
	w.down(field)
	return d.begin + w.line - 1
}

// has reports whether a field is there.
func (d *document) has(field string) bool {
	root := new(goyaml.Node)
	if goyaml.Unmarshal(d.text, root) != nil || len(root.Content) == 0 {
		return false
	}
	at := strings.LastIndexByte(field, '.')
	w := walk{root.Content[0], 1}
	w.down(field[:max(at, 0)])
	before := w.at
	w.down(field[at+1:])
	return before != nil && w.at != before
}

// walk is the way to a field.
type walk struct {
	at   *goyaml.Node
	line int
}

// down goes as far as a path leads.
func (w *walk) down(path string) {
	for path != "" && w.at != nil {
		if w.at.Kind == goyaml.AliasNode {
			w.at = w.at.Alias
		}
		if path[0] == '[' {
			inside, rest := bracket(path)
			path = rest
			w.into(inside)
			continue
		}
		path = strings.TrimPrefix(path, ".")
		// Keys may have dots themselves.
		best := ""
		for i := 0; w.at.Kind == goyaml.MappingNode && i+1 < len(w.at.Content); i += 2 {
			key := w.at.Content[i].Value
			if rest, ok := strings.CutPrefix(path, key); ok && len(key) > len(best) &&
				(rest == "" || rest[0] == '.' || rest[0] == '[') {
				best = key
			}
		}
		if best == "" {
			return
		}
		w.key(best)
		path = path[len(best):]
	}
}

// bracket splits a path after its first bracket, which may have brackets in quotes.
func bracket(path string) (inside, rest string) {
	quoted := false
	for i := 1; i < len(path); i++ {
		switch {
		case path[i] == '\\' && quoted:
			i++
		case path[i] == '"':
			quoted = !quoted
		case path[i] == ']' && !quoted:
			return path[1:i], path[i+1:]
		}
	}
	return path[1:], ""
}

// key goes to the value of a key.
func (w *walk) key(key string) {
	for i := 0; i+1 < len(w.at.Content); i += 2 {
		if w.at.Content[i].Value == key {
			w.line, w.at = w.at.Content[i].Line, w.at.Content[i+1]
			return
		}
	}
	w.at = nil
}

// into goes to what a bracket names: an item by its number, its value or its keys, or a value by its key.
func (w *walk) into(inside string) {
	if w.at.Kind == goyaml.MappingNode {
		if text, err := strconv.Unquote(inside); err == nil {
			inside = text
		}
		w.key(inside)
		return
	}
	if w.at.Kind == goyaml.SequenceNode {
		n, err := strconv.Atoi(inside)
		for i, item := range w.at.Content {
			if err == nil && i == n || err != nil && isItem(item, inside) {
				w.line, w.at = item.Line, item
				return
			}
		}
	}
	w.at = nil
}

// isItem reports whether an item has the keys of a bracket, such as containerPort=80,protocol="TCP", as far as it
// says them: others have defaults; or is the value of one, such as ="x".
func isItem(item *goyaml.Node, inside string) bool {
	if value, ok := strings.CutPrefix(inside, "="); ok {
		return item.Kind == goyaml.ScalarNode && item.Value == unquoted(value)
	}
	fits := false
	for inside != "" {
		name, rest, _ := strings.Cut(inside, "=")
		value, err := strconv.QuotedPrefix(rest)
		if err != nil {
			value, _, _ = strings.Cut(rest, ",")
		}
		inside = strings.TrimPrefix(rest[len(value):], ",")
		for i := 0; item.Kind == goyaml.MappingNode && i+1 < len(item.Content); i += 2 {
			if item.Content[i].Value != name {
				continue
			}
			if item.Content[i+1].Value != unquoted(value) {
				return false
			}
			fits = true
		}
	}
	return fits
}

func unquoted(text string) string {
	if plain, err := strconv.Unquote(text); err == nil {
		return plain
	}
	return text
}
