package seed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"
)

// A Manifest is one object of a seed.
type Manifest struct {
	// origin is the file and the document, for errors.
	origin           string
	apiVersion, kind string
	namespace, name  string
	body             []byte // JSON
}

func (m *Manifest) group() string {
	group, _, found := strings.Cut(m.apiVersion, "/")
	if !found {
		return ""
	}
	return group
}

// rank orders manifests: what others need comes first.
func (m *Manifest) rank() int {
	switch {
	case m.kind == "CustomResourceDefinition" && m.group() == "apiextensions.k8s.io":
		return 0
	case m.kind == "Namespace" && m.apiVersion == "v1":
		return 1
	}
	return 2
}

// mayBeDefinedBy reports whether a manifest is the definition of another's group.
func (m *Manifest) mayBeDefinedBy(other *Manifest) bool {
	return other.rank() == 0 && strings.HasSuffix(other.name, "."+m.group())
}

// inNamespace returns the namespace of a namespaced object.
func (m *Manifest) inNamespace() string {
	if m.namespace == "" {
		return "default"
	}
	return m.namespace
}

// parseManifests reads the documents of a file. The items of lists count as
// separate manifests; empty documents do not count as any.
func parseManifests(file string, text []byte) ([]*Manifest, error) {
	var all []*Manifest
	for n, document := range Documents(text) {
		origin := fmt.Sprintf("%s, document %d", file, n+1)
		body, err := yaml.YAMLToJSONStrict(document.Text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", origin, err)
		}
		if bytes.Equal(body, []byte("null")) {
			continue
		}
		manifests, err := parseManifest(origin, body)
		if err != nil {
			return nil, err
		}
		all = append(all, manifests...)
	}
	return all, nil
}

func parseManifest(origin string, body []byte) ([]*Manifest, error) {
	var m struct {
		APIVersion string                           `json:"apiVersion"`
		Kind       string                           `json:"kind"`
		Metadata   struct{ Name, Namespace string } `json:"metadata"`
		Items      []json.RawMessage                `json:"items"`
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, fmt.Errorf("%s: it is not a manifest: %w", origin, err)
	}
	if m.Items != nil && strings.HasSuffix(m.Kind, "List") {
		var all []*Manifest
		for n, item := range m.Items {
			manifests, err := parseManifest(fmt.Sprintf("%s, item %d", origin, n+1), item)
			if err != nil {
				return nil, err
			}
			all = append(all, manifests...)
		}
		return all, nil
	}
	for _, f := range []struct{ name, value string }{{"apiVersion", m.APIVersion}, {"kind", m.Kind},
		{"metadata.name", m.Metadata.Name}} {
		if f.value == "" {
			return nil, fmt.Errorf("%s: %s is missing", origin, f.name)
		}
	}
	return []*Manifest{{origin, m.APIVersion, m.Kind, m.Metadata.Namespace, m.Metadata.Name, body}}, nil
}
