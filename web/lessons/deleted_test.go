//go:build !js

package lessons_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/schema"
)

// TestDeletedTypes wants the lesson on deletion to say of how many types that have a DELETE it is answered with the
// object. A type that is there in two versions is one.
func TestDeletedTypes(t *testing.T) {
	returned, deleted := map[string]bool{}, map[string]bool{}
	for _, r := range schema.Builtin().Resources() {
		if r.HasVerb("delete") {
			deleted[r.Group+"/"+r.Plural] = true
			if r.ReturnsDeleted {
				returned[r.Group+"/"+r.Plural] = true
			}
		}
	}
	text, err := os.ReadFile("13-two-phase.md")
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%d of the %d types that can be deleted here answer with the object", len(returned), len(deleted))
	if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), want) {
		t.Errorf("the lesson does not say: %s", want)
	}
}
