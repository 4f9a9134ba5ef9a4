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

// raised are the modules of which this one, which needs what many users need (client-go, controller-runtime, Helm),
// gets a later version because of the project alone. CONTRIBUTING says why.
var raised = []string{
	"github.com/fsnotify/fsnotify v1.9.0 v1.10.1",
	"github.com/yuin/goldmark v1.4.13 v1.8.7",
	"golang.org/x/sys v0.47.0 v0.49.0",
	"sigs.k8s.io/structured-merge-diff/v6 v6.3.3 v6.4.2",
}

// TestRaised compares the versions that the project requires with those that all others do.
func TestRaised(t *testing.T) {
	const project = "github.com/tabernetes/tabernetes"
	printed, err := exec.CommandContext(t.Context(), "go", "mod", "graph").Output()
	if err != nil {
		t.Fatal(err)
	}
	ours, others := map[string]string{}, map[string]string{}
	for line := range strings.Lines(string(printed)) {
		by, required, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, version, _ := strings.Cut(required, "@")
		into := others
		switch who, of, _ := strings.Cut(by, "@"); {
		case of == "": // this module
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
	if !slices.Equal(got, raised) {
		t.Errorf("raised are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(raised, "\n"))
	}
}
