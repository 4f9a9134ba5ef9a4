package patch

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A run applies the operations of one JSON patch.
type run struct {
	root   *node
	copied int
}

func (r *run) do(op operation) error {
	kind, err := op.text("op", "")
	if err != nil {
		kind = "unknown"
	}
	switch kind {
	case "add", "remove", "replace", "test", "move", "copy":
	default:
		return rejected("Unexpected kind: %s", kind)
	}
	switch kind {
	case "move", "copy": // the source is looked at before the path is
		return r.transfer(op, kind)
	}
	path, err := op.path(kind)
	if err != nil {
		return err
	}
	switch kind {
	case "add":
		return r.add(path, op.value())
	case "remove":
		return r.remove(path)
	case "replace":
		return r.replace(path, op.value())
	}
	return r.test(path, op.value())
}

// path returns the path of an operation.
func (o operation) path(kind string) (string, error) {
	path, err := o.text("path", "operation missing path field: missing value")
	if err == nil {
		return path, nil
	}
	if kind == "add" || kind == "remove" || kind == "copy" {
		err = errors.New("missing value")
	}
	return "", rejected("%s operation failed to decode path: %v", kind, err)
}

// text returns a member, or an error that says missing or why it is no text.
func (o operation) text(member, missing string) (s string, err error) {
	raw := o[member]
	if raw == nil {
		return "", errors.New(missing)
	}
	err = json.Unmarshal(*raw, &s)
	return s, err
}

// value returns the operation's value; a missing one is null.
func (o operation) value() *node {
	raw := o["value"]
	if raw == nil {
		return nil
	}
	return newNode(*raw)
}

// A location is the target of a path: an entry of a list or object, existing or not.
type location struct {
	parent *node
	key    string
}

var escapes = strings.NewReplacer("~1", "/", "~0", "~")

// unescape returns the key that a step of a path is: the step itself as a rule, which a Replacer would copy.
func unescape(step string) string {
	if strings.IndexByte(step, '~') < 0 {
		return step
	}
	return escapes.Replace(step)
}

// find follows a path up to its last step. ok reports whether that is an object or a list.
func (r *run) find(path string) (p location, ok bool) {
	_, rest, more := strings.Cut(path, "/")
	if !more {
		return location{}, false
	}
	for at := r.root; ; {
		var step string
		step, rest, more = strings.Cut(rest, "/")
		p = location{at, unescape(step)}
		if !more {
			return p, at.object() || at.list()
		}
		next, err := p.get()
		if err != nil || !next.object() && !next.list() {
			return location{}, false
		}
		at = next
	}
}

// get returns the value at the location. An object has null for every key it lacks.
func (p location) get() (*node, error) {
	if p.parent.object() {
		return p.parent.fields[p.key], nil
	}
	i, err := p.index(p.parent.items.size - 1)
	if err != nil {
		return nil, err
	}
	return p.parent.items.get(i), nil
}

// index parses an index whose maximum is last; negative numbers count from the end.
func (p location) index(last int) (int, error) {
	i, err := strconv.Atoi(p.key)
	if err != nil {
		return 0, err
	}
	given := i
	if i < 0 {
		i += last + 1
	}
	if i < 0 || i > last {
		return 0, fmt.Errorf("Unable to access invalid index: %d: invalid index referenced", given)
	}
	return i, nil
}

// insert inserts a value at the location: under a key, or before the item at an index.
func (p location) insert(value *node) error {
	if p.parent.object() {
		p.parent.fields[p.key] = value
		return nil
	}
	i := p.parent.items.size
	if p.key != "-" {
		if _, err := strconv.Atoi(p.key); err != nil {
			return fmt.Errorf("value was not a proper array index: '%s': %w", p.key, err)
		}
		var err error
		if i, err = p.index(i); err != nil {
			return err
		}
	}
	p.parent.items.insert(i, value)
	return nil
}

// drop removes the value at the location.
func (p location) drop() error {
	if p.parent.object() {
		if _, there := p.parent.fields[p.key]; !there {
			return fmt.Errorf("Unable to remove nonexistent key: %s: missing value", p.key)
		}
		delete(p.parent.fields, p.key)
		return nil
	}
	i, err := p.index(p.parent.items.size - 1)
	if err != nil {
		return err
	}
	p.parent.items.remove(i)
	return nil
}

// The texts are those of the library that the real server uses: authors of mutating webhooks see
// them.

func (r *run) add(path string, value *node) error {
	p, ok := r.find(path)
	if !ok {
		return rejected("add operation does not apply: doc is missing path: %q: missing value", path)
	}
	if err := p.insert(value); err != nil {
		return rejected("error in add for path: '%s': %w", path, err)
	}
	return nil
}

func (r *run) remove(path string) error {
	p, ok := r.find(path)
	if !ok {
		return rejected("remove operation does not apply: doc is missing path: %q: missing value", path)
	}
	if err := p.drop(); err != nil {
		return rejected("error in remove for path: '%s': %w", path, err)
	}
	return nil
}

func (r *run) replace(path string, value *node) error {
	if path == "" {
		if !value.object() && !value.list() {
			// The library that the real server uses wraps an error that is nil here.
			return rejected("%s", "replace operation value must be object or array: %!w(<nil>)")
		}
		r.root = value
		return nil
	}
	p, ok := r.find(path)
	if !ok {
		return rejected("replace operation does not apply: doc is missing path: %s: missing value", path)
	}
	if p.parent.object() {
		p.parent.fields[p.key] = value
		return nil
	}
	i, err := p.index(p.parent.items.size - 1)
	if err != nil {
		return rejected("replace operation does not apply: doc is missing key: %s: missing value", path)
	}
	p.parent.items.set(i, value)
	return nil
}

// transfer moves or copies a value.
func (r *run) transfer(op operation, kind string) error {
	from, err := op.text("from", "operation, missing from field: missing value")
	if err != nil {
		return rejected("%s operation failed to decode from: %v", kind, err)
	}
	p, ok := r.find(from)
	if !ok {
		return rejected("%s operation does not apply: doc is missing from path: %s: missing value", kind, from)
	}
	value, err := p.get()
	moves := kind == "move"
	switch {
	case moves && err == nil:
		err = p.drop()
	case err != nil && !moves:
		return rejected("error in copy for from: '%s': %w", from, err)
	}
	if err != nil {
		return rejected("error in move for path: '%s': %w", p.key, err)
	}
	path, err := op.path(kind)
	if err != nil {
		return err
	}
	if p, ok = r.find(path); !ok {
		return rejected("%s operation does not apply: doc is missing destination path: %s: missing value", kind, path)
	}
	if moves {
		if err := p.insert(value); err != nil {
			return rejected("error in move for path: '%s': %w", path, err)
		}
		return nil
	}
	value, size := value.copy()
	if r.copied += size; r.copied > MaxCopied {
		return rejected("Unable to complete the copy, the accumulated size increase of copy is %d, exceeding the limit %d",
			r.copied, MaxCopied)
	}
	if err := p.insert(value); err != nil {
		return rejected("error while adding value during copy: %w", err)
	}
	return nil
}

func (r *run) test(path string, want *node) error {
	value := r.root
	if path != "" {
		p, ok := r.find(path)
		if !ok {
			return rejected("test operation does not apply: is missing path: %s: missing value", path)
		}
		var err error
		if value, err = p.get(); err != nil {
			return rejected("error in test for path: '%s': %w", path, err)
		}
	}
	if !value.equal(want, 0) {
		return rejected("testing value %s failed: test failed", path)
	}
	return nil
}
