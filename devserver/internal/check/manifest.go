package check

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	goyaml "sigs.k8s.io/yaml/goyaml.v3"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/devserver/internal/seed"
)

// A manifest is one object to apply.
type manifest struct {
	Object

	in *document
	// at is the path to it in the document, through Lists.
	at   string
	body []byte // JSON
	// definition is the manifest as a CustomResourceDefinition, nil if it is another object.
	definition *definition
	// created is whether it has no name, and so can only be created.
	created bool
	// refused is whether the server has refused it.
	refused bool
}

// line returns the line of a field, or of what is nearest to it.
func (m *manifest) line(field string) int { return m.in.lineOf(m.at, field) }

// finding returns one about a field of the manifest; "" is all of it.
func (m *manifest) finding(severity Severity, field, message string) Finding {
	return Finding{File: m.in.file, Line: m.line(field), Severity: severity, Object: &m.Object, Field: field,
		Message: message}
}

// group returns the API group.
func (m *manifest) group() string {
	group, _, found := strings.Cut(m.APIVersion, "/")
	if !found {
		return ""
	}
	return group
}

func (m *manifest) is(group, kind string) bool { return m.Kind == kind && m.group() == group }

// definition is what is used of a CustomResourceDefinition.
type definition struct {
	Spec struct {
		Group      string
		Names      struct{ Kind string }
		Conversion struct{ Strategy string }
	}
}

// parse reads the manifests of sources. What cannot be read is a finding.
func parse(all []source) (manifests []*manifest, findings []Finding) {
	for _, s := range all {
		p := parser{source: s}
		for _, d := range seed.Documents(s.text) {
			p.document(&document{file: s.name, begin: d.Line, text: d.Text})
		}
		manifests, findings = append(manifests, p.manifests...), append(findings, p.findings...)
	}
	return manifests, findings
}

type parser struct {
	source
	manifests []*manifest
	findings  []Finding
}

// refuse adds a finding about a document.
func (p *parser) refuse(d *document, line int, message string) {
	p.findings = append(p.findings, Finding{File: d.file, Line: line, Severity: Error, Message: message})
}

// yamlLine is what the YAML library says of a place.
var yamlLine = regexp.MustCompile(`line (\d+): (.*)`)

func (p *parser) document(d *document) {
	body, strict := object.StrictYAMLToJSON(d.text)
	var err error
	if strict != nil {
		body, err = object.YAMLToJSON(d.text)
	}
	if err != nil {
		line, message := d.problem(err)
		if isTemplate(d.text) {
			message += `; it looks like a template of Helm: check what "helm template" prints`
		}
		p.refuse(d, line, message)
		return
	}
	if bytes.Equal(body, []byte("null")) {
		return
	}
	before := len(p.manifests)
	p.object(d, "", body)
	if len(p.manifests) == before {
		return
	}
	if strict != nil {
		for _, at := range yamlLine.FindAllStringSubmatch(strict.Error(), -1) {
			line, _ := strconv.Atoi(at[1])
			p.refuse(d, d.begin+line-1, at[2])
		}
	}
}

// problem returns the line and the text of an error of YAML.
func (d *document) problem(err error) (int, string) {
	line, message := d.first(), strings.TrimPrefix(err.Error(), "yaml: ")
	// The newer library is more exact about the line.
	if newer := goyaml.Unmarshal(d.text, new(goyaml.Node)); newer != nil {
		err = newer
	}
	if at := yamlLine.FindStringSubmatch(err.Error()); at != nil {
		n, _ := strconv.Atoi(at[1])
		line, message = d.begin+n-1, at[2]
	}
	return line, "it is not YAML: " + message
}

// object reads an object, or the objects of a List.
func (p *parser) object(d *document, at string, body []byte) {
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
	line := d.lineOf(at, "")
	err := json.Unmarshal(body, &o)
	wrong := (*json.UnmarshalTypeError)(nil)
	switch {
	case errors.As(err, &wrong) && wrong.Field != "":
		p.refuse(d, d.lineOf(at, wrong.Field), fmt.Sprintf("%s: it is a %s, not a text", wrong.Field, wrong.Value))
		return
	case err != nil && p.found:
		return
	case err != nil:
		p.refuse(d, line, "it is not a manifest, which is an object with apiVersion and kind")
		return
	case p.found && o.Kind == "" && (o.APIVersion == "" || filepath.Base(p.name) == "Chart.yaml"),
		p.found && strings.HasPrefix(o.APIVersion, "kustomize.config.k8s.io/"):
		return
	case strings.HasPrefix(o.APIVersion, "kustomize.config.k8s.io/"):
		p.refuse(d, line, `it is read by kustomize, not by an API server: check what "kustomize build" prints`)
		return
	case o.APIVersion == "" || o.Kind == "":
		missing := "kind"
		if o.APIVersion == "" {
			missing = "apiVersion"
		}
		p.refuse(d, line, missing+" is missing")
		return
	case o.Items != nil && strings.HasSuffix(o.Kind, "List"):
		for n, item := range o.Items {
			p.object(d, fmt.Sprintf("%s.items[%d]", at, n), item)
		}
		return
	case o.Metadata.Name == "" && o.Metadata.GenerateName == "":
		p.refuse(d, d.lineOf(at, "metadata"), o.Kind+": metadata.name is missing")
		return
	}
	m := &manifest{in: d, at: at, body: body, created: o.Metadata.Name == "",
		Object: Object{o.APIVersion, o.Kind, o.Metadata.Namespace, cmp.Or(o.Metadata.Name, o.Metadata.GenerateName)}}
	defines := new(definition)
	if m.is("apiextensions.k8s.io", "CustomResourceDefinition") && json.Unmarshal(body, defines) == nil {
		m.definition = defines
	}
	p.manifests = append(p.manifests, m)
}
