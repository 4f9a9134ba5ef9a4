package kubetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/tabernetes/tabernetes/core/cbor"
	"github.com/tabernetes/tabernetes/core/protobuf"
	"github.com/tabernetes/tabernetes/core/schema"
)

// resourceVerbs are the verbs of requests for resources, as Request.Verb has them; otherVerbs those that requests for
// other paths have besides.
var (
	resourceVerbs = []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}
	otherVerbs    = []string{"get", "head", "options", "patch", "post", "put", "delete"}
)

// misused fails the test of a server because a method was called with what it cannot mean.
func (s *Server) misused(method, format string, args ...any) {
	s.t.Helper()
	s.t.Fatalf("kubetest: %s: %s", method, fmt.Sprintf(format, args...))
}

// needs panics if there is no TB, which could not say it.
func needs(t TB, method string) {
	if t == nil {
		panic("kubetest: " + method + ": there is no TB: give it the test's t, or what GinkgoT returns")
	}
}

// anything reports whether a pattern of a rule stands for all values.
func anything(pattern string) bool { return pattern == "" || pattern == "*" }

// misfit returns why no request can have a verb and a type, or "". A custom type need not be defined yet.
func misfit(verb, resource string) string {
	if anything(resource) {
		if anything(verb) || slices.Contains(resourceVerbs, verb) || slices.Contains(otherVerbs, verb) {
			return ""
		}
		return fmt.Sprintf("no request has the verb %q: verbs are %s", verb, strings.Join(resourceVerbs, ", "))
	}
	if !anything(verb) && !slices.Contains(resourceVerbs, verb) {
		return fmt.Sprintf("no request for a resource has the verb %q: verbs are %s", verb,
			strings.Join(resourceVerbs, ", "))
	}
	typed, subresource, _ := strings.Cut(resource, "/")
	plural, group, _ := strings.Cut(typed, ".")
	builtin := schema.Builtin()
	if _, known := builtin.Group(group); !known && strings.Contains(group, ".") && strings.ToLower(typed) == typed {
		return ""
	}
	for _, r := range builtin.Resources() {
		if r.Group != group || r.Plural != plural {
			continue
		}
		if subresource != "" && r.Subresource(subresource) == nil {
			continue // another version may have it
		}
		return ""
	}
	why := fmt.Sprintf("no resource is called %q", resource)
	wanted := strings.ToLower(plural)
	for _, r := range builtin.Resources() {
		names := append([]string{r.Plural, r.Singular, strings.ToLower(r.Kind)}, r.ShortNames...)
		if !slices.Contains(names, wanted) || group != "" && group != r.Group {
			continue
		}
		if subresource == "" || r.Subresource(subresource) != nil {
			return why + fmt.Sprintf("; %s is %q", r.Kind, Request{Group: r.Group, Resource: r.Plural,
				Subresource: subresource}.Type())
		}
	}
	return why + `: types are named by their plural and their group, such as "pods", "deployments.apps", "pods/status"`
}

// nameOf returns the name of the object in the body of a create, in any of the encodings that the server reads; empty
// if it has none.
func nameOf(body []byte) string {
	var err error
	switch {
	case bytes.HasPrefix(body, []byte(protobuf.Magic)):
		body, err = protobuf.ToJSON(body, "", "")
	case bytes.HasPrefix(body, cborTag):
		body, err = cbor.ToJSON(body, "object")
	case len(body) > 0 && body[0] != '{':
		body, err = yaml.YAMLToJSON(body)
	}
	var object struct{ Metadata struct{ Name string } }
	if err != nil || json.Unmarshal(body, &object) != nil {
		return "" // the server says what is wrong with it
	}
	return object.Metadata.Name
}

// cborTag begins each document in CBOR: "self-described", RFC 8949, section 3.4.6.
var cborTag = []byte{0xd9, 0xd9, 0xf7}

// creates reports whether a request creates an object whose name is in its body.
func (r Request) creates() bool {
	return r.Method == http.MethodPost && r.Resource != "" && r.Name == "" && r.Subresource == ""
}
