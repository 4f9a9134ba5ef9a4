package structural

import (
	"slices"
	"strconv"
)

// metaFields are the fields of every object, whether its schema has them or not.
var metaFields = map[string]bool{"apiVersion": true, "kind": true, "metadata": true}

// maxDropped is how many bytes the paths of dropped fields may have together: names can be as long as a
// body, and each path has those of all values around.
const maxDropped = 1 << 20

// Prune drops the fields of an object that its schema does not specify, and
// returns their paths, sorted. A nil schema specifies nothing. Fields that are null,
// may not be, and have no default, are dropped too. Of paths longer than a megabyte together it returns
// some.
func Prune(obj map[string]any, s *Schema) (dropped []string) {
	p := pruner{}
	p.object(obj, s, nil, true)
	dropNulls(obj, s)
	slices.Sort(p.dropped)
	return slices.Compact(p.dropped)
}

// PruneValue is Prune for a value that may be part of an object. Nulls stay.
func PruneValue(v any, s *Schema) {
	p := pruner{}
	p.value(v, s, nil)
}

type pruner struct {
	dropped []string
	length  int // of all of them
}

// A place is where a value is, without a text of it: that is as long as all names above together, and
// few are needed. Nil is the whole object.
type place struct {
	above *place
	name  string
	index int // of an item; with a name: unused
	item  bool
	size  int // of its text at most
}

func (p *place) field(name string) *place {
	return &place{above: p, name: name, size: p.len() + 1 + len(name)}
}

func (p *place) entry(i int) *place {
	return &place{above: p, index: i, item: true, size: p.len() + 22}
}

func (p *place) len() int {
	if p == nil {
		return 0
	}
	return p.size
}

func (p *place) String() string { return string(p.append(make([]byte, 0, p.len()))) }

func (p *place) append(b []byte) []byte {
	switch {
	case p == nil:
		return b
	case p.item:
		return append(strconv.AppendInt(append(p.above.append(b), '['), int64(p.index), 10), ']')
	}
	if b = p.above.append(b); len(b) > 0 {
		b = append(b, '.')
	}
	return append(b, p.name...)
}

// drop notes a field that is dropped.
func (p *pruner) drop(at *place) {
	if p.length += at.len(); p.length <= maxDropped {
		p.dropped = append(p.dropped, at.String())
	}
}

func (p *pruner) value(v any, s *Schema, at *place) {
	switch v := v.(type) {
	case map[string]any:
		p.object(v, s, at, s != nil && s.Embedded)
	case []any:
		var items *Schema
		if s != nil {
			items = s.Items
		}
		for i, e := range v {
			at := at.entry(i)
			if s != nil && s.PreserveUnknown {
				p.preserved(e, items, at)
			} else {
				p.value(e, items, at)
			}
		}
	}
}

// preserved prunes a value whose unknown fields are preserved: the fields that are specified
// anyway.
func (p *pruner) preserved(v any, s *Schema, at *place) {
	if s == nil {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		p.known(v, s, at, s.Embedded)
	case []any:
		for i, e := range v {
			p.preserved(e, s.Items, at.entry(i))
		}
	}
}

func (p *pruner) known(m map[string]any, s *Schema, at *place, resource bool) {
	for name, v := range m {
		if resource && metaFields[name] {
			continue
		}
		if field, ok := s.property(name); ok {
			p.value(v, field, at.field(name))
		}
	}
}

func (p *pruner) object(m map[string]any, s *Schema, at *place, resource bool) {
	if s == nil {
		s = &Schema{}
	}
	if s.PreserveUnknown {
		p.known(m, s, at, resource)
		return
	}
	for name, v := range m {
		if resource && metaFields[name] {
			continue
		}
		if field, ok := s.property(name); ok {
			p.value(v, field, at.field(name))
			continue
		}
		p.drop(at.field(name))
		delete(m, name)
	}
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}
