package release

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tabernetes/tabernetes/devserver/internal/site"
)

// TestImage looks at what the Dockerfile copies: a program of a release for each system that it is built for, and
// nothing else, which runs as nobody.
func TestImage(t *testing.T) {
	root, err := site.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "devserver", "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	var steps []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			steps = append(steps, line)
		}
	}
	if steps[0] != "FROM scratch" {
		t.Errorf("it begins with %s", steps[0])
	}
	copies := regexp.MustCompile(`(?m)^(?:COPY|ADD) (\S+) (\S+)$`).FindAllStringSubmatch(strings.Join(steps, "\n"), -1)
	if len(copies) != 1 || copies[0][2] != "/tabernetes" || !slices.Contains(steps, `ENTRYPOINT ["/tabernetes"]`) {
		t.Fatalf("it copies %q", copies)
	}
	for _, arch := range []string{"amd64", "arm64"} {
		name := strings.ReplaceAll(copies[0][1], "${TARGETARCH}", arch)
		if want := (Target{"linux", arch}).Name(); name != want {
			t.Errorf("for %s it copies %s, and the release has %s", arch, name, want)
		}
	}
	if !slices.ContainsFunc(steps, regexp.MustCompile(`^USER [1-9]\d*:[1-9]\d*$`).MatchString) {
		t.Error("it runs as root")
	}
	workflow, err := os.ReadFile(filepath.Join(root, ".github", "workflows", "release.yml"))
	if err != nil || !strings.Contains(string(workflow), "--file devserver/Dockerfile") {
		t.Errorf("the workflow does not build it: %v", err)
	}
}
