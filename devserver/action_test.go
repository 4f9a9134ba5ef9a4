package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/tabernetes/tabernetes/devserver/internal/site"
)

// An action is a composite action of GitHub.
type action struct {
	Name, Description string
	Inputs            map[string]struct {
		Description, Default string
		Required             bool
	}
	Runs struct {
		Using string
		Steps []struct {
			ID, Shell, Run string
			Env            map[string]string
		}
	}
}

// expressionInAction is one of the expressions that GitHub replaces.
var expressionInAction = regexp.MustCompile(`\$\{\{ (inputs|steps)\.([\w.]+) \}\}`)

// run runs the steps one after another in a folder, as a runner does, and returns what they print and the status of the
// last one.
func (a *action) run(t *testing.T, dir string, inputs map[string]string) (printed string, status int) {
	t.Helper()
	values := map[string]string{}
	for name, input := range a.Inputs {
		values["inputs."+name] = input.Default
		if value, ok := inputs[name]; ok {
			values["inputs."+name] = value
		} else if input.Required {
			t.Fatalf("%s is required", name)
		}
	}
	temp := t.TempDir()
	output := filepath.Join(temp, "output")
	for _, step := range a.Runs.Steps {
		// As a runner calls the shell bash.
		cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "DEVSERVER_TEST_RUN=1", "RUNNER_OS=Linux", "RUNNER_ARCH=X64", "RUNNER_TEMP="+temp,
			"GITHUB_OUTPUT="+output)
		for name, value := range step.Env {
			cmd.Env = append(cmd.Env, name+"="+expressionInAction.ReplaceAllStringFunc(value, func(text string) string {
				at := expressionInAction.FindStringSubmatch(text)
				known, ok := values[at[1]+"."+at[2]]
				if !ok {
					t.Errorf("nothing is known of %s", text)
				}
				return known
			}))
		}
		out, err := cmd.CombinedOutput()
		printed += string(out)
		if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
			return printed, failed.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		said, err := os.ReadFile(output)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(said)) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			values["steps."+step.ID+".outputs."+name] = value
		}
	}
	return printed, 0
}

// TestAction runs the action's steps, with a release that is a folder.
func TestAction(t *testing.T) {
	for _, program := range []string{"bash", "curl", "sha256sum"} {
		if _, err := exec.LookPath(program); err != nil || runtime.GOOS != "linux" {
			t.Skip("the action's steps need", program)
		}
	}
	root, err := site.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, ".github", "actions", "tabernetes", "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var a action
	if err := yaml.UnmarshalStrict(text, &a); err != nil || a.Runs.Using != "composite" || len(a.Runs.Steps) == 0 {
		t.Fatal(err, a.Runs)
	}
	for _, step := range a.Runs.Steps {
		if strings.Contains(step.Run, "${{") || step.Shell != "bash" {
			t.Errorf("an input could be run as a script: %s", step.Run)
		}
	}

	releases, dir := t.TempDir(), t.TempDir()
	const name = "tabernetes-linux-amd64"
	program, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	sums := fmt.Sprintf("%x  other\n%x  %s\n", sha256.Sum256(nil), sha256.Sum256(program), name)
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(sums)))
	const config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	for file, text := range map[string][]byte{
		"v1/" + name: program, "v1/SHA256SUMS": []byte(sums),
		"v2/" + name: []byte("#!/bin/sh\n"), "v2/SHA256SUMS": []byte(sums),
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(releases, file)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(releases, file), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for file, text := range map[string]string{"good.yaml": config, "bad $(one).yaml": config + "dat: {}\n",
		"a.test.yaml": "tests: [{name: is there, when: {create: good.yaml}, then: {refused: at all}}]\n"} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		inputs map[string]string
		status int
		want   string
	}{
		{map[string]string{"paths": "good.yaml\n"}, 0, "1 manifest: 1 accepted, 0 refused"},
		{map[string]string{"paths": "good.yaml\nbad $(one).yaml\n--namespaces-must-exist"}, 1,
			"::error file=bad $(one).yaml,line=4::ConfigMap a: dat: unknown field\n"},
		{map[string]string{"paths": "a.test.yaml", "command": "test"}, 1,
			"::error file=a.test.yaml,line=1::is there: it is allowed\n"},
		{map[string]string{"paths": "\n"}, 2, "::error::paths is empty\n"},
		{map[string]string{"paths": "none"}, 2, "none: no such file or directory"},
		{map[string]string{"paths": "good.yaml", "command": "serve"}, 2, "::error::command is check or test, not serve\n"},
		{map[string]string{"paths": "good.yaml", "version": "v2"}, 1, name + ": FAILED"},
		{map[string]string{"paths": "good.yaml", "checksum": strings.Repeat("0", 64)}, 1, "SHA256SUMS: FAILED"},
		{map[string]string{"paths": "good.yaml", "version": "v3"}, 37, "v3/SHA256SUMS"},
	} {
		inputs := map[string]string{"version": "v1", "checksum": sum, "from": "file://" + releases}
		for name, value := range c.inputs {
			inputs[name] = value
		}
		if printed, status := a.run(t, dir, inputs); status != c.status || !strings.Contains(printed, c.want) {
			t.Errorf("%v: status %d, not %d: %s", c.inputs, status, c.status, printed)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(left) != 3 {
		t.Errorf("the action has left files: %v", left)
	}
}
