package tables

import (
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// A Table describes how the objects of a kind are shown as rows.
type Table struct {
	columns []schema.Column
	cells   func(view) []any
	// Compare sorts the rows of a list; nil keeps the order of the list.
	Compare func(a, b map[string]any) int
	// ends reports whether a row has a condition when its object is done.
	ends bool
}

// A kind is the table of a built-in kind: its columns, with a "*" for those of wide tables only and
// ":type" for those that are not strings, and the function for their cells.
type kind struct {
	group, name, columns string
	cells                func(view) []any
}

// kinds are all rows, by group and kind.
var kinds = sync.OnceValue(func() map[[2]string]kind {
	all := map[[2]string]kind{}
	for _, rows := range [][]kind{core, apps, batch, networking, storage, rbac, admission, small} {
		for _, k := range rows {
			all[[2]string{k.group, k.name}] = k
		}
	}
	return all
})

// Of returns the table of a built-in kind. The objects have to be of the version that the kind is
// stored in.
func Of(group, name string) *Table {
	k, ok := kinds()[[2]string{group, name}]
	if !ok {
		return &Table{columns: []schema.Column{nameColumn(), createdColumn()}, cells: defaultCells}
	}
	t := &Table{columns: columns(name, k.columns), cells: k.cells}
	switch name {
	case "Pod":
		t.ends = true
	case "FlowSchema":
		t.Compare = comparePrecedence
	}
	return t
}

func nameColumn() schema.Column {
	return schema.Column{Name: "Name", Type: "string", Format: "name", Description: schema.NameDescription()}
}

func createdColumn() schema.Column {
	return schema.Column{Name: "Created At", Type: "date", Description: schema.CreationDescription()}
}

// defaultCells returns the cells of kinds without their own columns.
func defaultCells(v view) []any {
	created := object.CreationTimestamp(v.obj)
	if created == "" {
		created = "0001-01-01T00:00:00Z"
	}
	return []any{v.name(), created}
}

// columns reads the columns of a kind.
func columns(kind, text string) []schema.Column {
	var list []schema.Column
	for word := range strings.SplitSeq(text, "|") {
		name, format, _ := strings.Cut(word, ":")
		c := schema.Column{Name: name, Type: "string"}
		if trimmed, wide := strings.CutSuffix(name, "*"); wide {
			c.Name, c.Priority = trimmed, 1
		}
		switch {
		case format == "name", format == "" && c.Name == "Name":
			c.Format = "name"
		case format != "":
			c.Type = format
		}
		c.Description = schema.ColumnDescription(kind, c.Name)
		list = append(list, c)
	}
	return list
}

// AppendColumns appends the column definitions as JSON.
func (t *Table) AppendColumns(dst []byte) []byte {
	dst = append(dst, '[')
	for i, c := range t.columns {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"name":`...)
		dst = object.EncodeAny(dst, c.Name)
		dst = append(dst, `,"type":`...)
		dst = object.EncodeAny(dst, c.Type)
		dst = append(dst, `,"format":`...)
		dst = object.EncodeAny(dst, c.Format)
		dst = append(dst, `,"description":`...)
		dst = object.EncodeAny(dst, c.Description)
		dst = append(dst, `,"priority":`...)
		dst = strconv.AppendInt(dst, int64(c.Priority), 10)
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

// AppendCells appends the members "cells" and, if there are any, "conditions" of an object's row.
func (t *Table) AppendCells(dst []byte, obj map[string]any, now time.Time) []byte {
	dst = append(dst, `"cells":`...)
	dst = object.EncodeAny(dst, t.cells(view{obj, now}))
	if t.ends {
		dst = append(dst, conditions[object.GetString(obj, "status", "phase")]...)
	}
	return dst
}

// conditions are the conditions of rows whose objects are done, by their phase.
var conditions = map[string]string{
	"Succeeded": `,"conditions":[{"type":"Completed","status":"True","reason":"Succeeded","message":"The pod has ` +
		`completed successfully."}]`,
	"Failed": `,"conditions":[{"type":"Completed","status":"True","reason":"Failed","message":"The pod failed."}]`,
}
