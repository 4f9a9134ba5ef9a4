package patch

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// A run carries out the operations of one JSON patch.
type run struct {
	root   *node
	copied int
}

func (r *run) do(op operation) error {
	kind, ok := op.text("op")
	if !ok {
		return rejected("operation without op")
	}
	path, ok := op.text("path")
	if !ok {
		return rejected("%s operation without path", kind)
	}
	switch kind {
	case "add":
		return r.add(path, op.value())
	case "remove":
		_, err := r.remove(path)
		return err
	case "replace":
		return r.replace(path, op.value())
	case "test":
		return r.test(path, op.value())
	case "move", "copy":
		from, ok := op.text("from")
		if !ok {
			return rejected("%s operation without from", kind)
		}
		if kind == "move" {
			return r.move(from, path)
		}
		return r.copy(from, path)
	}
	return rejected("unexpected operation %q", kind)
}

func (o operation) text(member string) (string, bool) {
	var s *string
	raw := o[member]
	if raw == nil || json.Unmarshal(*raw, &s) != nil || s == nil {
		return "", false
	}
	return *s, true
}

// value is the operation's value; a missing one is null.
func (o operation) value() *node {
	raw := o["value"]
	if raw == nil {
		return nil
	}
	return newNode(*raw)
}

// A place is where a path points to: an entry of a list or object, there or not.
type place struct {
	parent *node
	key    string
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// find goes along a path up to its last step.
func (r *run) find(path string) (place, error) {
	steps := strings.Split(path, "/")
	if len(steps) < 2 {
		return place{}, rejected("path %q does not point into the document", path)
	}
	at := r.root
	for _, step := range steps[1 : len(steps)-1] {
		next, err := place{at, unescape.Replace(step)}.get()
		if err != nil {
			return place{}, err
		}
		at = next
	}
	if !at.object() && !at.list() {
		return place{}, rejected("path %q is missing", path)
	}
	return place{at, unescape.Replace(steps[len(steps)-1])}, nil
}

// get is the value at the place. An object has null for every key it lacks.
func (p place) get() (*node, error) {
	switch {
	case p.parent.object():
		return p.parent.fields[p.key], nil
	case p.parent.list():
		i, err := p.index(len(p.parent.items) - 1)
		if err != nil {
			return nil, err
		}
		return p.parent.items[i], nil
	}
	return nil, rejected("%q is looked for in neither object nor list", p.key)
}

// index is the place in a list whose greatest index is last; negative numbers
// count from behind.
func (p place) index(last int) (int, error) {
	i, err := strconv.Atoi(p.key)
	if err != nil {
		return 0, rejected("%q is not an index", p.key)
	}
	if i < 0 {
		i += last + 1
	}
	if i < 0 || i > last {
		return 0, rejected("index %s is out of bounds", p.key)
	}
	return i, nil
}

func (r *run) add(path string, value *node) error {
	p, err := r.find(path)
	if err != nil {
		return err
	}
	if p.parent.object() {
		p.parent.fields[p.key] = value
		return nil
	}
	i := len(p.parent.items)
	if p.key != "-" {
		if i, err = p.index(i); err != nil {
			return err
		}
	}
	p.parent.items = slices.Insert(p.parent.items, i, value)
	return nil
}

func (r *run) remove(path string) (*node, error) {
	p, err := r.find(path)
	if err != nil {
		return nil, err
	}
	value, err := p.get()
	if err != nil {
		return nil, err
	}
	if p.parent.object() {
		if _, there := p.parent.fields[p.key]; !there {
			return nil, rejected("key %q is missing", p.key)
		}
		delete(p.parent.fields, p.key)
		return value, nil
	}
	i, err := p.index(len(p.parent.items) - 1)
	if err != nil {
		return nil, err
	}
	p.parent.items = slices.Delete(p.parent.items, i, i+1)
	return value, nil
}

func (r *run) replace(path string, value *node) error {
	if path == "" {
		if !value.object() && !value.list() {
			return rejected("a document can only be replaced by an object or a list")
		}
		r.root = value
		return nil
	}
	p, err := r.find(path)
	if err != nil {
		return err
	}
	if p.parent.object() {
		p.parent.fields[p.key] = value
		return nil
	}
	i, err := p.index(len(p.parent.items) - 1)
	if err != nil {
		return err
	}
	p.parent.items[i] = value
	return nil
}

func (r *run) move(from, path string) error {
	value, err := r.remove(from)
	if err != nil {
		return err
	}
	return r.add(path, value)
}

func (r *run) copy(from, path string) error {
	p, err := r.find(from)
	if err != nil {
		return err
	}
	value, err := p.get()
	if err != nil {
		return err
	}
	value, size := value.copy()
	if r.copied += size; r.copied > MaxCopied {
		return rejected("the patch copies more than %d bytes", MaxCopied)
	}
	return r.add(path, value)
}

func (r *run) test(path string, want *node) error {
	value := r.root
	if path != "" {
		p, err := r.find(path)
		if err != nil {
			return err
		}
		if value, err = p.get(); err != nil {
			return err
		}
	}
	if !value.equal(want) {
		return rejected("testing value %s failed", path)
	}
	return nil
}
