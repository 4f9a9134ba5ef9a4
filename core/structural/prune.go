package structural

import (
	"slices"
	"strconv"
)

// metaFields are the fields of every object, whether its schema has them or not.
var metaFields = map[string]bool{"apiVersion": true, "kind": true, "metadata": true}

// Prune drops the fields of an object that its schema does not specify, and
// returns their paths, sorted. A nil schema specifies nothing. Fields that are null,
// may not be, and have no default, are dropped too.
func Prune(obj map[string]any, s *Schema) (dropped []string) {
	p := pruner{}
	p.object(obj, s, "", true)
	dropNulls(obj, s)
	slices.Sort(p.dropped)
	return slices.Compact(p.dropped)
}

// PruneValue is Prune for a value that may be part of an object. Nulls stay.
func PruneValue(v any, s *Schema) {
	p := pruner{}
	p.value(v, s, "")
}

type pruner struct{ dropped []string }

func (p *pruner) value(v any, s *Schema, at string) {
	switch v := v.(type) {
	case map[string]any:
		p.object(v, s, at, s != nil && s.Embedded)
	case []any:
		var items *Schema
		if s != nil {
			items = s.Items
		}
		for i, e := range v {
			at := at + "[" + strconv.Itoa(i) + "]"
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
func (p *pruner) preserved(v any, s *Schema, at string) {
	if s == nil {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		p.known(v, s, at, s.Embedded)
	case []any:
		for i, e := range v {
			p.preserved(e, s.Items, at+"["+strconv.Itoa(i)+"]")
		}
	}
}

func (p *pruner) known(m map[string]any, s *Schema, at string, resource bool) {
	for name, v := range m {
		if resource && metaFields[name] {
			continue
		}
		if field, ok := s.property(name); ok {
			p.value(v, field, join(at, name))
		}
	}
}

func (p *pruner) object(m map[string]any, s *Schema, at string, resource bool) {
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
			p.value(v, field, join(at, name))
			continue
		}
		p.dropped = append(p.dropped, join(at, name))
		delete(m, name)
	}
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}
