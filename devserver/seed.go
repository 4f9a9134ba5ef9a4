package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/yaml"
)

// seedManager is the field manager of what --seed applies.
const seedManager = "tabernetes-seed"

// seedTimeout is how long the types of custom resources may take to be served,
// and seedInterval how long to wait before asking again.
const (
	// seedTimeout is how long the types of custom resources may take to be served, and seedInterval how long to wait
	// before asking again.
	seedTimeout  = 10 * time.Second
	seedInterval = 20 * time.Millisecond
)

// A manifest is one object of a seed.
type manifest struct {
	// origin is the file and the document, for errors.
	origin           string
	apiVersion, kind string
	namespace, name  string
	body             []byte // JSON
}

func (m *manifest) group() string {
	group, _, found := strings.Cut(m.apiVersion, "/")
	if !found {
		return ""
	}
	return group
}

// rank orders manifests: what others need comes first.
func (m *manifest) rank() int {
	switch {
	case m.kind == "CustomResourceDefinition" && m.group() == "apiextensions.k8s.io":
		return 0
	case m.kind == "Namespace" && m.apiVersion == "v1":
		return 1
	}
	return 2
}

// readSeeds reads the manifests of files, and of the files in directories.
func readSeeds(paths []string) ([]*manifest, error) {
	var all []*manifest
	for _, path := range paths {
		files, err := manifestFiles(path)
		if err != nil {
			return nil, fmt.Errorf("--seed: %w", err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, fmt.Errorf("--seed: %w", err)
			}
			manifests, err := parseManifests(file, text)
			if err != nil {
				return nil, fmt.Errorf("--seed: %w", err)
			}
			all = append(all, manifests...)
		}
	}
	return all, nil
}

// manifestFiles returns the files that a path stands for: itself, or what a directory
// has of manifests, by name.
func manifestFiles(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return []string{path}, err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if !e.IsDir() && slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(e.Name())) {
			files = append(files, filepath.Join(path, e.Name()))
		}
	}
	if files == nil {
		return nil, fmt.Errorf("%s has no files that end in .yaml, .yml or .json", path)
	}
	return files, nil
}

// parseManifests reads the documents of a file. The items of lists count as
// manifests of their own; empty documents do not count as any.
func parseManifests(file string, text []byte) ([]*manifest, error) {
	var all []*manifest
	for n, document := range documents(text) {
		origin := fmt.Sprintf("%s, document %d", file, n+1)
		body, err := yaml.YAMLToJSONStrict(document)
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

// documents splits a file where a line begins with three dashes, as YAML has it;
// or, if it begins with a brace, after each value of JSON.
func documents(text []byte) [][]byte {
	var list [][]byte
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		values := json.NewDecoder(bytes.NewReader(text))
		for {
			var value json.RawMessage
			err := values.Decode(&value)
			switch {
			case err == nil:
				list = append(list, value)
				continue
			case err == io.EOF:
				return list
			case len(list) == 0: // it may be YAML that looks like this
			default:
				return append(list, text[values.InputOffset():]) // whose error is said then
			}
			break
		}
	}
	var document []byte
	lines := bufio.NewReader(bytes.NewReader(text))
	for {
		line, err := lines.ReadBytes('\n')
		if rest, ok := bytes.CutPrefix(line, []byte("---")); ok &&
			(len(bytes.TrimSpace(rest)) == 0 || rest[0] == ' ' || rest[0] == '\t') {
			list, document = append(list, document), slices.Clone(rest)
		} else {
			document = append(document, line...)
		}
		if err != nil {
			break
		}
	}
	list = append(list, document)
	if len(list) > 1 && onlyComments(list[0]) {
		list = list[1:] // what is before the first line of dashes is no document
	}
	return list
}

// onlyComments reports whether text has nothing but comments and empty lines.
func onlyComments(text []byte) bool {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return false
		}
	}
	return true
}

