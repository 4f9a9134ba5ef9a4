package text

import (
	"encoding/json"
	"errors"
	"strings"
)

// errSyntax is the answer to text that is not JSON.
var errSyntax = errors.New("not JSON")

// errFull ends the layout of a head.
var errFull = errors.New("that is enough")

// maxDepth bounds recursion; deeper text is shown as it is.
const maxDepth = 500

// JSON lays out a JSON text with indentation. Text that is not JSON comes back
// line by line, and ok is false.
func JSON(src string) (lines []Line, ok bool) {
	b, _ := LayOut(src, AsJSON, all, nil)
	return b.Lines, b.OK
}

// layout walks a JSON text and appends lines.
type layout struct {
	s   string
	i   int
	out []Line

	wanted  int          // lines of out, not counting those that are folded
	total   int          // lines that there were, in out or not
	folded  int          // of those, the ones that folding hides
	full    bool         // no more are taken into out
	head    bool         // that is the end
	managed int          // how many managedFields are open: they are taken whole
	pause   func() error // called now and then; nil: never

	// The names of the object whose metadata is being read, for its links.
	names [2]string
	nest  int    // how many objects and lists are open
	own   *Owned // who owns the value at the cursor
}

// next passes over white space.
func (l *layout) next() {
	for l.i < len(l.s) {
		switch l.s[l.i] {
		case ' ', '\t', '\n', '\r':
			l.i++
		default:
			return
		}
	}
}

// peek returns the next byte, 0 at the end.
func (l *layout) peek() byte {
	if l.i < len(l.s) {
		return l.s[l.i]
	}
	return 0
}

// scalar reads a string, number or literal as it is written.
func (l *layout) scalar() (string, Kind, error) {
	start := l.i
	switch c := l.peek(); {
	case c == '"':
		for l.i++; l.i < len(l.s); l.i++ {
			switch l.s[l.i] {
			case '\\':
				l.i++
			case '"':
				l.i++
				return l.s[start:l.i], String, nil
			case '\n':
				return "", None, errSyntax
			}
		}
		return "", None, errSyntax
	case c == '-' || c >= '0' && c <= '9':
		for l.i < len(l.s) && strings.IndexByte("+-.eE0123456789", l.s[l.i]) >= 0 {
			l.i++
		}
		return l.s[start:l.i], Number, nil
	}
	for _, lit := range [...]string{"true", "false", "null"} {
		if strings.HasPrefix(l.s[l.i:], lit) {
			l.i += len(lit)
			return lit, Literal, nil
		}
	}
	return "", None, errSyntax
}

// pass passes over a byte and the white space behind it.
func (l *layout) pass() {
	l.i++
	l.next()
}

// enter moves into the object or list at the cursor, and over it if it is empty. closing is
// what ends it.
func (l *layout) enter() (closing byte, empty bool) {
	closing = '}'
	if l.peek() == '[' {
		closing = ']'
	}
	l.pass()
	if empty = l.peek() == closing; empty {
		l.pass()
	}
	return closing, empty
}

// name reads the name of a member and the colon behind it.
func (l *layout) name() (string, error) {
	k, kind, err := l.scalar()
	if err != nil || kind != String {
		return "", errSyntax
	}
	l.next()
	if l.peek() != ':' {
		return "", errSyntax
	}
	l.pass()
	return k, nil
}

// json lays out the value at the cursor. parent is the key of the object around it.
func (l *layout) json(depth int, parent, key string) error {
	if depth > maxDepth {
		return errSyntax
	}
	open := l.peek()
	if open != '{' && open != '[' {
		v, kind, err := l.scalar()
		if err != nil {
			return err
		}
		l.next()
		return l.add(Line{Depth: depth, Key: key, Value: v, Kind: kind, Link: l.link(parent, key, v, kind),
			Owners: l.own.By()})
	}
	closing, empty := l.enter()
	if empty {
		return l.add(Line{Depth: depth, Key: key, Tail: brackets(open, closing), Owners: l.ownerOf(key)})
	}
	start := l.begin(key)
	if err := l.add(Line{Depth: depth, Key: key, Tail: string([]byte{open}), Owners: l.ownerOf(key)}); err != nil {
		return err
	}
	names, own := l.names, l.own
	if open == '{' {
		l.names = [2]string{}
	}
	l.nest++
	for n := 0; ; n++ {
		inner, under := "", parent
		if open == '{' {
			k, err := l.name()
			if err != nil {
				return err
			}
			inner, under = k, key
			own = l.member(own, k)
		} else {
			l.own = own.Item(n, l.s[l.i:])
		}
		if err := l.json(depth+1, under, inner); err != nil {
			return err
		}
		l.own = own
		c := l.peek()
		if c == ',' {
			l.comma()
			l.pass()
			continue
		}
		if c != closing {
			return errSyntax
		}
		l.pass()
		l.names = names
		l.nest--
		err := l.add(Line{Depth: depth, Tail: string([]byte{closing})})
		l.folds(start, key)
		return err
	}
}

// member makes own that of the member at the cursor, and returns that of the
// object around it: the metadata of an object, also of one in an event, says
// whose its fields are.
func (l *layout) member(own *Owned, key string) *Owned {
	if key == `"metadata"` && l.nest <= 2 && own == nil {
		own = metadataOwners(l.s[l.i:])
	}
	if l.own = nil; own != nil {
		l.own = own.Field(plainKey(key))
	}
	return own
}

// ownerOf returns who owns the object or list at the cursor, if it is in a field.
func (l *layout) ownerOf(key string) string {
	if key == "" {
		return ""
	}
	return l.own.By()
}

// plainKey returns a key as it is meant.
func plainKey(quoted string) string {
	var key string
	if strings.IndexByte(quoted, '\\') >= 0 && json.Unmarshal([]byte(quoted), &key) == nil {
		return key
	}
	return unquote(quoted)
}

// link returns what a value of an object's metadata leads to. Names come before
// uid and resourceVersion in it, as the API server writes them.
func (l *layout) link(parent, key, value string, kind Kind) Link {
	if kind != String || len(value) < 3 || unquote(parent) != "metadata" {
		return Link{}
	}
	v := value[1 : len(value)-1]
	switch unquote(key) {
	case "namespace":
		l.names[0] = v
	case "name":
		l.names[1] = v
	case "resourceVersion":
		if digits(v) && v != "0" {
			return Link{Revision, v}
		}
	case "continue":
		return Link{Token, v}
	case "uid":
		if l.names[1] != "" {
			ns := l.names[0]
			if ns == "" {
				ns = "_"
			}
			return Link{Object, ns + "/" + l.names[1]}
		}
	}
	return Link{}
}

// unquote takes the quotes off a key.
func unquote(s string) string { return strings.Trim(s, `"`) }

func digits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
