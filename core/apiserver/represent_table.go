package apiserver

import (
	"context"
	"slices"
	"time"

	"github.com/tabernetes/tabernetes/core/internal/kinds"
	"github.com/tabernetes/tabernetes/core/internal/tables"
	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/registry"
	"github.com/tabernetes/tabernetes/core/schema"
)

// The values of includeObject: the part of an object in a row. None is Metadata.
const (
	includeNone     = "None"
	includeMetadata = "Metadata"
	includeObject   = "Object"
)

const unknownInclude = "Unable to convert to Table as requested: includeObject: Invalid value: %q: must be " +
	"'Metadata', 'Object', 'None', or empty"

// A tableBuilder makes the rows for one type of objects.
type tableBuilder struct {
	*converter
	*tables.Table
	schema *schema.Type
	now    time.Time
	// is and stored are the rows of the objects' own version and of the version that cells are made
	// from; nil if they are the same.
	is, stored *schema.Resource
}

// tableBuilder returns the builder of rows for objects of a type.
func (c *converter) tableBuilder(is typeOfDocument) tableBuilder {
	t := tableBuilder{converter: c, now: c.server.Registry.Clock.Now()}
	r := c.server.Table.ByKind(is.group, is.version, is.kind)
	switch {
	case r == nil: // a Scale, say
		t.schema, t.Table = schema.TypeOf(is.group, is.version, is.kind), tables.Of(is.group, is.kind)
	case r.Type() == nil:
		t.Table = tables.FromColumns(r.Columns)
	default:
		t.is, t.stored, t.schema = r, r.Storage(), r.Type()
		t.Table = tables.Of(t.stored.Group, t.stored.Kind)
	}
	return t
}

// decode decodes an object in the version that cells are made from.
func (t tableBuilder) decode(value []byte) (map[string]any, error) {
	obj, _, err := object.Decode(value, t.schema)
	if err == nil && t.is != nil {
		err = kinds.Convert(context.Background(), obj, t.is, t.stored) // of a built-in type
	}
	return obj, err
}

// begin appends the beginning of a Table, up to its metadata.
func (t tableBuilder) begin(dst []byte) []byte {
	return append(t.converter.begin(dst, kindTable), `,"metadata":`...)
}

// columns appends everything between the metadata and the rows.
func (t tableBuilder) columns(dst []byte) []byte {
	dst = append(dst, `,"columnDefinitions":`...)
	if t.headless {
		dst = append(dst, "null"...)
	} else {
		dst = t.AppendColumns(dst)
	}
	return append(dst, `,"rows":[`...)
}

// row appends the row of an object, of which value is the JSON.
func (t tableBuilder) row(dst []byte, obj map[string]any, value []byte) []byte {
	dst = t.AppendCells(append(dst, '{'), obj, t.now)
	dst = append(dst, `,"object":`...)
	switch {
	case t.include == includeObject:
		dst = append(dst, value...)
	case t.include == includeNone && object.GetString(obj, "metadata", "annotations", registry.InitialEventsEnd) != "true":
		dst = append(dst, "null"...)
	default:
		dst = t.partial(dst, value)
	}
	return append(dst, '}')
}

// table appends the Table of a single object.
func (c *converter) table(dst, value []byte) ([]byte, error) {
	t := c.tableBuilder(typeOf(value))
	obj, err := t.decode(value)
	if err != nil {
		return nil, err
	}
	dst = append(t.begin(dst), '{')
	if version := object.ResourceVersion(obj); version != "" {
		dst = append(dst, `"resourceVersion":`...)
		dst = object.EncodeAny(dst, version)
	}
	dst = t.columns(append(dst, '}'))
	return append(t.row(dst, obj, value), `]}`...), nil
}

// tableOfList returns the Table of a collection.
func (c *converter) tableOfList(r *schema.Resource, l *registry.List) ([]byte, error) {
	t := c.tableBuilder(typeOfDocument{r.Group, r.Version, r.Kind})
	dst := t.columns(appendListMeta(t.begin(make([]byte, 0, 1<<12)), l))
	items := l.Items
	if t.Compare != nil {
		items = t.sorted(items)
	}
	for i, value := range items {
		if err := c.server.Registry.Pause(c.ctx); err != nil {
			return nil, err
		}
		obj, err := t.decode(value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = t.row(dst, obj, value)
	}
	return append(dst, `]}`...), nil
}

// sorted returns objects in the order of their rows.
func (t tableBuilder) sorted(items [][]byte) [][]byte {
	objects := map[*byte]map[string]any{} // keyed by the address of their JSON
	for _, value := range items {
		t.server.Registry.MaybeYield()
		objects[&value[0]], _ = t.decode(value)
	}
	return slices.SortedStableFunc(slices.Values(items), func(a, b []byte) int {
		return t.Compare(objects[&a[0]], objects[&b[0]])
	})
}

// agesReusable is how long the ages in the cells of an event may be reused.
const agesReusable = time.Second

// tableOfEvent returns the Table of an event's object. Watchers that get the event when it happens
// share one.
func (c *converter) tableOfEvent(e registry.WatchEvent) (document []byte, err error) {
	if !c.headless || c.server.Registry.Clock.Now().Sub(e.Time()) >= agesReusable {
		document, err = c.table(nil, e.Object)
		c.headless = true
		return document, err
	}
	type key struct {
		conversion
		include string
	}
	document = e.Memo(key{c.conversion, c.include}, func() (b []byte) {
		b, err = c.table(nil, e.Object)
		return b
	})
	return document, err
}
