package shrink

import (
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/wasm/overlay"
)

func TestTricks(t *testing.T) {
	names := Names()
	for i, trick := range Tricks {
		if slices.Contains(names[:i], trick.Name) {
			t.Errorf("%s is there twice", trick.Name)
		}
		for _, need := range trick.Needs {
			if !slices.Contains(names, need) {
				t.Errorf("%s needs %s, which there is not", trick.Name, need)
			}
		}
	}
	for _, name := range overlay.Names() {
		if !slices.Contains(names, name) {
			t.Errorf("the stand-in %s is missing", name)
		}
	}
	if All().Has("http") != true || None().Has("http") || slices.ContainsFunc(names, None().Has) {
		t.Error("of all or none")
	}
}

func TestWithout(t *testing.T) {
	for name, gone := range map[string][]string{
		"http":     {"http", "crypto"},
		"crypto":   {"crypto"},
		oneSegment: {oneSegment, lookup, traces},
	} {
		s, err := All().Without(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range Names() {
			if s.Has(n) == slices.Contains(gone, n) {
				t.Errorf("without %s: %s %v", name, n, s.Has(n))
			}
		}
		if _, err := s.Without("slices"); err != nil || !s.Has("slices") {
			t.Errorf("it was changed, or %v", err)
		}
	}
	if _, err := All().Without("nothing"); err == nil || !strings.Contains(err.Error(), "godebug") {
		t.Errorf("without a trick that there is not: %v", err)
	}
}

func TestFor(t *testing.T) {
	const gomod = "module x\n\ngo 1.26.0\n\ntoolchain go1.26.8\n"
	for _, test := range []struct{ gomod, version, warning string }{
		{gomod, "go1.26.8", ""},
		{gomod, "go1.26.8 X:newinliner", ""},
		{gomod, "go1.26.9", "go.mod pins go1.26.8"},
		{gomod, "devel go1.27-abcdef", "go.mod pins go1.26.8"},
		{gomod, "", "go.mod pins go1.26.8"},
		{"module x\n", "go1.26.8", "go.mod pins no toolchain"},
	} {
		s, warning := For(All(), test.gomod, test.version)
		if (warning == "") != (test.warning == "") || !strings.Contains(warning, test.warning) {
			t.Errorf("%s: %q, want %q", test.version, warning, test.warning)
		}
		if s.Has("http") != (warning == "") {
			t.Errorf("%s: the stand-in of net/http: %v", test.version, s.Has("http"))
		}
	}
}

// TestNone: without tricks there are neither flags for the go command nor changes.
func TestNone(t *testing.T) {
	s := None()
	if flags := s.Flags(); !slices.Equal(flags, []string{"-trimpath"}) {
		t.Errorf("flags %q", flags)
	}
	if env := s.Env(); !slices.Equal(env, []string{"GOOS=js", "GOARCH=wasm"}) {
		t.Errorf("environment %q", env)
	}
	if flags, err := s.Overlay(overlay.Options{}); flags != nil || err != nil {
		t.Errorf("overlay %q, %v", flags, err)
	}
	if got, err := s.Rewrite([]byte("any file")); string(got) != "any file" || err != nil {
		t.Errorf("rewritten to %q, %v", got, err)
	}
}

// TestRewrite: a program says the same, however it is rewritten.
func TestRewrite(t *testing.T) {
	module, run := compileProgram(t, All())
	for _, name := range []string{oneSegment, lookup, traces, adding32, offsetting, jumpingOnce} {
		s, err := All().Without(name)
		if err != nil {
			t.Fatal(err)
		}
		small, err := s.Rewrite(module)
		if err != nil {
			t.Fatal(err)
		}
		if got := run(small); !strings.HasPrefix(got, said) {
			t.Errorf("without %s: %s", name, got)
		}
	}
	plain, run := compileProgram(t, None())
	if got := run(plain); !strings.HasPrefix(got, said) || !strings.Contains(got, "main.go:") {
		t.Errorf("as the compiler writes it: %s", got)
	}
}
