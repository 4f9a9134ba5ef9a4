package session

import "maps"

// asObjects returns an object, or a list, as a check looks at it: of a Table, which is what kubectl asks for unless it
// has -o, also what its rows are of. One of a list has their objects as items, and one of a single object, which an
// event of a watch has as well, that object's metadata. Fields that no row has are absent, as in the answer.
func asObjects(v any, list bool) any {
	table, _ := v.(map[string]any)
	rows, _ := table["rows"].([]any)
	if table["kind"] != "Table" || table["items"] != nil {
		return v
	}
	var items []any
	for _, r := range rows {
		row, _ := r.(map[string]any)
		if object, ok := row["object"].(map[string]any); ok {
			items = append(items, object)
		}
	}
	if len(items) < len(rows) { // includeObject=None
		return v
	}
	view := maps.Clone(table)
	switch {
	case list:
		view["items"] = append([]any{}, items...)
	case len(items) == 1:
		view["metadata"] = items[0].(map[string]any)["metadata"]
	}
	return view
}
