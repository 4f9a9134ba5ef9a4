package check

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	goyaml "sigs.k8s.io/yaml/goyaml.v3"

	"github.com/tabernetes/tabernetes/core/object"
	"github.com/tabernetes/tabernetes/core/patch"
	"github.com/tabernetes/tabernetes/devserver/internal/seed"
)

// A table is a document with tests. Each of its parts is decoded by itself, so that what is wrong with it has a line.
type table struct {
	Given given             `json:"given"`
	Tests []json.RawMessage `json:"tests"`
	// Expression is what its tests evaluate.
	Expression string `json:"expression"`

	in *document
}

// given is what a cluster has before a test.
type given struct {
	// Files are manifests, or directories of them, relative to the table's.
	Files   []string          `json:"files"`
	Objects []json.RawMessage `json:"objects"`

	// The others are those of a table only.

	// Authorization is AlwaysAllow, which is what an empty one means, or RBAC.
	Authorization string `json:"authorization"`
	// Object is what the objects of requests are merged into, as by a JSON merge patch.
	Object json.RawMessage `json:"object"`
	// As is who makes the requests that name nobody else.
	As *identity `json:"as"`
}

// An identity is a user whom an administrator impersonates.
type identity struct {
	User   string              `json:"user"`
	UID    string              `json:"uid"`
	Groups []string            `json:"groups"`
	Extra  map[string][]string `json:"extra"`
}

// A test is a request, and what is expected of the answer.
type test struct {
	Name  string `json:"name"`
	Given given  `json:"given"`
	When  when   `json:"when"`
	Then  then   `json:"then"`

	at string // its path in the document
}

// when is a request: one of the verbs with an object, or the name of a file that has it.
type when struct {
	Create json.RawMessage `json:"create"`
	Update json.RawMessage `json:"update"`
	Patch  json.RawMessage `json:"patch"`
	Apply  json.RawMessage `json:"apply"`
	Delete json.RawMessage `json:"delete"`
	// Evaluate has variables, with which the table's expression is evaluated.
	Evaluate    json.RawMessage `json:"evaluate"`
	Subresource string          `json:"subresource"`
	As          *identity       `json:"as"`
	// Manager is the field manager; empty: kubectl. Force takes fields from others, when something is applied.
	Manager string `json:"manager"`
	Force   bool   `json:"force"`
}

// then is what is expected of an answer. Texts are parts of what is expected.
type then struct {
	Allowed bool     `json:"allowed"`
	Refused *refused `json:"refused"`
	// Warnings are all of them; nil: any.
	Warnings *[]string `json:"warnings"`
	// Object has fields of the object that is answered; null: not there.
	Object json.RawMessage `json:"object"`
	// Audit has annotations of the audit event; null: not there.
	Audit map[string]*string `json:"audit"`
	// Value is what an expression comes to, and Error why it comes to nothing.
	Value json.RawMessage `json:"value"`
	Error *string         `json:"error"`
}

// refused is a refusal: a message, or more of its Status.
type refused struct {
	Message string `json:"message"`
	Code    int    `json:"code"`
	Reason  string `json:"reason"`
}

// UnmarshalJSON takes a message alone, too.
func (r *refused) UnmarshalJSON(text []byte) error {
	if err := json.Unmarshal(text, &r.Message); err == nil {
		return nil
	}
	type plain refused
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode((*plain)(r))
}

// hasTests finds texts that are meant to have tests, even if they cannot be read.
var hasTests = regexp.MustCompile(`(?m)^tests:`)

// readTables returns the tables of sources. Documents that are found in a directory and have no tests are left out.
func readTables(all []source) (tables []*table, err error) {
	for _, s := range all {
		for _, part := range seed.Documents(s.text) {
			if s.found && !hasTests.Match(part.Text) {
				continue
			}
			d := &document{file: s.name, begin: part.Line, text: part.Text}
			body, err := object.YAMLToJSON(d.text)
			if err == nil {
				err = goyaml.Unmarshal(d.text, new(any)) // which lets merged keys have other values, unlike object.YAMLProblem
			}
			if err != nil {
				line, message := d.problem(err)
				return nil, fmt.Errorf("%s:%d: %s", d.file, line, message)
			}
			if bytes.Equal(body, []byte("null")) {
				continue
			}
			t := &table{in: d}
			if err := t.decode(body, "", t); err != nil {
				return nil, err
			}
			switch {
			case len(t.Tests) == 0:
				return nil, t.wrong("", "it has no tests")
			case t.Given.Authorization != "" && t.Given.Authorization != "AlwaysAllow" && t.Given.Authorization != "RBAC":
				return nil, t.wrong("given.authorization", fmt.Sprintf("%q is neither AlwaysAllow nor RBAC",
					t.Given.Authorization))
			}
			tables = append(tables, t)
		}
	}
	return tables, nil
}

// wrong returns the error of a field.
func (t *table) wrong(field, message string) error {
	if field != "" {
		message = field + ": " + message
	}
	return fmt.Errorf("%s:%d: %s", t.in.file, t.in.lineOf("", field), message)
}

// unknownField is the error of encoding/json for one.
var unknownField = regexp.MustCompile(`unknown field "(.*)"`)

