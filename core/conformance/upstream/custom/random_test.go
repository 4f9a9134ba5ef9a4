package custom

import (
	"fmt"
	"math/rand/v2"
)

// gen makes schemas, and objects that more or less match them. Names and values are few.
type gen struct {
	*rand.Rand
	// plain: without embedded objects.
	plain bool
}

func (g gen) oneIn(n int) bool { return g.IntN(n) == 0 }

func pick[T any](g gen, all ...T) T { return all[g.IntN(len(all))] }

type tree = map[string]any

func (g gen) name() string { return pick(g, "a", "b", "c", "d") }

// root returns the schema of a whole object.
func (g gen) root() tree {
	s := g.object(0)
	delete(s, "additionalProperties")
	delete(s, "nullable")
	delete(s, "default")
	if s["properties"] == nil {
		s["properties"] = tree{"spec": g.schema(1)}
	}
	return s
}

func (g gen) schema(depth int) tree {
	kind := g.IntN(9)
	if depth > 3 {
		kind = g.IntN(5)
	}
	var s tree
	switch kind {
	case 0, 1:
		s = g.text()
	case 2:
		s = g.number()
	case 3:
		s = tree{"type": "boolean"}
	case 4:
		s = tree{"x-kubernetes-int-or-string": true}
	case 5:
		s = g.list(depth)
	case 6:
		s = tree{"type": "object", "additionalProperties": g.schema(depth + 1)}
		if g.oneIn(4) {
			s["additionalProperties"] = true
		}
		g.count(s, "minProperties", "maxProperties")
	default:
		s = g.object(depth)
	}
	if g.oneIn(8) {
		s["nullable"] = true
	}
	if g.oneIn(10) {
		s["enum"] = []any{g.value(s, depth), g.value(s, depth)}
	}
	if g.oneIn(6) {
		s["default"] = g.value(s, depth)
	}
	g.combine(s, depth)
	return s
}

// count adds limits of a size.
func (g gen) count(s tree, least, most string) {
	if g.oneIn(4) {
		s[least] = int64(g.IntN(3))
	}
	if g.oneIn(4) {
		s[most] = int64(g.IntN(3))
	}
}

func (g gen) text() tree {
	s := tree{"type": "string"}
	g.count(s, "minLength", "maxLength")
	if g.oneIn(4) {
		s["pattern"] = pick(g, "^a", "b$", "^[a-z]+$")
	}
	if g.oneIn(3) {
		s["format"] = pick(g, "date", "date-time", "ipv4", "ipv6", "cidr", "uri", "uuid", "byte", "duration", "email",
			"hostname", "mac", "nonsense",
			"k8s-short-name", "password", "hexcolor", "isbn", "creditcard", "ssn", "rgbcolor", "bsonobjectid")
	}
	return s
}

func (g gen) number() tree {
	s := tree{"type": pick(g, "integer", "number")}
	for _, key := range []string{"minimum", "maximum", "multipleOf"} {
		if g.oneIn(4) {
			s[key] = pick[any](g, int64(1), int64(2), 2.5, int64(10))
			if key != "multipleOf" && g.oneIn(2) {
				s["exclusive"+map[string]string{"minimum": "Minimum", "maximum": "Maximum"}[key]] = true
			}
		}
	}
	if g.oneIn(4) {
		s["format"] = pick(g, "int32", "int64", "float", "double", "nonsense")
	}
	return s
}

func (g gen) list(depth int) tree {
	s := tree{"type": "array", "items": g.schema(depth + 1)}
	switch g.IntN(4) {
	case 0:
		s["x-kubernetes-list-type"], s["items"] = "set", pick(g, g.text(), g.number())
	case 1:
		s["x-kubernetes-list-type"], s["x-kubernetes-list-map-keys"] = "map", []any{"a"}
		s["items"] = tree{"type": "object", "required": []any{"a"},
			"properties": tree{"a": tree{"type": "string"}, "b": g.schema(depth + 1)}}
	}
	g.count(s, "minItems", "maxItems")
	return s
}

