package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A pathStep is one element of a path: a step into a JSON value.
type pathStep struct {
	kind  pathStepKind
	name  string // map key, or the field that selects entries
	value string // the value of that field
	index int
}

type pathStepKind int

const (
	atKey   pathStepKind = iota // .name or ["name"]
	atIndex                     // [index]
	atAll                       // [*]
	atMatch                     // [name=value]
)

// parsePath reads a dotted path: a.b[0].c, a[*].b, a[name=pods].b,
// a["key.with/dots"]. The empty path is the value itself.
func parsePath(s string) ([]pathStep, error) {
	var out []pathStep
	for rest := s; rest != ""; {
		switch {
		case rest[0] == '.':
			rest = rest[1:]
		case strings.HasPrefix(rest, `["`):
			key, after, ok := strings.Cut(rest[2:], `"]`)
			if !ok {
				return nil, fmt.Errorf("path %q: a quoted key has no end", s)
			}
			out, rest = append(out, pathStep{name: key}), after
		case rest[0] == '[':
			in, after, ok := strings.Cut(rest[1:], "]")
			if !ok {
				return nil, fmt.Errorf("path %q: a bracket has no end", s)
			}
			rest = after
			if in == "*" {
				out = append(out, pathStep{kind: atAll})
			} else if field, value, ok := strings.Cut(in, "="); ok {
				out = append(out, pathStep{kind: atMatch, name: field, value: value})
			} else if n, err := strconv.Atoi(in); err == nil && n >= 0 {
				out = append(out, pathStep{kind: atIndex, index: n})
			} else {
				return nil, fmt.Errorf("path %q: [%s] is no index", s, in)
			}
		default:
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			out, rest = append(out, pathStep{name: rest[:end]}), rest[end:]
		}
	}
	return out, nil
}

// lookup returns the value at path in v. For a [*] it returns a list or map of the values below the
// entries; list entries that lack it count as null.
func lookup(v any, path string) (any, bool) {
	places, err := parsePath(path)
	if err != nil {
		return nil, false
	}
	return find(v, places)
}

func find(v any, places []pathStep) (any, bool) {
	if len(places) == 0 {
		return v, true
	}
	p, below := places[0], places[1:]
	switch v := v.(type) {
	case map[string]any:
		switch p.kind {
		case atKey:
			if child, ok := v[p.name]; ok {
				return find(child, below)
			}
		case atAll:
			found := map[string]any{}
			for k, child := range v {
				if x, ok := find(child, below); ok {
					found[k] = x
				}
			}
			return found, true
		}
	case []any:
		if p.kind == atAll {
			found := make([]any, len(v))
			for i, child := range v {
				found[i], _ = find(child, below)
			}
			return found, true
		}
		for i, child := range v {
			if p.picks(i, child) {
				return find(child, below)
			}
		}
	}
	return nil, false
}

// picks reports whether p selects the i-th entry of a list.
func (p pathStep) picks(i int, entry any) bool {
	switch p.kind {
	case atAll:
		return true
	case atIndex:
		return i == p.index
	case atMatch:
		x, ok := lookup(entry, p.name)
		return ok && literal(x) == p.value
	}
	return false
}

// without returns v without everything at path. It may change v.
func without(v any, path string) any {
	places, err := parsePath(path)
	if err != nil || len(places) == 0 {
		return v
	}
	return cut(v, places)
}

func cut(v any, places []pathStep) any {
	p, below := places[0], places[1:]
	switch v := v.(type) {
	case map[string]any:
		for k, child := range v {
			if p.kind != atAll && (p.kind != atKey || p.name != k) {
				continue
			}
			if len(below) == 0 {
				delete(v, k)
			} else {
				v[k] = cut(child, below)
			}
		}
	case []any:
		kept := make([]any, 0, len(v))
		for i, child := range v {
			if p.picks(i, child) {
				if len(below) == 0 {
					continue
				}
				child = cut(child, below)
			}
			kept = append(kept, child)
		}
		return kept
	}
	return v
}

// lastKey returns the map key at the end of a path, which tells the kind of the value.
func lastKey(path string) string {
	places, _ := parsePath(path)
	key := ""
	for _, p := range places {
		if p.kind == atKey {
			key = p.name
		}
	}
	return key
}

// literal returns v as a variable or a path holds it: strings without quotes, the rest as JSON.
func literal(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
