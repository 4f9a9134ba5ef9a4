// Package manifest splits manifests, YAML or JSON with several documents, into objects that can be
// sent. A document that cannot be read has an error, and the others are split all the same.
//
// Splitting costs the length of the text, and parsing each document.
package manifest

import (
	"encoding/json"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"
)

// A Document is one object of a manifest.
type Document struct {
	Line       int    // of the manifest on which it begins, from 1
	JSON       string // as JSON, ready to be sent
	APIVersion string
	Kind       string
	Namespace  string
	Name       string
	Err        error // why it cannot be sent
}

// Split returns the objects of a manifest. Documents without content are left
// out; each item of a List is an object. A document that cannot be read has an
// Err, which does not affect the others.
func Split(text string) []Document {
	var out []Document
	start, line := 1, 1
	var doc strings.Builder
	flush := func() {
		out = append(out, read(doc.String(), start)...)
		doc.Reset()
	}
	for l := range strings.Lines(text) {
		if separator(l) {
			flush()
			start = line + 1
		} else {
			if strings.TrimSpace(doc.String()) == "" {
				start = line
			}
			doc.WriteString(l)
		}
		line++
	}
	flush()
	return out
}

// separator reports whether a line is "---", with nothing but a comment after it.
func separator(l string) bool {
	if !strings.HasPrefix(l, "---") {
		return false
	}
	rest := strings.TrimSpace(l[3:])
	return rest == "" || rest[0] == '#' && (l[3] == ' ' || l[3] == '\t')
}

func read(text string, line int) []Document {
	if blank(text) {
		return nil
	}
	b, err := yaml.YAMLToJSONStrict([]byte(text))
	if err != nil {
		return []Document{{Line: line, Err: err}}
	}
	return object(b, line)
}

func object(b []byte, line int) []Document {
	var o struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Metadata   struct {
			Name         string `json:"name"`
			GenerateName string `json:"generateName"`
			Namespace    string `json:"namespace"`
		} `json:"metadata"`
		Items []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(b, &o); err != nil {
		return []Document{{Line: line, Err: fmt.Errorf("not an object: %w", err)}}
	}
	if o.Kind == "List" && o.APIVersion == "v1" {
		var out []Document
		for _, item := range o.Items {
			out = append(out, object(item, line)...)
		}
		return out
	}
	d := Document{Line: line, JSON: string(b), APIVersion: o.APIVersion, Kind: o.Kind, Namespace: o.Metadata.Namespace,
		Name: o.Metadata.Name}
	switch {
	case o.APIVersion == "":
		d.Err = fmt.Errorf("apiVersion is missing")
	case o.Kind == "":
		d.Err = fmt.Errorf("kind is missing")
	case o.Metadata.Name == "" && o.Metadata.GenerateName == "":
		d.Err = fmt.Errorf("metadata.name is missing")
	}
	return []Document{d}
}

// blank reports whether a document holds nothing but comments and space.
func blank(text string) bool {
	for l := range strings.Lines(text) {
		if l = strings.TrimSpace(l); l != "" && l[0] != '#' {
			return false
		}
	}
	return true
}
