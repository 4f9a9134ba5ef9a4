package openapi

import (
	"encoding/json"
	"iter"
	"slices"
	"strings"
)

// V2 converts the parts of OpenAPI v3 documents, or whole ones, to one OpenAPI v2 document, in JSON or in
// protobuf. What v2 cannot express it leaves out, as the real server does: the alternatives of a
// type, and defaults. If several parts have a type, the first counts; its group-version-kinds are joined.
//
// Parts are asked for one at a time, so that they are not in memory together.
func V2(parts iter.Seq[map[string]any], release string, protobuf bool) (Text, error) {
	if protobuf {
		e := newV2encoder()
		return e.join(join(v2message{e}, parts), tree{"swagger": "2.0", "info": infoOf(release)})
	}
	j := join(v2form{}, parts)
	var text Text
	text.add([]byte(`{"definitions":{`))
	j.writeTypes(&text)
	text.add([]byte(`},"info":`))
	j.writeJSON(&text, infoOf(release))
	text.add([]byte(`,"paths":{`))
	j.writePaths(&text)
	text.add([]byte(`},"swagger":"2.0"}`))
	return j.end(text)
}

// v2form is OpenAPI v2 in JSON.
type v2form struct{}

func (v2form) schema(s tree) (before, after []byte, err error) { return schemaJSON(v2Root(s)) }

func (v2form) path(item tree) ([]byte, error) { return json.Marshal(v2Path(item)) }

// v2Keys are the keywords of a schema that both versions have, apart from those that contain
// schemas.
var v2Keys = []string{
	"description", "enum", "format", "maxItems", "maxLength", "maxProperties", "maximum", "exclusiveMaximum", "minItems",
	"minLength", "minProperties", "minimum", "exclusiveMinimum", "multipleOf", "pattern", "required", "title", "type",
	"uniqueItems",
}

// v2Root converts the schema of a type to v2. Of a kind with unknown fields only that it is an object is said: from
// any field that is named kubectl would follow that there are no others.
func v2Root(s tree) tree {
	older := v2Schema(s)
	if s[kindsKey] == nil || s["x-kubernetes-preserve-unknown-fields"] != true {
		return older
	}
	root := tree{"type": "object"}
	for _, key := range []string{kindsKey, selectableKey} {
		if value, ok := older[key]; ok {
			root[key] = value
		}
	}
	return root
}

// v2Schema converts a schema to v2.
func v2Schema(s tree) tree {
	older := tree{}
	for _, key := range v2Keys {
		if value, ok := s[key]; ok {
			older[key] = value
		}
	}
	for key, value := range s {
		if strings.HasPrefix(key, "x-") {
			older[key] = value
		}
	}
	if ref := reference2(s); ref != "" {
		older["$ref"] = ref
	}
	if s["oneOf"] != nil { // which means a number or a string
		older["type"] = "string"
	}
	if properties, ok := s["properties"].(tree); ok {
		list := make(tree, len(properties))
		for name, p := range properties {
			list[name] = v2Any(p)
		}
		older["properties"] = list
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if value, ok := s[key]; ok {
			older[key] = v2Any(value)
		}
	}
	loosen(older, s)
	return older
}

// loosen removes from a v2 schema what would be wrong there, or what kubectl could not read.
func loosen(older, s tree) {
	forget := func(keys ...string) {
		for _, key := range keys {
			delete(older, key)
		}
	}
	if s["nullable"] == true {
		forget("type", "items", "properties")
	}
	if s["x-kubernetes-preserve-unknown-fields"] == true {
		forget("items", "properties")
		if s["type"] == "object" {
			forget("type")
		}
	}
	if older["items"] == nil && older["type"] == "array" {
		forget("type")
	}
	properties, _ := s["properties"].(tree)
	if required := entries(s["required"]); required != nil {
		older["required"] = slices.DeleteFunc(slices.Clone(required), func(name any) bool {
			p, _ := properties[name.(string)].(tree)
			return p["nullable"] == true
		})
	}
}

func v2Any(value any) any {
	if s, ok := value.(tree); ok {
		return v2Schema(s)
	}
	return value
}

// reference2 returns the type that a schema refers to, alone or with a description.
func reference2(s tree) string {
	ref, _ := s["$ref"].(string)
	if all, _ := s["allOf"].([]any); ref == "" && len(all) == 1 {
		only, _ := all[0].(tree)
		ref, _ = only["$ref"].(string)
	}
	if ref == "" {
		return ""
	}
	return "#/definitions/" + strings.TrimPrefix(ref, reference)
}

// produced are the media types of answers.
var produced = []string{"application/json", "application/yaml", "application/vnd.kubernetes.protobuf"}

// v2Path converts a path with its operations to v2.
func v2Path(item tree) tree {
	older := make(tree, len(item))
	for key, value := range item {
		switch operation := value.(type) {
		case []any:
			older[key] = v2Parameters(operation)
		case tree:
			older[key] = v2Operation(operation)
		}
	}
	return older
}

func v2Operation(operation tree) tree {
	older := tree{"schemes": []any{"https"}, "produces": produced}
	for key, value := range operation {
		switch key {
		case "parameters", "requestBody", "responses":
		default:
			older[key] = value
		}
	}
	list, _ := operation["parameters"].([]any)
	parameters := v2Parameters(list)
	if body, ok := operation["requestBody"].(tree); ok {
		p := tree{"in": "body", "name": "body", "schema": contentOf(body)}
		if body["required"] == true {
			p["required"] = true
		}
		parameters = append(parameters, p)
		older["consumes"] = []any{"*/*"}
	}
	if len(parameters) > 0 {
		older["parameters"] = parameters
	}
	responses := tree{}
	for code, value := range operation["responses"].(tree) {
		response := value.(tree)
		r := tree{"description": response["description"]}
		if s := contentOf(response); s != nil {
			r["schema"] = s
		}
		responses[code] = r
	}
	older["responses"] = responses
	return older
}

// contentOf returns the schema of a body, the same for all its media types, or
// nil.
func contentOf(body tree) tree {
	content, _ := body["content"].(tree)
	for _, media := range content {
		if s, ok := media.(tree)["schema"].(tree); ok {
			return v2Schema(s)
		}
	}
	return nil
}

func v2Parameters(list []any) []any {
	var older []any
	for _, value := range list {
		p := tree{}
		for key, value := range value.(tree) {
			if s, ok := value.(tree); ok && key == "schema" {
				for key, value := range s {
					p[key] = value
				}
				continue
			}
			p[key] = value
		}
		older = append(older, p)
	}
	return older
}
