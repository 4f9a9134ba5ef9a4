package registry

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/kinds/extension"
	"github.com/tabernetes/tabernetes/core/internal/kinds/tree"
	"github.com/tabernetes/tabernetes/core/internal/selector"
	"github.com/tabernetes/tabernetes/core/mvcc"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// attrs is what selectors are matched against. It is kept beside the stored bytes so that lists and
// watches filter without decoding.
type attrs struct {
	uid    string
	labels LabelList
	// fields are the non-empty field labels: a map of so few would take more memory than the object's
	// own bytes.
	fields []fieldValue
	// indexed is how many of fields, the first ones, are terms: see terms.go.
	indexed int
	links   *Links // nil for most
}

type fieldValue struct{ name, value string }

// A LabelList is labels in the order of their names: a map of a few would take as much memory as a small object.
type LabelList []fieldValue

// Labels returns labels as a list.
func Labels(labels map[string]string) LabelList {
	list := make(LabelList, 0, len(labels))
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		list = append(list, fieldValue{name, labels[name]})
	}
	return list
}

// attrsOf derives the attributes of an object. The fields of custom resources are not included: their definition may
// change them later. t is nil for undefined custom resources. It shares labels and fields with another object, nil for
// none, that has the same: those that are created together often do.
func attrsOf(t *schema.Resource, obj map[string]any, other *mvcc.Version) *attrs {
	var like attrs
	if other != nil {
		if b, ok := other.Attrs.(*attrs); ok {
			like = *b
		}
	}
	a := &attrs{uid: object.UID(obj), links: linksOf(obj)}
	var filled [16]fieldValue
	labels := object.GetMap(obj, "metadata", "labels")
	all := slices.Grow(filled[:0], len(labels))
	for name := range tree.Sorted(labels) {
		if value, ok := labels[name].(string); ok {
			all = append(all, fieldValue{name, value})
		}
	}
	n := len(all)
	a.labels = sharing(all, like.labels)
	if t == nil || t.Custom != nil {
		return a
	}
	table, fields := FieldsOf(t), all[n:]
	for name, value := range table.Attributes(obj) {
		if value == "" {
			continue
		}
		fields = append(fields, fieldValue{name, value})
		if table.Indexed(name) {
			last := len(fields) - 1
			fields[a.indexed], fields[last] = fields[last], fields[a.indexed]
			a.indexed++
		}
	}
	a.fields = sharing(fields, like.fields)
	return a
}

// sharing returns kept if it is equal to a list, or else a copy of that.
func sharing(list, kept []fieldValue) []fieldValue {
	if slices.Equal(list, kept) {
		return kept
	}
	return slices.Clone(list)
}

// label returns the value of a label, and whether the object has it.
func (a *attrs) label(name string) (value string, ok bool) {
	i, ok := slices.BinarySearchFunc(a.labels, name, func(f fieldValue, name string) int {
		return strings.Compare(f.name, name)
	})
	if !ok {
		return "", false
	}
	return a.labels[i].value, true
}

// Size returns the memory of an object's labels beyond that of a few short ones, in bytes: with many, they take
// more than the object itself.
func (a *attrs) Size() int64 {
	const few, each = 8, 64
	if len(a.labels) <= few {
		return 0
	}
	n := int64(len(a.labels)-few) * each
	for _, f := range a.labels {
		n += int64(len(f.name) + len(f.value))
	}
	return n
}

// sharedWith returns the attributes of the previous version if they are equal: so versions that
// differ in the status only share one copy of the labels.
func (a *attrs) sharedWith(before *mvcc.Version) *attrs {
	if before == nil {
		return a
	}
	if b, ok := before.Attrs.(*attrs); ok && a.equal(b) {
		return b
	}
	return a
}

func (a *attrs) equal(b *attrs) bool {
	return a.uid == b.uid && slices.Equal(a.labels, b.labels) && slices.Equal(a.fields, b.fields) && a.links.equal(b.links)
}

