package controlplane

import (
	"slices"
	"testing"

	"github.com/tabernetes/tabernetes/core/settings"
)

// TestActsAreRows compares the acts that are carried out with the rows of core/settings, of which those that a
// parameter chooses are one act.
func TestActsAreRows(t *testing.T) {
	var rows, carried []string
	for _, row := range settings.Acts {
		if row.Given == (settings.Parameter{}) {
			rows = append(rows, row.Name+" "+row.Verb)
		} else if !slices.Contains(row.Parameters, row.Given.Name) {
			t.Errorf("%s has no parameter %s", row.Name, row.Given.Name)
		}
	}
	for _, a := range acts {
		carried = append(carried, a.Name+" "+a.Verb)
		if (a.do == nil) == (a.serve == nil) || a.Parameters != nil && a.do == nil {
			t.Errorf("%s %s is not carried out, or not with its parameters", a.Name, a.Verb)
		}
	}
	if !slices.Equal(rows, carried) {
		t.Errorf("the rows are %q, and what is carried out %q", rows, carried)
	}
}
