// Package modules checks what the project's go.mod raises for those who use it beside what a controller or
// an operator needs anyway.
package modules

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/semver"
)

// TestRaised wants the project to require no later version than what many users need anyway (client-go,
// controller-runtime, Helm) does.
func TestRaised(t *testing.T) {
	printed, err := exec.CommandContext(t.Context(), "go", "mod", "graph").Output()
	if err != nil {
		t.Fatal(err)
	}
	ours, others := map[string]string{}, map[string]string{}
	for line := range strings.Lines(string(printed)) {
		user, required, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, version, _ := strings.Cut(required, "@")
		into := others
		switch who, userVersion, _ := strings.Cut(user, "@"); {
		case userVersion == "": // this module
			continue
		case who == project:
			into = ours
		}
		if semver.Compare(version, into[name]) > 0 {
			into[name] = version
		}
	}
	if len(ours) < 20 || len(others) < 100 {
		t.Fatalf("the graph has %d requirements of the project and %d of others", len(ours), len(others))
	}
	var got []string
	for name, version := range ours {
		if had := others[name]; had != "" && semver.Compare(version, had) > 0 {
			got = append(got, fmt.Sprint(name, " ", had, " ", version))
		}
	}
	slices.Sort(got)
	if len(got) > 0 {
		t.Errorf("raised are\n%s", strings.Join(got, "\n"))
	}
}
