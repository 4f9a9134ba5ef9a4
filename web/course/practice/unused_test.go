//go:build !js

package practice

import (
	"strings"
	"testing"
)

// TestValuesAreUsed wants no value to be drawn that its template does not show.
func TestValuesAreUsed(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, template := range all {
		v, err := template.Values(1)
		if err != nil {
			t.Fatal(err)
		}
		for name := range v {
			if !strings.Contains(template.Source, "{{$"+name+"}}") {
				t.Errorf("%s has no {{$%s}}", template.ID, name)
			}
		}
	}
}