func (g gen) object(depth int) tree {
	s := tree{"type": "object"}
	if g.oneIn(6) && depth > 0 {
		s["x-kubernetes-preserve-unknown-fields"] = true
	}
	if g.oneIn(8) && depth > 0 && !g.plain {
		s["x-kubernetes-embedded-resource"], s["x-kubernetes-preserve-unknown-fields"] = true, true
	}
	properties := tree{}
	for range g.IntN(4) {
		properties[g.name()] = g.schema(depth + 1)
	}
	if len(properties) > 0 {
		s["properties"] = properties
		if g.oneIn(3) {
			s["required"] = []any{g.name()}
		}
	}
	g.count(s, "minProperties", "maxProperties")
	return s
}

// combine adds schemas with further requirements.
func (g gen) combine(s tree, depth int) {
	if !g.oneIn(5) || depth > 3 {
		return
	}
	ask := func() tree {
		var one tree
		switch s["type"] {
		case "string":
			one = g.text()
		case "integer", "number":
			one = g.number()
		case "object":
			one = tree{"required": []any{g.name()}}
			g.count(one, "minProperties", "maxProperties")
			if properties, ok := s["properties"].(tree); ok && g.oneIn(2) {
				for name, p := range properties {
					if p := p.(tree); p["type"] == "string" {
						asked := g.text()
						delete(asked, "type")
						one["properties"] = tree{name: asked}
					}
				}
			}
		default:
			one = tree{"enum": []any{g.value(s, 3), "a"}}
		}
		delete(one, "type")
		return one
	}
	if key := pick(g, "anyOf", "oneOf", "allOf", "not"); key == "not" {
		s[key] = ask()
	} else {
		s[key] = []any{ask(), ask()}
	}
}

// value returns a value that mostly matches a schema.
func (g gen) value(s tree, depth int) any {
	if g.oneIn(12) {
		return pick[any](g, "x", int64(3), true, 1.5, []any{}, tree{}, tree{"q": int64(1)}, nil)
	}
	switch s["type"] {
	case "string":
		return pick(g, "", "a", "ab", "abc", "b", "2020-01-02", "2020-01-02T03:04:05Z", "1.2.3.4", "::1", "10.0.0.0/8",
			"http://x/y", "YQ==", "1h", "3 days",
			"a@b.c", "a.b.c", "00:11:22:33:44:55", "123e4567-e89b-12d3-a456-426614174000", "#fff", "rgb(1,2,3)", "é",
			"0321751043", "4111111111111111", "123-45-6789",
			"507f1f77bcf86cd799439011")
	case "integer":
		return pick[any](g, int64(0), int64(1), int64(2), int64(5), int64(20), int64(1)<<40, 2.0)
	case "number":
		return pick[any](g, int64(0), int64(2), 2.5, 0.1, 7.25, 1e300)
	case "boolean":
		return g.oneIn(2)
	case "array":
		l := []any{}
		items, _ := s["items"].(tree)
		for range g.IntN(4) {
			l = append(l, g.value(items, depth+1))
		}
		return l
	case "object":
		return g.fields(s, depth)
	}
	return pick[any](g, "a", int64(1), int64(80))
}

func (g gen) fields(s tree, depth int) tree {
	m := tree{}
	properties, _ := s["properties"].(tree)
	for name, p := range properties {
		if !g.oneIn(4) {
			m[name] = g.value(p.(tree), depth+1)
		}
	}
	if more, ok := s["additionalProperties"].(tree); ok {
		for range g.IntN(3) {
			m[g.name()] = g.value(more, depth+1)
		}
	}
	if g.oneIn(5) {
		m[fmt.Sprint("unknown", g.IntN(2))] = tree{"x": int64(1)}
	}
	if s["x-kubernetes-embedded-resource"] == true && !g.oneIn(4) {
		m["apiVersion"], m["kind"] = pick[any](g, "v1", "a/b", "a/b/c", ""), pick[any](g, "Pod", "9", "")
		m["metadata"] = pick[any](g, tree{"name": "a"}, tree{"labels": tree{"a b": "c"}}, tree{"name": int64(2)})
	}
	return m
}
