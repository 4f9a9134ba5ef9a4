package check

import (
	"path/filepath"
	"slices"
	"testing"
)

// TestBench runs the examples of the bench: each has a request that passes, and two that do not. That of a webhook is
// run in browsers only, where the bench answers for it.
func TestBench(t *testing.T) {
	files, err := filepath.Glob("../../../web/bench/examples/*.test.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, table := range tablesIn(t, files) {
		passes, fails := 0, 0
		for n := range table.Tests {
			c, err := table.test(n)
			if err != nil {
				t.Fatal(err)
			}
			if c.Then.Refused == nil && string(c.Then.Value) != "false" {
				passes++
			} else {
				fails++
			}
		}
		if passes < 1 || fails < 2 {
			t.Errorf("%s: %d requests pass, %d do not", table.in.file, passes, fails)
		}
	}
	files = slices.DeleteFunc(files, func(name string) bool { return filepath.Base(name) == "webhook.test.yaml" })
	r, err := Test(t.Context(), TestOptions{Paths: files})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if f.Severity == Error {
			t.Error(f)
		}
	}
	t.Log(r.Summary())
}
