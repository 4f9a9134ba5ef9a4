package format

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Path leads from an exchange or an event to a value in it, as in
//
//	response.body.items[0].metadata.name
//	response.events[-1].object.metadata.resourceVersion
//	response.body.metadata.annotations["k8s.io/initial-events-end"]
//	response.body.items[*].metadata.name
//	response.body.items.length
//	response.bytes[0:4]
//	response.events[type = ADDED, object.metadata.name = a].object.metadata.uid
//
// Negative indexes count from the end; [*] stands for every entry of a list and makes the value a list. Conditions in
// brackets select entries: see Selector. A segment "$" is skipped, so that the JSONPath spelling of other .http tools
// (response.body.$.metadata) works too.
type Path struct {
	text  string
	steps []pathStep
}

type pathStep struct {
	name       string // when kind is byName
	index, end int    // index when kind is byIndex; both when it is bySlice
	selector   *selector
	kind       stepKind
}

type stepKind uint8

const (
	byName stepKind = iota
	byIndex
	every
	bySlice
	bySelector
)

// String returns the path as it was written.
func (p Path) String() string { return p.text }

// root returns the path's first name.
func (p Path) root() string {
	if len(p.steps) == 0 || p.steps[0].kind != byName {
		return ""
	}
	return p.steps[0].name
}

// ParsePath reads a path.
func ParsePath(s string) (Path, error) {
	p := Path{text: s}
	rest := s
	for first := true; rest != "" || first; first = false {
		switch {
		case rest == "":
			return Path{}, fmt.Errorf("an empty path")
		case rest[0] == '[':
			step, n, err := parseBracket(rest)
			if err != nil {
				return Path{}, fmt.Errorf("path %q: %w", s, err)
			}
			if first {
				return Path{}, fmt.Errorf("path %q: starts with a bracket", s)
			}
			p.steps = append(p.steps, step)
			rest = rest[n:]
		default:
			if !first {
				if rest[0] != '.' {
					return Path{}, fmt.Errorf("path %q: expected . or [ before %q", s, rest)
				}
				rest = rest[1:]
			}
			n := strings.IndexAny(rest, ".[]{}\"'=<>!, \t")
			if n < 0 {
				n = len(rest)
			}
			if n == 0 {
				return Path{}, fmt.Errorf("path %q: a name is missing", s)
			}
			if name := rest[:n]; name != "$" {
				p.steps = append(p.steps, pathStep{name: name})
			} else if first {
				return Path{}, fmt.Errorf("path %q: starts with $", s)
			}
			rest = rest[n:]
		}
	}
	return p, nil
}

// PathOf returns the path that leads through names, whatever is in them.
func PathOf(names ...string) Path {
	p := Path{text: strings.Join(names, ".")}
	for _, name := range names {
		p.steps = append(p.steps, pathStep{name: name})
	}
	return p
}

// parseBracket reads [3], [-1], [*] or ["key"] at the start of s and returns
// how long it was.
func parseBracket(s string) (pathStep, int, error) {
	if strings.HasPrefix(s, `["`) {
		quoted, err := strconv.QuotedPrefix(s[1:])
		if err != nil {
			return pathStep{}, 0, fmt.Errorf("a quoted key is not closed")
		}
		key, err := strconv.Unquote(quoted)
		if err != nil {
			return pathStep{}, 0, fmt.Errorf("bad quoted key %s", quoted)
		}
		n := 1 + len(quoted)
		if n >= len(s) || s[n] != ']' {
			return pathStep{}, 0, fmt.Errorf("expected ] after %s", quoted)
		}
		return pathStep{name: key}, n + 1, nil
	}
	end, err := closing(s)
	if err != nil {
		return pathStep{}, 0, err
	}
	inner := strings.TrimSpace(s[1:end])
	if inner != "" && isLetter(inner[0]) {
		sel, err := parseSelector(inner)
		return pathStep{kind: bySelector, selector: sel}, end + 1, err
	}
	if inner == "*" {
		return pathStep{kind: every}, end + 1, nil
	}
	if from, to, ok := strings.Cut(inner, ":"); ok {
		step := pathStep{kind: bySlice, end: math.MaxInt}
		var errFrom, errTo error
		if from != "" {
			step.index, errFrom = strconv.Atoi(from)
		}
		if to != "" {
			step.end, errTo = strconv.Atoi(to)
		}
		if errFrom != nil || errTo != nil || step.index < 0 || step.end < step.index {
			return pathStep{}, 0, fmt.Errorf("[%s] is not a range such as [0:4]", inner)
		}
		return step, end + 1, nil
	}
	i, err := strconv.Atoi(inner)
	if err != nil {
		return pathStep{}, 0, fmt.Errorf("[%s] is neither a number, *, a quoted key nor a condition", inner)
	}
	return pathStep{kind: byIndex, index: i}, end + 1, nil
}

