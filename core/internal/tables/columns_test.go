package tables

import (
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/schema"
)

// TestDescribed looks for a description of each column of each kind.
func TestDescribed(t *testing.T) {
	for _, k := range kinds() {
		for _, c := range columns(k.name, k.columns) {
			if c.Description == "" && k.name+" "+c.Name != "RuntimeClass Handler" { // Kubernetes has none
				t.Errorf("%s: nothing is said of %q", k.name, c.Name)
			}
		}
	}
	if created := schema.CreationDescription(); !strings.Contains(created, "UTC.\n\nPopulated") {
		t.Errorf("%q", created)
	}
}
