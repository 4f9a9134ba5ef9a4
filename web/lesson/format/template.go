package format

import (
	"fmt"
	"slices"
	"strings"
)

// A Ref is what stands between {{ and }}: a value of a named request's
// exchange, or of an event that a check named.
type Ref struct {
	Name string
	Path Path
}

// Key identifies the reference among the saved values.
func (r Ref) Key() string { return r.Name + "." + r.Path.text }

// A Template is text with references in it.
type Template struct {
	parts []part
}

// part is literal text, a reference, or the index of a repeated request.
type part struct {
	text  string
	ref   *Ref
	index bool
}

// isName reports whether s may name a request or a row: a letter, then letters,
// digits, - and _.
func isName(s string) bool {
	for i := range len(s) {
		letter := IsWordByte(s[i]) && s[i] != '_' && (s[i] < '0' || s[i] > '9')
		if !letter && (i == 0 || !IsWordByte(s[i]) && s[i] != '-') {
			return false
		}
	}
	return s != ""
}

// ParseTemplate reads text with {{name.path}} and {{$index}} in it.
func ParseTemplate(s string) (Template, error) {
	var t Template
	for {
		before, after, found := strings.Cut(s, "{{")
		if before != "" {
			t.parts = append(t.parts, part{text: before})
		}
		if !found {
			return t, nil
		}
		inner, rest, closed := strings.Cut(after, "}}")
		if !closed {
			return Template{}, fmt.Errorf("{{ is not closed by }}")
		}
		inner = strings.TrimSpace(inner)
		if inner == "$index" {
			t.parts = append(t.parts, part{index: true})
		} else {
			r, err := parseRef(inner)
			if err != nil {
				return Template{}, err
			}
			t.parts = append(t.parts, part{ref: &r})
		}
		s = rest
	}
}

func parseRef(s string) (Ref, error) {
	name, path, ok := strings.Cut(s, ".")
	if !ok || !isName(name) {
		return Ref{}, fmt.Errorf("{{%s}} is not of the form {{name.response.body.field}} or {{$index}}", s)
	}
	p, err := ParsePath(path)
	if err != nil {
		return Ref{}, fmt.Errorf("{{%s}}: %w", s, err)
	}
	return Ref{Name: name, Path: p}, nil
}

// Refs lists the references in the template.
func (t Template) Refs() []Ref {
	var out []Ref
	for _, p := range t.parts {
		if p.ref != nil {
			out = append(out, *p.ref)
		}
	}
	return out
}

// bytesRef reports whether the template is one reference to bytes of an answer: a body
// that is sent as it came.
func (t Template) bytesRef() bool {
	if len(t.parts) != 1 || t.parts[0].ref == nil {
		return false
	}
	steps := t.parts[0].ref.Path.steps
	return len(steps) > 1 && steps[0].name == "response" && steps[1].name == "bytes"
}

// usesIndex reports whether {{$index}} occurs.
func (t Template) usesIndex() bool {
	for _, p := range t.parts {
		if p.index {
			return true
		}
	}
	return false
}

// Expand fills the template in. value answers for references; the first error
// ends it.
func (t Template) Expand(index string, value func(Ref) (string, error)) (string, error) {
	var b strings.Builder
	for _, p := range t.parts {
		switch {
		case p.index:
			b.WriteString(index)
		case p.ref != nil:
			v, err := value(*p.ref)
			if err != nil {
				return "", err
			}
			b.WriteString(v)
		default:
			b.WriteString(p.text)
		}
	}
	return b.String(), nil
}

func IsWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// Names returns the names that the references of a template begin with, each once.
func (t Template) Names() []string {
	var names []string
	for _, r := range t.Refs() {
		if !slices.Contains(names, r.Name) {
			names = append(names, r.Name)
		}
	}
	return names
}