func parseManifest(origin string, body []byte) ([]*manifest, error) {
	var m struct {
		APIVersion string                           `json:"apiVersion"`
		Kind       string                           `json:"kind"`
		Metadata   struct{ Name, Namespace string } `json:"metadata"`
		Items      []json.RawMessage                `json:"items"`
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, fmt.Errorf("%s: it is no manifest: %w", origin, err)
	}
	if m.Items != nil && strings.HasSuffix(m.Kind, "List") {
		var all []*manifest
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
	return []*manifest{{origin, m.APIVersion, m.Kind, m.Metadata.Namespace, m.Metadata.Name, body}}, nil
}

// A seeder applies manifests as a client with this token.
type seeder struct {
	api   http.Handler
	token string
	// types has the resource types of each group version, as discovery lists them.
	types map[string][]resourceType
}

type resourceType struct {
	Name       string `json:"name"`
	Kind       string `json:"kind"`
	Namespaced bool   `json:"namespaced"`
}

// applyAll applies manifests: definitions of resources first, then namespaces, then the others in their order, waiting
// for the types that the definitions make. Fields that the manifests name get their values, whoever has set them since.
// The first manifest that is refused ends it.
func (s *seeder) applyAll(ctx context.Context, manifests []*manifest) error {
	manifests = slices.Clone(manifests)
	slices.SortStableFunc(manifests, func(a, b *manifest) int { return a.rank() - b.rank() })
	deadline := time.Now().Add(seedTimeout)
	for _, m := range manifests {
		t, err := s.find(ctx, m)
		for ; t == nil && err == nil && slices.ContainsFunc(manifests, m.mayBeDefinedBy); t, err = s.find(ctx, m) {
			if time.Now().After(deadline) {
				break
			}
			select {
			case <-time.After(seedInterval):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if err == nil && t == nil {
			err = fmt.Errorf("there is no resource of kind %s in version %s", m.kind, m.apiVersion)
		}
		if err == nil {
			err = s.apply(ctx, m, t)
		}
		if err != nil {
			return fmt.Errorf("--seed: %s: %s %s: %w", m.origin, m.kind, m.name, err)
		}
	}
	return nil
}

// mayBeDefinedBy reports whether a manifest is the definition of another's group.
func (m *manifest) mayBeDefinedBy(other *manifest) bool {
	return other.rank() == 0 && strings.HasSuffix(other.name, "."+m.group())
}

// find returns the resource type of a manifest, or nil.
func (s *seeder) find(ctx context.Context, m *manifest) (*resourceType, error) {
	is := func(t resourceType) bool { return t.Kind == m.kind && !strings.Contains(t.Name, "/") }
	if at := slices.IndexFunc(s.types[m.apiVersion], is); at >= 0 {
		return &s.types[m.apiVersion][at], nil
	}
	code, answer, err := s.do(ctx, http.MethodGet, basePath(m.apiVersion), nil)
	switch {
	case err != nil:
		return nil, err
	case code == http.StatusNotFound:
		return nil, nil
	case code != http.StatusOK:
		return nil, refusal(code, answer)
	}
	var list struct {
		Resources []resourceType `json:"resources"`
	}
	if err := json.Unmarshal(answer, &list); err != nil {
		return nil, err
	}
	if s.types == nil {
		s.types = map[string][]resourceType{}
	}
	s.types[m.apiVersion] = list.Resources
	if at := slices.IndexFunc(list.Resources, is); at >= 0 {
		return &list.Resources[at], nil
	}
	return nil, nil
}

func basePath(apiVersion string) string {
	if !strings.Contains(apiVersion, "/") {
		return "/api/" + url.PathEscape(apiVersion)
	}
	group, version, _ := strings.Cut(apiVersion, "/")
	return "/apis/" + url.PathEscape(group) + "/" + url.PathEscape(version)
}

// apply applies one manifest.
func (s *seeder) apply(ctx context.Context, m *manifest, t *resourceType) error {
	path := basePath(m.apiVersion)
	if t.Namespaced {
		path += "/namespaces/" + url.PathEscape(m.inNamespace())
	}
	path += "/" + t.Name + "/" + url.PathEscape(m.name) + "?force=true&fieldValidation=Strict&fieldManager=" + seedManager
	code, answer, err := s.do(ctx, http.MethodPatch, path, m.body)
	if err == nil && code != http.StatusOK && code != http.StatusCreated {
		err = refusal(code, answer)
	}
	return err
}

// inNamespace returns the namespace of a namespaced object.
func (m *manifest) inNamespace() string {
	if m.namespace == "" {
		return "default"
	}
	return m.namespace
}

// do makes a request of the API; a body is an object to apply.
func (s *seeder) do(ctx context.Context, method, path string, body []byte) (code int, answer []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, method, path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Content-Type", "application/apply-patch+yaml")
	if s.token != "" {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	w := reply{header: http.Header{}, code: http.StatusOK}
	s.api.ServeHTTP(&w, r)
	return w.code, w.body.Bytes(), nil
}

// A reply is an answer that is kept as a whole.
type reply struct {
	header http.Header
	code   int
	body   bytes.Buffer
}

func (w *reply) Header() http.Header         { return w.header }
func (w *reply) WriteHeader(code int)        { w.code = code }
func (w *reply) Write(b []byte) (int, error) { return w.body.Write(b) }

// refusal returns the message of a Status.
func refusal(code int, answer []byte) error {
	var status struct {
		Message string `json:"message"`
	}
	if err := json.Unmarshal(answer, &status); err != nil || status.Message == "" {
		return fmt.Errorf("%d %s", code, bytes.TrimSpace(answer))
	}
	return errors.New(status.Message)
}
