package levers

import (
	"testing"

	"github.com/tabernetes/tabernetes/core/settings"
)

func TestEntered(t *testing.T) {
	rows := []settings.Setting{
		{Path: "a.b", Least: 0, Most: 9, Label: "each", Unit: "s"}, {Path: "a.c", Least: 1, Most: 20, Label: "at most"},
	}
	for _, test := range []struct{ b, c, patch, said string }{
		{"0", " 20 ", `{"spec":{"a":{"b":0,"c":20}}}`, "Set: each 0 s, at most 20."},
		{"-1", "5", "", "“each” needs a whole number from 0 to 9."},
		{"10", "5", "", "“each” needs a whole number from 0 to 9."},
		{"5", "21", "", "“at most” needs a whole number from 1 to 20."},
		{"5", "", "", "“at most” needs a whole number from 1 to 20."},
		{"5", "1.5", "", "“at most” needs a whole number from 1 to 20."},
	} {
		values, done, problem := entered(rows, func(path string) string {
			return map[string]string{"a.b": test.b, "a.c": test.c}[path]
		})
		patch := ""
		if problem == "" {
			patch = settings.Patch(values)
		}
		if patch != test.patch || done+problem != test.said {
			t.Errorf("%q, %q: %s %s%s", test.b, test.c, patch, done, problem)
		}
	}
}

// TestValuesOf sets back what a cluster had: large numbers too, and what it had not.
func TestValuesOf(t *testing.T) {
	rows := []settings.Setting{{Path: "a.b"}, {Path: "c"}, {Path: "chaos.seed"}}
	spec := specOf(`{"spec":{"a":{"b":7},"c":null,"chaos":{"seed":9007199254740991}}}`)
	const want = `{"spec":{"a":{"b":7},"c":null,"chaos":{"seed":9007199254740991}}}`
	if got := settings.Patch(valuesOf(rows, spec)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if specOf("no JSON") != nil {
		t.Error("a spec of nothing")
	}
}

// TestForms wants each setting that has a place in the lab to be in one of its forms.
func TestForms(t *testing.T) {
	for _, s := range settings.All {
		known := s.Form == ""
		for _, f := range forms {
			known = known || f.name == s.Form
		}
		if !known || s.Form != "" && s.Label == "" {
			t.Errorf("%s is in the form %q with the label %q", s.Path, s.Form, s.Label)
		}
		if s.Form != "" && s.Kind != settings.Seconds && s.Kind != settings.Number {
			t.Errorf("%s is no number, which is all that a form has fields for", s.Path)
		}
	}
}
