package object

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// TypeMeta reads only kind and apiVersion, which determine the type of the rest. As in Kubernetes
// this ignores the case of the two names, and its errors are encoding/json's.
func TypeMeta(data []byte) (apiVersion, kind string, err error) {
	if apiVersion, kind, ok := scanTypeMeta(data); ok {
		return apiVersion, kind, nil
	}
	var found struct {
		APIVersion string `json:"apiVersion,omitempty"`
		Kind       string `json:"kind,omitempty"`
	}
	if err := json.Unmarshal(data, &found); err != nil {
		return "", "", err
	}
	return found.APIVersion, found.Kind, nil
}

// TypeOr returns the type of a document, as the real server's decoders read it: with the parts of the one given where
// the document has none. Its errors are theirs.
func TypeOr(document []byte, group, version, kind string) (_, _, _ string, err error) {
	apiVersion, k, err := TypeMeta(document)
	switch {
	case err != nil:
		return "", "", "", fmt.Errorf("couldn't get version/kind; json parse error: %w", err)
	case strings.Count(apiVersion, "/") > 1:
		return "", "", "", errors.New("unexpected GroupVersion string: " + apiVersion)
	case k != "":
		kind = k
	}
	if g, v := SplitGroupVersion(apiVersion); v != "" || g != "" && g != group {
		group, version = g, v
	}
	return group, version, kind, nil
}

// NoKind returns the real server's error for a document that does not say its kind.
func NoKind(document []byte) error { return fmt.Errorf("Object 'Kind' is missing in '%s'", document) }

// NoVersion returns the real server's error for a document that does not say its version.
func NoVersion(document []byte) error {
	return fmt.Errorf("Object 'apiVersion' is missing in '%s'", document)
}

// Unregistered returns the real server's error for a kind that it does not know in a version. The scheme, a list of
// known types, is identified there by the source line that makes it.
func Unregistered(kind, apiVersion string) error {
	return fmt.Errorf(`no kind %q is registered for version %q in scheme "pkg/runtime/scheme.go:111"`, kind, apiVersion)
}

// scanTypeMeta is the fast path for an object with the two names in the usual spelling. It gives up
// on anything that encoding/json might read differently.
func scanTypeMeta(data []byte) (apiVersion, kind string, ok bool) {
	d := decoder{data: data}
	if d.peek() != '{' || !d.enter() {
		return "", "", false
	}
	for first := true; ; first = false {
		name, more, ok := d.key(first)
		if !ok {
			return "", "", false
		}
		if !more {
			break
		}
		var into *string
		switch string(name) {
		case "kind":
			into = &kind
		case "apiVersion":
			into = &apiVersion
		default:
			if bytes.EqualFold(name, []byte("kind")) || bytes.EqualFold(name, []byte("apiVersion")) {
				return "", "", false
			}
			if !d.skip() {
				return "", "", false
			}
			continue
		}
		if d.peek() != '"' {
			return "", "", false
		}
		if *into, ok = d.str(); !ok {
			return "", "", false
		}
	}
	d.leave()
	d.space()
	return apiVersion, kind, d.pos == len(d.data)
}

// SplitGroupVersion splits an apiVersion into group and version; the core group is the empty one.
func SplitGroupVersion(apiVersion string) (group, version string) {
	if i := strings.IndexByte(apiVersion, '/'); i >= 0 {
		return apiVersion[:i], apiVersion[i+1:]
	}
	return "", apiVersion
}
