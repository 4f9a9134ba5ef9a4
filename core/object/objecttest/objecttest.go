// Package objecttest reads objects and what is in them, for tests.
package objecttest

import (
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/object"
)

// Parse reads an object in JSON as an untyped tree; an empty text is nil. Fields may not be
// there twice.
func Parse(t testing.TB, text string) map[string]any {
	t.Helper()
	if text == "" {
		return nil
	}
	obj, problems, err := object.Decode([]byte(text), nil)
	if err != nil || len(problems) > 0 {
		t.Fatalf("%v %q: %s", err, problems, text)
	}
	return obj
}

// At returns the value at a dotted path of an object, or nil.
func At(obj any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		m, ok := obj.(map[string]any)
		if !ok {
			return nil
		}
		obj = m[name]
	}
	return obj
}
