package schema

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestReturnsDeleted compares the rows with the list of the storages whose ReturnDeletedObject is set, in v1.36.3. A
// check beside the sources (core/conformance/upstream/e2e/storages) wants the list to be complete.
func TestReturnsDeleted(t *testing.T) {
	text, err := os.ReadFile("testdata/deleted.txt")
	if err != nil {
		t.Fatal(err)
	}
	list := strings.Split(strings.TrimSpace(string(text)), "\n")
	var not []string // types that this server does not serve
	for _, line := range list {
		group, plural, _ := strings.Cut(line, " ")
		served := slices.ContainsFunc(Builtin().Resources(), func(r *Resource) bool {
			return r.Plural == plural && (r.Group == group || r.Group == "" && group == "core")
		})
		if !served {
			not = append(not, plural)
		}
	}
	if want := []string{"devicetaintrules", "resourcepoolstatusrequests"}; !slices.Equal(not, want) {
		t.Errorf("listed and not served: %v, want %v, which are alpha", not, want)
	}
	for _, r := range Builtin().Resources() {
		group := r.Group
		if group == "" {
			group = "core"
		}
		if want := slices.Contains(list, group+" "+r.Plural); r.ReturnsDeleted != want {
			t.Errorf("%s: %v, want %v", r.GroupResource(), r.ReturnsDeleted, want)
		}
	}
}
