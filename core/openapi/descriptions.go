package openapi

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/tabernetes/tabernetes/core/schema"
)

// Descriptions are Kubernetes' descriptions of its types and their fields. Nil has none.
type Descriptions struct {
	types  map[string]string            // escaped
	fields map[string]map[string]string // escaped
}

// errDescriptions is the error for a text of another format.
var errDescriptions = errors.New("openapi: these are no descriptions of types")

// ParseDescriptions reads the text that core/internal/generate writes: a line for each type, with its fields
// indented below it,
//
//	io.k8s.api.core.v1.Pod Pod is a collection of containers...
//	 spec Specification of the desired behavior of the pod...
//
// in which line breaks are
// and backslashes \\. The first line begins with # and names the source; a text without it is
// refused.
func ParseDescriptions(text []byte) (*Descriptions, error) {
	d := &Descriptions{types: map[string]string{}, fields: map[string]map[string]string{}}
	origin, rest, _ := strings.Cut(string(text), "\n")
	if !strings.HasPrefix(origin, "#") {
		return nil, errDescriptions
	}
	var fields map[string]string
	for line := range strings.Lines(rest) {
		line = strings.TrimSuffix(line, "\n")
		line, field := strings.CutPrefix(line, " ")
		name, said, ok := strings.Cut(line, " ")
		switch {
		case !ok || field && fields == nil:
			return nil, errDescriptions
		case field:
			fields[name] = said
		default:
			fields = map[string]string{}
			d.types[name], d.fields[name] = said, fields
		}
	}
	if len(d.types) == 0 {
		return nil, errDescriptions
	}
	return d, nil
}

var unescape = strings.NewReplacer(`\\`, `\`, `\n`, "\n")

// Describe adds the descriptions to an OpenAPI v3 document. Types with a description keep it.
func (d *Descriptions) Describe(document map[string]any) {
	if d == nil {
		return
	}
	add := func(s tree, said string) {
		if said != "" && s["description"] == nil {
			s["description"] = unescape.Replace(said)
		}
	}
	for name, s := range document["components"].(tree)["schemas"].(tree) {
		s := s.(tree)
		add(s, d.types[name])
		properties, _ := s["properties"].(tree)
		for field, said := range d.fieldsOf(name, s) {
			property, _ := properties[field].(tree)
			if property == nil {
				continue
			}
			if property["$ref"] != nil {
				property = tree{"allOf": []any{property}}
				properties[field] = property
			}
			add(property, said)
		}
	}
}

// fieldsOf returns the descriptions of the fields of a type. Fields that custom objects and their
// lists share with others have the same descriptions.
func (d *Descriptions) fieldsOf(name string, s tree) map[string]string {
	if fields := d.fields[name]; fields != nil || s["x-kubernetes-group-version-kind"] == nil {
		return fields
	}
	properties, _ := s["properties"].(tree)
	like := "io.k8s.api.core.v1.ConfigMap"
	if properties["items"] != nil && properties["spec"] == nil {
		like = "io.k8s.api.core.v1.PodList"
	}
	shared := map[string]string{}
	for _, field := range []string{"apiVersion", "kind", "metadata"} {
		shared[field] = d.fields[like][field]
	}
	return shared
}

// Types lists the names of the types in the documents.
func Types(table *schema.Table) []string {
	names := map[string]bool{}
	collect := func(document tree) {
		for name := range document["components"].(tree)["schemas"].(tree) {
			names[name] = true
		}
	}
	for _, g := range table.Groups() {
		for _, version := range g.Versions {
			collect(Document(g.Name, version, "", table.GroupVersion(g.Name, version)))
		}
	}
	for _, root := range Roots(table) {
		collect(root.Document(""))
	}
	return slices.Sorted(maps.Keys(names))
}