// field returns the value of a field label of the object at key.
func (a *attrs) field(key, name string) string {
	switch name {
	case "metadata.name":
		return key[nameAt(key):]
	case "metadata.namespace":
		return key[:max(0, nameAt(key)-1)]
	}
	for _, f := range a.fields {
		if f.name == name {
			return f.value
		}
	}
	return ""
}

// nameAt returns where the name begins in a key.
func nameAt(key string) int {
	for i := range len(key) {
		if key[i] == '/' {
			return i + 1
		}
	}
	return 0
}

// Selection selects objects of a collection.
type Selection struct {
	Labels selector.Labels
	Fields selector.Fields
	// Shard is a part of the objects by a hash.
	Shard selector.Shard
}

// Empty reports whether everything is selected.
func (s Selection) Empty() bool { return s.Labels.Empty() && s.Fields.Empty() && s.Shard.Empty() }

// matches reports whether a version of the object of a type at key is selected. What a webhook makes of it must be
// known: see selectable.
func (s Selection) matches(t *schema.Resource, key string, v *mvcc.Version) bool {
	a := v.Attrs.(*attrs)
	var obj map[string]any
	if webhookOf(t, v.Value) != nil {
		if made := t.Custom.Converter.Made(v.Value); made != nil {
			obj, a = made.Object, attrsOf(t, made.Object, nil)
		}
	}
	if !s.Labels.MatchesBy(a.label) || !s.Shard.Empty() && !s.Shard.Matches(a.uid, a.field(key, "metadata.namespace")) {
		return false
	}
	return s.Fields.Matches(func(name string) string {
		if t.Custom == nil || name == "metadata.name" || name == "metadata.namespace" {
			return a.field(key, name)
		}
		if obj == nil {
			obj = decode(nil, v.Value)
			_ = extension.Restore(context.Background(), obj, t) // by no webhook: what that makes is known
		}
		return FieldsOf(t).Value(obj, name)
	})
}

// match returns the filter for the store; nil if everything is selected.
func (s Selection) match(t *schema.Resource) func(string, *mvcc.Version) bool {
	if s.Empty() {
		return nil
	}
	return func(key string, v *mvcc.Version) bool { return s.matches(t, key, v) }
}

// FieldsOf returns the selectable fields of a type.
func FieldsOf(t *schema.Resource) *selector.FieldTable {
	if t.Custom != nil {
		return selector.CustomFields(t.Namespaced, t.Custom.Selectable)
	}
	return selector.FieldsOf(t.Group, t.Kind)
}

// AttributesPart returns the part of the objects of a type that attributes are made of; nil for all, as of custom
// resources, of which t may be nil.
func AttributesPart(t *schema.Resource) object.Part {
	if t == nil || t.Custom != nil || t.Type() == nil {
		return nil
	}
	var p object.Part
	for _, name := range []string{"uid", "labels", "ownerReferences", "deletionTimestamp", "finalizers"} {
		p = p.At("metadata." + name)
	}
	for _, row := range FieldsOf(t).Labels {
		for _, path := range row.Paths {
			p = p.At(path)
		}
		if row.As == "" && row.Paths == nil {
			p = p.At(row.Label)
		}
	}
	return p
}

// Stored is Load for bytes that a server has stored, of which it reads AttributesPart. other is another object of the
// type, with which the attributes may share what is equal; nil for none.
func Stored(t *schema.Resource, value []byte, p object.Part, other *mvcc.Version) (any, error) {
	if p == nil {
		return Load(t, value)
	}
	obj, err := object.DecodePart(value, t.Type(), p)
	if err != nil {
		return nil, err
	}
	return attrsOf(t, obj, other), nil
}

// Load returns the attributes that the store keeps beside an object's bytes. It returns an error if
// the bytes are not an object of the type, which is nil for an undefined custom resource.
func Load(t *schema.Resource, value []byte) (any, error) {
	var is *schema.Type
	if t != nil {
		is = t.Type()
	}
	obj, _, err := object.Decode(value, is)
	if err != nil {
		return nil, err
	}
	return attrsOf(t, obj, nil), nil
}
