//go:build !js

package course_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tabernetes/tabernetes/web/course"
	"github.com/tabernetes/tabernetes/web/lesson/format"
	"github.com/tabernetes/tabernetes/web/lesson/play"
)

// TestReplays plays lost runs again, as the judge has reported them: each step makes its requests, with the same
// objects, and the last one says the verdict. The 410 of a run is one in the scene, too.
func TestReplays(t *testing.T) {
	files, err := filepath.Glob("testdata/run-*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		run, err := course.ParseRun(string(b))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(run.Verdict.Rule, func(t *testing.T) {
			t.Parallel()
			source := run.Scene()
			if run.Verdict.Rule == "R7" {
				const next = "\n```\n\n## your request 4"
				if !strings.Contains(source, next) {
					t.Fatal(source)
				}
				source = strings.Replace(source, next, "\n- Gone\n  gone: ERROR in r3\n  after r3\n  object.code = 410"+next, 1)
			}
			s, err := format.ParseSceneAs("run", source)
			if err != nil {
				t.Fatalf("%v\n%s", err, source)
			}
			synctest.Test(t, func(t *testing.T) { playAgain(t, run, s) })
		})
	}
}

func playAgain(t *testing.T, run *course.Run, s *format.Scene) {
	c, err := play.Cluster(1)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	synctest.Wait()
	p := play.New(t.Context(), c, s.Lesson)
	p.AfterRequest(synctest.Wait)
	defer p.Close()
	if err := p.Begin(); err != nil {
		t.Fatal(err)
	}
	said := ""
	for i := range s.Steps {
		if err := p.Solve(i); err != nil {
			t.Fatal(err)
		}
		said, err = p.Session.Fill(s.Sentence(i), func(request int) string { return "w" + strconv.Itoa(request) })
		if err != nil {
			t.Fatal(err)
		}
		t.Log(s.Steps[i].Title + ": " + said)
	}
	if !strings.HasPrefix(said, run.Verdict.Rule+": ") {
		t.Errorf("the last step says %q", said)
	}
}

// TestReplayOfWhatIsOutOfReach wants nothing to be played of runs whose faults a scene does not have.
func TestReplayOfWhatIsOutOfReach(t *testing.T) {
	run := &course.Run{Path: "/api/v1/namespaces/capstone/secrets", Verdict: &course.Verdict{At: 9},
		Log: []course.RunEntry{{At: 1, What: "request", ID: 1, URL: "/api/v1/namespaces/capstone/secrets"},
			{At: 2, What: "fault", Text: "the cluster is restored from the backup: from revision 9 to 5"}}}
	if got := run.Scene(); got != "" {
		t.Errorf("played again: %s", got)
	}
	if got := (&course.Run{Passed: true}).Scene(); got != "" {
		t.Errorf("a run without a verdict: %s", got)
	}
}