// decode decodes a part of the table, at a path.
func (t *table) decode(text []byte, at string, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	within := func(field string) string { return strings.TrimPrefix(at+"."+field, ".") }
	if kind := (*json.UnmarshalTypeError)(nil); errors.As(err, &kind) {
		return t.wrong(within(kind.Field), "a "+kind.Value+" cannot be here")
	} else if err == nil {
		return nil
	}
	if named := unknownField.FindStringSubmatch(err.Error()); named != nil {
		for _, part := range []string{"", "given.", "given.as.", "when.", "when.as.", "then.", "then.refused."} {
			if field := within(part + named[1]); t.in.has(field) {
				return t.wrong(field, "there is no such field here")
			}
		}
	}
	return t.wrong(at, err.Error())
}

// test returns a test of the table.
func (t *table) test(n int) (*test, error) {
	c := &test{at: fmt.Sprintf("tests[%d]", n)}
	if err := t.decode(t.Tests[n], c.at, c); err != nil {
		return nil, err
	}
	for _, as := range []*identity{t.Given.As, c.When.As} {
		if as != nil && as.User == "" {
			return nil, t.wrong(c.at, "as: user is missing")
		}
	}
	switch g := c.Given; {
	case c.Name == "":
		return nil, t.wrong(c.at, "name is missing")
	case g.Authorization != "" || g.Object != nil || g.As != nil:
		return nil, t.wrong(c.at+".given", "a test is given files and objects; the rest is the table's")
	case c.When.Evaluate != nil && t.Expression == "":
		return nil, t.wrong(c.at+".when.evaluate", "the table has no expression")
	case c.When.Evaluate != nil && (c.Then.Value == nil) == (c.Then.Error == nil):
		return nil, t.wrong(c.at+".then", "it has to say either value or error")
	case c.When.Evaluate != nil:
	case c.Then.Value != nil || c.Then.Error != nil:
		return nil, t.wrong(c.at+".then", "value and error are those of evaluate")
	case c.Then.Allowed == (c.Then.Refused != nil):
		return nil, t.wrong(c.at+".then", "it has to say either allowed: true or refused")
	}
	return c, nil
}

// evaluate is the verb of what is no request: an expression is evaluated.
const evaluate = "evaluate"

// action returns the verb of a request, and its object.
func (w *when) action() (verb string, text json.RawMessage, n int) {
	for _, v := range []struct {
		verb string
		text json.RawMessage
	}{{"create", w.Create}, {"update", w.Update}, {"patch", w.Patch}, {"apply", w.Apply}, {"delete", w.Delete},
		{evaluate, w.Evaluate}} {
		if v.text != nil {
			verb, text = v.verb, v.text
			n++
		}
	}
	return verb, text, n
}

// request returns the verb and the object of a test's request; written is the object without what it is merged into.
// Of evaluate there is no object, and written are all variables.
func (t *table) request(ctx context.Context, c *test) (
	verb string, m *manifest, written []byte, err error) {
	verb, text, n := c.When.action()
	if n != 1 {
		return "", nil, nil, t.wrong(c.at+".when", "it has to have one of create, update, patch, apply, delete and evaluate")
	}
	at := c.at + ".when." + verb
	var file string
	if verb != evaluate && json.Unmarshal(text, &file) == nil {
		manifests, err := t.manifests(ctx, []string{file})
		if err != nil {
			return "", nil, nil, t.wrong(at, err.Error())
		}
		if len(manifests) != 1 {
			return "", nil, nil, t.wrong(at, fmt.Sprintf("%s has %s, not one", file, number(len(manifests), "object")))
		}
		return verb, manifests[0], manifests[0].body, nil
	}
	whole := []byte(text)
	if t.Given.Object != nil {
		if whole, _, err = patch.Merge(t.Given.Object, text, false); err != nil {
			return "", nil, nil, t.wrong(at, err.Error())
		}
	}
	if verb == evaluate {
		return verb, nil, whole, nil
	}
	m, err = t.manifest(at, whole)
	return verb, m, text, err
}

// manifest returns the object at a path.
func (t *table) manifest(at string, body []byte) (*manifest, error) {
	var p parser
	p.object(t.in, at, body)
	switch {
	case len(p.findings) > 0:
		return nil, errors.New(p.findings[0].String())
	case len(p.manifests) != 1:
		return nil, t.wrong(at, "it has to be one object")
	}
	return p.manifests[0], nil
}

// manifests returns those of files, which are relative to the table's.
func (t *table) manifests(ctx context.Context, files []string) ([]*manifest, error) {
	paths := make([]string, len(files))
	for i, name := range files {
		if paths[i] = name; !filepath.IsAbs(name) {
			paths[i] = filepath.Join(filepath.Dir(t.in.file), name)
		}
	}
	all, err := sources(ctx, paths, nil)
	if err != nil {
		return nil, err
	}
	// A directory may have the table, too.
	all = slices.DeleteFunc(all, func(s source) bool { return s.found && hasTests.Match(s.text) })
	manifests, findings := parse(all)
	if len(findings) > 0 {
		return nil, errors.New(findings[0].String())
	}
	return manifests, nil
}

// has returns the manifests that are given at a path.
func (t *table) has(ctx context.Context, g given, at string) ([]*manifest, error) {
	all, err := t.manifests(ctx, g.Files)
	if err != nil {
		return nil, t.wrong(strings.TrimPrefix(at+".given.files", "."), err.Error())
	}
	for i, body := range g.Objects {
		m, err := t.manifest(strings.TrimPrefix(fmt.Sprintf("%s.given.objects[%d]", at, i), "."), body)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}
