package tables

import (
	"fmt"
	"time"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/schema"
)

// FromColumns returns the table of a custom resource: the names, and the columns of its definition,
// or the age if it has none. At a column with an invalid path the columns end, as in the real
// server, which validates definitions more strictly than it parses their columns.
func FromColumns(list []schema.Column) *Table {
	if len(list) == 0 {
		list = []schema.Column{{Name: "Age", Type: "date", Description: schema.CreationDescription(),
			JSONPath: ".metadata.creationTimestamp"}}
	}
	t := &Table{columns: []schema.Column{nameColumn()}}
	var paths []Path
	for i, c := range list {
		if i == schema.MaxColumns { // more than a new definition may have
			break
		}
		path, err := ParsePath(c.JSONPath)
		if err != nil {
			break
		}
		if c.Description == "" {
			c.Description = "Custom resource definition column (in JSONPath format): " + c.JSONPath
		}
		t.columns, paths = append(t.columns, c), append(paths, path)
	}
	t.cells = func(v view) []any {
		cells, w := []any{v.name()}, newWork()
		for i, path := range paths {
			var cell any
			if values, err := path.from(w, []any{v.obj}); err == nil && len(values) > 0 {
				cell = customCell(t.columns[i+1].Type, values[0], v)
			}
			if text, ok := cell.(string); ok { // which may be the whole object
				_ = w.spend(len(text) / textOfValue)
			}
			cells = append(cells, cell)
		}
		return cells
	}
	return t
}

// textOfValue is how many bytes of a text count as much as a value that a path goes through.
const textOfValue = 4

// customCell returns a value as a cell of a column's type: null if it is of another one.
func customCell(kind string, value any, v view) any {
	if kind == "string" {
		return cellText(value)
	}
	switch value := value.(type) {
	case int64:
		switch kind {
		case "integer":
			return value
		case "number":
			return float64(value)
		}
	case float64:
		switch kind {
		case "integer":
			return int64(value)
		case "number":
			return value
		}
	case bool:
		if kind == "boolean" {
			return value
		}
	case string:
		if kind == "date" {
			return dateCell(value, v)
		}
	}
	return nil
}

// cellText returns any value as text.
func cellText(value any) string {
	switch value := value.(type) {
	case nil:
		return "<no value>"
	case string:
		return value
	case map[string]any, []any:
		return string(object.EncodeAny(nil, value))
	}
	return fmt.Sprint(value)
}

// dateCell returns how long ago a date was.
func dateCell(text string, v view) string {
	if text == "" || text == "null" {
		return unknown
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return "<invalid>"
	}
	return v.ago(t)
}
