//go:build !js

package lessons_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/core/schema"
)

// TestDeletedTypes wants the lesson on deletion to say of how many types a DELETE is answered with the object.
func TestDeletedTypes(t *testing.T) {
	all, returned := schema.Builtin().Resources(), 0
	for _, r := range all {
		if r.ReturnsDeleted {
			returned++
		}
	}
	text, err := os.ReadFile("13-two-phase.md")
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%d of the %d types here answer with the object", returned, len(all))
	if !strings.Contains(string(text), want) {
		t.Errorf("the lesson does not say: %s", want)
	}
}
