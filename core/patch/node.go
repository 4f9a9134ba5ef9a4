package patch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/tabernetes/tabernetes/core/object"
)

// A node is one value of a document, decoded as far as the patch needs. Nil is null.
type node struct {
	raw    json.RawMessage
	fields map[string]*node // once decoded as an object
	items  sequence         // once decoded as a list
	state  state
	level  int // the number of enclosing values that were decoded one by one
}

// maxLevel is the depth down to which values are decoded one by one, each of which scans all that
// is within. Deeper ones are decoded at once.
const maxLevel = 16

type state int

const (
	untouched state = iota
	isObject
	isList
)

func newNode(raw []byte) *node { return &node{raw: raw} }

// UnmarshalJSON keeps the text. Null is not passed to it: it makes a nil node.
func (n *node) UnmarshalJSON(raw []byte) error {
	n.raw = bytes.Clone(raw)
	return nil
}

// encode returns the text of the value.
func (n *node) encode() []byte { return n.append(nil, 0) }

// errDeep is the error of JSON and Merge for a result that nests deeper than objects may. It is what encode and equal
// panic with: operations can move values into each other until no stack is large enough.
var errDeep = &Error{BadRequest,
	fmt.Sprintf("exceeded max depth: the result of a patch may nest %d levels deep here", object.MaxDepth)}

// refuseDepth makes errDeep the error of a patch.
func refuseDepth(err *error) {
	if p := recover(); p == any(errDeep) {
		*err = errDeep
	} else if p != nil {
		panic(p)
	}
}

// append appends the text of the value, which is so many levels deep. Objects that were decoded have sorted keys.
// Every text in the tree is valid JSON.
func (n *node) append(dst []byte, level int) []byte {
	if level > object.MaxDepth {
		panic(errDeep)
	}
	switch {
	case n == nil:
		return append(dst, "null"...)
	case n.state == isObject:
		dst = append(dst, '{')
		for i, key := range slices.Sorted(maps.Keys(n.fields)) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = n.fields[key].append(append(appendJSON(dst, key), ':'), level+1)
		}
		return append(dst, '}')
	case n.state == isList:
		dst = append(dst, '[')
		n.items.all(func(item *node) bool {
			dst = append(item.append(dst, level+1), ',')
			return true
		})
		if n.items.size > 0 {
			dst = dst[:len(dst)-1]
		}
		return append(dst, ']')
	}
	return appendJSON(dst, n.raw)
}

func appendJSON(dst []byte, v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return append(dst, text...)
}

func (n *node) starts(c byte) bool {
	text := bytes.TrimLeft(n.raw, " \t\r\n")
	return len(text) > 0 && text[0] == c
}

// object decodes n as an object and reports whether it is one.
func (n *node) object() bool {
	if n != nil && n.state == untouched && n.starts('{') && !n.whole() && json.Unmarshal(n.raw, &n.fields) == nil {
		n.state = isObject
		for _, field := range n.fields {
			if field != nil {
				field.level = n.level + 1
			}
		}
	}
	return n != nil && n.state == isObject
}

// list decodes n as a list and reports whether it is one.
func (n *node) list() bool {
	if n != nil && n.state == untouched && n.starts('[') && !n.whole() && json.Unmarshal(n.raw, &n.items) == nil {
		n.state = isList
		n.items.all(func(item *node) bool {
			if item != nil {
				item.level = n.level + 1
			}
			return true
		})
	}
	return n != nil && n.state == isList
}

// whole decodes n completely if it is deep, and reports whether it did.
func (n *node) whole() bool {
	if n.level < maxLevel {
		return false
	}
	r := reader{json.NewDecoder(bytes.NewReader(n.raw)), n.raw}
	r.UseNumber()
	made, err := r.value()
	if err != nil || made == nil {
		return false
	}
	*n = *made
	return true
}

// A reader reads a text into completely decoded nodes.
type reader struct {
	*json.Decoder
	text []byte
}

