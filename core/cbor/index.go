package cbor

import (
	"fmt"

	"github.com/tabernetes/tabernetes/core/object"
)

// A node is a value of a JSON document, or the name of a member. Those of an object
// or array follow it: the members as names and values in turn.
type node struct {
	at    int // where it begins
	next  int // the node behind it and all in it
	count int // of its members or items
}

// An index has the nodes of a document.
type index struct {
	document []byte
	nodes    []node
	depth    int
}

// build indexes the whole document.
func (x *index) build() error {
	i, ok := x.value(x.space(0))
	if i = x.space(i); !ok || i < len(x.document) {
		return fmt.Errorf("cbor: the document is no JSON at byte %d", i)
	}
	return nil
}

// value indexes the value at i and returns where it ends; false if no value is there.
func (x *index) value(i int) (int, bool) {
	if i >= len(x.document) {
		return i, false
	}
	this := len(x.nodes)
	x.nodes = append(x.nodes, node{at: i})
	ok := true
	switch x.document[i] {
	case '{', '[':
		var count int
		i, count, ok = x.within(i, x.document[i] == '{')
		x.nodes[this].count = count
	case '"':
		i, ok = x.text(i)
	default:
		start := i
		for i < len(x.document) && plain(x.document[i]) {
			i++
		}
		ok = i > start
	}
	x.nodes[this].next = len(x.nodes)
	return i, ok
}

// plain reports whether a byte may be part of a number or a literal.
func plain(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == '-' || c == '+' || c == '.' || c == 'E'
}

// within indexes the content of the object or array at i.
func (x *index) within(i int, members bool) (end, count int, ok bool) {
	if x.depth++; x.depth > object.MaxDecoded {
		return i, 0, false
	}
	closing := x.document[i] + 2 // as ASCII has them
	if i = x.space(i + 1); x.at(i, closing) {
		x.depth--
		return i + 1, 0, true
	}
	for {
		if members {
			if !x.at(i, '"') {
				return i, 0, false
			}
			x.nodes = append(x.nodes, node{at: i})
			if i, ok = x.text(i); !ok {
				return i, 0, false
			}
			if i = x.space(i); !x.at(i, ':') {
				return i, 0, false
			}
			i = x.space(i + 1)
		}
		if i, ok = x.value(i); !ok {
			return i, 0, false
		}
		count++
		switch i = x.space(i); {
		case x.at(i, ','):
			i = x.space(i + 1)
		case x.at(i, closing):
			x.depth--
			return i + 1, count, true
		default:
			return i, 0, false
		}
	}
}

func (x *index) at(i int, c byte) bool { return i < len(x.document) && x.document[i] == c }

// text returns where the string that begins at i ends.
func (x *index) text(i int) (int, bool) {
	for i++; i < len(x.document); i++ {
		switch x.document[i] {
		case '"':
			return i + 1, true
		case '\\':
			i++
		}
	}
	return len(x.document), false
}

// space returns the index of the first byte from i on that is not white space.
func (x *index) space(i int) int {
	for i < len(x.document) {
		switch x.document[i] {
		case ' ', '\n', '\t', '\r':
			i++
		default:
			return i
		}
	}
	return i
}
