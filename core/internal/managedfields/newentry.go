package managedfields

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// Most objects are created by one manager, who then owns all fields. That set can be written
// directly, without a comparison with an empty object: an entryWriter does so for ordinary objects
// and leaves all others to update.

// create writes the entry of a new object's creator; false if update has to do it.
func (w Write) create(g group, obj map[string]any) bool {
	if g.kind == nil && !g.deduced() || g.filter != nil && g.filter != ownReset {
		return false
	}
	f := entryWriters.Get().(*entryWriter)
	defer f.done()
	f.noStatus = g.filter != nil
	written := false
	if g.kind == nil {
		written = f.untypedRoot(obj)
	} else {
		written = f.root(g.kind, obj, g.empty())
	}
	if !written {
		return false
	}
	if len(f.text) == len("{}") {
		return true
	}
	entry := map[string]any{
		"manager": cmp.Or(w.Manager, "unknown"), "operation": operationUpdate, "apiVersion": g.apiVersion,
		"time": w.time(), "fieldsType": "FieldsV1", "fieldsV1": object.RawJSON(f.text),
	}
	if w.Subresource != "" {
		entry["subresource"] = w.Subresource
	}
	object.Meta(obj)["managedFields"] = []any{entry}
	return true
}

// An entryWriter writes the fields of an object as FieldsV1. Its functions return false for values
// that they do not support.
type entryWriter struct {
	text     []byte
	names    []string // of the maps that are being written, outermost first
	known    []any    // the keys of the lists, likewise
	noStatus bool
}

// entryWriters is a pool of buffers. BenchmarkUpdateCreate shows its worth: 11 allocations instead
// of 33.
var entryWriters = sync.Pool{New: func() any { return new(entryWriter) }}

func (f *entryWriter) done() {
	clear(f.names[:cap(f.names)])
	clear(f.known[:cap(f.known)])
	f.text, f.names, f.known = f.text[:0], f.names[:0], f.known[:0]
	entryWriters.Put(f)
}

// unowned are the fields of metadata that are never owned.
var unowned = []string{"name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName", "generation",
	"managedFields", "resourceVersion"}

func (f *entryWriter) root(t *schema.Type, obj, empty map[string]any) bool {
	f.text = append(f.text, '{')
	from, to := f.push(obj)
	for i := from; i < to; i++ {
		name := f.names[i]
		if name == "apiVersion" || name == "kind" {
			continue
		}
		start := len(f.text)
		was, there := empty[name]
		skip := []string(nil)
		if name == "metadata" {
			skip = unowned
		}
		if !f.field(t, name, obj[name], was, there || name == "metadata", skip) {
			return false
		}
		// A status that is reset still has to be one whose fields can be owned.
		if name == "status" && f.noStatus || string(f.text[start:]) == `"f:metadata":{},` {
			f.text = f.text[:start]
		}
	}
	f.names = f.names[:from]
	f.close()
	return true
}

// field writes one field of a struct if it differs from that of an empty object.
func (f *entryWriter) field(t *schema.Type, name string, v, was any, there bool, skip []string) bool {
	field := t.Field(name)
	if field == nil { // the names of fields need no escapes
		return false
	}
	start := len(f.text)
	f.text = append(append(append(f.text, `"f:`...), name...), `":`...)
	before := len(f.text)
	listType, keys := listType(field)
	if !f.value(field.Type, field.MapType, listType, keys, v, was, there, skip) {
		return false
	}
	if len(f.text) == before { // it is unchanged
		f.text = f.text[:start]
	} else {
		f.text = append(f.text, ',')
	}
	return true
}

// value writes the owned fields of a value: {} if it is owned as a whole, nothing if it is
// unchanged. there says that an empty object has the value too.
func (f *entryWriter) value(t *schema.Type, mapType, listType string, keys []string, v, was any, there bool,
	skip []string) bool {
	switch v := v.(type) {
	case map[string]any:
		switch t.Kind {
		case schema.Struct, schema.Map:
		case schema.Raw:
			return f.leaf(v, was, there)
		default:
			return false
		}
		old, ok := was.(map[string]any)
		if !ok && was != nil {
			return false
		}
		if mapType == "" {
			mapType = t.MapType
		}
		if mapType == "atomic" || len(v) == 0 && len(old) == 0 {
			return f.leaf(v, was, there)
		}
		return f.mapping(t, v, old, there, skip)
	case []any:
		if t.Kind != schema.List {
			return false
		}
		if listType != "map" && listType != "set" || len(v) == 0 {
			return f.leaf(v, was, there)
		}
		if was != nil {
			return false
		}
		return f.list(t, keys, v, there)
	case object.Ordered:
		return t.Kind == schema.Raw && f.leaf(v, was, there)
	case nil:
		return f.leaf(v, was, there)
	}
	return t.Kind != schema.Struct && t.Kind != schema.Map && t.Kind != schema.List && t.Kind != schema.Raw &&
		f.leaf(v, was, there)
}

// deduced reports whether nothing is known of the group's objects: maps have fields, and lists are one value.
func (g group) deduced() bool {
	return g.resource != nil && g.resource.Custom == nil && g.resource.Type() == nil
}

// untypedRoot is root for an object of which nothing is known. An empty one has metadata.
func (f *entryWriter) untypedRoot(obj map[string]any) bool {
	f.text = append(f.text, '{')
	from, to := f.push(obj)
	for i := from; i < to; i++ {
		name, start := f.names[i], len(f.text)
		switch meta, isMap := obj[name].(map[string]any); {
		case name == "apiVersion" || name == "kind":
		case name != "metadata":
			if !f.untyped(name, obj[name], false, nil) {
				return false
			}
		case !isMap || !f.untyped(name, meta, true, unowned):
			return false
		case string(f.text[start:]) == `"f:metadata":{},`:
			f.text = f.text[:start]
		}
	}
	f.names = f.names[:from]
	f.close()
	return true
}

