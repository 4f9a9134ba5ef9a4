package programs

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCompare wants changes to lead from one text to the other, and where there is a diff on this machine, to be
// printed as it prints them.
func TestCompare(t *testing.T) {
	native, err := exec.LookPath("diff")
	if err != nil {
		t.Log("no diff to compare with")
	}
	random := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	different := 0
	for n := range 300 {
		a := make([]string, random.IntN(12))
		for i := range a {
			a[i] = fmt.Sprintln(string(rune('a' + random.IntN(4))))
		}
		b := slices.Clone(a)
		for range random.IntN(4) {
			switch i := random.IntN(len(b) + 1); {
			case random.IntN(2) == 0:
				b = slices.Insert(b, i, fmt.Sprintln(string(rune('a'+random.IntN(5)))))
			case i < len(b):
				b = slices.Delete(b, i, i+1)
			}
		}
		var result []string
		at := 0
		for _, c := range compare(a, b) {
			result = append(result, a[at:c.a]...)
			result = append(result, b[c.b:c.b+c.added]...)
			at = c.a + c.deleted
		}
		if result = append(result, a[at:]...); !slices.Equal(result, b) {
			t.Fatalf("%d: %q to %q became %q", n, a, b, result)
		}
		if native == "" {
			continue
		}
		for name, text := range map[string][]string{"a": a, "b": b} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(text, "")), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		args := []string{"-u", "--label=a", "--label=b", "a", "b"}
		command := exec.CommandContext(t.Context(), native, args...)
		command.Dir = dir
		want, err := command.Output()
		if failed := new(exec.ExitError); err != nil && !errors.As(err, &failed) {
			t.Fatal(err)
		}
		got, _, status := run(t, dir, "", append([]string{"diff"}, args...)...)
		if status != command.ProcessState.ExitCode() {
			t.Errorf("%d: status %d, and not %d", n, status, command.ProcessState.ExitCode())
		}
		if got != string(want) {
			different++
			t.Logf("%d:\n%sand not\n%s", n, got, want)
		}
	}
	if different > 0 {
		t.Errorf("%d of 300 are printed otherwise", different)
	}
}

// TestDirectories compares directories as kubectl diff has it.
func TestDirectories(t *testing.T) {
	dir := files(t, "A/x", "one\ntwo\n", "A/same", "s", "B/same", "s", "B/x", "one\n2\n", "B/new", "n\n", "A/sub/y",
		"1\n", "B/sub/y", "2\n")
	heads := func(out string) (kept string) {
		for line := range strings.Lines(out) {
			line, _, _ = strings.Cut(strings.TrimSuffix(line, "\n"), "\t") // without times
			kept += line + "\n"
		}
		return kept
	}
	for _, c := range []struct{ args, want string }{
		{"-u -N A B",
			"diff -u -N A/new B/new\n--- A/new\n+++ B/new\n@@ -0,0 +1 @@\n+n\nCommon subdirectories: A/sub and B/sub\n" +
				"diff -u -N A/x B/x\n--- A/x\n+++ B/x\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"},
		{"-r -q A B", "Only in B: new\nFiles A/sub/y and B/sub/y differ\nFiles A/x and B/x differ\n"},
		{"A/x B", "2c2\n< two\n---\n> 2\n"},
	} {
		out, problems, status := run(t, dir, "", append([]string{"diff"}, strings.Fields(c.args)...)...)
		if heads(out) != c.want || status != 1 || problems != "" {
			t.Errorf("diff %s: %d, %s%s, and not\n%s", c.args, status, out, problems, c.want)
		}
	}
	if _, _, status := run(t, dir, "", "diff", "-u", "-N", "A", "A"); status != 0 {
		t.Errorf("the same: %d", status)
	}
	if out, _, _ := run(t, files(t, "a", "x", "b", "x\n"), "", "diff", "-u", "--label=a", "--label=b", "a", "b"); out !=
		"--- a\n+++ b\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n" {
		t.Errorf("%q", out)
	}
}
