package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheckManifests runs the program: what it prints where, and with which status it exits.
func TestCheckManifests(t *testing.T) {
	dir := t.TempDir()
	good, bad, tests := filepath.Join(dir, "good.yaml"), filepath.Join(dir, "bad.yaml"), filepath.Join(dir, "a.test.yaml")
	broken, refused := filepath.Join(dir, "broken.yaml"), filepath.Join(dir, "refused.yaml")
	const text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	for name, text := range map[string]string{good: text, bad: text + "dat: {}\n",
		broken: text + "---\na: b: c\n---\n" + strings.Replace(text, "a}", "b}", 1),
		refused: `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec: {group: example.com, scope: Namespaced, names: {plural: widgets, kind: Widget}, versions: []}
`, tests: `
tests:
- {name: is there, when: {create: good.yaml}, then: {allowed: true}}
- {name: is not, when: {create: bad.yaml}, then: {allowed: true}}
`} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args        []string // of check, or as they are
		status      int
		out, failed string
	}{
		{[]string{good}, 0, "1 manifest: 1 accepted", ""},
		{[]string{bad, "--output", "github"}, 1, "bad.yaml,line=4::ConfigMap a: dat: unknown field\n", ""},
		{[]string{"--context", good, "-"}, 0, "1 manifest: 1 accepted", ""},
		{[]string{filepath.Join(dir, "none.yaml")}, 2, "", "none.yaml: no such file or directory\n"},
		{[]string{"--crds", good, good}, 2, "", "good.yaml: no CustomResourceDefinition is there\n"},
		{[]string{good, "--output", "xml"}, 2, "", "--output is one of github, json, junit, sarif, text, not \"xml\"\n"},
		{[]string{dir + "/none/"}, 2, "", "none: no such file or directory\n"},
		{[]string{broken}, 1, "broken.yaml:5: error: it is not YAML: mapping values are not allowed in this context\n2 ", ""},
		{[]string{"--context", broken, good}, 2, "", "broken.yaml:5: it is not YAML: mapping values are not allowed"},
		{[]string{refused}, 1, "refused.yaml:4: error: CustomResourceDefinition widgets.example.com: spec.versions: ", ""},
		{[]string{"--crds", refused, good}, 2, "", "refused.yaml:4: CustomResourceDefinition widgets.example.com: " +
			"spec.versions: "},
		{nil, 2, "", "check needs files"},
		{[]string{"--data", dir, good}, 2, "", "check --data is for a data directory, and takes no manifests\n"},
		{[]string{"test", dir}, 1, "a.test.yaml:4: error: is not: it is refused with 400 BadRequest: ", ""},
		{[]string{"test", tests, "--output", "github"}, 1, "2 tests: 1 passed, 1 failed\n", ""},
		{[]string{"test", good}, 2, "", "good.yaml:1: apiVersion: there is no such field here\n"},
		{[]string{"test"}, 2, "", "test needs files or directories with tests\n"},
		{[]string{"--wrong"}, 2, "", "flag provided but not defined: -wrong"},
	} {
		if len(c.args) == 0 || c.args[0] != "test" {
			c.args = append([]string{"check"}, c.args...)
		}
		cmd := exec.Command(os.Args[0], c.args...)
		cmd.Env, cmd.Stdin = append(os.Environ(), "DEVSERVER_TEST_RUN=1"), strings.NewReader(text)
		var failed strings.Builder
		cmd.Stderr = &failed
		out, err := cmd.Output()
		status := 0
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			status = exit.ExitCode()
		}
		if status != c.status || !strings.Contains(string(out), c.out) || !strings.Contains(failed.String(), c.failed) ||
			c.failed == "" && failed.Len() > 0 || c.out == "" && len(out) > 0 {
			t.Errorf("%q: status %d, %q, %q", c.args, status, out, &failed)
		}
	}
}
