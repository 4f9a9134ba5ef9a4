package kubectl

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tabernetes/tabernetes/core"
)

// clusters are the options of sessions that need other than the default ones.
var clusters = map[string]core.Options{
	"controllers": {Controllers: true},
	"explain":     {Descriptions: descriptions},
	"customread":  {Descriptions: descriptions},
	"rbac": {
		Authorization: "RBAC",
		Tokens: []core.Token{
			{Token: "of-admin", User: "admin", Groups: []string{"system:masters"}},
			{Token: "of-jane", User: "jane", UID: "j-1", Groups: []string{"people"}},
			{Token: "of-bob", User: "bob"},
		},
	},
}

// TestSessions goes through the transcripts.
func TestSessions(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txt")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			transcript, err := parseTranscript(string(text))
			if err != nil {
				t.Fatal(err)
			}
			s := newSession(t, clusters[name])
			for name, text := range transcript.files {
				s.write(name, text)
			}
			s.play(path, transcript.steps)
		})
	}
}

// play runs the commands and compares what they print.
func (s *session) play(path string, steps []step) {
	ctx, cancel := context.WithTimeout(s.t.Context(), testTimeout)
	defer cancel()
	var meanwhile sync.WaitGroup
	defer meanwhile.Wait()
	for _, step := range steps {
		if step.args == nil {
			meanwhile.Wait()
			continue
		}
		check := func() {
			if got := s.run(ctx, step.args); !step.matches(got) {
				s.t.Errorf("%s:%d: %s\nprints:\n%swant:\n%s", path, step.line, strings.Join(step.args, " "), got, step.prints)
			}
		}
		if step.background {
			meanwhile.Go(check)
		} else {
			check()
		}
	}
}
