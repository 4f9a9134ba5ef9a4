package openapi

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"maps"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/internal/structural"
	"github.com/tabernetes/tabernetes/core/schema"
)

// customName returns the name of a custom resource's type in documents: as if its group were a
// package, com.example.stable.v1.CronTab.
func customName(row *schema.Resource, kind string) string {
	parts := strings.Split(row.Group, ".")
	slices.Reverse(parts)
	return strings.Join(append(parts, row.Version, kind), ".")
}

// isCustom reports whether a row is of a custom resource with its own schema.
func isCustom(row *schema.Resource) bool { return row.Custom != nil && row.Custom.Schema != nil }

// object returns a reference to the type of a resource's objects.
func (c *components) object(row *schema.Resource) tree {
	if !isCustom(row) {
		return c.schemaOf(row.Type())
	}
	return c.named(customName(row, row.Kind), func() tree {
		s := c.structural(row.Custom.Schema)
		c.typeMeta(s)
		return c.custom(row, row.Kind, s)
	})
}

// list returns a reference to the type of a resource's lists.
func (c *components) list(row *schema.Resource) tree {
	if !isCustom(row) {
		t := schema.TypeOf(row.Group, row.Version, row.ListKind)
		if t == nil {
			return c.schemaOf(row.Type())
		}
		c.kind(t, row.Group, row.Version, row.ListKind)
		return c.schemaOf(t)
	}
	return c.named(customName(row, row.ListKind), func() tree {
		s := tree{
			"type": "object", "description": row.ListKind + " is a list of " + row.Kind, "required": []any{"items"},
			"properties": tree{"items": tree{
				"type": "array", "items": c.object(row),
				"description": "List of " + row.Plural +
					". More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md",
			}},
		}
		c.typeMeta(s)
		s["properties"].(tree)["metadata"] = tree{"allOf": []any{c.schemaOf(schema.TypeOf("", "v1",
			"ConfigMapList").Field("metadata").Type)}}
		return c.custom(row, row.ListKind, s)
	})
}

// custom adds extensions that Kubernetes' own tools look for.
func (c *components) custom(row *schema.Resource, kind string, s tree) tree {
	s["x-kubernetes-group-version-kind"] = []any{gvk(row.Group, row.Version, kind)}
	var fields []any
	for _, path := range row.Custom.Selectable {
		fields = append(fields, tree{"fieldPath": path})
	}
	if fields != nil {
		s[selectableKey] = fields
	}
	return s
}

// selectableKey is the extension with the fields of a kind that field selectors know.
const selectableKey = "x-kubernetes-selectable-fields"

// typeMeta adds the fields that all objects have.
func (c *components) typeMeta(s tree) {
	properties, _ := s["properties"].(tree)
	if properties == nil {
		properties = tree{}
		s["properties"] = properties
	}
	properties["apiVersion"], properties["kind"] = tree{"type": "string"}, tree{"type": "string"}
	properties["metadata"] = tree{"allOf": []any{c.schemaOf(schema.TypeOf("", "v1", "ConfigMap").Field("metadata").Type)}}
}

// structural returns the schema of a definition in OpenAPI, with its extensions translated. Parts that
// are as they are written are those of the definition: they must not be changed.
func (c *components) structural(s *structural.Schema) tree {
	out := maps.Clone(s.Tree())
	if out == nil {
		out = tree{"type": "object"}
	}
	if len(s.Properties) > 0 || out["properties"] != nil {
		properties := tree{}
		for name, p := range s.Properties {
			properties[name] = c.structural(p)
		}
		out["properties"] = properties
	}
	if s.Items != nil {
		out["items"] = c.structural(s.Items)
	}
	if s.Additional != nil {
		out["additionalProperties"] = c.structural(s.Additional)
	}
	if s.IntOrString && !slices.ContainsFunc(append(s.AllOf[:len(s.AllOf):len(s.AllOf)], s), structural.AnyIntOrString) {
		either := []any{tree{"type": "integer"}, tree{"type": "string"}}
		if s.AnyOf == nil {
			out["anyOf"] = either
		} else {
			rest, _ := out["allOf"].([]any)
			out["allOf"] = append([]any{tree{"anyOf": either}}, rest...) // a new list
		}
	}
	if s.Embedded {
		c.typeMeta(out)
		required, _ := out["required"].([]any)
		required = slices.Clone(required)
		for _, name := range []any{"kind", "apiVersion"} {
			if !slices.Contains(required, name) {
				required = append(required, name)
			}
		}
		out["required"] = required
	}
	return out
}

// derivedKey is the key for what is derived of a custom resource in its row.
type derivedKey struct{}

// derived is the hash of all that documents say about a custom resource, and the length of its schema.
type derived struct {
	hash   string
	length int64
}

func deriveOf(row *schema.Resource) derived {
	if made, ok := row.Custom.Derived.Load(derivedKey{}); ok {
		return made.(derived)
	}
	sum := &counter{Hash: sha256.New()}
	err := json.NewEncoder(sum).Encode([]any{row.Custom.Schema.Tree(), row.Group, row.Version, row.Plural, row.Kind,
		row.ListKind, row.Namespaced, row.Custom.Selectable, row.Subresources, row.Verbs})
	if err != nil {
		return derived{} // not so: it is a tree
	}
	made, _ := row.Custom.Derived.LoadOrStore(derivedKey{}, derived{fmt.Sprintf("%x", sum.Sum(nil)), sum.length})
	return made.(derived)
}

// A counter is a hash that knows how much it has been given.
type counter struct {
	hash.Hash
	length int64
}

func (c *counter) Write(b []byte) (int, error) {
	c.length += int64(len(b))
	return c.Hash.Write(b)
}

// Fingerprint returns a hash that changes whenever the documents about a custom resource may. It is
// empty for any other resource.
func Fingerprint(row *schema.Resource) string {
	if !isCustom(row) {
		return ""
	}
	return deriveOf(row).hash
}

// lengthOfOperation is about the length of an operation in a document, in bytes.
const lengthOfOperation = 1900

// Length returns about how long the part of a custom resource is in a document, in bytes. It is 0 for any other
// resource: there are only so many of those.
func Length(row *schema.Resource) int64 {
	if !isCustom(row) {
		return 0
	}
	operations := len(row.Verbs) + 1 // the list of all namespaces
	for _, s := range row.Subresources {
		operations += len(s.Verbs)
	}
	return int64(operations*lengthOfOperation) + deriveOf(row).length
}
