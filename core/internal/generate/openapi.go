package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
)

// definition is the part of an OpenAPI definition that completes a Go type.
type definition struct {
	Required   []string
	Properties map[string]property
	MapType    string `json:"x-kubernetes-map-type"`
}

type property struct {
	Default     json.RawMessage
	ListType    string   `json:"x-kubernetes-list-type"`
	ListMapKeys []string `json:"x-kubernetes-list-map-keys"`
	MapType     string   `json:"x-kubernetes-map-type"`
}

// readOpenAPI collects the definitions of all group versions by name.
func readOpenAPI(dir string) (map[string]definition, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	all := map[string]definition{}
	for _, f := range files {
		var doc struct {
			Components struct{ Schemas map[string]definition }
		}
		if err := readJSON(f, &doc); err != nil {
			return nil, err
		}
		for name, d := range doc.Components.Schemas {
			all[name] = d
		}
	}
	return all, nil
}

func (d definition) required(field string) bool { return slices.Contains(d.Required, field) }

// trivialDefault reports whether a default is the zero value, which every field has that is not omitted when it is
// zero. For others it matters: documents show it, and an empty string is the value of a missing key of a list's items.
func trivialDefault(raw json.RawMessage, omitEmpty bool) bool {
	return len(raw) == 0 || string(raw) == "{}" || !omitEmpty && slices.Contains([]string{"0", "false", `""`}, string(raw))
}