func (r *reader) value() (*node, error) {
	start := r.InputOffset()
	token, err := r.Token()
	if err != nil || token == nil {
		return nil, err
	}
	n := &node{level: maxLevel}
	switch token {
	case json.Delim('{'):
		n.state, n.fields = isObject, map[string]*node{}
		for r.More() {
			key, err := r.Token()
			if err != nil {
				return nil, err
			}
			if n.fields[key.(string)], err = r.value(); err != nil {
				return nil, err
			}
		}
	case json.Delim('['):
		var all []*node
		for r.More() {
			item, err := r.value()
			if err != nil {
				return nil, err
			}
			all = append(all, item)
		}
		n.state, n.items = isList, newSequence(all)
	default:
		n.raw = bytes.TrimLeft(r.text[start:r.InputOffset()], " \t\r\n,:")
		return n, nil
	}
	_, err = r.Token() // the closing one
	return n, err
}

// copy returns a copy of a value, and the length of its text.
func (n *node) copy() (*node, int) {
	if n == nil {
		return nil, 0
	}
	text := n.encode()
	return newNode(text), len(text)
}

// equal compares values: the order of keys does not matter, the spelling of numbers does.
func (n *node) equal(o *node, level int) bool {
	if level > object.MaxDepth {
		panic(errDeep)
	}
	switch {
	case n == nil || o == nil:
		return n == o
	case n.object():
		if !o.object() || len(n.fields) != len(o.fields) {
			return false
		}
		for key, value := range n.fields {
			other, ok := o.fields[key]
			if !ok || !value.equal(other, level+1) {
				return false
			}
		}
		return true
	case n.list():
		if !o.list() || n.items.size != o.items.size {
			return false
		}
		others, stop := iter.Pull(o.items.all)
		defer stop()
		same := true
		n.items.all(func(item *node) bool {
			other, _ := others()
			same = item.equal(other, level+1)
			return same
		})
		return same
	case o.object() || o.list():
		return false
	}
	return bytes.Equal(bytes.TrimSpace(n.raw), bytes.TrimSpace(o.raw))
}

// merge puts the fields of a merge patch into an object; both are decoded.
func merge(target, change *node) {
	for key, value := range change.fields {
		old := target.fields[key]
		switch {
		case value == nil:
			delete(target.fields, key)
		case old == nil || !old.object():
			value.dropNulls()
			target.fields[key] = value
		case value.object():
			merge(old, value)
		default:
			target.fields[key] = value
		}
	}
}

// dropNulls removes the null fields of a value and of all values in it. Nulls in lists stay, and
// scalars keep their text. It processes the value as a whole, not level by level, to stay linear in
// deep ones.
func (n *node) dropNulls() {
	if n == nil || !n.starts('{') && !n.starts('[') {
		return
	}
	p := pruner{text: n.encode()}
	p.Decoder = json.NewDecoder(bytes.NewReader(p.text))
	p.UseNumber()
	value, err := p.value()
	if err != nil {
		return
	}
	dropNulls(value)
	if text, err := json.Marshal(value); err == nil {
		*n = node{raw: text}
	}
}

// A pruner reads a text into maps and lists of scalars, which stay text.
type pruner struct {
	*json.Decoder
	text []byte
}

func (p *pruner) value() (any, error) {
	start := p.InputOffset()
	token, err := p.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case nil:
		return nil, nil
	case json.Delim('{'):
		fields := map[string]any{}
		for p.More() {
			key, err := p.Token()
			if err != nil {
				return nil, err
			}
			if fields[key.(string)], err = p.value(); err != nil {
				return nil, err
			}
		}
		_, err = p.Token()
		return fields, err
	case json.Delim('['):
		items := []any{}
		for p.More() {
			item, err := p.value()
			if err != nil {
				return nil, err
			}
			items = append(items, item)
		}
		_, err = p.Token()
		return items, err
	}
	return json.RawMessage(bytes.TrimLeft(p.text[start:p.InputOffset()], " \t\r\n,:")), nil
}

// dropNulls removes the null fields from a tree.
func dropNulls(value any) {
	switch value := value.(type) {
	case map[string]any:
		for key, v := range value {
			if v == nil {
				delete(value, key)
			} else {
				dropNulls(v)
			}
		}
	case []any:
		for _, v := range value {
			dropNulls(v)
		}
	}
}