// Fielder is a value with fields that are worked out on demand.
type Fielder interface {
	Field(name string) (any, bool)
}

// Of walks from v along the path. It reports false when the path leads nowhere.
func (p Path) Of(v any) (any, bool) { return walk(v, p.steps) }

func walk(v any, steps []pathStep) (any, bool) {
	for i, s := range steps {
		switch s.kind {
		case byName:
			next, ok := Named(v, s.name)
			if !ok {
				return nil, false
			}
			v = next
		case bySlice:
			b, ok := v.(Bytes)
			if !ok || s.index > len(b) {
				return nil, false
			}
			v = b[s.index:min(s.end, len(b))]
		case byIndex:
			list, ok := listOf(v)
			at := s.index
			if at < 0 {
				at += len(list)
			}
			if !ok || at < 0 || at >= len(list) {
				return nil, false
			}
			v = list[at]
		case bySelector:
			list, ok := listOf(v)
			if !ok {
				return nil, false
			}
			v = s.selector.of(list)
		case every:
			list, ok := listOf(v)
			if !ok {
				return nil, false
			}
			found := make([]any, 0, len(list))
			for _, entry := range list {
				if x, ok := walk(entry, steps[i+1:]); ok {
					found = append(found, x)
				}
			}
			return found, true
		}
	}
	if chosen, ok := v.(selection); ok {
		if len(chosen) == 0 {
			return nil, false
		}
		v = chosen[0]
	}
	return v, true
}

// listOf returns a value as a list, if it is one.
func listOf(v any) ([]any, bool) {
	switch v := v.(type) {
	case []any:
		return v, true
	case HeaderValues:
		return v, true
	case selection:
		return v, true
	case Bytes:
		list := make([]any, len(v))
		for i, b := range v {
			list[i] = fmt.Sprintf("%02x", b)
		}
		return list, true
	}
	return nil, false
}

func Named(v any, name string) (any, bool) {
	if name == "length" {
		switch v := v.(type) {
		case HeaderValues:
			return json.Number(strconv.Itoa(len(v))), true
		case selection:
			return json.Number(strconv.Itoa(len(v))), true
		case Bytes:
			return json.Number(strconv.Itoa(len(v))), true
		}
	}
	switch v := v.(type) {
	case selection:
		if len(v) == 0 {
			return nil, false
		}
		return Named(v[0], name)
	case Fielder:
		return v.Field(name)
	case map[string]any:
		x, ok := v[name]
		return x, ok
	case []any:
		if name == "length" {
			return json.Number(strconv.Itoa(len(v))), true
		}
	}
	return nil, false
}

// TextOf returns how a value is compared, shown and put into requests: strings and
// numbers as they are, anything else as JSON.
func TextOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case int:
		return strconv.Itoa(v)
	case HeaderValues:
		return TextOf(v[0])
	case Bytes:
		return v.String()
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// Bytes are bytes in an answer. As text they are pairs of hexadecimal digits.
type Bytes []byte

// String writes the bytes as 6b 38 73 00.
func (b Bytes) String() string { return fmt.Sprintf("% x", []byte(b)) }

// HeaderValues are the values of a header, which may be there several times: the first,
// unless an index, [*] or length asks for others.
type HeaderValues []any