// untyped writes a field of which nothing is known. there says that an empty object has it too, but nothing below it.
func (f *entryWriter) untyped(name string, v any, there bool, skip []string) bool {
	if !plain(name) {
		return false
	}
	f.text = append(append(append(f.text, `"f:`...), name...), `":`...)
	m, _ := v.(map[string]any)
	if len(m) == 0 { // a list is one value
		f.text = append(f.text, "{},"...)
		return true
	}
	f.open(there)
	from, to := f.push(m)
	for i := from; i < to; i++ {
		if name := f.names[i]; !slices.Contains(skip, name) && !f.untyped(name, m[name], false, nil) {
			return false
		}
	}
	f.names = f.names[:from]
	f.close()
	f.text = append(f.text, ',')
	return true
}

func (f *entryWriter) leaf(v, was any, there bool) bool {
	if !there || (v == nil) != (was == nil) || !object.Equal(v, was) {
		f.text = append(f.text, "{}"...)
	}
	return true
}

func (f *entryWriter) mapping(t *schema.Type, v, was map[string]any, there bool, skip []string) bool {
	if strings.HasSuffix(t.Name, ".JSONSchemaProps") || strings.HasSuffix(t.Name, ".ManagedFieldsEntry") {
		return false
	}
	start := len(f.text)
	f.open(there)
	from, to := f.push(v)
	for i := from; i < to; i++ {
		name := f.names[i]
		if slices.Contains(skip, name) {
			continue
		}
		old, ok := was[name]
		switch {
		case t.Kind == schema.Struct:
			if !f.field(t, name, v[name], old, ok, nil) {
				return false
			}
		case !plain(name) || ok:
			return false
		default:
			f.text = append(append(append(f.text, `"f:`...), name...), `":`...)
			if !f.value(t.Elem, "", "", nil, v[name], nil, false, nil) {
				return false
			}
			f.text = append(f.text, ',')
		}
	}
	f.names = f.names[:from]
	if there && len(f.text) == start+1 && skip == nil {
		f.text = f.text[:start]
		return true
	}
	f.close()
	return true
}

// An item of a list, with the values of its keys: strings and numbers.
type item struct {
	value any
	keys  []any
}

func (f *entryWriter) list(t *schema.Type, keys []string, v []any, there bool) bool {
	from, items := len(f.known), make([]item, 0, 4) // most lists are short
	names := keys
	if len(keys) > 1 && !slices.IsSorted(keys) {
		names = slices.Sorted(slices.Values(keys))
	}
	for _, value := range v {
		start := len(f.known)
		if len(names) == 0 {
			f.known = append(f.known, value)
		}
		for _, name := range names {
			m, ok := value.(map[string]any)
			field := t.Elem.Field(name)
			if !ok || field == nil {
				return false
			}
			key, ok := m[name]
			if !ok {
				key = defaultOf(field)
			}
			f.known = append(f.known, key)
		}
		for _, key := range f.known[start:] {
			if s, ok := key.(string); ok && plain(s) {
				continue
			}
			if _, ok := key.(int64); !ok {
				return false
			}
		}
		items = append(items, item{value, f.known[start:]})
	}
	slices.SortFunc(items, func(a, b item) int { return slices.CompareFunc(a.keys, b.keys, compareKeys) })
	f.open(there)
	for i, item := range items {
		if i > 0 && slices.Equal(item.keys, items[i-1].keys) {
			return false
		}
		if len(names) == 0 {
			f.text = f.key(append(f.text, `"v:`...), item.keys[0])
			f.text = append(f.text, `":{},`...)
			continue
		}
		f.text = append(f.text, `"k:{`...)
		for i, name := range names {
			if i > 0 {
				f.text = append(f.text, ',')
			}
			f.text = append(f.key(f.text, name), ':')
			f.text = f.key(f.text, item.keys[i])
		}
		f.text = append(f.text, `}":`...)
		if !f.value(t.Elem, "", "", nil, item.value, nil, false, nil) {
			return false
		}
		f.text = append(f.text, ',')
	}
	f.known = f.known[:from]
	f.close()
	return true
}

// key writes a key's value within a string.
func (f *entryWriter) key(text []byte, v any) []byte {
	if n, ok := v.(int64); ok {
		return strconv.AppendInt(text, n, 10)
	}
	return append(append(append(text, `\"`...), v.(string)...), `\"`...)
}

// compareKeys orders the values of one key: numbers before texts.
func compareKeys(a, b any) int {
	n, isNumber := a.(int64)
	m, alsoNumber := b.(int64)
	switch {
	case isNumber && alsoNumber:
		return cmp.Compare(n, m)
	case isNumber:
		return -1
	case alsoNumber:
		return 1
	}
	return cmp.Compare(a.(string), b.(string))
}

// open begins an object, which is owned itself if an empty object does not have it.
func (f *entryWriter) open(there bool) {
	f.text = append(f.text, '{')
	if !there {
		f.text = append(f.text, `".":{},`...)
	}
}

// close ends an object, after whose last member there is a comma.
func (f *entryWriter) close() {
	if last := len(f.text) - 1; f.text[last] == ',' {
		f.text[last] = '}'
		return
	}
	f.text = append(f.text, '}')
}

// plain reports whether a text needs no escapes in JSON, not even within another text.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

// push adds the keys of a map to the names, sorted, and returns their range.
func (f *entryWriter) push(m map[string]any) (from, to int) {
	from = len(f.names)
	for k := range m {
		f.names = append(f.names, k)
	}
	slices.Sort(f.names[from:])
	return from, len(f.names)
}
